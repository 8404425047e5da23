"""What Inductor decided about generated code, for those who asked: fusions, measured choices, CUDA graphs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from compilescope.report.clean import cleaned
from compilescope.report.style import COLUMNS

if TYPE_CHECKING:
    from compilescope.analysis.model import CudaGraph, FusionDecision, Kernel, KernelPart, Result
    from compilescope.report.style import Style

_MOST = 12
_CHOICES = 4
_WORDS = {
    "skip": "left out",
    "record": "recorded",
    "re-record": "recorded again",
    "new-size": "recorded for another size",
    "partition": "cut into pieces",
}


def decisions(result: Result, style: Style) -> list[list[str]]:
    """The blocks of lines; none where nothing was asked for. Each is cut to its first lines."""
    kernels = [set(kernel.nodes) for kernel in result.kernels] if result.fusion else []
    measured = [kernel for kernel in result.kernels if kernel.autotune]
    blocks = (
        ("Fusion", _fusions(cleaned(result.fusion), kernels, style)),
        ("Measured choices", _measured(cleaned(measured))),
        ("CUDA graphs", _cudagraphs(cleaned(result.cudagraphs))),
    )
    return [_block(title, lines, style) for title, lines in blocks if lines]


def _block(title: str, lines: list[str], style: Style) -> list[str]:
    shown = [line for text in lines[:_MOST] for line in _wrapped(text)]
    more = [f"  ... {len(lines) - _MOST} more in --format json ..."] if len(lines) > _MOST else []
    return [style.paint("strong", title), *shown, *more]


def _fusions(found: list[FusionDecision], kernels: list[set[str]], style: Style) -> list[str]:
    """How many pairs came together, then the pairs of lines that did not, each reason once.

    Without pairs that are in one kernel all the same: another way was found, or they run side by side in it.
    """
    apart = [
        one
        for one in found
        if not one.fused and not any(kernel.issuperset(one.first.nodes + one.second.nodes) for kernel in kernels)
    ]
    against = dict.fromkeys(
        f"{_lines(one.first, style)} and {_lines(one.second, style)} not fused: {_words(one.reason)}" for one in apart
    )
    fused = sum(one.fused for one in found)
    return [*([f"{fused} {'pair' if fused == 1 else 'pairs'} fused"] if fused else []), *against]


def _lines(part: KernelPart, style: Style) -> str:
    places = dict.fromkeys(f"{style.path(place.file)}:{place.range.start.line + 1}" for place in part.places)
    return " + ".join(places) or ", ".join(part.nodes) or "?"


def _measured(kernels: list[Kernel]) -> list[str]:
    lines = []
    for kernel in kernels:
        tuned = kernel.autotune or {}
        known = [one for one in tuned["choices"] if one["ms"] is not None]
        known.sort(key=lambda one: one["ms"])
        times = ", ".join(f"{one['name']} {one['ms']:.4g} ms" for one in known[:_CHOICES])
        rest = len(tuned["choices"]) - len(known[:_CHOICES])
        lines.append(f"{kernel.name} ({tuned['name']}): {tuned['winner']} of {times}{f', {rest} more' if rest else ''}")
    return list(dict.fromkeys(lines))


def _cudagraphs(found: list[CudaGraph]) -> list[str]:
    last = {(one.graph, one.what, one.reason): one for one in found}
    return [
        ": ".join(filter(None, [one.graph or "a graph", _became(one), _words(one.reason)])) for one in last.values()
    ]


def _became(one: CudaGraph) -> str:
    count = f", {one.count} so far" if one.count is not None else ""
    return f"{_WORDS.get(one.what, one.what)}{count}"


def _words(text: str | None) -> str:
    return " ".join((text or "").split()).rstrip(":")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
