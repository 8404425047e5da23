"""What tlparse reports of a log, we report, too, and what it drops is here (`tests/fixtures/tlparse/make.py`)."""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.events import counts
from compilescope.recording.reader import Recording

FIXTURES = Path(__file__).parents[2] / "fixtures/tlparse"
SHARED = Path(__file__).parents[4] / "shared"
RESUMED = re.compile(r"torch_dynamo_resume_in_(\w+)_at_\d+")
EXPECTED: dict[str, dict[str, Any]] = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))


def path_of(name: str) -> Path:
    folder, _, file = name.partition("/")
    if folder == "tlparse":
        return FIXTURES / file
    return SHARED / "traces" / file if folder == "traces" else SHARED / "traces" / folder / file


@pytest.fixture(params=sorted(EXPECTED))
def case(request, tmp_path):
    path = path_of(request.param)
    if not path.is_file():
        pytest.skip(f"{request.param} is not here")
    if path.suffix == ".xz":
        packed, path = path, tmp_path / path.stem
        path.write_bytes(lzma.decompress(packed.read_bytes()))
    with Recording.open(path) as recording:
        yield EXPECTED[request.param], recording


def test_compile_ids_and_events(case):
    expected, recording = case
    ids = {event.base_id for event in recording.events() if event.base_id is not None}
    assert sorted(ids) == sorted({one.partition("_")[0] for one in expected["compile_ids"]})
    ours = Counter({one.name: one.count for one in counts(recording) if one.name != "str"})
    assert ours == Counter(expected["events"]) + Counter(expected["drops"])


def test_metrics(case):
    expected, recording = case
    read = [(event.base_id, event.fields) for event in recording.events("compilation_metrics")]
    assert [id_ for id_, _ in read] == [id_ for id_, _ in expected["metrics"]]
    for (_, fields), (_, metrics) in zip(read, expected["metrics"], strict=True):
        assert {key: fields.get(key) for key in metrics} == metrics


def _given_up(kind, recording):
    """torch 2.9.1 writes the same for a break that raised and for one whose frame runs in eager."""
    versions = [event.fields.get("pytorch_version") for event in recording.events("compilation_metrics")]
    return {"frame-skipped"} if kind == "Unsupported" and not any(versions) else set()


def _states(kind, recording):
    if kind is None:
        return {"ok", "skipped", "running"}
    return {"failed"} | ({"skipped"} if _given_up(kind, recording) else set())


def test_compiles_with_graphs_guards_and_time(case):
    expected, recording = case
    found = {one.id: one for one in analyse(recording).compiles}
    times = Counter(id_ for id_, _ in expected["metrics"])
    for id_, metrics in expected["metrics"]:
        if times[id_] > 1 or metrics["co_name"] is None:  # torch._dynamo.reset began to count anew; a backward
            continue
        one = found[id_]
        resumed = RESUMED.fullmatch(metrics["co_name"])
        assert (one.function, one.line) == (resumed[1] if resumed else metrics["co_name"], metrics["co_firstlineno"])
        assert one.guards == metrics["guard_count"]
        assert one.graph["nodes"] == (metrics["graph_node_count"] or 0)
        assert one.status in _states(metrics["fail_type"], recording)
        if (time := metrics["entire_frame_compile_time_s"]) is not None:
            assert one.seconds["total"] - one.seconds.get("backward", 0) == pytest.approx(time, abs=0.001)


def test_failures_and_restarts(case):
    expected, recording = case
    findings = analyse(recording).findings
    for id_, kind, reason in expected["failures_and_restarts"]:
        base, first = id_.partition("_")[0], " ".join(reason.split())[:60]
        about = [one for one in findings if base in {each.partition("_")[0] for each in one.compile_ids}]
        rules = {one.rule for one in about if first in " ".join((one.reason or "").split())}
        restarted = {"graph-break"} if kind == "RestartAnalysis" else set()
        assert rules & (restarted or {"compile-error", "graph-break-error"} | _given_up(kind, recording))


def test_breaks_and_recompiles(case):
    expected, recording = case
    findings = analyse(recording).findings
    breaks, recompiles = (
        sum(one.count for one in findings if one.rule == rule) for rule in ("graph-break", "recompile")
    )
    assert breaks == expected["events"].get("dynamo_graph_break_reason", 0)
    assert recompiles == expected["events"].get("recompile_reasons", 0)
