"""Every form in which torch says why it recompiled, on real torch: what was guarded, its old and new value, the caller.

Expected values are the script's own; that a form is the one it is meant to be is checked in torch's own words of the
same run (`recompile_reasons`).
"""

import ast
import re
import sys
from pathlib import Path

import pytest
from compilescope.analysis import analyse
from compilescope.recording.reader import Recording

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="columns need Python 3.11"),
]

PROGRAM = Path(__file__).with_name("programs") / "recompile_forms.py"
ANY = object()

# What changed, the line that the finding is on (that of the `def` if not said), and what the advice names.
SAYS = {
    "dtype": ("dtype", "", r"x\.to\(torch\.float32\)"),
    "rank": ("rank", "", "unsqueeze"),
    "size": ("shape", "", "mark_dynamic.*dynamic=False|dynamic=False.*mark_dynamic"),
    "stride": ("stride", "", "contiguous"),
    "gradient": ("requires-grad", "", "training.*inference"),
    "keys": ("lazy-view", "", "resolve_neg"),
    "tensor_type": ("tensor-type", "", "same class"),
    "integer": ("number", "return x + n", "dynamic=False.*tensor"),
    "string": ("string", 'if s == "a"', "separate compiled function"),
    "number": ("number", "return x + s", r"torch\.tensor"),
    "flag": ("bool", "if on else", "per mode"),
    "shapes": ("shape-condition", "x.shape[0] > 6", "way that the code can go"),
    "kind": ("type", "x + n.level", "one type"),
    "function": ("function", "fn(x)", "function of its own"),
    "length": ("length", "len(xs)", "full size"),
    "contains": ("presence", '"mode" in d', "before the first call"),
    "optional": ("presence", '"mode" in options', "same keywords"),
    "has_attribute": ("presence", "hasattr(b", "before the first call"),
    "key": ("missing", "", "before the first call"),
    "grad_mode": ("grad-mode", "", "training.*inference"),
    "deterministic": ("deterministic", "", "once, before the first call"),
    "autocast": ("autocast", "", "same way for each call"),
    "default_dtype": ("default-dtype", "", "dtype=|before the first call"),
    "duplicates": ("aliases", "", "clone"),
    "plus": ("backend", "", "isolate_recompiles"),
    "gone": ("gone", "", "reference"),
    "default_device": ("default-device", "", "device="),
    "training": ("training", "if self.training", "expected"),
    "closure": ("closure", "return x + n", "argument"),
    "global_value": ("global", "x + RATE", "outside"),
    "order": ("keys", "for name in d", "same order"),
    "attribute": ("attribute", "n.level", "tensor"),
    "class_attribute": ("attribute", "n.scale", "tensor"),
    "nested": ("attribute", "level", "tensor"),
    "nothing": ("none", "y is None", "None"),
    "module_value": ("module-integer", "self.rate", "allow_unspec_int_on_nn_module"),
    "device": ("device", "", r'to\("cpu"\)'),
    "inference": ("inference-tensor", "", r"torch\.inference_mode"),
    "subclass": ("tensor-type", "", "as_subclass"),
    "arguments": ("arguments", "len(more)", "stack"),
    "keywords": ("arguments", "", "stack"),
    "longer": ("length", "sum(p)", "full size"),
    "grow": ("length", "for layer in self.layers", "full size"),
    "dynamic_int": ("number", "return x + n", "expected"),
    "dynamic_shape": ("shape", "", "mark_dynamic"),
    "one_size": ("zero-one", "x + 1", "mark_unbacked"),
    "piece": ("break-result", "x[:n]", "goes when the graph break"),
    "member": ("object", "Colour.RED", "same object"),
    "to_none": ("none", "mask", "None"),
    "type_list": ("type", "xs[0]", "one type"),
    "modes": ("modes", "", "same modes"),
    "device_change": ("default-device", "", "device="),
    "threads": ("threads", "", "before the first call"),
    "autocast_dtype": ("autocast", "", "same way for each call"),
    "callback": ("closure", "x + k", "argument"),
    "step": ("optimizer", "optimizer.step()", r"lr=torch\.tensor"),
    "condition": ("shape-condition", "x.shape[0] % 2", "way that the code can go"),
    "channels": ("stride", "", "memory_format"),
    "library": ("shape", "run_linear(ones(4", "dynamic=False"),
    "thrice": ("shape", "", "dynamic=False"),
    "storm": ("shape", "", "dynamic=False"),
}
FORMS = {
    # function: (torch's words, or each version's; expression, old, new)
    "dtype": ("dtype mismatch", "x dtype", "Float", "Double"),
    "rank": ("rank mismatch", "x rank", "1", "2"),
    "size": ("size mismatch at index 1", "x size at index 1", "3", "4"),
    "stride": ("stride mismatch at index 0", "x stride at index 0", "4", "1"),
    "gradient": ("requires_grad mismatch", "x requires_grad", "False", "True"),
    "keys": ("dispatch key set mismatch", "x dispatch key set", ANY, ANY),
    "tensor_type": ("expected type of", "type(x)", "torch.Tensor", "torch.nn.parameter.Parameter"),
    "integer": ("n == 2", "n", "2", "3"),
    "string": ("s == 'a'", "s", "'a'", "'b'"),
    "number": ("s == 1.5", "s", "1.5", "2.5"),
    "flag": ("on == True", "on", "True", "False"),
    "shapes": ("2 <= x.size()[0] <= 6", "x.size()[0]", None, "8"),
    "kind": ("check_type_id", "type(n)", "__main__.Loud", "__main__.Other"),
    "function": ("check_obj_id", "fn", "another function", "<function two>"),
    "length": ("len(xs) == 2", "len(xs)", "2", "3"),
    "contains": ("dict_contains('mode'", "'mode' in d", "False", "True"),
    "has_attribute": ("hasattr(", "'extra' in b", "False", "True"),
    "key": ("KeyError on", "d['k']", "there", "missing"),
    "grad_mode": ("GLOBAL_STATE changed: grad_mode", "torch.is_grad_enabled()", "True", "False"),
    "deterministic": ("deterministic_algorithms", "torch.are_deterministic_algorithms_enabled()", "False", "True"),
    "autocast": (("autocast(cpu)_enabled", "changed: autocast "), 'torch.is_autocast_enabled("cpu")', "False", "True"),
    "default_dtype": ("default_dtype", "torch.get_default_dtype()", "torch.float32", "torch.float64"),
    "duplicates": ("Duplicate tensors found", "x, y", "different tensors", "the same tensor"),
    "plus": ("BACKEND_MATCH failure", "backend", "first", "second"),
    "gone": ("got deallocated", "type(k)", "alive", "gone"),
    "default_device": (("torch_function_mode_stack", "CURRENT_DEVICE == None"), "default device", "None", "cpu"),
    "training": ("self.training == True", "self.training", "True", "False"),
    "closure": ("n == 1", "n", "1", "5"),
    "global_value": ("RATE", "RATE", "1", "7"),
    "order": ("list(dict.keys(d))[0] == 'a'", "list(dict.keys(d))[0]", "'a'", "'b'"),
    "attribute": ("n.level == 1", "n.level", "1", "4"),
    "class_attribute": ("['scale'] == 2", "n.scale", "2", "9"),
    "nested": ("d['a'][1].level == 3", "d['a'][1].level", "3", "6"),
    "nothing": ("y is None", "y", "None", "<__main__.Loud>"),
    "module_value": ("self.rate == 2", "self.rate", "2", "3"),
    "device": ("dispatch key set mismatch", "x dispatch key set", ANY, ANY),
    "inference": ("dispatch key set mismatch", "x dispatch key set", ANY, ANY),
    "subclass": ("expected type of", "type(x)", "torch.Tensor", "__main__.Sub"),
    "arguments": ("len(more) == 1", "len(more)", "1", "2"),
    "keywords": ("len(more) != 1", "len(more)", "1", "2"),
    "longer": ("len(p) == 2", "len(p)", "2", "3"),
    "grow": ("len(self._modules['layers']._modules) != 1", ANY, "1", "2"),
    "dynamic_int": ("n == 2", "n", "2", "3"),
    "dynamic_shape": ("size mismatch at index 0", "x size at index 0", "2", "3"),
    "one_size": ("2 <= x.size()[0]", "x.size()[0]", None, "1"),
    "piece": ("___stack0 == 2", ANY, "2", "3"),
    "member": ("check_obj_id", "c", "another object", "Colour.BLUE"),
    "to_none": ("expected type of 'mask'", "type(mask)", "torch.Tensor", "NoneType"),
    "type_list": ("check_type_id", "type(xs)", "list", "tuple"),
    "modes": ("torch_function_mode_stack", "torch function modes", "[]", "[__main__.Mode]"),
    "device_change": ("CURRENT_DEVICE == device", "default device", "cpu", "meta"),
    "threads": ("changed: num_threads", "torch.get_num_threads()", "2", "1"),
    "autocast_dtype": ("autocast", 'torch.get_autocast_dtype("cpu")', "torch.bfloat16", "torch.float16"),
    "callback": ("cell_contents == 1", "fn.__closure__[0].cell_contents", "1", "2"),
    "step": ("param_groups[0]['lr'] == 0.1", "self.param_groups[0]['lr']", "0.1", "0.2"),
    "condition": ("(x.size()[0] % 2) == 0", "x.size()[0] % 2", "0", "1"),
    "channels": ("stride mismatch at index 1", "x stride at index 1", "16", "1"),
    "library": ("size mismatch at index 0", ANY, "3", "4"),
    "thrice": ("size mismatch at index 0", "x size at index 0", ANY, "4"),
    "storm": ("size mismatch at index 0", "x size at index 0", ANY, "4"),
}


@pytest.fixture(scope="module")
def forms(shared_runner):
    shared_runner.write("recompile_forms.py", PROGRAM.read_text(encoding="utf-8"))
    traced = shared_runner.traced("recompile_forms.py", depth="capture")
    assert traced.code == 0, traced.err
    return traced


@pytest.fixture(scope="module")
def result(forms, shared_runner):
    assert forms.events
    with Recording.open(shared_runner.folder / "recording") as recording:
        return analyse(recording)


@pytest.fixture(scope="module")
def findings(result):
    """The findings of each function's recompiles, that of the last one last."""
    found = {}
    for finding in result.findings:
        if finding.rule == "recompile":
            found.setdefault(finding.detail["function"], []).append(finding)
    return {
        name: sorted(each, key=lambda one: one.detail["recompiles"][-1]["compile_id"]) for name, each in found.items()
    }


@pytest.fixture(scope="module")
def rows(findings):
    """The recompiles as the analysis gives them, by function."""
    return {name: [row for one in each for row in one.detail["recompiles"]] for name, each in findings.items()}


def called(shared_runner, function):
    """The line that brings the new value."""
    lines = (shared_runner.folder / "recompile_forms.py").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# now {function}"))


def torchs_words(forms, function):
    """The last reasons that torch itself wrote down for a function."""
    ids = {
        (event.envelope["frame_id"], event.envelope["frame_compile_id"])
        for event in forms.events
        if event.name == "compilescope_recompile"
        and event.body["code"]["function"].startswith(CODES.get(function, function))
    }
    return [
        event.payload
        for event in forms.events
        if event.name == "recompile_reasons" and (event.envelope["frame_id"], event.envelope["frame_compile_id"]) in ids
    ]


# The code that torch compiled, and our name of it, where these are not the form's.
CODES = {"training": "forward", "module_value": "call", "grow": "forward", "piece": "torch_dynamo_resume_in_piece_at"}
CODES |= {"library": "inner", "step": "step"}
WHOLE_NAMES = {
    "training": "Net.forward",
    "module_value": "Rated.call",
    "grow": "Grown.forward",
    "step": "optimizer.step",
    "library": "Linear.forward",
}


@pytest.mark.parametrize("function", FORMS)
def test_form(forms, rows, shared_runner, function):
    words, expression, old, new = FORMS[function]
    reasons = torchs_words(forms, function)
    if function == "plus" and "BACKEND_MATCH" not in "".join(reasons):  # 2.9 has no words for it, nor the old backend
        words, old = "25/0: ", None
    words = (words,) if isinstance(words, str) else words
    assert any(one in reason for one in words for reason in reasons), reasons
    row = rows[WHOLE_NAMES.get(function, function)][-1]
    assert expression is ANY or row["expression"] == expression
    assert old is ANY or row["old"] == old
    assert new is ANY or row["new"] == new
    assert row["caller"]["line"] == called(shared_runner, function)


@pytest.mark.parametrize("function", SAYS)
def test_says_what_changed_where_and_what_to_do(findings, shared_runner, function):
    change, line, advice = SAYS[function]
    finding = findings[WHOLE_NAMES.get(function, function)][-1]
    assert finding.detail["change"] == change
    text = (shared_runner.folder / "recompile_forms.py").read_text(encoding="utf-8").splitlines()
    assert (line or f"def {function}(") in text[finding.range.start.line]
    assert re.search(advice, " ".join([finding.explanation, *finding.hints]))
    assert not re.search(r"[{}]|___\w+|\(___", " ".join([finding.detail["label"], *finding.hints]))


def test_a_recompile_that_recurs_and_is_used_again_is_information(findings):
    (used,), (storm,) = findings["thrice"], findings["storm"]
    assert (used.severity, used.count, storm.severity, storm.count) == ("information", 2, "warning", 2)
    assert (used.detail["price"]["calls"], storm.detail["price"]["calls"]) == (9, 3)
    assert (used.detail["price"]["once"], storm.detail["price"]["once"]) == (0, 2)
    assert [row["calls"] for row in used.detail["recompiles"]] == [3, 3]


def test_versions_are_those_at_the_end(findings, result):
    left = {one.function: one.entries for one in result.versions}
    for name in ("one_size", "condition"):
        first, second = findings[name]
        assert first.detail["versions"] == second.detail["versions"] == len(left[name]) == 3
    assert findings["gone"][0].detail["versions"] == len(left["gone"]) == 2


def test_key_sets_are_torch_s_words(forms, rows):
    (row,), (reason,) = rows["keys"], torchs_words(forms, "keys")
    assert f"expected {row['old']}, actual {row['new']}" in reason
    assert "Negative" in row["new"]


def test_every_recompile_of_torch_s_is_there(forms):
    own = [event for event in forms.events if event.name == "recompile_reasons"]
    ours = forms.bodies("recompile")
    assert len(own) == len(ours) >= len(FORMS)


def test_objects_of_the_program_are_asked_no_more_than_without_us(forms, shared_runner):
    plain = shared_runner.plain("recompile_forms.py")
    assert plain.code == 0, plain.err
    assert forms.out == plain.out
    counts, graphs, _ = map(ast.literal_eval, forms.out.splitlines())
    assert graphs > len(FORMS)
    assert dict(counts).get("__repr__") is None


def test_nothing_failed_in_the_tracer(forms):
    assert forms.bodies("unavailable") == []


def test_a_dead_version_says_why(forms, rows):
    (row,) = rows["gone"]
    (entry,) = row["entries"]
    assert entry["dead"].startswith("Cache line invalidated because")
    assert any(entry["dead"] in reason for reason in torchs_words(forms, "gone"))


def test_versions_left_at_the_end_are_torch_s(forms):
    (end,) = forms.bodies("exit")
    left = {one["code"]["function"]: [entry["id"] for entry in one["entries"]] for one in end["entries"]}
    listed = ast.literal_eval(forms.out.splitlines()[2])
    assert {name: left[name] for name in listed} == listed
    assert len(listed["size"]) == len(listed["plus"]) == 2
