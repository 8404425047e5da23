"""A log that ends in the middle of a compile, as that of a job that was killed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.model import Result
from compilescope.lsp.problems import of_outcome
from compilescope.recording.reader import Recording
from compilescope.report import markdown
from compilescope.report.ending import ending
from compilescope.report.html import page
from compilescope.report.html.material import Material
from compilescope.report.style import Style
from compilescope.report.text import render
from compilescope.runner.launch import Outcome

from tests.unit.analysis.made import Made

STEPS = ("dynamo_output_graph", "aot_inference_graph", "inductor_post_grad_graph", "inductor_output_code")
SAID = "The log ends while 1/0 `big` was being compiled, in {}."


def started(folder: Path, *steps: str) -> Made:
    """One graph that was compiled, and a compile that came to the last of `steps`."""
    made = Made(folder, ours=False)
    made.compiled("0/0", "small", 3)
    made.torch_event("dynamo_output_graph", {"sizes": {}}, "0/0", payload="graph")
    made.torch_event("dynamo_start", {"stack": [{"line": 5, "name": "big", "filename": 0}]}, "1/0")
    for name in steps:
        made.torch_event(name, {}, "1/0", payload="graph")
    return made


def text_of(result: Result) -> str:
    return render(result, {}, style=Style(Path("/app")), notes=[])


@pytest.mark.parametrize(
    ("steps", "words"),
    [(0, "capture"), (1, "differentiation"), (2, "graph passes"), (3, "code generation"), (4, "loading the kernels")],
)
def test_the_step_in_which_the_log_ends(tmp_path, steps, words):
    assert (ending(started(tmp_path, *STEPS[:steps]).result()) or "").startswith(SAID.format(words))


def test_every_report_says_so(tmp_path):
    result = started(tmp_path, *STEPS[:3]).result()
    said = SAID.format("code generation")
    text, shown = text_of(result), page.render(Material(result, {}))
    assert said in text
    assert "big (main.py:5): 0 graphs, 1 compile not finished" in text
    assert "No findings: 1 graph, 1 compile not finished" in text
    assert said.replace("`", "") in re.sub(r"<[^>]+>", "", shown)
    assert "Nothing to improve" not in shown
    told = markdown.render(result, {}, [])
    assert said in told
    assert "Nothing to improve" not in told
    assert told.splitlines()[2].startswith("1 graph, ")


def test_an_end_that_is_there_is_no_cut(tmp_path):
    made = started(tmp_path, *STEPS)
    made.torch_event("compilation_metrics", {"co_name": "big", "has_guarded_code": True}, "1/0")
    assert ending(made.result()) is None


@pytest.mark.parametrize("name", ["dynamo_cpp_guards_str", "dynamo_guards"])
def test_a_log_without_metrics_does_not_end_in_a_compile_that_has_its_guards(tmp_path, name):
    assert ending(started(tmp_path, *STEPS, name).result()) is None


def test_a_compile_that_others_follow_did_not_end_the_log(tmp_path):
    made = started(tmp_path, *STEPS)
    made.compiled("2/0", "after", 9)
    result = made.result()
    assert ending(result) is None
    assert "1 compile not finished" in text_of(result)


def test_each_process_of_a_job_is_told(tmp_path):
    made = started(tmp_path, *STEPS[:1])
    made.result()
    own = made.log.read_bytes()
    for rank in range(5):
        made.add_log(f"dedicated_log_torch_trace_rank_{rank}_ab.log", own.replace(b'{"', b'{"rank": %d, "' % rank))
    made.log.unlink()
    made.log = made.folder / "unused"
    with Recording.open(tmp_path) as recording:
        said = ending(analyse(recording)) or ""
    assert "1/0 `big` was being compiled" in said
    assert "rank1:1/0 `big` was being compiled" in said
    assert "and 2 more." in said


def test_what_failed_is_not_called_unfinished(tmp_path):
    made = Made(tmp_path, ours=False)
    made.compiled("0/0", "f", 3, fail_type="RuntimeError", fail_reason="broken", has_guarded_code=False)
    text = text_of(made.result())
    assert "0 graphs, 1 compile failed" in text
    assert "not finished" not in text


@pytest.mark.parametrize(("exit_code", "is_told"), [(0, False), (3, False), (-9, True)])
def test_a_run_that_ended_by_itself_is_no_crash_for_the_editor(tmp_path, exit_code, is_told):
    # A thread or a child may still compile when a program ends.
    result = started(tmp_path, *STEPS).result()
    ended = replace(result, run=replace(result.run, exit_code=exit_code))
    assert (of_outcome(Outcome("finished", exit_code, 1.0), ended) is not None) is is_told
    assert "1/0" in (ending(ended) or "")
