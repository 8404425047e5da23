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
_DEVICE = re.compile(r"\b(cuda|xpu|hpu|npu|mtia):\d+|\b(device(?:_index)?\s*=\s*)\d+")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+|\b\d{7,}\b")
_TIMES = re.compile(r"\b\d+\.\d+ ?(?:us|ms|s)\b")
_LONGEST = 120


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
    line = next((one for one, two in zip_longest(lines, other) if one != two), None)
    said = " ".join((line or "").split()) or "(ends before)"
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
