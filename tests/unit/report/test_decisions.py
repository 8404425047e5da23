"""What the text report says of fusions, measured choices and CUDA graphs."""

from dataclasses import replace
from pathlib import Path

from compilescope.analysis.kernel_model import CudaGraph, FusionDecision, Kernel, KernelPart
from compilescope.analysis.model import Place, Position, Range
from compilescope.report.decisions import decisions
from compilescope.report.style import Style

from tests.unit.report.made import compiled, result

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
    found = [decided(a, b, None), decided(b, c, "foreach"), decided(a, c, "no\x1bsense"), decided(c, a, "no\x1bsense")]
    (block,) = shown(fusion=found)
    assert block == [
        "Fusion",
        "  1 pair fused, 3 left apart",
        "  2 x demo.py:12 and :20: no\N{REPLACEMENT CHARACTER}sense",
        "  demo.py:14 and :20: foreach",
    ]


def test_reasons_in_plain_words():
    reasons = [
        "intermediate nodes between node1 & node2",
        "no shared data due to indexing mismatch",
        "numel/rnumel mismatch (non-reduce) (64, 1), (1, 1)",
        "node1 is extern but not a triton kernel",
    ]
    (block,) = shown(fusion=[decided(part(12, "a"), part(14, "b"), one) for one in reasons])
    assert [line.removeprefix("  demo.py:12 and :14: ") for line in block[2:]] == [
        "another operation between them has to run first",
        "they use no data in common",
        "their loops have other sizes: (64, 1), (1, 1)",
        "the first is extern but not a triton kernel",
    ]


def test_what_is_in_one_kernel_all_the_same_is_no_word_worth():
    a, b = part(12, "a"), part(14, "b")
    assert shown(fusion=[decided(a, b, "no shared data")], kernels=[kernel("k", "a", "b")]) == []
    assert shown(fusion=[decided(a, b, "no shared data")], kernels=[kernel("k", "a"), kernel("l", "b")]) != []


def test_long_lists_are_cut():
    found = [decided(part(line, f"n{line}"), part(99, "z"), "no shared data") for line in range(1, 40)]
    (block,) = shown(fusion=found)
    assert len(block) < 20
    assert "31 more" in block[-1]


def choice(name, kind, ms):
    return {"name": name, "kind": kind, "ms": ms, "detail": ""}


def measured(name, winner, *choices):
    return {"name": name, "winner": winner, "descent": False, "choices": list(choices)}


def test_measured_algorithms_say_what_they_won_against():
    tuned = measured(
        "mm", "fast", choice("mm", "extern", 2.0), choice("fast", "triton", 0.5), choice("second", "triton", 1.0),
        choice("broken", "triton", None),
    )  # fmt: skip
    places = part(14).places
    (block,) = shown(kernels=[kernel("triton_tem_0", "mm", autotune=tuned, places=places)])
    assert " ".join(line.strip() for line in block[1:]) == (
        "mm in triton_tem_0 at demo.py:14: fast 0.5 ms; 4.00 x as fast as ATen's mm 2 ms; next second 1 ms; "
        "4 choices, 1 failed"
    )


def test_a_library_that_won():
    tuned = measured("mm", "mm", choice("mm", "extern", 1.0), choice("second", "triton", 2.0))
    (block,) = shown(kernels=[kernel("extern_kernels.mm", "mm", autotune=tuned)])
    assert block[1:] == ["  mm in extern_kernels.mm: mm 1 ms; next second 2 ms; 2 choices"]


def test_settings_of_single_kernels_are_summed_up():
    choices = [choice(f"XBLOCK={size}", "triton", 0.1) for size in (1, 2, 4)]
    algorithm = kernel("triton_tem_0", "mm", autotune=measured("mm", "XBLOCK=1", choice("mm", "extern", 1.0), *choices))
    kernels = [kernel(name, name, autotune=measured(name, "XBLOCK=1", *choices[: 2 + at]))
               for at, name in enumerate(("triton_0", "triton_1"))]  # fmt: skip
    (block,) = shown(kernels=[*kernels, kernels[0], algorithm])
    assert [" ".join(block[1:3]).replace("     ", " "), *block[3:]] == [
        "  mm in triton_tem_0: XBLOCK=1 0.1 ms; 10.00 x as fast as ATen's mm 1 ms; next XBLOCK=2 0.1 ms; 4 choices",
        "  2 kernels: best of 2 to 3 configurations each, see --format json",
    ]


def test_cuda_graphs():
    place = part(14).places[0]
    found = [CudaGraph("0/0", GRAPH, "skip", "mutated inputs (1 instances)", None, [], place)] * 2
    found += [CudaGraph("0/0", GRAPH, "re-record", None, count, []) for count in (2, 3)]
    found += [CudaGraph("7/0", "7/0/forward", "record", None, 1, [])]
    found += [CudaGraph("7/0", "7/0/forward", "new-size", None, 3, ["16", "4"])]
    found += [CudaGraph("7/0", "7/0/forward", "partition", None, 2, [])]
    found += [CudaGraph("8/0", "8/0/forward", "partition", None, 1, [])]
    (block,) = decisions(replace(result([], [compiled("0/0")]), cudagraphs=found), STYLE)
    assert " ".join(line.strip() for line in block[1:]) == (
        f"{GRAPH} of denoise (demo.py:13): left out: mutated inputs (1 instances), demo.py:14; recorded again 2 times "
        "7/0/forward: recorded for 3 sizes so far, the latest 16, 4; cut into 2 pieces "
        "8/0/forward: never recorded"
    )


def test_cuda_graphs_of_compiles_without_a_name_of_the_graph():
    found = [CudaGraph(id_, None, "skip", f"cpu device ({id_})", None, []) for id_ in ("0/0", "1/0")]
    (block,) = decisions(replace(result([], [compiled("0/0")]), cudagraphs=found), STYLE)
    assert [line.strip() for line in block[1:]] == [
        "0/0 of denoise (demo.py:13): left out: cpu device (0/0)",
        "1/0: left out: cpu device (1/0)",
    ]
