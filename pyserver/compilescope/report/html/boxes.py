"""A recorded graph as at most sixty boxes: one a node, or, of a larger graph, one a stretch of a module."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from compilescope.analysis.graphs import kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from compilescope.analysis.snapshots import Node
    from compilescope.report.html.source import Excerpts

MOST = 60
"""Boxes of a picture."""
_MOST_INPUTS = 6
_DEEPEST = 8
_LABEL = 20
_SELF = re.compile(r"^(?:L\['self'\]|self)\.?")
_ORDER = ("fallback", "extern", "matmul", "kernel", "reduction", "pointwise", "other", "view", "input", "output")
_SUFFIX = re.compile(r"_\d+$")


@dataclass(frozen=True)
class Box:
    """One box: two lines, what colours it, what it says when pointed at, and the block of the model that it is in."""

    label: str
    about: str
    kind: str
    title: str
    block: str = ""


@dataclass
class Boxes:
    """The boxes in an order in which every edge goes forward. `inputs`: how many inputs have no box."""

    boxes: list[Box] = field(default_factory=list)
    edges: set[tuple[int, int]] = field(default_factory=set)
    inputs: int = 0
    grouped: bool = False


def boxes(nodes: Sequence[Node], excerpts: Excerpts, modules: dict[str, tuple[str, str]] | None = None) -> Boxes:
    """The boxes of a graph. `modules`: modules of nodes by name, for a graph of kernels, whose origins they are."""
    inputs = [place for place, node in enumerate(nodes) if kind(node) == "input"]
    drawn = [
        place
        for place, node in enumerate(nodes)
        if kind(node) != "output" and (kind(node) != "input" or len(inputs) <= _MOST_INPUTS)
    ]
    hidden = 0 if len(inputs) <= _MOST_INPUTS else len(inputs)
    module = [_module(nodes[place], modules or {}) for place in drawn]
    if len(drawn) <= MOST:
        made = [_single(nodes[place], block, excerpts) for place, block in zip(drawn, module, strict=True)]
        return Boxes(made, _edges(nodes, {place: number for number, place in enumerate(drawn)}), hidden)
    groups = _groups(len(drawn), module)
    made = [_group([nodes[drawn[at]] for at in group], module[group[0]], excerpts) for group in groups]
    home = {drawn[at]: number for number, group in enumerate(groups) for at in group}
    return Boxes(made, _edges(nodes, home), hidden, grouped=True)


def _edges(nodes: Sequence[Node], home: dict[int, int]) -> set[tuple[int, int]]:
    """Edges between boxes; what points backward, as no graph of torch's does, is left out."""
    found = set()
    for place, target in home.items():
        for source in nodes[place].inputs:
            start = home.get(source)
            if start is not None and start < target:
                found.add((start, target))
    return found


def _groups(count: int, module: Sequence[tuple[str, str]]) -> list[list[int]]:
    """Stretches of nodes of one module, as fine as fit into a picture; without modules, stretches of equal length."""
    for depth in range(_DEEPEST, 0, -1):
        paths = [".".join(path.split(".")[:depth]) for path, _ in module]
        found = _stretches(count, paths.__getitem__)
        if len(found) <= MOST and len(found) > 1:
            return found
    size = -(-count // MOST)
    return _stretches(count, lambda at: at // size)


def _stretches(count: int, key: Callable[[int], object]) -> list[list[int]]:
    """Neighbours with the same key together: as the order has every edge forward, so it is between stretches."""
    return [list(each) for _, each in groupby(range(count), key)]


def _module(node: Node, modules: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """A node's module as path and type; of a kernel, the module of most of what it computes."""
    found = node.module
    if found is None and modules:
        own = Counter(modules[name] for name in node.origins if name in modules)
        found = own.most_common(1)[0][0] if own else None
    return ("", "") if found is None else (_SELF.sub("", found[0]), found[1])


def _block(path: str) -> str:
    """The part of the model that a module is in: `layers.0`, `encoder`."""
    steps = path.split(".")
    return ".".join(steps[:2]) if len(steps) > 1 and steps[1].isdigit() else steps[0]


def operation(node: Node) -> str:
    """What a node does, in a word: `addmm`."""
    if node.op in {"placeholder", "get_attr", "output"}:
        return node.name
    if node.op == "kernel":
        return _SUFFIX.sub("", node.origins[-1]) if node.origins else node.name
    name = node.target.rpartition("aten.")[2] if "aten." in node.target else node.target.rpartition(".")[2]
    return name.partition(".")[0] or node.name


def _single(node: Node, module: tuple[str, str], excerpts: Excerpts) -> Box:
    shape = "×".join(node.shape) if node.shape is not None else ""
    label, about = operation(node), shape
    if node.op == "kernel" and node.target not in {"extern", "fallback"}:
        label = _written(node, excerpts) or label
        about = f"{len(node.parts)} loops fused" if len(node.parts) > 1 else "1 loop"
    elif node.op == "kernel":
        about = "library" if node.target == "extern" else "fallback"
    title = "\n".join(
        filter(
            None,
            [
                _cut(node.name, 120),
                _cut(node.target, 120),
                f"shape {shape}" if shape else "",
                _place(node),
                f"computes {_cut(', '.join(node.origins), 300)}" if node.op == "kernel" else "",
            ],
        )
    )
    return Box(_cut(label, _LABEL), _cut(about, _LABEL + 4), kind(node), title, _block(module[0]))


def _written(node: Node, excerpts: Excerpts) -> str:
    """What the program says at a node's place."""
    if node.frame is None:
        return ""
    line, end, column, stop = node.frame.line, node.frame.end_line, node.frame.col, node.frame.end_col
    if column is None or stop is None or (end or line) != line:
        return ""
    source = excerpts.lines(node.frame.file)
    return source[line - 1].encode()[column:stop].decode(errors="replace") if 0 < line <= len(source) else ""


def _place(node: Node) -> str:
    return f"{_cut(node.frame.file, 200)}:{node.frame.line}" if node.frame else ""


def _group(nodes: Sequence[Node], module: tuple[str, str], excerpts: Excerpts) -> Box:
    if len(nodes) == 1:
        return _single(nodes[0], module, excerpts)
    path, type_ = module
    kinds = {kind(node) for node in nodes}
    most = [name for name, _ in Counter(map(operation, nodes)).most_common(2)]
    own = path.rpartition(".")[2]
    name = type_.rpartition(".")[2] if len({node.module for node in nodes}) == 1 else own
    label = name or " · ".join(most)
    about = " · ".join(filter(None, [own if own != label else "", f"{len(nodes)} nodes"]))
    counts = Counter(map(operation, nodes)).most_common(6)
    title = "\n".join(
        filter(None, [path, ", ".join(f"{count} × {_cut(name, 40)}" for name, count in counts), _place(nodes[0])])
    )
    dominant = next((one for one in _ORDER if one in kinds), "other")
    return Box(_cut(label, _LABEL), _cut(about, _LABEL + 4), dominant, title, _block(path))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def modules_of(nodes: Iterable[Node]) -> dict[str, tuple[str, str]]:
    """The modules of the nodes that have one, by name."""
    return {node.name: node.module for node in nodes if node.module is not None}
