"""Findings from recordings made by hand: where they stand, what they count, what they cost."""

from __future__ import annotations

import pytest

from tests.unit.analysis.made import SITE, Made, frame
from tests.unit.recording.made import artifact, in_compile, record

MAIN = "/app/main.py"
SOURCE = """\
import torch
from lib import layer

def helper(t):
    return t.max().item() + 1

@torch.compile
def run(x, scale):
    n = helper(x)
    x = layer(x)
    if x.sum() > 0:
        x = x * scale
    return x * n

run(torch.ones(2), 1.0)
"""
CODE = {"file": MAIN, "line": 7, "function": "run"}
CALLER = frame(MAIN, 15, "<module>", 0, 23)
ITEM = {"gb_type": "Unsupported Tensor.item() call with capture_scalar_outputs=False", "gb_id": "GB0124"}


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


def text_of(finding):
    """What the range of a finding covers in the source."""
    start, end = finding.range.start, finding.range.end
    assert start.line == end.line
    return SOURCE.split("\n")[start.line][start.character : end.character]


def test_a_break_in_an_inlined_helper_is_one_finding(made):
    inner = frame(MAIN, 5, "helper", 11, 25)
    made.graph_break("0/0", [frame(MAIN, 9, "run", 8, 17), inner], above=[CALLER], code=CODE, **ITEM)
    made.compiled("0/0", "run", 7, 1.0)
    made.graph_break("1/0", [inner], above=[CALLER, frame(MAIN, 9, "run", 8, 17)], **ITEM)
    made.compiled("1/0", "helper", 4, 0.25)
    made.compiled("2/0", "torch_dynamo_resume_in_helper_at_5", 5, 0.125)
    made.compiled("3/0", "torch_dynamo_resume_in_run_at_9", 9, 0.0625)
    (finding,) = made.findings()
    assert (finding.rule, finding.severity, finding.code, finding.class_) == (
        "graph-break",
        "warning",
        "GB0124",
        "control-flow",
    )
    assert text_of(finding) == "t.max().item()"
    assert (finding.count, finding.compile_ids) == (2, ["0/0", "1/0"])
    # What the break caused: the helper on its own, and what comes after it in both functions.
    assert finding.detail["resumed"] == ["1/0", "2/0", "3/0"]
    assert finding.cost_s == pytest.approx(0.25 + 0.125 + 0.0625)
    assert [(one.line, one.function) for one in finding.frames] == [(15, "<module>"), (9, "run"), (5, "helper")]
    assert finding.href == "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0124.html"


def test_a_break_in_a_library_stands_on_the_users_call(made):
    library = [frame(f"{SITE}/lib/a.py", 3, "layer"), frame("/usr/lib/python3.11/copy.py", 7, "deepcopy")]
    made.graph_break("0/0", [frame(MAIN, 10, "run", 8, 16), *library], above=[CALLER], code=CODE, **ITEM)
    (finding,) = made.findings()
    assert text_of(finding) == "layer(x)"
    assert [one.in_user_code for one in finding.frames] == [True, True, False, False]
    assert "`layer`" in finding.title


def test_two_reasons_on_one_line_are_two_findings(made):
    made.graph_break("0/0", [frame(MAIN, 10, "run", 8, 16)], code=CODE, **ITEM)
    made.graph_break("0/0", [frame(MAIN, 10, "run", 8, 16)], code=CODE, gb_type="other", gb_id="GB0001")
    assert sorted(one.code for one in made.findings("graph-break")) == ["GB0001", "GB0124"]


def test_data_dependent_if(made):
    reason = "Data-dependent branching\n  Explanation: x\n\n  Developer debug context: attempted to jump\n"
    made.graph_break(
        "0/0", [frame(MAIN, 11, "run", 7, 18)], gb_type="Data-dependent branching", gb_id="GB0170", reason=reason
    )
    (finding,) = made.findings()
    assert finding.title == "this `if` depends on tensor data"
    assert finding.detail["label"] == "the graph ends here; the `if` runs in Python"
    assert text_of(finding) == "x.sum() > 0"


def test_a_skipped_frame_is_told_with_its_cause(made):
    reason = (
        "Failed to handle graph break gracefully. Skipping the function and falling back to eager. Graph break "
        "encountered:\n\nData-dependent branching\n  Explanation: x\n  Hint: y\n\n  Developer debug context: a\n\n"
        " visit: https://x/gb/gb0170.html\n\n*** While handling this graph break, another graph break occurred: ***\n\n"
        "graph break in loop\n  Explanation: x\n\n  Developer debug context: frame skipped: run (/app/main.py line 7)"
        "\n\n visit: https://x/gb/gb7000.html\n"
    )
    made.graph_break(
        "0/0",
        [frame(MAIN, 11, "run", 7, 18)],
        kind="frame-skipped",
        reason=reason,
        gb_type="graph break in loop",
        gb_id="GB7000",
        code=CODE,
    )
    made.compiled("0/0", "run", 7, 0.75, fail_type="torch._dynamo.exc.Unsupported", has_guarded_code=False)
    result = made.result()
    (finding,) = result.findings
    assert (finding.rule, finding.severity, finding.code) == ("frame-skipped", "warning", "GB7000")
    assert "loop" in finding.title
    assert "`run`" in finding.title
    assert finding.detail["label"] == "this `if` depends on tensor data"
    assert finding.detail["skipped"] == {"function": "run", "file": MAIN, "line": 7}
    assert finding.cost_s == 0.75
    assert finding.class_ == "control-flow"
    assert [one.status for one in result.compiles] == ["skipped"]


def test_a_break_under_fullgraph_is_an_error_told_once(made):
    made.graph_break("0/0", [frame(MAIN, 5, "helper", 11, 25)], kind="error", fullgraph=True, code=CODE, **ITEM)
    made.event(
        "compilescope_failure",
        {"stage": "capture", "chain": [{"type": "torch._dynamo.exc.Unsupported", "message": "x"}], "code": CODE},
        "0/0",
    )
    (finding,) = made.findings()
    assert (finding.rule, finding.severity) == ("graph-break-error", "error")


def test_recompiles_of_one_value_are_one_finding_on_its_first_line(made):
    guard = [frame(MAIN, 12, "run", 12, 21)]
    made.compiled("0/0", "run", 7)
    values = [{"expression": "scale", "old": "1.0", "new": "0.5"}]
    made.recompile("0/1", CODE, "L['scale'] == 1.0  # x = x * scale", frames=guard, values=values, above=[CALLER])
    made.compiled("0/1", "run", 7, 0.25)
    # Torch names no line of the second one.
    made.recompile("0/2", CODE, "(1.0 + L['scale']) == 1.5", above=[CALLER])
    made.compiled("0/2", "run", 7, 0.5)
    (finding,) = made.findings()
    assert (finding.rule, finding.severity, finding.count) == ("recompile", "warning", 2)
    assert text_of(finding) == "x * scale"
    assert finding.cost_s == 0.75
    rows = finding.detail["recompiles"]
    assert [row["guard"] for row in rows] == ["scale == 1.0", "(1.0 + scale) == 1.5"]
    assert (rows[0]["old"], rows[0]["new"], rows[0]["seconds"]) == ("1.0", "0.5", 0.25)
    assert rows[0]["caller"] == {"file": MAIN, "line": 15, "function": "<module>"}
    assert finding.detail["versions"] == 3


def test_a_tensor_guard_without_a_line_stands_on_the_parameter(made):
    made.recompile("0/1", CODE, "tensor 'x' size mismatch at index 0. expected 2, actual 3")
    (finding,) = made.findings()
    assert (finding.severity, finding.count) == ("information", 1)
    assert text_of(finding) == "x"
    assert finding.range.start.line == 7  # the `def` line, not the decorator
    assert (finding.detail["recompiles"][0]["old"], finding.detail["recompiles"][0]["new"]) == ("2", "3")


def test_recompiles_that_follow_from_a_break_stay_information(made):
    code = {"file": MAIN, "line": 9, "function": "torch_dynamo_resume_in_run_at_9"}
    for number in (1, 2, 3):
        made.recompile(f"4/{number}", code, f"L['___stack0'] == {number}")
    (finding,) = made.findings()
    assert (finding.severity, finding.count, finding.range.start.line) == ("information", 3, 8)
    assert "result of line 9" in finding.detail["recompiles"][0]["guard"]


def test_the_limit_is_an_error_and_counts_as_a_recompile(made):
    for number in range(1, 9):
        refused = number == 8
        made.recompile(
            f"0/{number}", CODE, f"tensor 'x' size mismatch at index 0. expected {number}, actual 9", refused=refused
        )
    result = made.result()
    by_rule = {one.rule: one for one in result.findings}
    assert set(by_rule) == {"recompile", "recompile-limit"}
    assert by_rule["recompile"].count == 7
    limit = by_rule["recompile-limit"]
    assert (limit.severity, limit.range, limit.detail["limit"]) == ("error", by_rule["recompile"].range, 8)
    assert result.metrics["recompiles"] == 8


@pytest.mark.parametrize("raises", [True, False])
def test_the_recompiles_of_a_frame_that_raises_at_its_limit_say_so(made, raises):
    other = {**CODE, "line": CODE["line"] + 1, "function": "other"}
    for number in range(1, 4):
        part = f"tensor 'x' size mismatch at index 0. expected {number}, actual 4"
        made.recompile(f"0/{number}", CODE, part, refused=number == 3, limits={"recompile": 3})
        made.recompile(f"1/{number}", other, part.replace("'x'", "'y'"), limits={"recompile": 3})
    if raises:
        chain = [{"type": "FailOnRecompileLimitHit", "message": "Hard failure due to fullgraph=True"}]
        made.event("compilescope_failure", {"chain": chain, "frames": [], "above": [], "code": CODE}, "0/3")
    found = {(one.rule, one.compile_ids[0]): one.detail.get("raises", False) for one in made.findings()}
    assert found == {("recompile", "0/1"): raises, ("recompile", "1/1"): False, ("recompile-limit", "0/3"): raises}


def test_a_failure_seen_twice_is_one_finding_on_the_innermost_user_line(made):
    frames = [frame(MAIN, 10, "run", 8, 16), frame(f"{SITE}/lib/a.py", 3, "layer")]
    inner = {"type": "RuntimeError", "message": "no such thing"}
    made.event("compilescope_failure", {"stage": "capture", "chain": [inner], "frames": frames, "code": CODE}, "0/0")
    outer = {
        "type": "torch._dynamo.exc.InternalTorchDynamoError",
        "message": "RuntimeError: no such thing\n\nfrom user",
    }
    made.event("compilescope_failure", {"stage": "capture", "chain": [outer], "frames": [CALLER]})
    (finding,) = made.findings()
    assert (finding.rule, finding.severity, finding.count) == ("compile-error", "error", 1)
    assert text_of(finding) == "layer(x)"
    assert [one["type"].rpartition(".")[2] for one in finding.detail["chain"]] == [
        "InternalTorchDynamoError",
        "RuntimeError",
    ]


def test_a_backend_that_fails_stands_on_the_suspect_node(made):
    made.event(
        "compilescope_failure",
        {
            "stage": "compile",
            "chain": [{"type": "torch._dynamo.exc.BackendCompilerFailed", "message": "backend='b' raised:"},
                      {"type": "NotImplementedError", "message": "no kernel for cumsum"}],
            "frames": [], "above": [CALLER], "code": CODE, "backend": "b",
            "node": {"name": "cumsum", "target": "cumsum", "frame": frame(MAIN, 12, "run", 12, 21)},
        },
        "0/0",
    )  # fmt: skip
    (finding,) = made.findings()
    assert text_of(finding) == "x * scale"
    assert finding.stage == "compile"
    assert "no kernel for cumsum" in finding.title
    assert finding.class_ == "backend-operator"


def test_an_exception_out_of_compiled_code(made):
    made.compiled("0/0", "run", 7)
    raised = {"type": "AttributeError", "message": "'Tensor' object has no attribute 'sum'"}
    made.graph_break(
        "0/0", [frame(MAIN, 12, "run", 12, 21)], context="call_method GetAttrVariable(TensorVariable(), sum) f [] {}"
    )
    made.event(
        "compilescope_exit",
        {"exit_code": 1, "exception": raised | {"frames": [CALLER, frame(MAIN, 8, "run")]}, "seconds": {}},
    )
    result = made.result()
    by_rule = {one.rule: one for one in result.findings}
    # Torch's code is all on the function's first line; the attribute is used on line 11.
    assert by_rule["compile-error"].range.start.line == 10
    assert by_rule["compile-error"].stage == "execute"
    assert by_rule["graph-break"].severity == "information"
    assert result.run.exit_code == 1


def test_an_exception_of_the_programs_own_is_no_finding(made):
    made.compiled("0/0", "run", 7)
    raised = {"type": "ValueError", "message": "bad", "frames": [CALLER]}
    made.event("compilescope_exit", {"exit_code": 1, "exception": raised, "seconds": {}})
    assert made.findings() == []


def test_fallback_kernels(made):
    kernels = [
        {"name": "aten.cumsum", "kind": "fallback", "nodes": ["a"], "operator": "aten.cumsum.default",
         "frames": [frame(MAIN, 12, "run", 12, 21), frame(MAIN, 8, "run")]},  # its inputs' places follow its own
        {"name": "cpp_fused_0", "kind": "cpp", "nodes": ["b"], "operator": None, "frames": [frame(MAIN, 13, "run")]},
    ]  # fmt: skip
    for number in (0, 1):
        made.event("compilescope_kernels", {"graph": f"0/{number}/forward", "kernels": kernels}, f"0/{number}")
    result = made.result()
    (finding,) = result.findings
    assert (finding.rule, finding.severity, finding.count) == ("fallback-op", "hint", 2)
    assert finding.detail["operator"] == "aten.cumsum.default"
    assert finding.range.start.line == 11
    assert [one.line for one in finding.frames] == [12]
    assert result.metrics["fallback_ops"] == 2
    assert [(one.kind, one.language) for one in result.kernels[:2]] == [("fallback", "library"), ("cpp", "C++")]
    assert [line["line"] for line in result.kernels[0].lines] == [12, 8]


def test_a_retry_of_a_compile_meets_the_same_break_no_second_time(made):
    for compile_id in ("0/0", "0/0_1", "0/1"):
        made.graph_break(compile_id, [frame(MAIN, 10, "run", 8, 16)], code=CODE, **ITEM)
    result = made.result()
    (finding,) = result.findings
    assert (finding.count, finding.compile_ids) == (2, ["0/0", "0/1"])
    assert result.metrics["graph_breaks"] == 3


def test_metrics_are_those_of_the_rank_with_the_most(made):
    made.compiled("0/0", "run", 7, 1.0, backend_compile_time_s=0.75)
    made.event(
        "compilescope_exit",
        {"exit_code": 0, "exception": None, "seconds": {"script": 3.0, "overhead": 0.5},
         "counters": {"stats": {"unique_graphs": 4}}, "calls": {"0/0/forward": 3}},
    )  # fmt: skip
    other = record("dynamo_output_graph", {}, "g", rank=1, **in_compile()) * 6
    made.add_log("dedicated_log_torch_trace_rank_1_9_x.log", other)
    made.graph_break("0/0", [frame(MAIN, 10, "run", 8, 16)], code=CODE, **ITEM)
    result = made.result()
    assert result.metrics["graphs"] == 6
    assert result.metrics["graph_breaks"] == 1
    assert result.metrics["capture_s"] == 0.25
    assert result.metrics["compile_s"] == 0.75
    assert result.metrics["guard_s"] is None
    assert result.metrics["execute_s"] == 2.0
    assert result.metrics["calls"] == 3
    assert result.metrics["tracing_overhead"] == 0.2
    assert result.metrics["op_coverage"] is None
    assert result.run.ranks == [1]


def test_two_processes_with_the_same_ids_stay_apart(made):
    made.compiled("0/0", "run", 7)
    made.graph_break("0/0", [frame(MAIN, 10, "run", 8, 16)], **ITEM)
    data = artifact(
        "compilescope_graph_break",
        {"kind": "break", "reason": "x", "frames": [frame(MAIN, 10, "run", 8, 16)], **ITEM},
        rank=1,
        **in_compile(),
    )
    made.add_log("dedicated_log_torch_trace_rank_1_9_x.log", record("dynamo_start", {}, rank=1, **in_compile()) + data)
    (finding,) = made.findings()
    assert finding.compile_ids == ["0/0", "rank1:0/0"]
    assert finding.count == 2


def test_ids_that_a_reset_used_again_are_other_compiles(made):
    made.compiled("0/0", "run", 7, 1.0)
    made.compiled("0/0", "helper", 4, 2.0)
    made.graph_break("0/0", [frame(MAIN, 5, "helper", 11, 25)], kind="frame-skipped", **ITEM)
    result = made.result()
    assert [(one.id, one.function) for one in result.compiles] == [("0/0", "run"), ("reset1:0/0", "helper")]
    assert result.findings[0].compile_ids == ["reset1:0/0"]
    assert result.findings[0].cost_s == 2.0


def test_a_plain_torch_trace_gives_the_same_kinds_of_findings(tmp_path):
    made = Made(tmp_path, file="/app/plain.py", ours=False)
    made.compiled("0/0", "f", 3)
    message = (
        "Graph break in user code at /app/plain.py:5\nGraph Break Reason: Encountered graph break when attempting to "
        "trace CALL: a function call, e.g. f(x, y):\n\nFailed to trace builtin operator\n  Explanation: x\n\n  "
        "Developer debug context: builtin print [] False\n\n visit: https://x/gb/gb0059.html\n\nUser code traceback:\n"
        '  File "/app/plain.py", line 9, in <module>\n    f(x)\n  File "/app/plain.py", line 5, in f\n    print(x)\n'
    )
    made.event("dynamo_graph_break_reason", message, "0/0")
    made.event("recompile_reasons", "0/0: tensor 'x' size mismatch at index 0. expected 2, actual 3", "0/1")
    made.compiled("0/1", "f", 3, 0.5)
    failed = {"fail_type": "torch._dynamo.exc.BackendCompilerFailed", "has_guarded_code": False}
    failed["fail_reason"] = "backend='b' raised:\nRuntimeError: broken"
    made.compiled("1/0", "g", 20, **failed)
    result = made.result()
    found = {(one.rule, one.code, one.range.start.line + 1) for one in result.findings}
    assert found == {
        ("graph-break", "GB0059", 5),
        ("recompile", "recompile", 3),
        ("compile-error", "BackendCompilerFailed", 20),
    }
    assert result.run.command == []
    assert result.run.exit_code is None


def test_odd_values_do_no_harm(made):
    names = "graph_break recompile failure kernels stage pass snapshot exit source guards unavailable cache environment"
    for name in names.split():
        for payload in (
            [],
            {},
            None,
            "x",
            7,
            {"frames": 3, "code": {"file": 1}, "hooks": 1, "failed": [1, {"values": 2}]},
        ):
            made.event(f"compilescope_{name}", payload, "0/0")
    made.torch_event("dynamo_start", {"stack": [None, {"filename": 99}, {"filename": "x"}]}, "0/0")
    made.torch_event("compilation_metrics", {"restart_reasons": 3, "co_filename": 4, "guard_latency_us": "x"}, "0/0")
    made.result()


def failed(entry, part, old=None, new=None, expression=""):
    """One version that did not fit."""
    values = [{"expression": expression, "old": old, "new": new}] if expression else []
    return {
        "entry": entry,
        "reason": f"{entry}: {part}",
        "parts": [part],
        "frames": [],
        "values": values,
    }


@pytest.mark.parametrize("shortened", ["app/main.py", "pp/main.py", "main.py"])
def test_a_path_that_torch_shortened_is_found_again(made, shortened):
    made.recompile("0/1", CODE, "(x.size()[0] % 2) == 0", frames=[frame(shortened, 11, "run")])
    (finding,) = made.findings()
    assert finding.file == MAIN
    assert text_of(finding) == "x.sum() > 0"


def test_a_path_that_nobody_knows_is_never_shown(made):
    made.recompile("0/1", CODE, "(x.size()[0] % 2) == 0", frames=[frame("mp/gone.py", 11, "run")])
    (finding,) = made.findings()
    assert finding.file == MAIN
    assert all(one.file == MAIN for one in finding.frames)


def test_the_guard_that_most_versions_failed_on_is_the_cause(made):
    dtype = "tensor 'L['x']' dtype mismatch. expected Double, actual Float"
    versions = [
        failed("0/2", dtype, "Double", "Float", "x dtype"),
        failed("0/1", "L['scale'] == 1.0", "1.0", "2.0", "scale"),
        failed("0/0", "L['scale'] == 1.0", "1.0", "2.0", "scale"),
    ]
    made.recompile("0/3", CODE, "", failed=versions)
    (finding,) = made.findings()
    (row,) = finding.detail["recompiles"]
    assert (row["guard"], row["old"], row["new"]) == ("scale == 1.0", "1.0", "2.0")
    assert [(one["version"], one["old"]) for one in row["others"]] == [("0/2", "Double")]


def test_of_as_many_versions_the_one_that_fitted_furthest_counts(made):
    for compile_id in ("0/0", "0/1"):
        guards = [{"name": "", "kind": "", "code": ["L['scale'] == 1.0", "L['n'] == 1"], "frame": None}]
        made.event("compilescope_guards", {"code": CODE, "guards": guards, "latency_us": None}, compile_id)
    versions = [failed("0/1", "L['scale'] == 1.0"), failed("0/0", "L['n'] == 1")]
    made.recompile("0/2", CODE, "", failed=versions)
    (finding,) = made.findings()
    assert finding.detail["recompiles"][0]["guard"] == "n == 1"


@pytest.mark.parametrize("last", [8, 1])
def test_a_number_that_became_a_float_and_then_variable_has_settled(made, last):
    fixed = [{"name": "", "kind": "", "code": ["L['self'].total == 4.0"], "frame": None}]
    free = [{"name": "", "kind": "", "code": ["___check_type_id(L['self'].total, 1)"], "frame": None}]
    for number, guards in enumerate((fixed, free), start=1):
        made.compiled(f"0/{number}", "run", 3)
        made.event("compilescope_guards", {"code": CODE, "guards": guards, "latency_us": None}, f"0/{number}")
    made.recompile("0/1", CODE, "", failed=[failed("0/0", "L['self'].total == 0", "0", "4.0", "self.total")])
    made.recompile("0/2", CODE, "", failed=[failed("0/1", "L['self'].total == 4.0", "4.0", "8.0", "self.total")])
    made.event("compilescope_exit", {"calls": {"0/0/forward": 1, "0/1/forward": 1, "0/2/forward": last}})
    (finding,) = made.findings("recompile")
    assert (finding.severity == "information") == (last > 1)
    assert ("from 8.0 on it is variable" in finding.detail["label"]) == (last > 1)
    assert any("`0.0` in place of `0`" in hint for hint in finding.hints) == (last > 1)


def test_a_module_s_integer_that_became_a_variable_float_is_not_called_fixed(made):
    one = failed("0/0", "L['self'].total == 0", "0", "2.5", "self.total")
    hint = "  # (HINT: torch.compile considers integer attributes of the nn.Module to be static. …)"
    guards = [{"name": "", "kind": "", "code": ["___check_type_id(L['self'].total, 1)"], "frame": None}]
    made.recompile("0/1", CODE, "", failed=[{**one, "reason": one["reason"] + hint}])
    made.event("compilescope_guards", {"code": CODE, "guards": guards, "latency_us": None}, "0/1")
    (finding,) = made.findings()
    assert finding.detail["label"].endswith("the second value, 2.5, made it variable")
    assert not any("allow_unspec_int_on_nn_module" in hint for hint in finding.hints)


def test_a_number_that_its_second_value_made_variable(made):
    guards = [{"name": "L['scale']", "kind": "TYPE_MATCH", "code": ["___check_type_id(L['scale'], 1)"], "frame": None}]
    made.recompile("0/1", CODE, "", failed=[failed("0/0", "L['scale'] == 1.0", "1.0", "2.0", "scale")])
    made.event("compilescope_guards", {"code": CODE, "guards": guards, "latency_us": None}, "0/1")
    (finding,) = made.findings()
    assert finding.detail["label"] == "`scale` = 1.0 was compiled in; the second value, 2.0, made it variable"
    assert "each new value" not in finding.explanation


def test_a_number_that_stays_fixed(made):
    guards = [{"name": "L['scale']", "kind": "", "code": ["L['scale'] == 2.0"], "frame": None}]
    made.recompile("0/1", CODE, "", failed=[failed("0/0", "L['scale'] == 1.0", "1.0", "2.0", "scale")])
    made.event("compilescope_guards", {"code": CODE, "guards": guards, "latency_us": None}, "0/1")
    (finding,) = made.findings()
    assert "each new value gets code of its own" in finding.explanation


def test_an_integer_on_a_module_has_torch_s_hint(made):
    one = failed("0/0", "L['self'].calls == 0", "0", "1", "self.calls")
    hint = "  # (HINT: torch.compile considers integer attributes of the nn.Module to be static. …)"
    made.recompile("0/1", CODE, "", failed=[{**one, "reason": one["reason"] + hint}])
    (finding,) = made.findings()
    assert "integer on a module" in finding.detail["label"]
    assert any("allow_unspec_int_on_nn_module" in one for one in finding.hints)


def test_sizes_0_and_1_are_explained(made):
    made.recompile("0/1", CODE, "", failed=[failed("0/0", "2 <= L['x'].size()[0]", None, "1", "x.size()[0]")])
    (finding,) = made.findings()
    assert finding.detail["label"] == "sizes 0 and 1 get code of their own; a call brought size 1 of `x`"
    assert finding.detail["recompiles"][0]["old"] is None


def test_words_hold_for_all_recompiles_of_one_thing(made):
    made.recompile("0/1", CODE, "tensor 'L['x']' size mismatch at index 0. expected 2, actual 3")
    made.recompile("0/2", CODE, "tensor 'L['x']' dtype mismatch. expected Float, actual Double")
    (finding,) = made.findings()
    assert finding.detail["label"] == "`x` changes from call to call: size, dtype"


def test_a_class_attribute_is_a_value(made):
    part = "dict(type(L['scale']).__dict__)['gain'] == 2"
    made.recompile("0/1", CODE, "", failed=[failed("0/0", part, "2", "3", "scale.gain")])
    (finding,) = made.findings()
    assert finding.detail["label"] == "the attribute `scale.gain` is compiled in: 2 before, 3 now"


ASKED = {
    "gb_type": "Call to `torch._dynamo.graph_break()`",
    "gb_id": "GB0025",
    "hints": ["Remove the `torch._dynamo.graph_break()` call."],
}


@pytest.mark.parametrize(
    ("inside", "severity"), [(f"{SITE}/torch/optim/optimizer.py", "information"), (MAIN, "warning")]
)
def test_a_break_that_torch_s_own_code_asks_for_is_expected(made, inside, severity):
    made.graph_break("0/0", [frame(MAIN, 10, "run", 8, 16), frame(inside, 5, "helper")], code=CODE, **ASKED)
    (finding,) = made.findings()
    assert finding.severity == severity
    assert any("Remove" in hint for hint in finding.hints) == (inside == MAIN)
    assert ("expected" in finding.detail["label"]) == (inside != MAIN)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_wrapper_of_torch_s_around_what_is_compiled_by_itself_is_expected(made, compiled):
    """A learning rate scheduler wraps the optimizer's step."""
    wrapper, adam = f"{SITE}/torch/optim/lr_scheduler.py", f"{SITE}/torch/optim/adam.py"
    told = {
        "gb_type": "Attempted to call function marked as skipped",
        "gb_id": "GB0007",
        "context": f"module: torch.optim.adam, qualname: Adam.step, skip reason: file is force-skipped ({wrapper})",
        "explanation": "Dynamo developers have intentionally marked that the function `Adam.step` "
        f"in file `{wrapper}` should not be traced.",
    }
    made.compiled("0/0", "step", 7)
    made.graph_break("0/0", [frame(MAIN, 10, "step", 8, 16)], code=CODE, **told)
    if compiled:
        made.compiled("1/0", "step", 214, co_filename=adam)
    (finding,) = made.findings()
    assert (finding.severity == "information") == compiled
    assert any("outside" in hint for hint in finding.hints) != compiled


def ended_with(made, *frames):
    exception = {"type": "OSError", "message": "Bad file descriptor", "frames": list(frames)}
    made.event(
        "compilescope_exit", {"exit_code": 1, "exception": exception, "seconds": {}, "counters": {}, "calls": {}}
    )


def test_an_exception_of_code_after_a_break_is_the_program_s(made):
    line = frame(MAIN, 10, "run", 8, 16)
    made.graph_break("0/0", [line], code=CODE)
    made.compiled("0/0", "run", 7)
    ended_with(made, CALLER, line)
    assert [one.rule for one in made.findings()] == ["graph-break"]


@pytest.mark.parametrize("deeper", ["<eval_with_key>.3", f"{SITE}/torch/_inductor/output_code.py"])
def test_an_exception_of_compiled_code_on_the_line_of_a_break_is_a_finding(made, deeper):
    line = frame(MAIN, 10, "run", 8, 16)
    made.graph_break("0/0", [line], code=CODE)
    made.compiled("0/0", "run", 7)
    ended_with(made, CALLER, line, frame(deeper, 5, "forward"))
    assert {one.rule for one in made.findings()} == {"graph-break", "compile-error"}


def test_a_backend_whose_exception_has_no_text_is_one_failure(made):
    raised = frame(MAIN, 5, "helper", 11, 25)
    made.compiled("0/0", "run", 7, fail_type="RuntimeError", fail_reason="no str")
    common = {"class": "other", "node": None, "snapshot": None, "torch_frame": None, "suppressed": False, "above": []}
    inner = [{"type": "RuntimeError", "message": "no str"}, {"type": "Weird", "message": "<exception str() failed>"}]
    own = {"stage": "compile", "chain": inner, "frames": [raised], "code": CODE, "backend": "picky"}
    made.event("compilescope_failure", common | own, "0/0")
    outer = [{"type": "torch._dynamo.exc.InternalTorchDynamoError", "message": "RuntimeError: no str\n\nSet TORCH"}]
    left = {"stage": "capture", "chain": outer, "frames": [CALLER], "code": None, "backend": None}
    made.event("compilescope_failure", common | left)
    (finding,) = made.findings()
    assert finding.title == "the backend `picky` failed: Weird: <exception str() failed>"
    assert text_of(finding) == "t.max().item()"
