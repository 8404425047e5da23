"""Two runs compared: recordings made by hand, whose differences are known."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from compilescope.analysis.noise import can_tell, p_value
from compilescope.analysis.run_diff import compare
from compilescope.analysis.run_diff_findings import counted
from compilescope.analysis.run_diff_load import side, unnumbered
from compilescope.analysis.run_diff_model import RunDiff, Side
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made, frame

SOURCE = "import torch\n\n\ndef run(x):\n    print(x)\n    y = x.item()\n    return y\n"
KERNEL = """
from torch import empty
cpp_fused_mul_{number} = async_compile.cpp_pybinding(['float*'], r'''
#include <torch/csrc/inductor/cpp_prefix.h>
// at {place}
extern "C" void kernel(float* out)
{{
    out[0] = {value};
}}
''')
extern_kernels.mm(a, b, out=c)
"""


class Runs:
    """Recordings in folders of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def made(self, source: str = SOURCE, **options: object) -> Made:
        self._count += 1
        folder = self._folder / str(self._count)
        folder.mkdir()
        made = Made(folder, source, **options)  # type: ignore[arg-type]
        made.compiled("0/0", "run", 4)
        return made


@pytest.fixture
def runs(tmp_path):
    return Runs(tmp_path)


def sided(made: Made) -> Side:
    made.result()
    with Recording.open(made.folder) as recording:
        return side(recording)


def diff(before: Made, after: Made) -> RunDiff:
    return compare([sided(before)], [sided(after)])


def broken(made: Made, line: int, gb_type: str = "print", gb_id: str = "GB0001", **data: object) -> Made:
    made.graph_break("0/0", [frame(made.file, line, "run")], gb_type=gb_type, gb_id=gb_id, **data)
    return made


def states(found: RunDiff) -> list[tuple[str, int | None, int | None]]:
    lines = [
        (one.state, *(None if side is None else side.range.start.line + 1 for side in (one.before, one.after)))
        for one in found.findings
    ]
    return [(state, before, after) for state, before, after in lines]


def test_the_same_run_twice_differs_in_nothing(runs):
    found = diff(broken(runs.made(), 5), broken(runs.made(), 5))
    assert states(found) == [("same", 5, 5)]
    assert not any(one.changed for one in found.functions)
    assert (found.metrics, found.notes) == ([], [])


def test_fixed_and_new(runs):
    found = diff(broken(runs.made(), 5), broken(runs.made(), 6, "item", "GB0002"))
    assert states(found) == [("new", None, 6), ("fixed", 5, None)]


def test_lines_above_move_a_finding(runs):
    found = diff(broken(runs.made(), 5), broken(runs.made("# one\n# two\n" + SOURCE), 7))
    assert states(found) == [("moved", 5, 7)]


def test_an_edited_line_has_the_same_finding(runs):
    edited = SOURCE.replace("    print(x)\n", '    z = x + 1\n    print("the value is", z)\n')
    found = diff(broken(runs.made(), 5), broken(runs.made(edited), 6))
    assert states(found) == [("moved", 5, 6)]


def test_the_same_cause_on_a_line_that_stayed_and_on_another_is_two_findings(runs):
    found = diff(broken(runs.made(), 5), broken(runs.made(), 6))
    assert states(found) == [("new", None, 6), ("fixed", 5, None)]


def test_without_texts_function_and_cause_tell(runs):
    found = diff(broken(runs.made(""), 5), broken(runs.made(""), 50))
    assert states(found) == [("moved", 5, 50)]


def test_a_function_that_was_not_compiled_is_not_fixed(runs, tmp_path):
    (tmp_path / "other").mkdir()
    other = Made(tmp_path / "other", SOURCE)
    other.compiled("0/0", "else_where", 1)
    (one,) = diff(broken(runs.made(), 5), other).findings
    assert (one.state, one.note) == ("unreached", "`run` was not compiled in the later run")
    (one,) = diff(other, broken(runs.made(), 5)).findings
    assert (one.state, one.note) == ("new", "`run` was not compiled in the earlier run")


def test_another_torch_may_name_a_cause_otherwise(runs):
    old, new = broken(runs.made(), 5, "Old name", "GB0001"), broken(runs.made(), 5, "New name", "GB0009")
    assert counted(diff(old, new).findings, "fixed") == 1, "the same torch means something else by it"
    new.event("compilescope_environment", {"main_file": new.file, "torch": "2.14.1"})
    found = diff(old, new)
    assert states(found) == [("same", 5, 5)]
    assert "Old name; New name" in found.findings[0].note
    assert found.notes == [
        "torch 2.13.0 before, 2.14.1 now: operators, passes and generated code may differ for that alone."
    ]


def test_logs_of_torch_alone(runs):
    def foreign(line: int, said: str = "Graph Break Reason") -> Made:
        made = runs.made("", ours=False)
        told = f"Graph break in user code at {made.file}:{line}\n{said}: Data-dependent jump\nUser code traceback:\n"
        told += f'  File "{made.file}", line {line}, in run\n    if x.sum() > 0:\n'
        made.event("dynamo_graph_break_reason", told, "0/0")
        return made

    assert states(diff(foreign(5), foreign(5))) == [("same", 5, 5)]
    assert states(diff(foreign(5), foreign(9))) == [("moved", 5, 9)]
    assert states(diff(foreign(5, "Reason"), foreign(9))) == [("moved", 5, 9)]
    assert states(diff(foreign(5), runs.made("", ours=False))) == [("fixed", 5, None)]


def test_recordings_of_the_same_file_in_two_folders(runs):
    found = diff(broken(runs.made(file="/a/main.py"), 5), broken(runs.made(file="/b/c/main.py"), 5))
    assert states(found) == [("same", 5, 5)]
    assert [one.state for one in found.functions] == ["both"]


def test_kernels_are_known_by_name_and_code(runs):
    def compiled(number: int, value: str) -> Made:
        made = runs.made()
        text = KERNEL.format(number=number, value=value, place=f"{number}.py")
        made.torch_event("inductor_output_code", {"filename": "/tmp/x/code.py"}, "0/0", text)
        return made

    (same,) = diff(compiled(0, "1"), compiled(3, "1")).functions
    assert (same.kernels, same.changed) == ([], False)
    (other,) = diff(compiled(0, "1"), compiled(0, "2")).functions
    assert [(one.state, one.name) for one in other.kernels or ()] == [("changed", "cpp_fused_mul")]
    (unknown,) = diff(runs.made(), compiled(0, "2")).functions
    assert unknown.kernels is None, "what was not recorded did not change"
    assert [unnumbered(name) for name in ("triton_poi_fused_add_12", "mm")] == ["triton_poi_fused_add", "mm"]


def test_what_a_cache_had_is_not_what_changed(runs):
    """A warm run has fewer passes and kernels recorded: that alone is no change."""

    def compiled(outcome: str, value: str = "1", *, passes: bool = True, kernels: int = 2) -> Made:
        made = runs.made()
        made.event("compilescope_cache", {"cache": "fx_graph", "outcome": outcome}, "0/0")
        for name in ("first", "second") if passes else ("first",):
            made.event("compilescope_pass", {"phase": "post_grad", "name": name, "order": 1}, "0/0")
        text = KERNEL.format(number=0, value=value, place="0.py")
        text = text if kernels > 1 else text.replace("extern_kernels.mm(a, b, out=c)", "")
        made.torch_event("inductor_output_code", {"filename": "/tmp/x/code.py"}, "0/0", text)
        return made

    cold, warm = compiled("miss"), compiled("hit", passes=False, kernels=1)
    for found in (diff(cold, warm), diff(warm, cold)):
        assert not any(one.changed for one in found.functions)
        assert any("Graph caches answered in one" in note for note in found.notes)
    (one,) = diff(cold, compiled("hit", "2", passes=False)).functions
    assert [(each.state, each.name) for each in one.kernels or ()] == [("changed", "cpp_fused_mul")]
    (one,) = diff(cold, compiled("miss", passes=False, kernels=1)).functions
    assert ([each.name for each in one.passes], [each.name for each in one.kernels or ()]) == (
        ["second"],
        ["extern_kernels.mm"],
    )


def test_operators_of_captured_graphs(runs):
    def captured(target: str) -> Made:
        made = runs.made()
        text = (
            'class GraphModule(torch.nn.Module):\n    def forward(self, L_x_: "f32[4]"):\n        l_x_ = L_x_\n'
            f'        y: "f32[4]" = {target}(l_x_);  l_x_ = None\n        return (y,)\n'
        )
        made.torch_event("dynamo_output_graph", {"sizes": {}}, "0/0", text)
        return made

    (one,) = diff(captured("torch.sin"), captured("torch.cos")).functions
    assert {(each.stage, each.name, each.before, each.after) for each in one.operators} == {
        ("dynamo", "torch.cos", 0, 1),
        ("dynamo", "torch.sin", 1, 0),
    }


def test_a_difference_of_times_needs_runs_enough(runs):
    def timed(*seconds: float) -> list[Side]:
        found = []
        for value in seconds:
            made = runs.made()
            made.run_json(command=["main.py"], status="finished", exit_code=0, wall_s=value, depth="full")
            found.append(sided(made))
        return found

    def verdict(before: list[Side], after: list[Side]) -> str:
        return next(one.verdict for one in compare(before, after).times if one.name == "wall_s")

    fast, slow = (1.0, 1.1, 1.2, 1.3), (2.0, 2.1, 2.2, 2.3)
    assert verdict(timed(1.0), timed(9.0)) == "undecided"
    assert verdict(timed(*fast[:3]), timed(*slow[:3])) == "undecided"
    assert verdict(timed(*fast), timed(*slow)) == "slower"
    assert verdict(timed(*slow), timed(*fast)) == "faster"
    assert verdict(timed(*fast), timed(1.05, 1.15, 1.25, 9.0)) == "within-noise"


def test_the_rank_sum_test_counts_all_orders():
    for sizes in ((1, 1), (2, 3), (4, 4), (3, 5)):
        total = sum(sizes)
        positions = sorted(set(permutations([0] * sizes[0] + [1] * sizes[1])))
        wins = [sum(b > a for i, a in enumerate(one) for b in one[:i]) for one in positions]
        for order, own in zip(positions, wins, strict=True):
            first = [float(at) for at in range(total) if order[at] == 0]
            second = [float(at) for at in range(total) if order[at] == 1]
            far = min(own, sizes[0] * sizes[1] - own)
            expected = min(1.0, 2 * sum(one <= far for one in wins) / len(wins))
            assert p_value(first, second) == pytest.approx(expected)
    assert can_tell(4, 4)
    assert not can_tell(3, 3)
    assert p_value([1.0] * 4, [1.0] * 4) == 1.0
