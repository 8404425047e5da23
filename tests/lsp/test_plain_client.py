"""A client that is not our extension: the same findings, nothing that it can't understand."""

from __future__ import annotations

import re
import sys

import pytest
from lsprotocol import types
from pytest_lsp import client_capabilities

from .made import CONDITION


@pytest.fixture
def options():
    return None


@pytest.fixture
def capabilities():
    return client_capabilities("neovim")


async def test_it_is_not_offered_what_it_did_not_ask_for(client, made, script):
    uri = client.open(script)
    params = types.ExecuteCommandParams("compilescope.server.openRecording", [{"path": str(made.folder)}])
    result = await client.workspace_execute_command_async(params)
    assert result["findings"] == 2
    assert {one.code for one in client.diagnostics[uri]} == {"GB0170", "recompile"}
    assert client.notified == []
    with pytest.raises(Exception, match="codeLens"):
        await client.lenses(uri)
    for line, column in ((CONDITION[0], CONDITION[1]), (5, 10)):
        text = (await client.hover(uri, line, column)).contents.value
        assert not re.search(r"command:|\$\(|<span|&nbsp;|file://", text)
        assert "**Why.**" in text


async def test_anywhere_on_the_line_is_near_enough_for_a_cursor(client, made, script):
    uri = client.open(script)
    await client.ask("compilescope/openRecording", path=str(made.folder))
    assert "The graph ends here" in (await client.hover(uri, CONDITION[0], 0)).contents.value


async def test_a_problem_is_said_in_a_message(client, workspace):
    arguments = [{"script": str(workspace / "nothing.py"), "python": sys.executable}]
    await client.workspace_execute_command_async(types.ExecuteCommandParams("compilescope.server.trace", arguments))
    (message,) = client.messages
    assert message.type == types.MessageType.Error
    assert "no such file" in message.message


async def test_a_command_that_makes_no_sense_is_refused(client):
    with pytest.raises(Exception, match="must be an object"):
        await client.workspace_execute_command_async(
            types.ExecuteCommandParams("compilescope.server.trace", ["train.py"])
        )
    assert (await client.ask("compilescope/cancel")).count == 0
