"""A recording that is opened: diagnostics, hover, lenses, the runs view."""

from __future__ import annotations

import json
import os
import re
import subprocess
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .made import CONDITION, SCRIPT, Made

BREAK_LINE, BREAK_START, BREAK_END = CONDITION


def breaks(diagnostics):
    return [one for one in diagnostics if one.code == "GB0170"]


async def opened(client, made):
    result = await client.ask("compilescope/openRecording", path=str(made.folder))
    assert result.problem is None
    return result


async def test_diagnostics_of_a_closed_file(client, made, script):
    result = await opened(client, made)
    assert result.findings == 2
    (found,) = breaks(client.diagnostics[script.as_uri().replace("%C3%B6", "%C3%B6")])
    assert found.range == types.Range(types.Position(BREAK_LINE, BREAK_START), types.Position(BREAK_LINE, BREAK_END))
    assert found.severity == types.DiagnosticSeverity.Warning
    assert found.source == "compilescope"
    assert found.code_description.href.startswith("https://")
    assert found.data["compileIds"] == ["0/0", "0/1"]


async def test_related_information_names_the_caller(client, made, script):
    await opened(client, made)
    (found,) = breaks(client.diagnostics[script.as_uri()])
    related = found.related_information
    assert [(one.location.uri, one.location.range.start.line) for one in related] == [
        (script.as_uri(), BREAK_LINE - 1),
        (script.as_uri(), 16),
    ]
    assert related[0].message == "`h` was computed here"


async def test_versions_and_moving_with_edits(client, made, script):
    uri = client.open(script, version=4)
    await opened(client, made)
    await client.until(lambda: client.published)
    assert client.published[-1].version == 4
    client.edit(uri, 5, 0, (0, 0), "# a new line\n# and another\n")
    await client.until(lambda: client.published[-1].version == 5)
    (found,) = breaks(client.published[-1].diagnostics)
    assert found.range == types.Range(
        types.Position(BREAK_LINE + 2, BREAK_START), types.Position(BREAK_LINE + 2, BREAK_END)
    )
    assert found.severity == types.DiagnosticSeverity.Warning


async def test_an_edited_line_becomes_a_hint_and_undo_restores_it(client, made, script):
    uri = client.open(script)
    await opened(client, made)
    client.edit(uri, 2, BREAK_LINE, (7, 20), "h.max() > 2.0")
    await client.until(lambda: client.published[-1].version == 2)
    (found,) = breaks(client.published[-1].diagnostics)
    assert found.severity == types.DiagnosticSeverity.Hint
    began = datetime.fromisoformat(made.run["started"]).astimezone()
    assert re.search(rf" \(from the run at (\d+ \w+, )?{began:%H:%M}\)$", found.message)
    assert found.range.start == types.Position(BREAK_LINE, 4)
    client.edit(uri, 3, BREAK_LINE, (7, 20), "h.max() > 1.0")
    await client.until(lambda: client.published[-1].version == 3)
    (found,) = breaks(client.published[-1].diagnostics)
    assert found.severity == types.DiagnosticSeverity.Warning


async def test_a_deleted_line_takes_its_finding_along(client, made, script):
    uri = client.open(script)
    await opened(client, made)
    text = "".join(line for line in SCRIPT.splitlines(keepends=True) if "h.max()" not in line)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, uri), [types.TextDocumentContentChangeWholeDocument(text)]
        )
    )
    await client.until(lambda: client.published[-1].version == 2)
    assert not breaks(client.published[-1].diagnostics)


async def test_a_document_that_was_edited_before_the_recording_was_opened(client, made, script):
    client.open(script, text="# unsaved\n" + SCRIPT)
    await opened(client, made)
    (found,) = breaks(client.published[-1].diagnostics)
    assert found.range.start == types.Position(BREAK_LINE + 1, BREAK_START)


async def test_a_newer_run_of_the_script_replaces_the_findings(client, made, workspace, script):
    await opened(client, made)
    assert breaks(client.diagnostics[script.as_uri()])
    fixed = Made(workspace / ".compilescope" / "20261129-140000", script).compile("0/0").end()
    await opened(client, fixed)
    assert not client.diagnostics[script.as_uri()]


async def test_clear(client, made, script):
    await opened(client, made)
    assert (await client.ask("compilescope/clear")).count == 2
    assert not client.diagnostics[script.as_uri()]


async def test_files_that_are_not_here_get_no_diagnostics(client, script, tmp_path):
    made, gone = Made(tmp_path / "elsewhere", script), "/cluster/home/gone.py"
    made.event("compilescope_source", {"file": gone, "sha256": "", "text": script.read_text()})
    made.graph_break(frames=[{**made.frame(7, 7, 20, "step"), "file": gone}]).compile("0/0").end()
    result = await opened(client, made)
    assert result.findings == 1
    assert not client.published


async def test_a_recording_that_was_opened_reaches_outside_the_workspace(client, tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text(SCRIPT)
    await opened(client, Made(tmp_path / "foreign", outside).graph_break().compile("0/0").end())
    (found,) = client.diagnostics[outside.as_uri()]
    assert found.code == "GB0170"


async def test_a_recording_that_lies_in_the_workspace_does_not(another_server, workspace, tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text(SCRIPT)
    Made(workspace / ".compilescope" / "20261129-130000", outside).graph_break().compile("0/0").end()
    inside = Made(workspace / ".compilescope" / "20261129-140000", workspace / "script.py")
    inside.graph_break().compile("0/0").end()
    async with another_server() as client:
        await client.until(lambda: client.published)
        assert list(client.diagnostics) == [(workspace / "script.py").as_uri()]
        client.open(outside)
        await client.until(lambda: outside.as_uri() in client.diagnostics)


async def test_code_without_a_file(client, script, tmp_path):
    """It is on the user's line that ran it, if there is one; else only in the runs view."""
    inside = {"file": "<string>", "line": 3, "end_line": 3, "col": 4, "end_col": 15, "function": "made"}
    code = {"file": "<string>", "line": 2, "function": "made"}
    made = Made(tmp_path / "made", script)
    made.graph_break("0/0", frames=[inside], above=[made.frame(17, 4, 10, "<module>")], code=code)
    made.graph_break("1/0", frames=[inside], above=[], code=code, gb_id="GB0059", reason="another").end()
    await opened(client, made)
    ((uri, (found,)),) = client.diagnostics.items()
    assert (uri, found.code, found.range.start) == (script.as_uri(), "GB0170", types.Position(16, 4))
    assert not found.related_information, "nobody can go to a line of a text that is no file"
    detail = await client.ask("compilescope/runDetail", recording=str(made.folder))
    assert {one.file for one in detail.findings} == {str(script), "<string>"}


async def test_reports_of_a_run_and_of_a_finding(client, made, script):
    await opened(client, made)
    recording = str(made.folder)
    page = await client.ask("compilescope/report", recording=recording, format="html", finding=None)
    assert page.text.startswith("<!DOCTYPE html>")
    assert page.name.endswith("-report.html")
    log = await client.ask("compilescope/report", recording=recording, format="sarif", finding=None)
    results = json.loads(log.text)["runs"][0]["results"]
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results]
    assert BREAK_LINE + 1 in lines
    place = {"rule": "graph-break", "file": str(script), "line": BREAK_LINE, "character": BREAK_START}
    issue = await client.ask("compilescope/report", recording=recording, format="markdown", finding=place)
    assert issue.text.startswith("### ")
    assert f"{script.name}:{BREAK_LINE + 1}:" in issue.text
    starts = {"json": "{", "text": "info[recompile]: ", "openmetrics": "# TYPE compilescope_", "perfetto": "{"}
    starts |= {"lcov": "", "cobertura": "<?xml"}
    for format_, start in starts.items():
        saved = await client.ask("compilescope/report", recording=recording, format=format_, finding=None)
        assert saved.text.startswith(start), format_
        assert str(script.parent) not in saved.text
    for wrong in ({"format": "docx", "finding": None}, {"format": "markdown", "finding": {**place, "line": 0}}):
        with pytest.raises(JsonRpcException):
            await client.ask("compilescope/report", recording=recording, **wrong)


async def test_hover_on_a_break(client, made, script):
    uri = client.open(script)
    await opened(client, made)
    hover = await client.hover(uri, BREAK_LINE, BREAK_START + 3)
    text = hover.contents.value
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert hover.range.start == types.Position(BREAK_LINE, BREAK_START)
    assert "**The graph ends here" in text
    assert "**Cost.**" in text
    assert "torch: Data" in text
    commands = re.findall(r"command:(compilescope\.\w+)\?([^)\s]+)", text)
    assert {name for name, _ in commands} == {
        "compilescope.showGraph",
        "compilescope.showPasses",
        "compilescope.showCompile",
        "compilescope.applyFix",
    }
    assert json.loads(unquote(commands[0][1]))[0]["recording"] == str(made.folder)
    assert await client.hover(uri, 0, 0) is None


async def test_hover_on_other_lines_of_a_compiled_function(client, made, script):
    """What lines became with torch's own kernels is in test_fixing; here it is where nothing is said."""
    uri = client.open(script)
    await opened(client, made)
    assert "**Runs in Python**: the graph ends on this line." in (await client.hover(uri, BREAK_LINE, 1)).contents.value
    assert "Not run in this trace" in (await client.hover(uri, BREAK_LINE + 1, 12)).contents.value
    lines = SCRIPT.split("\n")
    elsewhere = ("import torch", "@torch.compile", "def step(x, sigma):", "    return x", "for n in range(3):", "")
    for text in elsewhere:
        assert await client.hover(uri, lines.index(text), 2) is None, text
    client.edit(uri, 2, BREAK_LINE + 1, (8, 8), "x = 1; ")
    assert await client.hover(uri, BREAK_LINE + 1, 12) is None, "the line changed"
    client.edit(uri, 3, 0, (0, 0), "import os\n")
    assert "Not run in this trace" not in str(await client.hover(uri, BREAK_LINE + 2, 12))
    assert await client.hover(uri, BREAK_LINE + 3, 5) is not None, "the line only moved"


async def test_hover_on_a_recompile(client, made, script):
    uri = client.open(script)
    await opened(client, made)
    text = (await client.hover(uri, 5, 10)).contents.value
    assert re.search(r"\| 1 \| `[^|]*sigma[^|]*1\.0` \| `1\.0` → `0\.5` \| \[line 17\]\(file://[^)]*#L17\) \|", text)
    assert "compileId%22%3A%220%2F1" in text


async def test_hostile_text_never_becomes_a_link(client, workspace, script):
    evil = "[run](command:workbench.action.terminal.new) <a href='command:x'>x</a> | `` ` ``"
    made = Made(workspace / ".compilescope" / "20261129-150000", script)
    made.graph_break(reason=evil, gb_type=evil, explanation=evil, hints=[evil], context=evil, gb_id=None)
    made.compile("0/0", function=evil).recompile("0/1", evil, evil).compile("0/1", function=evil).end()
    uri = client.open(script)
    await opened(client, made)
    for line, column in ((BREAK_LINE, BREAK_START + 2), (5, 10)):
        text = (await client.hover(uri, line, column)).contents.value
        outside = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", text)
        live = re.findall(r"(?<!\\)\]\((command:[^)?]*)", outside)
        assert all(one.startswith("command:compilescope.") for one in live)
        assert not re.search(r"(?<!\\)<(?!/?span)", outside)


async def test_lenses(client, made, script):
    uri = client.open(script)
    before = await client.lenses(uri)
    assert [(one.range.start.line, one.command.title) for one in before] == [
        (3, "Compile and Trace"),
        (11, "Compile and Trace"),
    ]
    await opened(client, made)
    assert client.lens_refreshes
    after = [(one.range.start.line, one.command.title, one.command.command) for one in await client.lenses(uri)]
    assert after[0][:2] == (3, "3 graphs · 1 break · 1 recompile · 1.1 s · compiled 67 %")
    assert after[1:] == [
        (3, "Trace again", "compilescope.trace"),
        (3, "Graph", "compilescope.showGraph"),
        (3, "Passes", "compilescope.showPasses"),
        (3, "Recompiles", "compilescope.showRecompiles"),
        (11, "Compile and Trace", "compilescope.trace"),
    ]


async def test_a_lens_names_the_line_to_blame_where_it_is_now(client, tmp_path, script):
    skipped = Made(tmp_path / "skipped", script).graph_break(kind="frame-skipped")
    ids = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
    code = {"co_name": "step", "co_filename": str(script), "co_firstlineno": 4, "has_guarded_code": False}
    skipped._writer.append({"dynamo_start": {"stack": []}, **ids}, None, "torch/_dynamo/made.py:1")
    skipped._writer.append(
        {"compilation_metrics": {"compile_id": "0/0", **code}, **ids}, None, "torch/_dynamo/made.py:2"
    )
    uri = client.open(script)
    await opened(client, skipped.end())
    assert (await client.lenses(uri))[0].command.title == f"0 graphs · runs in eager because of line {CONDITION[0] + 1}"
    client.edit(uri, 2, 0, (0, 0), "# new\n# lines\n")
    lens = (await client.lenses(uri))[0]
    assert lens.range.start.line == 5
    assert lens.command.title == f"0 graphs · runs in eager because of line {CONDITION[0] + 3}"


async def test_lenses_while_the_text_is_no_python(client, script):
    uri = client.open(script)
    assert len(await client.lenses(uri)) == 2
    client.edit(uri, 2, 4, (0, 0), "def (")
    assert len(await client.lenses(uri)) == 2


async def test_the_runs_view(client, made, workspace):
    (workspace / ".compilescope").mkdir()
    made.folder = made.folder.rename(workspace / ".compilescope" / made.folder.name)
    runs = (await client.ask("compilescope/runs")).runs
    (run,) = runs
    assert (run.recording, run.status, run.graphs, run.breaks, run.recompiles) == (
        str(made.folder),
        "finished",
        3,
        1,
        1,
    )
    detail = await client.ask("compilescope/runDetail", recording=run.recording)
    (function,) = detail.functions
    assert (function.name, function.line, function.graphs, function.recompiles) == ("step", 4, 3, 1)
    labels = [one.label for one in function.compiles]
    assert labels == ["0/0", "1/0  after line 7", "0/1  sigma 1.0 → 0.5"]
    assert {one.rule for one in detail.findings} == {"graph-break", "recompile"}


@pytest.fixture
def gone():
    """A process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process


async def test_a_run_whose_end_nobody_wrote_down(client, workspace, script, gone):
    for name, pid in (("20261129-160000", gone.pid), ("20261129-170000", os.getpid())):
        Made(workspace / ".compilescope" / name, script, status="running").end(pid=pid, exit_code=None)
    runs = {Path(run.recording).name: run.status for run in (await client.ask("compilescope/runs")).runs}
    assert runs == {"20261129-160000": "killed", "20261129-170000": "running"}


async def test_the_status(client, made):
    await opened(client, made)
    status = await client.until(lambda: client.texts("compilescope/status"))
    assert status[-1].text == "$(telescope) 1 break · 1 recompile"
    assert status[-1].state == "idle"
