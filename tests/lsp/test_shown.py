"""Which findings are on show after one run and another."""

from __future__ import annotations

import pytest
from compilescope.analysis.model import Compile, Position, Range, Refusal, Result, Run
from compilescope.lsp import paths
from compilescope.lsp.shown import ShownFindings, place, script_of

from .test_cards import finding

TEXT = "import torch\n\n\ndef f(x):\n    y = x\n    print(y)\n"
COMPILED = Compile("0/0", "f", "/project/a.py", 4, "ok", 1, {}, {}, 1, None)


def result(*found, status="finished", exit_code=0, compiles=(COMPILED,), command=("a.py",)):
    run = Run(list(command), "/work", None, None, exit_code, 1.0, "/rec", "full", [], [], status)
    return Result(run, list(found), list(compiles), [], [], {})


def at(line, **changes):
    return finding(file="/project/a.py", range=Range(Position(line, 4), Position(line, 9)), **changes)


def lines(shown):
    found = shown.by_file().get(paths.key("/project/a.py"), [])
    return sorted(one.finding.range.start.line for one in found)


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (result(at(2)), [2]),
        (result(), []),
        (result(at(2), exit_code=1), [2]),
        (result(status="running"), [1]),
        (result(at(2), status="running"), [1, 2]),
        (result(at(1), status="running"), [1]),
        (result(at(2), status="killed", exit_code=-11), [1, 2]),
        (result(status="cancelled"), [1]),
        (result(exit_code=1, compiles=()), [1]),
        (result(at(2), command=("b.py",)), [1, 2]),
        (result(at(2), command=("a.py", "--fast")), [2]),
        (result(at(2), command=("--target", "Net", "a.py")), [1, 2]),
    ],
)
def test_a_second_run(second, expected):
    shown = ShownFindings()
    shown.update("/rec/1", result(at(1)), {})
    shown.update("/rec/2", second, {})
    assert lines(shown) == expected


def test_what_a_running_run_kept_goes_when_it_ends():
    shown = ShownFindings()
    shown.update("/rec/1", result(at(1)), {})
    shown.update("/rec/2", result(at(2), status="running"), {})
    shown.update("/rec/2", result(at(2), status="running"), {})
    assert lines(shown) == [1, 2]
    shown.update("/rec/2", result(at(2)), {})
    assert lines(shown) == [2]


def test_clear():
    shown = ShownFindings()
    shown.update("/rec/1", result(at(1), at(2)), {})
    assert shown.clear() == 2
    assert lines(shown) == []


def test_places_follow_the_text_that_was_traced():
    shown = ShownFindings()
    shown.update("/rec/1", result(at(5)), {"/project/a.py": TEXT})
    (items,) = shown.by_file().values()
    (moved,) = place(items, "# new\n" + TEXT)
    assert (moved.range.start, moved.stale) == (Position(6, 4), False)
    (edited,) = place(items, TEXT.replace("print(y)", "print('ü😀', y)"))
    assert edited.stale
    assert edited.range == Range(Position(5, 4), Position(5, 4 + len("print('ü', y)") + 2))
    assert place(items, TEXT.replace("    print(y)\n", "")) == []


def test_an_edit_within_a_finding_of_several_lines():
    text = "f(\n  1,\n  2,\n)\n"
    shown = ShownFindings()
    several = finding(file="/project/a.py", range=Range(Position(0, 0), Position(3, 1)))
    shown.update("/rec/1", result(several), {"/project/a.py": text})
    (items,) = shown.by_file().values()
    (same,) = place(items, "\n" + text)
    assert (same.range, same.stale) == (Range(Position(1, 0), Position(4, 1)), False)
    (edited,) = place(items, text.replace("2", "3"))
    assert (edited.range.start, edited.stale) == (Position(0, 0), True)


@pytest.mark.parametrize("comment", ["# compilescope: ignore[GB0170]", "# compilescope: ignore"])
def test_a_comment_hides_what_it_names(comment):
    text = "f(\n  1,\n)\ng()\n"
    shown = ShownFindings()
    several = finding(file="/project/a.py", range=Range(Position(0, 0), Position(2, 1)), code="GB0170")
    shown.update("/rec/1", result(several, at(3, code="GB0170")), {"/project/a.py": text})
    (items,) = shown.by_file().values()
    assert [one.range.start.line for one in place(items, text.replace(")\ng", f")  {comment}\ng"))] == [3]
    assert len(place(items, text.replace(")\ng", ")  # compilescope: ignore[GB0001]\ng"))) == 2


def test_a_target_that_could_not_be_called_leaves_what_was_on_show():
    shown = ShownFindings()
    refused = result(exit_code=2, compiles=())
    refused.run.refused = Refusal("bad-inputs", "", "")
    shown.update("/rec/1", result(at(1)), {})
    for update in (result(status="running", compiles=()), refused):
        shown.update("/rec/2", update, {})
        assert lines(shown) == [1]
    assert list(shown.results()) == ["/rec/1"]
    shown.update("/rec/3", result(at(2)), {})
    assert lines(shown) == [2]


@pytest.mark.parametrize(
    ("target", "same"),
    [("Net", True), ("Net(8)", True), ("Net(f(8), 9)", True), ("Net(8).encode", False), ("f", False)],
)
def test_runs_of_one_target(target, same):
    net, other = (script_of(["--target", one, "a.py"], "/work", "/rec") for one in ("Net", target))
    assert (net == other) == same
    assert script_of(["a.py"], "/work", "/rec") not in (net, other)


def test_what_two_runs_found_in_one_place_is_there_once():
    shown = ShownFindings()
    shown.update("/rec/1", result(at(4)), {"/project/a.py": TEXT})
    shown.update("/rec/2", result(at(4), at(5), command=("--target", "f", "a.py")), {"/project/a.py": TEXT})
    placed = place(shown.by_file()[paths.key("/project/a.py")], TEXT)
    assert [(one.range.start.line, one.shown.recording) for one in placed] == [(4, "/rec/2"), (5, "/rec/2")]
