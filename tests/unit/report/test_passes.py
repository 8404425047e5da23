"""What the text report says of the program's own passes."""

from dataclasses import replace
from pathlib import Path

from compilescope.analysis.model import Pass, UnrunPass
from compilescope.report.passes import custom_passes
from compilescope.report.style import Style
from compilescope.report.text import render

from tests.unit.report.made import result

STYLE = Style(colour=False, cwd=Path("/w"))
SLOT = "post_grad_custom_post_pass"


def step(*, changed=False, **more):
    values = {"custom": True, "slot": SLOT, "function": "mine.Rules.fuse", "file": "/w/mine.py", "line": 12, **more}
    return Pass("0/0", "0/0/forward", "post_grad", SLOT, 0, 0, 0.1, 9, 9, 9, 9, 0, changed, **values)


def unrun(compile_id="0/0", reason="No backward.", **more):
    values = {"slot": SLOT, "function": "mine.Rules.fuse", "file": "/w/mine.py", "line": 12, **more}
    return UnrunPass(compile_id, cause=None, reason=reason, **values)


def shown(passes, unrun=()):
    return custom_passes(replace(result([]), passes=list(passes), unrun=list(unrun)), STYLE)


def test_torchs_own_passes_are_no_word_worth():
    assert shown([step(custom=False)]) == []
    assert "Custom passes" not in render(replace(result([]), passes=[step(custom=False)]), {}, style=STYLE, notes=[])
    assert "Custom passes" in render(replace(result([]), passes=[step()]), {}, style=STYLE, notes=[])


def test_how_often_a_pass_ran_and_what_it_did():
    name = f"  fuse ({SLOT}, mine.py:12)"
    assert shown([step(changed=True)])[1:] == [f"{name}: ran once; changed the graph"]
    assert shown([step()])[1:] == [f"{name}: ran once; did not change the graph"]
    assert shown([step(changed=True), step(), step()])[1:] == [f"{name}: ran 3 times; changed the graph once"]
    assert shown([step(), step()])[1:] == [f"{name}: ran 2 times; never changed the graph"]


def test_a_failure_with_its_message():
    text = " ".join(" ".join(shown([step(error="KeyError", message="no\n such\x1b node")])).split())
    assert "failed with KeyError: no such\N{REPLACEMENT CHARACTER} node" in text


def test_a_pass_that_never_ran_and_one_that_did_not_run_everywhere():
    assert shown([], [unrun(), unrun("0/1")])[1:] == [
        f"  fuse ({SLOT}, mine.py:12): never ran in 0/0, 0/1: No backward."
    ]
    several = shown([], [unrun(str(number)) for number in range(5)] + [unrun("7", reason="A cache.")])[1:]
    reasons = "never ran in 0, 1, 2 and 2 more: No backward.; in 7: A cache."
    assert " ".join(" ".join(several).split()) == f"fuse ({SLOT}, mine.py:12): {reasons}"
    assert shown([], [unrun(None)])[1:] == [f"  fuse ({SLOT}, mine.py:12): never ran: No backward."]
    text = " ".join(" ".join(shown([step(changed=True)], [unrun("0/1")])).split())
    assert text.endswith("ran once; changed the graph; not in 0/1: No backward.")


def test_one_function_in_two_slots_is_two_passes():
    assert len(shown([step(), step(slot="joint_custom_pre_pass")])) == 3


def test_little_is_known():
    (_, line) = shown([step(slot=None, function=None, file=None, line=None)])
    assert line == f"  {SLOT}: ran once; did not change the graph"


def test_long_lists_are_cut():
    lines = shown([step(line=line) for line in range(1, 40)])
    assert len(lines) < 20
    assert "27 more" in lines[-1]
