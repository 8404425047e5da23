"""Carets are under the marked text on a terminal, whatever the line holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from compilescope.analysis.model import Position, Range
from compilescope.report.snippet import snippet
from compilescope.report.style import Style

PLAIN = Style(Path("/w"))


def marked(line: str, what: str) -> Range:
    """The range of `what` in `line`, in UTF-16 units, on the first line."""
    start = len(line[: line.index(what)].encode("utf-16-le")) // 2
    return Range(Position(0, start), Position(0, start + len(what.encode("utf-16-le")) // 2))


def drawn(line: str, what: str, columns: int = 100, label: str = "") -> list[str]:
    return snippet([line], marked(line, what), label, severity="warning", context=0, columns=columns, style=PLAIN)


# The columns are those that Unicode's East Asian Width property gives: wide and fullwidth take two.
@pytest.mark.parametrize(
    ("line", "what", "column", "width"),
    [
        ("x = f(a) + 1", "f(a)", 4, 4),
        ("\tx = f(a)", "f(a)", 8, 4),
        ("  \tf(a)", "f(a)", 4, 4),
        ("s = '日本語'; f(a)", "f(a)", 14, 4),
        ("s = '日本語'", "'日本語'", 4, 8),
        ("s = '🔥'; f(a)", "f(a)", 10, 4),
        ("s = 'e\u0301'; f(a)", "f(a)", 9, 4),
        ("名前\t= f(a)", "f(a)", 10, 4),
        ("\tx = 1\t# t", "# t", 12, 3),
    ],
)
def test_carets_stand_under_the_text(line, what, column, width):
    _, source, carets, _ = drawn(line, what)
    assert carets == "  | " + " " * column + "^" * width
    assert "\t" not in source


def test_an_empty_range_gets_one_caret():
    lines = snippet(
        ["pass"], Range(Position(0, 0), Position(0, 0)), "", severity="error", context=0, columns=80, style=PLAIN
    )
    assert lines[2] == "  | ^"


def test_a_range_past_the_file_draws_nothing():
    range_ = Range(Position(5, 0), Position(5, 3))
    assert snippet(["pass"], range_, "x", severity="error", context=0, columns=80, style=PLAIN) == []


def test_a_line_that_nobody_knows_draws_nothing():
    lines = ["", "y = x.item()"]
    range_ = Range(Position(0, 0), Position(0, 0))
    assert snippet(lines, range_, "x", severity="error", context=1, columns=80, style=PLAIN) == []


def test_several_lines_are_marked_without_their_indentation():
    source = ["def f():", "    y = g(", "        a,", "    )", "    return y"]
    range_ = Range(Position(1, 8), Position(3, 5))
    assert snippet(source, range_, "here", severity="warning", context=1, columns=80, style=PLAIN) == [
        "  |",
        "1 | def f():",
        "2 |     y = g(",
        "  |         ^^",
        "3 |         a,",
        "  |         ^^",
        "4 |     )",
        "  |     ^ here",
        "5 |     return y",
        "  |",
    ]


def test_a_long_range_is_cut():
    source = ["f(", *("    a," for _ in range(20)), ")"]
    lines = snippet(
        source, Range(Position(0, 0), Position(21, 1)), "here", severity="warning", context=0, columns=80, style=PLAIN
    )
    assert len(lines) == 11
    assert lines[-2].endswith("18 more lines")
    assert lines[-3].endswith("^^ here")


@pytest.mark.parametrize("before", ["x" * 150 + " = ", "'日本語'" * 30 + "; "])
def test_a_long_line_is_cut_around_the_marked_part(before):
    _, source, carets, _ = drawn(before + "f(a) + " + "y" * 80, "f(a)", columns=60)
    assert source[: len("1 | ...")] == "1 | ..."
    assert source.endswith("...")
    assert "f(a)" in source
    wide = sum(character in "日本語" for character in source[: source.index("f(a)")])
    assert carets.index("^") == source.index("f(a)") + wide
    assert carets.count("^") == 4
    assert len(source) + sum(character in "日本語" for character in source) <= 60


def test_control_characters_do_not_reach_the_terminal():
    line = "s = '\x1b]0;owned\x07'; f(a)"
    _, source, carets, _ = drawn(line, "f(a)")
    assert "\x1b" not in source
    assert carets.index("^") == source.index("f(a)")


def test_a_label_without_room_goes_below():
    _, _, carets, *label, _ = drawn("    return model(x)", "model(x)", columns=50, label="word " * 14)
    assert carets == "  |            ^^^^^^^^"
    assert len(label) > 1
    assert all(len(line) <= 50 for line in label)
    assert " ".join(" ".join(line[3:].split()) for line in label) == ("word " * 14).strip()
