"""What a failed guard compared: the expression in the user's names, the value it expected, and the value that came.

Guards are Python expressions over `L` (the frame's locals) and `G` (its globals), made by torch. The new value is read
by walking the expression's syntax tree with item and attribute look-ups and torch's own guard helpers; no operator or
method of the user's runs, nothing but `describe` makes text of a value.
"""

from __future__ import annotations

import ast
import re
import sys
from types import CodeType, GetSetDescriptorType, MappingProxyType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

from compilescope.tracer import reasons
from compilescope.tracer.values import TYPE, class_name, describe

if TYPE_CHECKING:
    from collections.abc import Callable

IDENTITY = re.compile(r"(?P<code>_*check_\w+\(.*\)), type=(?P<type>.+)", re.DOTALL)
ANOTHER_TYPE = "another type"
CLASS_ATTRIBUTE = re.compile(r"(?:dict\()?type\(([^()]+)\)\.__dict__\)?\['(\w+)'\]")


def compared_values(
    parts: list[str], scope: dict[str, Any], type_of: Callable[[str], type | None]
) -> list[dict[str, str | None]]:
    """For each compared expression in the guard's `parts`: `{"expression", "old", "new"}`, in the user's names.

    `old` is None where the guard names a range and no value, `new` where it can't be read. `type_of`: the type that
    the version was made for, of torch's name for a value (`L['n']`).
    """
    found: list[dict[str, str | None]] = []
    for part in parts:
        text = part.split("  #", 1)[0].strip()
        said = reasons.values(text, user_name, scope)
        if said is not None:
            kind = type_of(tensor["name"]) if (tensor := reasons.TYPE.match(text)) else None
            found += said if kind is None else [said[0] | {"old": class_name(kind)}]
            continue
        checked = IDENTITY.fullmatch(text)
        try:
            tree = ast.parse(checked["code"] if checked else text, mode="eval").body
        except (SyntaxError, ValueError):
            continue
        entries = _of_expression(tree, scope)
        if entries and entries[0]["old"] == ANOTHER_TYPE:
            entries[0]["old"] = _class_name(checked["type"]) if checked else _known(tree, type_of)
        found += entries
    return found


def _known(tree: ast.expr, type_of: Callable[[str], type | None]) -> str:
    """The type of what a `___check_type_id(…)` looks at (2.9 does not say it in the guard)."""
    kind = type_of(ast.unparse(tree.args[0])) if isinstance(tree, ast.Call) else None
    return ANOTHER_TYPE if kind is None else class_name(kind)


def user_name(source: str) -> str:
    """`L['self'].layers[0]` as the user writes it: `self.layers[0]`; what torch finds in a class: `c.scale`."""
    return CLASS_ATTRIBUTE.sub(r"\1.\2", re.sub(r"\b[LG]\['(\w+)'\]", r"\1", source))


def _class_name(text: str) -> str:
    """`int` out of `<class 'int'>`."""
    match = re.fullmatch(r"<class '(.+)'>", text)
    return match[1] if match else text


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
        return {"expression": f"type({expression})", "old": ANOTHER_TYPE, "new": class_name(type(value))}
    if type(value) is CodeType and expression.endswith(".__code__"):
        return {
            "expression": expression.removesuffix(".__code__"),
            "old": "another function",
            "new": f"<function {value.co_name}>",
        }
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
    if name == "__class__":
        return type(owner)
    space = _own_space(owner)
    if name == "__dict__" and space is not None:
        return space
    inherited = _in_classes(type(owner), name)
    if inherited and type(inherited[0]) in (MemberDescriptorType, GetSetDescriptorType):
        return object.__getattribute__(owner, name)
    if inherited and _in_classes(type(inherited[0]), "__set__"):
        raise AttributeError(name)
    spaces = [] if space is None else [space, *(_table(space, one) for one in ("_parameters", "_buffers", "_modules"))]
    for one in spaces:
        if name in one:
            return one[name]
    found = (_in_classes(owner, name) if issubclass(type(owner), type) else []) or inherited
    if not found:
        raise AttributeError(name)
    return found[0]


def _own_space(owner: Any) -> Any:
    """The instance's own attributes, where its class keeps them as classes do."""
    if issubclass(type(owner), type):
        return TYPE["__dict__"].__get__(owner)
    kept = _in_classes(type(owner), "__dict__")
    return kept[0].__get__(owner) if kept and type(kept[0]) is GetSetDescriptorType else None


def _in_classes(kind: type, name: str) -> list[Any]:
    """What a class or the first of its bases that has it gives for `name`, unbound; empty if none does."""
    spaces = (TYPE["__dict__"].__get__(base) for base in TYPE["__mro__"].__get__(kind))
    return next(([space[name]] for space in spaces if name in space), [])


def _table(space: Any, name: str) -> dict[str, Any]:
    found: Any = space[name] if name in space else None  # noqa: SIM401 - `get` may be the program's
    return found if issubclass(type(found), dict) else {}


def _read_call(tree: ast.Call, scope: dict[str, Any]) -> Any:
    if isinstance(tree.func, ast.Name):
        name = tree.func.id
        if name in ("len", "type", "id", "___check_type_id"):
            value = _read(tree.args[0], scope)
            return type(value) if name == "type" else id(value) if name == "id" else _length(value)
        if name == "dict" and _is_class_table(tree.args[0], table := _read(tree.args[0], scope)):
            return dict(table)
        if name == "list" and ast.unparse(tree.args[0]).startswith("dict.keys("):
            return _keys(_read(tree.args[0].args[0], scope))  # type: ignore[attr-defined]
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


def _keys(value: Any) -> list[Any]:
    if not issubclass(type(value), dict):
        raise TypeError(describe(type(value)))
    return list(dict.keys(value))


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
