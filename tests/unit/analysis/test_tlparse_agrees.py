"""What tlparse reports of a log, we report, too, and what it drops is here (`tests/fixtures/tlparse/make.py`)."""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.analyse import context_of
from compilescope.analysis.events import counts
from compilescope.analysis.model import Result
from compilescope.analysis.stack_trie import compile_stacks
from compilescope.recording.reader import Recording

FIXTURES = Path(__file__).parents[2] / "fixtures/tlparse"
SHARED = Path(__file__).parents[4] / "shared"
RESUMED = re.compile(r"torch_dynamo_resume_in_(.+)_at_\d+")
EVENTS = {"eval_with_key": "dump_file"} | {
    f"inductor_aot_{name}": "graph_dump" for name in ("code", "kernel_code", "wrapper_code")
}
"""Events whose files it gives names of their own."""
TAG = re.compile(r"<.*?>")
"""A class or a function in an exception's words, `<class '…'>`, is a tag on its pages, which no browser shows."""
EXPECTED: dict[str, dict[str, Any]] = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))


@dataclass
class Case:
    """What tlparse says of a log, and what we do."""

    expected: dict[str, Any]
    recording: Recording
    result: Result


def path_of(name: str) -> Path:
    folder, _, file = name.partition("/")
    if folder == "tlparse":
        return FIXTURES / file
    return SHARED / "traces" / file if folder == "traces" else SHARED / "traces" / folder / file


@pytest.fixture(scope="module", params=sorted(name for name, one in EXPECTED.items() if "ranks" not in one))
def case(request, tmp_path_factory):
    path = path_of(request.param)
    if not path.is_file():
        pytest.skip(f"{request.param} is not here")
    if path.suffix == ".xz":
        packed, path = path, tmp_path_factory.mktemp("log") / path.stem
        path.write_bytes(lzma.decompress(packed.read_bytes()))
    with Recording.open(path) as recording:
        yield Case(EXPECTED[request.param], recording, analyse(recording))


def test_compile_ids_and_events(case):
    expected, recording = case.expected, case.recording
    ids = {event.base_id for event in recording.events() if event.base_id is not None}
    assert sorted(ids) == sorted({one.partition("_")[0].removesuffix("/-/-") for one in expected["compile_ids"]})
    ours = Counter({one.name: one.count for one in counts(recording) if one.name != "str"})
    assert ours == Counter(expected["events"]) + Counter(expected["drops"])


def test_metrics(case):
    expected, recording = case.expected, case.recording
    read = [(event.base_id, event.fields) for event in recording.events("compilation_metrics")]
    assert [id_ for id_, _ in read] == [id_ for id_, _ in expected["metrics"]]
    for (_, fields), (_, metrics) in zip(read, expected["metrics"], strict=True):
        for key, value in metrics.items():
            assert fields.get(key) == (pytest.approx(value) if isinstance(value, float) else value), key


def _given_up(kind, id_, recording):
    """A break whose frame runs in eager; torch 2.9.1 writes the same for one that raised."""
    versions = [event.fields.get("pytorch_version") for event in recording.events("compilation_metrics")]
    broken = {event.base_id for event in recording.events("dynamo_graph_break_reason")}
    return {"frame-skipped"} if kind == "Unsupported" and (not any(versions) or id_ in broken) else set()


def _plain(reason):
    return " ".join(TAG.sub("", reason).split())


def _start(reason):
    return _plain(reason)[:60]


def _states(kind, id_, recording):
    if kind is None:
        return {"ok", "skipped", "running"}
    return {"failed"} | ({"skipped"} if _given_up(kind, id_, recording) else set())


def test_compiles_with_graphs_guards_and_time(case):
    expected, recording = case.expected, case.recording
    found = {one.id: one for one in case.result.compiles}
    times = Counter(id_ for id_, _ in expected["metrics"])
    for id_, metrics in expected["metrics"]:
        if times[id_] > 1 or metrics["co_name"] is None:  # torch._dynamo.reset began to count anew; a backward
            continue
        one = found.get(id_) or found[f"reset1:{id_}"]
        resumed = RESUMED.fullmatch(metrics["co_name"])
        assert (one.function, one.line) == (resumed[1] if resumed else metrics["co_name"], metrics["co_firstlineno"])
        assert one.guards == metrics["guard_count"]
        assert one.graph["nodes"] == (metrics["graph_node_count"] or 0)
        assert one.status in _states(metrics["fail_type"], id_, recording)
        if (time := metrics["entire_frame_compile_time_s"]) is not None:
            assert one.seconds["total"] - one.seconds.get("backward", 0) == pytest.approx(time, abs=0.001)


def test_failures_and_restarts(case):
    expected, recording = case.expected, case.recording
    findings = case.result.findings
    for id_, kind, reason in expected["failures_and_restarts"]:
        base, first = id_.partition("_")[0], _start(reason)
        about = [one for one in findings if base in {each.partition("_")[0] for each in one.compile_ids}]
        rules = {one.rule for one in about if first in _plain(one.reason or "")}
        if kind == "RestartAnalysis":  # without a reason it is no break: a number became a tensor
            assert rules & {"graph-break", "frame-skipped"} or not first
        else:
            ended = {"compile-error", "graph-break-error"} | _given_up(kind, base, recording)
            assert rules & ended or "recompile-limit" in {one.rule for one in about}


def test_graphs(case):
    """Those that were compiled: that of a compile that failed afterwards, or in which the log ends, is none."""
    expected = case.expected
    failed = {id_ for id_, kind, _ in expected["failures_and_restarts"] if kind != "RestartAnalysis"}
    failed |= {one.id for one in case.result.compiles if one.step is not None}
    graphs = (
        files.get("dynamo_output_graph", 0)
        for id_, files in expected["files"].items()
        if id_.partition("_")[0] not in {one.partition("_")[0] for one in failed}
    )
    assert case.result.metrics["graphs"] == sum(graphs)


def test_breaks_and_recompiles(case):
    expected, findings = case.expected, case.result.findings
    logged = expected["events"].get("dynamo_graph_break_reason", 0)
    raised = sum(kind == "Unsupported" for _, kind, _ in expected["failures_and_restarts"])  # `fullgraph=True`
    assert logged <= case.result.metrics["graph_breaks"] <= logged + raised
    # A retry that meets the same break is no further time.
    met: dict[str, int] = {}
    for id_, files in expected["files"].items():
        base = id_.partition("_")[0]
        met[base] = max(met.get(base, 0), files.get("dynamo_graph_break_reason", 0))
    told = [one for one in findings if one.rule in {"graph-break", "frame-skipped"}]
    breaks = [one for one in told if any(met.get(id_) for id_ in one.compile_ids)]
    assert sum(one.count for one in breaks) == sum(met.values())
    recompiles = sum(one.count for one in findings if one.rule in {"recompile", "recompile-limit"})
    assert recompiles == expected["events"].get("recompile_reasons", 0)


def test_every_file_of_its_report_is_an_event_of_that_compile(case):
    ours = Counter((event.compile_id, event.name) for event in case.recording.events())
    for id_, files in case.expected["files"].items():
        own = None if id_ == "-/-" else id_.removesuffix("/-/-")
        for name, count in files.items():
            event = EVENTS.get(name, name)
            assert ours[own, event] >= count, (id_, name)


# What we call a compile for each of its colours. It calls a break without a restart a success, and knows no end of a
# compile that was interrupted.
STATUSES = {
    "ok": {"ok", "graph-break", "restarted"},
    "break": {"restarted", "graph-break"},
    "empty": {"empty", "skipped", "graph-break", "restarted"},
    "error": {"failed", "skipped"},
    "missing": {"running", "failed"},
}


def test_the_stack_trie(case):
    stacks = compile_stacks(case.recording, context_of(case.recording), case.result)
    ours = {one.compile_id: one.status for one in stacks}
    seen: set[str] = set()
    for id_, status in case.expected["stack_trie"]:
        base = id_.partition("_")[0]
        if base in seen:  # torch._dynamo.reset began to count anew
            continue
        seen.add(base)
        assert (ours.get(base) or ours[f"reset1:{base}"]) in STATUSES[status], id_
    assert {one.partition(":")[2] or one for one in ours} == seen


def test_specialised_symbols_and_guards_on_shapes(case):
    result = case.result
    expected = {(id_.partition("_")[0], *rest) for id_, *rest in case.expected["specializations"]}
    ours = {(one.compile_id, one.symbol, "".join(one.sources), one.value) for one in result.specializations}
    assert expected <= ours
    guards = Counter((one.compile_id, one.expression) for one in result.shape_guards)
    assert not Counter((id_.partition("_")[0], guard) for id_, guard in case.expected["guards_added"]) - guards


def test_failures_and_restarts_as_a_table(case):
    found = Counter((one.compile_id, one.type.rpartition(".")[2], _start(one.reason)) for one in case.result.restarts)
    told = Counter(
        (id_.partition("_")[0], kind.rpartition(".")[2], _start(reason))
        for id_, kind, reason in case.expected["failures_and_restarts"]
    )
    # Of a type alone, `<class '…'>`, nothing is left.
    assert not Counter({one: count for one, count in told.items() if one[2]}) - found
    assert sum(told.values()) <= sum(found.values())


KINDS = {
    "Data Dependent Error": "data-dependent",
    "Missing Fake Kernel": "missing-fake-kernel",
    "Mismatched Fake Kernel": "mismatched-fake-kernel",
}


def test_the_report_of_an_export(case):
    issues = [issue for one in case.result.exports for issue in one.issues if issue.kind in KINDS.values()]
    assert Counter(one.kind for one in issues) == Counter(KINDS[one] for one in case.expected["export"]["issues"])


def test_provenance(case):
    if told := case.expected["provenance"]:
        nodes = {node for one in case.result.kernels for node in one.nodes}
        assert len(nodes) == sum(told.values())


@pytest.mark.parametrize("name", sorted(name for name, one in EXPECTED.items() if "ranks" in one))
def test_all_ranks(name):
    if not path_of(name).is_dir():
        pytest.skip(f"{name} is not here")
    with Recording.open(path_of(name)) as recording:
        ranks = analyse(recording).ranks
    assert ranks is not None
    told = EXPECTED[name]["ranks"]
    assert ranks.ranks == told["ranks"]
    differences = {one.kind: [group.ranks for group in one.groups] for one in reversed(ranks.differences)}
    assert ("compile-ids" in differences) == told["compile_ids_differ"]
    whole = next((one for one in ranks.differences if one.kind == "cache" and one.compile_id is None), None)
    assert sorted(group.ranks for group in whole.groups) == told["cache_groups"] if whole else not told["cache_groups"]
    assert ("tensor-metadata" not in differences) == told["tensors_match"]
