"""Comments that say which findings to ignore."""

from __future__ import annotations

import pytest
from compilescope.analysis.to_json import to_json

from tests.unit.analysis.made import Made, frame
from tests.unit.analysis.schema import problems

MAIN = "/app/main.py"


def made(folder, lines: list[str], end_line: int = 2) -> Made:
    """A break on line 2 and one on line 4 of a program."""
    source = "\n".join(["def run(x):", *lines, "    return x"])
    found = Made(folder, source)
    found.compiled("0/0", "run", 1)
    found.graph_break("0/0", [frame(MAIN, 2, "run", 4, 7) | {"end_line": end_line}])
    found.graph_break("0/0", [frame(MAIN, 4, "run", 4, 7)], gb_id="GB0001", gb_type="Another")
    return found


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("", 2),
        ("# compilescope: ignore[GB9999]", 1),
        ("#compilescope:ignore[ gb9999 ]  # and more", 1),
        ("# why: slow  # compilescope: ignore[GB0170, graph-break]", 1),
        ("# compilescope: ignore", 1),
        ("# compilescope: ignore, it is the debugger's", 1),
        ("# compilescope: ignore[GB0001]", 2),
        ("# compilescope: ignore[]", 2),
        ("# compilescope: ignored", 2),
        ("# compilescope: ignore-file", 2),
        ("# compilescope: ignore[GB9999", 2),
        ("# ignore[GB9999]", 2),
        ("# compilescope: ignore[graph-break/GB9999]", 1),
        ("# compilescope: ignore[graph-break/GB0001]", 2),
        ("; s = '# compilescope: ignore'", 2),
        ('; s = "it\'s # compilescope: ignore"', 2),
        ("; s = 'a' # compilescope: ignore", 1),
        ("; s = 'not closed # compilescope: ignore", 2),
        ("; s = r'\\' # compilescope: ignore'", 2),
    ],
)
def test_a_comment_on_the_line(tmp_path, comment, left):
    result = made(tmp_path, [f"    foo()  {comment}", "    x = 1", "    bar()"]).result()
    assert (len(result.findings), result.run.ignored) == (left, 2 - left)
    assert all(one.range.start.line == 3 for one in result.findings) or left == 2
    value = to_json(result)
    assert value["run"]["ignored"] == 2 - left
    assert problems(value) == []


def test_a_string_of_several_lines(tmp_path):
    lines = ['    """', "    # compilescope: ignore", '    """; foo()  # compilescope: ignore[nonsense]']
    result = made(tmp_path, lines, end_line=4).result()
    assert (len(result.findings), result.run.ignored) == (2, 0)
    assert [(one.line, one.name) for one in result.run.unknown_ignores] == [(4, "nonsense")]


def test_names_that_mean_nothing(tmp_path):
    names = "graph_break, GB9999, GB12, recompile, Unsupported, recompile/GB0001, thing/GB0001, nonsense"
    result = made(tmp_path, ["    foo()", f"    x = 1  # compilescope: ignore[{names}]", "    bar()"]).result()
    assert [one.name for one in result.run.unknown_ignores] == ["graph_break", "thing/GB0001", "nonsense"]
    assert {(one.file, one.line) for one in result.run.unknown_ignores} == {(MAIN, 3)}


def test_other_lines_say_nothing(tmp_path):
    lines = ["    foo()", "    x = 1  # compilescope: ignore[GB9999, GB0001]", "    bar()"]
    assert made(tmp_path, lines).result().run.ignored == 0


@pytest.mark.parametrize("line", [0, 1])
def test_each_line_of_a_finding(tmp_path, line):
    lines = ["    foo(", "        x)", "    bar()"]
    lines[line] += "  # compilescope: ignore[graph-break]"
    assert made(tmp_path, lines, end_line=3).result().run.ignored == 1
