"""What changed inside of each compiled function: graphs, operators, passes, kernels.

Sizes, operators, passes and kernels are those of the first version of each graph in the process of the lowest rank: so
neither a recompile nor another rank counts as a larger graph.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from compilescope.analysis.run_diff_model import (
    FunctionChange,
    KernelChange,
    KernelState,
    OperatorChange,
    PassChange,
    PassState,
    Side,
    TimeChange,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.analysis.model import Compile, Pass
    from compilescope.analysis.run_diff_files import FilePairs

Key = tuple[str, str]
_OTHER_PROCESS = re.compile(r"^(?:rank|pid)\w*:")


def by_function(side: Side, files: FilePairs | None = None) -> dict[Key, list[Compile]]:
    """Return the compiles of each function by file and name; files of an earlier run as the later one has them."""
    found: dict[Key, list[Compile]] = {}
    for one in side.result.compiles:
        if not _OTHER_PROCESS.match(one.id):
            file = files.after(one.file) if files else one.file
            found.setdefault((file or "", one.qualname or one.function), []).append(one)
    return found


def function_changes(
    before: Side, after: Side, files: FilePairs, time: Callable[[Key], TimeChange | None]
) -> list[FunctionChange]:
    """Return every function that either run compiled, in the order of the later run; `time`: that of a function."""
    old, new = by_function(before, files), by_function(after)
    return [
        _function(key, (before, old.get(key, [])), (after, new.get(key, [])), time(key))
        for key in dict.fromkeys([*new, *old])
    ]


def _function(
    key: Key, before: tuple[Side, list[Compile]], after: tuple[Side, list[Compile]], time: TimeChange | None
) -> FunctionChange:
    sides = (before, after)
    state: Literal["both", "before", "after"] = "both" if before[1] and after[1] else "before" if before[1] else "after"
    first = [[one for one in compiles if is_first(one)] for _, compiles in sides]
    ids = [{one.id for one in compiles} for compiles in first]
    graphs, again = ([_graphs(compiles) for _, compiles in sides], [_recompiles(compiles) for _, compiles in sides])
    found = FunctionChange(
        name=key[1],
        file=key[0],
        state=state,
        graphs=(graphs[0], graphs[1]),
        nodes=(_nodes(first[0]), _nodes(first[1])),
        recompiles=(again[0], again[1]),
        time=time,
    )
    if state != "both":
        return found
    hits = [any(one.cache == "hit" for one in compiles) for compiles in first]
    one_hit = hits[0] != hits[1]  # then the passes and graphs behind the look-up are those of one run alone
    found.operators.extend(_operators(before[0], after[0], ids, ("dynamo",) if one_hit else ("dynamo", "post_grad")))
    if not one_hit:
        found.passes.extend(_passes(before[0], after[0], ids))
    kernels = _kernels(before[0], after[0], ids)
    if one_hit and kernels and not any(_is_more(one, by_after=hits[1]) for one in kernels):
        kernels = None  # only fewer than where nothing was cached
    return FunctionChange(**{**vars(found), "kernels": kernels})


def is_first(compile_: Compile) -> bool:
    """Return whether a compile is the first version of its frame."""
    return compile_.id.partition("_")[0].rpartition("/")[2] == "0"


def _graphs(compiles: list[Compile]) -> int:
    return sum(one.status == "ok" and one.graph.get("nodes", 0) > 1 for one in compiles)


def _recompiles(compiles: list[Compile]) -> int:
    return sum(not is_first(one) and one.status != "skipped" for one in compiles)


def _nodes(compiles: list[Compile]) -> list[int]:
    return [nodes for one in compiles if one.status == "ok" and (nodes := one.graph.get("nodes", 0)) > 1]


def _operators(before: Side, after: Side, ids: list[set[str]], stages: tuple[str, ...]) -> list[OperatorChange]:
    """Stages that both runs recorded only: what one has not is no operator that went."""
    found = []
    for stage in stages:
        old, new = _at(before, ids[0], stage), _at(after, ids[1], stage)
        if old is not None and new is not None:
            names = sorted(name for name in old | new if old[name] != new[name])
            found += [OperatorChange(stage, name, old[name], new[name]) for name in names]
    return found


def _at(side: Side, ids: set[str], stage: str) -> Counter[str] | None:
    stages = [side.operators.get(one, {}).get(stage) for one in ids]
    recorded = [one for one in stages if one is not None]
    return sum(map(Counter, recorded), Counter[str]()) if recorded else None


def _passes(before: Side, after: Side, ids: list[set[str]]) -> list[PassChange]:
    old, new = _ran(before, ids[0]), _ran(after, ids[1])
    if not old or not new:
        return []
    found = []
    for phase, name in dict.fromkeys([*old, *new]):
        was, now = old.get((phase, name)), new.get((phase, name))
        state = _pass_state(was, now)
        if state is not None:
            found.append(PassChange(state, phase, name, _delta(was), _delta(now)))
    return found


def _is_more(kernel: KernelChange, *, by_after: bool) -> bool:
    """Whether one side, the later or the earlier, calls a kernel that the other has not, or not that often."""
    own, other = (kernel.after, kernel.before) if by_after else (kernel.before, kernel.after)
    return own > 0 and own >= other


def _ran(side: Side, ids: set[str]) -> dict[tuple[str, str], list[Pass]]:
    found: dict[tuple[str, str], list[Pass]] = {}
    for one in side.result.passes:
        if one.compile_id in ids and one.kind == "pass" and not one.gap:
            found.setdefault((one.phase, one.name), []).append(one)
    return found


def _pass_state(was: list[Pass] | None, now: list[Pass] | None) -> PassState | None:
    if was is None:
        return "new"
    if now is None:
        return "gone"
    if any(one.nodes_before is None for one in [*was, *now]):
        return None  # torch alone times its passes and does not say what they did
    did, does = any(one.changed for one in was), any(one.changed for one in now)
    if did != does:
        return "takes-effect" if does else "inert"
    return "changed" if _delta(was) != _delta(now) else None


def _delta(passes: list[Pass] | None) -> int | None:
    known = [one.delta for one in passes or () if one.delta is not None]
    return sum(known) if known else None


def _kernels(before: Side, after: Side, ids: list[set[str]]) -> list[KernelChange] | None:
    recorded = [
        [one for id_ in own if (one := side.kernels.get(id_)) is not None]
        for side, own in zip((before, after), ids, strict=True)
    ]
    if not all(recorded):
        return None
    old, new = (Counter(kernel for kernels in side for kernel in kernels) for side in recorded)
    left, came = old - new, new - old
    found = []
    for name in sorted({name for name, _ in [*left, *came]}):
        was, now = (sum(n for (own, _), n in counts.items() if own == name) for counts in (old, new))
        state: KernelState = "new" if not was else "gone" if not now else "changed"
        found.append(KernelChange(state, name, was, now))
    return found
