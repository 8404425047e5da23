"""Triton kernels of a recording: their figures in the result, their texts when they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compilescope.analysis import analyse, triton
from compilescope.analysis.analyse import context_of
from compilescope.analysis.to_json import to_json
from compilescope.recording.reader import Recording

from tests.unit.analysis.schema import problems
from tests.unit.analysis.whole import Entry, artifact

KERNEL = {"graph": "0/0/forward", "kernel": "triton_a", "nodes": ["add"], "source": "@triton.jit\ndef triton_a(): ..."}
KERNEL |= {"stages": {"ptx": ".target sm_90", "ttir": "module {}"}, "registers": 24, "spills": 0, "shared": 512}
KERNEL |= {"num_warps": 4, "num_stages": 1, "config": {"XBLOCK": 256}, "candidates": 2, "preview": True}
KERNEL |= {"target": "sm_90", "limits": ["never run"], "error": None}
FAILED = {"graph": "0/0/backward", "wrapper": None, "kernels": [], "error": "KeyError: 'x'", "seconds": 0.1}
FAILED |= {"preview": True, "target": "sm_90", "limits": ["never run"]}


def recording(folder: Path, *entries: Entry) -> Recording:
    log = folder / "dedicated_log_torch_trace_4711_ab12.log"
    log.write_bytes(b"".join(entry.record() for entry in entries))
    return Recording.open(folder)


def event(**changes: Any) -> Entry:
    return artifact("compilescope_triton", {**KERNEL, **changes}, "0/0")


def test_figures_and_failures(tmp_path: Path) -> None:
    failed = artifact("compilescope_triton_preview", FAILED, "0/0")
    done = artifact("compilescope_triton_preview", {**FAILED, "error": None, "graph": "0/0/forward"}, "0/0")
    with recording(tmp_path, event(), done, failed) as opened:
        result = analyse(opened)
    assert problems(to_json(result)) == []
    kernel, graph = to_json(result)["triton"]
    assert (kernel["kernel"], kernel["registers"], kernel["shared"], kernel["config"]) == (
        "triton_a",
        24,
        512,
        {"XBLOCK": 256},
    )
    assert (kernel["preview"], kernel["target"], kernel["compile_id"]) == (True, "sm_90", "0/0")
    assert "module {}" not in str(to_json(result))
    assert (graph["graph"], graph["kernel"], graph["error"]) == ("0/0/backward", None, "KeyError: 'x'")


def test_trials_come_last_and_have_no_name(tmp_path: Path) -> None:
    trial = event(kernel=None, trial=True, nodes=["mm", "relu"], source=None, stages={}, preview=False, key=None)
    with recording(tmp_path, trial, event(preview=False)) as opened:
        result = analyse(opened)
    assert problems(to_json(result)) == []
    kernel, tried = to_json(result)["triton"]
    assert (kernel["kernel"], kernel["trial"]) == ("triton_a", False)
    assert (tried["kernel"], tried["trial"], tried["nodes"], tried["registers"]) == (None, True, ["mm", "relu"], 24)


def test_texts_in_the_order_of_the_compiler(tmp_path: Path) -> None:
    with recording(tmp_path, event(), event(graph="0/1/forward", source="other")) as opened:
        first, second = triton.table(opened, context_of(opened))
        code = triton.code(opened, first)
        other = triton.code(opened, second)
    assert code is not None
    assert list(code.texts) == ["source", "ttir", "ptx"]
    assert code.texts["ptx"] == ".target sm_90"
    assert other is not None
    assert other.texts["source"] == "other"


def test_texts_that_are_recorded_once_for_two_graphs(tmp_path: Path) -> None:
    again = {"graph": "0/1/forward", "stages": {}, "source": None}
    with recording(tmp_path, event(key="K", preview=False), event(key="K", preview=False, **again)) as opened:
        _, second = triton.table(opened, context_of(opened))
        code = triton.code(opened, second)
    assert code is not None
    assert code.kernel.graph == "0/1/forward"
    assert code.texts["ttir"] == "module {}"


def test_what_became_of_a_kernel_of_a_graph(tmp_path: Path) -> None:
    kernels = [{"name": "triton_a", "kind": "triton", "nodes": ["add"]}, {"name": "cpp_a", "kind": "cpp", "nodes": []}]
    graph = artifact("compilescope_kernels", {"graph": "0/0/forward", "kernels": kernels}, "0/0")
    with recording(tmp_path, graph, event(), event(preview=False, key="K", registers=40)) as opened:
        result = analyse(opened)
    by_name = {kernel.name: triton.of(kernel, result.triton) for kernel in result.kernels}
    assert by_name["triton_a"] is not None
    assert by_name["triton_a"].registers == 40
    assert by_name["cpp_a"] is None


@pytest.mark.parametrize("odd", [{"stages": 3}, {"stages": {"ptx": 5}, "source": []}, {"config": [1]}, {"nodes": {}}])
def test_odd_values(tmp_path: Path, odd: dict[str, Any]) -> None:
    with recording(tmp_path, event(**odd)) as opened:
        result = analyse(opened)
        assert problems(to_json(result)) == []
        assert triton.code(opened, result.triton[0]) is not None
