"""Every form in which torch says why it recompiled, on real torch: what was guarded, its old and new value, the caller.

Expected values are the script's own; that a form is the one it is meant to be is checked in torch's own words of the
same run (`recompile_reasons`).
"""

import ast
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
}


@pytest.fixture(scope="module")
def forms(shared_runner):
    shared_runner.write("recompile_forms.py", PROGRAM.read_text(encoding="utf-8"))
    traced = shared_runner.traced("recompile_forms.py", depth="capture")
    assert traced.code == 0, traced.err
    return traced


@pytest.fixture(scope="module")
def rows(forms, shared_runner):
    """The recompiles as the analysis gives them, by function."""
    assert forms.events
    with Recording.open(shared_runner.folder / "recording") as recording:
        result = analyse(recording)
    found = {}
    for finding in result.findings:
        for row in finding.detail.get("recompiles", ()):
            found.setdefault(finding.detail["function"], []).append(row)
    return found


def called(shared_runner, function):
    """The line that brings the new value."""
    lines = (shared_runner.folder / "recompile_forms.py").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# now {function}"))


def torchs_words(forms, function):
    """The last reasons that torch itself wrote down for a function."""
    ids = {
        (event.envelope["frame_id"], event.envelope["frame_compile_id"])
        for event in forms.events
        if event.name == "compilescope_recompile" and event.body["code"]["function"] == NAMES.get(function, function)
    }
    return [
        event.payload
        for event in forms.events
        if event.name == "recompile_reasons" and (event.envelope["frame_id"], event.envelope["frame_compile_id"]) in ids
    ]


NAMES = {"training": "forward", "module_value": "call"}
WHOLE_NAMES = {"training": "Net.forward", "module_value": "Rated.call"}


@pytest.mark.parametrize("function", FORMS)
def test_form(forms, rows, shared_runner, function):
    words, expression, old, new = FORMS[function]
    reasons = torchs_words(forms, function)
    if function == "plus" and "BACKEND_MATCH" not in "".join(reasons):  # 2.9 has no words for it, nor the old backend
        words, old = "25/0: ", None
    words = (words,) if isinstance(words, str) else words
    assert any(one in reason for one in words for reason in reasons), reasons
    row = rows[WHOLE_NAMES.get(function, function)][-1]
    assert row["expression"] == expression
    assert old is ANY or row["old"] == old
    assert new is ANY or row["new"] == new
    assert row["caller"]["line"] == called(shared_runner, function)


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
