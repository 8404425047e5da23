"""One call of a function: what it passes, and how to pass one thing more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parso.python import tree

if TYPE_CHECKING:
    from parso.tree import BaseNode, NodeOrLeaf

    from compilescope.analysis.model import Edit
    from compilescope.fixes.source import SourceFile


@dataclass(frozen=True)
class Call:
    """One call: what is called, and the parentheses with its arguments."""

    file: SourceFile
    callee: NodeOrLeaf
    trailer: BaseNode

    @property
    def line(self) -> int:
        """The line that it begins on, counted from 1."""
        return self.callee.start_pos[0]

    @property
    def arguments(self) -> list[NodeOrLeaf]:
        """Its arguments, named ones as their `name=value` nodes."""
        inner = self.trailer.children[1:-1]
        if not inner:
            return []
        only = inner[0]
        return [one for one in only.children if one.type != "operator"] if only.type == "arglist" else [only]

    def spans(self, line: int) -> bool:
        """Whether it is on a line, at least in part."""
        return self.callee.start_pos[0] <= line <= self.trailer.end_pos[0]

    def passed(self, parameters: list[tree.Param], name: str) -> NodeOrLeaf | None:
        """Return what it passes for a parameter; None when that can't be told or the parameter has its default."""
        position = next((index for index, one in enumerate(parameters) if one.name.value == name), None)
        by_position = [one for one in parameters[: (position or 0) + 1] if not one.star_count]
        for index, argument in enumerate(self.arguments):
            named, value = keyword(argument)
            if named is None or (named == name and value is not None):
                return value
            if not named and index == position == len(by_position) - 1 and not _keyword_only(parameters, name):
                return value
        return None

    def adding(self, argument: str) -> Edit:
        """Return the edit that passes one more named argument."""
        last = self.trailer.children[-2]
        if not self.arguments:
            at, text = self.trailer.children[-1].start_pos, argument
        elif last.type == "arglist" and last.children[-1].get_code(include_prefix=False) == ",":
            at, text = last.end_pos, f" {argument}"
        else:
            at, text = last.end_pos, f", {argument}"
        return self.file.inserted(at, text)

    @property
    def takes_more(self) -> bool:
        """Whether an argument can be added: not to a lone generator expression."""
        return not any(one.type == "argument" and _is_generator(one) for one in self.arguments)


def parameters(function: tree.Function) -> list[tree.Param]:
    """Return the parameters that callers pass: without the `self` of a method."""
    found: list[tree.Param] = function.get_params()
    return found[1:] if holder(function).type == "classdef" else found


def with_parameter(file: SourceFile, function: tree.Function, name: str) -> Edit:
    """Return the edit that gives a function one more parameter, which callers pass by its name."""
    given: list[tree.Param] = function.get_params()
    last = next((one for one in reversed(given) if one.star_count < len("**")), None)
    starred = any(one.star_count == 1 for one in given) or _bare_star(function)
    text = f"*, {name}" if any(one.default is not None for one in given) and not starred else name
    closing = function.children[2].children
    if last is None:
        return file.inserted(closing[0].end_pos, f"{text}, " if given else text)
    ends = last.children[-1]
    comma = ends.get_code(include_prefix=False) == ","
    if comma:
        return file.inserted(ends.end_pos, f" {text},")
    return file.inserted(last.end_pos, f", {text}")


def holder(node: NodeOrLeaf) -> NodeOrLeaf:
    """Return the module, class or function that a definition stands directly in."""
    parent = node.parent
    while parent is not None and parent.type in {"decorated", "async_funcdef", "async_stmt", "suite"}:
        parent = parent.parent
    return parent if parent is not None else node


def _bare_star(function: tree.Function) -> bool:
    inner = function.children[2].children
    return any(one.get_code(include_prefix=False).rstrip(",") == "*" for one in inner)


def keyword(argument: NodeOrLeaf) -> tuple[str | None, NodeOrLeaf | None]:
    """Return the name and value of an argument: no name for one by position, no value for `*more` and `**more`."""
    if argument.type != "argument":
        return "", argument
    first, second = argument.children[:2]  # type: ignore[attr-defined]
    sign = second.get_code(include_prefix=False)
    if sign == "=":
        return first.value, argument.children[2]  # type: ignore[attr-defined]
    return (None, None) if first.type == "operator" else ("", argument)


def _is_generator(argument: NodeOrLeaf) -> bool:
    return argument.children[-1].type in {"comp_for", "sync_comp_for"}  # type: ignore[attr-defined]


def _keyword_only(parameters: list[tree.Param], name: str) -> bool:
    for one in parameters:
        if one.name.value == name:
            return False
        if one.star_count == 1:
            return True
    return False
