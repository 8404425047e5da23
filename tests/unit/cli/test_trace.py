"""`compilescope trace` as a user meets it: output, exit codes, messages, and what is left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

import parso
import pytest
from processes import alive, gone

from .conftest import COMMAND, ENV

BREAKS = """
import torch

@torch.compile(backend="eager")
def double(x):
    y = x * 2
    print("half way")
    return y + 1

double(torch.ones(3))
"""


def folders(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / ".compilescope").iterdir() if path.is_dir()]


def test_text_goes_to_stdout_and_the_programs_output_to_stderr(run, program):
    done = run("trace", "--depth", "capture", program(BREAKS))
    assert done.returncode == 0
    assert done.stderr == "half way\n"
    assert "warning[graph-break/GB" in done.stdout
    assert "--> program.py:7:5" in done.stdout
    assert '7 |     print("half way")\n  |     ^^^^^^^^^^^^^^^^^' in done.stdout
    assert re.search(r"^recording: \.compilescope/\d{8}-\d{6} ", done.stdout, re.MULTILINE)
    assert done.stdout.splitlines()[-1].startswith("1 warning, no errors: 1 graph break")


def test_json_to_a_file_leaves_the_programs_output_alone(run, program, tmp_path):
    done = run("trace", "--depth", "capture", "--format", "json", "-o", "out.json", program(BREAKS))
    assert (done.returncode, done.stdout, done.stderr) == (0, "half way\n", "")
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["schema"] == 1
    assert [finding["rule"] for finding in result["findings"]] == ["graph-break"]
    assert result["findings"][0]["range"] == {"start": {"line": 6, "character": 4}, "end": {"line": 6, "character": 21}}
    assert result["run"]["command"] == ["program.py"]


def test_show_says_the_same_as_trace(run, program, tmp_path):
    traced = run("trace", "--depth", "capture", program(BREAKS))
    shown = run("show", str(folders(tmp_path)[0].relative_to(tmp_path)))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout == traced.stdout


def test_fail_on(run, program):
    name = program(BREAKS)
    assert run("trace", "--depth", "capture", "--fail-on", "recompile,graph-break", name).returncode == 3
    assert run("trace", "--depth", "capture", "--fail-on", "recompile", name).returncode == 0


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("raise ValueError('no')", 1, None),
        ("import sys; sys.exit(3)", 3, None),
        ("import os; os._exit(4)", 4, None),
        ("import no_such_module_anywhere", 1, None),
        ("def f(:", 1, None),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 139, "crashed with SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137, "was killed by SIGKILL"),
        ("import os; os.chdir('/'); print('moved')", 0, None),
        ("import os, sys; sys.stdout.close(); os.close(1)", 0, None),
    ],
)
def test_every_end_of_a_program(run, program, tmp_path, *, text, code, said):
    done = run("trace", program(text))
    assert done.returncode == code
    assert done.stdout.splitlines()[-1].startswith("Nothing was compiled")
    if said:
        assert said in done.stdout
    (folder,) = folders(tmp_path)
    assert json.loads((folder / "run.json").read_text())["status"] in {"finished", "killed"}
    assert "compilescope" not in done.stderr


@pytest.mark.parametrize(
    "text", ["raise ValueError('no')", "import no_such_module", "def f(:", "import sys; sys.exit('bye')"]
)
def test_what_python_says_is_what_we_say(run, program, tmp_path, text):
    name = program(text)
    plain = subprocess.run([sys.executable, name], cwd=tmp_path, env=ENV, capture_output=True, text=True, check=False)
    traced = run("trace", name)
    assert traced.stderr == plain.stderr
    assert traced.returncode == plain.returncode


def test_findings_up_to_a_crash_are_kept(run, program):
    done = run("trace", "--depth", "capture", program(BREAKS + "import os\nos.kill(os.getpid(), 11)\n"))
    assert done.returncode == 139
    assert "warning[graph-break/GB" in done.stdout
    assert re.search(
        r"program\.py crashed with SIGSEGV \(native code touched memory it may not\) after \d+\.\d+ s\.\s+"
        r"The\s+1\s+finding\s+up\s+to\s+then\s+is\s+kept\.",
        done.stdout,
    )


def test_time_limit(run, program):
    begun = time.monotonic()
    done = run("trace", "--timeout", "1", program("while True: pass"))
    assert done.returncode == 124
    assert "program.py was stopped at the time limit after" in done.stdout
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_asked_to_end(program, tmp_path, number, code):
    name = program(BREAKS + "import time\nprint('running', flush=True)\nwhile True: time.sleep(1)\n")
    command = [*COMMAND, "trace", "--depth", "capture", name]
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as traced:
        while traced.stderr.readline() != "running\n":
            pass
        worker = json.loads((folders(tmp_path)[0] / "run.json").read_text())["pid"]
        traced.send_signal(number)
        out, _ = traced.communicate(timeout=30)
    assert traced.returncode == code
    assert "program.py was cancelled after" in out
    assert "warning[graph-break/GB" in out
    assert not alive(worker)


def test_killed_for_good_leaves_no_process(program, tmp_path):
    name = program("import os, time\nprint(os.getpid(), flush=True)\nwhile True: time.sleep(1)\n")
    with subprocess.Popen(
        [*COMMAND, "trace", "-o", "x", name], cwd=tmp_path, env=ENV, stdout=subprocess.PIPE
    ) as traced:
        worker = int(traced.stdout.readline())
        traced.kill()
    assert gone(worker)


def test_hundred_megabytes_pass_through(run, program, tmp_path):
    name = program("import sys\nfor _ in range(1000): sys.stdout.write('x' * 100_000)")
    with (tmp_path / "big").open("w") as big:
        assert run("trace", "-o", "report", name, stdout=big, capture_output=False).returncode == 0
    assert (tmp_path / "big").stat().st_size == 100_000_000


@pytest.mark.parametrize("closed", ["", "0", "1", "2"])
def test_closed_pipes_and_streams(program, tmp_path, closed):
    name = program("print('x')")
    shell = f"{' '.join(COMMAND)} trace {name} {f'{closed}>&-' if closed else '| head -c 0'}"
    done = subprocess.run(
        ["bash", "-c", f"{shell}; exit ${{PIPESTATUS[0]}}"],
        cwd=tmp_path,
        env=ENV,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr + done.stdout
    assert "Broken" not in done.stderr
    (folder,) = folders(tmp_path)
    assert json.loads((folder / "run.json").read_text())["exit_code"] == 0


def test_arguments_belong_to_the_program(run, program, tmp_path):
    name = program("import sys; print(sys.argv, __name__)")
    done = run("trace", "-o", "r", name, "--depth", "nonsense", "-m", "--", "-o", "x")
    assert done.stdout == "['program.py', '--depth', 'nonsense', '-m', '--', '-o', 'x'] __main__\n"
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__main__.py").write_text("import sys; print(sys.argv[1:], __name__, __package__)")
    done = run("trace", "-o", "r", "-m", "pkg", "--format", "x")
    assert done.stdout == "['--format', 'x'] __main__ pkg\n"
    (folder,) = [f for f in folders(tmp_path) if json.loads((f / "run.json").read_text())["command"][0] == "-m"]
    assert json.loads((folder / "run.json").read_text())["command"] == ["-m", "pkg", "--format", "x"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["trace"], "Nothing to run"),
        (["trace", "missing.py"], "missing.py: no such file"),
        (["trace", "."], "it is a directory without a __main__.py"),
        (["trace", "--python", "/no/such/python", "program.py"], "/no/such/python: no such file"),
        (["trace", "-o", "no/such/folder/x", "program.py"], "Can't write no/such/folder/x"),
        (["trace", "--record", ".", "program.py"], "it is not empty"),
        (["trace", "--record", "program.py/x", "program.py"], "Can't record to program.py/x"),
        (["trace", "--timeout", "0", "program.py"], "--timeout"),
        (["trace", "--fail-on", "graph-brake", "program.py"], "no rule graph-brake"),
        (["trace", "--nproc-per-node", "x", "program.py"], "No number of processes: 'x'"),
        (["trace", "--nproc-per-node", "0", "program.py"], "from 1 on, or auto, cpu or gpu"),
        (["trace", "--nnodes", "2:1", "program.py"], "No number of machines: '2:1'"),
        (["trace", "--nproc-per-node", "auto", "--nnodes", "1:2", "--node-rank", "0", "missing.py"], "no such file"),
        (["trace", "--depht", "full", "program.py"], "--depht"),
        (["show", "missing"], "missing"),
        (["show", "program.py"], "program.py"),
        (["frobnicate"], "frobnicate"),
        ([], "COMMAND"),
    ],
)
def test_our_own_failures_are_one_message_and_2(run, program, words, said):
    program("print('ran')")
    done = run(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "ran" not in done.stdout + done.stderr


def test_the_version_is_the_package_s(run):
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    version = re.search(r'^version = "(.+)"$', project, re.MULTILINE)[1]
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"compilescope {version}\n")


def test_without_torch_the_option_is_named(run, program, tmp_path):
    """With an interpreter that has none, and where none is found."""
    bare = tmp_path / "bare"
    venv.create(bare, symlinks=True, with_pip=False)
    python = str(bare / "bin" / "python")
    done = run("trace", "--python", python, program("print('ran')"))
    assert done.returncode == 2
    assert "(bare) has no torch. Install torch there, or name another interpreter with --python." in done.stderr
    (tmp_path / "needed").mkdir()
    (tmp_path / "needed" / "parso").symlink_to(Path(parso.__file__).parent)
    needed = os.pathsep.join([ENV["PYTHONPATH"], str(tmp_path / "needed")])
    env = {"PYTHONPATH": needed, "VIRTUAL_ENV": str(bare), "PATH": "/nowhere"}
    done = subprocess.run(
        [python, "-m", "compilescope", "trace", "program.py"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{python}: no torch (runs compilescope)\n" in done.stderr
    assert done.stderr.endswith("\nInstall torch there, or name another interpreter with --python.\n")


def test_recording_where_asked(run, program, tmp_path):
    done = run("trace", "--record", "runs/one", program("print(1)"))
    assert done.returncode == 0
    assert (tmp_path / "runs" / "one" / "run.json").exists()
    assert not (tmp_path / ".compilescope").exists()


def test_a_working_directory_that_cannot_be_written(run, program, tmp_path):
    script = tmp_path / program("print(1)")
    done = run("trace", str(script), cwd="/proc", env={**ENV, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 0
    assert "note: /proc can't be written" in done.stdout
    assert list((tmp_path / "cache").rglob("run.json"))


def test_stdin_reaches_the_program(run, program):
    done = run("trace", "-o", "r", program("print(input() + '!')"), input="hello\n")
    assert done.stdout == "hello!\n"


def test_a_full_disk_costs_no_more_than_what_did_not_fit(program, tmp_path):
    try:
        subprocess.run(["unshare", "-rm", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small file system can't be mounted here")
    program(BREAKS + "raise SystemExit(7)\n")
    (tmp_path / "small").mkdir()
    within = 'mount -t tmpfs -o size=40k none small && cd small && "$@"; code=$?; ls -A .compilescope/*/; exit $code'
    command = [*COMMAND, "trace", "--depth", "capture", "../program.py"]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", within, "sh", *command],
        cwd=tmp_path, env=ENV, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (7, "half way\n")
    assert "warning[graph-break" in done.stdout
    assert "note: the recording is incomplete: the disk is full\n" in done.stdout
    assert "has not ended" not in done.stdout
    assert ".run.json.new" not in done.stdout


def test_a_report_that_finds_no_space_is_one_clear_line(run, program):
    done = run("trace", "-o", "/dev/full", program("print('ran')"))
    assert (done.returncode, done.stdout) == (2, "ran\n")
    assert done.stderr == "compilescope: Can't write /dev/full: No space left on device.\n"


LONG = "x" * 5000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", LONG], "x... can't be read: File name too long."),
        (["show", "/dev/null"], "/dev/null is neither a file nor a folder that can be read as a trace."),
        (["show", "pipe"], "pipe is neither a file nor a folder that can be read as a trace."),
        (["show", ""], "No recording is named"),
        (["trace", LONG], "x: File name too long."),
        (["trace", "--python", LONG, "program.py"], "x: no such file."),
        (["show", "--guards", "0/0", "--format", "html", "x"], "--guards is text or json; html is not available."),
    ],
)
def test_odd_paths_and_formats_are_one_line(run, program, tmp_path, *, words, said):
    program("print('ran')")
    os.mkfifo(tmp_path / "pipe")
    done = run(*words, timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 400


def test_help_names_the_formats_that_there_are(run):
    for command in ("trace", "show"):
        text = run(command, "--help").stdout
        for name in ("text (default)", "json", "html", "sarif", "markdown", "lcov", "cobertura"):
            assert name in text
    mistaken = run("show", "--format", "xml", "x")
    assert mistaken.returncode == 2
    assert "invalid choice: 'xml'" in mistaken.stderr


def test_a_folder_of_recordings_shows_the_newest(run, program, tmp_path):
    name = program("print(1)")
    run("trace", name)
    run("trace", name)
    newest = max(folders(tmp_path), key=lambda folder: json.loads((folder / "run.json").read_text())["started"])
    shown = run("show", ".")
    assert shown.returncode == 0
    assert shown.stderr == (
        f"compilescope: showing {newest.relative_to(tmp_path)}, the newest of 2; to see another: "
        "compilescope show FOLDER\n"
    )
    assert f"recording: {newest.relative_to(tmp_path)} " in shown.stdout


def test_a_program_that_removes_its_recording(run, program):
    done = run("trace", program("import shutil, sys; shutil.rmtree('.compilescope'); sys.exit(5)"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "was removed while the program ran. The program ended with exit code 5." in done.stderr


def test_a_stance_that_turns_compiling_off_is_named(run, program):
    stance = "import torch\ntorch.compiler.set_stance('force_eager')\ntorch.compile(torch.sin)(torch.ones(3))\n"
    done = run("trace", "--depth", "capture", program(stance))
    assert done.stdout.splitlines()[-1].startswith('Nothing was compiled: torch.compiler.set_stance("force_eager")')


@pytest.mark.parametrize("name", ["TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"])
def test_a_variable_that_turns_compiling_off_is_named(run, program, name):
    done = run("trace", "--depth", "capture", program(BREAKS), env={**ENV, name: "1"})
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith(f"Nothing was compiled: {name}=1 ")


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("compilescope.cli.main", -signal.SIGINT),
        ("argparse", -signal.SIGINT),
        ("compilescope.analysis.breaks", 130),  # loaded by the command itself, which says how it ended
    ],
)
def test_interrupted_while_it_is_loaded(run, tmp_path, module, code):
    (tmp_path / "early").mkdir()
    (tmp_path / "early/sitecustomize.py").write_text(f"""
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
""")
    path = f"{tmp_path / 'early'}:{ENV['PYTHONPATH']}"
    done = run("show", "nothing", env={**ENV, "PYTHONPATH": path})
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
