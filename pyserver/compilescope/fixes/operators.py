"""Where a file defines a custom operator: `custom_op`, `torch.library.define`, `Library.define`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import names, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile

_SCHEMA = re.compile(r"(?P<name>[\w.]*)\s*\((?P<parameters>.*)\)\s*->\s*(?P<result>.+)", re.DOTALL)
_PARAMETER = re.compile(r"(?P<type>\S.*?)\s+(?P<name>\w+)(?:\s*=\s*(?P<default>\S+))?")
_REGISTERS = ("register_fake", "impl_abstract", "register_meta")


@dataclass(frozen=True)
class Definition:
    """One operator. `after`: the statement to go on after. `decorator`: what registers a fake kernel for it.

    `parameters`: as in a `def`, with the parentheses. `tensors`: those that are one tensor. `result`: its type.
    """

    file: SourceFile
    after: NodeOrLeaf
    decorator: str
    parameters: str
    tensors: list[str]
    result: str
    body: tree.Function | None


def definition(file: SourceFile, operator: str) -> Definition | None:
    """Return the definition of `namespace::name` in a file; None without one, or where it has a fake kernel."""
    namespace, _, name = operator.partition("::")
    calls = [node for node in source.inside(file.root) if source.is_call(node)]
    libraries = set(_libraries(file, calls, namespace))
    found = None
    for call in calls:
        given = source.arguments(call)
        first = _string(given[0]) if given else None
        callee = source.callee(call)
        whole = names.called(file, call)
        if callee.endswith(_REGISTERS) and (first in {operator, name} or name in callee):
            return None
        if whole == "torch.library.custom_op" and first == operator:
            found = _custom_op(file, call, given)
        elif whole == "torch.library.define" and first == operator and len(given) > 1:
            found = _defined(file, call, operator, _string(given[1]) or "", "")
        elif callee.endswith(".define") and callee.partition(".")[0] in libraries and (first or "").startswith(name):
            library = f", lib={callee.partition('.')[0]}"
            found = _defined(file, call, operator, first or "", library) if _named(first or "") == name else found
    return None if found is None or _is_registered(file, found) else found


def implementation(file: SourceFile, operator: str) -> tree.Function | None:
    """Return the function that a file gives an operator with `torch.library.impl` or `Library.impl`."""
    name = operator.partition("::")[2]
    for call in (node for node in source.inside(file.root) if source.is_call(node)):
        given = source.arguments(call)
        if not source.callee(call).endswith("impl") or not any(_string(one) in {operator, name} for one in given[:2]):
            continue
        if call.parent is not None and call.parent.type == "decorator":
            return _decorated(call.parent)
        for one in given:
            if isinstance(one, tree.Name) and (function := _function(file, one.value)) is not None:
                return function
    return None


def _custom_op(file: SourceFile, call: NodeOrLeaf, given: list[NodeOrLeaf]) -> Definition | None:
    schema = next((_string(one.children[2]) for one in given if source.code(one).startswith("schema")), None)  # type: ignore[attr-defined]
    if call.parent is not None and call.parent.type == "decorator":
        function = _decorated(call.parent)
        if function is None or function.parent is None:
            return None
        return _of_function(file, function.parent, f"@{function.name.value}.register_fake", function, schema)
    match getattr(call.parent, "children", []):
        case [tree.Name() as target, _, given_call] if given_call is call and len(given) > 1:
            function = _function(file, given[1].value) if isinstance(given[1], tree.Name) else None
            if function is not None and (after := source.statement(call)) is not None:
                return _of_function(file, after, f"@{target.value}.register_fake", function, schema)
    return None


def _of_function(
    file: SourceFile, after: NodeOrLeaf, decorator: str, function: tree.Function, schema: str | None
) -> Definition | None:
    parameters = function.children[2].get_code(include_prefix=False)
    tensors = [
        one.name.value for one in function.get_params() if one.annotation is not None and _is_tensor(one.annotation)
    ]
    result = "Tensor" if function.annotation is not None and _is_tensor(function.annotation) else ""
    if schema is not None:
        parsed = _parsed(schema)
        if parsed is None:
            return None
        parameters, tensors, result = parsed
    return Definition(file, after, decorator, parameters, tensors, result, function)


def _defined(file: SourceFile, call: NodeOrLeaf, operator: str, schema: str, library: str) -> Definition | None:
    after, parsed = source.statement(call), _parsed(schema)
    if after is None or parsed is None:
        return None
    torch = file.names_module("torch") or "torch"
    return Definition(file, after, f'@{torch}.library.register_fake("{operator}"{library})', *parsed, None)


def _parsed(schema: str) -> tuple[str, list[str], str] | None:
    """Return the parameters of a schema as in a `def`, which of them are one tensor, and the type of its result."""
    match = _SCHEMA.fullmatch(schema.strip())
    if match is None:
        return None
    parameters, tensors = [], []
    for part in (one.strip() for one in match["parameters"].split(",")):
        one = _PARAMETER.fullmatch(part)
        if part == "*" or not part:
            parameters += [part] if part else []
        elif one is None:
            return None
        else:
            parameters.append(one["name"] + (f"={one['default']}" if one["default"] else ""))
            if re.fullmatch(r"Tensor(\(\w+!?\))?", one["type"]):
                tensors.append(one["name"])
    return f"({', '.join(parameters)})", tensors, match["result"].strip()


def _named(schema: str) -> str:
    return schema.partition("(")[0].partition(".")[0].strip()


def _libraries(file: SourceFile, calls: list[NodeOrLeaf], namespace: str) -> Iterator[str]:
    """Yield the names of the file's libraries of a namespace."""
    for call in calls:
        given = source.arguments(call)
        if names.called(file, call) == "torch.library.Library" and given and _string(given[0]) == namespace:
            match getattr(call.parent, "children", []):
                case [tree.Name() as target, _, value] if value is call:
                    yield target.value


def _is_registered(file: SourceFile, found: Definition) -> bool:
    """Whether a decorator of the same words is there."""
    return found.decorator in {source.code(one).strip() for one in source.inside(file.root) if one.type == "decorator"}


def _decorated(decorator: NodeOrLeaf) -> tree.Function | None:
    node = decorator.parent
    if node is not None and node.type == "decorators":
        node = node.parent
    function = node.children[-1] if node is not None else None
    return function if isinstance(function, tree.Function) else None


def _function(file: SourceFile, name: str) -> tree.Function | None:
    return next((one for one in file.root.iter_funcdefs() if one.name.value == name), None)


def _is_tensor(annotation: NodeOrLeaf) -> bool:
    return source.code(annotation).strip("'\"").rpartition(".")[2] == "Tensor"


def _string(node: NodeOrLeaf) -> str | None:
    if node.type not in {"string", "strings"}:
        return None
    try:
        value = ast.literal_eval(node.get_code(include_prefix=False))
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str) else None
