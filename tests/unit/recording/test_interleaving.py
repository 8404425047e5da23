"""A short run of what `tests/bench/interleaving.py` does with real logs: two processes that write one log."""

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

from compilescope.recording.reader import Recording

from tests.bench.interleaving import WAYS, Seen, invented, lines, of_process, run
from tests.bench.mutations import made


def test_nothing_is_found_that_neither_log_has(tmp_path):
    done, wrong = run(made(), range(4 * len(WAYS)), tmp_path)
    assert wrong == []
    assert done["findings kept of lines"] > 10


def test_what_is_invented_would_be_told():
    one, two = (Seen(Counter(), Counter([f'["{name}", "f", "a.py", 3]']), Counter(), []) for name in ("0/0", "0/1"))
    both = Seen(Counter(), one.compiles + two.compiles, Counter(), [{"problem": "lines are mixed"}])
    assert list(invented("lines", one, two, both)) == []
    assert list(invented("lines", one, one, both)) != []
    assert list(invented("lines", one, two, both._replace(damage=[]))) == ["no damage told"]
    finding = '["recompile", "a.py", null, "guard", "guard", "recompile", ["0/1"]]'
    assert list(invented("whole_records", one, two, both._replace(findings=Counter([finding]), damage=[]))) != []


def test_a_log_that_two_processes_write_while_it_is_read_is_what_it_is_afterwards(tmp_path):
    one, two = (of_process(made()[0].data, pid) for pid in (4711, 4712))
    data = lines(one, two, random.Random("lines 0"))
    path = tmp_path / "dedicated_log_torch_trace_4711_ab12.log"
    path.write_bytes(data)
    whole = told(path)
    assert any("mixed" in problem for _, problem in whole[1])
    path.unlink()
    places = [1200, 1400, 9000, 20000, len(data)]
    path.write_bytes(data[: places[0]])
    with Recording.open(path) as recording:
        for start, end in pairwise(places):
            seen_in(recording)
            with path.open("ab") as stream:
                stream.write(data[start:end])
            recording.refresh()
        assert seen_in(recording) == whole


def seen_in(recording: Recording) -> tuple[list[tuple[object, ...]], set[tuple[int, str]]]:
    """All events with their processes and payloads, and the damage."""
    numbers = list(recording.processes())
    events = [
        (event.name, event.compile_id, numbers.index(event.process), recording.payload(event))
        for event in recording.events()
    ]
    return events, {(place.offset, place.problem) for place in recording.damage}


def told(path: Path) -> tuple[list[tuple[object, ...]], set[tuple[int, str]]]:
    with Recording.open(path) as recording:
        return seen_in(recording)
