"""Texts and patterns about torch's kinds of breaks and guards, as JSON."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def load(name: str) -> dict[str, Any]:
    """Return the content of `<name>.json` in this folder."""
    loaded: dict[str, Any] = json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    return loaded
