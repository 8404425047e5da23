"""What is said of recompiles: every kind of guard that torch writes, storms and their price, limits, old logs."""

from __future__ import annotations

import re

import pytest
from compilescope.analysis import price
from compilescope.analysis.changes import change
from compilescope.analysis.data import load
from compilescope.analysis.shown_values import shown_pair
from compilescope.analysis.torch_text import failed

from .made import Made, frame

SOURCE = """\
import torch

@torch.compile
def run(x, scale):
    x = x * scale
    return x

run(1, 2)
"""
CODE = frame("/app/main.py", 3, "run")
CALLER = frame("/app/main.py", 8, "<module>")
CPU, META = "DispatchKeySet(CPU, BackendSelect, AutogradCPU)", "DispatchKeySet(Meta, BackendSelect, AutogradMeta)"

# As torch 2.6 to 2.14 word them (torch/_dynamo/guards.py, torch/csrc/dynamo/guards.cpp).
GUARDS = {
    "tensor 'x' size mismatch at index 0. expected 2, actual 3": ("shape", "size of `x` in dimension 0"),
    "tensor 'x' Tensor device index mismatch. Expected device index to be 0, actual 1": ("device", "device of `x`"),
    f"tensor 'x' dispatch key set mismatch. expected {CPU}, actual {META}": ("device", "device of `x`"),
    "tensor 'x' dtype mismatch. expected Half, actual BFloat16": ("dtype", "dtype of `x`"),
    "tensor '___stack0' size mismatch at index 0. expected 2, actual 3": ("break-result", None),
    "___check_type_id(L['x'], 94808001887936), type=<class 'int'>": ("type", "type of `x`"),
    "___check_type_id(L['x'], 94808001887936)": ("type", "type of `x`"),
    "___check_obj_id(L['fn'].__code__, 139721), type=<class 'code'>": ("function", "which function `fn` is"),
    "CodeGuardAccessor: Not a function on L['fn'].__code__": ("function", "which function `fn` is"),
    "object.__getattribute__(L['args'][0].config, 'kind') is None": ("none", "`args[0].config.kind is None`"),
    "___check_obj_id(L['self'].mode, 7685)": ("object", "which object `self.mode` is"),
    "not ___dict_contains('mode', L['d'])": ("presence", "whether `d` has `'mode'`"),
    "hasattr(L['b'], 'extra')": ("presence", "whether `b` has `'extra'`"),
    "len(L['xs']) == 2": ("length", "`len(xs) == 2`"),
    "len(L['xs']) != 2": ("length", "`len(xs) == 2`"),
    "not L['cache'].keys": ("length", "`not cache.keys`"),
    "list(dict.keys(L['d']))[0] == 'a'": ("keys", None),
    "GLOBAL_STATE changed: grad_mode autocast": ("grad-mode", None),
    "GLOBAL_STATE changed: torch_function": ("global-state", "a global setting of torch"),
    "GLOBAL_STATE changed: ": ("global-state", None),
    "L['self'].training == True": ("training", None),
    "L['x'] is None": ("none", "`x is None`"),
    "G['calls'] == 0": ("global", "`calls == 0`"),
    "L['n'] == 2": ("number", "`n == 2`"),
    "L['n'] == 'a'": ("string", None),
    "L['on'] == True": ("bool", None),
    "L['a'].level == 1": ("attribute", None),
    "L['s'].stop == 2": ("number", None),
    "2 <= L['x'].size()[0]": ("zero-one", "`2 <= x.shape[0]`"),
    "(L['x'].size()[0] % 2) == 0": ("shape-condition", "`(x.shape[0] % 2) == 0`"),
    "0 <= L['n'] < 3": ("range", None),
    "KeyError on L['d']['k']": ("missing", "whether `d['k']` is there"),
    "Cache line invalidated because L['k'] got deallocated": ("gone", "whether `k` still exists"),
    'Duplicate tensors found: ["x", "y"]': ("aliases", None),
    "L['self']._forward_hooks == {}": ("hooks", None),
    "": ("other", "a check"),
    "???": ("other", "`???`"),
}


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


@pytest.mark.parametrize("guard", GUARDS)
def test_each_guard_has_a_kind_and_a_check_in_words(guard):
    kind, check = GUARDS[guard]
    found = change(failed(f"0/0: {guard}")[1])
    assert found.kind == kind
    assert check is None or found.check == check
    assert kind == "other" or kind in load("guards")["kinds"]


def test_every_kind_has_its_words_and_advice():
    for kind, entries in load("guards")["kinds"].items():
        for entry in entries:
            assert entry["label"], kind
            assert entry["explanation"], kind
            assert entry.get("hints") or kind == "tensor", kind
        assert not entries[-1].get("needs"), f"{kind}: the last entry holds always"


def storm(made, calls, latency=None):
    """Three sizes, each compiled anew; how often each version ran."""
    times = {} if latency is None else {"guard_latency_us": latency}
    made.compiled("0/0", "run", 3, 1.0, **times)
    for number in (1, 2):
        made.compiled(f"0/{number}", "run", 3, 0.5, **times)
        part = f"tensor 'L['x']' size mismatch at index 0. expected {number}, actual {number + 1}"
        made.recompile(f"0/{number}", CODE, part, above=[CALLER], versions=number)
    made.event("compilescope_exit", {"calls": {f"0/{number}/forward": count for number, count in enumerate(calls)}})
    (finding,) = made.findings("recompile")
    return finding


def test_a_storm_is_a_warning_with_its_price(made):
    finding = storm(made, [4, 1, 1], 100.0)
    assert finding.severity == "warning"
    assert finding.detail["price"] == {"recompile_s": 1.0, "calls": 6, "guard_s": 0.0006, "once": 2}
    words = price.told(finding.detail["price"], finding.count)
    assert words == (
        "2 compiles took 1.00 s, and none of these versions was used again. "
        "Checking guards took about 0.6 ms in 6 calls."
    )


@pytest.mark.parametrize(("variable", "last"), [(2, 4), (2, 1), (1, 4)])
def test_one_dimension_after_another_became_variable(made, variable, last):
    """Each recompile made one more dimension variable, and the last version served the rest."""
    made.compiled("0/0", "run", 3)
    for number in (1, 2):
        made.compiled(f"0/{number}", "run", 3)
        open_now = [
            {"symbol": f"s{one}", "sources": [f"L['x'].size()[{one}]"], "value": "4", "why": "automatic"}
            for one in range(min(number, variable))
        ]
        made.event("compilescope_symbols", {"symbols": open_now}, f"0/{number}")
        part = f"tensor 'L['x']' size mismatch at index {number - 1}. expected 2, actual 4"
        made.recompile(f"0/{number}", CODE, part, above=[CALLER], versions=number)
    made.event("compilescope_exit", {"calls": {"0/0/forward": 1, "0/1/forward": 1, "0/2/forward": last}})
    (finding,) = made.findings("recompile")
    assert (finding.severity == "information") == ((variable, last) == (2, 4))


def test_versions_that_are_used_again_are_the_cache_doing_its_job(made):
    finding = storm(made, [4, 2, 3])
    assert finding.severity == "information"
    assert finding.detail["price"] == {"recompile_s": 1.0, "calls": 9, "once": 0}
    assert [row["calls"] for row in finding.detail["recompiles"]] == [2, 3]


def test_nothing_is_said_of_calls_that_were_not_counted(made):
    finding = storm(made, [])
    assert finding.severity == "warning"
    assert finding.detail["price"] == {"recompile_s": 1.0}
    assert "calls" not in finding.detail["recompiles"][0]
    assert price.told(finding.detail["price"], 2) == "2 compiles took 1.00 s."


def test_static_shapes_are_told_from_torch_s_own_configuration(made):
    made.compiled("0/1", "run", 3, dynamo_config='{"automatic_dynamic_shapes": false}')
    made.recompile("0/1", CODE, "tensor 'L['x']' size mismatch at index 0. expected 2, actual 3")
    (finding,) = made.findings("recompile")
    assert finding.detail["change"] == "shape"
    assert "dynamic=False" in finding.hints[0]
    assert any("mark_dynamic(x, 0)" in hint for hint in finding.hints)


def test_findings_of_one_function_name_the_same_versions(made):
    made.recompile("0/1", CODE, "tensor 'L['x']' dtype mismatch. expected Float, actual Double", versions=1)
    made.recompile("0/2", CODE, "L['scale'] == 1.0", versions=2)
    assert [one.detail["versions"] for one in made.findings("recompile")] == [3, 3]


def test_the_limit_advises_what_the_recompiles_need_and_how_to_raise_it(made):
    for number in (1, 2):
        part = "tensor 'L['x']' dtype mismatch. expected Float, actual Double"
        made.recompile(f"0/{number}", CODE, part, versions=number, refused=number == 2)
    (limit,) = made.findings("recompile-limit")
    assert "x.to(torch.float32)" in limit.hints[0]
    assert "recompile_limit = 4" in limit.hints[-1]


def test_the_limit_has_the_name_that_the_torch_of_the_run_knows(made):
    made.compiled("0/0", "run", 3, dynamo_config='{"cache_size_limit": 8, "accumulated_cache_size_limit": 256}')
    part = "tensor 'L['x']' dtype mismatch. expected Float, actual Double"
    made.recompile("0/8", CODE, part, versions=8, refused=True)
    (limit,) = made.findings("recompile-limit")
    assert "`torch._dynamo.config.cache_size_limit = 16` raises the limit" in limit.hints[-1]
    assert "recompile_limit" not in limit.hints[-1]


def test_a_library_s_function_is_on_the_user_s_call(made):
    library = frame("/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py", 130, "forward")
    made.recompile("0/1", library, "tensor 'L['input']' size mismatch at index 0. expected 2, actual 3", above=[CALLER])
    (finding,) = made.findings("recompile")
    assert (finding.file, finding.range.start.line) == ("/app/main.py", 7)
    assert finding.detail["function"] == "run"
    assert not any("input" in hint for hint in finding.hints)


def test_sets_of_keys_show_what_differs():
    assert shown_pair(CPU, META) == ("CPU, AutogradCPU", "Meta, AutogradMeta")
    assert shown_pair(CPU, CPU.replace("CPU,", "CPU, Negative,", 1)) == ("none", "Negative")
    assert shown_pair(None, "3") == ("?", "3")
    assert shown_pair(None, None) is None


def test_values_of_a_recording_do_not_fill_texts(made):
    values = [{"expression": "{name}", "old": "{count}", "new": "{0.__class__}"}]
    made.recompile("0/1", CODE, "L['scale'] == 1.0", values=values)
    (finding,) = made.findings("recompile")
    assert re.search(r"\{count\}|is compiled in", finding.detail["label"])


def size_or_number(made):
    """A number that is variable after one recompile, then a call with another size, 0/2, that is to be compiled."""
    tensor = (
        "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), torch.float32, "
        "device=None, requires_grad=False, size=[3, 8], stride=[8, 1])"
    )
    for number, check in enumerate(("L['scale'] == 0.0", "___check_type_id(L['scale'], 1), type=<class 'float'>")):
        made.compiled(f"0/{number}", "run", 3)
        guards = [{"name": "", "kind": "", "code": [code], "frame": None} for code in (check, tensor)]
        made.event("compilescope_guards", {"code": CODE, "guards": guards, "latency_us": None}, f"0/{number}")
    failing = {"frames": [], "values": [{"expression": "scale", "old": "0.0", "new": "1.0"}]}
    made.recompile("0/1", CODE, "L['scale'] == 0.0", **failing)
    size = "tensor 'L['x']' size mismatch at index 1. expected 8, actual 9"
    versions = [
        {"entry": "0/1", "reason": f"0/1: {size}", "parts": [size], "frames": [], "values": []},
        {"entry": "0/0", "reason": "0/0: scale == 0.0", "parts": ["L['scale'] == 0.0"], "frames": []}
        | {"values": [{"expression": "scale", "old": "0.0", "new": "11.0"}]},
    ]
    made.recompile("0/2", CODE, "", failed=versions)
    made.compiled("0/2", "run", 3, has_guarded_code=False, guard_count=None, graph_node_count=None)


def test_a_recompile_that_failed_is_laid_to_the_version_that_differs_least(made):
    size_or_number(made)
    number, size = sorted(made.findings("recompile"), key=lambda one: one.compile_ids)
    assert (number.compile_ids, size.compile_ids) == (["0/1"], ["0/2"])
    assert number.severity == "information"
    assert "made it variable" in number.detail["label"]
    (row,) = size.detail["recompiles"]
    assert (row["check"], row["old"], row["new"]) == ("size of `x` in dimension 1", "8", "9")


def test_a_recompile_that_failed_does_not_say_that_its_graph_serves_other_sizes(made):
    size_or_number(made)
    at = frame("/app/main.py", 5, "run", 8, 17)
    chain = [{"type": "TorchRuntimeError", "message": "a and b must have same reduction dim"}]
    failure = {"stage": "capture", "class": None, "chain": chain, "frames": [at], "above": [CALLER], "code": CODE}
    made.event("compilescope_failure", failure, "0/2")
    _, size = sorted(made.findings("recompile"), key=lambda one: one.compile_ids)
    assert "failed on line 5" in size.explanation
    assert "serves" not in size.explanation
    assert not any("mark_dynamic" in hint for hint in size.hints)


BRANCH = """\
import torch

@torch.compile
def run(x):
    h = x + 1
    if h.mean().item() > 0.5:
        h = h * 0.5
    h = h.abs()
    return h
"""


@pytest.mark.parametrize(("gone_through", "line"), [([8, 9], 8), ([7, 8, 9], 7), (None, 7)])
def test_what_a_piece_is_checked_for_is_on_a_line_that_it_went_through(tmp_path, gone_through, line):
    made = Made(tmp_path, BRANCH)
    piece = frame("/app/main.py", 6, "torch_dynamo_resume_in_run_at_6")
    made.compiled("1/1", piece["function"], 6)
    if gone_through is not None:
        made.event("compilescope_lines", {"lines": {"/app/main.py": gone_through}}, "1/1")
    made.recompile("1/1", piece, "tensor 'L['h']' size mismatch at index 0. expected 8, actual 6")
    (finding,) = made.findings("recompile")
    assert finding.range.start.line + 1 == line


KEPT = """\
import torch

@torch.compile
def run(x, log):
    log.append(float(x.max()))
    return x + 1
"""


@pytest.mark.parametrize(
    ("value", "about"),
    [("___stack0", "the method log.append kept across the break"), ("___stack1", "result of line 5")],
)
def test_a_method_kept_on_the_stack_is_not_the_result_of_its_argument(tmp_path, value, about):
    made = Made(tmp_path, KEPT)
    made.graph_break("0/0", [frame("/app/main.py", 5, "run", 15, 29)], code=CODE)
    made.compiled("1/1", "torch_dynamo_resume_in_run_at_5", 5)
    piece = frame("/app/main.py", 5, "torch_dynamo_resume_in_run_at_5")
    made.recompile("1/1", piece, f"L['{value}'] == 1.5")
    (finding,) = made.findings("recompile")
    assert finding.detail["recompiles"][0]["guard"] == f"{about} == 1.5"
    assert ("log.append" in finding.detail["label"]) == (value == "___stack0")


def test_library_code_without_the_call_that_led_to_it_has_its_own_name(made, tmp_path):
    file = tmp_path / "site-packages" / "torch" / "_dynamo" / "external_utils.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "import functools\n\n\ndef wrap(fn):\n    @functools.wraps(fn)\n    def inner(x):\n        return fn(x)\n"
    )
    code = frame(str(file), 5, "inner")
    made.recompile("1/1", code, "tensor 'x' size mismatch at index 0. expected 3, actual 2")
    (finding,) = made.findings("recompile")
    assert finding.title == "`inner` was recompiled once"
