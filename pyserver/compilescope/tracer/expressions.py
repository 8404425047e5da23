"""What a failed guard compared: the expression in the user's names, the value it expected, and the value that came.

Guards are Python expressions over `L` (the frame's locals) and `G` (its globals), made by torch. The new value is read
by walking the expression's syntax tree with item and attribute look-ups and torch's own guard helpers; no operator or
method of the user's runs, nothing but `describe` makes text of a value.
"""

from __future__ import annotations

import ast
import contextlib
import re
import sys
from types import MappingProxyType
from typing import Any

from compilescope.tracer.values import class_name, describe

TENSOR = re.compile(r"tensor '(?P<name>.+?)' (?P<what>.+?)\.? expected (?P<old>.+?), actual (?P<new>.+)", re.DOTALL)
IDENTITY = re.compile(r"(?P<code>_*check_\w+\(.*\)), type=(?P<type>.+)", re.DOTALL)
CLASS_ATTRIBUTE = re.compile(r"(?:dict\()?type\(([^()]+)\)\.__dict__\)?\['(\w+)'\]")
TYPE = re.compile(
    r"expected type of '(?P<name>.+?)' to be (?P<old>.+?), .*?(?:but found|actual) (?P<new>.+)", re.DOTALL
)


def compared_values(parts: list[str], scope: dict[str, Any]) -> list[dict[str, str | None]]:
    """For each compared expression in the guard's `parts`: `{"expression", "old", "new"}`, in the user's names.

    `old` is None where the guard names a range and no value, `new` where it can't be read.
    """
    found: list[dict[str, str | None]] = []
    for part in parts:
        text = part.split("  #", 1)[0].strip()
        match = TENSOR.match(text) or TYPE.match(text)
        if match:
            what = match.groupdict().get("what")
            name = user_name(match["name"])
            found.append(
                {
                    "expression": f"{name} {_attribute(what)}".strip() if what else name,
                    "old": match["old"].strip(),
                    "new": match["new"].strip().rstrip("."),
                }
            )
            continue
        checked = IDENTITY.fullmatch(text)
        try:
            tree = ast.parse(checked["code"] if checked else text, mode="eval").body
        except (SyntaxError, ValueError):
            continue
        entries = _of_expression(tree, scope)
        if checked and entries and (entries[0]["expression"] or "").startswith("type("):
            entries[0]["old"] = _class_name(checked["type"])
        found += entries
    return found


def user_name(source: str) -> str:
    """`L['self'].layers[0]` as the user writes it: `self.layers[0]`; what torch finds in a class: `c.scale`."""
    return CLASS_ATTRIBUTE.sub(r"\1.\2", re.sub(r"\b[LG]\['(\w+)'\]", r"\1", source))


def _class_name(text: str) -> str:
    """`int` out of `<class 'int'>`."""
    match = re.fullmatch(r"<class '(.+)'>", text)
    return match[1] if match else text


def _attribute(what: str) -> str:
    return what.replace(" mismatch", "").strip()


def _of_expression(tree: ast.expr, scope: dict[str, Any]) -> list[dict[str, str | None]]:
    if isinstance(tree, ast.BoolOp):
        return [entry for part in tree.values for entry in _of_expression(part, scope)]
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return _of_condition(tree.operand, scope, expected=False)
    if isinstance(tree, ast.Compare):
        return _of_comparison(tree, scope)
    return _of_condition(tree, scope, expected=True)


def _of_comparison(tree: ast.Compare, scope: dict[str, Any]) -> list[dict[str, str | None]]:
    operands = [tree.left, *tree.comparators]
    variable = [operand for operand in operands if not _is_constant(operand)]
    if len(operands) == 2 and isinstance(tree.ops[0], (ast.Eq, ast.Is)) and _is_constant(operands[1]):  # noqa: PLR2004
        return [_entry(operands[0], ast.unparse(operands[1]), scope)]
    return [_entry(operand, None, scope) for operand in variable]


def _of_condition(tree: ast.expr, scope: dict[str, Any], *, expected: bool) -> list[dict[str, str | None]]:
    """A helper's call, a bare value or a negated one."""
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        helper, arguments = tree.func.id, tree.args
        if helper in ("___check_type_id", "___check_obj_id", "check_type_id", "check_obj_id") and arguments:
            return [_identity_entry(helper, arguments[0], scope)]
        if helper in ("___dict_contains", "hasattr") and len(arguments) == 2:  # noqa: PLR2004
            key, owner = arguments if helper == "___dict_contains" else arguments[::-1]
            what = f"{user_name(ast.unparse(key))} in {user_name(ast.unparse(owner))}"
            return [{"expression": what, "old": str(expected), "new": str(not expected)}]
    return [_entry(tree, str(expected), scope)]


def _identity_entry(helper: str, operand: ast.expr, scope: dict[str, Any]) -> dict[str, str | None]:
    expression = user_name(ast.unparse(operand))
    try:
        value = _read(operand, scope)
    except Exception:
        return {"expression": expression, "old": "another object", "new": None}
    if "type" in helper:
        return {"expression": f"type({expression})", "old": "another type", "new": class_name(type(value))}
    return {"expression": expression, "old": "another object", "new": describe(value)}


def _entry(operand: ast.expr, old: str | None, scope: dict[str, Any]) -> dict[str, str | None]:
    try:
        new = describe(_read(operand, scope))
    except Exception:
        new = None
    return {"expression": user_name(ast.unparse(operand)), "old": old, "new": new}


def _is_constant(tree: ast.expr) -> bool:
    try:
        ast.literal_eval(tree)
    except (ValueError, TypeError, SyntaxError):
        return False
    return True


def _read(tree: ast.expr, scope: dict[str, Any]) -> Any:
    """The value of an expression made of names, items, attributes, lengths, and tensors' metadata."""
    if isinstance(tree, ast.Name):
        return scope[tree.id]
    if isinstance(tree, ast.Constant):
        return tree.value
    if isinstance(tree, ast.Subscript):
        return _read_item(tree, scope)
    if isinstance(tree, ast.Attribute):
        return _read_attribute(_read(tree.value, scope), tree.attr)
    if isinstance(tree, ast.Call):
        return _read_call(tree, scope)
    if isinstance(tree, ast.BinOp):
        return _read_arithmetic(tree, scope)
    raise TypeError(ast.dump(tree))


def _read_item(tree: ast.Subscript, scope: dict[str, Any]) -> Any:
    owner, key = _read(tree.value, scope), _read(tree.slice, scope)
    if _is_class_table(tree.value, owner):
        return owner[key]
    getters: tuple[Any, ...] = (dict, list, tuple)
    for builtin in getters:
        if issubclass(type(owner), builtin):
            return builtin.__getitem__(owner, key)
    raise TypeError(describe(type(owner)))


def _is_class_table(tree: ast.expr, value: Any) -> bool:
    """The `__dict__` of a class: no mapping of the user's is behind this proxy."""
    return isinstance(tree, ast.Attribute) and tree.attr == "__dict__" and type(value) is MappingProxyType


def _read_attribute(owner: Any, name: str) -> Any:
    """An attribute without descriptors or `__getattr__` of the user's: of the instance, a module's tables, a class."""
    spaces: list[Any] = []
    with contextlib.suppress(AttributeError):
        spaces.append(object.__getattribute__(owner, "__dict__"))
    if name == "__dict__" and spaces:
        return spaces[0]
    if name == "__class__":
        return type(owner)
    tables = [spaces[0].get(table) for table in ("_parameters", "_buffers", "_modules")] if spaces else []
    spaces += [table for table in tables if isinstance(table, dict)]
    spaces += [vars(base) for base in (owner.__mro__ if isinstance(owner, type) else type(owner).__mro__)]
    for space in spaces:
        if name in space:
            value = space[name]
            if type(value).__name__ in ("member_descriptor", "getset_descriptor"):
                return object.__getattribute__(owner, name)
            return value
    raise AttributeError(name)


def _read_call(tree: ast.Call, scope: dict[str, Any]) -> Any:
    if isinstance(tree.func, ast.Name):
        name = tree.func.id
        if name in ("len", "type", "id", "___check_type_id"):
            value = _read(tree.args[0], scope)
            return type(value) if name == "type" else id(value) if name == "id" else _length(value)
        if name == "dict" and _is_class_table(tree.args[0], table := _read(tree.args[0], scope)):
            return dict(table)
        helper = scope.get(name)
        if name.startswith("___") and callable(helper):
            return helper(*(_read(argument, scope) for argument in tree.args))
    if isinstance(tree.func, ast.Attribute):
        owner = _read(tree.func.value, scope)
        method = tree.func.attr
        torch: Any = sys.modules["torch"]
        if method in ("size", "stride", "storage_offset", "dim") and issubclass(type(owner), torch.Tensor):
            with torch._C.DisableTorchFunction():
                return getattr(torch.Tensor, method)(owner, *(_read(argument, scope) for argument in tree.args))
    raise TypeError(ast.dump(tree))


def _length(value: Any) -> int:
    builtins: tuple[Any, ...] = (dict, list, tuple, str, set, frozenset)
    for builtin in builtins:
        if issubclass(type(value), builtin):
            return int(builtin.__len__(value))
    raise TypeError(describe(type(value)))


def _read_arithmetic(tree: ast.BinOp, scope: dict[str, Any]) -> Any:
    left, right = _read(tree.left, scope), _read(tree.right, scope)
    if type(left) not in (int, float) or type(right) not in (int, float):
        raise TypeError(ast.dump(tree))
    operators: dict[type[ast.operator], Any] = {
        ast.Add: lambda: left + right,
        ast.Sub: lambda: left - right,
        ast.Mult: lambda: left * right,
        ast.FloorDiv: lambda: left // right,
        ast.Mod: lambda: left % right,
    }
    return operators[type(tree.op)]()
