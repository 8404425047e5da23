"""What is passed to torch's own wrappers, in the program's words, and which versions a recompile is laid to."""

from __future__ import annotations

import pytest
from compilescope.analysis import changes
from compilescope.analysis.facts import Failed

from tests.unit.analysis.made import SITE, Made, frame

MAIN = "/app/main.py"
SOURCE = """\
import torch
fast = torch.compile(torch.nn.Linear(8, 8))
fast(batch)
fast(torch.randn(3, 8))
fast(*many)
opt.step(closure)
"""
INNER = {"file": f"{SITE}/torch/_dynamo/external_utils.py", "line": 68, "function": "inner"}
WRAPPER = {"file": f"{SITE}/torch/optim/optimizer.py", "line": 502, "function": "wrapper"}
SIZE = "tensor 'L['args'][0]' size mismatch at index 0. expected 2, actual 3"
CALLS = {
    3: frame(MAIN, 3, "<module>", 0, 11),
    4: frame(MAIN, 4, "<module>", 0, 23),
    5: frame(MAIN, 5, "<module>", 0, 11),
    6: frame(MAIN, 6, "<module>", 0, 17),
}
LINEAR = "class Linear:\n    def forward(self, input):\n        return input\n"


@pytest.fixture
def made(tmp_path):
    made = Made(tmp_path, SOURCE)
    made.event("compilescope_source", {"file": f"{SITE}/torch/nn/modules/linear.py", "sha256": "", "text": LINEAR})
    made.torch_event("compilation_metrics", {"co_name": "inner", "co_filename": INNER["file"], "co_firstlineno": 68},
                     "0/1")  # fmt: skip
    calls = {"function": "Linear.forward", "file": f"{SITE}/torch/nn/modules/linear.py", "line": 2}
    made.event("compilescope_guards", {"code": INNER, "calls": calls, "guards": []}, "0/1")
    return made


@pytest.mark.parametrize(
    ("line", "name", "columns"), [(3, "batch", (5, 10)), (4, "input", (5, 22)), (5, "input", (0, 11))]
)
def test_an_argument_of_a_module_that_is_compiled_by_itself(made, line, name, columns):
    made.recompile("0/1", INNER, SIZE, above=[CALLS[line]])
    (finding,) = made.findings("recompile")
    assert f"size 2 of `{name}` in dimension 0" in finding.detail["label"]
    assert any(f"mark_dynamic({name}, 0)" in hint for hint in finding.hints)
    assert (finding.range.start.line + 1, finding.range.start.character, finding.range.end.character) == (
        line,
        *columns,
    )
    (row,) = finding.detail["recompiles"]
    assert "args[0]" not in row["guard"] + row["check"]


def test_another_class_in_the_wrapper_that_modules_share(made):
    values = [{"expression": "type(fn)", "new": "torch.nn.modules.linear.Linear",
               "old": "<class 'torch.nn.modules.container.Sequential'> (HINT: type Sequential)"}]  # fmt: skip
    made.recompile("0/1", INNER, "___check_type_id(L['fn'], 94389468088272)", values=values, above=[CALLS[3]])
    (finding,) = made.findings("recompile")
    assert finding.detail["change"] == "wrapper"
    assert "`fast`, a Linear, runs through the same wrapper of torch's as the Sequential" in finding.detail["label"]


def test_another_optimizer_in_the_wrapper_that_they_share(made):
    values = [{"expression": "args[0]", "old": "another object", "new": "<torch.optim.sgd.SGD>"}]
    made.recompile("0/1", WRAPPER, "___check_obj_id(L['args'][0], 140488)", values=values, above=[CALLS[6]])
    (finding,) = made.findings("recompile")
    assert finding.detail["change"] == "wrapper"
    assert finding.detail["label"].startswith("`opt` runs through the same wrapper")


def test_versions_of_another_backend_are_not_blamed(made):
    code = {"file": MAIN, "line": 1, "function": "run"}
    parts = [
        "BACKEND_MATCH failure: torch.compile detected different backend callables.",
        SIZE.replace("args'][0", "x"),
    ]
    failed = [{"entry": f"0/{index}", "reason": f"0/{index}: {part}", "parts": [part], "frames": [], "values": []}
              for index, part in enumerate(parts)]  # fmt: skip
    event = {"code": code, "versions": 2, "above": [], "refused": False, "failed": failed}
    made.event("compilescope_recompile", event, "0/2")
    (finding,) = made.findings("recompile")
    assert finding.detail["change"] == "shape"


@pytest.mark.parametrize(
    ("at_limit", "raises"), [("eager", False), ("raises by fullgraph", True), ("raises by config", True), (7, False)]
)
def test_a_recompile_says_what_comes_at_the_limit(made, at_limit, raises):
    made.recompile("0/1", {"file": MAIN, "line": 1, "function": "run"}, "L['n'] == 1", at_limit=at_limit)
    (finding,) = made.findings("recompile")
    assert bool(finding.detail.get("raises")) is raises


@pytest.mark.parametrize(("at_limit", "because"), [("fullgraph", "fullgraph=True"), ("config", "recompile_limit_hit")])
def test_a_limit_that_raises_says_why(made, at_limit, because):
    code = {"file": MAIN, "line": 1, "function": "run"}
    made.recompile("0/1", code, "L['n'] == 1", refused=True, at_limit=f"raises by {at_limit}")
    (finding,) = made.findings("recompile-limit")
    assert because in finding.explanation
    assert "raises" in finding.detail["label"]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [("{'b', 'a'}", "<set of 3>", "elements"), ("{'a'}", "{'b'}", "elements"), ("{'a': 1}", "<dict of 2>", "type")],
)
def test_sets_are_told_by_their_elements(old, new, kind):
    part = f"L['names'] == {old}"
    assert changes.change(Failed(part, part, expression="names", old=old, new=new)).kind == kind
