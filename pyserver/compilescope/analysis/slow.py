"""`slow-compile`: loops that were unrolled into most of a large graph, and blocks of one kind that are most of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compilescope.analysis import syntax
from compilescope.analysis.model import Finding
from compilescope.analysis.repeated import blocks, loop_over

if TYPE_CHECKING:
    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.repeated import Blocks
    from compilescope.analysis.snapshots import Node

# A graph of fewer nodes compiles quickly however it came about.
_LARGE = 300
_ROUNDS = 16
_STAGES = {
    "capture": "recording the graph",
    "backend": "the backend",
    "inductor": "Inductor",
    "code_gen": "code generation",
    "joint": "the joint passes",
    "post_grad": "the post-grad passes",
    "backward": "the backward graph",
}


def findings(context: Context, graphs: Graphs) -> list[Finding]:
    """Return one finding for each loop or list of blocks that is most of a large graph which took most of the time."""
    whole = sum(one.total for one in context.compiles)
    found: dict[tuple[str, int], Finding] = {}
    for one in context.compiles:
        if (one.nodes or 0) < _LARGE or one.total * 2 < whole:
            continue
        stages = graphs.stages(context.name(one.where))
        snapshot = next((stage.snapshot for stage in stages if stage.stage == "dynamo" and stage.snapshot), None)
        nodes = (graphs.nodes(snapshot) if snapshot else None) or []
        loop = _loop(context, nodes)
        if loop is not None:
            found.setdefault((loop[0].file, loop[0].line), _unrolled(context, one, *loop))
        elif (alike := blocks(nodes)) is not None and alike.operations * 2 > len(nodes) and one.code is not None:
            place = loop_over(context, one.code, alike.name)
            if context.rules.in_user_code(place.file):
                found.setdefault((place.file, place.line), _blocks(context, one, place, alike))
    return list(found.values())


def _loop(context: Context, nodes: list[Node]) -> tuple[Frame, int, int] | None:
    """Return the loop behind more than half of a compile's graph, its rounds, and how many nodes came of them."""
    places = Counter(
        (node.frame.file, node.frame.line, node.frame.col, node.target) for node in nodes if node.frame is not None
    )
    lines: Counter[tuple[str, int]] = Counter()
    for (file, line, _, _), count in places.items():
        if context.rules.in_user_code(file):
            lines[file, line] += count
    for (file, line), _ in lines.most_common(1):
        header = syntax.loop_around(context.sources.get(file), line, file)
        if header is None:
            return None
        inside = {at: count for at, count in lines.items() if at[0] == file and header[1] <= at[1] <= header[2]}
        rounds = max(count for at, count in places.items() if at[:2] in inside)
        total = sum(inside.values())
        if rounds >= _ROUNDS and total * 2 > len(nodes):
            return header[0], rounds, total
    return None


def _unrolled(context: Context, one: Attempted, loop: Frame, rounds: int, nodes: int) -> Finding:
    return _finding(
        context,
        one,
        loop,
        title=f"this loop was unrolled into {nodes} operations, {one.total:.2f} s of compiling",
        explanation="A Python loop is recorded round by round, so the graph and the time to compile it grow with the "
        "number of rounds.",
        hints=[
            "Work on all rounds at once with tensor operations, or compile a function of one round.",
            "`torch._higher_order_ops.scan` keeps the loop as one operation.",
        ],
        label=f"{nodes} operations from {rounds} rounds",
        nodes=nodes,
    )


def _blocks(context: Context, one: Attempted, place: Frame, alike: Blocks) -> Finding:
    instead = f"`for block in model.{alike.name}: block.compile()`."
    return _finding(
        context,
        one,
        place,
        title=f"{alike.alike} blocks of one kind in `{alike.name}` went into one graph: {alike.operations} operations, "
        f"{one.total:.2f} s of compiling",
        explanation="Each block is recorded and compiled by itself, though all are alike, so the time to compile grows "
        "with their number.",
        hints=[
            f"Compile one block instead, its code is then used for all (regional compilation): {instead}",
            "Fusing across the borders of blocks is lost then, which is rarely much.",
        ],
        label=f"{alike.operations} operations from {alike.alike} blocks",
        nodes=alike.operations,
    )


def _finding(
    context: Context,
    one: Attempted,
    place: Frame,
    *,
    title: str,
    explanation: str,
    hints: list[str],
    label: str,
    nodes: int,
) -> Finding:
    parts = {name: value for name, value in one.seconds.items() if name in _STAGES}
    largest = max(parts, key=lambda name: parts[name], default=None)
    return Finding(
        rule="slow-compile",
        severity="information",
        file=place.file,
        range=context.ranges.of(place),
        title=title,
        explanation=explanation + (f" Most of the time went into {_STAGES[largest]}." if largest else ""),
        reason=f"{one.nodes} nodes in one graph",
        class_="control-flow",
        stage="compile",
        code="slow-compile",
        href=None,
        compile_ids=[context.name(one.where)],
        cost_s=round(one.total, 6),
        hints=hints,
        detail={
            "label": label,
            "function": context.compiled(one.where, one.code or place),
            "seconds": {name: round(value, 6) for name, value in one.seconds.items()},
            "nodes": nodes,
        },
    )
