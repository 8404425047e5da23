"""Compile coverage of a file, where its lines are now."""

from __future__ import annotations

import pytest
from compilescope.analysis.coverage_model import CoveredLine, FunctionCoverage
from compilescope.analysis.linemap import line_map
from compilescope.analysis.model import Position, Range
from compilescope.lsp.coverage_words import words

from .made import SCRIPT, Made
from .test_cards import finding

LINES = SCRIPT.split("\n")
BODY = LINES.index("    h = x * sigma")


async def opened(client, made):
    assert (await client.ask("compilescope/openRecording", path=str(made.folder))).problem is None


@pytest.fixture
def covered(made: Made, script):
    """All of `step` was gone through but the clamp; its condition ended the graph."""
    return made.event("compilescope_lines", {"lines": {str(script): [BODY + 1, BODY + 2, BODY + 4]}}, "0/0")


async def regions(client, uri):
    result = await client.ask("compilescope/coverage", file=uri)
    return [(one.start, one.end, one.state, one.stale) for one in result.regions]


async def test_regions_and_functions(client, covered, script):
    uri = client.open(script)
    assert (await client.ask("compilescope/coverage", file=uri)).functions == []
    await opened(client, covered)
    result = await client.ask("compilescope/coverage", file=uri)
    assert [(one.name, one.line, one.percent) for one in result.functions] == [("step", BODY - 1, 66.7)]
    assert [(one.start - BODY, one.end - BODY, one.state) for one in result.regions] == [
        (0, 0, "captured"),
        (1, 1, "eager"),
        (2, 2, "not_run"),
        (3, 3, "captured"),
    ]
    assert result.regions[0].text == "In a graph: compile 0/0"
    assert result.regions[1].text == "Runs in Python: this if depends on tensor data"
    assert result.regions[2].text == "Not run in this trace"
    assert result.percent == 66.7
    assert result.run.startswith("from the run at ")
    assert (await client.ask("compilescope/coverage", file=str(script))).regions == result.regions


async def test_they_follow_edits_and_go_stale(client, covered, script):
    uri = client.open(script)
    await opened(client, covered)
    client.edit(uri, 2, 0, (0, 0), "# new\n# lines\n")
    assert [one[:2] for one in await regions(client, uri)] == [(BODY + 2 + at, BODY + 2 + at) for at in range(4)]
    client.edit(uri, 3, BODY + 2, (8, 17), "x + sigma")
    assert (await regions(client, uri))[0] == (BODY + 2, BODY + 2, "captured", True)
    assert not any(one[3] for one in (await regions(client, uri))[1:])


async def test_hover_and_coverage_agree(client, covered, script):
    uri = client.open(script)
    await opened(client, covered)
    said = {"captured": "**Captured**", "eager": "**Runs in Python**", "not_run": "**Not run in this trace**."}
    for start, _, state, _ in await regions(client, uri):
        hover = await client.hover(uri, start, 4)
        assert said[state] in hover.contents.value


async def test_lenses_say_how_much_is_compiled(client, covered, script):
    uri = client.open(script)
    await opened(client, covered)
    assert (await client.lenses(uri))[0].command.title.endswith(" · compiled 67 %")


async def test_files_that_nobody_traced(client, covered, tmp_path):
    await opened(client, covered)
    for file in (str(tmp_path / "gone.py"), "untitled:Untitled-1", ""):
        assert (await client.ask("compilescope/coverage", file=file)).regions == []


def test_what_failed_is_not_said_to_run_in_python():
    """As a program may have ended there."""
    text = "a\nb\nc\nd\ne\n"
    failed = finding(
        rule="compile-error", file="/a.py", range=Range(Position(1, 0), Position(1, 1)), title="`mm` failed"
    )
    function = FunctionCoverage("/a.py", "f", 1, 5, recorded=True)
    told = [
        words(function, [CoveredLine(line, line, state, reason, because=failed)], line_map(text, text))
        for line, state, reason in ((2, "skipped", "failed"), (4, "skipped", "failed"), (4, "eager", "after-break"))
    ]
    assert told == [
        "Not in a graph: mm failed",
        "Not in a graph: line 2 is why: mm failed",
        "Not in a graph: line 2 is why: mm failed",
    ]
