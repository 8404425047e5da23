"""Two values of a failed guard as tables show them: rounded, and of long sets only what differs."""

from __future__ import annotations

import re

from compilescope.analysis.rounding import rounded_pair

_KEYS = re.compile(r"DispatchKeySet\(([^()]*)\)")
UNKNOWN = "?"
NOTHING = "none"


def shown_pair(old: str | None, new: str | None) -> tuple[str, str] | None:
    """Return old and new value in one line each, `?` for one that is not known; None when neither is."""
    if old is None and new is None:
        return None
    first, second = (UNKNOWN if one is None else " ".join(one.split()) for one in (old, new))
    sets = _KEYS.fullmatch(first), _KEYS.fullmatch(second)
    if sets[0] and sets[1]:
        keys = [each[1].split(", ") for each in sets if each]
        only = [[key for key in own if key not in other] for own, other in (keys, keys[::-1])]
        return ", ".join(only[0]) or NOTHING, ", ".join(only[1]) or NOTHING
    return rounded_pair(first, second)
