"""What the text report says of fusions, measured choices and CUDA graphs."""

from dataclasses import replace
from pathlib import Path

from compilescope.analysis.model import CudaGraph, FusionDecision, Kernel, KernelPart, Place, Position, Range
from compilescope.report.decisions import decisions
from compilescope.report.style import Style

from tests.unit.report.made import result

STYLE = Style(colour=False, cwd=Path("/w"))
GRAPH = "0/0/inference"


def part(line, *nodes):
    at = Range(Position(line - 1, 4), Position(line - 1, 9))
    return KernelPart(list(nodes), [Place("/w/demo.py", at)])


def decided(first, second, reason):
    return FusionDecision("0/0", GRAPH, first, second, reason is None, reason, 1)


def kernel(name, *nodes, **more):
    return Kernel("0/0", GRAPH, name, "cpp", "C++", list(nodes), [], **more)


def shown(**changes):
    return decisions(replace(result([]), **changes), STYLE)


def test_nothing_was_asked_for():
    assert shown() == []
    assert shown(kernels=[kernel("k", "a")]) == []


def test_lines_that_did_not_come_together():
    a, b, c = part(12, "a"), part(14, "b"), part(20, "c")
    found = [decided(a, b, None), decided(a, c, "no\x1bshared data"), decided(a, c, "no\x1bshared data")]
    (block,) = shown(fusion=found)
    assert block == [
        "Fusion",
        "  1 pair fused",
        "  demo.py:12 and demo.py:20 not fused: no\N{REPLACEMENT CHARACTER}shared data",
    ]


def test_what_is_in_one_kernel_all_the_same_is_no_word_worth():
    a, b = part(12, "a"), part(14, "b")
    assert shown(fusion=[decided(a, b, "no shared data")], kernels=[kernel("k", "a", "b")]) == []
    assert shown(fusion=[decided(a, b, "no shared data")], kernels=[kernel("k", "a"), kernel("l", "b")]) != []


def test_long_lists_are_cut():
    found = [decided(part(line, f"n{line}"), part(99, "z"), "no shared data") for line in range(1, 40)]
    (block,) = shown(fusion=found)
    assert len(block) < 20
    assert "27 more" in block[-1]


def test_measured_choices():
    choices = [
        {"name": "slow", "kind": "extern", "ms": 2.0, "detail": ""},
        {"name": "fast", "kind": "cpp", "ms": 0.5, "detail": ""},
        {"name": "broken", "kind": "cpp", "ms": None, "detail": ""},
    ]
    tuned = {"name": "mm", "winner": "fast", "descent": False, "choices": choices}
    (block,) = shown(kernels=[kernel("cpp_0", "mm", autotune=tuned)])
    assert block[1:] == ["  cpp_0 (mm): fast of fast 0.5 ms, slow 2 ms, 1 more"]


def test_cuda_graphs():
    found = [CudaGraph("0/0", GRAPH, "skip", "cpu device (x)\n Found from", None, [])]
    found += [CudaGraph("0/0", GRAPH, "re-record", None, count, []) for count in (2, 3)]
    (block,) = shown(cudagraphs=found)
    assert block[1:] == [f"  {GRAPH}: left out: cpu device (x) Found from", f"  {GRAPH}: recorded again, 3 so far"]
