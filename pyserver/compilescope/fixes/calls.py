"""Where a file calls one of its functions: by its name, through `torch.compile`, through instances of its class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import arguments, names, source
from compilescope.fixes.arguments import Call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import BaseNode, NodeOrLeaf

    from compilescope.fixes.source import SourceFile

COMPILE = "torch.compile"
_INSTANCE_KEEPS = {"eval", "train", "to", "cuda", "cpu", "double", "float", "half", "bfloat16", "requires_grad_"}


@dataclass
class Calls:
    """The calls of a function in its file. `complete`: the file uses it in no other way."""

    found: list[Call] = field(default_factory=list)
    complete: bool = True


def calls_of(file: SourceFile, function: tree.Function) -> Calls:
    """Return the calls of a function of the module, or of the `forward` of one of its classes through instances."""
    calls = Calls()
    around = arguments.holder(function)
    if around.type == "file_input":
        _of_name(file, function.name, calls, {function.name.value})
    elif (
        isinstance(around, tree.Class)
        and arguments.holder(around).type == "file_input"
        and function.name.value == "forward"
    ):
        _of_class(file, around, calls)
    else:
        calls.complete = False
    return calls


def _of_name(file: SourceFile, name: tree.Name, calls: Calls, seen: set[str]) -> None:
    """Add the calls of what a name of the module stands for."""
    module = file.root
    bound = [one for one in names.bindings(file, name.value, module) if one is not name]
    if any(_compiled_here(file, one) is None for one in bound):
        calls.complete = False
        return
    for leaf in names.occurrences(file, name.value):
        if leaf is name or leaf in bound or leaf.is_definition(include_setitem=False):
            continue
        if not any(True for scope in _scopes(leaf) for _ in names.bindings(file, name.value, scope)):
            _use(file, leaf, calls, seen)


def _use(file: SourceFile, leaf: NodeOrLeaf, calls: Calls, seen: set[str]) -> None:
    after = _trailer_after(leaf)
    if after is not None:
        calls.found.append(Call(file, leaf, after))
        return
    compiling = _compiling(file, leaf)
    if compiling is None:
        calls.complete = False
        return
    call, trailer = compiling
    again = trailer.get_next_sibling()
    if again is not None and _is_parentheses(again):
        calls.found.append(Call(file, leaf, again))
        return
    target = _assigned_name(call)
    if target is None:
        calls.complete = False
    elif target.value not in seen:
        seen.add(target.value)
        if names.scope_of(target).type == "file_input":
            _of_name(file, target, calls, seen)
        else:
            _of_local(file, target, calls, seen)


def _of_local(file: SourceFile, name: tree.Name, calls: Calls, seen: set[str]) -> None:
    """Add the calls through a name that a function gives it."""
    scope = names.scope_of(name)
    if len(list(names.bindings(file, name.value, scope))) != 1:
        calls.complete = False
        return
    for leaf in names.occurrences(file, name.value):
        if leaf is not name and names.scope_of(leaf) is scope:
            _use(file, leaf, calls, seen)


def _of_class(file: SourceFile, class_: tree.Class, calls: Calls) -> None:
    """Add the calls of the instances of a class."""
    own: tree.Name = class_.name
    if list(names.bindings(file, own.value, file.root)) != [own]:
        calls.complete = False
        return
    for leaf in names.occurrences(file, own.value):
        if leaf is own:
            continue
        made = _trailer_after(leaf)
        if made is None or leaf.parent is None:
            calls.complete = calls.complete and _in_super(leaf)
            continue
        expression = leaf.parent if _keeps(leaf.parent, made) else None
        compiling = expression and _compiling(file, expression)
        target = _assigned_name(compiling[0] if compiling else expression) if expression is not None else None
        if target is None:
            calls.complete = False
            continue
        _of_instance(file, target, calls, {target.value})


def _of_instance(file: SourceFile, name: tree.Name, calls: Calls, seen: set[str]) -> None:
    scope = names.scope_of(name)
    bound = list(names.bindings(file, name.value, scope))
    if any(one is not name and _compiled_here(file, one) != name.value for one in bound):
        calls.complete = False
        return
    for leaf in names.occurrences(file, name.value):
        if leaf in bound or (names.scope_of(leaf) is not scope and scope.type != "file_input"):
            continue
        trailer = leaf.get_next_sibling()
        if _trailer_after(leaf) is not None:
            calls.found.append(Call(file, leaf, trailer))
        elif trailer is not None and trailer.type == "trailer" and source.code(trailer).startswith("."):
            calls.complete = calls.complete and source.code(trailer) != ".forward"
        elif (compiling := _compiling(file, leaf)) is not None and (target := _assigned_name(compiling[0])) is not None:
            if target.value not in seen:
                seen.add(target.value)
                _of_instance(file, target, calls, seen)
        else:
            calls.complete = False


def _compiled_here(file: SourceFile, bound: tree.Name) -> str | None:
    """Return `f` where a name is bound by `… = torch.compile(f)`."""
    definition = bound.get_definition()
    if definition is None or definition.type != "expr_stmt" or definition.children[0] is not bound:
        return None
    value = definition.children[-1]
    if _assigned_name(value) is not bound or names.called(file, value) != COMPILE:
        return None
    given = source.arguments(value)
    return given[0].value if given and isinstance(given[0], tree.Name) else None


def _compiling(file: SourceFile, node: NodeOrLeaf) -> tuple[NodeOrLeaf, NodeOrLeaf] | None:
    """Return the expression and the parentheses of `torch.compile(node, …)`."""
    arglist = node.parent
    if arglist is not None and arglist.type == "arglist" and arglist.children[0] is node:
        trailer = arglist.parent
    else:
        trailer = arglist
    if trailer is None or trailer.type != "trailer" or trailer.parent is None or not _is_parentheses(trailer):
        return None
    expression = trailer.parent
    before = expression.children[: expression.children.index(trailer)]
    return (expression, trailer) if names.whole(file, before) == COMPILE else None


def _assigned_name(value: NodeOrLeaf) -> tree.Name | None:
    """Return the name that an assignment gives to just this value."""
    match getattr(value.parent, "children", []):
        case [tree.Name() as target, sign, given] if given is value and sign.get_code(include_prefix=False) == "=":
            return target
    return None


def _keeps(expression: NodeOrLeaf, made: NodeOrLeaf) -> bool:
    """Whether all that follows `C(…)` in an expression returns the instance itself: `.eval()`, `.to(…)`."""
    parts: list[NodeOrLeaf] = getattr(expression, "children", [])
    rest = parts[parts.index(made) + 1 :]
    called = [source.code(one)[1:] for one in rest[::2]]
    return all(name in _INSTANCE_KEEPS for name in called) and all(_is_parentheses(one) for one in rest[1::2])


def _in_super(leaf: tree.Name) -> bool:
    """Whether it is the class in `super(C, self)`."""
    node: NodeOrLeaf = leaf
    while node.parent is not None and node.type not in {"atom_expr", "power"}:
        node = node.parent
    return source.code(node).startswith("super(")


def _trailer_after(leaf: NodeOrLeaf) -> BaseNode | None:
    after = leaf.get_next_sibling()
    whole = leaf.parent is not None and leaf.parent.type in {"atom_expr", "power"} and leaf.parent.children[0] is leaf
    return after if whole and after is not None and _is_parentheses(after) else None


def _is_parentheses(node: NodeOrLeaf) -> bool:
    return node.type == "trailer" and source.code(node).startswith("(")


def _scopes(leaf: NodeOrLeaf) -> Iterator[NodeOrLeaf]:
    node = leaf.parent
    while node is not None:
        if node.type in source.FUNCTIONS:
            yield node
        node = node.parent
