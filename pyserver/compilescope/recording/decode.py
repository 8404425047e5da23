"""JSON of payloads, also of many megabytes: the standard decoder lets no other thread run before it is through."""

from __future__ import annotations

import json
from json.decoder import JSONArray  # type: ignore[attr-defined]
from json.scanner import make_scanner, py_make_scanner  # type: ignore[attr-defined]
from typing import Any

# A text of this length takes a few milliseconds.
LARGE = 1 << 18


class _Patient(json.JSONDecoder):
    """Decodes the outer object in Python, and each item of its lists at once: other threads have their turn between."""

    def __init__(self) -> None:
        super().__init__()
        at_once = make_scanner(self)  # type: ignore[arg-type]

        def parse_array(state: tuple[str, int], _scan: Any) -> tuple[list[Any], int]:
            items: tuple[list[Any], int] = JSONArray(state, at_once)
            return items

        self.parse_array = parse_array
        self.scan_once = py_make_scanner(self)


def decode(text: str) -> Any:
    """Return what `text` says, as `json.loads` does; raises what that raises."""
    return json.loads(text) if len(text) < LARGE else json.loads(text, cls=_Patient)
