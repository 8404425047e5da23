"""Our words for what happened: title, label, why, and what to do. The texts are in `data`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from compilescope.analysis.data import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FIELD = re.compile(r"\{(\w+)\}")
# What is written in the program where an `if` is known by what it does.
_WRITTEN = {"raise": "if", "break": "if"}
# What of torch a hint names: its functions and settings.
_API = re.compile(r"torch\.[\w.]*\w|`[a-z]+_\w+`?")


@dataclass
class Words:
    """Texts about one finding, as docs/findings.md describes them."""

    title: str = ""
    label: str = ""
    explanation: str = ""
    write: str = ""
    note: str = ""
    hints: list[str] = field(default_factory=list)
    about_caller: bool = False
    complete: bool = False
    """Whether torch's hints say nothing more."""


def graph_break(gb_id: str | None, gb_type: str | None, values: Mapping[str, str | None]) -> Words:
    """Return our words for a kind of graph break, with the values that are known filled in."""
    branch = values.get("branch")
    if failed := values.get("failed"):
        words = filled(load("breaks")["failed"][failed], values)
        words.complete = True
        return words
    return filled(
        _kind_of_break(gb_id, gb_type or "", values), {**values, "branch": _WRITTEN.get(branch or "", branch)}
    )


def torch_s_own(values: Mapping[str, str | None], *, wraps: bool = False) -> Words:
    """Return our words for a break that torch's own code asks for; `wraps`: around what is compiled by itself."""
    return filled(load("breaks")["torch_wrapper" if wraps else "torch"], values)


def in_package(hints: Sequence[str]) -> list[str]:
    """Return hints about a line in an installed package, which is not the user's to change: those on settings stay."""
    return [str(load("breaks")["package"]), *(hint for hint in hints if "torch._dynamo.config" in hint)]


def in_hook(hints: Sequence[str]) -> list[str]:
    """Return hints about a line in a module's hook."""
    return [str(load("breaks")["hook"]), *hints]


def stopped() -> str:
    """Return the label of a break that is an error."""
    return str(load("breaks")["error"])


def skipped(reason: str, values: Mapping[str, str | None], *, rest: bool, again: bool = False) -> Words:
    """Return our words for why a whole frame was given up, or (`rest`) all of it from the break on.

    `frame` is filled in; `spot` says what it was in the middle of, as `surroundings.around` does; `cause` is what
    raises. `again`: there are versions of the frame that have no such break.
    """
    data = load("breaks")
    spot = data["spots"].get(values.get("spot") or "")
    entry = next(
        one
        for one in data["skipped"]
        if re.search(one["types"], reason)
        and all(values.get(key) for key in one.get("needs", ()))
        and ("spot" not in one or spot)
    )
    lost = data["lost"][("rest" if rest else "whole") + ("_again" if again else "")]
    given = {**values, **(spot or {}), "lost": _FIELD.sub(lambda match: values.get(match[1]) or "", lost["title"])}
    words = filled(entry, {**given, "end": lost["end"]})
    if spot and spot.get("hint") and "spot" in entry:
        words.hints.append(spot["hint"])
    return words


def another_way(cause: Words, skip: Words) -> str:
    """Return what to know before writing what is to be written against a skip: it can go another way, too."""
    ways = [f"another way: {hint[:1].lower()}{hint[1:].rstrip('.')}" for hint in skip.hints[:1] if cause.write]
    return "; ".join(part for part in (cause.note, *ways) if part)


def with_torch_s(words: Words, hints: Sequence[str]) -> list[str]:
    """Return our hints, then those of torch's that say something more; never none."""
    data = load("breaks")
    empty = re.compile("|".join(data["empty_hints"]))
    said = " ".join([*words.hints, words.write, words.note])
    found = list(words.hints)
    for told in hints:
        reworded = (one["hint"] for one in data["reworded_hints"] if re.search(one["pattern"], told))
        hint = next(reworded, told)
        names = {name.strip("`").rpartition(".")[2] for name in _API.findall(hint)}
        known = hint in found or (names and all(name in said for name in names))
        if hint and not known and not empty.search(hint):
            found.append(hint)
    return found or list(data["default"]["hints"])


def _kind_of_break(gb_id: str | None, gb_type: str, values: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the first kind of its number, else of its name, that fits what else is known."""
    data = load("breaks")
    about = "\n".join(value for key in ("context", "call", "user_call", "through") if (value := values.get(key)))
    for one in data["kinds"]:
        if gb_id in one["ids"] and _fits(one, values, about):
            return dict(one)
    for one in data["kinds"]:
        if gb_type and re.search(one["types"], gb_type, re.IGNORECASE) and _fits(one, values, about):
            return dict(one)
    return {**data["default"], "hints": []}


def _fits(kind: Mapping[str, Any], values: Mapping[str, str | None], about: str) -> bool:
    """Whether a kind's conditions hold: on what is called, on the branch, on what torch notes about the break."""
    if "call" in kind and values.get("call") not in kind["call"]:
        return False
    if "branch" in kind and values.get("branch") not in kind["branch"]:
        return False
    if "drawn" in kind and not values.get("drawn"):
        return False
    return "about" not in kind or re.search(kind["about"], about) is not None


def filled(entry: Mapping[str, Any], values: Mapping[str, str | None]) -> Words:
    """Return an entry's texts with values filled in, without those of which one is not known."""

    def fill(wanted: str) -> str:
        known = all(values.get(name) for name in _FIELD.findall(wanted))
        return _FIELD.sub(lambda match: str(values[match[1]]), wanted) if known else ""

    def text(key: str) -> str:
        return fill(str(entry.get(key, ""))) or fill(str(entry.get(f"{key}_plain", "")))

    return Words(
        title=text("title"),
        label=text("label"),
        explanation=text("explanation"),
        write=text("write"),
        note=text("note") if text("write") or "write" not in entry else "",
        hints=[hint for one in entry.get("hints", []) if (hint := fill(one))],
        about_caller="{user_call}" in str(entry.get("title", "")) and bool(values.get("user_call")),
    )
