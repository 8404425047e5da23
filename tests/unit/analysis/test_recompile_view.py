"""The versions of a function side by side: torch's own logs and what the program does are the truth."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.analyse import context_of
from compilescope.analysis.facts import Failed
from compilescope.analysis.guard_readings import failing, readings, span
from compilescope.analysis.recompile_view import Recompiles
from compilescope.analysis.torch_text import guard_values, user_names
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made
from tests.unit.analysis.ranks_made import Rank

PROGRAM = """\
import torch

SCALE = 2.0


class Config:
    mode = "a"


cfg = Config()


@torch.compile(backend="eager")
def f(x, n, flag):
    if flag:
        x = x * SCALE
    if cfg.mode == "a":
        x = x + 1
    for _ in range(n):
        x = x.cos()
    if x.shape[0] > 6:
        return x.sum()
    return x


@torch.compile(backend="eager")
def once(x):
    return x.sin()


def run(times, *args):
    for _ in range(times):
        f(*args)


once(torch.ones(2))
run(9, torch.randn(4, 3), 2, True)
run(8, torch.randn(5, 3), 2, True)
run(7, torch.randn(8, 3), 2, True)
run(6, torch.randn(5, 3), 3, True)
run(5, torch.randn(5, 3), 2, False)
cfg.mode = "b"
run(4, torch.randn(5, 3), 2, True)
run(3, torch.randn(5, 3, dtype=torch.float64), 2, True)
run(2, torch.randn(5, 3, requires_grad=True), 2, True)
run(1, torch.randn(5, 3), 4, False)
"""
# What each call after the first is the first to have otherwise.
CHANGES = [
    ("x.shape[0]", "4", "5"),
    ("x.shape[0]", "2…6", "8"),
    ("n", "2", "3"),
    ("flag", "True", "False"),
    ("'mode' in cfg", "False", "True"),
    ("x.dtype", "float32", "float64"),
    ("x.requires_grad", "False", "True"),
]
LINES = PROGRAM.splitlines()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a traced run, and what torch logged in it."""
    folder = tmp_path_factory.mktemp("versions")
    script = folder / "versions.py"
    script.write_text(PROGRAM)
    command = [sys.executable, "-m", "compilescope", "trace", "--depth", "capture", "--record", str(folder / "rec")]
    env = {**os.environ, "TORCH_LOGS": "recompiles,+dynamic"}
    ended = subprocess.run([*command, str(script)], capture_output=True, text=True, env=env, check=True, cwd=folder)
    return folder, ended.stderr


@pytest.fixture(scope="module")
def table(run):
    return opened(run[0] / "rec").of("1/0")


def opened(folder):
    recording = Recording.open(folder)
    return Recompiles(recording, context_of(recording), analyse(recording))


def row(table, about):
    return next(one for one in table.rows if one.about == about)


@pytest.mark.torch
def test_what_made_each_version(run, table):
    causes = [version.cause for version in table.versions]
    assert causes[0] is None
    assert [(one.about, one.old, one.new) for one in causes[1:]] == CHANGES
    for version in table.versions[1:]:
        logged = [line for line in run[1].splitlines() if f"[{version.id}] [__recompiles]" in line]
        about = [line for line in logged if f"- {version.cause.version}: " in line]
        assert len(about) == 1
        assert about[0].partition(f"{version.cause.version}: ")[2] in version.cause.words
    made = [one.place.range.start.line for one in causes[1:]]
    assert [LINES[line].strip() for line in made] == [
        "def f(x, n, flag):",
        "if x.shape[0] > 6:",
        "for _ in range(n):",
        "if flag:",
        'if cfg.mode == "a":',
        "def f(x, n, flag):",
        "def f(x, n, flag):",
    ]
    assert {one.caller_text for one in causes[1:]} == {"f(*args)"}


@pytest.mark.torch
def test_what_each_version_accepts(table):
    assert row(table, "x.shape[0]").cells == ["4", "2…6", "≥ 7", *["2…6"] * 5]
    assert row(table, "n").cells == ["2", "2", "2", "3", "2", "2", "2", "2"]
    assert row(table, "flag").cells == ["True"] * 4 + ["False"] + ["True"] * 3
    assert row(table, "x.dtype").cells == ["float32"] * 6 + ["float64", "float32"]
    assert row(table, "x.requires_grad").cells == ["False"] * 7 + ["True"]
    assert row(table, "cfg.mode").cells == ["'a'"] * 5 + ["'b'"] * 3
    # Without the flag the global is not looked at.
    assert row(table, "SCALE").cells == ["2.0"] * 4 + [None] + ["2.0"] * 3
    assert row(table, "x.shape[1]").same == "3"
    assert [one.failures for one in table.rows if one.failures] == [[1, 2], [3], [4], [5], [6], [7]]
    assert [one.about for one in table.rows[:6]] == list(dict.fromkeys(about for about, _, _ in CHANGES))


@pytest.mark.torch
def test_calls_price_and_limit(run, table):
    assert [version.calls for version in table.versions] == [9, 8, 7, 6, 5, 4, 3, 2]
    assert table.calls == 44
    times = [version.calls * version.guard_s for version in table.versions]
    assert table.guard_s == pytest.approx(sum(times))
    assert table.recompile_s == pytest.approx(sum(version.seconds for version in table.versions[1:]), abs=1e-4)
    assert (table.recompiles, table.limit.used, table.limit.most, table.limit.refused) == (7, 8, 8, 1)
    assert "torch._dynamo hit config.recompile_limit (8)" in run[1]
    assert [one.about for one in table.refusals]


@pytest.mark.torch
def test_the_dimension_that_became_variable(run, table):
    size = next(one for one in table.dimensions if one.expression == "x.shape[0]")
    (symbol,) = size.symbols
    assert re.search(rf"\[1/1\] create_symbol {symbol} = 5 for L\['x'\]\.size\(\)\[0\]", run[1])
    assert (size.since, size.saves) == ("1/1", "1/1")
    assert [(one.version, one.low, one.high) for one in size.spans][:3] == [
        ("1/0", 4, 4),
        ("1/1", 2, 6),
        ("1/2", 7, None),
    ]
    assert size.sentences == [
        f"After 4 and 5 were seen, torch made it symbolic (`{symbol}`).",
        "The test `x.shape[0] > 6` then splits it.",
    ]
    assert LINES[size.place.range.start.line].strip() == "if x.shape[0] > 6:"


@pytest.mark.torch
def test_functions_are_listed_by_cost_and_found_by_any_compile(run):
    found = opened(run[0] / "rec")
    assert [(one.function, one.versions, one.recompiles) for one in found.functions()] == [("f", 8, 7), ("once", 1, 0)]
    assert found.of(None).function == found.of("1/5").function == found.of("1/8").function == found.of("9/9").function
    alone = found.of("0/0")
    assert (alone.function, [version.cause for version in alone.versions]) == ("once", [None])
    assert all(one.same is not None or not one.cells for one in alone.rows)
    assert found.guards("1/2").compile_id == "1/2"
    assert found.guards("9/9") is None


@pytest.mark.torch
def test_a_log_of_torch_s_own(run, tmp_path):
    (log,) = (run[0] / "rec").glob("*.log")
    records = ("\n" + log.read_text()).split("\nV")
    foreign = [one for one in records if '"name": "compilescope_' not in one.partition("\n")[0]]
    assert len(foreign) < len(records)
    (tmp_path / log.name).write_text("\nV".join(foreign).removeprefix("\n"))
    table = opened(tmp_path).of("1/0")
    causes = [version.cause for version in table.versions[1:]]
    assert [(one.about, one.old, one.new) for one in causes] == CHANGES
    assert {version.calls for version in table.versions} == {None}
    assert table.guard_s is None
    assert table.no_calls == "How often a version ran is not in this recording."
    assert row(table, "n").cells[:4] == ["2", "2", "2", "3"]


@pytest.mark.parametrize(
    ("kind", "code", "about", "accepts"),
    [
        ("EQUALS_MATCH", "n == 2", "n", "2"),
        ("TRUE_MATCH", "flag == True", "flag", "True"),
        ("NONE_MATCH", "mask is None", "mask", "None"),
        ("LENGTH_CHECK", "len(xs) == 3", "len(xs)", "3"),
        ("TYPE_MATCH", "___check_type_id(c, 9417), type=<class '__main__.Config'>", "type(c)", "Config"),
        ("ID_MATCH", "___check_obj_id(f, 1400), type=<class 'function'>", "f", "the same object"),
        ("DICT_CONTAINS", "not ___dict_contains('mode', c.__dict__)", "'mode' in c", "False"),
        ("NO_HASATTR", "hasattr(x, '_dynamo_static_indices') == False", "'_dynamo_static_indices' in x", "False"),
        ("LAMBDA_GUARD", "2 <= x.shape[0] <= 6", "x.shape[0]", "2…6"),
        ("LAMBDA_GUARD", "7 <= x.shape[0]", "x.shape[0]", "≥ 7"),
        ("LAMBDA_GUARD", "3*x.shape[0] <= 4096", "3*x.shape[0] <= 4096", "holds"),
        ("LAMBDA_GUARD", "", "lambda guard", "holds"),
    ],
)
def test_readings(kind, code, about, accepts):
    (one,) = readings(kind, code)
    assert (one.about, one.accepts) == (about, accepts)


def test_readings_of_a_tensor():
    code = (
        "check_tensor(x, Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), torch.float32, "
        "device=None, requires_grad=False, size=[None, 3], stride=[3, 1])"
    )
    found = {one.about: one.accepts for one in readings("TENSOR_MATCH", code)}
    assert found == {
        "x.shape[0]": "any",
        "x.shape[1]": "3",
        "x.dim()": "2",
        "x.dtype": "float32",
        "x.requires_grad": "False",
        "x.device": "cpu",
        "x.stride()": "(3, 1)",
        "type(x)": "Tensor",
    }


@pytest.mark.parametrize(
    ("part", "about", "old", "new"),
    [
        ("tensor 'L['x']' size mismatch at index 1. expected 4, actual 8", "x.shape[1]", "4", "8"),
        ("tensor 'L['x']' dtype mismatch. expected Float, actual Double", "x.dtype", "float32", "float64"),
        ("tensor 'L['x']' requires_grad mismatch. expected requires_grad=0", "x.requires_grad", "False", "True"),
        ("tensor 'L['x']' rank mismatch. expected 1, actual 2", "x.dim()", "1", "2"),
        (
            "tensor 'L['x']' dispatch key set mismatch. expected DispatchKeySet(CPU), actual DispatchKeySet(Meta)",
            "x.device",
            "cpu",
            "meta",
        ),
        (
            "tensor 'L['x']' dispatch key set mismatch. expected DispatchKeySet(CPU, A), actual DispatchKeySet(CPU)",
            "dispatch keys of x",
            "A",
            "none more",
        ),
        ("L['n'] == 2", "n", "2", None),
        ("len(L['xs']) != 1", "len(xs)", "1", None),
        ("2 <= L['x'].size()[0] <= 6", "x.shape[0]", "2…6", None),
        ("not L['xs']", "len(xs)", "0", None),
        ("KeyError on L['d']['k']", "d['k']", "there", "missing"),
        ("GLOBAL_STATE changed: grad_mode ", "torch.is_grad_enabled()", "", None),
    ],
)
def test_failed_guards_are_about_the_rows_of_those_that_hold(part, about, old, new):
    found, met = failing(Failed(part, part, (), *guard_values(user_names(part))))
    assert (found.about, found.accepts, met) == (about, old, new)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [("2", "6", "2…6"), ("4", "4", "4"), ("2", "int_oo", "≥ 2"), ("-int_oo", "5", "≤ 5"), (None, None, "any")],
)
def test_span(low, high, text):
    assert span(low, high) == text


def hostile(folder, count):
    made = Made(folder, "import torch\n\n\ndef f(x):\n    return x\n")
    made.compiled("0/0", "f", 4)
    evil = "<img src=x onerror=alert(1)>" * 50
    deep = "".join("| " * depth + f"+- GuardManager: source=L['{evil}'], type=<class 'x'>\n" for depth in range(90))
    wide = "".join(f"| +- EQUALS_MATCH: L['v{number}'] == '{evil}'\n" for number in range(count))
    made.torch_event("dynamo_cpp_guards_str", {}, "0/0", f"TREE_GUARD_MANAGER:\n+- RootGuardManager\n{deep}{wide}")
    for number in range(1, 40):
        made.compiled(f"0/{number}", "f", 4)
        made.event("compilescope_recompile", {"code": {"file": "/app/main.py", "line": 4, "function": "f"}, "failed": [
            {"entry": f"0/{number - 1}", "reason": evil, "guard": evil, "expression": evil, "old": evil, "new": None},
            None, 7, {"entry": None}]}, f"0/{number}")  # fmt: skip
    made.torch_event(
        "create_symbol", {"symbol": "s0", "val": "nan", "vr": "[x, y]", "source": "L['x'].size()[0]"}, "0/1"
    )
    return made


def test_a_hostile_recording(tmp_path):
    made = hostile(tmp_path, 3000)
    made.log.write_bytes(made._bytes)
    found = opened(tmp_path)
    table = found.of(None)
    assert len(table.versions) == 40
    assert len(table.rows) <= 1200
    assert table.more + len(table.rows) >= 3000
    assert (
        max(len(text) for one in table.rows for text in [one.about, one.same or "", *filter(None, one.cells)]) <= 4000
    )


def test_functions_of_several_ranks_say_which(tmp_path):
    for rank in range(2):
        made = Rank(rank)
        made.compiled(0)
        made.write(tmp_path)
    assert [(one.compile_id, one.rank) for one in opened(tmp_path).functions()] == [("0/0", 0), ("rank1:0/0", 1)]


def test_functions_of_one_rank_say_none(tmp_path):
    made = Rank(3)
    made.compiled(0)
    made.write(tmp_path)
    assert [one.rank for one in opened(tmp_path).functions()] == [None]
