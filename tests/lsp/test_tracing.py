"""Programs that are run from the editor, in every way in which they can end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lsprotocol import types

from .test_neovim import BROKEN, MENDED

HEAD = BROKEN + "\n"
NATIVE = HEAD + "import ctypes\nctypes.string_at(0)\n"


@pytest.fixture
def options():
    return {"client": "vscode", "python": sys.executable}


@pytest.fixture
def write(workspace):
    def write(text: str, name: str = "program.py") -> Path:
        path = workspace / name
        path.write_text(text)
        return path

    return write


async def trace(client, script, **more):
    return await client.ask("compilescope/trace", script=str(script), **more)


def codes(client, script):
    return [one.code for one in client.diagnostics.get(script.as_uri(), ())]


@pytest.mark.torch
async def test_a_break_is_found_and_goes_when_it_is_mended(client, write):
    script = write(BROKEN)
    uri = client.open(script)
    result = await trace(client, script)
    assert (result.status, result.exitCode, result.findings, result.problem) == ("finished", 0, 1, None)
    (found,) = client.diagnostics[uri]
    assert found.range == types.Range(types.Position(6, 7), types.Position(6, 18))
    assert found.code == "GB0170"
    script.write_text(MENDED)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, uri), [types.TextDocumentContentChangeWholeDocument(MENDED)]
        )
    )
    assert (await trace(client, script)).findings == 0
    assert not client.diagnostics[uri]
    assert client.texts("compilescope/status")[-1].text == "$(telescope) 1 graph"
    assert client.messages == []


@pytest.mark.torch
async def test_progress_status_and_output(client, write):
    script = write(HEAD + "print('grüße')\n")
    await trace(client, script)
    (reports,) = client.progress_reports.values()
    assert reports[0].title == "Tracing program.py"
    assert reports[0].cancellable
    assert isinstance(reports[-1], types.WorkDoneProgressEnd)
    states = [one.state for one in client.texts("compilescope/status")]
    assert states[0] == "starting"
    assert states[-1] == "idle"
    assert "tracing" in states
    assert "".join(one.text for one in client.texts("compilescope/output")) == "grüße\n"


@pytest.mark.torch
async def test_findings_appear_while_the_program_still_runs(client, write, tmp_path):
    go = tmp_path / "go"
    script = write(HEAD + f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)\n")
    run = asyncio.ensure_future(trace(client, script))
    await client.until(lambda: codes(client, script) == ["GB0170"])
    assert not run.done()
    assert (await client.ask("compilescope/clear")).count == 1
    assert codes(client, script) == []
    go.touch()
    assert (await run).status == "finished"
    assert codes(client, script) == ["GB0170"], "what was cleared was that of then"
    assert not (await client.ask("compilescope/runs")).runs[0].cleared


@pytest.mark.torch
@pytest.mark.parametrize(
    ("ending", "expected", "problem"),
    [
        ("raise ValueError('no')", ("finished", 1), None),
        ("import sys; sys.exit(3)", ("finished", 3), None),
        ("import os; os._exit(4)", ("finished", 4), None),
        ("import surely_not_there", ("finished", 1), None),
        ("import os; os.chdir('/')", ("finished", 0), None),
        ("import os; os.close(1)", ("finished", 0), None),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", ("killed", -9), "SIGKILL"),
        ("import ctypes; ctypes.string_at(0)", ("killed", -11), "SIGSEGV"),
    ],
)
async def test_findings_are_kept_however_the_program_ends(client, write, ending, expected, problem):
    script = write(f"{HEAD}{ending}\n")
    result = await trace(client, script)
    assert (result.status, result.exitCode) == expected
    assert codes(client, script) == ["GB0170"]
    if problem is None:
        assert result.problem is None
    else:
        assert result.problem.code == "crashed"
        assert problem in result.problem.title
        assert "The 1 finding up to then is kept." in result.problem.title
    assert (await client.ask("compilescope/runs")).runs[0].breaks == 1, "the server goes on"


@pytest.mark.torch
async def test_the_time_limit(client, write):
    result = await trace(client, write("while True: pass\n"), timeoutS=1.5)
    assert result.status == "timed-out"
    assert result.problem.code == "timed-out"
    assert (await client.ask("compilescope/runs")).runs[0].status == "timed-out"


@pytest.mark.torch
@pytest.mark.parametrize("how", ["request", "command", "progress", "cancelRequest"])
async def test_cancel(client, write, how):
    script = write(HEAD + "print('up', flush=True)\nwhile True: pass\n")
    run = asyncio.ensure_future(trace(client, script))
    await client.until(lambda: client.texts("compilescope/output"))
    began = time.monotonic()
    if how == "request":
        assert (await client.ask("compilescope/cancel")).count == 1
    elif how == "command":
        await client.workspace_execute_command_async(types.ExecuteCommandParams("compilescope.server.cancel"))
    elif how == "progress":
        (token,) = client.progress_reports
        client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    else:
        (number,) = [key for key, future in client.protocol._request_futures.items() if not future.done()]
        client.cancel_request(types.CancelParams(number))
        with pytest.raises(Exception, match="cancel"):
            await run
    if how != "cancelRequest":
        result = await run
        assert (result.status, result.problem.code) == ("cancelled", "cancelled")
    assert time.monotonic() - began < 5
    # A request that is cancelled is answered before its run has ended.
    assert await client.until(lambda: client.texts("compilescope/status")[-1].state == "idle")
    assert codes(client, script) == ["GB0170"], "what was found up to then is kept"
    assert client.messages == []
    assert (await client.ask("compilescope/cancel")).count == 0


@pytest.mark.torch
async def test_one_run_at_a_time(client, write):
    script = write("import time; print('up', flush=True); time.sleep(60)\n")
    run = asyncio.ensure_future(trace(client, script))
    await client.until(lambda: client.texts("compilescope/output"))
    second = await trace(client, script)
    assert second.problem.code == "busy"
    await client.ask("compilescope/cancel")
    assert (await run).status == "cancelled"


@pytest.mark.torch
async def test_a_flood_of_output_does_not_hurt(client, write):
    flood = "import os\nfor _ in range(1600): os.write(1, b'x' * 65535 + b'\\n')\nprint('the end')\n"
    script = write(HEAD + flood)
    run = asyncio.ensure_future(trace(client, script))
    slowest = 0.0
    while not run.done():
        began = time.monotonic()
        await client.hover(script.as_uri(), 0, 0)
        slowest = max(slowest, time.monotonic() - began)
        await asyncio.sleep(0.01)
    assert (await run).exitCode == 0
    text = "".join(one.text for one in client.texts("compilescope/output"))
    assert text.endswith("the end\n")
    assert len(text) < 3_000_000
    assert "left out" in text
    assert codes(client, script) == ["GB0170"]
    assert slowest < 0.5


async def test_a_script_that_is_not_there(client, workspace):
    result = await trace(client, workspace / "nothing.py")
    assert (result.status, result.problem.code) == ("failed", "no-script")


async def test_no_interpreter(client, write):
    result = await trace(client, write("pass\n"), python="/nowhere/python")
    assert result.problem.code == "bad-interpreter"
    assert list(result.problem.actions) == ["compilescope.selectInterpreter"]


def environment(folder: Path) -> str:
    """A virtual environment without packages; its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder / "bin" / "python")


async def test_an_interpreter_without_torch(client, write, tmp_path):
    result = await trace(client, write("pass\n"), python=environment(tmp_path / "empty"))
    assert result.problem.code == "no-torch"
    assert "has no torch" in result.problem.title
    assert result.problem.detail == "Install torch there, or choose the interpreter that runs this script."
    assert list(result.problem.actions) == ["compilescope.selectInterpreter", "compilescope.copyInstallCommand"]
    assert not (await client.ask("compilescope/runs")).runs


async def test_an_interpreter_whose_torch_does_not_import(client, write, tmp_path):
    python = environment(tmp_path / "broken")
    (packages,) = (tmp_path / "broken" / "lib").glob("python3*/site-packages")
    (packages / "torch.py").write_text("raise ImportError('libtorch_cpu.so: cannot open shared object file')\n")
    result = await trace(client, write("import torch\n"), python=python)
    assert result.exitCode == 1
    assert result.problem.code == "broken-torch"
    assert "libtorch_cpu.so" in result.problem.detail


async def test_a_program_that_fails_before_it_comes_to_torch(client, write):
    result = await trace(client, write("1 / 0\n"))
    assert (result.exitCode, result.problem) == (1, None)


async def test_a_python_that_is_too_old(client, write, tmp_path):
    old = tmp_path / "python3.9"
    answer = '{"version": "3.9.1", "torch": null, "error": null, "executable": "x"}'
    old.write_text(f"#!/bin/sh\necho\necho 'compilescope-interpreter:{answer}'\n")
    old.chmod(0o755)
    result = await trace(client, write("pass\n"), python=str(old))
    assert result.problem.code == "old-python"


@pytest.mark.torch
async def test_the_interpreter_that_was_chosen(client):
    result = await client.ask("compilescope/setInterpreter", python=sys.executable)
    assert result.problem is None
    assert result.version == ".".join(map(str, sys.version_info[:3]))
    assert result.torch


@pytest.mark.torch
async def test_a_user_with_broken_attrs_and_pygls(client, write, tmp_path):
    """The user's program sees its own packages; the server never does."""
    for name in ("attr", "attrs", "cattrs", "pygls", "lsprotocol"):
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError('the wrong {name}')\n")
    script = write(HEAD)
    result = await trace(client, script, env={"PYTHONPATH": str(tmp_path)})
    assert result.status == "finished"
    assert codes(client, script) == ["GB0170"]


@pytest.mark.torch
async def test_a_run_through_execute_command(client, write):
    script = write(BROKEN)
    params = types.ExecuteCommandParams("compilescope.server.trace", [{"script": str(script), "depth": "capture"}])
    result = await client.workspace_execute_command_async(params)
    assert (result["status"], result["findings"]) == ("finished", 1)
