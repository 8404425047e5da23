"""Whatever text and whatever finding: no kind of fix fails, and edits stay inside of the file."""

from __future__ import annotations

import itertools

import parso
import pytest
from compilescope.analysis.model import Finding, Fix, Position, Range
from compilescope.fixes import attach
from compilescope.fixes.edits import edited
from compilescope.fixes.propose import KINDS
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.fixes.made import FILE, finding, result

TEXT = '''\
"""A program."""
from __future__ import annotations
import logging, math
import torch
log = logging.getLogger("é😀")


class Net(torch.nn.Module):
    @torch.compile
    def forward(self, x, k=0.5, *more, **rest):
\t# a tab
        s, t = x.abs().max().item(), float(x.mean())
        n = int(x.sum()) + (y := 3)
        if x.sum().item() > 0 and not (x < k).any():  # why
            x = x / s; y -= n
        elif bool(x[0]):
            return [math.log(t) for _ in range(n)]
        else:
            x += 1
        print(f"{x.shape!r:>{n}}", x, sep="")
        log.info("%s", x), print("""
        é😀
        """)
        x = x + 1 if x.max() > 6.0 else (lambda z: z.clamp(-6.0, 6.0))(x)
        if x.abs().max() > 6.0:
            x = x.clamp(-6.0, 6.0)
        return x[: n], torch.zeros(n), s * t
'''
SAID = [
    ("Data-dependent branching", "attempted to jump with TensorVariable()"),
    ("Unsupported Tensor.item() call with capture_scalar_outputs=False", "call_method TensorVariable() item () {}"),
    (
        "Failed to trace builtin operator",
        "builtin print [<class 'torch._dynamo.variables.tensor.TensorVariable'>] False",
    ),
    ("logging.Logger method not supported for non-export cases", ""),
    ("Attempted to call function marked as skipped", "module: numpy, qualname: sum, skip reason: x"),
    (None, None),
]
RULES = [
    "graph-break",
    "frame-skipped",
    "graph-break-error",
    "recompile",
    "recompile-limit",
    "compile-error",
    "fallback-op",
]


def fixes(text: str, found: Finding) -> list[Fix]:
    attach(result(found), {FILE: text})
    return found.fixes


def check(text: str, found: Finding) -> None:
    """Edits are inside of the text, apart from one another, and at most one fix is preferred."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    sizes = [len(line.encode("utf-16-le", "surrogatepass")) // 2 for line in lines]
    given_fixes = fixes(text, found)
    assert sum(one.preferred for one in given_fixes) <= 1
    for one in given_fixes:
        for edit in one.edits:
            start, end = edit.range.start, edit.range.end
            assert (0, 0) <= (start.line, start.character) <= (end.line, end.character)
            for place in (start, end):
                inside = place.line < len(lines) and place.character <= sizes[place.line]
                assert inside or (place.line == len(lines) and place.character == 0)
        places = [(edit.range.start, edit.range.end) for edit in one.edits]
        spans = sorted((start.line, start.character, end.line, end.character) for start, end in places)
        assert all(before[2:] <= after[:2] for before, after in itertools.pairwise(spans))
        edited({FILE: text}, one.edits)


positions = st.builds(Position, st.integers(0, 32), st.integers(0, 60))
ranges = st.builds(
    lambda one, other: Range(*sorted((one, other), key=lambda at: (at.line, at.character))), positions, positions
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The program with pieces taken out, doubled, or put in; lines that end in another way."""
    text = TEXT
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        new = draw(
            st.sampled_from(
                ["", text[start:end] * 2, "(", ")", "\n", ":", "\\\n", "'", '"""', "😀", "\t", "if x: ", "#"]
            )
        )
        text = text[:start] + new + text[end:]
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))


@settings(max_examples=150, deadline=None)
@given(programs(), ranges, st.sampled_from(RULES), st.sampled_from(SAID))
def test_any_range_of_any_text(text, range_, rule, said):
    check(text, finding(range_, rule, said))


@pytest.mark.parametrize("said", SAID)
def test_each_node_of_the_program(said):
    waiting = [parso.parse(TEXT)]
    while waiting:
        node = waiting.pop()
        waiting += getattr(node, "children", [])
        (first, start), (last, end) = node.start_pos, node.end_pos
        check(TEXT, finding(Range(Position(first - 1, start), Position(last - 1, end)), said=said))


def test_deep_expressions():
    text = "import torch\n\ndef run(x):\n    return " + "(" * 3000 + "x" + ")" * 3000 + "\n"
    check(text, finding(Range(Position(3, 3011), Position(3, 3012))))
    chain = "".join(f"    x{i + 1} = x{i} + x{i}\n" for i in range(2000))
    text = (
        f"import torch\n\ndef run(x0):\n{chain}    if x2000.sum() > 0:\n        x2000 = x2000 + 1\n    return x2000\n"
    )
    check(text, finding(Range(Position(2003, 7), Position(2003, 22))))


def test_all_kinds_are_asked():
    assert len(KINDS) == len(set(KINDS)) > 3
