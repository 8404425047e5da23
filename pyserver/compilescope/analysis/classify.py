"""Sorts breaks and failures into the classes of the report. The patterns are in `data/classes.json`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from compilescope.analysis.data import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.model import FindingClass

_NO_FAKE = re.compile(r"fake impl|meta kernel|fake kernel|NotImplementedError", re.IGNORECASE)


def of_break(gb_type: str | None, user_error: str | None, *, in_library: bool) -> FindingClass:
    """Return the class of a break: by torch's name for it; `library-code` if only that is known of it."""
    if user_error in _classes()["user_errors"]:
        return cast("FindingClass", _classes()["user_errors"][user_error])
    for class_, patterns in _classes()["breaks"].items():
        if gb_type and any(re.search(pattern, gb_type, re.IGNORECASE) for pattern in patterns):
            if class_ == "python-feature" and in_library:
                return "library-code"
            return cast("FindingClass", class_)
    return "library-code" if in_library else "other"


def of_failure(chain: Sequence[tuple[str, str]]) -> FindingClass:
    """Return the class of a failure by its exceptions, the innermost first."""
    for type_, message in reversed(chain):
        name = type_.rpartition(".")[2]
        for class_, patterns in _classes()["exceptions"].items():
            if any(re.fullmatch(pattern, name) for pattern in patterns):
                return cast("FindingClass", class_)
        if name == "TorchRuntimeError" and _NO_FAKE.search(message):
            return "backend-operator"
    return "other"


def _classes() -> dict[str, Any]:
    return load("classes")
