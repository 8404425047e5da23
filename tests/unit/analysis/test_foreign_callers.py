"""Who called what was recompiled, in a log of torch alone: the stack is in the `dynamo_start` of the compile."""

from __future__ import annotations

from pathlib import Path

from compilescope.report import markdown
from compilescope.report.functions import compiled_functions
from compilescope.report.style import Style
from compilescope.report.text import render

from tests.unit.analysis.made import SITE, Made

REASON = "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"
LIBRARY = f"{SITE}/lib/generic.py"


def made_with(folder: Path, *callers: tuple[str, int, str]) -> Made:
    """`wrapper` of a library, compiled twice; `callers` of the second time are outermost first."""
    made = Made(folder, ours=False)
    files = ["/app/hf.py", LIBRARY, f"{SITE}/torch/_dynamo/eval_frame.py"]
    for number, file in enumerate(files):
        made.torch_event("str", [file, number])
    own = {"line": 933, "name": "wrapper", "filename": 1}
    for number, above in enumerate(([], callers)):
        compile_id = f"0/{number}"
        stack = [{"line": line, "name": name, "filename": files.index(file)} for file, line, name in above]
        made.torch_event("dynamo_start", {"stack": [*stack, own]}, compile_id)
        if number:
            made.event("recompile_reasons", [REASON], compile_id)
        metrics = {"co_name": "wrapper", "co_filename": LIBRARY, "co_firstlineno": 933, "has_guarded_code": True}
        made.torch_event("compilation_metrics", metrics, compile_id)
    return made


def test_the_innermost_of_the_program_is_the_caller(tmp_path):
    called = [
        ("/app/hf.py", 20, "<module>"),
        ("/app/hf.py", 12, "generate"),
        (LIBRARY, 300, "sample"),
        (f"{SITE}/torch/_dynamo/eval_frame.py", 1024, "compile_wrapper"),
    ]
    result = made_with(tmp_path, *called).result()
    (finding,) = result.findings
    (row,) = finding.detail["recompiles"]
    assert row["caller"] == {"file": "/app/hf.py", "line": 12, "function": "generate"}
    shown = [(frame.file, frame.line) for frame in finding.frames]
    assert shown == [("/app/hf.py", 20), ("/app/hf.py", 12), (LIBRARY, 300)]
    assert "from hf.py:12" in render(result, {}, style=Style(Path("/app")), notes=[])
    assert "Called from" in markdown.render(result, {}, [])


def test_without_a_stack_there_is_no_caller(tmp_path):
    (finding,) = made_with(tmp_path).result().findings
    assert finding.detail["recompiles"][0]["caller"] is None


def test_a_graph_that_torch_threw_away_is_none(tmp_path):
    """Torch counts the nodes of one with nothing but inputs and an output, but writes it nowhere."""
    made = Made(tmp_path, ours=False)
    for number, nodes in enumerate((7, 2)):
        made.compiled(f"{number}/0", f"f{number}", 4 + number, graph_node_count=nodes)
    made.torch_event("dynamo_output_graph", {"sizes": {}}, "0/0", payload="class GraphModule: pass")
    result = made.result()
    assert [(one.graph["nodes"], one.empty) for one in result.compiles] == [(7, False), (2, True)]
    assert [one.graphs for one in compiled_functions(result)] == [1, 0]
    assert [one.metrics["graphs"] for one in result.metrics_by_function] == [1, 0]
