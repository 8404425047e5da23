"""As much of JSON Schema draft 4 as the schema of SARIF uses."""

from __future__ import annotations

import re
from typing import Any

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
KNOWN = {"$ref", "$schema", "id", "title", "description", "default", "definitions", "type", "enum", "format", "pattern"}
KNOWN |= {"minimum", "maximum", "minItems", "uniqueItems", "items", "properties", "required", "additionalProperties"}
KNOWN |= {"anyOf", "oneOf"}
URI = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*$")
RELATIVE = re.compile(r"^[^\s<>\"{}|\\^`]*$")
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
FORMATS = {"uri": URI, "uri-reference": RELATIVE, "date-time": TIME}


def problems(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None, at: str = "$") -> list[str]:
    """What of `value` does not fit `schema`; references are looked up in `root`."""
    root = root or schema
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "$ref" in schema:
        return problems(value, root["definitions"][schema["$ref"].rpartition("/")[2]], root, at)
    found = _own(value, schema, at)
    for key, enough in (("anyOf", lambda count: count > 0), ("oneOf", lambda count: count == 1)):
        fits = [not problems(value, one, root, at) for one in schema.get(key, [])]
        if fits and not enough(sum(fits)):
            found.append(f"{at}: fits {sum(fits)} of {key}")
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for position, one in enumerate(value):
            found += problems(one, schema["items"], root, f"{at}[{position}]")
    if isinstance(value, dict):
        found += [f"{at}: no {name}" for name in schema.get("required", []) if name not in value]
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, one in value.items():
            rule = known.get(name, more)
            if rule is False:
                found.append(f"{at}: unknown {name}")
            elif isinstance(rule, dict):
                found += problems(one, rule, root, f"{at}.{name}")
    return found


def _own(value: Any, schema: dict[str, Any], at: str) -> list[str]:
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    fits = any(isinstance(value, TYPES[one]) and (one == "boolean" or not isinstance(value, bool)) for one in types)
    if types and not fits:
        return [f"{at}: {value!r} is no {types}"]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    checks = [
        ("enum", lambda limit: value in limit),
        ("minimum", lambda limit: not number or value >= limit),
        ("maximum", lambda limit: not number or value <= limit),
        ("minItems", lambda limit: not isinstance(value, list) or len(value) >= limit),
        ("uniqueItems", lambda limit: not limit or not isinstance(value, list) or _unique(value)),
        ("pattern", lambda limit: not isinstance(value, str) or re.search(limit, value) is not None),
        ("format", lambda limit: not isinstance(value, str) or FORMATS[limit].match(value) is not None),
    ]  # fmt: skip
    return [
        f"{at}: {value!r} against {key} {schema[key]!r}"
        for key, holds in checks
        if key in schema and not holds(schema[key])
    ]


def _unique(values: list[Any]) -> bool:
    return len({repr(one) for one in values}) == len(values)
