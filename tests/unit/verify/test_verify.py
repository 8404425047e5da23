"""Fix and verify with the real torch: what is true is known from the program."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from compilescope.verify import Cancellation, Verifier, words

from tests.unit.verify.programs import HELPER, MAIN, UNSTEADY

pytestmark = pytest.mark.torch

ALWAYS_CLAMP = ("    if x.abs().max() > 6.0:\n        x = x.clamp(-6.0, 6.0)\n", "    x = x.clamp(-6.0, 6.0)\n")
AS_TENSOR = (
    ("math.log(sigma", "torch.log(sigma"),
    ("sigma=1.0 / (step + 1)", "sigma=torch.tensor(1.0 / (step + 1))"),
)
GUARDED = (
    '\tprint("halved", x.shape)',
    '\timport torch\r\n\tif not torch.compiler.is_compiling():\r\n\t\tprint("halved", x.shape)',
)


@pytest.fixture(scope="module")
def project(trace):
    return trace({"main.py": MAIN, "helper.py": HELPER})


@pytest.fixture(scope="module")
def output():
    return []


@pytest.fixture(scope="module")
def verifier(project, reaper, output):
    steps = []
    with Verifier(project.request, reaper=reaper, output=output.append, progress=steps.append) as verifier:
        verifier.steps = steps
        yield verifier
    assert not list(Path(tempfile.gettempdir()).glob(f"{verifier._folder.name}*"))


def all_findings(project):
    return [
        project.finding("graph-break", "main.py", "if x.abs()"),
        project.finding("recompile", "main.py", "math.log"),
        project.finding("graph-break", "helper.py", "print"),
    ]


@pytest.fixture(scope="module")
def all_at_once(project, verifier, output):
    fixes = [
        project.fix("main.py", ALWAYS_CLAMP),
        project.fix("main.py", *AS_TENSOR),
        project.fix("helper.py", GUARDED),
    ]
    before = len(output)
    verdict = verifier.verify(all_findings(project), fixes)
    return verdict, b"".join(output[before:]).decode()


def test_all_is_gone_and_outputs_are_equal(project, all_at_once):
    verdict, _ = all_at_once
    assert verdict.status == "proven", (words(verdict), verdict.compared, verdict.reason)
    assert (verdict.left, verdict.new) == ((), ())
    assert verdict.graphs[0] == project.result.metrics["graphs"]
    assert verdict.graphs[1] == 3  # one for each function
    assert verdict.compared.calls == 9  # three steps with three calls
    assert verdict.compared.backwards == 3
    said = words(verdict)
    assert said.startswith("Recompiles and 2 breaks gone, outputs equal (largest difference δ_max ")
    assert "9 calls, 3 backwards" in said


def test_the_logarithm_of_a_tensor_is_rounded_otherwise(all_at_once):
    compared = all_at_once[0].compared
    exact, rounded = math.log(1.5), 0.405465096235275268
    assert not compared.same_bits
    assert 0.0 < compared.delta_max <= 11.0 * max(1e-6, abs(exact - rounded) * 4)


def test_files_stay_as_they_are_and_the_program_sees_the_text_as_its_source(project, all_at_once):
    assert (project.folder / "main.py").read_bytes() == MAIN.encode()
    assert (project.folder / "helper.py").read_bytes() == HELPER.encode()
    assert not list(project.folder.glob("__pycache__/helper*"))  # no byte code of a text that is no file
    eager, changed = all_at_once[1].split("source:")[1:]
    file = project.folder / "main.py"
    assert eager.splitlines()[:2] == [" 1 1", f"file: {file} {len(MAIN)} ['main.py']"]
    assert changed.splitlines()[:2] == [" 1 0", f"file: {file} {len(MAIN)} ['main.py']"]
    assert "halved" in all_at_once[1].split("source:")[0]
    assert "halved" not in all_at_once[1].split("source:")[1].partition("file:")[2]


def test_the_run_in_eager_is_made_once(project, verifier, all_at_once):
    assert all_at_once[0].proven
    crash = project.fix("main.py", ("return x * math.log(sigma + 1.0)", "return x * missing(sigma)"))
    verdict = verifier.verify([all_findings(project)[1]], [crash])
    assert [step.phase for step in verifier.steps].count("eager") == 1
    assert verdict.status == "failed"
    assert "NameError: name 'missing' is not defined (exit code 1)" in verdict.reason
    assert words(verdict).startswith("Not applied: with the change the program fails: NameError")


def test_a_change_that_changes_nothing_leaves_the_break(project, verifier):
    finding = all_findings(project)[0]
    change = project.fix("main.py", ("    if x.abs().max() > 6.0:", "    # larger?\n    if 6.0 < x.abs().max():"))
    verdict = verifier.verify([finding], [change])
    assert (verdict.status, verdict.left, verdict.new) == ("stays", (finding,), ())
    assert verdict.graphs[0] == verdict.graphs[1]
    assert (
        words(verdict)
        == "Not applied: the break stays; outputs equal (largest difference δ_max 0, 9 calls, 3 backwards)."
    )


def test_what_overlaps_is_refused(project, verifier):
    fixes = [project.fix("main.py", ALWAYS_CLAMP), project.fix("main.py", ("x.abs().max() > 6.0", "False"))]
    verdict = verifier.verify(all_findings(project)[:1], fixes)
    assert (verdict.status, verdict.reason) == ("not-compared", "the changes overlap: make them one by one")


def test_cancelling_ends_the_run_and_leaves_nothing(project, reaper):
    cancellation = Cancellation()
    options = {"reaper": reaper, "cancellation": cancellation, "output": lambda _piece: cancellation.cancel()}
    with Verifier(project.request, **options) as verifier:
        folder = verifier._folder
        verdict = verifier.verify(all_findings(project)[:1], [project.fix("main.py", ALWAYS_CLAMP)])
    assert verdict.status == "cancelled"
    assert not folder.exists()


def test_a_clamp_is_no_test_for_nan(project, reaper):
    """`nan > 6.0` is false: the original lets 9.0 through, the change does not."""
    finding = all_findings(project)[0]
    request = replace(project.request, job=replace(project.request.job, args=("nan",)))
    with Verifier(request, reaper=reaper) as verifier:
        verdict = verifier.verify([finding], [project.fix("main.py", ALWAYS_CLAMP)])
    assert verdict.status == "differs", (words(verdict), verdict)
    assert verdict.left == ()
    assert verdict.changes_eager
    assert verdict.compared.first.place == "result['limited']"
    assert verdict.compared.first.call == 1
    assert verdict.compared.first.values[0]["other"] == "-12.0"
    assert verdict.compared.delta_max == pytest.approx(2 * (11.0 - 6.0))
    assert words(verdict) == (
        "Not applied: the break would go, but outputs differ (largest difference δ_max 10, call 1 of 9)."
    )


def test_a_time_is_neither_equal_nor_different(trace, reaper):
    """Both runs are within the same minutes, which float32 can't tell apart."""
    project = trace({"main.py": UNSTEADY})
    finding = project.finding("graph-break", "main.py", "print")
    with Verifier(project.request, reaper=reaper) as verifier:
        verdict = verifier.verify([finding], [project.fix("main.py", ('    print("drift")\n', ""))])
    assert verdict.status == "nondeterministic", (words(verdict), verdict.reason)
    assert words(verdict).startswith(
        "Break gone; result[1] of drift is not reproducible: differs between two eager runs as well; "
        "all other outputs equal (largest difference δ_max 0, 1 call). 2 graphs → 1, compiling"
    )
