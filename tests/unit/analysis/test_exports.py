"""What torch's own report of an export says, we say from the log, with the line and what to write."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.export_advice import registered_name
from compilescope.analysis.export_expressions import holds, in_program
from compilescope.analysis.model import Result
from compilescope.analysis.to_json import to_json
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made
from tests.unit.analysis.schema import problems

FIXTURES = Path(__file__).parents[2] / "fixtures/export"
SHARED = Path(__file__).parents[4] / "shared/traces/export.log"
PROGRAM = (FIXTURES / "exports.py").read_text(encoding="utf-8").splitlines()
KINDS = {
    "MISSING_FAKE_KERNEL": "missing-fake-kernel",
    "MISMATCHED_FAKE_KERNEL": "mismatched-fake-kernel",
    "DATA_DEPENDENT_ERROR": "data-dependent",
    "GUARD_ADDED": "guard-added",
}


@pytest.fixture(scope="module", params=["2.8", "2.9.1", "2.13", "2.14.1", "2.15"])
def logs(request, tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("exports")
    with tarfile.open(FIXTURES / f"torch-{request.param}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder


def result_of(path: Path) -> Result:
    with Recording.open(path) as recording:
        return analyse(recording)


def line_of(code: str) -> int:
    return next(number for number, line in enumerate(PROGRAM, 1) if line.strip() == code)


def test_the_issues_are_those_of_torchs_report(logs):
    report = json.loads((logs / "draft/report.json").read_text(encoding="utf-8"))
    found = result_of(logs / "draft")
    assert [(one.kind, one.status) for one in found.exports] == [("draft", "exported")] * len(report)
    assert [one.number for one in found.exports] == [1, 2, 3, 4]
    ours = [[(one.kind, one.operator, one.expression, one.result) for one in each.issues] for each in found.exports]
    torchs = [
        [(KINDS[one["type"]], one.get("op"), one.get("expr"), one.get("result")) for one in each["failures"]]
        for each in report
    ]
    assert ours == torchs
    reasons = [one["reason"] for each in report for one in each["failures"] if "reason" in one]
    assert [one.reason for one in found.exports[0].issues if one.kind == "mismatched-fake-kernel"] == reasons
    assert problems(json.loads(json.dumps(to_json(found)))) == []


def test_every_issue_is_on_its_line(logs):
    # Only the first log has the number of the file: the others have the line of the exported program.
    findings = {one.code: one for one in result_of(logs / "draft").findings}
    assert {one.rule for one in findings.values()} == {"export-issue"}
    lines = {
        "missing-fake-kernel": line_of("y = torch.ops.shop.no_fake(x)"),
        "mismatched-fake-kernel": line_of("return torch.ops.shop.wrong_fake(y) + 1"),
        "data-dependent": line_of("if n > 3:"),
        "guard-added": line_of("if x.shape[0] > 4:"),
    }
    assert {code: one.range.start.line + 1 for code, one in findings.items()} == lines
    assert {one.file for one in findings.values()} == {"/srv/app/exports.py"}


def test_what_to_write_is_in_the_programs_names(logs):
    kernels, branch, sized, clean = result_of(logs / "draft").exports
    assert [one.code.splitlines()[0] for one in kernels.issues if one.code] == [
        '@torch.library.register_fake("shop::no_fake")',
        '@torch.library.register_fake("shop::wrong_fake")',
    ]
    assert branch.issues[0].code == "torch._check(n > 3)"
    assert sized.issues[0].condition == "x.shape[0] > 4"
    assert clean.issues == []
    made = [(one.depth, one.result, one.method) for one in branch.issues[0].made_by]
    assert made == [(0, "u0 > 3", "gt"), (1, "u0", "create_unbacked_symbol")]


def test_an_export_that_failed(logs):
    branch, sized, clean = result_of(logs / "plain").exports
    assert [one.kind for one in (branch, sized, clean)] == ["export"] * 3
    assert (branch.status, sized.status, clean.status) == ("failed", "failed", "exported")
    assert [(one.kind, one.code) for one in branch.issues] == [("failed", "torch._check(n > 3)")]
    assert [(one.kind, one.condition) for one in sized.issues] == [("guard-added", "x.shape[0] > 4")]
    assert branch.graph is not None
    assert clean.program is not None


@pytest.mark.skipif(not SHARED.is_file(), reason="the log is not here")
def test_a_log_of_an_older_torch():
    (one,) = result_of(SHARED).exports
    (issue,) = one.issues
    assert (issue.kind, issue.expression, issue.result) == ("data-dependent", "Eq((((-u0)//3)) + 5, 0)", "False")
    assert issue.at is not None
    assert (issue.at.line, issue.at.code) == (279, "return z[:a]")
    assert issue.code == "torch._check(a != 0)"


def test_a_draft_of_torch_2_6(tmp_path):
    made = Made(tmp_path, "def f(x):\n    return x\n", ours=False)
    for number, file in enumerate(("/app/main.py", "/opt/venv/lib/python3.11/site-packages/torch/_ops.py")):
        made.torch_event("str", [file, number])
    stack = [{"line": 2, "name": "f", "filename": 0, "loc": "return x[:n]"}, {"line": 7, "name": "g", "filename": 1}]
    made.torch_event("propagate_real_tensors", {"expr": "Eq(u0, 0)", "result": "False", "stack": stack})
    made.torch_event("exported_program", {}, payload="ExportedProgram")
    ((issue,),) = ([*one.issues] for one in made.result().exports)
    assert (issue.kind, issue.expression, issue.result) == ("data-dependent", "Eq(u0, 0)", "False")
    assert [(at.file, at.line, at.code) for at in issue.frames] == [("/app/main.py", 2, "return x[:n]")]


def test_what_torch_says_twice_is_one_issue(tmp_path):
    made = Made(tmp_path, "def f(x, n):\n    return x[:n]\n")
    made.torch_event("str", ["/app/main.py", 0])
    at = [{"line": 2, "name": "f", "filename": 0, "loc": "return x[:n]"}]
    decided = {"expr": "Eq(u0, 0)", "result": "False"}
    made.torch_event("propagate_real_tensors", {**decided, "stack": at})
    made.torch_event(
        "propagate_real_tensors_provenance", {**decided, "user_stack": at, "frame_locals": {"locals": {"n": ["u0"]}}}
    )
    (export,) = made.result().exports
    assert [(one.kind, one.code) for one in export.issues] == [("data-dependent", "torch._check(n != 0)")]


def test_a_comment_that_ignores_an_issue(tmp_path):
    source = "def f(x):\n    return x  # compilescope: ignore[guard-added]\n"
    made = Made(tmp_path, source)
    result = made.result()
    assert result.run.unknown_ignores == []
    made.torch_event("str", ["/app/main.py", 0])
    user = [{"line": 2, "name": "f", "filename": 0, "loc": "return x"}]
    symbols = {"s0": "L['x'].size()[0]"}
    made.torch_event("guard_added", {"expr": "s0 > 1", "symbol_to_sources": symbols, "user_stack": user})
    result = made.result()
    assert [len(one.issues) for one in result.exports] == [1]
    assert (result.findings, result.run.ignored) == ([], 1)


def test_a_draft_that_began_anew_is_one(tmp_path):
    made = Made(tmp_path, "def f(x):\n    return x\n")
    made.torch_event("str", ["/app/main.py", 0])
    user = [{"line": 2, "name": "f", "filename": 0, "loc": "return x"}]
    guard = {"expr": "s0 > 4", "symbol_to_sources": {"s0": "L['x'].size()[0]"}, "user_stack": user}
    made.torch_event("export", {}, payload="start!")  # the program's own, which fails likewise
    made.torch_event("guard_added", guard)
    for _ in range(2):
        made.torch_event("export", {}, payload="start!")
        made.torch_event("guard_added", guard)
    made.torch_event("exported_program", {}, payload="inner")
    made.torch_event("exported_program", {}, payload="whole")
    found = [(one.number, one.kind, one.status, len(one.issues)) for one in made.result().exports]
    assert found == [(1, "export", "failed", 1), (2, "draft", "exported", 1)]


def test_a_draft_in_a_recording_of_ours(tmp_path):
    made = Made(tmp_path)
    for _ in range(2):
        made.torch_event("export", {}, payload="start!")
        made.torch_event("missing_fake_kernel", {"op": "shop.no_fake.default"})
        made.torch_event("exported_program", {}, payload="inner")
        made.torch_event("exported_program", {}, payload="whole")
    made.torch_event("export", {}, payload="start!")
    made.torch_event("exported_program", {}, payload="plain")
    found = made.result()
    assert [(one.kind, one.status, len(one.issues)) for one in found.exports] == [
        *[("draft", "exported", 1)] * 2,
        ("export", "exported", 0),
    ]
    assert [one.count for one in found.findings] == [2]


def test_compiling_is_no_export(tmp_path):
    made = Made(tmp_path, "def f(x):\n    return x\n")
    made.compiled("0/0", "f", 1)
    user = [{"line": 2, "name": "f", "filename": 0, "loc": "return x"}]
    guard = {"expr": "s0 > 1", "prefix": "eval", "symbol_to_sources": {"s0": "L['x'].size()[0]"}, "user_stack": user}
    made.torch_event("guard_added", guard, "0/0")
    assert made.result().exports == []
    made.torch_event("export", {}, payload="start!")
    made.compiled("1/0", "f", 1)
    made.torch_event("guard_added", guard, "1/0")
    found = made.result()
    assert [(one.status, one.issues) for one in found.exports] == [("failed", [])]
    assert [one.rule for one in found.findings] == []


def test_hostile_values(tmp_path):
    made = Made(tmp_path)
    for name in ("guard_added", "propagate_real_tensors_provenance", "guard_on_data_dependent_error"):
        for value in (None, [], {}, 7, "(" * 5000, "u0 >"):
            fields = {"expr": value, "user_stack": value, "symbol_to_sources": {"s0": value}, "frame_locals": value}
            made.torch_event(name, {**fields, "expr_node_id": 1, "result": value, "op": value, "reason": value})
    made.torch_event("expression_created", {"result_id": 1, "argument_ids": [1, 2, None], "arguments": 3})
    made.torch_event("missing_fake_kernel", {"op": 3})
    made.torch_event("mismatched_fake_kernel", "text")
    assert problems(json.loads(json.dumps(to_json(made.result())))) == []


@pytest.mark.parametrize(
    ("expression", "values", "symbols", "expected"),
    [
        ("u0 > 3", {"n": "u0"}, {}, "n > 3"),
        ("Eq((((-u0)//3)) + 5, 0)", {"a": "(((-u0)//3)) + 5"}, {}, "a == 0"),
        ("Ne(Mod(s0, 2), 0)", {}, {"s0": "L['x'].size()[1]"}, "x.shape[1] % 2 != 0"),
        ("2*u0 <= Max(4, s1)", {"k": "u0"}, {"s1": "L['y'].size()[0]"}, "2 * k <= max(4, y.shape[0])"),
        ("TruncToInt(zuf0)", {"n": "zuf0"}, {}, "int(n)"),
        ("u0 > u1", {"n": "u0"}, {}, None),
        ("u0 >", {}, {}, None),
        ("u0 > 3", {"x": "Tensor(shape: torch.Size([u0]))"}, {}, None),
    ],
)
def test_expressions_in_the_programs_names(expression, values, symbols, expected):
    assert in_program(expression, values, symbols) == expected


@pytest.mark.parametrize(
    ("condition", "result", "expected"),
    [("n > 3", "True", "n > 3"), ("n > 3", "False", "n <= 3"), ("a == 0", "False", "a != 0"),
     ("f(n)", "False", "not (f(n))"), ("n > 3", None, "n > 3"), ("int(n)", "3", "int(n) == 3")],
)  # fmt: skip
def test_what_holds(condition, result, expected):
    assert holds(condition, result) == expected


def test_names_of_operators():
    assert registered_name("shop.no_fake.default") == "shop::no_fake"
    assert registered_name("aten.add.Tensor") == "aten::add.Tensor"
    assert registered_name("shop::no_fake") == "shop::no_fake"
    assert registered_name("???") == "???"
