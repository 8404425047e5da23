"""`slow-compile` for the parts of compiling: a pass, autotuning, guards, many small graphs, kernels, the recording.

The least shares and seconds are in `data/slow.json`: below them a part is what compiling takes anyway.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis import syntax
from compilescope.analysis.data import load
from compilescope.analysis.explain import filled
from compilescope.analysis.facts import Frame
from compilescope.analysis.frames import plain_function
from compilescope.analysis.model import Finding
from compilescope.analysis.spans import spans

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.analysis.model import Pass
    from compilescope.recording.reader import Recording

# What torch times while it measures (select_algorithm.py, runtime/triton_heuristics.py; 2.9 to 2.14).
_MEASURING = (
    "*_template_autotuning",
    "*_template_precompiling",
    "CachingAutotuner.benchmark_all_configs",
    "CachingAutotuner.coordinate_descent_tuning",
)
_SHOWN = 3
_FEWEST_GRAPHS = 8
_SMALL = 16
_MANY_GUARDS = 1000
_GENERATED = {"C++": "C++", "Triton": "Triton"}


class _Part(NamedTuple):
    """A part of compiling: its kind in the data, seconds, where to look, whose compiles, and values for the words."""

    kind: str
    seconds: float
    place: Frame
    function: str
    compile_ids: list[str]
    values: dict[str, str | None]
    most: str = ""
    """Which compiles took most of it, where there are several."""


def findings(
    recording: Recording, context: Context, passes: Sequence[Pass], kernels: Sequence[Kernel], told: Iterable[Finding]
) -> list[Finding]:
    """Return a finding for each part that took much of all compiling.

    `told`: the slow loops and blocks. A graph that they explain is not told again by how its time divides.
    """
    named = {context.name(one.where): one for one in context.compiles}
    totals = {name: one.total for name, one in named.items()}
    measured = _measured(recording, context)
    # Settings of kernels are measured when they run first, and compiles in which a log ends have no total.
    whole = sum(totals.values()) + sum(each for id_, each in measured.items() if not totals.get(id_))
    known = {id_ for one in told for id_ in one.compile_ids}
    own = {name: one for name, one in named.items() if name not in known}
    found = [*_passes(context, passes, named), *_most(context, "autotune", measured, named)]
    if any(
        one.phases.get("kernel_compile") for one in own.values()
    ):  # else nothing was generated, and shares say little
        found += [*_parts(context, own, kernels), *_small_graphs(context, own.values())]
    return [_finding(context, part, whole) for part in found if _is_costly(part, whole)]


def _is_costly(part: _Part, whole: float) -> bool:
    least = load("slow")[part.kind]
    return bool(part.seconds >= least["seconds"] and part.seconds >= least["share"] * whole)


def _passes(context: Context, passes: Sequence[Pass], named: Mapping[str, Attempted]) -> Iterator[_Part]:
    groups: dict[tuple[str, bool, str | None, int | None], list[Pass]] = defaultdict(list)
    for one in passes:
        if one.kind == "pass" and (one.custom or one.depth == 0):
            groups[one.function or one.name if one.custom else one.name, one.custom, one.file, one.line].append(one)
    for (name, custom, file, line), runs in groups.items():
        seconds: dict[str, float] = defaultdict(float)
        for one in runs:
            seconds[one.compile_id] += one.seconds
        of = named.get(max(seconds, key=lambda id_: seconds[id_]))
        if of is None:
            continue
        own = Frame(file, line, name.rpartition(".")[2]) if custom and file and line else None
        largest = max((one.nodes_before or 0 for one in runs), default=0)
        yield _Part(
            "own-pass" if custom else "pass",
            sum(seconds.values()),
            _definition(context, own or of.subject),
            context.compiled(of.where, of.code) if of.code else "",
            list(seconds),
            {
                "pass": name.rpartition(".")[2] if custom else name,
                "runs": f"{len(runs)} run{'' if len(runs) == 1 else 's'}",
                "nodes": str(largest) if largest else None,
                "switch": None if custom else _switch(name),
            },
        )


def _switch(name: str) -> str | None:
    switches: dict[str, str] = load("slow")["switches"]
    return next((switch for pattern, switch in switches.items() if re.fullmatch(pattern, name)), None)


def _measured(recording: Recording, context: Context) -> dict[str, float]:
    """Return the seconds of autotuning by compile."""
    seconds: dict[str, float] = defaultdict(float)
    for span in spans(recording, *_MEASURING):
        if not span.within:
            seconds[context.name(context.compiles.where(span.event))] += span.seconds
    return seconds


def _parts(context: Context, named: Mapping[str, Attempted], kernels: Sequence[Kernel]) -> Iterator[_Part]:
    def sums(value: Callable[[dict[str, float]], float]) -> dict[str, float]:
        return {name: value(one.seconds) for name, one in named.items()}

    made = {(one.compile_id, one.name): one.language for one in kernels if one.language in _GENERATED}
    languages = [language for (id_, _), language in made.items() if id_ in named]
    guards = sum(one.guards or 0 for one in named.values())
    if guards >= _MANY_GUARDS:
        yield from _most(context, "guards", sums(lambda part: part.get("guards", 0.0)), named, guards=str(guards))
    yield from _most(context, "capture", sums(lambda part: part.get("capture", 0.0)), named)
    yield from _most(
        context,
        "kernels",
        sums(lambda part: part.get("kernel_compile", 0.0) + part.get("backward_kernel_compile", 0.0)),
        named,
        kernels=str(len(languages)) if languages else None,
        language=max(set(languages), key=languages.count) if languages else None,
    )


def _most(
    context: Context, kind: str, seconds: dict[str, float], named: Mapping[str, Attempted], **values: str | None
) -> Iterator[_Part]:
    """Yield the part that compiles took together, at the one that took most of it. `named`: compiles by name."""
    spent = dict(sorted(((id_, each) for id_, each in seconds.items() if each > 0), key=lambda one: -one[1]))
    of = next(filter(None, map(named.get, spent)), None)
    if of is not None and of.code is not None:
        place, ids = _definition(context, of.subject), [id_ for id_ in seconds if id_ in spent and id_ in named]
        dearest = [f"{id_ if id_ in named else 'outside of compiles'} {each:.2f} s" for id_, each in spent.items()]
        most = ", ".join(dearest[:_SHOWN]) if len(dearest) > 1 else ""
        yield _Part(kind, sum(spent.values()), place, context.compiled(of.where, of.code), ids, values, most)


def _small_graphs(context: Context, compiles: Collection[Attempted]) -> Iterator[_Part]:
    groups: dict[tuple[int, str, str, int], list[Attempted]] = defaultdict(list)
    starts: dict[tuple[int, str, str], set[int]] = defaultdict(set)
    for one in compiles:
        if one.code is not None and not one.resumed:
            starts[one.where.process, one.code.file, plain_function(one.code.function)].add(one.code.line)
    for one in compiles:
        if one.code is not None and one.nodes and not one.recompiled:
            key = (one.where.process, one.code.file, plain_function(one.code.function))
            # Several have one name (`forward`, a lambda): what goes on after a break is of that which begins above.
            line = max((line for line in starts[key] if line <= one.code.line), default=0)
            of_one = (*key, line)
            groups[of_one].append(one)
    for own in groups.values():
        mean = sum(one.nodes or 0 for one in own) / len(own)
        first = own[0]
        if len(own) < _FEWEST_GRAPHS or mean > _SMALL or first.code is None:
            continue
        function = context.compiled(first.where, first.code)
        values: dict[str, str | None] = {"graphs": str(len(own)), "mean": f"{mean:.0f}", "function": function}
        ids = [context.name(one.where) for one in own]
        yield _Part(
            "small-graphs", sum(one.total for one in own), _definition(context, first.subject), function, ids, values
        )


def _definition(context: Context, code: Frame | None) -> Frame:
    """Return the place of a function's name in its `def` line."""
    if code is None:
        return Frame("", 1)
    source = context.sources.get(code.file)
    function = syntax.function_at(source, code.line, plain_function(code.function).rpartition(".")[2])
    return code if function is None or source is None else syntax.definition(function, source, code.file)


def _finding(context: Context, part: _Part, whole: float) -> Finding:
    values = {**part.values, "seconds": f"{part.seconds:.2f}", "whole": f"{whole:.2f}"}
    words = filled(load("slow")[part.kind], {"function": part.function, **values})
    return Finding(
        rule="slow-compile",
        severity="information",
        file=part.place.file,
        range=context.ranges.of(part.place),
        title=words.title,
        explanation=words.explanation + (f" The dearest: {part.most}." if part.most else ""),
        reason=f"{part.kind}: {part.seconds / whole:.0%} of compiling" if whole else part.kind,
        class_="configuration",
        stage="compile",
        code="slow-compile",
        href=None,
        compile_ids=part.compile_ids,
        cost_s=round(part.seconds, 6),
        hints=words.hints,
        detail={"kind": part.kind, "label": words.label, "function": part.function, "whole_s": round(whole, 6)},
    )
