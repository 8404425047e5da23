"""What a run changed about the findings of the run before it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from compilescope.analysis.model import Position, Range
from compilescope.lsp.difference import difference
from compilescope.lsp.shown import Found, Shown, ShownFindings

from .test_cards import finding
from .test_shown import lines, result

FILE = "/project/a.py"
TEXT = "a\nb\nc\nd\ne\n"


def at(line, **changes):
    return finding(file=FILE, range=Range(Position(line, 0), Position(line, 1)), **changes)


def compare(before, after, text=TEXT, depth="full"):
    shown = [Shown("/rec/1", one, {FILE: TEXT}) for one in before]
    found = result(*after)
    found.run.depth = depth
    return difference(shown, Found("/rec/2", found, {FILE: text})).words


@pytest.mark.parametrize(
    ("before", "after", "text", "words"),
    [
        ([at(1), at(2)], [at(1)], TEXT, "1 fixed, nothing new"),
        ([at(1)], [at(1), at(3)], TEXT, "nothing fixed, 1 new"),
        ([at(1), at(2)], [at(4)], TEXT, "2 fixed, 1 new"),
        ([at(1)], [at(3)], "x\ny\n" + TEXT, "nothing fixed, nothing new"),  # its line moved
        ([at(1)], [at(1)], TEXT.replace("b", "b!"), "nothing fixed, nothing new"),  # it was edited in vain
        ([at(1)], [], TEXT.replace("b\n", ""), "1 fixed, nothing new"),
        ([at(1), at(2)], [at(1)], TEXT.replace("b", "b!"), "1 fixed, nothing new"),
        ([at(1, rule="frame-skipped")], [at(1)], TEXT, "nothing fixed, nothing new"),
        ([at(1, rule="fallback-op", severity="hint")], [], TEXT, "nothing fixed, nothing new"),
    ],
)
def test_fixed_and_new(before, after, text, words):
    assert compare(before, after, text) == words


def test_a_run_that_stopped_at_capture_says_nothing_of_what_comes_after_it():
    slow = at(2, rule="slow-compile", severity="information", stage="compile")
    assert compare([at(1), slow], [], depth="capture") == "1 fixed, nothing new"
    assert compare([at(1), slow], []) == "2 fixed, nothing new"
    shown = ShownFindings()
    shown.update("/rec/1", result(at(1), slow), {})
    capture = result(at(3))
    shown.update("/rec/2", replace(capture, run=replace(capture.run, depth="capture")), {})
    assert lines(shown) == [2, 3], "what only a full trace can find stays"
    shown.update("/rec/3", result(at(3)), {})
    assert lines(shown) == [3]
