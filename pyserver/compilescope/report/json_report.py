"""The report for programs: schema version 1, see design 4.2 and `docs/`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from compilescope.analysis.to_json import to_json

if TYPE_CHECKING:
    from compilescope.analysis.model import Result


def render(result: Result) -> str:
    """`result` as JSON that ends in a newline; each entry of a list is a line, to be searched and compared as text."""
    parts = (f"{json.dumps(key)}: {_lines(value)}" for key, value in to_json(result).items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
    return json.dumps(value)
