"""The seconds of the compiles, summed for each line of the program.

The time that the C++ or Triton compiler took goes in equal parts to the kernels of its graph, and from each in equal
parts to the lines that it computes. All other time of a compile goes to the lines of the operations that Dynamo
captured, by how many each has. What has no line goes to the line of the function's `def`. So the lines add up to the
compiles.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.model import LineTime
from compilescope.analysis.once import Once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Compiled
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.recording.reader import Recording

PARTS = ("capture", "guards", "backend", "backward")
_COMPILER = {"backend": "kernel_compile", "backward": "backward_kernel_compile"}
_FILE = re.compile(r"\s*# File: (?P<file>.+?):(?P<line>\d{1,9}) in ")
# Bytes of graphs that torch printed, read for their lines when a recording has no snapshots of ours.
_MOST_TEXT = 4_000_000
_GENERATED = ("cpp", "triton", "template")

Place = tuple[str, int]


def table(recording: Recording, context: Context, graphs: Graphs, kernels: Iterable[Kernel]) -> list[LineTime]:
    """Return the lines that compiles took time for, the dearest first."""
    captured = _captured(recording, context, graphs)
    computed = _computed(kernels)
    lines: dict[Place, LineTime] = {}
    for one in context.compiles:
        code = one.subject
        if code is None or not one.total:
            continue
        operations = captured.get(one.where, Counter())
        home = {(code.file, code.line): 1.0}
        for place, seconds in _shares(one, operations or home, computed.get(context.name(one.where), {})).items():
            line = lines.setdefault(place, LineTime(*place, seconds=dict.fromkeys(("total", *PARTS), 0.0)))
            line.operations += operations[place]
            line.compile_ids.append(context.name(one.where))
            for part, value in seconds.items():
                line.seconds[part] += value
                line.seconds["total"] += value
    for line in lines.values():
        line.seconds = {part: round(value, 6) for part, value in line.seconds.items()}
    return sorted(lines.values(), key=lambda line: (-line.seconds["total"], line.file, line.line))


def _shares(
    one: Attempted, operations: Mapping[Place, float], kernels: Mapping[str, Mapping[Place, float]]
) -> dict[Place, dict[str, float]]:
    """Return the seconds of one compile by line and part."""
    seconds = one.seconds
    found: dict[Place, dict[str, float]] = defaultdict(lambda: defaultdict(float))

    def divide(part: str, value: float, weights: Mapping[Place, float]) -> None:
        whole = sum(weights.values())
        for place, weight in weights.items():
            found[place][part] += value * weight / whole

    for part in PARTS:
        value = seconds.get(part, 0.0)
        weights = kernels.get(part)
        if weights:
            compiler = min(seconds.get(_COMPILER[part], 0.0), value)
            divide(part, compiler, weights)
            value -= compiler
        divide(part, value, operations)
    return found


def _captured(recording: Recording, context: Context, graphs: Graphs) -> dict[Compiled, Counter[Place]]:
    """Return the operations of each compile's graph as Dynamo captured it, by line; a retry's in place of the first."""
    found: dict[Compiled, Counter[Place]] = {}
    by_attempt: dict[Compiled, str | None] = {}
    own: set[int] = set()
    for event in recording.events("compilescope_stage"):
        data = ours.mapping(recording.json(event))
        own.add(event.process)
        if data.get("stage") != "dynamo" or event.base_id is None:
            continue
        where = context.compiles.where(event)
        if by_attempt.setdefault(where, event.compile_id) != event.compile_id:
            by_attempt[where] = event.compile_id
            found.pop(where, None)
        nodes = graphs.recorded(ours.text(data.get("snapshot")))
        found.setdefault(where, Counter()).update(_places(nodes))
    left = _MOST_TEXT
    printed = Once(recording, lambda event: Counter(_printed(recording.payload(event))))
    for event in recording.events("dynamo_output_graph"):
        left -= event.raw().payload_length
        if event.process not in own and event.base_id is not None and left >= 0:
            found[context.compiles.where(event)] = printed.of(event) or Counter()
    return found


def _places(nodes: Iterable[dict[str, Any]]) -> Iterator[Place]:
    for node in nodes:
        if str(node.get("op")).startswith("call_") and (frame := ours.frame(node.get("frame"))):
            yield frame.file, frame.line


def _printed(text: str) -> Iterator[Place]:
    """Yield the place of each operation of a graph as torch prints it, under comments with the places."""
    place = None
    for line in text.split("\n"):
        if "# File: " in line:
            match = _FILE.match(line)
            place = (match["file"], int(match["line"])) if match else None
        elif place is not None and " = " in line:
            yield place


def _computed(kernels: Iterable[Kernel]) -> dict[str, dict[str, dict[Place, float]]]:
    """Return how much of the generated kernels each line has, by compile and by the part that compiled them."""
    found: dict[str, dict[str, dict[Place, float]]] = {}
    for kernel in kernels:
        if kernel.kind not in _GENERATED or not kernel.lines:
            continue
        part = "backward" if kernel.graph.rpartition("/")[2].startswith("backward") else "backend"
        weights = found.setdefault(kernel.compile_id, {}).setdefault(part, defaultdict(float))
        for line in kernel.lines:
            weights[line["file"], line["line"]] += 1 / len(kernel.lines)
    return found
