"""What a position is in the middle of."""

from __future__ import annotations

import pytest
from compilescope.analysis.facts import Frame
from compilescope.analysis.sources import Source
from compilescope.analysis.surroundings import around, branch_kind

TEXT = """\
def run(x, flag):
    z = x.max().item() if x.any() else x.gain
    assert x.sum() > 0
    while flag:
        for t in range(3): y = t + 1
    if x.isnan().any():
        raise ValueError
    if x.min() > 0 and (
        x.max() < 1
    ):
        x = x + 1
    both = x.min() > 1 and x.max() < 2
    none = not x.all()
    some = [t for t in x if t > 3]
    with open(name) as file:
        y = x[:n]
    try:
        y = x.tolist()
        z = lambda k: k.item()
    except ValueError:
        y = -x
    return x.gain

def rounds(x):
    while True:
        if x.sum() > 1:
            x = x + 1
            break
        if x.sum() > 2:
            break
        else:
            x = x * 2
"""
SOURCE = Source(TEXT)


def place(text, line):
    """The frame of a piece of text on a line."""
    col = SOURCE.lines[line - 1].index(text)
    return Frame("a.py", line, "run", line, col, col + len(text))


@pytest.mark.parametrize(
    ("text", "line", "kind"),
    [
        ("x.any()", 2, "if"),
        ("x.sum() > 0", 3, "assert"),
        ("flag", 4, "while"),
        ("y = t + 1", 5, None),
        ("x.isnan().any()", 6, "raise"),
        ("x.min() > 0", 8, "if"),
        ("x.max() < 1", 9, "if"),
        ("x.min() > 1", 12, "and"),
        ("not x.all()", 13, "not"),
        ("t > 3", 14, "if"),
        ("x.gain", 22, None),
        ("x.sum() > 1", 26, "break"),
        ("x.sum() > 2", 29, "if"),
    ],
)
def test_branch_kind(text, line, kind):
    assert branch_kind(SOURCE, place(text, line)) == kind


def test_branch_kind_without_columns():
    assert branch_kind(SOURCE, Frame("a.py", 3)) == "assert"
    assert branch_kind(None, Frame("a.py", 3)) is None


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("x.any()", 2, None),
        ("x.gain", 2, "attribute"),
        ("range(3)", 5, "for"),
        ("raise ValueError", 7, "raise"),
        ("not x.all()", 13, "operator"),
        ("[t for t in x if t > 3]", 14, "comprehension"),
        ("open(name)", 15, "with"),
        (":n", 16, "index"),
        ("x.tolist()", 18, "try"),
        ("k.item()", 19, None),
        ("-x", 21, "try"),
        ("return x.gain", 22, "return"),
    ],
)
def test_around(text, line, what):
    assert around(SOURCE, place(text, line)) == what
