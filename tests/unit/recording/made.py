"""Logs made by hand, in the bytes that torch writes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

HEAD = "V1129 13:17:29.123456 4711 torch/_dynamo/utils.py:12] "


def record(name: str, fields: Any = None, payload: str | None = None, **common: Any) -> bytes:
    """One record as torch writes it."""
    envelope = {name: {} if fields is None else fields, **common}
    body = ""
    if payload is not None:
        envelope["has_payload"] = hashlib.md5(payload.encode(errors="backslashreplace")).hexdigest()
        body = "".join(f"\n\t{line}" for line in payload.split("\n"))
    return f"{HEAD}{json.dumps(envelope)}{body}\n".encode(errors="backslashreplace")


def artifact(name: str, payload: Any, **common: Any) -> bytes:
    """One artifact; a payload that is no text is written as JSON."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return record("artifact", {"name": name, "encoding": "json"}, text, **common)


def in_compile(frame: int = 0, compile_: int = 0, attempt: int = 0) -> dict[str, Any]:
    """The fields that say which compile an event belongs to."""
    return {"frame_id": frame, "frame_compile_id": compile_, "attempt": attempt}
