"""Graphs and guards of each rank, without what may differ between ranks that do the same, and where they part."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compilescope.recording.reader import Event, Recording

STAGES = (
    *("dynamo_output_graph", "aot_forward_graph", "aot_inference_graph", "aot_backward_graph"),
    "inductor_post_grad_graph",
)
GUARDS = "dynamo_cpp_guards_str"
_DEVICE = re.compile(
    r"\b(cuda|xpu|hpu|npu|mtia):\d+|(\bdevice(?:_index)?\s*=\s*|\bdevice\(type='\w+', index\s*=\s*)\d+"
)
# Also those in names: `__optimizer_140187483055808_140184443485648_c5`, `__dtensor_spec_139920308525056`.
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+|(?<![0-9A-Za-z.])\d{7,}(?![0-9A-Za-z])")
_TIMES = re.compile(r"\b\d+\.\d+ ?(?:us|ms|s)\b")
_LONGEST = 120
_BEFORE = 60
"""Of a long line that much is shown before what differs."""


def unlike(recording: Recording, events: Mapping[int, Event]) -> dict[int, str]:
    """Return the texts of the ranks; empty if all say the same. Equal checksums are equal texts, read by nobody."""
    sums = {event.raw().checksum for event in events.values()}
    if len(sums) == 1 and None not in sums:
        return {}
    known: dict[str, str] = {}
    texts = {rank: plain(recording.payload(event), known) for rank, event in events.items()}
    return texts if len(set(texts.values())) > 1 else {}


def plain(text: str, known: dict[str, str]) -> str:
    """Return a text without addresses, times and the numbers of devices; `known` keeps its lines, most are shared."""
    lines = text.split("\n")
    for line in lines:
        if line not in known:
            known[line] = _plain(line)
    return "\n".join([known[line] for line in lines])


def _plain(line: str) -> str:
    if ":" in line or "device" in line:  # most lines need no look by a pattern
        line = _DEVICE.sub(lambda match: match[1] or match[2], line)
    line = _ADDRESS.sub("N", line)
    return _TIMES.sub("", line) if "." in line else line


def parting(texts: Sequence[str]) -> list[str]:
    """Return of each text the first line that is not as in the first one; of that, where the second parts from it."""
    first = texts[0].split("\n")
    found = [_first(other.split("\n"), first) for other in texts[1:]]
    return [_first(first, texts[1].split("\n")), *found] if found else [""]


def _first(lines: list[str], other: list[str]) -> str:
    line, beside = next(((one, two) for one, two in zip_longest(lines, other, fillvalue="") if one != two), ("", ""))
    said, compared = " ".join(line.split()) or "(ends before)", " ".join(beside.split())
    if len(said) <= _LONGEST:
        return said
    parts = next((at for at, (a, b) in enumerate(zip(said, compared, strict=False)) if a != b), len(compared))
    start = max(0, min(parts - _BEFORE, len(said) - _LONGEST))  # what differs is shown, too, in a long line
    shown = said[start : start + _LONGEST]
    return f"{'…' if start else ''}{shown}{'…' if start + _LONGEST < len(said) else ''}"
