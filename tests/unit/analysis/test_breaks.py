"""Graph breaks of recordings made by hand: what is one finding, what it caused, and what it says."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from compilescope.analysis import classify, data

from tests.unit.analysis.made import SITE, Made, frame

MAIN = "/app/main.py"
SOURCE = """\
import torch

@torch.compile
def run(x, y):
    a = x[0].item() + x[1].item()
    for one in x:
        a = a + one.tolist()
    return x * a

class Box:
    def total(self): return self.x.sum().item()

def outer(box):
    return box.total() + 1
"""
CODE = {"file": MAIN, "line": 3, "function": "run"}
FIRST, SECOND = frame(MAIN, 5, "run", 8, 19), frame(MAIN, 5, "run", 22, 33)
ITEM = {"gb_type": "Unsupported Tensor.item() call with capture_scalar_outputs=False", "gb_id": "GB0124"}
OTHER = {"gb_type": "Failed to trace builtin operator", "gb_id": "GB0059"}
RESUMED = "torch_dynamo_resume_in_run_at_5"
UNRESUMABLE = (
    "Encountered graph break that we cannot resume from. Compiling up to the previous resumable state, then skipping "
    "the rest of the function. Graph break encountered:\n\nx"
)
REGISTRY = data.load("registry")["kinds"]


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


def columns(finding):
    return finding.range.start.character, finding.range.end.character


def by_column(findings):
    return sorted(findings, key=columns)


def test_breaks_of_one_kind_at_two_columns_are_two_findings(made):
    made.compiled("0/0", "run", 3, 1.0)
    made.graph_break("0/0", [FIRST], code=CODE, **ITEM)
    made.compiled("1/0", RESUMED, 5, 0.5)
    made.graph_break("1/0", [SECOND], code=CODE, **ITEM)
    made.compiled("2/0", RESUMED, 5, 0.25)
    first, second = by_column(made.findings("graph-break"))
    assert (columns(first), columns(second)) == ((8, 19), (22, 33))
    assert (first.count, second.count) == (1, 1)
    assert (first.detail["resumed"], second.detail["resumed"]) == (["1/0"], ["2/0"])
    assert (first.cost_s, second.cost_s) == (0.5, 0.25)


def test_retries_and_recompiles_of_one_cause_are_one_finding(made):
    made.compiled("0/0", "run", 3)
    made.graph_break("0/0", [FIRST], code=CODE, **ITEM)
    made.graph_break("0/0_1", [FIRST], code=CODE, **ITEM)
    made.compiled("1/0", RESUMED, 5)
    made.compiled("0/1", "run", 3)
    made.graph_break("0/1", [FIRST], code=CODE, **ITEM)
    (finding,) = made.findings("graph-break")
    assert (finding.count, finding.compile_ids) == (2, ["0/0", "0/1"])
    assert finding.detail["resumed"] == ["1/0"]


def test_a_break_without_columns_is_one_with_that_on_its_line(made):
    made.graph_break("0/0", [frame(MAIN, 5, "run")], code=CODE, **ITEM)
    made.graph_break("0/1", [FIRST], code=CODE, **ITEM)
    (finding,) = made.findings("graph-break")
    assert (finding.count, columns(finding)) == (2, (8, 19))


def test_two_kinds_on_a_line_do_not_share_what_they_caused(made):
    made.compiled("0/0", "run", 3)
    made.graph_break("0/0", [FIRST], code=CODE, **ITEM)
    made.compiled("1/0", RESUMED, 5, 0.5)
    made.graph_break("1/0", [FIRST], code=CODE, **OTHER)
    made.compiled("2/0", RESUMED, 5, 0.25)
    findings = {one.code: one for one in made.findings("graph-break")}
    assert findings["GB0124"].detail["resumed"] == ["1/0"]
    assert findings["GB0059"].detail["resumed"] == ["2/0"]


def test_ids_used_again_after_a_reset_are_not_what_a_break_caused(made):
    made.compiled("0/0", "run", 3)
    made.graph_break("0/0", [FIRST], code=CODE, **ITEM)
    made.compiled("1/0", RESUMED, 5, 0.5)
    made.compiled("0/0", "run", 3)
    made.compiled("1/0", RESUMED, 5, 0.25)
    (finding,) = made.findings("graph-break")
    assert finding.detail["resumed"] == ["1/0"]
    assert finding.cost_s == 0.5


def test_a_skip_in_a_piece_costs_nothing_more(made):
    made.compiled("0/0", "run", 3)
    made.graph_break("0/0", [FIRST], code=CODE, **ITEM)
    made.compiled("1/0", RESUMED, 5, 0.5, fail_type="torch._dynamo.exc.Unsupported", has_guarded_code=False)
    made.graph_break("1/0", [SECOND], kind="frame-skipped", code=CODE, **OTHER)
    first, second = by_column(made.findings())
    assert (first.rule, second.rule) == ("graph-break", "frame-skipped")
    assert (first.cost_s, second.cost_s) == (0.5, 0.0)


def test_a_skip_that_came_of_a_break_is_one_finding_where_it_broke(made):
    call, inside = frame(MAIN, 14, "outer", 11, 22), frame(MAIN, 11, "total", 28, 47)
    code = {"file": MAIN, "line": 13, "function": "outer"}
    made.graph_break("0/0", [call, inside], code=code, **ITEM)
    made.graph_break("0/0_1", [call], kind="frame-skipped", code=code, gb_type="Reconstruction failure", gb_id="GB0092")
    (finding,) = made.findings()
    assert (finding.rule, finding.code, finding.count) == ("frame-skipped", "GB0092", 1)
    assert (finding.range.start.line, columns(finding)) == (10, (28, 47))
    assert finding.detail["cause"] == ITEM["gb_type"]
    assert "`outer`" in finding.title
    assert "carried over" in finding.title


def test_a_frame_that_is_compiled_up_to_the_break_is_not_all_in_eager(made):
    made.compiled("0/0", "run", 3)
    made.event("compilescope_stage", {"graph": "0/0/dynamo", "stage": "dynamo", "nodes": 4, "edges": 3}, "0/0")
    made.graph_break("0/0", [FIRST], kind="frame-skipped", reason=UNRESUMABLE, code=CODE, **ITEM)
    (finding,) = made.findings()
    assert finding.detail["skipped"]["rest"] is True
    assert "`run` runs in Python from here on" in finding.title


def test_a_generator_that_is_given_up_before_its_compile_is_told_at_its_name(made):
    code, caller = {"file": MAIN, "line": 3, "function": "run"}, frame(MAIN, 14, "outer", 11, 22)
    for _ in range(2):
        made.graph_break(
            None,
            [],
            kind="frame-skipped",
            code=code,
            above=[caller],
            gb_type="Attempt to trace generator",
            gb_id="GB0003",
        )
    (finding,) = made.findings()
    assert (finding.rule, finding.count, finding.compile_ids) == ("frame-skipped", 2, [])
    assert (finding.range.start.line, columns(finding)) == (3, (4, 7))
    assert finding.detail["skipped"]["function"] == "run"
    assert "generator" in finding.title


def test_what_the_wrapper_of_an_object_calls_has_the_name(made):
    wrapper = {"file": f"{SITE}/torch/_dynamo/external_utils.py", "line": 67, "function": "inner"}
    outer = frame(wrapper["file"], 68, "inner", 8, 10)
    made.file = wrapper["file"]
    made.compiled("0/0", "inner", 67)
    calls = {"function": "Box.__call__", "file": MAIN, "line": 11}
    made.event("compilescope_guards", {"code": wrapper, "calls": calls, "guards": []}, "0/0")
    made.graph_break("0/0", [outer, frame(MAIN, 11, "total", 28, 47)], code=wrapper, **ITEM)
    made.compiled("1/0", "torch_dynamo_resume_in_inner_at_68", 68)
    made.event("compilescope_guards", {"code": {**wrapper, "line": 68}, "guards": []}, "1/0")
    result = made.result()
    assert [(one.qualname, one.file, one.line) for one in result.compiles] == [("Box.__call__", MAIN, 11)] * 2
    assert [one.resumed for one in result.compiles] == [False, True]
    assert result.findings[0].detail["function"] == "Box.__call__"


def test_without_what_the_wrapper_calls_the_first_frame_in_it_is_named(made):
    wrapper = {"file": f"{SITE}/torch/_dynamo/external_utils.py", "line": 67, "function": "inner"}
    frames = [frame(wrapper["file"], 68, "inner", 8, 10), frame(MAIN, 11, "total", 28, 47)]
    made.graph_break("0/0", frames, code=wrapper, **ITEM)
    assert made.findings()[0].detail["function"] == "Box.total"


@pytest.mark.parametrize(
    ("metrics", "nodes", "kind", "status"),
    [
        ({"has_guarded_code": True}, 4, None, "ok"),
        ({"has_guarded_code": False, "fail_type": "torch._dynamo.exc.Unsupported"}, 0, "frame-skipped", "skipped"),
        ({"has_guarded_code": False, "fail_type": "torch._dynamo.exc.Unsupported"}, 0, "error", "failed"),
        ({"has_guarded_code": False, "fail_type": "BackendCompilerFailed"}, 4, None, "failed"),
        ({"has_guarded_code": False}, 4, None, "failed"),  # interrupted: a skip is decided before there is a graph
        ({"has_guarded_code": False}, 0, None, "skipped"),
    ],
)
def test_how_a_compile_ended(made, metrics, nodes, kind, status):
    made.compiled("0/0", "run", 3, **metrics)
    made.event("compilescope_stage", {"graph": "0/0/dynamo", "stage": "dynamo", "nodes": nodes, "edges": 0}, "0/0")
    if kind is not None:
        made.graph_break("0/0", [FIRST], kind=kind, code=CODE, **ITEM)
    assert [one.status for one in made.result().compiles] == [status]


@pytest.mark.parametrize(
    ("torch_s", "kept"),
    [
        ("Please file an issue on GitHub so the PyTorch team can add support for it.", False),
        ("Set `torch._dynamo.config.capture_scalar_outputs = True` to include these.", False),
        ("Use the new thing.", True),
    ],
)
def test_torch_s_hints_that_say_nothing_more_are_left_out(made, torch_s, kept):
    made.graph_break("0/0", [FIRST], code=CODE, hints=[torch_s], **ITEM)
    assert (torch_s in made.findings()[0].hints) == kept


def test_a_kind_without_words_of_ours_has_torch_s(made):
    said = {"gb_type": "A kind that nobody knows", "gb_id": None, "explanation": "Torch says why.", "hints": ["Do it."]}
    made.graph_break("0/0", [FIRST], code=CODE, **said)
    (finding,) = made.findings()
    assert (finding.explanation, finding.hints) == ("Torch says why.", ["Do it."])
    assert finding.code == "graph-break"


@pytest.fixture(scope="module")
def every_kind(tmp_path_factory):
    """A finding for each kind in torch's registry, from breaks that say nothing but its name and place."""
    made = Made(tmp_path_factory.mktemp("kinds"), "a = f(x)\n" * len(REGISTRY))
    for line, (_, kind) in enumerate(REGISTRY.items(), 1):
        made.graph_break("0/0", [frame(MAIN, line, "run", 4, 8)], code=CODE, gb_type=kind["type"], gb_id=None)
    return {one.range.start.line: one for one in made.findings()}


@pytest.mark.parametrize(("line", "number"), list(enumerate(REGISTRY)), ids=list(REGISTRY))
def test_every_kind_says_what_it_is(every_kind, line, number):
    finding = every_kind[line]
    assert finding.title
    assert finding.detail["label"]
    assert finding.hints
    assert not re.search(r"\{\w+\}", " ".join([finding.title, finding.explanation, *finding.hints]))
    # Torch itself explains some kinds with a text of the moment alone.
    assert finding.explanation or not REGISTRY[number]["explanation"]
    if [kind["type"] for kind in REGISTRY.values()].count(REGISTRY[number]["type"]) == 1:
        assert finding.code == number
    assert finding.href == f"https://meta-pytorch.github.io/compile-graph-break-site/gb/{finding.code.lower()}.html"


def test_every_kind_has_a_class():
    classes = {kind["type"]: classify.of_break(kind["type"], None, in_library=False) for kind in REGISTRY.values()}
    assert [type_ for type_, class_ in classes.items() if class_ == "other"] == []


def test_our_kinds_are_torch_s():
    kinds = data.load("breaks")["kinds"]
    assert {number for kind in kinds for number in kind["ids"]} <= set(REGISTRY)
    for kind in kinds:
        names = [REGISTRY[number]["type"] for number in kind["ids"]]
        assert not names or any(  # without a number: errors that torch has no kind for
            re.search(kind["types"], name, re.IGNORECASE) for name in names
        ), kind["title"]


def test_the_registry_has_all_kinds_of_the_torch_here():
    found = find_spec("torch")
    own = Path(found.origin).parent / "_dynamo/graph_break_registry.json" if found else Path("none")
    if not own.is_file():
        pytest.skip("this torch has no registry")
    kinds = {versions[0]["Gb_type"] for versions in json.loads(own.read_text(encoding="utf-8")).values()}
    assert len(kinds - {kind["type"] for kind in REGISTRY.values()}) < len(kinds) / 20


FOREIGN = """\
Graph break in user code at /app/main.py:11
Graph Break Reason: {type}
  Explanation: x
  Hint: y

  Developer debug context: call_method TensorVariable() item () {{}}

 For more details about this graph break, please visit: https://meta-pytorch.github.io/gb/gb0124.html

User code traceback:
  File "/app/main.py", line 20, in <module>
    outer(Box())
  File "/app/main.py", line 14, in outer
    return box.total() + 1
  File "/app/main.py", line 11, in total
    def total(self): return self.x.sum().item()
"""


def test_a_trace_without_us_tells_as_much(tmp_path):
    made = Made(tmp_path, ours=False)
    made.compiled("0/0", "outer", 13)
    made.event("dynamo_graph_break_reason", FOREIGN.format(type=ITEM["gb_type"]), "0/0")
    made.compiled("1/0", "total", 11, 0.5)
    made.compiled("2/0", "torch_dynamo_resume_in_outer_at_14", 14, 0.25)
    (finding,) = made.findings()
    assert (finding.rule, finding.code, finding.range.start.line) == ("graph-break", "GB0124", 10)
    assert finding.detail["resumed"] == ["1/0", "2/0"]
    assert finding.cost_s == 0.75
    assert [one.function for one in finding.frames] == ["<module>", "outer", "total"]


def test_a_skipped_piece_after_a_graph_is_only_the_rest_of_its_function(made):
    made.compiled("0/0", "run", 3)
    made.graph_break("0/0", [FIRST], code=CODE, **ITEM)
    made.compiled("1/0", RESUMED, 5, has_guarded_code=False, graph_node_count=None)
    loop = frame(MAIN, 7, RESUMED, 16, 28)
    piece = {"file": MAIN, "line": 5, "function": RESUMED}
    made.graph_break(
        "1/0", [loop], kind="frame-skipped", code=piece, skip_type="graph break in loop", skip_id="GB7000", **ITEM
    )
    (finding,) = made.findings("frame-skipped")
    assert finding.detail["skipped"]["rest"] is True
    assert finding.title.endswith("`run` runs in Python from here on")
    assert "none of" not in finding.title + finding.explanation


def test_a_skipped_piece_after_no_graph_is_all_of_its_function(made):
    made.compiled("0/0", "run", 3, graph_node_count=0)
    made.graph_break("0/0", [FIRST], code=CODE, **ITEM)
    made.compiled("1/0", RESUMED, 5, has_guarded_code=False, graph_node_count=None)
    piece = {"file": MAIN, "line": 5, "function": RESUMED}
    made.graph_break("1/0", [SECOND], kind="frame-skipped", code=piece, skip_type="graph break in loop", **ITEM)
    (finding,) = made.findings("frame-skipped")
    assert "rest" not in finding.detail["skipped"]


def test_two_lambdas_on_a_line_do_not_share_pieces(made):
    name, piece = "<lambda>", "torch_dynamo_resume_in_<lambda>_at_5"
    code = {"file": MAIN, "line": 5, "function": name}
    made.compiled("0/0", name, 5)
    made.graph_break("0/0", [frame(MAIN, 5, name, 8, 19)], code=code, **ITEM)
    made.compiled("1/0", name, 5)
    made.graph_break("1/0", [frame(MAIN, 5, name, 22, 33)], code=code, **OTHER)
    made.compiled("2/0", piece, 5)
    first, second = by_column(made.findings("graph-break"))
    assert "resumed" not in first.detail
    assert second.detail["resumed"] == ["2/0"]
