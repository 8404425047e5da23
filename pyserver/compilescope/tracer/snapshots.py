"""Graphs as they were at one moment: taken by reference, compared by identity, turned into text later.

A node's `_args` and `_kwargs` are immutable and replaced as a whole (torch/fx/node.py, 2.6 to 2.14), so a list of
references to them is a true snapshot at a fraction of a microsecond for each node. Comparing values instead could ask
a symbolic size whether it equals another, which adds a guard to the program.
"""

from __future__ import annotations

import hashlib
import json
import sys
from operator import is_
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compilescope.tracer.stacktext import StackTexts

LONGEST_TEXT = 200
QUOTE = json.encoder.encode_basestring_ascii
WORDS = tuple("[" + ", ".join(['"%s"'] * rank) + "]" for rank in range(65))
"""JSON lists of strings for every rank that a tensor can have, to be filled in without a call for each size."""
GRADIENT_SUM = "Gradient addition node due to multiple use"
"""How torch's stack of a sum of gradients begins (`GRADIENT_ACC_SPECIAL_STACK`, torch/fx/traceback.py, 2.6 to 2.14)."""
NO_TENSOR = '"dtype": null, "shape": null, "stride": null, "device": null'

State = tuple[Any, str, Any, Any, Any]
NO_STATE: State = (None, "", None, None, None)


class Snapshot:
    """One graph at one moment. `same_as` is an earlier snapshot that had the same content, if any."""

    __slots__ = ("content", "edges", "id", "nodes", "same_as", "states")

    def __init__(self, graph: Any) -> None:
        self.states: list[Any] | None = [
            part for n in graph.nodes for part in (n, n.name, n.target, n._args, n._kwargs)
        ]
        """All nodes' states in one list: a tuple for each would wake the garbage collector at every snapshot."""
        self.nodes = len(self.states) // len(NO_STATE)
        self.edges = 0
        self.id = ""
        self.content = ""
        self.same_as: Snapshot | None = None

    @classmethod
    def of_text(cls, id_: str, nodes: int, edges: int, content: str = "") -> Snapshot:
        """A snapshot without a graph: one that was written (it has an `id`), or the JSON of its nodes (`content`)."""
        snapshot = cls.__new__(cls)
        snapshot.states, snapshot.nodes, snapshot.edges, snapshot.id, snapshot.same_as = None, nodes, edges, id_, None
        snapshot.content = content
        return snapshot

    def equals(self, other: Snapshot) -> bool:
        """Whether the graph did not change between the two; to the letter, they then share one list."""
        mine, theirs = self.states, other.states
        if mine is None or theirs is None or len(mine) != len(theirs):
            return False
        if all(map(is_, mine, theirs)):
            self.states = theirs
            return True
        return all(
            a[0] is b[0] and a[1] == b[1] and a[2] is b[2] and _same(a[3], b[3]) and _same(a[4], b[4])
            for a, b in zip(_rows(mine), _rows(theirs), strict=True)
        )

    def origin(self) -> Snapshot:
        """The first of the snapshots with this content."""
        snapshot = self
        while snapshot.same_as is not None:
            snapshot = snapshot.same_as
        return snapshot


def _rows(states: list[Any]) -> Iterator[State]:
    """One state for each node."""
    return zip(*[iter(states)] * len(NO_STATE), strict=True)


def _same(a: Any, b: Any) -> bool:
    """Equality of node arguments that asks nothing of symbolic values, tensors or objects of the user's."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, slice):
        return _same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    return kind in (int, float, str, bool, complex) and a == b


class Renderer:
    """Writes `compilescope_snapshot` events, each content once; a node of several snapshots is rendered once."""

    def __init__(self, emit: Callable[[str, Any], None], stacks: StackTexts) -> None:
        self._emit = emit
        self._stacks = stacks
        self._written: set[str] = set()
        self._nodes: dict[Any, tuple[State, str, str, dict[Any, None]]] = {}
        self._targets: dict[int, tuple[Any, str]] = {}
        self._modules: dict[tuple[str, Any], str] = {}

    def forget(self) -> None:
        """Start anew: another process with another log."""
        self._written.clear()
        self.release()

    def release(self) -> None:
        """Drop the references to graphs; to be called when no snapshot is pending any more."""
        self._nodes.clear()
        self._targets.clear()
        self._modules.clear()

    def render(self, snapshot: Snapshot) -> Snapshot:
        """Give the snapshot its `id` and edge count, writing its content if it is new; return the one that has them."""
        snapshot = snapshot.origin()
        states = snapshot.states
        if snapshot.id:
            return snapshot
        if states is None:
            snapshot.id, snapshot.content = self.write(snapshot.content), ""
            return snapshot
        positions = {node: position for position, node in enumerate(states[:: len(NO_STATE)])}
        known = self._nodes
        texts: list[str] = []
        edges = 0
        for state in _rows(states):
            was = known[state[0]][0] if state[0] in known else NO_STATE
            if was[3] is not state[3] or was[4] is not state[4] or was[2] is not state[2] or was[1] is not state[1]:
                known[state[0]] = self._node(state)
            _, head, tail, inputs = known[state[0]]
            numbers = ""
            for node in inputs:
                if node in positions:
                    numbers = f"{numbers},{positions[node]}" if numbers else f"{positions[node]}"
                    edges += 1
            texts += (f"{head}[{numbers}]{tail}",)
        snapshot.edges = edges
        snapshot.id = self.write(",".join(texts))
        return snapshot

    def same(self, before: Snapshot, after: Snapshot) -> bool:
        """Whether the graph did not change between the two; at no cost unless one of them was written already."""
        if before.states is None or after.states is None:
            return self.render(before).id == self.render(after).id
        return after.origin() is before.origin() or after.equals(before)

    def write(self, nodes: str) -> str:
        """Write a snapshot whose nodes are JSON already, unless it was; returns its id."""
        digest = hashlib.blake2b(nodes.encode(errors="surrogatepass"), digest_size=10).hexdigest()
        if digest not in self._written:
            self._written.add(digest)
            self._emit("snapshot", f'{{"id": "{digest}", "nodes": [{nodes}]}}')
        return digest

    def _node(self, state: State) -> tuple[State, str, str, dict[Any, None]]:
        """`state` itself, JSON before and after the list of inputs, and the input nodes.

        Put together by hand: this runs for every node of every graph.
        """
        node, name, target, args, kwargs = state
        node_type = node.__class__
        inputs: dict[Any, None] = {}
        words: list[str] = []
        for argument in args:
            if argument.__class__ is node_type:
                inputs[argument] = None
                words += (f"%{argument.name}",)
            else:
                words += (_text(argument, inputs),)
        for key in kwargs:
            words += (f"{key}={_text(kwargs[key], inputs)}",)
        meta = node.meta
        value = meta["val"] if "val" in meta else meta.get("example_value")
        head = (
            f'{{"name": {QUOTE(name)}, "op": "{node.op}", "target": {self._target(target)}, '
            f'"args": {QUOTE("(" + ", ".join(words) + ")")}, "inputs": '
        )
        tail = (
            f", {_tensor(value)}, "
            f'"module": {self._module(meta)}, '
            f'"frame": {self._stacks.user_frame_json(meta["stack_trace"]) if "stack_trace" in meta else "null"}, '
            f'"from": {_sources(meta["from_node"]) if "from_node" in meta else "[]"}'
            f"{_links(node, meta)}}}"
        )
        return state, head, tail, inputs

    def _target(self, target: Any) -> str:
        """JSON of a target; kept for each object."""
        key = id(target)
        if key not in self._targets:
            text = target if isinstance(target, str) else target_name(target)
            self._targets[key] = (target, QUOTE(text))
        return self._targets[key][1]

    def _module(self, meta: Any) -> str:
        """Path and class of the innermost module (`nn_module_stack`: an ordered dict of (path, class)) as JSON.

        A node of the backward has that of the forward node it belongs to (`fwd_nn_module_stack`,
        `torch/_functorch/_aot_autograd/utils.py`, 2.6+).
        """
        stack = meta.get("nn_module_stack")
        if not stack and "fwd_nn_module_stack" in meta:
            stack = meta["fwd_nn_module_stack"]
        if not stack:
            return "null"
        *_, (path, class_) = stack.values()
        key = (path, class_)
        if key not in self._modules:
            self._modules[key] = json.dumps([str(path), class_ if isinstance(class_, str) else class_.__name__])
        return self._modules[key]


def target_name(target: Any) -> str:
    """`aten.addmm.default` for an operator, the qualified name of any other callable."""
    if type(target).__name__ in ("OpOverload", "OpOverloadPacket"):
        return str(target)
    name = getattr(target, "__name__", None)
    if name is None:
        return type(target).__name__
    module = getattr(target, "__module__", None)
    return str(name) if not module or type(target).__name__.endswith("Operator") else f"{module}.{name}"


def _text(argument: Any, inputs: dict[Any, None]) -> str:  # noqa: PLR0911 - one line for each kind
    kind = argument.__class__
    if kind.__name__ == "Node":
        inputs[argument] = None
        return f"%{argument.name}"
    if kind in (int, bool, float, type(None)):
        return repr(argument)
    if isinstance(argument, (tuple, list)):
        inner = ", ".join([_text(item, inputs) for item in argument])
        if isinstance(argument, list):
            return f"[{inner}]"
        return f"({inner},)" if len(argument) == 1 else f"({inner})"
    if isinstance(argument, dict):
        return "{" + ", ".join([f"{key!s}: {_text(item, inputs)}" for key, item in argument.items()]) + "}"
    if kind is slice:
        return f"slice({', '.join(_text(item, inputs) for item in (argument.start, argument.stop, argument.step))})"
    if kind in (str, complex):
        return repr(argument)[:LONGEST_TEXT]
    module = kind.__module__
    if module in ("torch", "torch.torch_version") and kind.__name__ in (
        "dtype", "device", "layout", "memory_format", "SymInt", "SymFloat", "SymBool", "Size",
    ):  # fmt: skip
        return str(argument)
    return target_name(argument) if callable(argument) and hasattr(argument, "__name__") else f"<{kind.__name__}>"


def _tensor(value: Any) -> str:
    """JSON of what is known of a node's value when that is a tensor; reads fake tensors only."""
    torch = sys.modules["torch"]
    if not isinstance(value, torch.Tensor):
        return NO_TENSOR
    stride = "null"
    try:
        words = WORDS[value.ndim]
        shape = words % value.shape
        if value.layout is torch.strided:
            stride = words % value.stride()
    except Exception:  # nested tensors have no sizes and strides of their own
        return NO_TENSOR
    dtype = f"{value.dtype}"
    return f'"dtype": "{dtype[6:]}", "shape": {shape}, "stride": {stride}, "device": "{value.device}"'


def _links(node: Any, meta: Any) -> str:
    """What else says where a node came from, as JSON to append.

    `seq`: torch's number of the autograd function that it belongs to, the same for its forward and backward nodes
    (`seq_nr`, torch/fx/proxy.py; not that of a sum of gradients, which belongs to none). `input`: which input of the
    traced function a placeholder stands for (`desc`, torch/_functorch/_aot_autograd/descriptors.py, 2.9+).
    """
    if "seq_nr" in meta and "is_gradient_acc" not in meta and GRADIENT_SUM not in (meta.get("stack_trace") or ""):
        return f', "seq": {meta["seq_nr"]}'
    if node.op == "placeholder" and "desc" in meta:
        return f', "input": {QUOTE(meta["desc"].expr())}'
    return ""


def _sources(chain_: Any) -> str:
    """Names of the nodes that torch says this one came from (`from_node`: `torch.fx.traceback.NodeSource`, 2.7+)."""
    names = dict.fromkeys([source.name for source in chain_])
    names.pop("", None)
    words = '", "'.join(names)
    return f'["{words}"]' if words else "[]"
