"""What lines of compiled functions became, and which of those without an operation were captured for certain."""

from __future__ import annotations

import ast

import pytest
from compilescope.analysis.coverage_model import CoveredLine, FunctionCoverage
from compilescope.analysis.facts import Frame
from compilescope.analysis.kernel_model import Eliminated, Kernel
from compilescope.analysis.line_nodes import CompileNodes
from compilescope.analysis.line_story import LineStories, NodeStory
from compilescope.analysis.model import Compile, Finding, LineTime, Position, Range, Result, Run
from compilescope.analysis.reached import functions, reached, statement_at
from compilescope.analysis.snapshots import Node

FILE = "/project/a.py"
TEXT = """\
def f(x, flag):
    # a comment
    n = len(x.shape)
    y = (
        x.sin()
        + 1
    )
    if y.sum() > 0:
        y = y * 2
    return y

def never(x):
    return x + 1

def skipped(x):
    for one in x:
        x = x + one
    return x
"""


def node(name, line, end_line=None, columns=(0, 0), shape=("4",)):
    frame = Frame(FILE, line, "f", end_line or line, *columns)
    return Node(name, "call_function", name, "", (), "float32", shape, device="cpu", frame=frame)


def by_line(*nodes):
    found = {}
    for one in nodes:
        for line in range(one.frame.line, one.frame.end_line + 1):
            found.setdefault((FILE, line), []).append(one)
    return found


def compiled(id_, function="f", line=1, status="ok"):
    return Compile(id_, function, FILE, line, status, 1, {}, {}, None, None)


def finding(rule, line, compile_id):
    place = Range(Position(line - 1, 7), Position(line - 1, 18))
    return Finding(rule, "warning", FILE, place, "t", "e", "r", "other", "capture", "GB", None, [compile_id])


def kernel(id_, name, nodes, lines, *, kind="cpp", graph="forward"):
    return Kernel(id_, f"{id_}/{graph}", name, kind, "C++", nodes, [{"file": FILE, "line": one} for one in lines])


@pytest.fixture
def stories():
    """`f` was compiled twice, with one kernel more the second time; the sum ended the graph. `skipped` is eager."""
    run = Run([], None, None, None, 0, 1.0, "/rec", "full", [], [])
    lines = [
        LineTime(FILE, 4, 1, {}, ["0/1"]),
        LineTime(FILE, 5, 1, {}, ["0/0", "0/1"]),
        LineTime(FILE, 8, 1, {}, ["0/0"]),
    ]
    kernels = [
        kernel("0/0", "cpp_fused_sin_0", ["sin", "add"], [5, 4, 8]),
        kernel("0/0", "extern_kernels.mm", ["mm"], [8], kind="extern"),
        kernel("0/0", "cpp_fused_cos_0", ["sin"], [5], graph="backward"),
        kernel("0/1", "cpp_fused_other_0", ["sin"], [5]),
    ]
    found = [finding("graph-break", 8, "0/0"), finding("frame-skipped", 17, "1/0")]
    every = [compiled("0/0"), compiled("0/1"), compiled("1/0", "skipped", 15, "skipped")]
    gone = [Eliminated("0/0", "0/0/forward", "view", "view", "x", None)]
    covered = [
        *(CoveredLine(one, one, "captured") for one in (3, 10)),
        CoveredLine(4, 7, "captured"),
        CoveredLine(8, 8, "eager", "break", (), found[0]),
        CoveredLine(9, 9, "not_run"),
    ]
    lost = [CoveredLine(one, one, "skipped", "frame-skipped", (), found[1]) for one in (16, 17, 18)]
    coverage = [
        FunctionCoverage(FILE, "f", 1, 10, recorded=True, lines=covered),
        FunctionCoverage(FILE, "skipped", 15, 18, recorded=True, lines=lost),
    ]
    result = Result(run, found, every, [], kernels, {}, eliminated=gone, lines=lines, coverage=coverage)
    sine, add = node("sin", 5, columns=(8, 15)), node("add", 4, 7, columns=(8, 5))
    forward = by_line(node("sin", 5), node("view", 5), node("mm", 8), node("lost", 8))
    nodes = CompileNodes(by_line(sine, add), forward, by_line(node("sin", 5)))
    return LineStories(result, {FILE: TEXT}, {"0/0": nodes, "0/1": nodes}.get)


def test_nodes_with_their_kernels_and_what_else_is_in_those(stories):
    story = stories.story(FILE, 5)
    assert (story.what, story.compile_id, story.same, story.other) == ("graph", "0/0", (), ("0/1",))
    assert story.nodes == (
        NodeStory("sin", ("4",), "cpp_fused_sin_0", "cpp", ((FILE, 8),)),
        NodeStory("view", ("4",), None, "view"),
        NodeStory("sin", ("4",), "cpp_fused_cos_0", "cpp", (), backward=True),
    )


def test_the_line_that_ended_the_graph(stories):
    story = stories.story(FILE, 8)
    assert story.because.rule == "graph-break"
    assert [(one.name, one.kind) for one in story.nodes] == [("mm", "extern"), ("lost", "")]


@pytest.mark.parametrize(
    ("line", "what"),
    [(1, None), (2, None), (3, "captured"), (9, "not_run"), (10, "captured"), (13, None), (16, "eager"), (18, "eager")],
)
def test_lines_without_an_operation(stories, line, what):
    story = stories.story(FILE, line)
    assert (story and story.what) == what
    if what == "eager":
        assert (story.whole, story.function, story.because.range.start.line) == (True, "skipped", 16)


def test_files_and_texts_that_are_not_there(stories):
    assert stories.story("/project/other.py", 5) is None
    broken = LineStories(
        Result(Run([], *[None] * 3, 0, 1.0, "/r", None, [], []), [], [], [], [], {}), {FILE: "def f(:"}, {}.get
    )
    assert broken.story(FILE, 1) is None


@pytest.mark.parametrize(
    ("body", "marks", "expected"),
    [
        ("a\nb\nc", {3}, {2, 3, 4}),
        ("a\nreturn b\nc", {2}, {2, 3}),
        ("if a:\n  b\nelse:\n  c\nd", {3}, {2, 3, 6}),
        ("if a:\n  return b\nc", {2}, {2}),
        ("if a:\n  return b\nc", {4}, {2, 4}),
        ("with a:\n  b\n  c\nd", {2}, {2, 3, 4, 5}),
        ("for a in b:\n  c\nd", {4}, {2, 4}),
        ("try:\n  a\nexcept E:\n  b\nc", {3}, {2, 3, 6}),
        ("match a:\n  case 1:\n    b\nc", {4}, {2, 4, 5}),
    ],
)
def test_what_was_reached_for_certain(body, marks, expected):
    source = "def f():\n" + "\n".join(f"  {line}" for line in body.split("\n"))
    (function,) = functions(ast.parse(source))
    assert reached(function, marks) == expected


def test_of_a_compound_statement_the_head_counts():
    (function,) = functions(ast.parse("def f():\n  if (a and\n      b):\n    c\n\n  d"))
    assert [getattr(statement_at(function, line), "lineno", None) for line in range(1, 7)] == [None, 2, 2, 4, None, 6]
