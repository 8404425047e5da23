"""Code actions and hovers of a real run: fix and verify changes the document only when it is proven."""

from __future__ import annotations

import sys

import pytest
from compilescope.analysis.model import Edit, Position, Range
from compilescope.fixes.edits import Edited
from lsprotocol import types

SCRIPT = """\
import torch


@torch.compile
def limit(x):
    \"\"\"Keep it small.\"\"\"
    width = x.shape[0]
    h = (x * 2.0).sin()
    if h.max() > 1.0:
        h = h * 0.5
    return h.sum(-1) * width


def helper(x):
    return x + 1


for _ in range(2):
    limit(torch.ones(4, 8))
"""
SINE, BREAK, RETURN = 7, 8, 10


@pytest.fixture
def options():
    return {"client": "vscode", "python": sys.executable}


@pytest.fixture
def changed(client):
    """Edits that the server asked for; the document's text is changed by them."""
    asked: list[types.ApplyWorkspaceEditParams] = []

    @client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        asked.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    return asked


async def actions(client, uri, line):
    converter = client.protocol._converter

    def structure(value, _):
        """As lsprotocol does, but it takes a code action that has a command for that command."""
        kind = types.Command if isinstance(value.get("command"), str) else types.CodeAction
        return converter.structure(value, kind)

    converter.register_structure_hook(types.Command | types.CodeAction, structure)
    place = types.Range(types.Position(line, 7), types.Position(line, 7))
    context = types.CodeActionContext(diagnostics=list(client.diagnostics.get(uri, ())))
    return await client.text_document_code_action_async(
        types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
    )


def text_after(text: str, edit: types.WorkspaceEdit) -> str:
    (document,) = edit.document_changes
    edits = [
        Edit("", Range(Position(*_at(one.range.start)), Position(*_at(one.range.end))), one.new_text)
        for one in document.edits
    ]
    return Edited(text, edits).after


def _at(position):
    return position.line, position.character


@pytest.mark.torch
async def test_fix_and_verify(client, changed, workspace):
    script = workspace / "limit.py"
    script.write_text(SCRIPT)
    uri = client.open(script)
    run = await client.ask("compilescope/trace", script=str(script))
    assert run.difference is None, "there was no run before"
    assert [one.code for one in client.diagnostics[uri]] == ["GB0170"]
    await _hovers(client, uri)

    offered = await actions(client, uri, BREAK)
    verify, alone = offered[:2]
    assert verify.title == f"Fix and verify: {alone.title[0].lower()}{alone.title[1:]}"
    assert (verify.is_preferred, alone.is_preferred) == (True, None)
    assert offered[-1].title == "Explain GB0170"
    assert verify.diagnostics[0].code == "GB0170"
    expected = text_after(SCRIPT, alone.edit)
    assert compile(expected, "limit.py", "exec")

    fixed = await client.ask("compilescope/fixAndVerify", **verify.command.arguments[0], python=sys.executable)
    assert (fixed.status, fixed.problem) == ("applied", None), fixed
    assert fixed.message.startswith("Break gone, outputs equal")
    assert fixed.note.startswith("break gone · outputs equal (δ_max ")
    (file,) = fixed.files
    assert (file.before, file.after) == (SCRIPT, expected)
    (asked,) = changed
    assert text_after(SCRIPT, asked.edit) == expected
    assert asked.edit.document_changes[0].text_document.version == 1
    assert not client.diagnostics[uri], "what was traced with the fix is on show"
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, uri), [types.TextDocumentContentChangeWholeDocument(expected)]
        )
    )
    assert not await actions(client, uri, BREAK)
    assert "**In a graph**" in (await client.hover(uri, SINE, 9)).contents.value
    assert (await client.ask("compilescope/fixAndVerify", **verify.command.arguments[0])).status == "refused"

    again = await client.ask("compilescope/trace", script=str(script), depth="capture")  # on disk it is as it was
    assert again.difference == "nothing fixed, 1 new"
    script.write_text(expected)
    last = await client.ask("compilescope/trace", script=str(script), depth="capture")
    assert last.difference == "1 fixed, nothing new"


async def _hovers(client, uri):
    """What the lines became, in words that torch's kernels decide."""
    sine = (await client.hover(uri, SINE, 12)).contents.value
    assert sine.startswith("$(check) **In a graph** · `h` is `f32[4, 8]` on CPU · compile [`0/0`](command:")
    assert "`sin`](command:" in sine
    assert f"[line {BREAK + 1}]({uri}#L{BREAK + 1})" in sine, "fused with the test"
    test = (await client.hover(uri, BREAK, 2)).contents.value
    assert "**The graph ends on this line.**" in test
    assert "no operation of its own" in (await client.hover(uri, SINE - 1, 6)).contents.value
    summed = (await client.hover(uri, RETURN, 6)).contents.value
    assert "the value is `f32[4]` on CPU" in summed
    for line in (0, 3, 4, 5, 14, 17):
        assert await client.hover(uri, line, 5) is None, line
