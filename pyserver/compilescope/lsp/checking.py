"""Whether what a client sent is what `protocol` says. A value of a wrong type is refused, never converted."""

from __future__ import annotations

import json
import re
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import attrs
from pygls.exceptions import JsonRpcInvalidParams

LONGEST = 60
WORDS: dict[Any, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
    list[str]: "a list of strings",
    dict[str, str]: "an object of strings",
}


def camel(name: str) -> str:
    """`wall_s` as it is written on the wire: `wallS`."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def checked(value: Any, own: type[attrs.AttrsInstance]) -> dict[str, Any]:
    """`value` with null for what was left out and may be null. Raises JsonRpcInvalidParams, which names the field."""
    if not isinstance(value, dict):
        raise JsonRpcInvalidParams(f"{own.__name__} must be an object, not {_shown(value)}.")
    hints = get_type_hints(own)
    given = {camel(field.name): None for field in attrs.fields(own) if _fits(None, hints[field.name])} | value
    for field in attrs.fields(own):
        name, hint = camel(field.name), hints[field.name]
        if name in given:
            _check(name, given[name], hint, field)
        elif field.default is attrs.NOTHING:
            raise JsonRpcInvalidParams(f"`{name}` is missing.")
    return given


def _check(name: str, value: Any, hint: Any, field: attrs.Attribute[Any]) -> None:
    if not _fits(value, hint):
        raise JsonRpcInvalidParams(f"`{name}` must be {_words(hint)}, not {_shown(value)}.")
    if field.validator is not None:
        try:
            field.validator(None, field, value)
        except ValueError as error:
            raise JsonRpcInvalidParams(str(error.args[0]).replace(f"'{field.name}'", f"`{name}`", 1)) from error


def _fits(value: Any, hint: Any) -> bool:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, one) for one in arguments)
    if origin is list:
        return isinstance(value, list) and all(_fits(one, arguments[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(_fits(one, arguments[1]) for one in value.values())
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is str:
        return isinstance(value, str) and "\0" not in value  # no path, argument or variable may have one
    hint = dict if attrs.has(hint) else hint  # the fields of an object are checked where it is made
    return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


def _words(hint: Any) -> str:
    if get_origin(hint) is UnionType:
        return " or ".join(_words(one) for one in get_args(hint))
    if attrs.has(hint):
        return "an object"
    if get_origin(hint) is list and attrs.has(get_args(hint)[0]):
        return "a list of objects"
    return WORDS.get(hint, "something else")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
