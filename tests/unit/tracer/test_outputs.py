"""What compiled functions returned, recorded in eager and compiled, and compared. What is equal torch.testing says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.torch

HERE = Path(__file__).parent
NAMES = ["outer", "inner", "kinds", "grow", "fail", "dropped", "sparse", "large", "weighted", "Net", "Net", "inner"]


@pytest.fixture(scope="module")
def runs(shared_runner):
    """The program in eager and compiled, and what was recorded of each."""
    source = (HERE / "programs/returned.py").read_text(encoding="utf-8")
    shared_runner.write("returned.py", source)
    overlay = shared_runner.folder / "overlay.json"
    overlay.write_text("{}")
    done = {}
    for name, eager in (("eager", True), ("compiled", False)):
        outputs = shared_runner.folder / name
        outputs.mkdir()
        trial = {"overlay": str(overlay), "outputs": str(outputs), "eager": eager}
        done[name] = shared_runner.traced("returned.py", depth="capture", more={"trial": trial}), outputs
        assert done[name][0].code == 0, done[name][0].err
    return done


@pytest.fixture(scope="module")
def compared(runs):
    folders = [str(runs[name][1]) for name in ("eager", "compiled")]
    command = [sys.executable, str(HERE / "compare_values.py"), *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def lines(folder, kind):
    (file,) = folder.glob("*.jsonl")
    found = [json.loads(line) for line in file.read_text().splitlines()]
    return [line for line in found if line["kind"] == kind]


@pytest.mark.parametrize("name", ["eager", "compiled"])
def test_calls_from_outside_are_recorded_once_and_in_order(runs, name):
    calls = lines(runs[name][1], "call")
    assert [line["name"] for line in calls] == NAMES
    assert [line["number"] for line in calls] == list(range(1, len(NAMES) + 1))
    assert calls[4]["error"] == "builtins.ValueError"


def test_nothing_is_compiled_in_eager_whatever_stance_the_program_asks_for(runs):
    (eager,) = runs["eager"][0].bodies("exit")
    (compiled,) = runs["compiled"][0].bodies("exit")
    assert "stats" not in eager["counters"]
    assert compiled["counters"]["stats"]["unique_graphs"] >= len(set(NAMES)) - 2


def test_both_runs_print_the_same_and_draw_the_same_numbers(runs):
    assert runs["eager"][0].out == runs["compiled"][0].out
    assert "failed torch.Size([4, 4])" in runs["eager"][0].out


def test_both_runs_are_equal(compared):
    found = compared["program"]
    assert (found["equal"], found["first"]) == (True, None)
    assert found["calls"] == len(NAMES)
    assert found["backwards"] == 1
    assert [one["what"] for one in found["uncompared"]] == ["torch.Tensor (a sparse tensor)", "type (no tensor)"]


def test_arguments_buffers_and_gradients_are_recorded(runs):
    calls = lines(runs["compiled"][1], "call")
    assert [key for key, _ in calls[3]["arguments"]] == ["0"]
    assert [key for key, _ in calls[9]["buffers"]] == [
        "norm.running_mean",
        "norm.running_var",
        "norm.num_batches_tracked",
    ]
    (backward,) = lines(runs["compiled"][1], "backward")
    assert [key for key, _ in backward["gradients"]] == ["weight"]


EQUAL = {"same", "within", "half within", "nan in both", "empty", "strides", "conjugate", "gradient", "large same"}
EQUAL |= {"large within", "number", "number as tensor", "nan number", "sparse", "object", "quantized", "subclass"}
EQUAL |= {"number of a tensor", "clock", "clock as a tensor", "order of additions"}
EQUAL |= {"time", "time within", "a draw", "steady"}
LOOSE = {"number", "clock", "clock as a tensor"}
KINDS = {"nan in one": "nan", "infinite in one": "nan", "other sign of infinity": "nan", "shape": "shape"}
KINDS |= {"dtype": "dtype", "keys": "structure", "lengths": "structure"}
DELTAS = {
    "beyond": 0.25,
    "integers": 1.0,
    "unsigned": 1.0,
    "flags": 1.0,
    "complex": 1.0,
    "other number": 0.1,
    "within": 1e-6,
}


def test_equal_is_what_is_within_the_tolerance(compared):
    assert {name for name, found in compared.items() if found["equal"]} - {"program"} == EQUAL


def test_numbers_of_64_bits_that_differ_as_those_of_32_may_are_named(compared):
    loose = {name: found["loose"] for name, found in compared.items() if found["loose"]}
    assert set(loose) == LOOSE
    assert loose["clock"][0]["delta"] == pytest.approx(6.625)
    assert loose["clock as a tensor"][0]["place"] == "result"


def test_what_differs_when_the_same_is_run_again_is_not_compared(compared):
    places = {name: [one["place"] for one in found["unsteady"]] for name, found in compared.items()}
    assert {name: place for name, place in places.items() if place} == {
        "time": ["result[1]"],
        "time within": ["result[1]"],
        "time and more": ["result[1]"],
        "a draw": ["result[1]"],
    }
    assert compared["time"]["delta_max"] == 0.0
    assert compared["time and more"]["first"]["place"] == "result[0]"
    assert compared["time and more"]["differences"] == 1


def test_differences_say_what_they_are(compared):
    kinds = {name: found["first"]["kind"] for name, found in compared.items() if found["first"]}
    assert {name: kind for name, kind in kinds.items() if kind != "value"} == KINDS
    for name, delta in DELTAS.items():
        assert compared[name]["delta_max"] == pytest.approx(delta, rel=0.1), name
    assert compared["beyond"]["first"]["values"] == [{"index": [2], "reference": "1.0", "other": "1.25"}]
    assert compared["nested"]["first"]["place"] == "result['a'][1][0]"
    assert compared["shape"]["first"]["message"] == "[3] became [3, 1]"


def test_the_same_bits_have_no_difference(compared):
    for name in ("same", "nan in both", "strides", "conjugate", "large same", "number as tensor"):
        assert (compared[name]["delta_max"], compared[name]["same_bits"]) == (0.0, True), name


def test_of_large_tensors_a_part_and_the_norm_are_compared(compared):
    assert compared["large beyond"]["sampled"] == 1
    assert compared["large beyond"]["first"]["message"] == "largest 1.5e+06 became 1.5005e+06"


def test_what_can_t_be_compared_is_named(compared):
    found = {name: compared[name]["uncompared"][0]["what"] for name in ("sparse", "object", "quantized", "subclass")}
    assert found == {
        "sparse": "torch.Tensor (a sparse tensor)",
        "object": "object (no tensor)",
        "quantized": "torch.Tensor (a quantized tensor)",
        "subclass": "__main__.Mine (a tensor subclass)",
    }
    assert compared["number as tensor"]["notes"] == ["result is a tensor with the change"]
