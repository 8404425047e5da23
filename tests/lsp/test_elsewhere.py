"""A log of another machine in the editor: the guess, the setting, the line that changed, and what the log has."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.shared import foreign_log
from tests.shared.foreign_log import MODEL

THERE = "/job/src"


@pytest.fixture
def log(tmp_path):
    return foreign_log.write(tmp_path / "log", THERE)


@pytest.fixture
def model(workspace):
    return foreign_log.program(workspace / "code") / "pkg" / "model.py"


def guesses(client):
    return client.texts("compilescope/pathGuess")


async def set_mapping(client, *pairs):
    mappings = [{"there": there, "here": str(here)} for there, here in pairs]
    return (await client.ask("compilescope/setPathMappings", mappings=mappings)).count


async def test_the_guess_is_asked_once_and_what_is_set_is_used_at_once(client, log, model, workspace):
    await client.ask("compilescope/openRecording", path=str(log))
    (guess,) = await client.until(lambda: guesses(client))
    assert guess.recording == str(log)
    (one,) = guess.candidates
    assert (one.there, one.here, one.files, one.agree, one.compared) == (THERE, str(workspace / "code"), 2, 4, 4)
    assert model.as_uri() not in client.diagnostics
    await client.ask("compilescope/openRecording", path=str(log))
    assert await set_mapping(client, (THERE, "code"))
    (found,) = await client.until(lambda: client.diagnostics.get(model.as_uri()))
    assert found.code == "GB0059"
    assert (found.range.start.line, found.range.start.character) == (5, 4)
    assert found.message.endswith("between two graphs.")
    assert [one.location.uri for one in found.related_information] == [(model.parent.parent / "train.py").as_uri()] * 2
    hover = await client.hover(model.as_uri(), 5, 6)
    assert "The graph ends here" in hover.contents.value
    detail = await client.ask("compilescope/runDetail", recording=str(log))
    assert {one.file for one in detail.functions} == {str(model)}
    assert len(guesses(client)) == 1
    assert not await set_mapping(client, (THERE, "code"))
    assert await set_mapping(client)
    await client.until(lambda: not client.diagnostics[model.as_uri()])


async def test_of_two_places_both_are_told(client, log, workspace):
    for name in ("code", "copy"):
        foreign_log.program(workspace / name)
    await client.ask("compilescope/openRecording", path=str(log))
    (guess,) = await client.until(lambda: guesses(client))
    assert {one.here for one in guess.candidates} == {str(workspace / "code"), str(workspace / "copy")}


async def test_a_line_that_is_not_that_of_the_log_is_a_hint_that_says_so(client, log, model):
    model.write_text(MODEL.replace('print("norm", y.shape)', "y = y + 1"))
    await set_mapping(client, (THERE, "code"))
    await client.ask("compilescope/openRecording", path=str(log))
    (found,) = await client.until(lambda: client.diagnostics.get(model.as_uri()))
    assert found.severity == 4
    assert found.message.endswith('(not the line that ran: print("norm", y.shape))')
    hover = await client.hover(model.as_uri(), 5, 6)
    assert 'This is not the line that ran. The log has here: `print("norm", y.shape)`' in hover.contents.value


async def test_what_the_log_has_of_a_file(client, log):
    await client.ask("compilescope/openRecording", path=str(log))
    found = await client.ask("compilescope/logSource", recording=str(log), file=f"{THERE}/pkg/model.py")
    assert (found.known, found.whole) == (2, False)
    lines = found.text.split("\n")
    assert lines[:6] == ["# lines 1 to 4 are not in the log", "", "", "", "y = x * 2", 'print("norm", y.shape)']
    none = await client.ask("compilescope/logSource", recording=str(log), file="/job/src/other.py")
    assert (none.known, none.whole) == (0, False)


async def test_a_recording_of_ours_has_all_of_a_file(client, made, script):
    await client.ask("compilescope/openRecording", path=str(made.folder))
    found = await client.ask("compilescope/logSource", recording=str(made.folder), file=str(script))
    assert found.whole
    assert found.text == script.read_text()


class TestOtherEditors:
    @pytest.fixture
    def options(self):
        return {"pathMappings": [{"from": THERE, "to": "code"}, {"from": 3}, None]}

    async def test_the_mapping_is_an_option(self, client, log, model):
        arguments = [{"path": str(log)}]
        await client.workspace_execute_command_async(
            types.ExecuteCommandParams("compilescope.server.openRecording", arguments)
        )
        assert await client.until(lambda: client.diagnostics.get(model.as_uri()))
