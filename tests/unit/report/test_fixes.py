"""Fixes as text: titles, notes, verdicts and diffs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from compilescope.analysis.model import Edit, Finding, Fix, Position, Range, Result, Run
from compilescope.report.fixes import fixes
from compilescope.report.style import Style

FILE = "/app/main.py"
TEXT = "import torch\r\n\r\ndef f(x):\r\n\tif x.max() > 1:\r\n\t\tx = x.clamp(-1, 1)\r\n\treturn x\r\n"
ALWAYS = Edit(FILE, Range(Position(3, 1), Position(4, 2)), "")
PLAIN = Style(Path("/app"))


def result(*found: Fix) -> Result:
    place = Range(Position(3, 4), Position(3, 15))
    finding = Finding("graph-break", "warning", FILE, place, "T", "", "", "other", "capture", "GB0170", None)
    finding.fixes = list(found)
    run = Run(["main.py"], "/app", "python", "2.13", 0, 1.0, "/r", "full", [], [])
    return Result(run, [finding], [], [], [], {})


FIX = Fix("Always clamp", [ALWAYS], "always", preferred=True, note="differs where `x` holds NaN")
IGNORE = Fix("Ignore it", [ALWAYS], "ignore")


def test_a_fix_with_what_it_changes():
    assert fixes(result(FIX, IGNORE), {FILE: TEXT}, PLAIN, diffs=True).splitlines() == [
        "fixes for graph-break/GB0170 at main.py:4",
        "  1. Always clamp (preferred)",
        "    note: differs where `x` holds NaN",
        "    --- main.py",
        "    +++ main.py",
        "    @@ -2,5 +2,4 @@",
        "",
        "     def f(x):",
        "    -\tif x.max() > 1:",
        "    -\t\tx = x.clamp(-1, 1)",
        "    +\tx = x.clamp(-1, 1)",
        "     \treturn x",
    ]


def test_a_verdict_is_ascii_and_stands_without_the_diff():
    text = "Break gone, outputs equal (largest difference δ_max 1.3e-7, 5 calls). 6 graphs → 2."
    other = replace(FIX, title="Other")
    verified = replace(FIX, verified={"status": "proven", "text": text})
    assert fixes(result(other, verified), {FILE: TEXT}, PLAIN, diffs=False).splitlines() == [
        "fixes for graph-break/GB0170 at main.py:4",
        "  1. Always clamp",
        "    note: differs where `x` holds NaN",
        "    Break gone, outputs equal (largest difference 1.3e-7, 5 calls). 6 graphs -> 2.",
    ]


def test_colours_only_where_asked():
    shown = fixes(result(FIX), {FILE: TEXT}, Style(Path("/app"), colour=True), diffs=True)
    assert "\x1b[32m+\tx = x.clamp(-1, 1)\x1b[0m" in shown
    assert "\x1b[31m-\tif x.max() > 1:\x1b[0m" in shown


def test_control_characters_reach_no_terminal():
    bad = replace(FIX, title="\x1b]0;owned\x07", note="\x1b[2J", edits=[replace(ALWAYS, text="\x1b[2J")])
    assert "\x1b" not in fixes(result(bad), {FILE: TEXT + "\x1b[2J"}, PLAIN, diffs=True)


def test_without_fixes_it_says_so():
    assert fixes(result(IGNORE), {FILE: TEXT}, PLAIN, diffs=True) == "No fixes are known for these findings.\n"
    assert fixes(result(FIX), {FILE: TEXT}, PLAIN, diffs=False) == "No finding has a fix to verify.\n"
