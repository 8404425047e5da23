"""The guard tree, symbols and versions of real compiles, against what torch itself logs and keeps of the same run."""

import re
import sys

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.analyse import context_of
from compilescope.analysis.guards import trees
from compilescope.recording.reader import Recording

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="columns need Python 3.11"),
]

PROGRAM = """
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(4, 4)
            self.blocks = torch.nn.Sequential(torch.nn.Linear(4, 4))
            self.config = {"mode": 1}

        def forward(self, x, options, n=2):
            y = self.blocks(self.lin(x)) * n
            if "quick" in options:
                y = y + 1
            if x.shape[0] > 6:
                y = y * 2
            return y * self.config["mode"] + options["a"]

    model = torch.compile(Model(), backend="eager")
    for size in (2, 4, 8):
        model(torch.ones(size, 4), {"a": 1})

    @torch.compile(backend="eager", dynamic=True)
    def fixed(x):
        if x.shape[1] == 4:
            x = x + 1
        return x * 2

    fixed(torch.ones(3, 4))

    @torch.compile(backend="eager")
    def marked(x, y):
        return x.sum() + y.sum()

    one, other = torch.ones(5, 6), torch.ones(7, 8)
    torch._dynamo.mark_dynamic(one, 0)
    torch._dynamo.maybe_mark_dynamic(other, 1)
    marked(one, other)

    torch._dynamo.config.capture_scalar_outputs = True

    @torch.compile(backend="eager")
    def counted(x):
        n = x.sum().item()
        torch._check(n >= 0)
        torch._check(n <= 9)
        return torch.ones(n)

    counted(torch.tensor([1, 2]))

    @torch.compile(backend="eager", dynamic=False)
    def limited(x):
        return x + 1

    with torch._dynamo.config.patch(recompile_limit=3):
        for size in (2, 3, 4, 5):
            limited(torch.ones(size))
"""


@pytest.fixture(scope="module")
def run(shared_runner):
    shared_runner.write("guards.py", PROGRAM)
    traced = shared_runner.traced("guards.py", env={"TORCH_LOGS": "guards,dynamic", "TORCH_LOGS_FORMAT": "%(message)s"})
    assert traced.code == 0, traced.err
    return traced


@pytest.fixture(scope="module")
def recording(run, shared_runner):
    assert run.events
    with Recording.open(shared_runner.folder / "recording") as opened:
        yield opened


@pytest.fixture(scope="module")
def result(recording):
    return analyse(recording)


def line_of(shared_runner, text):
    source = (shared_runner.folder / "guards.py").read_text(encoding="utf-8")
    return source[: source.index(text)].count("\n") + 1


def whole(node):
    yield node
    for child in node.children:
        yield from whole(child)


def logged_trees(run):
    """The trees as `TORCH_LOGS=guards` prints them: for each the sources of its values and the kinds of its checks."""
    found = []
    for text in run.err.split("TREE_GUARD_MANAGER:")[1:]:
        lines = [line for line in text.splitlines() if re.match(r"(\| )*\+- ", line)]
        sources = [
            match[1] for line in lines if (match := re.search(r"Manager: source=(.*?), (?:accessed_by|type)=", line))
        ]
        kinds = [match[1] for line in lines if (match := re.match(r"(?:\| )*\+- ([A-Z_]+)(?::|$)", line))]
        found.append((sources, kinds))
    return found


def test_trees_are_those_that_torch_logs(run, recording):
    mine = list(trees(recording, context_of(recording)))
    logged = logged_trees(run)
    assert len(mine) == len(logged) >= 7
    for tree, (sources, kinds) in zip(mine, logged, strict=True):
        nodes = list(whole(tree.root))
        assert sorted(node.source for node in nodes[1:]) == sorted(sources)
        assert sorted(guard.kind for node in nodes for guard in node.guards) == sorted(kinds)
        assert tree.count == len(kinds)


def test_sources_nest_and_are_in_the_program_s_words(recording):
    first = next(trees(recording, context_of(recording), "0/0"))
    by_source = {node.source: node for node in whole(first.root)}
    weight = by_source["L['self']._modules['lin']._parameters['weight']"]
    assert weight.expression == "self.lin.weight"
    assert weight.type == "torch.nn.parameter.Parameter"
    assert any(node.expression == "self.blocks[0].weight" for node in by_source.values())
    inner = by_source["L['self']._modules['lin']"]
    assert weight in list(whole(inner))
    assert inner in list(whole(by_source["L['self']"]))
    (mode,) = next(node.guards for node in by_source.values() if node.expression == "self.config['mode']")
    assert (mode.kind, mode.code) == ("EQUALS_MATCH", "self.config['mode'] == 1")


def test_a_guard_has_the_exact_place(recording, shared_runner):
    first = next(trees(recording, context_of(recording), "0/0"))
    (contains,) = [guard for node in whole(first.root) for guard in node.guards if "'quick'" in guard.code]
    lines = (shared_runner.folder / "guards.py").read_text(encoding="utf-8").splitlines()
    start, end = contains.place.range.start, contains.place.range.end
    assert lines[start.line][start.character : end.character] == '"quick" in options'


def test_the_latency_is_torch_s(run, recording):
    logged = [float(one) for one in re.findall(r"Guard eval latency = ([\d.]+) us", run.err)]
    assert [tree.latency_us for tree in trees(recording, context_of(recording))] == logged
    assert all(value > 0 for value in logged)


def test_symbols_are_those_that_torch_logs(run, result):
    logged = re.findall(r"create_symbol (s\d+) = (\S+) for (\S+) \[", run.err)
    mine = [(one.symbol, one.value, one.sources[0]) for one in result.symbols if one.kind == "backed"]
    assert mine == logged
    assert len(mine) >= 6


def test_ranges_and_reasons(result, shared_runner):
    found = {(one.compile_id, one.expression): one for one in result.symbols}
    second, third = found["0/1", "x.shape[0]"], found["0/2", "x.shape[0]"]
    assert (second.value, second.lower, second.upper, second.why) == ("4", "2", "6", "automatic")
    assert (third.value, third.lower, third.upper, third.why) == ("8", "7", "int_oo", "automatic")
    branch = line_of(shared_runner, "if x.shape[0] > 6")
    assert second.bound_at.range.start.line + 1 == branch
    assert second.place.range.start.line + 1 == line_of(shared_runner, "y = self.blocks(")
    whys = {one.expression: one.why for one in result.symbols if one.compile_id == "2/0"}
    assert whys == {"x.shape[0]": "mark_dynamic", "y.shape[1]": "maybe_mark_dynamic"}
    (size,) = [one for one in result.symbols if one.kind == "unbacked"]
    assert (size.expression, size.value, size.upper, size.why) == (None, None, "9", None)
    assert size.place.range.start.line + 1 == line_of(shared_runner, "n = x.sum().item()")


def test_a_specialization_has_its_line(run, result, shared_runner):
    (one,) = result.specializations
    assert (one.compile_id, one.expression, one.value) == ("1/0", "x.shape[1]", "4")
    assert re.search(rf"set_replacement {one.symbol} = 4 \({one.reason}\)", run.err)
    assert one.place.range.start.line + 1 == line_of(shared_runner, "if x.shape[1] == 4")
    (symbol,) = [symbol for symbol in result.symbols if symbol.symbol == one.symbol and symbol.compile_id == "1/0"]
    assert (symbol.is_, symbol.why) == ("4", "dynamic=True")


def rows(result, function):
    return [
        row
        for finding in result.findings
        if finding.rule == "recompile" and finding.detail["function"] == function
        for row in finding.detail["recompiles"]
    ]


def test_a_recompile_says_what_it_learned(run, result):
    by_id = {row["compile_id"]: row for row in rows(result, "Model.forward")}
    learned = [(one["expression"], one["old"], one["new"]) for one in by_id["0/1"]["learned"]]
    assert learned == [("x.shape[0]", "2", "4")]
    if tuple(map(int, result.run.torch.split(".")[:2])) >= (2, 13):  # 2.9 and 2.11 log no such line
        assert "marking L['x'] as dynamic (from automatic dynamic/PGO)" in run.err
    assert "learned" not in by_id["0/2"]


def test_limits_in_force_and_versions(result):
    counted = [
        {one["limit"]: (one["versions"], one["most"]) for one in row["counted"]} for row in rows(result, "limited")
    ]
    assert [one["recompile"] for one in counted] == [(1, 3), (2, 3)]
    assert {one["accumulated"][1] for one in counted} == {256}
    frames = {one.function: one for one in result.versions}
    assert (frames["limited"].limit, frames["forward"].limit) == (3, 8)
    assert [entry.id for entry in frames["limited"].entries] == ["4/2", "4/1", "4/0"]
    assert frames["forward"].made == ["0/0", "0/1", "0/2"]
    (limit,) = [finding for finding in result.findings if finding.rule == "recompile-limit"]
    assert [row["compile_id"] for row in limit.detail["recompiles"]][-1] == "4/3"


def test_a_trace_without_us_has_tree_and_symbols(shared_runner, tmp_path, monkeypatch):
    shared_runner.write("guards.py", PROGRAM)
    monkeypatch.setenv("TORCH_TRACE", str(tmp_path))
    assert shared_runner.plain("guards.py").code == 0
    with Recording.open(tmp_path) as opened:
        result = analyse(opened)
        first = next(trees(opened, context_of(opened), "0/0"))
    assert any(node.expression == "self.lin.weight" for node in whole(first.root))
    (contains,) = [guard for node in whole(first.root) for guard in node.guards if "'quick'" in guard.code]
    assert contains.place.range.start.line + 1 == line_of(shared_runner, 'if "quick" in options')
    found = {(one.compile_id, one.expression): one for one in result.symbols}
    assert (found["0/1", "x.shape[0]"].value, found["0/1", "x.shape[0]"].why) == ("4", None)
    (fixed,) = result.specializations
    assert (fixed.compile_id, fixed.expression, fixed.value) == ("1/0", "x.shape[1]", "4")
    learned = {row["compile_id"]: row.get("learned") for row in rows(result, "Model.forward")}
    assert learned["0/1"][0]["expression"] == "x.shape[0]"
