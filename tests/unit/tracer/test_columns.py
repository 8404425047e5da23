"""Ranges of graph nodes, guards and breaks are those that Python's parser gives for the very expression."""

from __future__ import annotations

import ast
import re
import sys

import pytest
from compilescope.analysis.facts import Frame
from compilescope.analysis.ranges import Ranges
from compilescope.analysis.sources import Sources
from compilescope.tracer.frames import Frames
from compilescope.tracer.positions import position_at

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="columns need Python 3.11"),
]

HELPERS = """
    import torch

    def swish(t):
        π = "π"; return t * torch.sigmoid(t)
"""
# Each operation is there once, so that its name finds its expression.
PROGRAM = """
    import functools
    import torch
    import helpers

    def twice(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args).neg()
        return wrapper

    @twice
    def decorated(t):
        return t.asinh()

    @torch.compile(dynamic=False)
    def f(x, é):
        smile = "😀 naïve"; a = x.sin().cos() + (
            x.exp()
        )
        b = torch.atan(
            a,
        ).tanh()  # 😀
        c = (lambda t: t.abs())(b)
        d = [v.expm1() for v in (c,)][0]
        def inner(t):
            return t.erf() if é else t.round()
        e = "é😀" and helpers.swish(inner(d))
        return (decorated(e)
            - x.square()).sum()

    @torch.compile(backend="eager")
    def broken(x, ü):
        "😀"; y = x + 1; print(
            "é")
        if ü: y = y + 2
        return y

    f(torch.full((3,), 0.3, requires_grad=True), True).backward()
    f(torch.full((3,), 0.3), False)
    broken(torch.ones(2), True)
"""
OPERATORS = {"add": ast.Add, "mul": ast.Mult, "sub": ast.Sub}
NAMES = {
    "sin", "cos", "exp", "atan", "tanh", "abs", "expm1", "erf", "round", "sigmoid", "neg", "asinh", "square", "sum",
    *OPERATORS,
}  # fmt: skip


@pytest.fixture(scope="module")
def traced(shared_runner):
    shared_runner.write("helpers.py", HELPERS)
    path = shared_runner.write("columns.py", PROGRAM)
    tabs = re.sub(rb"(?m)^( {4})+", lambda found: b"\t" * (len(found[0]) // 4), path.read_bytes())
    path.write_bytes(tabs.replace(b"\n", b"\r\n"))
    ended = shared_runner.traced("columns.py")
    assert ended.code == 0, ended.err
    return ended


@pytest.fixture(scope="module")
def trees(shared_runner):
    files = [shared_runner.folder / name for name in ("columns.py", "helpers.py")]
    return {str(file): ast.parse(file.read_bytes()) for file in files}


def span(node):
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


@pytest.fixture(scope="module")
def place(traced):
    """The range of a frame, as the analysis has it, in bytes."""
    ranges = Ranges(Sources({body["file"]: body["text"] for body in traced.bodies("source")}))

    def place(frame):
        keys = ("file", "line", "function", "end_line", "col", "end_col")
        found = ranges.meant(Frame(*(frame[key] for key in keys)))
        return found.line, found.end_line, found.col, found.end_col

    return place


def operation(target):
    """`sin` for `sin`, `torch.sin` and `aten.sin.default`."""
    parts = target.removeprefix("_operator.").split(".")
    return parts[1] if parts[0] == "aten" else parts[-1]


def expressions(trees, name):
    """The places of the calls or operators called `name`."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
            operator = isinstance(node, ast.BinOp) and type(node.op) is OPERATORS.get(name)
            if called == name or operator:
                yield file, span(node)


def nodes_by_graph(traced):
    snapshots = {body["id"]: body["nodes"] for body in traced.bodies("snapshot")}
    for body in traced.bodies("stage"):
        yield body["graph"], body["stage"], snapshots[body["snapshot"]]


def test_forward_nodes_at_every_stage(traced, trees, place):
    seen = set()
    for graph, stage, nodes in nodes_by_graph(traced):
        if stage == "scheduler" or graph.endswith(("backward", "joint")):
            continue
        for node in nodes:
            name = operation(node["target"])
            if name in NAMES and node["op"] != "placeholder" and node["frame"]:
                found = node["frame"]["file"], place(node["frame"])
                assert found in list(expressions(trees, name)), (graph, stage, node)
                seen.add((stage, name))
    assert {name for stage, name in seen if stage == "dynamo"} >= NAMES
    assert {"pre_grad", "post_grad"} <= {stage for stage, _ in seen}


def test_every_range_is_an_expression_of_the_program_s(traced, trees, place):
    known = {(file, span(node)) for file, tree in trees.items() for node in ast.walk(tree) if hasattr(node, "lineno")}
    frames = [node["frame"] for _, _, nodes in nodes_by_graph(traced) for node in nodes]
    frames += [guard["frame"] for body in traced.bodies("guards") for guard in body["guards"]]
    frames += [frame for body in traced.bodies("graph_break") for frame in body["frames"]]
    frames += [frame for body in traced.bodies("recompile") for one in body["failed"] for frame in one["frames"]]
    own = [frame for frame in frames if frame and frame["file"] in trees]
    exact = [frame for frame in own if frame["col"] is not None]
    assert {(frame["file"], place(frame)) for frame in exact} <= known
    assert len(exact) > 0.9 * len(own)


def test_backward_nodes_are_at_their_forward_expression(traced, trees, place):
    snapshot = next(nodes for graph, stage, nodes in nodes_by_graph(traced) if graph.endswith("backward"))
    # A sine's derivative is a cosine and the other way round, and nothing else here has one.
    found = {(node["frame"]["file"], place(node["frame"])) for node in snapshot if "aten.cos" in node["target"]}
    assert found
    assert found <= {*expressions(trees, "sin"), *expressions(trees, "cos")}


def test_guard_on_a_bare_name(traced, trees, place):
    guards = [guard for body in traced.bodies("guards") for guard in body["guards"] if guard["name"] == "L['ü']"]
    (branch,) = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.If)]
    assert {place(guard["frame"]) for guard in guards} == {span(branch.test)}


def test_break_over_several_lines(traced, trees, place):
    (body,) = [body for body in traced.bodies("graph_break") if body["code"]["function"] == "broken"]
    (call,) = [
        node
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    assert place(body["frames"][-1]) == span(call)


def test_editors_range(traced, trees):
    """UTF-16 from UTF-8: the units in between are the expression's own text."""
    texts = {body["file"]: body["text"] for body in traced.bodies("source")}
    ranges = Ranges(Sources(texts))
    for name in sorted(NAMES):
        for file, (line, end_line, col, end_col) in expressions(trees, name):
            found = ranges.of(Frame(file, line, "", end_line, col, end_col))
            lines = texts[file].split("\r\n" if "\r\n" in texts[file] else "\n")[found.start.line : found.end.line + 1]
            units = [one.encode("utf-16-le") for one in lines]
            units[-1] = units[-1][: found.end.character * 2]
            units[0] = units[0][found.start.character * 2 :]
            text = "\n".join(one.decode("utf-16-le") for one in units)
            source = "\n".join(texts[file].split("\r\n"))
            (node,) = [one for one in ast.walk(trees[file]) if isinstance(one, (ast.Call, ast.BinOp)) and span(one) == (
                line, end_line, col, end_col,
            )]  # fmt: skip
            assert text == ast.get_source_segment(source, node)


class Unplaced:
    """An instruction as Python 3.10 has it."""

    positions = None
    opname = "CALL_FUNCTION"


class Translator:
    current_instruction = Unplaced()
    f_code = (lambda: None).__code__
    lineno = 7


class Summary:
    """A frame summary as Python 3.10 has it."""

    filename, lineno, name = "/a.py", 3, "f"


class Nowhere:
    """No positions are known."""

    @staticmethod
    def of_stack(stack):
        return ((stack[0].filename, None, 0),)


class Nothing:
    @staticmethod
    def mention(file):
        pass


def test_without_positions_there_are_lines():
    frames = Frames(Nothing(), Nowhere())
    assert frames.of_summary([Summary()]) == [
        {"file": "/a.py", "line": 3, "end_line": 3, "col": None, "end_col": None, "function": "f"}
    ]
    traced = frames._of_translator(Translator())
    assert (traced["line"], traced["col"], traced["end_col"]) == (7, None, None)
    assert position_at((("/a.py", None, 0),), "/a.py", 3) is None
    ranges = Ranges(Sources({"/a.py": "def f(x):\n    y = 1\n\t  return x  \n"}))
    found = ranges.of(Frame("/a.py", 3))
    assert (found.start.line, found.start.character, found.end.character) == (2, 3, 11)
