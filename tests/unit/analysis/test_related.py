"""Where else to look: the value that a branch depends on, the block that can't be resumed."""

from __future__ import annotations

import pytest

from tests.unit.analysis.made import Made, frame

MAIN = "/app/main.py"
SOURCE = """\
def run(x, scale):
    h = x * scale
    def inner(h):
        h = h + 1
        return h
    if inner(h).sum() > 0:
        h = h + 1
    for step in range(3):
        with open(step):
            try:
                h = h * h.max().item()
            finally:
                pass
    return h
"""
BRANCH = {"gb_type": "Data-dependent branching", "gb_id": "GB0170"}
ITEM = {"gb_type": "Unsupported Tensor.item() call with capture_scalar_outputs=False", "gb_id": "GB0124"}
LOOP = (
    "Failed to handle graph break gracefully. Skipping the function and falling back to eager. Graph break "
    "encountered:\n\nData-dependent branching\n  Explanation: x\n\n  Developer debug context: a\n\n"
    " visit: https://x/gb/gb0170.html\n\n*** While handling this graph break, another graph break occurred: ***\n\n"
    "{}\n  Explanation: x\n\n  Developer debug context: b\n\n visit: https://x/gb/gb7000.html\n"
)


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


def related(made):
    """The lines from 1, texts and messages of the one finding's related places."""
    (finding,) = made.findings()
    lines = SOURCE.split("\n")
    return [
        (
            one["range"]["start"]["line"] + 1,
            lines[one["range"]["start"]["line"]][one["range"]["start"]["character"] : one["range"]["end"]["character"]],
            one["text"],
        )
        for one in finding.detail.get("related", [])
    ]


def test_where_the_value_of_a_branch_was_computed(made):
    made.graph_break("0/0", [frame(MAIN, 6, "run", 7, 25)], **BRANCH)
    assert related(made) == [(2, "h", "`h` was computed here")]


@pytest.mark.parametrize(
    ("skip", "line", "text", "message"),
    [
        ("graph break in loop", 8, "for step in range(3):", "the loop"),
        ("Graph break under GenericContextWrappingVariable", 9, "with open(step):", "the `with` block"),
    ],
)
def test_the_block_that_can_t_be_resumed(made, skip, line, text, message):
    made.graph_break("0/0", [frame(MAIN, 11, "run", 24, 38)], kind="frame-skipped", reason=LOOP.format(skip), **ITEM)
    assert related(made) == [(line, text, message)]


def test_the_try_that_can_t_be_resumed(made):
    made.graph_break("0/0", [frame(MAIN, 11, "run", 24, 38)], kind="frame-skipped", **ITEM)
    assert related(made) == [(10, "try:", "the `try` block")]


def test_other_breaks_have_none(made):
    made.graph_break("0/0", [frame(MAIN, 11, "run", 24, 38)], **ITEM)
    assert related(made) == []
