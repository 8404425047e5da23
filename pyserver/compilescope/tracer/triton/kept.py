"""A graph as Inductor got it, safe from what Inductor does to it."""

from __future__ import annotations

import copy
import operator
import sys
from typing import Any


class Shell:
    """The copied graph of a GraphModule, with what its nodes refer to: submodules copied likewise, tensors shared.

    The module itself is built later, in another process: each one that is built takes a number of torch's
    (`torch.fx.graph_module`, 2.6 to 2.14).
    """

    def __init__(self, module: Any) -> None:
        kind = sys.modules["torch.fx"].GraphModule
        self._graph = copy.deepcopy(module.graph)
        self._meta = dict(module.meta)
        self._attributes: dict[str, Any] = {}
        for node in module.graph.nodes:
            if node.op in ("get_attr", "call_module"):
                value = operator.attrgetter(node.target)(module)
                self._attributes[node.target] = Shell(value) if isinstance(value, kind) else value

    def inputs(self, given: list[Any]) -> list[Any]:
        """The inputs without their data, as far as the placeholders know them: fake tensors and symbols."""
        placeholders = [node for node in self._graph.nodes if node.op == "placeholder"]
        if len(placeholders) != len(given):
            return given
        return [node.meta.get("val", value) for node, value in zip(placeholders, given, strict=True)]

    def module(self) -> Any:
        """A new GraphModule of the graph."""
        attributes = {
            name: value.module() if isinstance(value, Shell) else value for name, value in self._attributes.items()
        }
        built = sys.modules["torch.fx"].GraphModule(attributes, self._graph)
        built.meta.update(self._meta)
        return built


class Kept:
    """A graph as Inductor got it."""

    def __init__(self, name: str, module: Any, inputs: list[Any], options: dict[str, Any]) -> None:
        self.name = name
        self.shell = Shell(module)
        self.inputs = self.shell.inputs(inputs)
        self.options = options
        self.trace = sys.modules["torch._guards"].CompileContext.current_trace_id()
