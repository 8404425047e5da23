"""Whatever a recording holds, the analysis and the report say what they can and do not fail."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from compilescope.analysis import analyse, perfetto
from compilescope.analysis.analyse import context_of
from compilescope.analysis.graphs import Graphs
from compilescope.analysis.logs import Logs
from compilescope.analysis.model import Result
from compilescope.analysis.progress import last_step
from compilescope.analysis.timeline import timeline
from compilescope.analysis.to_json import to_json
from compilescope.recording.reader import Recording
from compilescope.report import markdown, sarif
from compilescope.report import text as text_report
from compilescope.report.html import page as html_page
from compilescope.report.html.material import Material
from compilescope.report.logs import line, table
from compilescope.report.sources import sources
from compilescope.report.style import Style
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from page import Page

from tests.unit.analysis.schema import problems
from tests.unit.analysis.whole import ours, torchs_own

LOG = "dedicated_log_torch_trace_4711_ab12.log"
DEEP = json.loads("[" * 200 + "]" * 200)
ODD: list[Any] = [
    None, True, False, 0, -1, 2**31, 2**63, 10**400, -(10**30), 0.5, -1e308, float("inf"), float("nan"),
    "", "\ud800", "x" * 5000, "0/0/forward", "/app/main.py", "9" * 5000, "²", "a.b", "(" * 300, "L['x'] == ²",
    [], {}, [None], [[]], [{}], {"": {}}, {"file": "/app/main.py", "line": 10**30, "col": -5, "end_col": 2**70},
    {"file": "/app/main.py", "line": -3, "col": 5, "end_line": 10**9, "end_col": 0}, DEEP,
]  # fmt: skip
RECORDINGS = {"ours": ours, "torch alone": torchs_own}


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places in a JSON value, as paths."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, one in members for place in places(one, (*at, key)))]


def changed(value: Any, place: tuple[Any, ...], change: Any) -> Any:
    """`value` with something done to one of its places: another value there, or nothing at all (`change` is `...`)."""
    if not place:
        return None if change is ... else change
    value = copy.deepcopy(value)
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    if change is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = change
    return value


@st.composite
def recordings(draw: st.DrawFn) -> bytes:
    """The bytes of a log with some of its events changed, gone, doubled or moved."""
    entries = RECORDINGS[draw(st.sampled_from(sorted(RECORDINGS)))]()
    for _ in range(draw(st.integers(1, 6))):
        position = draw(st.integers(0, len(entries) - 1))
        entry = entries[position]
        what = draw(st.sampled_from(["payload"] * 6 + ["fields"] * 3 + ["gone", "double", "moved", "id"]))
        if what in {"payload", "fields"} and getattr(entry, what) is not None:
            value = getattr(entry, what)
            place = draw(st.sampled_from(places(value)))
            entries[position] = entry._replace(**{what: changed(value, place, draw(st.sampled_from([..., *ODD])))})
        elif what == "id":
            entries[position] = entry._replace(compile_id=draw(st.sampled_from([None, "0/0", "0/1_1", "7/7"])))
        elif what == "gone":
            del entries[position]
        else:
            entries.insert(draw(st.integers(0, len(entries))), entry)
            if what == "moved":
                entries.remove(entry)
        if not entries:
            break
    return b"".join(entry.record() for entry in entries)


def reports(result: Result, recording: Recording) -> None:
    """Write the result in every format; the page is whole, and what the recording says is no part of its markup."""
    texts = sources(recording, result)
    page = html_page.render(Material(result, texts, recording))
    assert len(page) < 5_000_000
    assert Page(page).problems == []
    json.loads(sarif.render(result, texts, []), parse_constant=pytest.fail)
    assert markdown.render(result, texts, []).endswith("\n")


def look_at(data: bytes, *, formats: bool = False) -> dict[str, Any]:
    """Everything that anybody asks of a recording; the result as JSON. `formats`: all formats of reports, too."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / LOG).write_bytes(data)
        (Path(folder) / "run.json").write_text('{"command": ["main.py"]}')
        with Recording.open(folder) as recording:
            result = analyse(recording)
            last_step(recording, result)
            graphs = Graphs(recording, context_of(recording))
            for stage in graphs.stages():
                graphs.stages(stage.compile_id)
                if stage.snapshot is not None:
                    columns, text = graphs.columns(stage.snapshot), graphs.text(stage.snapshot)
                    assert columns is not None
                    assert text is not None
                    assert all(0 <= node < len(columns.names) for node in columns.edges)
            logs = Logs(recording, context_of(recording))
            table(logs.counts(), logs.dropped())
            for record in logs.records():
                line(record)
            style = Style(Path("/app"), colour=True)
            assert text_report.render(result, sources(recording, result), style=style, notes=[]).endswith("\n")
            if formats:
                reports(result, recording)
            json.loads(perfetto.render(timeline(recording, result)), parse_constant=pytest.fail)
            result.run.recording = ""
    value: dict[str, Any] = json.loads(json.dumps(to_json(result), allow_nan=False))
    return value


@pytest.mark.parametrize("name", sorted(RECORDINGS))
def test_the_recording_itself_is_whole(name):
    value = look_at(b"".join(entry.record() for entry in RECORDINGS[name]()), formats=True)
    assert problems(value) == []
    rules = {finding["rule"] for finding in value["findings"]}
    assert {"graph-break", "recompile", "compile-error"} <= rules
    if name == "ours":
        assert {"frame-skipped", "recompile-limit", "fallback-op", "unknown-log-name"} <= rules


def test_a_pass_before_the_first_is_the_first():
    entries = [
        one._replace(payload={**one.payload, "order": -1, "depth": -1}) if one.name == "compilescope_pass" else one
        for one in ours()
    ]
    value = look_at(b"".join(entry.record() for entry in entries))
    assert problems(value) == []
    assert {(one["order"], one["depth"]) for one in value["passes"]} == {(0, 0)}


def _with(value: Any, key: str, change: Any) -> Any:
    """`value` with all that has this key changed."""
    if isinstance(value, list):
        return [_with(one, key, change) for one in value]
    if isinstance(value, dict):
        return {name: change if name == key else _with(one, key, change) for name, one in value.items()}
    return value


def _numbers(value: Any, key: str = "") -> set[str]:
    """The keys of what is a whole number."""
    if isinstance(value, (list, dict)):
        members = value.items() if isinstance(value, dict) else ((key, one) for one in value)
        return set().union(*(_numbers(one, name) for name, one in members))
    return {key} if type(value) is int else set()


def test_no_number_is_believed_to_be_one():
    """What names are looked up by may be a list: that of each key in the envelopes of torch's events."""
    entries = torchs_own()
    keys = sorted(set().union(*(_numbers(entry.fields) for entry in entries)))
    assert "filename" in keys
    for key in keys:
        odd = [entry._replace(fields=_with(entry.fields, key, [1])) for entry in entries]
        assert problems(look_at(b"".join(entry.record() for entry in odd))) == []


@given(recordings())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_changed_events_do_no_harm(data):
    assert problems(look_at(data)) == []


@given(recordings())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_changed_events_leave_every_report_whole(data):
    look_at(data, formats=True)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_changed_bytes_do_no_harm(data):
    log = bytearray(b"".join(entry.record() for entry in ours()))
    for _ in range(data.draw(st.integers(1, 8))):
        start = data.draw(st.integers(0, len(log) - 1))
        end = min(len(log), start + data.draw(st.sampled_from([0, 1, 2, 40, 3000])))
        log[start:end] = data.draw(
            st.sampled_from([b"", b"\0", b"\xff", b"\n", b"\n\t", b'"', b"{", b"1e999", b"9" * 5000, b"[" * 60000])
        )
    assert problems(look_at(bytes(log))) == []
