"""Two runs, or two groups of runs of the same thing, compared (docs/comparing.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.noise import LEVEL, can_tell, p_value
from compilescope.analysis.run_diff_files import FilePairs
from compilescope.analysis.run_diff_findings import finding_changes
from compilescope.analysis.run_diff_functions import Key, by_function, function_changes
from compilescope.analysis.run_diff_model import MetricChange, RunDiff, Side, TimeChange, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.model import Compile, Run

TOTALS = ("capture_s", "compile_s", "guard_s", "execute_s")


def compare(before: Sequence[Side], after: Sequence[Side]) -> RunDiff:
    """Return what differs. Of each group the first run is compared, the others say how times vary.

    Neither group may be empty.
    """
    old, new = before[0], after[0]
    files = _pairs(old, new)
    times = _Times(before, after, files)
    return RunDiff(
        before=[one.result.run for one in before],
        after=[one.result.run for one in after],
        findings=finding_changes(old, new, files),
        functions=function_changes(old, new, files, times.of),
        metrics=_metrics(old, new),
        times=times.totals(),
        notes=_notes(before, after),
    )


def _pairs(before: Side, after: Side) -> FilePairs:
    return FilePairs(_files(before), _files(after), (before.result.run.cwd, after.result.run.cwd))


def _files(side: Side) -> list[str]:
    found = [one.file for one in side.result.findings if one.file] + [one.file for one in side.result.compiles]
    return [*found, *side.sources]


def _metrics(before: Side, after: Side) -> list[MetricChange]:
    old, new = before.result.metrics, after.result.metrics
    names = [name for name in dict.fromkeys([*old, *new]) if not name.endswith("_s") and name != "tracing_overhead"]
    return [MetricChange(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]


class _Times:
    """The times of two groups, and what they are worth."""

    def __init__(self, before: Sequence[Side], after: Sequence[Side], files: FilePairs) -> None:
        self._groups = before, after
        self._before = [by_function(one, files if one is before[0] else _pairs(one, after[0])) for one in before]
        self._after = [by_function(one, None if one is after[0] else _pairs(one, after[0])) for one in after]
        keys = {key for one in [*self._before, *self._after] for key in one}
        self._level = LEVEL / max(1, len(keys))
        self._unchanged = self._ratios()

    def totals(self) -> list[TimeChange]:
        """Return the totals of the runs, whole and by part."""
        found = []
        for name in ("wall_s", *TOTALS):
            old, new = ([value for one in group if (value := _total(one, name)) is not None] for group in self._groups)
            if old and new:
                found.append(self._change(name, old, new, LEVEL, ratios=[]))
        return found

    def of(self, key: Key) -> TimeChange | None:
        """Return the time that compiling a function took; None where not both groups have it."""
        old, new = (
            [seconds for one in group if (seconds := _seconds(one.get(key, []))) is not None]
            for group in (self._before, self._after)
        )
        return self._change(key[1], old, new, self._level, self._unchanged) if old and new else None

    def _change(self, name: str, old: list[float], new: list[float], level: float, ratios: list[float]) -> TimeChange:
        verdict: Verdict
        if can_tell(len(old), len(new), level):
            p = p_value(old, new)
            higher = _middle(new) > _middle(old)
            verdict = "within-noise" if p > level else "slower" if higher else "faster"
            return TimeChange(name, old, new, verdict, p, f"p = {p:.2g}, {len(old)} and {len(new)} runs")
        ratio = _middle(new) / _middle(old) if _middle(old) else None
        if ratio is not None and ratios and ratios[0] <= ratio <= ratios[-1]:
            note = f"compiles that are the same in both took {ratios[0]:.2f} to {ratios[-1]:.2f} times as long"
            return TimeChange(name, old, new, "within-noise", None, note)
        if ratio is not None and _overlap(old, new):
            return TimeChange(name, old, new, "within-noise", None, "the times of both groups overlap")
        runs = "run" if len(old) == len(new) == 1 else "runs"
        note = f"{len(old)} and {len(new)} {runs} can't tell a difference from noise"
        return TimeChange(name, old, new, "undecided", None, note)

    def _ratios(self) -> list[float]:
        """Return how much longer the compiles took that did the same work in both first runs, sorted."""
        found = []
        for key, old in self._before[0].items():
            new = self._after[0].get(key, [])
            if [_work(one) for one in old] == [_work(one) for one in new]:
                pairs = [
                    (one.seconds.get("total"), other.seconds.get("total")) for one, other in zip(old, new, strict=True)
                ]
                found += [now / was for was, now in pairs if was and now]
        return sorted(found) if len(found) > 1 else []


def _work(compile_: Compile) -> tuple[object, ...]:
    return compile_.status, compile_.cache, sorted(compile_.graph.items()), compile_.guards


def _total(side: Side, name: str) -> float | None:
    return side.result.run.wall_s if name == "wall_s" else side.result.metrics.get(name)


def _seconds(compiles: list[Compile]) -> float | None:
    known = [one.seconds["total"] for one in compiles if "total" in one.seconds]
    return sum(known) if known else None


def _middle(values: list[float]) -> float:
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _overlap(old: list[float], new: list[float]) -> bool:
    return max(len(old), len(new)) > 1 and max(min(old), min(new)) <= min(max(old), max(new))


def _notes(before: Sequence[Side], after: Sequence[Side]) -> list[str]:
    old, new = before[0].result.run, after[0].result.run
    notes = []
    if old.torch != new.torch:
        versions = f"{old.torch or 'unknown'} before, {new.torch or 'unknown'} now"
        notes.append(f"torch {versions}: operators, passes and generated code may differ for that alone.")
    if old.depth != new.depth:
        notes.append(
            f"Depth {old.depth or 'unknown'} before, {new.depth or 'unknown'} now: only what both have is compared."
        )
    if _caches(before[0]) != _caches(after[0]):
        notes.append(
            "Graph caches answered in one of the runs and not in the other: the times are not of the same work, and "
            "passes and graphs of what came from a cache are not compared."
        )
    for name, group in (("earlier", before), ("later", after)):
        if any(
            (one.result.run.torch, one.result.run.command) != (group[0].result.run.torch, group[0].result.run.command)
            for one in group
        ):
            notes.append(
                f"The {name} runs are not all of the same command and torch: their times are not of one thing."
            )
        if group[0].result.run.damage:
            notes.append(f"The {name} recording is damaged: what it lost can look gone.")
        if not group[0].result.compiles:
            notes.append(f"Nothing was compiled in the {name} run.")
    return [*notes, *_ends(old, new)]


def _ends(old: Run, new: Run) -> list[str]:
    if (old.status, old.exit_code) == (new.status, new.exit_code):
        return []
    words = [f"{run.status}{'' if run.exit_code is None else f' with exit code {run.exit_code}'}" for run in (old, new)]
    return [f"The earlier run {words[0]}, the later one {words[1]}."]


def _caches(side: Side) -> bool:
    return any(one.cache == "hit" for one in side.result.compiles)
