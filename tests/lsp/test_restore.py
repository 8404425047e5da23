"""A server that starts in a workspace with recordings: what they found is on show again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lsprotocol import types

from .made import CONDITION, SCRIPT, Made

LINE, START, END = CONDITION


@pytest.fixture
def record(workspace):
    """Makes recordings in the workspace, one each minute."""
    made = []

    def record(script: Path, **options) -> Made:
        minute = 10 + len(made)
        started = f"2026-11-29T13:{minute}:00+00:00"
        made.append(Made(workspace / ".compilescope" / f"20261129-13{minute}00", script, started=started, **options))
        return made[-1]

    return record


async def broken(client, script):
    """The break of the script, once it is on show."""
    (found,) = await client.until(lambda: client.diagnostics.get(script.as_uri()))
    assert found.code == "GB0170"
    return found


def idle(client):
    texts = [one.text for one in client.texts("compilescope/status") if one.state == "idle"]
    return texts[-1] if texts else None


async def test_all_of_a_run_is_back(record, another_server, script):
    made = record(script).graph_break().compile("0/0").end()
    async with another_server() as client:
        found = await broken(client, script)
        assert found.range == types.Range(types.Position(LINE, START), types.Position(LINE, END))
        assert found.severity == types.DiagnosticSeverity.Warning
        assert found.data["recording"] == str(made.folder)
        assert await client.until(lambda: idle(client)) == "$(telescope) 1 break"
        uri = client.open(script)
        assert "The graph ends here" in (await client.hover(uri, LINE, START)).contents.value
        assert (await client.lenses(uri))[0].command.title.startswith("1 graph · 1 break")
        assert client.lens_refreshes


async def test_findings_are_where_their_line_is_today(record, another_server, script):
    record(script).graph_break().compile("0/0").end()
    script.write_text("# a line that was not there\n" + SCRIPT)
    async with another_server() as client:
        assert (await broken(client, script)).range.start == types.Position(LINE + 1, START)
    script.write_text(SCRIPT.replace("h.max() > 1.0", "h.max() > 2.0"))
    async with another_server() as client:
        assert (await broken(client, script)).severity == types.DiagnosticSeverity.Hint


async def test_only_the_newest_run_of_each_script_counts(record, another_server, workspace, script):
    other = workspace / "other.py"
    other.write_text(SCRIPT)
    record(script).graph_break().compile("0/0").end()
    record(other).graph_break().compile("0/0").end()
    record(script).compile("0/0").end()
    async with another_server() as client:
        await broken(client, other)
        assert script.as_uri() not in client.diagnostics
        assert idle(client) == "$(telescope) 1 graph"


@pytest.mark.parametrize("ending", [{"status": "killed", "exit_code": -11}, {"status": "cancelled", "exit_code": -2}])
async def test_a_run_that_did_not_come_to_its_end_disproves_nothing(record, another_server, script, ending):
    record(script).graph_break().compile("0/0").end()
    newest = record(script).recompile("0/1", "1.0", "0.5").compile("0/1").end(**ending)
    async with another_server() as client:
        found = await client.until(lambda: client.diagnostics.get(script.as_uri()))
        assert {one.code for one in found} == {"GB0170", "recompile"}
        assert {one.data["recording"] for one in found if one.code == "recompile"} == {str(newest.folder)}


async def test_a_run_that_goes_on_elsewhere_is_left_alone(record, another_server, script):
    record(script).graph_break().compile("0/0").end()
    record(script, status="running").recompile("0/1", "1.0", "0.5").end(pid=os.getpid(), exit_code=None)
    async with another_server() as client:
        await broken(client, script)


async def test_what_was_cleared_stays_away_until_it_is_opened(record, another_server, workspace, script):
    made = record(script).graph_break().compile("0/0").end()
    async with another_server() as client:
        await broken(client, script)
        assert not (await client.ask("compilescope/runs")).runs[0].cleared
        assert (await client.ask("compilescope/clear")).count == 1
        assert not client.diagnostics[script.as_uri()]
        assert (await client.ask("compilescope/runs")).runs[0].cleared
    later = workspace / "later.py"
    later.write_text(SCRIPT)
    # Older by name, so that it is looked at last; it ended after the findings were cleared.
    Made(
        workspace / ".compilescope" / "20261129-100000", later, started="2026-11-29T10:00:00+00:00"
    ).graph_break().end()
    async with another_server() as client:
        await broken(client, later)
        assert script.as_uri() not in client.diagnostics
        cleared = {run.script: run.cleared for run in (await client.ask("compilescope/runs")).runs}
        assert cleared == {str(script): True, str(later): False}
        await client.ask("compilescope/openRecording", path=str(made.folder))
        await broken(client, script)
        assert not any(run.cleared for run in (await client.ask("compilescope/runs")).runs)


async def test_a_recording_that_is_no_good_does_not_keep_the_others_away(record, another_server, workspace, script):
    record(script).graph_break().compile("0/0").end()
    for number, content in enumerate(("", "[]", '{"command": 7, "cwd": [], "started": {}, "status": 1}')):
        folder = workspace / ".compilescope" / f"20261129-14000{number}"
        folder.mkdir()
        (folder / "run.json").write_text(content)
        (folder / "dedicated_log_torch_trace_1_x.log").write_text("no log\n")
    async with another_server() as client:
        await broken(client, script)
        assert (await client.ask("compilescope/runs")).runs


async def test_a_newer_run_of_this_session_is_never_replaced(record, another_server, tmp_path, script):
    record(script).graph_break().compile("0/0").end()
    fixed = Made(tmp_path / "fixed", script).compile("0/0").end()
    async with another_server() as client:
        await client.ask("compilescope/openRecording", path=str(fixed.folder))
        await client.ask("compilescope/runs")
        await client.until(lambda: idle(client) == "$(telescope) 1 graph")
        assert not client.diagnostics.get(script.as_uri())


async def test_what_was_opened_from_elsewhere_is_back(another_server, options, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    script = elsewhere / "step.py"
    script.write_text(SCRIPT)
    made = Made(elsewhere / "job", script, started="2026-11-29T10:00:00+00:00").graph_break().compile("0/0").end()
    options["recordings"] = [str(tmp_path / "gone"), str(made.folder), 7]
    async with another_server() as client:
        assert (await broken(client, script)).data["recording"] == str(made.folder)
        assert await client.until(lambda: idle(client)) == "$(telescope) 1 break"
        assert [run.recording for run in (await client.ask("compilescope/runs")).runs] == [str(made.folder)]
