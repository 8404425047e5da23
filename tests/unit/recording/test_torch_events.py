"""Every event that torch writes is read, with its compile, fields and payload; what none of us knows, too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.events import counts, entries
from compilescope.recording.reader import Recording

from tests.unit.recording.made import in_compile, record
from tests.unit.recording.torch_events import ARTIFACTS, EVENTS

# As `torch._logging.trace_structured` makes them: text, JSON with a line for each value, a list with one for each item.
PAYLOADS = (
    "class GraphModule(torch.nn.Module):\n    def forward(self):\n\n        return ()\n",
    json.dumps({"name": "x", "args": {"a": [1, None]}, "\u00e9": "\u4e2d"}, indent=0),
    "[\n" + ",\n".join(json.dumps(one) for one in ({"code": "a"}, {"code": "b\tc"})) + "\n]",
    "",
    "\tindented\r\nby a tab\u2028and more\x0c",
)
FRAMES = [{"line": 4, "name": "f", "filename": 0, "loc": "y = x"}]
IDS: dict[str | None, dict[str, Any]] = {
    "0/0": in_compile(),
    "12/3_2": in_compile(12, 3, 2),
    "!1/2/0": {"compiled_autograd_id": 1, **in_compile(2)},
    "!4": {"compiled_autograd_id": 4},
    "7/1": {"compiled_autograd_id": None, **in_compile(7, 1)},
    None: {"stack": FRAMES},
}


def made(payload: str | None) -> list[tuple[str, str | None, dict[str, Any], str | None, bytes]]:
    """Return name, compile id, fields, payload and bytes of a record for each event of torch and one to come."""
    artifacts = [
        (name, "artifact", {"name": name, "encoding": "json"}, payload) for name in (*ARTIFACTS, "of_a_torch_to_come")
    ]
    others = [
        (name, name, {key: FRAMES if "stack" in key else key for key in keys}, payload if has_payload else None)
        for name, (keys, has_payload) in EVENTS.items()
    ]
    others += [("seldom_seen", "seldom_seen", {}, None)]
    found = []
    for number, (name, key, fields, text) in enumerate(artifacts + others):
        compile_id = list(IDS)[number % len(IDS)]
        common = {
            **IDS[compile_id],
            **({"rank": 3} if number % 2 else {}),
            **({"subgraph_name": "a"} if number % 3 else {}),
        }
        found.append((name, compile_id, fields, text, record(key, fields, text, **common)))
    return found


def test_the_table_holds_all_of_torchs_names():
    assert len({*ARTIFACTS, *EVENTS, "str"}) >= 119


@pytest.mark.parametrize("payload", PAYLOADS)
def test_every_event_is_read_as_it_was_written(tmp_path, payload):
    events = made(payload)
    path = tmp_path / "dedicated_log_torch_trace_rank_3_ab12.log"
    path.write_bytes(record("str", ["/app/main.py", 0]) + b"".join(data for *_, data in events))
    with Recording.open(path) as recording:
        _, *read = recording.events()
        assert [(event.name, event.compile_id, event.fields) for event in read] == [one[:3] for one in events]
        assert [recording.payload(event) if event.has_payload else None for event in read] == [one[3] for one in events]
        starts = [event for event in read if "stack" in event.fields]
        assert all(recording.stack(event) == [{"file": "/app/main.py", "line": 4, "function": "f"}] for event in starts)
        assert {event.rank for event in read} == {3}
        assert recording.damage == []
        analyse(recording)
        listed = list(entries(recording, payloads=True))[1:]
        assert [(one.name, one.payload) for one in listed] == [(name, text) for name, _, _, text, _ in events]
        assert sum(one.bytes for one in counts(recording)) <= path.stat().st_size
        assert sum(one.count for one in counts(recording)) == len(events) + 1
