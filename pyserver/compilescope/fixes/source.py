"""A file's text as a concrete syntax tree: what stands at a range, and edits that leave the rest as it is."""

from __future__ import annotations

import re
import sys
from functools import cached_property
from typing import TYPE_CHECKING

from parso.grammar import load_grammar
from parso.python import tree

from compilescope.analysis.model import Edit, Position, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import BaseNode, NodeOrLeaf

    Place = tuple[int, int]

_NEWEST_GRAMMAR = (3, 14)
_LINE_END = re.compile(r"\r\n|\r|\n")
FUNCTIONS = ("funcdef", "lambdef")
STATEMENTS = ("simple_stmt", "if_stmt", "for_stmt", "while_stmt", "with_stmt", "try_stmt", "funcdef", "classdef")


class SourceFile:
    """One file. Places of the tree are parso's: lines from 1, columns from 0 in code points."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        version = min(sys.version_info[:2], _NEWEST_GRAMMAR)
        self.occurring: dict[str, list[tree.Name]] = {}
        """Where names stand for values, as far as somebody asked (`names.occurrences`)."""
        self.bound: dict[str, dict[int, list[tree.Name]]] = {}
        """Where they get their values, by scope (`names.bindings`)."""
        self.root: tree.Module = load_grammar(version="{}.{}".format(*version)).parse(text)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return _LINE_END.split(self.text)

    @cached_property
    def line_end(self) -> str:
        """How its lines end."""
        found = _LINE_END.search(self.text)
        return found[0] if found else "\n"

    def at(self, range_: Range) -> NodeOrLeaf | None:
        """Return the node that stands exactly at a range, the outermost of them; None when none does."""
        start, end = self._place(range_.start), self._place(range_.end)
        node: NodeOrLeaf | None = self.root.get_leaf_for_position(start)
        if node is not None and node.start_pos < start == node.end_pos:
            node = node.get_next_leaf()
        found = None
        while node is not None and node.start_pos >= start:
            if (node.start_pos, end_of(node)) == (start, end):
                found = node
            node = node.parent
        return found

    def around(self, range_: Range) -> NodeOrLeaf | None:
        """Return the smallest node that holds a range; None when it is outside of the text."""
        start, end = self._place(range_.start), self._place(range_.end)
        node: NodeOrLeaf | None = self.root.get_leaf_for_position(start, include_prefixes=True)
        while node is not None and not (node.start_pos <= start and end_of(node) >= end):
            node = node.parent
        return node

    def replaced(self, node: NodeOrLeaf, text: str) -> Edit:
        """Return the edit that puts `text` in the place of a node."""
        return Edit(self.file, self.range(node), text)

    def replaced_through(self, first: NodeOrLeaf, last: NodeOrLeaf, text: str) -> Edit:
        """Return the edit that puts `text` in the place of all from one node to another."""
        start, end = self.position(first.start_pos), self.position(end_of(last))
        return Edit(self.file, Range(start, end), text)

    def inserted(self, place: Place, text: str) -> Edit:
        """Return the edit that puts `text` at a place of the tree."""
        at = self.position(place)
        return Edit(self.file, Range(at, at), text)

    def inserted_before(self, statement: NodeOrLeaf, lines: str) -> Edit:
        """Return the edit that puts lines, without indentation of their own, before a statement."""
        at = self.position((statement.start_pos[0], 0))
        return Edit(self.file, Range(at, at), self.indented(lines, self.indentation(statement)) + self.line_end)

    def indented(self, lines: str, indentation: str) -> str:
        """Return lines with an indentation before each that is not empty, and this file's line ends."""
        each = _LINE_END.split(lines)
        return self.line_end.join(indentation + one if one.strip() else one for one in each)

    def indentation(self, node: NodeOrLeaf) -> str:
        """Return the white space that the line of a node begins with."""
        line = self.lines[node.start_pos[0] - 1]
        return line[: len(line) - len(line.lstrip())]

    def deeper(self, node: NodeOrLeaf) -> str:
        """Return a node's text with its further lines one level deeper, those inside of strings as they are."""
        inner = {row for leaf in _leaves(node) for row in range(leaf.start_pos[0] + 1, leaf.end_pos[0] + 1)}
        first = node.start_pos[0]
        lines = _LINE_END.split(code(node))
        return self.line_end.join(
            self.step(node) + line if row and line.strip() and first + row not in inner else line
            for row, line in enumerate(lines)
        )

    def step(self, node: NodeOrLeaf) -> str:
        """Return what the lines below a node's are indented by, if they are one level deeper."""
        own = self.indentation(node)
        if own and ("\t" in own) != ("\t" in self.indent_step):
            return "\t" if "\t" in own else "    "
        return self.indent_step

    @cached_property
    def indent_step(self) -> str:
        """What one more level is indented by here."""
        for line, below in zip(self.lines, self.lines[1:], strict=False):
            inner = below[: len(below) - len(below.lstrip())]
            if line.rstrip().endswith(":") and line == line.lstrip() and inner:
                return inner
        return "    "

    def imported(self, module: str) -> list[Edit]:
        """Return the edits that import a module at the top; none where the file imports it by that name."""
        if self.names_module(module) == module:
            return []
        first = next((one for one in self.statements() if not is_docstring(one) and not _is_future(one)), None)
        if first is None:
            return []
        at = self.position((first.start_pos[0], 0))
        return [Edit(self.file, Range(at, at), f"import {module}{self.line_end}")]

    def names_module(self, module: str) -> str | None:
        """Return the name that a module is imported by at the top of the file: `np` for numpy; None if it is not."""
        for one in self.root.iter_imports():
            if isinstance(one, tree.ImportName) and function(one) is None:
                for path, defined in zip(one.get_paths(), one.get_defined_names(), strict=False):
                    whole = ".".join(name.value for name in path)
                    if whole == module and (defined.value == module or "." not in module or one.level == 0):
                        return defined.value if defined.value not in module.split(".")[:1] else module
        return None

    def statements(self) -> list[NodeOrLeaf]:
        """Return the statements of the module, from top to bottom."""
        return [one for one in self.root.children if one.type not in {"endmarker", "newline"}]

    def range(self, node: NodeOrLeaf) -> Range:
        """Return where a node is, without the white space and comments before it."""
        return Range(self.position(node.start_pos), self.position(end_of(node)))

    def position(self, place: Place) -> Position:
        """Return a place of the tree as the editor counts."""
        line, column = place
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return Position(line - 1, len(text[:column].encode("utf-16-le", "surrogatepass")) // 2)

    def _place(self, position: Position) -> Place:
        if position.line >= len(self.lines):
            return len(self.lines), len(self.lines[-1])
        line = self.lines[position.line].encode("utf-16-le", "surrogatepass")
        return position.line + 1, len(line[: position.character * 2].decode("utf-16-le", "replace"))


def code(node: NodeOrLeaf) -> str:
    """Return a node's text without what stands before it, and without the comment and the line end of a statement."""
    text: str = node.get_code(include_prefix=False)
    last = node.get_last_leaf() if node.type == "simple_stmt" else None
    return text[: -len(last.get_code())] if last is not None and last.type == "newline" else text


def _leaves(node: NodeOrLeaf) -> Iterator[NodeOrLeaf]:
    return (one for one in inside(node) if not hasattr(one, "children") and one.type != "newline")


def statement(node: NodeOrLeaf) -> NodeOrLeaf | None:
    """Return the innermost statement that a node is in; None for the module itself."""
    return _ancestor(node, STATEMENTS)


def function(node: NodeOrLeaf) -> tree.Function | tree.Lambda | None:
    """Return the innermost function that a node is in."""
    found = _ancestor(node, FUNCTIONS)
    return found if isinstance(found, tree.Function | tree.Lambda) else None


def inside(node: NodeOrLeaf) -> Iterator[NodeOrLeaf]:
    """Yield a node and all that it consists of, outermost first, from left to right."""
    yield node
    for child in getattr(node, "children", ()):
        yield from inside(child)


def is_call(node: NodeOrLeaf) -> bool:
    """Whether a node is a call as a whole: `f(x)`, `a.b(x)`, `a[0](x)`."""
    if node.type not in {"power", "atom_expr"}:
        return False
    last = children(node)[-1]
    return last.type == "trailer" and children(last)[0].get_code(include_prefix=False) == "("


def callee(call: NodeOrLeaf) -> str:
    """Return the text of what a call calls: `a.b` of `a.b(x)`."""
    return "".join(part.get_code(include_prefix=index > 0) for index, part in enumerate(children(call)[:-1]))


def arguments(call: NodeOrLeaf) -> list[NodeOrLeaf]:
    """Return the arguments of a call, named ones as their `name=value` nodes."""
    return arguments_in(children(call)[-1])


def arguments_in(trailer: NodeOrLeaf) -> list[NodeOrLeaf]:
    """Return the arguments in the parentheses of a call."""
    inner = children(trailer)[1:-1]
    if not inner:
        return []
    only = inner[0]
    return [one for one in children(only) if one.type != "operator"] if only.type == "arglist" else [only]


def children(node: NodeOrLeaf | None) -> list[NodeOrLeaf]:
    """Return what a node consists of; nothing for a leaf or for none."""
    found: list[NodeOrLeaf] = getattr(node, "children", [])
    return found


def _ancestor(node: NodeOrLeaf, types: tuple[str, ...]) -> BaseNode | None:
    parent = node if node.type in types else node.parent
    while parent is not None and parent.type not in types:
        parent = parent.parent
    return parent  # type: ignore[return-value]


def end_of(node: NodeOrLeaf) -> Place:
    """Where a node ends, without the line end that belongs to a statement."""
    last = node.get_last_leaf()
    if last.type == "newline" and (before := last.get_previous_leaf()) is not None:
        last = before
    end: Place = last.end_pos
    return end


def is_docstring(node: NodeOrLeaf) -> bool:
    """Whether a statement is nothing but a string."""
    return node.type == "simple_stmt" and children(node)[0].type in {"string", "strings"}


def _is_future(node: NodeOrLeaf) -> bool:
    return code(node).startswith("from __future__")
