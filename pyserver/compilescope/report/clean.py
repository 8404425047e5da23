"""Takes control characters out of what a recording says: they could write anywhere on the terminal."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, TypeVar

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
T = TypeVar("T")


def clean(text: str) -> str:
    """`text` with a replacement character for each control character but tab and line feed."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def cleaned(value: T) -> T:
    """`value`, which may be nested, with every text in it clean."""
    result: T = _cleaned(value)
    return result


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, (list, tuple)):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {field.name: _cleaned(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **changes)
    return value
