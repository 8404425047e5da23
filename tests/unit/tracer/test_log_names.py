"""Names of logs that torch refuses, and those that it takes."""

import pytest
from compilescope import fixes
from compilescope.analysis import analyse
from compilescope.recording.reader import Recording
from compilescope.report.sources import sources

pytestmark = pytest.mark.torch

PROGRAM = """\
import logging
import torch
from torch._logging import set_logs

refused = 0
for call in (
    lambda: torch._logging.set_logs(dynamo=logging.INFO, graph_brakes=True),
    lambda: set_logs(modules={
        "dynmo": logging.INFO, "torch._dynamo": logging.DEBUG}),
    lambda: set_logs(verbose_guards=True),
    lambda: set_logs(**{"output_cod": True}),
    lambda: set_logs(graph=logging.INFO),  # a name that there is, with a value that it does not take
    lambda: set_logs(modules={"verbose_guards": True, "aot": logging.ERROR, "torch._dynamo.output_graph": 40}),
    lambda: set_logs(all=logging.ERROR, graph_breaks=True, inductor=logging.CRITICAL),
):
    try:
        call()
    except (TypeError, ValueError):
        refused += 1
print(refused)
"""


def found(runner):
    with Recording.open(runner.folder / "recording") as recording:
        result = analyse(recording)
        fixes.attach(result, sources(recording, result))
    return [one for one in result.findings if one.rule == "unknown-log-name"]


def places(findings, text):
    """The text that each finding is on."""
    lines = text.splitlines()
    return [lines[one.range.start.line][one.range.start.character : one.range.end.character] for one in findings]


def test_each_name_that_set_logs_refuses_is_found_on_the_name(runner):
    runner.write("calls.py", PROGRAM)
    assert runner.traced("calls.py").out == runner.plain("calls.py").out == "5\n"
    findings = sorted(found(runner), key=lambda one: one.range.start.line)
    assert [one.detail["name"] for one in findings] == ["graph_brakes", "dynmo", "verbose_guards", "output_cod"]
    assert places(findings, PROGRAM) == ["graph_brakes", "dynmo", "verbose_guards", "output_cod"]
    assert [one.detail["nearest"][:1] for one in findings] == [["graph_breaks"], ["dynamo"], [], ["output_code"]]
    texts = [[fix.edits[0].text for fix in one.fixes if fix.preferred] for one in findings]
    assert texts == [["graph_breaks"], ["dynamo"], [], ["output_code"]]
    assert "modules=" in findings[2].hints[0]  # torch has this one, set_logs has no argument for it
    assert [one.reason.partition(":")[0] for one in findings] == ["TypeError", "ValueError", "TypeError", "TypeError"]


@pytest.mark.parametrize(
    ("statement", "name", "nearest"),
    [
        ('os.environ["TORCH_LOGS"] = "+dynamo,-inductr"', "-inductr", "inductor"),
        ('os.environ.setdefault("TORCH_LOGS", "aot,+graph_break")', "+graph_break", "graph_breaks"),
    ],
)
def test_a_name_in_the_variable_that_the_program_sets(runner, statement, name, nearest):
    text = f"import os\n{statement}\nimport torch\n"
    runner.write("sets.py", text)
    traced = runner.traced("sets.py")
    plain = runner.plain("sets.py")
    assert (traced.code, traced.err) == (plain.code, plain.err)
    assert plain.code == 1
    (finding,) = found(runner)
    assert finding.range.start.line == 1
    assert places([finding], text)[0] == name
    assert finding.detail["nearest"][0] == nearest
    (fix,) = [one for one in finding.fixes if one.preferred]
    assert fix.edits[0].text == name[:1] + nearest
    assert places([fix.edits[0]], text) == [name]


def test_a_name_in_a_variable_from_outside_is_found_where_torch_is_imported(runner):
    text = "import sys\nimport torch\n"
    runner.write("outside.py", text)
    traced = runner.traced("outside.py", env={"TORCH_LOGS": "+dynamo,guard,torch._dynamo.output_graph, -aot"})
    assert traced.code == 1
    (finding,) = found(runner)
    assert places([finding], text) == ["import torch"]
    assert (finding.detail["name"], finding.detail["nearest"][0]) == ("guard", "guards")
    assert "outside of the program" in finding.explanation
    assert {one.kind for one in finding.fixes} <= {"ignore"}


def test_names_that_torch_takes_are_no_finding(runner):
    runner.write("good.py", "import torch\n")
    settings = "+dynamo,-aot,all,graph_breaks,verbose_guards,torch._dynamo.output_graph, +dynamic"
    traced = runner.traced("good.py", env={"TORCH_LOGS": settings})
    assert traced.code == 0
    assert not found(runner)
