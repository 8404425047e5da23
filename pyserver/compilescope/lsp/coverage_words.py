"""What compile coverage says of lines, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from compilescope.analysis.coverage_model import CoveredLine, FunctionCoverage
from compilescope.analysis.linemap import LineMap
from compilescope.analysis.model import Finding
from compilescope.report.counted import counted

STATES = {
    "captured": "In a graph",
    "eager": "Runs in Python",
    "skipped": "Runs in Python, like all of this function",
    "not_run": "Not run in this trace",
}
FAILED = "compile-error"
FEW = 3
WITHOUT_FINDING = {
    "break": "a graph ends here",
    "after-break": "what follows a break was not compiled",
    "nothing-to-compile": "no operation that could be in a graph",
    "frame-skipped": "torch gave it up",
    "failed": "its compile failed",
    "disabled": "torch.compiler.disable keeps it out of graphs",
    "maybe-run": "or it worked on Python values only",
}


def words(function: FunctionCoverage, lines: Sequence[CoveredLine], moved: LineMap) -> str:
    """What became of some lines of one function that have the same state and reason."""
    one = lines[0]
    if one.state == "captured":
        return f"{STATES['captured']}: {_graphs(lines)}"
    if one.reason == "recompile-limit":
        return f"In a graph on some calls only: {function.function} is at its limit of versions, others run in Python"
    if one.reason == "":
        return STATES[one.state]
    failed = one.reason == "failed" or (one.because is not None and one.because.rule == FAILED)
    state = "Not in a graph" if failed else STATES[one.state]  # whether Python went on with it is not known
    if one.because is None or one.reason == "disabled":
        return f"{state}: {WITHOUT_FINDING[one.reason]}"
    return f"{state}: {_blamed(one, one.because, function.file, moved)}"


def _graphs(lines: Sequence[CoveredLine]) -> str:
    ids = list(dict.fromkeys(compile_id for one in lines for compile_id in one.compile_ids))
    named = ", ".join(ids) if len(ids) <= FEW else f"{ids[0]} to {ids[-1]}"
    calls = max(one.calls for one in lines)
    return f"compile {named}" + (f", run {counted(calls, 'time')}" if calls else "")


def _blamed(one: CoveredLine, because: Finding, file: str, moved: LineMap) -> str:
    title = because.title.replace("`", "")
    line = because.range.start.line
    place = moved.place(line) if because.file == file else None
    if because.file == file and one.line <= line + 1 <= one.end_line:
        return title
    at = f"line {(place.line if place else line) + 1}" if because.file == file else "another file"
    is_break = one.reason in {"break", "after-break"} and because.rule != FAILED
    verb = "broke the graph" if is_break else "is why"
    return f"{at} {verb}: {title}"
