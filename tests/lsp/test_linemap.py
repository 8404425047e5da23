"""Lines follow edits, however the edit was made."""

from compilescope.analysis.linemap import LineMap, Place, split_lines
from hypothesis import given
from hypothesis import strategies as st

OLD = "import torch\n\n\ndef f(x):\n    y = x.sin()\n    print(y)\n    return y + 1\n"
LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "    return x", "", "print(y)", "y = x.sin()"]), max_size=30)


def test_unchanged_text_keeps_every_line():
    line_map = LineMap(OLD, OLD)
    assert [line_map.place(line) for line in range(8)] == [Place(line, changed=False) for line in range(8)]


def test_lines_move_with_an_insertion_above():
    line_map = LineMap(OLD, "# one\n# two\n" + OLD)
    assert line_map.place(5) == Place(7, changed=False)


def test_an_edited_line_is_marked_and_its_neighbours_are_not():
    line_map = LineMap(OLD, OLD.replace("print(y)", "print(y, y)"))
    assert line_map.place(4) == Place(4, changed=False)
    assert line_map.place(5) == Place(5, changed=True)
    assert line_map.place(6) == Place(6, changed=False)


def test_a_deleted_line_has_no_place():
    line_map = LineMap(OLD, OLD.replace("    print(y)\n", ""))
    assert line_map.place(5) is None
    assert line_map.place(6) == Place(5, changed=False)


def test_an_edited_line_is_found_among_new_ones():
    line_map = LineMap(OLD, OLD.replace("    print(y)\n", "    if debug:\n        pass\n        print(y, 1)\n"))
    assert line_map.place(5) == Place(7, changed=True)


def test_undoing_an_edit_unmarks_the_line():
    edited = OLD.replace("print(y)", "pass")
    assert LineMap(OLD, edited).place(5) == Place(5, changed=True)
    assert LineMap(OLD, OLD).place(5) == Place(5, changed=False)


def test_only_line_ends_of_lsp_end_a_line():
    assert split_lines("a\r\nb\rc\nd\x0ce\u2028f") == ["a", "b", "c", "d\x0ce\u2028f"]


@given(LINES, LINES)
def test_an_unchanged_place_has_the_same_text(old, new):
    line_map = LineMap("\n".join(old), "\n".join(new))
    before, after = split_lines("\n".join(old)), split_lines("\n".join(new))
    places = [line_map.place(line) for line in range(len(before))]
    kept = [place for place in places if place]
    assert [place.line for place in kept] == sorted({place.line for place in kept})
    for line, place in enumerate(places):
        if place and not place.changed:
            assert before[line] == after[place.line]
