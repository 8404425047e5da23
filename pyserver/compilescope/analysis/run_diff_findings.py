"""Findings of two runs matched: which are gone, new, elsewhere because the file was edited, or as they were.

Lines are followed through the texts that the recordings hold. Without texts a finding is known by its line, then by
function and cause. Torch's words are not compared: they differ between its versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis.linemap import Place, line_map
from compilescope.analysis.run_diff_model import FindingChange, Side, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compilescope.analysis.model import Finding, Result
    from compilescope.analysis.run_diff_files import FilePairs

AT_CAPTURE = {"capture", "guard"}
_BREAKS = {"graph-break", "frame-skipped", "graph-break-error"}
_RECOMPILES = {"recompile", "recompile-limit"}


class _Old(NamedTuple):
    """A finding of the earlier run and where its line is in the later one; `edited`: there it is not as it was."""

    finding: Finding
    file: str | None
    line: int | None
    edited: bool
    known: bool


def finding_changes(before: Side, after: Side, files: FilePairs) -> list[FindingChange]:
    """Return what became of each finding: the changes first, then what is the same.

    Where one of both runs stopped at capture, what comes after it is left out.
    """
    deep = "capture" not in {before.result.run.depth, after.result.run.depth}
    old = [_old(one, before, after, files) for one in before.result.findings if deep or one.stage in AT_CAPTURE]
    new = [one for one in after.result.findings if deep or one.stage in AT_CAPTURE]
    other_torch = before.result.run.torch != after.result.run.torch
    found: list[FindingChange] = []
    for same in _rules(other_torch=other_torch):
        for one in list(old):
            match = next((other for other in new if same(one, other)), None)
            if match is not None:
                old.remove(one)
                new.remove(match)
                found.append(_kept(one, match))
    found += [_gone(one.finding, before.result, after.result) for one in old]
    found += [_came(one, before.result, after.result) for one in new]
    order = ["new", "fixed", "unreached", "changed", "moved", "same"]
    return sorted(found, key=lambda change: order.index(change.state))


def _rules(*, other_torch: bool) -> list[Callable[[_Old, Finding], bool]]:
    """Return when two findings are one, the surest way first."""

    def exact(old: _Old, new: Finding) -> bool:
        return _on_line(old, new) and _cause(old.finding) == _cause(new) and old.finding.range == new.range

    def line(old: _Old, new: Finding) -> bool:
        return _on_line(old, new) and _cause(old.finding) == _cause(new)

    def reworded(old: _Old, new: Finding) -> bool:
        return other_torch and not old.edited and _on_line(old, new)

    def moved(old: _Old, new: Finding) -> bool:
        free = old.edited or not old.known
        return (
            free
            and _alike(old, new)
            and _cause(old.finding) == _cause(new)
            and _function(old.finding) == _function(new)
        )

    return [exact, line, reworded, moved]


def _old(finding: Finding, before: Side, after: Side, files: FilePairs) -> _Old:
    file, line = files.after(finding.file), finding.range.start.line
    text, now = before.sources.get(finding.file or ""), after.sources.get(file or "")
    if text is None or now is None:
        return _Old(finding, file, line, edited=False, known=False)
    place: Place | None = line_map(text, now).place(line)
    if place is None:
        return _Old(finding, file, None, edited=True, known=True)
    return _Old(finding, file, place.line, place.changed, known=True)


def _on_line(old: _Old, new: Finding) -> bool:
    return _alike(old, new) and old.line == new.range.start.line


def _alike(old: _Old, new: Finding) -> bool:
    return old.file == new.file and _sort(old.finding) == _sort(new)


def _sort(finding: Finding) -> str:
    """A break is the same one whether or not its frame could go on, a recompile whether or not the limit was met."""
    return "break" if finding.rule in _BREAKS else "recompile" if finding.rule in _RECOMPILES else finding.rule


def _cause(finding: Finding) -> str:
    """What torch met there, by its own name or number, which stays when the words around it change."""
    detail = finding.detail
    if finding.rule in _BREAKS:
        return str(detail.get("cause") or detail.get("gb_type") or finding.code)
    if finding.rule in _RECOMPILES:
        rows = detail.get("recompiles")
        row = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}
        return str(row.get("expression") or "")
    return str(detail.get("operator") or detail.get("name") or detail.get("pass") or finding.code)


def _function(finding: Finding) -> str:
    own = [frame.function for frame in finding.frames if frame.file == finding.file]
    return own[-1] if own else ""


def _kept(old: _Old, new: Finding) -> FindingChange:
    was, notes = old.finding, []
    if was.rule != new.rule:
        notes.append(f"{was.rule} before, {new.rule} now")
    if was.count != new.count:
        notes.append(f"met {was.count} → {new.count} times")
    moved = was.range.start.line != new.range.start.line
    state: State = "changed" if notes else "moved" if moved else "same"
    if old.edited:
        notes.append("its line was edited")
    if _cause(was) != _cause(new):
        notes.append(f"the two versions of torch name it differently: {_cause(was)}; {_cause(new)}")
    return FindingChange(state, was, new, "; ".join(notes))


def _gone(finding: Finding, before: Result, after: Result) -> FindingChange:
    missing = _uncompiled(finding, before, after)
    if missing:
        return FindingChange("unreached", finding, None, f"`{missing}` was not compiled in the later run")
    if (ended := _cut_short(after)) and finding.rule not in _BREAKS:
        return FindingChange("unreached", finding, None, f"the later run {ended}")
    return FindingChange("fixed", finding, None)


def _came(finding: Finding, before: Result, after: Result) -> FindingChange:
    missing = _uncompiled(finding, after, before)
    return FindingChange("new", None, finding, f"`{missing}` was not compiled in the earlier run" if missing else "")


def _uncompiled(finding: Finding, own: Result, other: Result) -> str | None:
    """Return the function that a finding was met in, if the other run compiled none of that name."""
    ids = {one.partition("_")[0] for one in finding.compile_ids}
    names = [one.function for one in own.compiles if one.id in ids]
    known = {one.function for one in other.compiles}
    return names[0] if names and not known.intersection(names) else None


def _cut_short(result: Result) -> str | None:
    """Return how a run ended before its end, if it did."""
    run = result.run
    if run.status in {"running", "timed-out", "cancelled"}:
        return {"running": "has not ended"}.get(run.status, f"was {run.status.replace('-', ' ')}")
    return f"ended with exit code {run.exit_code}" if run.exit_code else None


def counted(changes: Iterable[FindingChange], state: str) -> int:
    """Return how many findings have a state."""
    return sum(one.state == state for one in changes)
