from __future__ import annotations

import os
import shutil
import stat
import sys
import venv
from pathlib import Path

import pytest
from compilescope.runner import interpreter
from compilescope.runner.interpreter import choose, probe
from compilescope.runner.problem import Problem


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A virtual environment without anything in it."""
    folder = tmp_path_factory.mktemp("envs") / "bare"
    venv.create(folder, symlinks=True, with_pip=False)
    return folder


@pytest.fixture
def packages(environment):
    """Its folder of packages, emptied afterwards."""
    (folder,) = environment.glob("lib/python3*/site-packages")
    yield folder
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def add_torch(packages: Path, text: str = "__version__ = '9.9.9+made'") -> None:
    (packages / "torch").mkdir()
    (packages / "torch" / "__init__.py").write_text(text)
    info = packages / "torch-9.9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 9.9.9\n")


def script(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def code_of(python: str, **options: object) -> str:
    with pytest.raises(Problem) as caught:
        probe(python, **options)
    return caught.value.code


def test_an_environment_with_torch(environment, packages):
    add_torch(packages)
    python = str(environment / "bin" / "python")
    assert probe(python).torch == "9.9.9"
    assert probe(python, import_torch=True).torch == "9.9.9+made"
    assert probe(python).version == ".".join(map(str, sys.version_info[:3]))
    assert "(bare)" in probe(python).name


def test_no_torch(environment):
    python = str(environment / "bin" / "python")
    assert probe(python).torch is None
    with pytest.raises(Problem) as caught:
        choose(python)
    assert caught.value.code == "no-torch"
    assert "(bare) has no torch" in caught.value.title


def test_torch_that_does_not_import(environment, packages):
    add_torch(packages, "raise ImportError('libtorch_cpu.so: cannot open shared object file')")
    python = str(environment / "bin" / "python")
    assert probe(python).torch == "9.9.9"
    with pytest.raises(Problem, match=r"libtorch_cpu\.so") as caught:
        probe(python, import_torch=True)
    assert caught.value.code == "broken-torch"


def test_torch_that_crashes(environment, packages):
    add_torch(packages, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert code_of(str(environment / "bin" / "python"), import_torch=True) == "broken-torch"


def test_broken_packages_of_ours_do_not_matter(environment, packages):
    add_torch(packages)
    for name in ("attrs", "attr", "pygls", "lsprotocol", "watchdog"):
        (packages / f"{name}.py").write_text("raise RuntimeError('broken')")
    assert probe(str(environment / "bin" / "python")).torch == "9.9.9"


def test_an_environment_that_prints_at_start(environment, packages):
    add_torch(packages)
    (packages / "sitecustomize.py").write_text("print('welcome'); import atexit; atexit.register(print, 'bye')")
    assert probe(str(environment / "bin" / "python")).torch == "9.9.9"


def test_things_that_are_no_interpreter(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    assert code_of(str(tmp_path / "missing")) == "bad-interpreter"
    assert code_of(str(plain)) == "bad-interpreter"
    assert code_of(str(tmp_path)) == "bad-interpreter"
    assert code_of(script(tmp_path / "silent", "#!/bin/sh\nexit 0\n")) == "bad-interpreter"
    assert code_of(script(tmp_path / "garbage", "\x00\x01")) == "bad-interpreter"
    assert code_of(script(tmp_path / "slow", "#!/bin/sh\nexec sleep 20\n"), timeout_s=0.3) == "bad-interpreter"


def test_too_old(tmp_path):
    old = script(
        tmp_path / "python3.8",
        "#!/bin/sh\necho 'compilescope-interpreter:"
        '{"version": "3.8.20", "torch": "2.4.0", "error": null, "executable": "x"}\'\n',
    )
    assert code_of(old) == "old-python"


def test_choice_prefers_our_own_then_the_active_environment(environment, packages, monkeypatch):
    add_torch(packages)
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    own = interpreter.Interpreter(sys.executable, "3.11.7", "2.13.0")
    monkeypatch.setattr(interpreter, "_own", lambda: own)
    assert choose(None) == own
    monkeypatch.setattr(interpreter, "_own", lambda: interpreter.Interpreter(sys.executable, "3.11.7", None))
    assert choose(None).path == str(environment / "bin" / "python")


def test_failing_to_choose_says_what_was_tried(environment, monkeypatch):
    monkeypatch.setattr(interpreter, "_own", lambda: interpreter.Interpreter("/own/python", "3.11.7", None))
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    monkeypatch.setenv("CONDA_PREFIX", "/gone")
    monkeypatch.setenv("PATH", os.fspath(environment / "nothing"))
    with pytest.raises(Problem) as caught:
        choose(None)
    for part in ("/own/python", str(environment / "bin" / "python"), "/gone/bin/python"):
        assert part in caught.value.detail
    assert "--python" not in str(caught.value), "an editor has no command line"


def test_a_program_that_repeats_our_question_is_not_quoted(tmp_path):
    echo = tmp_path / "echo"
    echo.write_text('#!/bin/sh\necho "cannot access $2" >&2\nexit 2\n')
    echo.chmod(0o755)
    with pytest.raises(Problem) as caught:
        probe(str(echo))
    assert str(caught.value) == f"Can't run {echo}: it is not a Python interpreter."
