"""A recording with every event that the analysis reads, as (name, envelope's fields, payload, compile id)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from tests.unit.analysis.made import SITE, frame, ids
from tests.unit.analysis.test_graphs import NODES
from tests.unit.recording.made import record

MAIN = "/app/main.py"
SOURCE = """\
import math, torch

@torch.compile
def run(x, w, sigma):
    x = x * math.log(sigma + 1)
    if x.sum() > 0:
        print(x @ w)
    return torch.cumsum(x, 0)

run(torch.ones(2), torch.ones(2), 1.0)
"""
CODE = {"file": MAIN, "line": 3, "function": "run"}
CALLER = frame(MAIN, 10, "<module>", 0, 37)
LIBRARY = frame(f"{SITE}/lib.py", 4, "layer", 4, 9)
TRACEBACK = f'  File "{MAIN}", line 6, in run\n    if x.sum() > 0:\n       ^^^^^^^^^^^\n'
REASON = (
    "Data-dependent branching\n  Explanation: Detected data-dependent branching.\n  Hint: Use `torch.cond`.\n\n"
    "  Developer debug context: attempted to jump with TensorVariable()\n\n For more details about this graph break, "
    "please visit: https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html"
)
ERROR = f"Traceback (most recent call last):\n{TRACEBACK}\nfrom user code:\n{TRACEBACK}"
LOGGED = f"Graph break ...\nGraph Break Reason: {REASON}\nUser code traceback:\n{TRACEBACK}"
TREE = """
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GuardManager: source=L['x'], accessed_by=FrameLocals('x'), type=<class 'torch.Tensor'>, tag_safe=(a, b)
| | +- TENSOR_MATCH: check_tensor(L['x'])  # x = x * sigma  # app/main.py:5 in run
| +- DictGuardManager: source=L['d'], accessed_by=FrameLocalsGuardAccessor(key='d'), type=<class 'dict'>
| | +- KeyValueManager pair at index=0
| | | +- ValueManager: GuardManager: source=L['d']['a'], type=<class 'int'>
| | | | +- EQUALS_MATCH: L['d']['a'] == 1
+- LAMBDA_GUARD: 2 <= L['x'].size()[0]
Guard latency = 12.50 us
"""
SYMBOL = {"symbol": "s0", "kind": "backed", "sources": ["L['x'].size()[0]"], "value": "4", "range": ["2", "6"]}
SYMBOL |= {"range_at": ["if x  # app/main.py:6 in run", None], "is": "4", "why": "automatic"}
CREATED = {"symbol": "s0", "val": "4", "vr": "[2, int_oo]", "user_stack": [{"line": 5, "name": "run", "filename": 0}]}
CHANGE = {"name": "L['x']", "dim_changed": 0, "reason": "size change", "cached": "2", "new": "4"}
PRINTED = (
    'class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: "f32[16, 10][10, 1]cuda:0"):\n'
    f"         # File: {MAIN}:5 in run, code: x = x * math.log(sigma + 1)\n"
    '        mul: "f32[16, 10]" = torch.ops.aten.mul.Tensor(arg0_1, 3.14)\n        return (mul,)\n'
)


LATER = [NODES[2] | {"seq": 3, "inputs": [0]}, NODES[4] | {"inputs": [1], "parts": ["op0"], "group": ["cpu", "8"]}]

SHOWN = {"joint": "bbbb"}

WRITTEN = (
    "k = async_compile.cpp_pybinding(['float*'], r'''\nvoid kernel() {}\n''')\n"
    "        # [Provenance debug handles] k:1\n        k(arg0_1)\n"
)


class Entry(NamedTuple):
    """One event. `artifact`: its name stands in the standard envelope."""

    name: str
    fields: Any
    payload: Any
    compile_id: str | None = None
    artifact: bool = False

    def record(self) -> bytes:
        """The bytes of the log."""
        payload = self.payload if self.payload is None or isinstance(self.payload, str) else json.dumps(self.payload)
        name = "artifact" if self.artifact else self.name
        return record(name, self.fields, payload, **(ids(self.compile_id) if self.compile_id else {}))


def artifact(name: str, payload: Any, compile_id: str | None = None) -> Entry:
    return Entry(name, {"name": name, "encoding": "json"}, payload, compile_id, artifact=True)


def ours() -> list[Entry]:
    """As our tracer writes it."""
    graph_break = {"kind": "break", "reason": REASON, "gb_type": "Data-dependent branching", "gb_id": "GB0170"}
    graph_break |= {"hints": ["a"], "context": "builtin print [...]", "frames": [frame(MAIN, 6, "run", 7, 18), LIBRARY]}
    graph_break |= {"above": [CALLER], "code": CODE, "user_error": None, "graph_nodes": 3}
    skipped = graph_break | {"kind": "frame-skipped", "reason": f"torch.compile frame skipped: run ({MAIN} line 3)"}
    skipped |= {"gb_type": "Graph break in loop", "gb_id": None, "frames": [frame(MAIN, 7, "run", 8, 20)]}
    limit = graph_break | {"kind": "recompile-limit", "reason": "recompile_limit (8)", "gb_id": None}
    failed = {"entry": "0/0", "reason": "0/0: L['sigma'] == 1.0", "parts": ["L['sigma'] == 1.0"]}
    failed |= {"frames": [frame(MAIN, 5, "run", 17, 22)], "values": [{"expression": "sigma", "old": "1.0", "new": "2"}]}
    failure = {
        "stage": "compile",
        "class": "backend-operator",
        "chain": [{"type": "a.E", "message": "no\nmeta kernel"}],
    }
    failure |= {"frames": [frame(MAIN, 8, "run", 11, 29)], "above": [CALLER], "code": CODE, "snapshot": "aaaa"}
    failure |= {
        "node": {"name": "cumsum", "target": "aten.cumsum", "frame": frame(MAIN, 8, "run")},
        "backend": "inductor",
    }
    run_pass = {"graph": "0/0/forward", "phase": "post_grad", "name": "p", "order": 1, "depth": 0, "seconds": 0.5}
    run_pass |= {"changed": True, "before": "aaaa", "after": "aaaa", "nodes_before": 9, "nodes_after": 7}
    run_pass |= {"edges_before": 9, "edges_after": 6, "custom": True, "file": MAIN, "line": 2, "function": "a.b"}
    run_pass |= {"kind": "pass", "source": None, "slot": "post_grad_custom_post_pass", "error": "E", "message": "no"}
    match = {"pattern": "p", "function": "a.p", "target": "aten.mm", "nodes": ["mm"], "created": ["t"]}
    run_pass |= {"matches": 1, "matched": [match | {"frames": [frame(MAIN, 8, "run", 11, 29)]}]}
    traced = {"graph": "0/0/joint", "phase": "aot", "name": "aot_trace", "kind": "phase", "source": "0/0/dynamo"}
    traced |= {"order": 0, "depth": 0, "seconds": 0.5, "before": "aaaa", "after": "bbbb"}
    unrun = {"slot": "pre_grad_custom_pass", "custom": True, "function": "a.b", "file": MAIN, "line": 2}
    kernels = [
        {"name": "k", "kind": "fallback", "nodes": ["mm"], "operator": "aten.cumsum", "frames": [LIBRARY, CALLER]}
    ]
    kernels[0] |= {"parts": [{"nodes": ["mm"], "frames": [0, 1]}, {"nodes": ["t"], "frames": [1]}], "handle": 1}
    none = {"name": "view", "why": "view", "of": "x", "frame": frame(MAIN, 8, "run")}
    choice = {"name": "mm", "kind": "extern", "ms": 0.25, "detail": "ALLOW_TF32=False"}
    times = {"graph": "0/0/forward", "since": 1.5, "frames": [frame(MAIN, 8, "run")]}
    times |= {"lowering": [["mm", 0, 10, 20]], "codegen": [["cpp_fused_0", None, 40, 50]]}
    measured = {"graph": "0/0/forward", "node": "mm", "kernel": None, "name": "mm", "winner": "mm", "choices": [choice]}
    fused = {"first": ["op0"], "second": ["op1"], "fused": False, "reason": "no shared data", "times": 2}
    fusion = {"graph": "0/0/forward", "nodes": {"op0": {"nodes": ["mm"], "frame": CALLER}}, "decisions": [fused]}
    cudagraph = {"graph": "0/0/forward", "what": "new-size", "reason": "cpu device", "sizes": ["8"], "graphs": 2}
    hint = {"graph": "0/0/forward", "text": "Using FallbackKernel: a", "node": "mm", "frame": frame(MAIN, 8, "run")}
    triton = {"graph": "0/0/forward", "kernel": "triton_k", "registers": 24, "spills": 0, "shared": 8, "num_warps": 2}
    triton |= {
        "source": "@triton.jit",
        "config": {"XBLOCK": 1},
        "target": "sm_90",
        "limits": ["not run"],
        "nodes": ["mm"],
    }
    ending = {"exit_code": 1, "exception": {"type": "E", "message": "m", "frames": [CALLER, frame(MAIN, 8, "run")]}}
    ending |= {"seconds": {"script": 3.0, "overhead": 0.5}, "counters": {"stats": {"unique_graphs": 4}}}
    ending |= {"calls": {"0/0/forward": 3}, "guard_lookups": {"hit": 1, "miss": 2}}
    kept = [{"id": "0/0", "dead": None}, {"id": "0/1", "dead": "x got deallocated"}]
    ending |= {"entries": [{"code": CODE, "entries": kept}]}
    counts = {"recompile": 1, "accumulated": 1}
    recompiled = {"code": CODE, "versions": 1, "above": [CALLER], "failed": [failed], "entries": kept}
    recompiled |= {"counted": counts, "limits": {"recompile": 8, "accumulated": 256}, "region": 0}
    checked = {"code": CODE, "limits": {"recompile": 8, "accumulated": 256}}
    checked |= {"guards": [{"name": "L['x']", "kind": "K", "code": ["c"], "frame": frame(MAIN, 5, "run", 4, 5)}]}
    ran = {"calls": 2, "seconds": 0.5}
    profiled = {"seconds": 1.5, "ended": None, "eager": [{"operator": "aten.mul", **ran}], "lookups": ran}
    profiled |= {"inside": [{"operator": "aten.mm", **ran}], "graphs": [{"graph": "0/0/forward", **ran}]}
    called = {"graph": "0/0/forward", "call": 2, "seconds": 0.5, "lookups": {"hit": 1, "miss": 0}}
    stages = [
        artifact(
            "compilescope_stage",
            {
                "graph": graph,
                "stage": stage,
                "position": position,
                "snapshot": SHOWN.get(stage, "aaaa"),
                "nodes": 5,
                "edges": 4,
            },
            "0/0",
        )
        for graph, stage in (("0/0/dynamo", "dynamo"), ("0/0/joint", "joint"), ("0/0/forward", "post_grad"))
        for position in ("before", "after")
    ]
    return [
        artifact("compilescope_environment", {"library_roots": [SITE], "main_file": MAIN, "torch": "2.13.0",
                                              "torch_root": f"{SITE}/torch/", "argv": ["main.py"], "depth": "full"}),
        artifact("compilescope_source", {"file": MAIN, "sha256": "", "text": SOURCE}),
        artifact("compilescope_unavailable", {"hooks": [{"hook": "h", "reason": "r", "loses": "guards"}]}),
        artifact("compilescope_log_choice", {"settings": "+dynamo", "names": [{"name": "dynamo", "kind": "component",
                                                                               "level": "DEBUG"}]}),
        artifact("compilescope_log", {"component": "dynamo", "artifact": "guards", "level": "INFO", "logger": "torch",
                                      "file": "torch/x.py", "line": 3, "time": 1.5, "bytes": 9, "message": "m",
                                      "cut": 1}, "0/0"),
        artifact("compilescope_unknown_log_name", {"place": "environment", "names": ["dynmo"], "known": ["dynamo"],
                                                   "artifacts": [], "settings": "dynmo", "by_program": True,
                                                   "exception": {"type": "ValueError", "message": "dynmo"},
                                                   "frames": [CALLER]}),
        *torchs_own(),
        artifact("compilescope_graph_break", graph_break, "0/0"),
        artifact("compilescope_graph_break", skipped, "1/0"),
        artifact("compilescope_graph_break", limit, "0/2"),
        artifact("compilescope_recompile", recompiled, "0/1"),
        artifact("compilescope_recompile", {"code": CODE, "versions": 2, "failed": [failed], "refused": True}, "0/2"),
        artifact("compilescope_lines", {"lines": {MAIN: [4, 5, 6]}}, "0/0"),
        artifact("compilescope_lines", {"lines": {MAIN: [4, 5, 6, 7, 8]}}, "0/1"),
        artifact("compilescope_guards", checked, "0/0"),
        artifact("compilescope_symbols", {"symbols": [SYMBOL]}, "0/1"),
        artifact("compilescope_snapshot", {"id": "aaaa", "nodes": NODES}, "0/0"),
        artifact("compilescope_snapshot", {"id": "bbbb", "nodes": [NODES[0] | {"input": "args[0]"}, *LATER]}, "0/0"),
        *stages,
        artifact("compilescope_pass", run_pass, "0/0"),
        artifact("compilescope_pass", traced, "0/0"),
        artifact("compilescope_unrun_pass", unrun | {"reason": "cache"}, "0/0"),
        Entry("inductor_output_code", {"filename": "/cache/code.py"}, WRITTEN, "0/0"),
        artifact(
            "compilescope_kernels",
            {"graph": "0/0/forward", "code": "code.py", "kernels": kernels, "eliminated": [none]},
            "0/0",
        ),
        Entry("chromium_event", {}, {"name": "dynamo", "ph": "B", "ts": 1e6, "tid": 0, "args": {}}, "0/0"),
        Entry("chromium_event", {}, {"name": "compile_file", "ph": "B", "ts": 2e6, "tid": 7, "args": {"what": "k"}}),
        Entry("chromium_event", {}, {"name": "compile_file", "ph": "E", "ts": 3e6, "tid": 7}),
        artifact("compilescope_times", times, "0/0"),
        artifact("compilescope_autotune", measured, "0/0"),
        artifact("compilescope_fusion", fusion, "0/0"),
        artifact("compilescope_cudagraph", cudagraph, "0/0"),
        artifact("compilescope_hint", hint, "0/0"),
        artifact("compilescope_triton", {**triton, "stages": {"ptx": "// ptx"}, "preview": False, "key": "K"}, "0/0"),
        artifact("compilescope_triton", {**triton, "stages": {"ptx": "// preview"}, "preview": True}, "0/0"),
        artifact("compilescope_triton_preview", {"graph": None, "error": "no", "limits": [], "preview": True}),
        artifact("compilescope_failure", failure, "0/1"),
        artifact("compilescope_cache", {"graph": "0/0/forward", "cache": "fx_graph", "outcome": "hit"}, "0/0"),
        artifact("compilescope_call", called),
        artifact("compilescope_profile", profiled),
        artifact("compilescope_exit", ending),
    ]  # fmt: skip


def torchs_own() -> list[Entry]:
    """What torch writes by itself."""
    stack = [{"line": 3, "name": "run", "filename": 0}]
    metrics = {"co_name": "run", "co_filename": MAIN, "co_firstlineno": 3, "has_guarded_code": True, "guard_count": 3}
    metrics |= {"entire_frame_compile_time_s": 2.0, "backend_compile_time_s": 1.0, "guard_latency_us": 3}
    metrics |= {"graph_node_count": 400, "restart_reasons": ["a"], "dynamo_config": '{"recompile_limit": 8}'}
    failing = metrics | {"fail_type": "torch._dynamo.exc.BackendCompilerFailed", "has_guarded_code": False}
    failing |= {"fail_reason": "backend='b' raised:\nTypeError: no", "fail_user_frame_filename": MAIN}
    failing |= {"fail_user_frame_lineno": 8}
    spans = [
        Entry("chromium_event", {}, {"name": name, "ph": phase, "ts": time, "tid": 1}, "0/0")
        for name in ("build_guards", "pass.post_grad_passes.p")
        for phase, time in (("B", 1.0), ("E", 2.5))
    ]
    return [
        Entry("str", [MAIN, 0], None),
        Entry("dynamo_start", {"stack": stack}, None, "0/0"),
        Entry("dynamo_start", {"stack": stack}, None, "0/1_1"),
        Entry("compilation_metrics", metrics, None, "0/0"),
        Entry("compilation_metrics", failing, None, "0/1"),
        Entry("bwd_compilation_metrics", {"backward_cumulative_compile_time_us": 5, "fail_type": "E"}, None, "0/0"),
        Entry("dynamo_error", {}, ERROR, "0/1"),
        Entry("dynamo_output_graph", {}, PRINTED, "0/0"),
        Entry("aot_forward_graph", {}, PRINTED, "0/1"),
        artifact("before_post_grad_graph", PRINTED, "0/1"),
        artifact("dynamo_graph_break_reason", LOGGED, "0/0"),
        artifact("recompile_reasons", ["0/0: tensor 'x' size mismatch at index 0. expected 8, actual 9"], "0/1"),
        Entry("torch_version", {}, {"pytorch_version": "2.13.0"}),
        Entry("dynamo_cpp_guards_str", {}, TREE, "0/0"),
        Entry("create_symbol", CREATED | {"source": "L['x'].size()[0]"}, None, "0/1"),
        Entry("create_unbacked_symbol", CREATED | {"symbol": "u0"}, None, "0/1"),
        Entry("symbolic_shape_specialization", CREATED | {"value": "4", "sources": ["L['x']"]}, None, "0/1"),
        Entry("chromium_event", {}, {"name": "automatic_dynamic", "ph": "i", "ts": 1.0, "args": CHANGE}, "0/1"),
        artifact("fx_graph_cache_hit", {"components": ["[a] gm: f", "[b] fx_kwargs[is_backward]: False"]}, "0/0"),
        artifact("fx_graph_cache_miss", {"key": "k", "components": ["[c] gm: g", "[d] n: 1"]}, "0/1"),
        Entry("guard_added_fast", {"expr": "s0 > 4", "user_stack": stack}, None, "0/1"),
        Entry("link", {"name": "profile", "url": "https://example.org/p"}, None, "0/1"),
        artifact("inductor_collective_schedule", ["torch.ops._c10d_functional.all_reduce_.default"], "0/1"),
        Entry("inductor_output_code", {"filename": "/tmp/x/abc.py"}, CALLS, "0/1"),
        artifact("inductor_provenance_tracking_node_mappings", MAPPINGS, "0/1"),
        *spans,
        *exports(),
    ]  # fmt: skip


CALLS = "# AOT ID: ['0_inference']\ntorch.ops._c10d_functional.all_reduce_.default(buf0)\n"
MAPPINGS = {"cppCodeToPost": {"cpp_fused_0:1": ["mul"]}, "postToPre": {"mul": ["x"]}, "version": 2.0}


def exports() -> list[Entry]:
    """An export that fails, and a draft."""
    user = [{"line": 6, "name": "run", "filename": 0, "loc": "if x.sum() > 0:"}]
    seen = {
        "loc": "if n > 3:",
        "locals": {"n": ["u0"], "x": "Tensor(shape: [s0])"},
        "symbols": {"s0": "L['x'].size()[0]"},
    }
    decided = {"expr": "u0 > 3", "result": "True", "expr_node_id": 7, "user_stack": user, "frame_locals": seen}
    guard = {"expr": "s0 > 4", "prefix": "eval", "expr_node_id": 8, "user_stack": user, "frame_locals": seen}
    guard |= {"symbol_to_sources": {"s0": "L['x'].size()[0]"}}
    made = {"method": "gt", "result": "u0 > 3", "result_id": 7, "arguments": ["u0", "3"], "argument_ids": [9]}
    program = f"ExportedProgram:\n    # File: {MAIN}:7 in run, code: print(x @ w)\n    y = torch.ops.n.f.default(x)\n"
    return [
        Entry("export", {}, "start!"),
        Entry("expression_created", made | {"user_stack": user}, None),
        Entry("guard_on_data_dependent_error", {"expr": "u0 > 3", "expr_id": 7}, None),
        Entry("export", {}, "start!"),
        Entry("propagate_real_tensors_provenance", decided, None),
        Entry("guard_added", guard, None),
        Entry("missing_fake_kernel", {"op": "n.f.default"}, None),
        Entry("mismatched_fake_kernel", {"op": "n.g.default", "reason": "sizes differ"}, None),
        Entry("exported_program", {}, program),
    ]
