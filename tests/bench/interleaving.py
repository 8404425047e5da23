"""Lets two processes write one log at once, in many seeded ways: nothing is found that neither log has by itself.

`python -m tests.bench.interleaving [-n 300] [--seed 0] [LOG...]`; without logs those that the tests make.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from compilescope.analysis import analyse
from compilescope.analysis.to_json import to_json
from compilescope.recording.reader import Recording, RecordingError

from tests.bench.mutations import Log, command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RECORD = re.compile(rb"\n(?!\t)")
_PREFIX = re.compile(r"^(?:pid\d+(?:-\d+)?:|rank\d+(?:-\d+)?:)?(?:reset\d+:)?")


# What a finding says by itself: how grave it is depends on what all processes together took.
_SAID = ("rule", "file", "range", "class", "stage", "code")
_OF_ALL = {"slow-compile"}
_NOTHING = (None, "", "<unknown>")
# Two logs that name the same file, of which only one has the text.
_SAME_PROGRAM = {"ours", "torch"}


class Seen(NamedTuple):
    """What is found in a log, as texts that can be compared: without what tells one process from another."""

    findings: Counter[str]
    compiles: Counter[str]
    events: Counter[str]
    damage: list[dict[str, Any]]


def records(data: bytes) -> list[bytes]:
    """Return the records of a log that is whole."""
    places = [0, *(match.end() for match in _RECORD.finditer(data)), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(places) if end > start]


def of_process(data: bytes, pid: int) -> bytes:
    """Return a log as another process would have written it."""
    return b"".join(re.sub(rb"^(\S+ \S+) \d+ ", rb"\1 %d " % pid, one, count=1) for one in records(data))


def _turns(parts: tuple[list[bytes], list[bytes]], chance: random.Random, most: int) -> bytes:
    """Let the two write in turns, each up to `most` of its parts."""
    waiting = [list(reversed(one)) for one in parts]
    written, turn = [], chance.randrange(2)
    while any(waiting):
        for _ in range(min(chance.randint(1, most), len(waiting[turn]))):
            written.append(waiting[turn].pop())  # noqa: PERF401 - the list gets shorter
        turn = 1 - turn
    return b"".join(written)


def whole_records(one: bytes, two: bytes, chance: random.Random) -> bytes:
    """Each record is written at once."""
    return _turns((records(one), records(two)), chance, chance.choice((1, 3, 20)))


def lines(one: bytes, two: bytes, chance: random.Random) -> bytes:
    """Each line is written at once."""
    return _turns((one.splitlines(keepends=True), two.splitlines(keepends=True)), chance, chance.choice((1, 3, 40)))


def _torn(data: bytes, chance: random.Random, longest: int) -> list[bytes]:
    places = [0]
    while places[-1] < len(data):
        places.append(min(len(data), places[-1] + chance.randint(1, longest)))
    return [data[start:end] for start, end in itertools.pairwise(places)]


def anywhere(one: bytes, two: bytes, chance: random.Random) -> bytes:
    """What is written at once ends anywhere."""
    longest = chance.choice((200, 2000, 20000))
    return _turns((_torn(one, chance, longest), _torn(two, chance, longest)), chance, 1)


def blocks(one: bytes, two: bytes, chance: random.Random) -> bytes:
    """Blocks of one size, as pipes and buffers write them."""
    size = chance.choice((512, 4096, 8192))
    parts = [[data[at : at + size] for at in range(0, len(data), size)] for data in (one, two)]
    return _turns((parts[0], parts[1]), chance, 1)


def some_torn(one: bytes, two: bytes, chance: random.Random) -> bytes:
    """Records are written at once, but one of some in two parts, with those of the other between."""
    parts = []
    for data in (one, two):
        found = []
        for record in records(data):
            at = chance.randrange(1, len(record)) if chance.random() < 0.1 else len(record)
            found += [part for part in (record[:at], record[at:]) if part]
        parts.append(found)
    return _turns((parts[0], parts[1]), chance, chance.choice((1, 3)))


def one_after_the_other(one: bytes, two: bytes, chance: random.Random) -> bytes:
    """The logs of two jobs that were put together."""
    del chance
    return one + two


WAYS: tuple[Callable[[bytes, bytes, random.Random], bytes], ...] = (
    whole_records, lines, anywhere, blocks, some_torn, one_after_the_other,
)  # fmt: skip
WHOLE = {"whole_records", "one_after_the_other"}


def seen(path: Path) -> Seen | None:
    """Look at the log at `path`; None when there is nothing in it."""
    try:
        recording = Recording.open(path)
    except RecordingError:
        return None
    with recording:
        result = analyse(recording)
        value = to_json(result)
        events = Counter(f"{one.name} {one.compile_id}" for one in recording.events())
    return Seen(
        Counter(_finding(one) for one in value["findings"] if one["rule"] not in _OF_ALL),
        Counter(_compile(one) for one in value["compiles"]),
        events,
        value["run"]["damage"],
    )


def _finding(value: dict[str, Any]) -> str:
    ids = sorted({_PREFIX.sub("", one) for one in value["compile_ids"]})
    return json.dumps([*(value.get(key) for key in _SAID), ids])


def _compile(value: dict[str, Any]) -> str:
    return json.dumps([_PREFIX.sub("", value["id"]), *(value[key] for key in ("function", "file", "line"))])


def invented(way: str, one: Seen, two: Seen, both: Seen) -> Iterator[str]:
    """Yield what is found in both together and in none alone; of whole records also what is lost."""
    known, compiles = one.findings + two.findings, one.compiles + two.compiles
    if way in WHOLE:
        yield from (f"invented: {finding}" for finding in both.findings if finding not in known)
        yield from (f"invented compile: {found}" for found in both.compiles - compiles)
        yield from (f"invented events: {found}" for found in both.events - (one.events + two.events))
        yield from (f"lost: {finding}" for finding in known if finding not in both.findings)
        yield from (f"lost compile: {found}" for found in compiles - both.compiles)
        if len(both.damage) > len(one.damage) + len(two.damage):
            yield f"damage: {both.damage[:3]}"
        return
    yield from (f"invented: {finding}" for finding in both.findings if not any(_is_less(finding, of) for of in known))
    yield from (
        f"invented compile: {found}" for found in both.compiles if not any(_is_less(found, of) for of in compiles)
    )
    if not both.damage:
        yield "no damage told"


def _is_less(one: str, other: str) -> bool:
    """Whether something is what another is, or less: its file, its place and some compiles may be lost."""
    mine, theirs = json.loads(one), json.loads(other)
    if isinstance(mine[-1], list):  # a finding
        mine, theirs = [*mine[:2], mine[-1]], [*theirs[:2], theirs[-1]]
    return all(
        value == whole or value in _NOTHING or (isinstance(value, list) and set(value) <= set(whole))
        for value, whole in zip(mine, theirs, strict=True)
    )


def run(logs: list[Log], seeds: range, folder: Path) -> tuple[Counter[str], list[str]]:
    """Let two of `logs` be written at once, once for each of `seeds`; return what was done and all that went wrong."""
    path = folder / "dedicated_log_torch_trace_4711_ab12.log"
    alone: dict[tuple[str, int], tuple[bytes, Seen]] = {}
    for log in logs:
        for pid in (4711, 4712):
            data = of_process(log.data, pid)
            path.write_bytes(data)
            found = seen(path)
            assert found is not None, log.name
            alone[log.name, pid] = data, found
    done: Counter[str] = Counter()
    wrong = []
    for seed in seeds:
        chance = random.Random(f"{seed}")
        name, other = (chance.choice(logs).name for _ in range(2))
        if {name, other} == _SAME_PROGRAM:
            other = name
        (one, first), (two, second) = alone[name, 4711], alone[other, 4712]
        way = WAYS[seed % len(WAYS)]
        name = way.__name__
        path.write_bytes(way(one, two, chance))
        done[name] += 1
        try:
            both = seen(path)
        except Exception:  # noqa: BLE001 - whatever it is must be told with its seed
            wrong.append(f"{name} {seed}\n{traceback.format_exc()}")
            continue
        if both is None:
            done["no trace any more"] += 1
            continue
        done[f"findings kept of {name}"] += sum((both.findings & (first.findings + second.findings)).values())
        done[f"findings of {name}"] += sum((first.findings + second.findings).values())
        wrong += [f"{name} {seed}: {what}" for what in invented(name, first, second, both)]
    return done, wrong


if __name__ == "__main__":
    sys.exit(command(__doc__, 300, run, "logs of two processes"))
