"""A watched folder on a terminal: rows fit, and a finding that grows stays one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from compilescope.report.live import Seen, progress
from compilescope.report.live_view import cut, finding_rows, parts, wrapped
from compilescope.report.style import Style, width

from .made import compiled, finding, result

LONG = "inside library code, DDP's own forward is being compiled, 四角い文字 included"


def plain(rows: list[str]) -> list[str]:
    return [re.sub(r"\x1b\[[\d;]*m", "", row) for row in rows]


@pytest.mark.parametrize("columns", [20, 40, 71, 72, 80, 200])
@pytest.mark.parametrize("colour", [True, False])
def test_no_row_is_wider_than_the_terminal(columns, colour):
    style = Style(Path("/w"), colour=colour)
    one = finding(file="/elsewhere/deep/in/some/folder/of/a/cluster/train.py", title=LONG)
    rows = plain(finding_rows(one, style, columns))
    assert len(rows) == (2 if columns < 72 else 1)
    said = parts("16 ranks · 160 compiles, 3 running · 4 breaks · 16 recompiles · last event 11 s ago", columns)
    for row in [*rows, *said, *wrapped("The disk of /a/b is full: logs end in the middle.", columns)]:
        assert width(row) <= columns
    if columns >= 40:
        assert "train.py:" in "".join(rows)
    assert " · ".join(said).count(" · ") == 4
    assert LONG[:10] in "".join(rows)


def test_what_is_cut_ends_in_an_ellipsis():
    assert (cut("compiling", 9), cut("compiling", 5), cut("四角い", 5), cut("x", 0)) == (
        "compiling",
        "comp…",
        "四角…",
        "",
    )


def test_a_finding_whose_amounts_grow_is_told_once_and_shown_as_it_is_now():
    seen = Seen()
    first = finding(rule="slow-compile", title="took 18.2 s of 20 s", reason="kernel code: 90 % of compiling")
    _, new = seen.update(result([first], []), None)
    assert new == [first]
    now = replace(first, title="took 21.6 s of 36 s", reason="kernel code: 59 % of compiling")
    _, new = seen.update(result([now], []), None)
    assert new == []
    assert seen.findings == [now]
    other = replace(first, reason="passes: 40 % of compiling")
    assert seen.update(result([now, other], []), None)[1] == [other]
    seen.update(result([other], []), None)
    assert seen.findings == [other], "one that went is not shown any more"


def test_the_end_of_a_log_that_grows_is_no_damage():
    told = result([], [compiled("0/0")])
    ends = {"file": "x.log", "offset": 7, "problem": "the log ends in the middle of a record, in its payload"}
    told.run.damage[:] = [ends]
    assert "can't be read" not in progress(told, 1)
    told.run.damage[:] = [ends, {**ends, "problem": "not the start of a record"}]
    assert "1 place can't be read" in progress(told, 1)
