"""What each compile is checked for at every call, as a tree that can be folded."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compilescope.report.html.figures import counted, seconds
from compilescope.report.html.markup import EMPTY, Markup, details, join, section, shortened, tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.guards import Guarded, GuardTree
    from compilescope.report.html.material import Material

_MOST_COMPILES = 12
_MOST_LINES = 240
_MOST_IN_ALL = 1500
_DEEPEST = 24


def guards(material: Material) -> Markup:
    """The section; empty when no guards are recorded."""
    trees = material.result.guards
    if not trees:
        return EMPTY
    left = _MOST_IN_ALL
    blocks: list[Markup] = []
    for tree in trees[:_MOST_COMPILES]:
        block, used = _tree(tree, min(left, _MOST_LINES))
        left -= used
        blocks.append(block)
    compiles = sum(one.guards is not None for one in material.result.compiles)
    if compiles > len(blocks):
        material.left_out.append(f"the guards of {compiles - len(blocks)} of {compiles} compiles")
    every = sum(one.count for one in trees)
    about = f"{counted(every, 'check')} of {counted(len(trees), 'compile')}, as torch makes them at each call"
    return section("guards", "Guards", about, *blocks)


def _tree(tree: GuardTree, most: int) -> tuple[Markup, int]:
    lines: list[Markup] = []
    for depth, line in _lines(tree.root, 0):
        if len(lines) >= most:
            break
        lines.append(tag("div", tag("span", "  " * min(depth, _DEEPEST), line), class_="el"))
    rest = tree.size - len(lines)
    if rest > 0:
        lines.append(
            tag(
                "div", f"… {rest:,} more lines; show --guards {shortened(tree.compile_id, 40)} has all", class_="el dim"
            )
        )
    kinds = Counter(guard.kind for value in _values(tree.root) for guard in value.guards)
    most_met = ", ".join(f"{count} × {shortened(kind, 40)}" for kind, count in kinds.most_common(4))
    cost = f", {seconds(tree.latency_us / 1e6)} a look-up" if tree.latency_us is not None else ""
    title = join(
        [
            tag("b", shortened(tree.compile_id, 40)),
            f" {counted(tree.count, 'check')}{cost}",
            tag("span", f" {most_met}", class_="dim"),
        ]
    )
    box = tag(
        "div",
        *lines,
        class_="ex tree",
        tabindex=0,
        role="group",
        aria_label=f"Guards of {shortened(tree.compile_id, 40)}",
    )
    return details(title, box, class_="block"), len(lines)


def _values(root: Guarded) -> Iterator[Guarded]:
    waiting = [root]
    while waiting:
        value = waiting.pop()
        yield value
        waiting += value.children


def _lines(root: Guarded, depth: int) -> Iterator[tuple[int, Markup]]:
    """The tree's lines with their depth: each value, then its checks, then what is reached through it."""
    waiting = [(root, depth)]
    while waiting:
        value, at = waiting.pop()
        if value.expression:
            kind = tag("span", f"  {shortened(value.type, 80)}", class_="c") if value.type else None
            yield at, join([tag("b", shortened(value.expression, 160)), kind])
            at += 1
        for guard in value.guards:
            place = guard.place
            where = tag("span", f"  {place.file}:{place.range.start.line + 1}", class_="c") if place else None
            code = shortened(guard.code, 200)
            yield at, join([tag("span", guard.kind, class_="f"), " ", code, where])
        waiting += [(child, at) for child in reversed(value.children)]
