"""The lines of a generated kernel that calculate or move values, read from its text (Triton or C++). Nothing is run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Operations of a text that are one of the graph's under another name.
_CALLS = {
    "fabs": "abs", "maximum": "max", "max2": "max", "max_propagate_nan": "max", "minimum": "min", "min2": "min",
    "min_propagate_nan": "min", "blendv": "where", "where": "where", "welford_reduce": "sum", "welford": "sum",
    "welford_combine": "sum", "welford_combine_fn": "sum", "fmadd": "+", "fma": "+", "nearbyint": "round",
    "pow": "pow", "any": "|", "atomic_add": "+",
}  # fmt: skip
_CAST = re.compile(r"(?:static_cast|c10::convert|at::vec::convert|decltype)(?:<[^()]*?>|\([^()]*\))|\bto\(tl\.\w+\)")
_VALUE = re.compile(r"\b_?tmp\w*\b|\b\w*ptr\d+\b|\blocal_buffer\w*\b|\bacc\b")
_ASSIGNED = re.compile(r"^\s*(?P<type>[\w:<>,* ]+?[ *&])??(?P<names>\w+(?:, ?\w+)*) [-+*/|]?= (?P<value>.+)$")
_STORED = re.compile(
    r"^\s*(?:tl\.(?:store|atomic_add)\((?P<pointer>\w+)|(?P<kept>\w+)\.store\((?P<into>\w+)|(?P<at>\w+)\[.*?\] \+?= )"
)
_CALLED = re.compile(r"\b(\w+)\(")
_BINARY = re.compile(r"(?:\b\w+\b|[)\]]) (<=|>=|==|!=|[-+*/&|<>]) (?:\(*\b_?tmp\w*|\(*\d)")
_MASK = re.compile(r"where\(\s*(?:\w*mask\w*(?: & \w*mask\w*)*)\s*,")
_ACCUMULATED = re.compile(r"(?<!\w)_tmp\d+ \+")
_REST = re.compile(r"^\s*if\(C10_UNLIKELY\(")


@dataclass
class TextLine:
    """What a line does: its operations, the lines whose values it takes and gives, and the buffer that it writes."""

    operations: frozenset[str]
    operands: list[int] = field(default_factory=list)
    users: list[int] = field(default_factory=list)
    writes: str | None = None


def read(lines: Sequence[str], known: frozenset[str]) -> dict[int, TextLine]:
    """Return the lines that calculate or move values, by number from 0. `known`: names of functions that matter."""
    found: dict[int, TextLine] = {}
    made: dict[str, int] = {}
    for number, text in enumerate(lines):
        stored, assigned = _STORED.match(text), _ASSIGNED.match(text)
        into = stored and (stored["pointer"] or stored["into"] or stored["at"])
        if stored is not None:
            names, value = [into], text[stored.start(stored.lastgroup or 0) :]
        elif assigned is not None:
            names, value = re.split(r", ?", assigned["names"]), assigned["value"]
        else:
            continue
        if not any(_VALUE.fullmatch(name or "") for name in names) and not _VALUE.search(value):
            continue
        operations = frozenset("+" if "atomic_add" in text else "") if stored else _operations(value, known)
        if "+" in operations and (_ACCUMULATED.search(value) or any(name and f"{name} +" in value for name in names)):
            operations = frozenset(["sum"])
        used = [name for name in dict.fromkeys(_VALUE.findall(text if stored else value)) if name in made]
        operands = [made[name] for name in used if not (stored and name == into)]
        found[number] = TextLine(operations, operands, writes=into or None)
        for operand in operands:
            found[operand].users.append(number)
        made.update((name, number) for name in names if name)
    return found


def bodies(lines: Sequence[str], known: Mapping[int, TextLine]) -> list[list[int]]:
    """Return the numbers of `known` lines by loop: names of values start anew in each. C++ only; all are one else."""
    found: list[list[int]] = []
    counting = rest = False
    for number, text in enumerate(lines):
        rest = rest or _REST.match(text) is not None
        if number not in known:
            continue
        assigned = _ASSIGNED.match(text)
        declared = assigned is not None and (assigned["type"] or "").strip() not in {"", "return"}
        first = declared and assigned is not None and assigned["names"] in {"tmp0", "tmp_acc0"}
        if first and counting and not rest:
            counting = False
            found.append([])
        elif not found:
            found.append([])
        if first and assigned is not None and assigned["names"] == "tmp0":
            counting, rest = True, False
        found[-1].append(number)
    return found


def _operations(value: str, known: frozenset[str]) -> frozenset[str]:
    plain = _CAST.sub("", value)
    called = set(_named(plain, known))
    if "where" in called and _MASK.search(plain):
        called.discard("where")
    if called or "tl.load(" in plain or "loadu(" in plain or re.match(r"\w+\[", value):
        return frozenset(called)
    return frozenset(_BINARY.findall(plain))


def _named(plain: str, known: frozenset[str]) -> Iterator[str]:
    for name in _CALLED.findall(plain):
        if name in _CALLS:
            yield _CALLS[name]
        elif name in known and (name != "sum" or "tl.sum(" in plain):
            yield name
