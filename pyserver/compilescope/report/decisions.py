"""What Inductor decided about generated code, for those who asked: fusions, measured choices, CUDA graphs."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Any

from compilescope.report.clean import cleaned
from compilescope.report.style import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.kernel_model import CudaGraph, FusionDecision, Kernel, KernelPart
    from compilescope.analysis.model import Compile, Place, Result
    from compilescope.report.style import Style

_MOST = 8
_PLAIN = (
    (re.compile(r"^intermediate nodes between node1 & node2$"), "another operation between them has to run first"),
    (re.compile(r"^no shared data.*$"), "they use no data in common"),
    (re.compile(r"^numel/rnumel mismatch \([\w-]+\) (.+)$"), r"their loops have other sizes: \1"),
    (re.compile(r"\bnode1\b"), "the first"),
    (re.compile(r"\bnode2\b"), "the second"),
)
"""What torch's scheduler says, and the same in plain words."""


def decisions(result: Result, style: Style) -> list[list[str]]:
    """The blocks of lines; none where nothing was asked for. Each is cut to its first lines."""
    kernels = [set(kernel.nodes) for kernel in result.kernels] if result.fusion else []
    measured = [kernel for kernel in result.kernels if kernel.autotune]
    compiles = {one.id: one for one in result.compiles}
    blocks = (
        ("Fusion", _fusions(cleaned(result.fusion), kernels, style)),
        ("Measured choices", _measured(cleaned(measured), style)),
        ("CUDA graphs", _cudagraphs(cleaned(result.cudagraphs), compiles, style)),
    )
    return [_block(title, lines, style) for title, lines in blocks if lines]


def _block(title: str, lines: list[str], style: Style) -> list[str]:
    shown = [line for text in lines[: _MOST + 1] for line in _wrapped(text)]
    left = len(lines) - _MOST - 1
    more = [f"  ... {left} more in --format json ..."] if left > 0 else []
    return [style.paint("strong", title), *shown, *more]


def _fusions(found: list[FusionDecision], kernels: list[set[str]], style: Style) -> list[str]:
    """How many pairs came together, then the pairs of lines that did not, the most frequent first.

    Without pairs that are in one kernel all the same: another way was found, or they run side by side in it.
    """
    apart = Counter(
        f"{_lines((one.first, one.second), style)}: {_plain(one.reason)}"
        for one in found
        if not one.fused and not any(kernel.issuperset(one.first.nodes + one.second.nodes) for kernel in kernels)
    )
    fused = sum(one.fused for one in found)
    head = [f"{fused} {'pair' if fused == 1 else 'pairs'} fused"] if fused else []
    head += [f"{apart.total()} left apart"] if apart else []
    rows = [f"{count} x {text}" if count > 1 else text for text, count in apart.most_common()]
    return [", ".join(head), *rows] if head else []


def _plain(reason: str | None) -> str:
    text = _words(reason)
    for known, words in _PLAIN:
        text = known.sub(words, text)
    return text


def _lines(parts: tuple[KernelPart, KernelPart], style: Style) -> str:
    """The lines of both, in their order in the program; a file is named once where it is the same."""
    first, second = sorted(parts, key=lambda part: [(place.file, place.range.start.line) for place in part.places])
    files = {place.file for place in first.places}
    return f"{_part(first, None, style)} and {_part(second, files.pop() if len(files) == 1 else None, style)}"


def _part(part: KernelPart, known: str | None, style: Style) -> str:
    places = dict.fromkeys(
        f"{'' if place.file == known else style.path(place.file)}:{place.range.start.line + 1}" for place in part.places
    )
    return " + ".join(places) or ", ".join(part.nodes) or "?"


def _measured(kernels: list[Kernel], style: Style) -> list[str]:
    """Choices among algorithms one by one, the slowest first; settings of single kernels summed up."""
    algorithms: dict[str, float] = {}
    settings: dict[tuple[str, str], dict[str, Any]] = {}
    for kernel in kernels:
        tuned = kernel.autotune or {}
        if tuned["name"] == kernel.name:
            settings[kernel.graph, kernel.name] = tuned
        else:
            best = min((one["ms"] for one in _known(tuned)), default=0.0)
            algorithms[_algorithm(kernel, tuned, style)] = best
    return [*sorted(algorithms, key=lambda text: -algorithms[text]), *_settings(list(settings.values()))]


def _algorithm(kernel: Kernel, tuned: dict[str, Any], style: Style) -> str:
    """What won, what came next, and how much faster than ATen's it is."""
    known = _known(tuned)
    winner = next((one for one in known if one["name"] == tuned["winner"]), None)
    others = [one for one in known if one is not winner]
    aten = next((one for one in known if one["kind"] == "extern"), None)
    parts = [_time(winner) if winner else str(tuned["winner"])]
    if winner and aten and aten is not winner and winner["ms"]:
        parts.append(f"{aten['ms'] / winner['ms']:.2f} x as fast as ATen's {_time(aten)}")
    if others and others[0] is not aten:
        parts.append(f"next {_time(others[0])}")
    failed = len(tuned["choices"]) - len(known)
    parts.append(f"{len(tuned['choices'])} choices" + (f", {failed} failed" if failed else ""))
    places = dict.fromkeys(f"{style.path(place.file)}:{place.range.start.line + 1}" for place in kernel.places)
    at = f" at {', '.join(places)}" if places else ""
    return f"{tuned['name']} in {kernel.name}{at}: {'; '.join(parts)}"


def _known(tuned: dict[str, Any]) -> list[dict[str, Any]]:
    """The choices that have times, fastest first."""
    return sorted((one for one in tuned["choices"] if one["ms"] is not None), key=lambda one: one["ms"])


def _time(one: dict[str, Any]) -> str:
    return f"{one['name']} {one['ms']:.4g} ms"


def _settings(found: list[dict[str, Any]]) -> list[str]:
    if not found:
        return []
    counts = [len(tuned["choices"]) for tuned in found]
    fewest, most = min(counts), max(counts)
    several = f"{fewest} to {most}" if fewest < most else str(most)
    if len(found) == 1:
        return [f"1 kernel: best of {several} configurations, see --format json"]
    return [f"{len(found)} kernels: best of {several} configurations each, see --format json"]


def _cudagraphs(found: list[CudaGraph], compiles: dict[str, Compile], style: Style) -> list[str]:
    """One line for each graph, with all that became of it."""
    graphs: dict[tuple[str, str | None], list[CudaGraph]] = {}
    for one in found:
        graphs.setdefault(("", one.graph) if one.graph else (one.compile_id, None), []).append(one)
    return [
        f"{_graph(graph or id_, compiles.get(events[0].compile_id), style)}: {'; '.join(_became(events, style))}"
        for (id_, graph), events in graphs.items()
    ]


def _graph(graph: str, compiled: Compile | None, style: Style) -> str:
    if graph in {"", "-"}:
        return "a graph"
    place = "" if compiled is None or compiled.file is None else f" ({style.path(compiled.file)}:{compiled.line})"
    return graph if compiled is None else f"{graph} of {compiled.function}{place}"


def _became(events: list[CudaGraph], style: Style) -> Iterable[str]:
    last = {one.what: one for one in events}
    for one in dict.fromkeys((one.reason, one.place) for one in events if one.what == "skip"):
        yield _skipped(*one, style)
    if (sizes := last.get("new-size")) is not None:
        latest = f", the latest {', '.join(sizes.sizes)}" if sizes.sizes else ""
        yield f"recorded for {sizes.count or 'several'} sizes so far{latest}"
    elif "record" in last:
        yield "recorded"
    if (again := last.get("re-record")) is not None:
        times = "" if again.count is None else f" {again.count - 1} {'time' if again.count == 2 else 'times'}"  # noqa: PLR2004
        yield f"recorded again{times}{f' ({_words(again.reason)})' if again.reason else ''}"
    if (pieces := last.get("partition")) is not None and (pieces.count or 0) > 1:
        yield f"cut into {pieces.count} pieces"
    elif pieces is not None and len(last) == 1:
        yield "never recorded"


def _skipped(reason: str | None, place: Place | None, style: Style) -> str:
    at = "" if place is None else f", {style.path(place.file)}:{place.range.start.line + 1}"
    return f"left out: {_words(reason) or 'no reason given'}{at}"


def _words(text: str | None) -> str:
    return " ".join((text or "").split()).rstrip(":")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
