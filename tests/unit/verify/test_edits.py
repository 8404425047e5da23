"""Edits made, several fixes at once, and where lines went."""

from __future__ import annotations

import pytest
from compilescope.analysis.model import Edit, Fix, Position, Range
from compilescope.fixes.edits import Edited, edited, merged

from tests.unit.verify.conftest import edit

TEXT = 'x = 1\r\nnäme = "𝄞"; print(x)\r\nif x:\r\n\ty = 2\r\nend()\r\n'


def at(line: int, start: int, end: int) -> Range:
    return Range(Position(line, start), Position(line, end))


def change(old: str, new: str) -> Edit:
    return edit("/a.py", TEXT, old, new)


def test_an_edit_counts_in_utf_16_and_leaves_line_ends():
    text = Edited(TEXT, [Edit("/a.py", at(1, 13, 21), "pass")]).after
    assert text == TEXT.replace("print(x)", "pass")


def test_insertions_at_one_place_stay_in_their_order():
    start = Range(Position(0, 0), Position(0, 0))
    assert Edited("a\n", [Edit("/a.py", start, "1\n"), Edit("/a.py", start, "2\n")]).after == "1\n2\na\n"


def test_the_end_of_a_file_without_a_last_line_end():
    assert Edited("a\nb", [Edit("/a.py", Range(Position(1, 1), Position(2, 0)), "c")]).after == "a\nbc"


@pytest.mark.parametrize(
    ("changes", "line", "became"),
    [
        ([change("x = 1", "x = 1\r\nz = 3")], 2, (3, 3)),  # below: moved
        ([change("end()", "e()\r\nf()")], 2, (2, 2)),  # above: not moved
        ([change("if x:\r\n\ty = 2\r\n", "y = 2\r\n")], 2, (2, 2)),
        ([change("if x:", "if a:\r\n\tif b:")], 2, (2, 3)),
        ([change("print(x)", "if y:\r\n\tprint(x)"), change("x = 1\r\n", "")], 1, (0, 1)),
        ([], 3, (3, 3)),
        ([Edit("/a.py", Range(Position(0, 0), Position(0, 0)), "import torch\r\n")], 0, (0, 1)),
    ],
)
def test_where_a_line_went(changes, line, became):
    assert Edited(TEXT, changes).lines(at(line, 0, 1)) == became


def test_an_import_that_two_fixes_need_is_made_once():
    imported = Edit("/a.py", Range(Position(0, 0), Position(0, 0)), "import torch\r\n")
    one = Fix("1", [imported, change("print(x)", "torch.abs(x)")])
    two = Fix("2", [imported, change("y = 2", "y = torch.ones(2)")])
    kept, edits = merged([one, two])
    assert kept == [one, two]
    assert edited({"/a.py": TEXT}, edits)["/a.py"].after.count("import torch") == 1


def test_of_two_fixes_that_overlap_the_first_is_made():
    one, two = Fix("1", [change("if x:\r\n\ty = 2", "y = 2")]), Fix("2", [change("y = 2", "y = 3")])
    assert merged([one, two])[0] == [one]
    assert merged([two, one])[0] == [two]
