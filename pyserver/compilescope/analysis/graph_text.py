"""A graph as text, one node a line, in a form that shows well in a diff."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.snapshots import Node

SHORT_DTYPES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16",
    "int32": "i32", "int64": "i64", "uint8": "u8", "bool": "b8", "complex64": "c64", "complex128": "c128",
}  # fmt: skip


def text(nodes: Iterable[Node], code: Iterable[str]) -> str:
    """Return the graph's text. `code` is each node's source line; it stands before the nodes that come from it."""
    lines: list[str] = []
    place: tuple[str, int] | None = None
    for node, source in zip(nodes, code, strict=True):
        if node.frame is not None and (node.frame.file, node.frame.line) != place:
            place = node.frame.file, node.frame.line
            name = os.path.basename(node.frame.file)  # noqa: PTH119 - a path of another system, maybe
            lines += ["", f"# {name}:{node.frame.line}  {source}".rstrip()]
        lines.append(node_line(node))
    return "\n".join(lines).strip("\n") + "\n"


def tensor(node: Node) -> str:
    """Return a node's type as torch's logs print it: `f32[8, 64]`; empty when it is no tensor."""
    if node.shape is None:
        return ""
    return f"{SHORT_DTYPES.get(node.dtype, node.dtype)}[{', '.join(node.shape)}]"


def node_line(node: Node) -> str:
    """Return a node as its line in the text: `%add: f32[8, 64] = aten.add.Tensor(x, 1)`."""
    type_ = tensor(node)
    head = f"%{node.name}{f': {type_}' if type_ else ''}"
    if node.op == "placeholder":
        return f"{head} = input"
    if node.op == "output":
        return f"return {node.args}"
    if node.op == "get_attr":
        return f"{head} = self.{node.target}"
    if node.op == "call_method":
        return f"{head} = .{node.target}{node.args}"
    if node.op == "kernel":
        return f"{head} = {node.target}{node.args}" + (f"  # {', '.join(node.origins)}" if node.origins else "")
    return f"{head} = {node.target}{node.args}"
