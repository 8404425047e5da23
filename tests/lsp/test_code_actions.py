"""Code actions: which, in which order, and whether their edits fit the text of now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from compilescope.analysis.model import Edit, Fix, Position, Range
from compilescope.lsp.client import COMMANDS, Client
from compilescope.lsp.code_actions import code_actions
from compilescope.lsp.documents import Documents
from compilescope.lsp.fixing import Chosen, apart, edits_now
from compilescope.lsp.session import Session, Wire
from compilescope.lsp.shown import Found, Shown
from lsprotocol import types
from pygls.workspace import Workspace

from .test_cards import finding
from .test_shown import result

TEXT = "import torch\n\n\ndef f(x):\n    if x.max() > 1:\n        x = x + 1\n    print(x)\n    return x\n"
VSCODE = Client(vscode=True, action_literals=True, versioned_edits=True, apply_edit=True, commands=COMMANDS)
OTHER = Client(action_literals=True, versioned_edits=True, apply_edit=True)


async def _nothing(*_):
    raise AssertionError("nothing is applied here")


def span(line, start, end_line, end):
    return Range(Position(line, start), Position(end_line, end))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(TEXT)
    return path


@pytest.fixture
def findings(file):
    """A break on line 4 (from 0) with two fixes and one in another file, and a print on line 6."""
    name, other = str(file), str(file.parent / "b.py")
    ignore = Fix("Ignore GB0170 on this line", [Edit(name, span(4, 19, 4, 19), "  # ignore")], kind="ignore")
    where = Fix("Write the if as torch.where", [Edit(name, span(4, 4, 5, 17), "x = torch.where()")], preferred=True)
    both = Fix("NumPy goes", [Edit(name, span(0, 0, 0, 0), "import a\n"), Edit(other, span(0, 0, 0, 1), "y")])
    leave = Fix("Leave the print out", [Edit(name, span(6, 4, 6, 4), "pass  # ")])
    branch = finding(file=name, range=span(4, 7, 4, 18), code="GB0170", href=None, fixes=[where, both, ignore])
    return [branch, finding(file=name, range=span(6, 4, 6, 12), fixes=[leave])]


@pytest.fixture
def session_for(file, findings):
    def make(client, text=TEXT):
        (file.parent / "b.py").write_text("x = 1\n")
        workspace = Workspace(None)
        workspace.put_text_document(types.TextDocumentItem(file.as_uri(), "python", 7, text))
        nothing = [lambda *_: None] * 4
        session = Session(client, Documents(workspace), Wire(*nothing, list, _nothing, _nothing))
        session.documents.opened(file.as_uri())
        found = result(*findings, command=(str(file),))
        session.show(Found("/rec", found, {str(file): TEXT, str(file.parent / "b.py"): "x = 1\n"}))
        return session

    return make


def at(session, file: Path, line: int, only=None, diagnostics=()):
    place = types.Range(types.Position(line, 5), types.Position(line, 5))
    context = types.CodeActionContext(diagnostics=list(diagnostics), only=only)
    return code_actions(session, types.CodeActionParams(types.TextDocumentIdentifier(file.as_uri()), place, context))


def titles(actions):
    return [one.title for one in actions]


def test_they_are_offered_in_the_order_of_their_use(session_for, file):
    actions = at(session_for(VSCODE), file, 4)
    assert titles(actions) == [
        "Fix and verify: write the if as torch.where",
        "Write the if as torch.where",
        "NumPy goes",
        "Fix and verify all 2 findings in this file",
        "Ignore GB0170 on this line",
        "Explain GB0170",
    ]
    assert [one.title for one in actions if one.is_preferred] == ["Fix and verify: write the if as torch.where"]
    assert actions[0].command.command == "compilescope.fixAndVerify"
    (choice,) = actions[0].command.arguments[0]["fixes"]
    assert choice == {
        "file": str(file),
        "line": 4,
        "character": 7,
        "code": "GB0170",
        "fix": "Write the if as torch.where",
    }
    assert len(actions[3].command.arguments[0]["fixes"]) == 2
    assert {one.kind for one in actions[:5]} == {types.CodeActionKind.QuickFix}
    assert actions[5].kind == types.CodeActionKind.Empty  # More Actions…


def test_a_finding_can_be_copied_where_the_client_can(session_for, file):
    client = replace(VSCODE, commands=COMMANDS | {"copyMarkdown"})
    last = at(session_for(client), file, 4)[-1]
    assert (last.title, last.command.command) == ("Copy as Markdown", "compilescope.copyMarkdown")
    finding = {"rule": "graph-break", "file": str(file), "line": 4, "character": 7}
    assert last.command.arguments == [{"recording": "/rec", "finding": finding}]
    assert last.kind == types.CodeActionKind.Empty


def test_edits_say_of_which_version_they_are_in_every_file(session_for, file):
    edit = at(session_for(VSCODE), file, 4)[2].edit
    assert [one.text_document.version for one in edit.document_changes] == [7, None]
    assert edit.document_changes[1].text_document.uri.endswith("/b.py")


def test_what_the_client_asks_for(session_for, file):
    session = session_for(VSCODE)
    assert at(session, file, 4, only=[types.CodeActionKind.Refactor]) == []
    assert at(session, file, 2) == []
    assert at(session, file, 6, only=["quickfix"])[0].title.startswith("Fix and verify: ")
    place = types.Range(types.Position(6, 4), types.Position(6, 12))
    own = types.Diagnostic(place, "m", code="GB0059", source="compilescope")
    others = replace_source(own)
    assert at(session, file, 6, diagnostics=[others, own])[0].diagnostics == [own]


def replace_source(diagnostic):
    return types.Diagnostic(diagnostic.range, "m", code="GB0059", source="ruff")


def test_other_clients_are_offered_what_they_can_do(session_for, file):
    actions = at(session_for(OTHER), file, 4)
    assert titles(actions) == ["Write the if as torch.where", "NumPy goes", "Ignore GB0170 on this line"]
    assert [one.title for one in actions if one.is_preferred] == ["Write the if as torch.where"]
    old = at(session_for(replace(OTHER, action_literals=False, commands=frozenset({"applyFix"}))), file, 4)
    assert {one.command for one in old} == {"compilescope.server.applyFix"}
    assert at(session_for(replace(OTHER, action_literals=False)), file, 4) == []
    plain = at(session_for(replace(OTHER, versioned_edits=False)), file, 4)[1]
    assert len(plain.edit.changes) == 2


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("import torch\n", "import torch\nimport os\n", ["Write the if as torch.where", "NumPy goes", "Ignore GB0170"]),
        ("        x = x + 1\n", "        x = x + 2\n", ["NumPy goes", "Ignore GB0170"]),
        ("import torch\n", "import torch  # !\n", ["Write the if as torch.where", "Ignore GB0170"]),
        ("x.max() > 1", "x.max() > 2", ["NumPy goes"]),
    ],
)
def test_an_edited_line_takes_the_fixes_away_that_touch_it(session_for, file, old, new, left):
    text = TEXT.replace(old, new, 1)
    line = next(number for number, one in enumerate(text.split("\n")) if "if x" in one)
    actions = at(session_for(OTHER, text), file, line)
    assert [one.removesuffix(" on this line") for one in titles(actions)] == left
    if old != new and "os" in new:
        assert actions[0].edit.document_changes[0].edits[0].range.start.line == 5


def test_whole_lines_do_not_touch_the_line_below():
    edits = [Edit("a", span(1, 0, 2, 0), "")]
    assert edits_now(edits, {"a": "x\ny\nz\n"}, lambda _: "x\ny\nZ\n") == edits
    assert edits_now(edits, {"a": "x\ny\nz\n"}, lambda _: "x\nY\nz\n") is None
    assert edits_now(edits, {"a": "x\ny\nz\n"}, lambda _: None) is None


def test_fixes_that_touch_are_not_made_together(findings):
    shown = [Shown("/rec", one, {}) for one in findings]
    all_ = [Chosen(item, fix) for item in shown for fix in item.finding.fixes]
    assert [one.fix.title for one in apart(all_)] == [
        "Write the if as torch.where",
        "NumPy goes",
        "Leave the print out",
    ]
