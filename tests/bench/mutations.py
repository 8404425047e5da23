"""Damages logs in many seeded ways: no exception leaves reader and analysis, what lies before the damage stays.

`python -m tests.bench.mutations [-n 10000] [--seed 0] [LOG...]`; without logs those that the tests make.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from compilescope.analysis import analyse
from compilescope.analysis.to_json import to_json
from compilescope.recording.reader import Recording, RecordingError
from compilescope.report import text as text_report
from compilescope.report.style import Style

from tests.unit.analysis.whole import ours, torchs_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Run = Callable[[list["Log"], range, Path], tuple[Counter[str], list[str]]]
    """Does something for each seed; returns what was done how often, and what went wrong."""

LARGEST = 400_000
"""Bytes of a log that are used: its beginning, so that a run of thousands ends."""
WRONG = (
    b"",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\n",
    b"\n\t",
    b"\t",
    b"\r",
    b'"',
    b"{",
    b"}",
    b"[" * 3000,
    b"1e999",
    b"9" * 5000,
)


class Log(NamedTuple):
    """A log to be damaged. `lines`: where its lines begin, and its end."""

    name: str
    data: bytes
    lines: list[int]

    @classmethod
    def of(cls, name: str, data: bytes) -> Log:
        """Return the log with whole lines only."""
        if len(data) > LARGEST:
            data = data[: data.rindex(b"\nV", 0, LARGEST) + 1]
        lines = [0]
        while (end := data.find(b"\n", lines[-1])) >= 0:
            lines.append(end + 1)
        return cls(name, data, lines if lines[-1] == len(data) else [*lines, len(data)])


class View(NamedTuple):
    """What is seen of a log: its events as (offset, base id, all else), the findings and what the reader says."""

    events: list[tuple[int, str | None, str]]
    findings: list[dict[str, Any]]
    damage: int


def made() -> list[Log]:
    """Return the logs that need no file: all events that the analysis reads, ours and torch's own."""
    both = {"ours": ours(), "torch": torchs_own()}
    return [Log.of(name, b"".join(entry.record() for entry in entries)) for name, entries in both.items()]


def _flip(log: Log, chance: random.Random) -> tuple[int, bytes]:
    at = chance.randrange(len(log.data))
    data = bytearray(log.data)
    for _ in range(chance.choice((1, 1, 1, 4, 40))):
        place = min(len(data) - 1, at + chance.randrange(200))
        data[place] ^= chance.randrange(1, 256)
    return at, bytes(data)


def _write(log: Log, chance: random.Random) -> tuple[int, bytes]:
    at = chance.randrange(len(log.data))
    end = at + chance.choice((0, 1, 1, 2, 40, 3000))
    return at, log.data[:at] + chance.choice(WRONG) + log.data[end:]


def _cut_line(log: Log, chance: random.Random) -> tuple[int, bytes]:
    """Cut the rest of a line, its end included or not: a payload that is too short, an envelope within another."""
    number = chance.randrange(len(log.lines) - 1)
    start, end = log.lines[number : number + 2]
    at = chance.randrange(start, end)
    return at, log.data[:at] + log.data[end - chance.choice((0, 1)) :]


def _drop(log: Log, chance: random.Random) -> tuple[int, bytes]:
    number = chance.randrange(len(log.lines) - 1)
    last = min(len(log.lines) - 1, number + chance.choice((1, 1, 2, 10, 100)))
    return log.lines[number], log.data[: log.lines[number]] + log.data[log.lines[last] :]


def _double(log: Log, chance: random.Random) -> tuple[int, bytes]:
    number = chance.randrange(len(log.lines) - 1)
    last = min(len(log.lines) - 1, number + chance.choice((1, 1, 3, 30)))
    start, end = log.lines[number], log.lines[last]
    return end, log.data[:end] + log.data[start:end] + log.data[end:]


def _swap(log: Log, chance: random.Random) -> tuple[int, bytes]:
    """Let two lines change places: two writers at once, or parts put together in a wrong order."""
    if len(log.lines) < 3:
        return _flip(log, chance)
    one, two = sorted(chance.sample(range(len(log.lines) - 1), 2))
    if chance.random() < 0.5:
        two = one + 1
    data, lines = log.data, log.lines
    first, second = data[lines[one] : lines[one + 1]], data[lines[two] : lines[two + 1]]
    whole = data[: lines[one]] + second + data[lines[one + 1] : lines[two]] + first + data[lines[two + 1] :]
    return lines[one], whole


def _json(log: Log, chance: random.Random) -> tuple[int, bytes]:
    """Put another JSON value, or none, where one stands."""
    marks = b'{}[]":,0123456789'
    for _ in range(100):
        at = chance.randrange(len(log.data))
        if log.data[at] in marks:
            other = (b"null", b"-1", b'"x"', b"[]", b"{}", b"true", b"1e400", b"", bytes([chance.choice(marks)]))
            return at, log.data[:at] + chance.choice(other) + log.data[at + 1 :]
    return _write(log, chance)


def _end(log: Log, chance: random.Random) -> tuple[int, bytes]:
    at = chance.randrange(len(log.data))
    return at, log.data[:at]


MUTATIONS: tuple[Callable[[Log, random.Random], tuple[int, bytes]], ...] = (
    _flip, _write, _cut_line, _drop, _double, _swap, _json, _end,
)  # fmt: skip


def mutated(log: Log, seed: int) -> tuple[str, int, bytes]:
    """Return what was done to a log, the first byte that may differ, and its bytes then."""
    chance = random.Random(f"{log.name} {seed}")
    mutation = chance.choice(MUTATIONS)
    at, data = mutation(log, chance)
    return mutation.__name__.strip("_"), at, data


def view(path: Path) -> View | None:
    """Look at everything in the log at `path`; None when it can't be told from something else any more."""
    try:
        recording = Recording.open(path)
    except RecordingError:
        return None
    with recording:
        events = []
        for event in recording.events():
            if recording.payload(event).startswith(("{", "[")):
                recording.json(event)
            recording.stack(event)
            row = event.raw()
            told = json.dumps([*row[2:], event.envelope, event.fields], default=str)
            events.append((row.envelope_offset, event.base_id, told))
        result = analyse(recording)
        value = to_json(result)
        json.dumps(value)
        text_report.render(result, {}, style=Style(Path("/app")), notes=[])
        return View(events, value["findings"], len(recording.damage))


def before_damage(before: View, after: View, start: int) -> list[dict[str, Any]]:
    """Return the findings all of whose compiles ended before the record at `start`, whatever became of that."""
    touched = {base for offset, base, _ in (*before.events, *after.events) if offset >= start}
    found = []
    for finding in before.findings:
        ids = {one.rpartition(":")[2].partition("_")[0] for one in finding["compile_ids"]}
        if ids and not ids & touched:
            found.append(finding)
    return found


def lost(before: View, after: View, start: int) -> Iterator[str]:
    """Yield what lies before the record at `start`, the first that was damaged, and is another now."""
    kept = [one for one in before.events if one[0] < start]
    if kept != after.events[: len(kept)]:
        yield "events before the damage changed"
    there = [_told(one) for one in after.findings]
    for finding in before_damage(before, after, start):
        if _told(finding) not in there:
            yield f"the finding {finding['rule']} of {finding['compile_ids']} changed"


def _told(finding: dict[str, Any]) -> str:
    """Return what a finding says by itself; what it costs depends on what came later."""
    keys = ("rule", "severity", "file", "range", "reason", "class", "stage", "code", "compile_ids", "frames")
    return json.dumps([finding[key] for key in keys])


def record_start(log: Log, at: int) -> int:
    """Return where the record begins that the byte before `at` is of: damage may join what follows to it."""
    start = log.data.rfind(b"\nV", 0, max(0, at)) + 1
    return start if start < at else log.data.rfind(b"\nV", 0, max(0, start - 1)) + 1


def run(logs: list[Log], seeds: range, folder: Path) -> tuple[Counter[str], list[str]]:
    """Damage each of `logs` in turn, once for each of `seeds`; return what was done and all that went wrong."""
    path = folder / "dedicated_log_torch_trace_4711_ab12.log"
    whole: dict[str, View] = {}
    for log in logs:
        path.write_bytes(log.data)
        found = view(path)
        assert found is not None, log.name
        whole[log.name] = found
    done: Counter[str] = Counter()
    wrong = []
    for seed in seeds:
        log = logs[seed % len(logs)]
        what, at, data = mutated(log, seed)
        done[what] += 1
        path.write_bytes(data)
        try:
            after = view(path)
        except Exception:  # noqa: BLE001 - whatever it is must be told with its seed
            wrong.append(f"{log.name} {seed} {what} at {at}\n{traceback.format_exc()}")
            continue
        if after is None:
            done["no trace any more"] += 1
        else:
            done["with damage told"] += bool(after.damage)
            start = record_start(log, at)
            done["findings before the damage"] += len(before_damage(whole[log.name], after, start))
            wrong += [f"{log.name} {seed} {what} at {at}: {one}" for one in lost(whole[log.name], after, start)]
    return done, wrong


def command(about: str | None, count: int, run: Run, what: str) -> int:
    """Do as many of something with logs as the command line asks for, `count` by default; print what went wrong."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("-n", type=int, default=count)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("logs", type=Path, nargs="*")
    options = parser.parse_args()
    logs = [Log.of(path.name, path.read_bytes()) for path in options.logs]
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done, wrong = run([*made(), *logs], range(options.seed, options.seed + options.n), Path(folder))
    told = f"{options.n} {what} in {time.monotonic() - begun:.0f} s: {dict(done)}; {len(wrong)} went wrong"
    sys.stdout.writelines(f"{one}\n" for one in [*wrong, told])
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(command(__doc__, 10_000, run, "mutations"))
