"""As much of JSON Schema as docs/results.schema.json uses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA: dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs/results.schema.json").read_text())
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
KNOWN = {"$ref", "$schema", "$defs", "title", "description", "type", "additionalProperties", "required", "properties"}
KNOWN |= {"items", "const", "enum", "minimum", "minLength"}


def problems(value: Any, schema: dict[str, Any] | None = None, at: str = "$") -> list[str]:
    """What of `value` does not fit the schema."""
    schema = SCHEMA if schema is None else schema
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "$ref" in schema:
        return problems(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], at)
    found = _own_problems(value, schema, at)
    if isinstance(value, list) and "items" in schema:
        for position, one in enumerate(value):
            found += problems(one, schema["items"], f"{at}[{position}]")
    if isinstance(value, dict):
        found += _member_problems(value, schema, at)
    return found


def _own_problems(value: Any, schema: dict[str, Any], at: str) -> list[str]:
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    fits = [one for one in types if isinstance(value, TYPES[one]) and isinstance(value, bool) == (one == "boolean")]
    if types and not fits:
        return [f"{at}: {value!r} is no {types}"]
    if "const" in schema and value != schema["const"]:
        return [f"{at}: {value!r} is not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at}: {value!r} is none of {schema['enum']}"]
    if "minimum" in schema and value < schema["minimum"]:
        return [f"{at}: {value} is below {schema['minimum']}"]
    if "minLength" in schema and len(value) < schema["minLength"]:
        return [f"{at}: too short"]
    return []


def _member_problems(value: dict[str, Any], schema: dict[str, Any], at: str) -> list[str]:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    found = [f"{at}: {key} is missing" for key in schema.get("required", []) if key not in value]
    found += [f"{at}: {key} is unknown" for key in value if key not in known and more is False]
    for key, one in value.items():
        wanted = known.get(key, more)
        if isinstance(wanted, dict):
            found += problems(one, wanted, f"{at}.{key}")
    return found
