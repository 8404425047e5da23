"""What the analysis makes of a recording from an H200: `tests/gpu/fixture.py`, traced with torch 2.11 and Triton 3.6.

What is expected comes from the program and from torch's own events in the same log: the code that it generated, its
statistics of choices, its spans of CUDA graphs, and the assembler's directives in what Triton compiled.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from compilescope.analysis import analyse, triton
from compilescope.analysis.analyse import context_of
from compilescope.analysis.kernel_model import TritonKernel
from compilescope.analysis.model import Result
from compilescope.analysis.to_json import to_json
from compilescope.recording.reader import Recording
from compilescope.report.style import Style
from compilescope.report.text import render

from tests.unit.analysis.schema import problems

TESTS = Path(__file__).parents[2]
FOLDER = TESTS / "fixtures" / "h200"
PROGRAM = (TESTS / "gpu" / "fixture.py").read_text(encoding="utf-8").splitlines()
STAGES = ["source", "ttir", "ttgir", "llir", "ptx"]


@dataclass
class Seen:
    recording: Recording
    result: Result
    kernels: list[TritonKernel]
    texts: dict[str, dict[str, str]]
    """Of each kernel, by its name with its graph."""

    def bodies(self, name: str) -> list[Any]:
        return [self.recording.json(event) for event in self.recording.events(name)]

    def spans(self, name: str) -> list[dict[str, Any]]:
        """What torch says at the end of each of its spans of that name."""
        return [body["args"] for body in self.bodies("chromium_event") if (body["name"], body["ph"]) == (name, "E")]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    folder = tmp_path_factory.mktemp("h200") / "recording"
    shutil.copytree(FOLDER, folder)  # the index is written beside the log
    with Recording.open(folder) as opened:
        kernels = [one for one in triton.table(opened, context_of(opened)) if not one.trial]
        texts = {}
        for one in kernels:
            code = triton.code(opened, one)
            texts[f"{one.graph} {one.kernel}"] = {} if code is None else code.texts
        yield Seen(opened, analyse(opened), kernels, texts)


def line_of(code: str) -> int:
    (number,) = (number for number, line in enumerate(PROGRAM, 1) if line.strip() == code)
    return number


def generated(seen: Seen) -> set[str]:
    """The names in the code that torch generated."""
    names: set[str] = set()
    for event in seen.recording.events("inductor_output_code"):
        names |= set(re.findall(r"async_compile\.triton\('(\w+)'", seen.recording.payload(event)))
    return names


def test_nothing_was_missed(seen: Seen) -> None:
    assert seen.result.run.unavailable == []
    assert seen.result.run.damage == []
    assert seen.result.run.exit_code == 0
    assert problems(to_json(seen.result)) == []


def test_the_kernels_are_those_of_the_generated_code(seen: Seen) -> None:
    assert {one.kernel for one in seen.kernels} == generated(seen)
    assert any(name.startswith("triton_tem_") for name in generated(seen)), "a template won"
    assert {one.name for one in seen.result.kernels if one.kind in ("triton", "template")} == generated(seen)
    count = Counter((one.graph, one.kernel) for one in seen.kernels)
    assert max(count.values()) == 1
    assert {one.graph for one in seen.kernels} == {
        one.graph for one in seen.result.kernels if one.kind in ("triton", "template")
    }


def test_each_kernel_has_all_that_triton_made_of_it(seen: Seen) -> None:
    assert seen.kernels
    for one in seen.kernels:
        texts = seen.texts[f"{one.graph} {one.kernel}"]
        assert list(texts) == STAGES
        assert f"def {one.kernel}(" in texts["source"]
        assert all(f"@{one.kernel}(" in texts[stage] for stage in ("ttir", "ttgir", "llir"))
        assert f".entry {one.kernel}(" in texts["ptx"]


def test_figures_are_those_of_the_code(seen: Seen) -> None:
    for one in seen.kernels:
        texts = seen.texts[f"{one.graph} {one.kernel}"]
        (threads,) = re.findall(r"\.reqntid (\d+)", texts["ptx"])
        assert one.num_warps == int(threads) // 32
        (warps,) = re.findall(r'"ttg\.num-warps" = (\d+)', texts["ttgir"])
        assert one.num_warps == int(warps)
        assert one.target == "sm_90"
        assert re.search(r"^\.target sm_90a?$", texts["ptx"], re.MULTILINE)
        assert one.registers is not None
        assert 0 < one.registers <= 255
        assert bool(one.spills) == ("__local_depot" in texts["ptx"])
        assert one.shared is not None
        assert bool(one.shared) == (".shared" in texts["ptx"])


def test_configurations_are_as_many_as_torch_says(seen: Seen) -> None:
    said: dict[str, Any] = {}
    for body in seen.bodies("triton_kernel_info"):
        said |= body
    checked = 0
    for one in seen.kernels:
        about = said.get(one.kernel or "", {})
        if "num_configs" in about:
            assert one.candidates == about["num_configs"]
            checked += 1
        elif "only_config" in about:
            only = dict(about["only_config"])
            assert {**one.config, "num_warps": one.num_warps, "num_stages": one.num_stages} == only
            checked += 1
    assert checked > 5


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (r"triton_.*layer_norm.*", "h = self.norm(x)"),
        (r"triton_\w+_fused_(\w+_)?gelu_(view_)?\d+", "return x + self.down(functional.gelu(self.up(x)))"),
        (r"triton_tem_fused_\w*mm\w*", "return torch.relu(a @ b + bias)"),
        (r"triton_poi_fused_mul_sin_\d+", "return (x * 2).sin()"),
        (r"triton_\w+_sin_\d+", "x.add_(y.sin())"),
    ],
)  # fmt: skip
def test_kernels_are_on_their_lines(seen: Seen, kernel: str, code: str) -> None:
    number = line_of(code)
    lines = [line["line"] for one in seen.result.kernels if re.fullmatch(kernel, one.name) for line in one.lines]
    assert number in lines


def test_every_kernel_has_a_line_of_the_program(seen: Seen) -> None:
    for one in seen.result.kernels:
        if one.kind in ("triton", "template"):
            assert {Path(line["file"]).name for line in one.lines} == {"fixture.py"}, one.name


def test_the_choice_is_the_one_that_torch_made(seen: Seen) -> None:
    (stats,) = (json.loads(args["autotune_choices_stats"]) for args in seen.spans("mm_template_autotuning"))
    measured = [one.autotune for one in seen.result.kernels if one.autotune and one.autotune["name"] == "mm"]
    assert measured
    choices = [choice for choice in measured[0]["choices"] if choice["ms"] is not None]
    assert len(choices) == stats["num_choices"]
    assert sum(choice["kind"] == "triton" for choice in choices) == stats["num_triton_choices"]
    fastest = min(choices, key=lambda one: one["ms"])
    assert (fastest["name"], fastest["detail"]) == (stats["best_kernel"], stats["best_kernel_desc"])
    assert fastest["ms"] == pytest.approx(stats["best_time"], abs=1e-6)


def test_candidates_have_figures_and_no_texts(seen: Seen) -> None:
    (body,) = (body for body in seen.bodies("compilescope_autotune") if body["node"] is not None)
    for choice in body["choices"]:
        if choice["kind"] == "triton" and choice["ms"] is not None:
            settings = dict(re.findall(r"(num_\w+)=(\d+)", choice["detail"]))
            assert {key: str(choice[key]) for key in settings} == settings
            assert 0 < choice["registers"] <= 255
            assert choice["shared"] > 0
    assert "Placeholder" not in json.dumps(to_json(seen.result)["triton"])
    trials = [one for one in seen.result.triton if one.trial]
    assert {tuple(sorted(one.nodes)) for one in trials} == {("add", "relu"), ("add", "mm", "relu")}
    assert {one.kernel for one in trials} == {None}


def became(seen: Seen, function: str) -> list[Any]:
    ids = {one.id for one in seen.result.compiles if one.function == function}
    assert ids
    return [one for one in seen.result.cudagraphs if one.compile_id in ids]


def test_cuda_graphs_were_recorded_as_often_as_torch_says(seen: Seen) -> None:
    torchs = Counter(args["compile_id"] for args in seen.spans("CUDAGraphNode.record"))
    ours = Counter(one.compile_id for one in seen.result.cudagraphs if one.what in ("record", "re-record"))
    assert torchs
    assert ours == torchs


def test_another_size(seen: Seen) -> None:
    events = became(seen, "sizes")
    assert [one.what for one in events if one.what != "partition"] == ["record", "new-size", "record"]
    (sized,) = (one for one in events if one.what == "new-size")
    assert (sorted(sized.sizes), sized.count) == (["16", "64"], 2)


def test_a_parameter_that_moved(seen: Seen) -> None:
    events = [one for one in became(seen, "moved") if one.what != "partition"]
    assert [one.what for one in events] == ["record", "re-record"]
    assert (events[1].count, events[1].reason) == (2, "inputs were at other addresses")


def test_library_calls_are_where_the_program_calls_them(seen: Seen) -> None:
    """Attention is a kernel that Inductor normally leaves to a library: no finding, and no lack of coverage."""
    found = [one for one in seen.result.kernels if one.kind == "fallback"]
    line = line_of("h = functional.scaled_dot_product_attention(q, k, v, is_causal=True)")
    assert {(one.operator or "").split(".")[1] for one in found} == {
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_efficient_attention_backward",
    }
    assert {one.places[0].range.start.line + 1 for one in found} == {line}
    assert [one for one in seen.result.findings if one.rule == "fallback-op"] == []
    assert (seen.result.metrics["fallback_ops"], seen.result.metrics["op_coverage"]) == (0, 1.0)


def test_an_input_that_is_changed(seen: Seen) -> None:
    (skip,) = (one for one in became(seen, "mutates") if one.what == "skip")
    assert skip.reason == "mutated inputs (1 instances)"
    assert skip.place is not None
    assert skip.place.range.start.line + 1 == line_of("x.add_(y.sin())")
    assert [one.what for one in became(seen, "mutates") if one.what in ("record", "re-record")] == []


def test_the_report_is_short(seen: Seen) -> None:
    text = render(seen.result, {}, style=Style(Path("/tmp/demo")), notes=[])
    assert "Placeholder" not in text
    assert "Found from" not in text
    assert len(text.splitlines()) < 80
