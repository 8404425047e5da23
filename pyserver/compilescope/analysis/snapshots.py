"""Nodes of recorded graphs: from our snapshots, or read from the text that torch writes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.facts import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Node:
    """One node of a graph. `inputs` are positions of nodes in the same graph."""

    name: str
    op: str
    target: str
    args: str
    inputs: tuple[int, ...]
    dtype: str = ""
    shape: tuple[str, ...] | None = None
    stride: tuple[str, ...] | None = None
    device: str = ""
    module: tuple[str, str] | None = None
    frame: Frame | None = None
    origins: tuple[str, ...] = ()
    code: str = ""
    seq: int | None = None
    """Torch's number of the autograd function that it belongs to, the same for its forward and backward nodes."""
    input: str = ""
    """Which input of the traced function a placeholder stands for, in torch's words: `args[0]`."""
    parts: tuple[str, ...] = ()
    """The unfused nodes of a scheduler node."""
    group: tuple[str, ...] = ()
    """Device and loop sizes of a scheduler node."""


def from_json(data: Any) -> list[Node]:
    """Return the nodes of a `compilescope_snapshot`."""
    nodes = [one for one in ours.items(ours.mapping(data).get("nodes")) if isinstance(one, dict)]
    return [_node(one, len(nodes)) for one in nodes]


# Quotes inside of a text are escaped, so only a node's own fields match.
_CALLED = re.compile(rb'"op"\s*:\s*"call_')
_ITEM = re.compile(rb'"target"\s*:\s*"_operator\.getitem"')


def operations(payload: bytes) -> int:
    """Return how many operations a snapshot has, as it stands in the log; taking an item of a result is none."""
    return len(_CALLED.findall(payload)) - len(_ITEM.findall(payload))


def _node(one: dict[str, Any], count: int) -> Node:
    module = ours.strings(one.get("module"))
    inputs = [value for each in ours.items(one.get("inputs")) if (value := ours.integer(each)) is not None]
    return Node(
        name=ours.text(one.get("name")) or "?",
        op=ours.text(one.get("op")) or "",
        target=ours.text(one.get("target")) or "",
        args=ours.text(one.get("args")) or "",
        inputs=tuple(value for value in inputs if 0 <= value < count),
        dtype=ours.text(one.get("dtype")) or "",
        shape=_sizes(one.get("shape")),
        stride=_sizes(one.get("stride")),
        device=ours.text(one.get("device")) or "",
        module=(module[0], module[1]) if len(module) == 2 else None,  # noqa: PLR2004
        frame=ours.frame(one.get("frame")),
        origins=ours.strings(one.get("from")),
        seq=ours.integer(one.get("seq")),
        input=ours.text(one.get("input")) or "",
        parts=ours.strings(one.get("parts")),
        group=ours.strings(one.get("group")),
    )


def _sizes(value: Any) -> tuple[str, ...] | None:
    return tuple(str(one) for one in value) if isinstance(value, list) else None


_FILE = re.compile(r"^\s*# File: (?P<file>.+?):(?P<line>\d{1,9}) in (?P<function>.+?), code: ?(?P<code>.*)$")
_ASSIGN = re.compile(r'^\s*(?P<name>\w+)(?:: "(?P<type>[^"]*)")? = (?P<value>.+?)(?:;  .*)?$')
_ARGUMENT = re.compile(r'(?P<name>\w+)(?:: "(?P<type>[^"]*)")?\s*(?:,|$|#)')
_RETURN = re.compile(r"^\s*return (?P<value>.+?)\s*$")
_TYPE = re.compile(r"^(?P<dtype>\w+)\[(?P<shape>[^\]]*)\](?:\[(?P<stride>[^\]]*)\])?(?P<device>\S*)")
_CALL = re.compile(r"^(?P<target>[\w.]+)(?P<args>\(.*\))$", re.DOTALL)
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&": "and_", "|": "or_", "^": "xor",
}  # fmt: skip
_OPERATION = re.compile(r"^(?P<left>\S+) (?P<operator>[-+*/%@=!<>&|^]{1,2}) (?P<right>\S+)$")
_WORD = re.compile(r"[A-Za-z_]\w*")
_DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64", "u8": "uint8", "b8": "bool", "c64": "complex64", "c128": "complex128",
}  # fmt: skip


def from_text(text: str) -> list[Node]:
    """Return the nodes of a graph that torch printed (`print_readable`), as far as its lines can be read."""
    reader = _TextReader()
    for line in _logical_lines(text):
        reader.take(line)
    return reader.nodes


class _TextReader:
    """Reads a printed graph line by line."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._positions: dict[str, int] = {}
        self._frame: Frame | None = None
        self._code = ""

    def take(self, line: str) -> None:
        """Read one line."""
        if match := _FILE.match(line):
            self._frame, self._code = Frame(match["file"], int(match["line"]), match["function"]), match["code"]
        elif "def forward(" in line:
            for argument in _ARGUMENT.finditer(line.partition("def forward(")[2].rpartition("):")[0]):
                if argument["name"] != "self":
                    self._add(argument["name"], "placeholder", argument["name"], "()", argument["type"])
        elif match := _RETURN.match(line):
            self._frame, self._code = None, ""
            self._add("output", "output", "output", f"({match['value']})", None)
        elif match := _ASSIGN.match(line):
            self._assign(match["name"], match["value"], match["type"])

    def _assign(self, name: str, value: str, type_: str | None) -> None:
        call, operation = _CALL.match(value), _OPERATION.match(value)
        if call is not None:
            op = "call_module" if call["target"].startswith("self.") else "call_function"
            self._add(name, op, call["target"].removeprefix("torch.ops."), call["args"], type_)
        elif value in self._positions:
            self._positions[name] = self._positions[value]
        elif value.startswith("self."):
            self._add(name, "get_attr", value.removeprefix("self."), "()", type_)
        elif operation is not None:
            target = f"_operator.{_OPERATORS.get(operation['operator'], 'call')}"
            self._add(name, "call_function", target, f"({operation['left']}, {operation['right']})", type_)
        else:
            self._add(name, "call_function", value, "()", type_)

    def _add(self, name: str, op: str, target: str, args: str, type_: str | None) -> None:
        used = dict.fromkeys(self._positions[word] for word in _WORD.findall(args) if word in self._positions)
        self._positions[name] = len(self.nodes)
        typed = _typed(type_)
        self.nodes.append(Node(name, op, target, args, tuple(used), **typed, frame=self._frame, code=self._code))


def _logical_lines(text: str) -> Iterator[str]:
    """Yield the lines, a signature that stands on several joined to one."""
    joined: list[str] | None = None
    for line in text.split("\n"):
        if joined is not None:
            joined.append(line.partition(" # ")[0].strip())
            if line.rstrip().endswith("):"):
                yield " ".join(joined)
                joined = None
        elif "def forward(" in line and not line.rstrip().endswith(":"):
            joined = [line]
        else:
            yield line


def _typed(type_: str | None) -> dict[str, Any]:
    match = _TYPE.match(type_ or "")
    if match is None:
        return {}
    return {
        "dtype": _DTYPES.get(match["dtype"], match["dtype"]),
        "shape": _split(match["shape"]),
        "stride": None if match["stride"] is None else _split(match["stride"]),
        "device": match["device"],
    }


def _split(sizes: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in sizes.split(",") if one.strip())
