"""Our words for recompiles: label, why, what to do. The texts are in `data/guards.json`, by what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.analysis.data import load
from compilescope.analysis.explain import Words, filled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Values = dict[str, "str | None"]


def words(changed: Sequence[tuple[str, Values]]) -> Words:
    """Return our words for guards of one thing that failed, by kind with their values: only what holds for all."""
    kinds: dict[str, tuple[dict[str, Any], Values]] = {}
    for kind, values in changed:
        entry = _entry(kind, values)
        kinds.setdefault(str(entry.get("way", kind)), (entry, values))
    first, values = next(iter(kinds.values()))
    if len(kinds) == 1:
        return _one(first, values, many=len(changed) > 1)
    known = all("way" in entry for entry, _ in kinds.values())
    each = [_one(entry, values, many=False) for entry, values in kinds.values()]
    mixed = filled(load("guards")["mixed"], {**values, "ways": ", ".join(kinds) if known else None})
    mixed.explanation = " ".join(dict.fromkeys(one.explanation for one in each))
    mixed.hints = [hint for one in each for hint in one.hints[:1]]
    return mixed


def settled(first: Values, last: Values) -> Words:
    """Return our words for a number that had several versions and is variable now: its first change and its last."""
    old, new = first.get("old"), last.get("new")
    start = f"{old}.0" if old and old.isdecimal() and new and not new.isdecimal() else None
    return filled(load("guards")["settled"], {**last, "old": old, "new": new, "start": start})


def storm() -> str:
    """Return what helps against recompiles of any kind that go on."""
    return str(load("guards")["storm"])


def raised(limit: int, setting: str) -> str:
    """Return how a limit is raised to `limit`, and when that helps; `setting`: its name in the torch that ran."""
    words = str(load("guards")["limit" if setting == "recompile_limit" else "older_limit"])
    return words.replace("{limit}", str(limit)).replace("{setting}", setting)


def after_break() -> str:
    """Return the sentence about a recompile that only follows from a break."""
    return str(load("guards")["resumed"])


def _entry(kind: str, values: Mapping[str, str | None]) -> dict[str, Any]:
    data = load("guards")
    fitting = (one for one in data["kinds"].get(kind, []) if not one.get("needs") or values.get(one["needs"]))
    return dict(next(fitting, data["default"]))


def _one(entry: dict[str, Any], values: Values, *, many: bool) -> Words:
    if many and "label_many" in entry:
        entry = {**entry, "label": entry["label_many"]}
    return filled({"label_plain": load("guards")["default"]["label_plain"], **entry}, values)
