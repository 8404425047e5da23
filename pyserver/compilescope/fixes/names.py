"""What a name stands for: `np.random.rand` is `numpy.random.rand`, unless something here hides it."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile

_SCOPES = ("funcdef", "lambdef", "file_input")


def dotted(parts: list[NodeOrLeaf]) -> list[tree.Name] | None:
    """Return the names of `a.b.c` when that is all that the parts of an expression are."""
    if not parts or not isinstance(parts[0], tree.Name):
        return None
    names = [parts[0]]
    for part in parts[1:]:
        match getattr(part, "children", []):
            case [dot, tree.Name() as name] if dot.get_code(include_prefix=False) == ".":
                names.append(name)
            case _:
                return None
    return names


def called(file: SourceFile, call: NodeOrLeaf) -> str:
    """Return the whole name of what a call calls, `copy.deepcopy`; empty when it is no imported or builtin function."""
    return whole(file, call.children[:-1]) if source.is_call(call) else ""  # type: ignore[attr-defined]


def whole(file: SourceFile, parts: list[NodeOrLeaf]) -> str:
    """Return the whole name that the parts of `a.b.c` stand for; empty when `a` is no import and no builtin."""
    names = dotted(parts)
    if names is None:
        return ""
    root = imported(file, names[0])
    return ".".join([root, *(one.value for one in names[1:])]) if root else ""


def imported(file: SourceFile, name: tree.Name) -> str:
    """Return what a name was imported as, or the name of a builtin; empty when it is neither or may be both."""
    for scope in scopes(name):
        origins = {_origin(one) for one in bindings(file, name.value, scope)}
        if origins:
            return origins.pop() if len(origins) == 1 else ""
    return name.value if hasattr(builtins, name.value) else ""


def bindings(file: SourceFile, name: str, scope: NodeOrLeaf) -> Iterator[tree.Name]:
    """Yield where a name gets a value in a function or in the module itself."""
    if name not in file.bound:
        file.bound[name] = _bound(file, name)
    yield from file.bound[name].get(id(scope), ())


def _bound(file: SourceFile, name: str) -> dict[int, list[tree.Name]]:
    """Where a name gets a value, by the scope's `id`. What is declared global is bound in the module."""
    found: dict[int, list[tree.Name]] = {}
    for leaf in occurrences(file, name):
        if leaf.parent is not None and leaf.parent.type == "global_stmt":
            found.setdefault(id(file.root), []).append(leaf)
        elif leaf.is_definition(include_setitem=False):
            found.setdefault(id(scope_of(leaf)), []).append(leaf)
    return found


def occurrences(file: SourceFile, name: str) -> list[tree.Name]:
    """Return where a name stands for a value: not as an attribute and not as a keyword of a call."""
    if name not in file.occurring:
        found: list[tree.Name] = file.root.get_used_names().get(name, [])
        file.occurring[name] = [one for one in found if not _is_attribute(one) and not _is_keyword(one)]
    return file.occurring[name]


def scope_of(leaf: tree.Name) -> NodeOrLeaf:
    """Return the function, or the module, whose name a name is: that of a function belongs to where it is defined."""
    node: NodeOrLeaf = leaf
    while node.parent is not None:
        parent = node.parent
        if parent.type in _SCOPES and not _belongs_outside(parent, node):
            return parent
        node = parent
    return node


def scopes(leaf: tree.Name) -> list[NodeOrLeaf]:
    """Return the functions around a name, the innermost first, and the module last."""
    found = [scope_of(leaf)]
    node = found[0].parent
    while node is not None:
        if node.type in _SCOPES:
            found.append(node)
        node = node.parent
    return found


def unused(file: SourceFile, wanted: str) -> str:
    """Return a name that the file does not use: the wanted one, or that with a number."""
    used = file.root.get_used_names()
    if wanted not in used:
        return wanted
    return next(name for number in range(2, 10_000) if (name := f"{wanted}_{number}") not in used)


def _belongs_outside(scope: NodeOrLeaf, child: NodeOrLeaf) -> bool:
    """Whether a part of a function belongs to what is around it: its name and its annotations."""
    return scope.type == "funcdef" and child.type in {"name", "operator"}


def _is_attribute(leaf: tree.Name) -> bool:
    before = leaf.get_previous_sibling()
    in_trailer = leaf.parent is not None and leaf.parent.type in {"trailer", "dotted_name", "error_node"}
    return in_trailer and before is not None and before.get_code(include_prefix=False) == "."


def _is_keyword(leaf: tree.Name) -> bool:
    if leaf.parent is None or leaf.parent.type != "argument":
        return False
    after = leaf.get_next_sibling()
    return after is not None and after.get_code(include_prefix=False) == "="


def _origin(leaf: tree.Name) -> str:
    statement = leaf.get_definition(import_name_always=True)
    if isinstance(statement, tree.ImportFrom) and not statement.level:
        return ".".join(one.value for one in statement.get_path_for_name(leaf))
    if isinstance(statement, tree.ImportName):
        for path, defined in zip(statement.get_paths(), statement.get_defined_names(), strict=False):
            if defined is leaf:
                # `import a.b` binds `a`, `import a.b as c` binds the whole.
                return leaf.value if path[0] is leaf else ".".join(one.value for one in path)
    return ""
