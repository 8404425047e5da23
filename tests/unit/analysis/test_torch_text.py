"""Torch's messages, as torch 2.13 wrote them."""

from __future__ import annotations

import pytest
from compilescope.analysis import torch_text
from compilescope.analysis.facts import Frame
from compilescope.analysis.sources import Sources

LOOP = """\
Graph break in user code at /app/12.py:10
Graph Break Reason: Failed to handle graph break gracefully. Skipping the function and falling back to eager. \
Graph break encountered:

Data-dependent branching
  Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does not support tracing \
dynamic control flow.

      The branch condition involves a tensor computed as follows:
        # File "/app/12.py", line 10, in decode, code: if x.max() > 0.5:
        gt = gt(max_1, 0.5)
    
  Hint: This graph break is fundamental.
  Hint: Use `torch.cond` to express dynamic control flow.

  Developer debug context: attempted to jump with TensorVariable()

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb0170.html

*** While handling this graph break, another graph break occurred: ***

graph break in loop
  Explanation: torch.compile detected a graph break in a for/while loop.
  Hint: This graph break may have been caused by an earlier graph break.

  Developer debug context: frame skipped: decode (/app/12.py line 5)

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb7000.html

Stack variable source attribution:
  RangeIteratorVariable() originated from:
  File "/app/12.py", line 8

User code traceback:
  File "/app/12.py", line 16, in <module>
    print(decode(torch.linspace(0, 1, 4), 3).shape)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/app/12.py", line 10, in decode
    if x.max() > 0.5:
       ^^^^^^^^^^^^^

Traceback (most recent call last):
  File "/venv/torch/_dynamo/symbolic_convert.py", line 1950, in run
    while self.step():
"""  # noqa: W293


def test_break_with_its_cause_and_what_followed():
    said = torch_text.break_text(LOOP)
    assert (said.gb_type, said.gb_id) == ("Data-dependent branching", "GB0170")
    assert (said.skip_type, said.skip_id) == ("graph break in loop", "GB7000")
    assert said.skipped
    assert said.context == "attempted to jump with TensorVariable()"
    assert said.hints == (
        "This graph break is fundamental.",
        "Use `torch.cond` to express dynamic control flow.",
    )
    assert "Traceback" not in said.reason
    assert said.reason.startswith("Failed to handle graph break gracefully")


def test_break_of_an_older_torch_has_the_kind_of_its_first_line():
    said = torch_text.break_text("Graph Break Reason: call_function BuiltinVariable(print)\nUser code traceback:\n")
    assert (said.gb_type, said.gb_id, said.skipped) == ("Failed to trace builtin operator", None, False)
    assert said.reason == "call_function BuiltinVariable(print)"


def test_users_traceback_with_columns_of_the_known_file():
    text = "\n" * 9 + "    if x.max() > 0.5:\n"
    stack = torch_text.frames(torch_text.user_traceback(LOOP), Sources({"/app/12.py": text}))
    assert stack == (
        Frame("/app/12.py", 16, "<module>"),
        Frame("/app/12.py", 10, "decode", 10, 7, 20),
    )


@pytest.mark.parametrize(
    ("reason", "part", "about", "old", "new"),
    [
        ("0/0: tensor 'pos' size mismatch at index 0. expected 3, actual 4", None, "pos", "3", "4"),
        (
            "0/1: tensor 'cache.keys[0]' dtype mismatch. expected Float, actual Half",
            None,
            "cache.keys[0]",
            "Float",
            "Half",
        ),
        ("2/0: rows == 20      # patch = img[:rows]  # a.py:9 in f", "rows == 20", "rows", "20", None),
        ("0/0: KeyError on self.gain", "KeyError on self.gain", "self.gain", "there", "missing"),
    ],
)
def test_recompile_reasons(reason, part, about, old, new):
    _, failed = torch_text.failed(reason)
    assert failed.part == (part or reason[5:])
    assert (failed.expression, failed.old, failed.new) == (about, old, new)


def test_recompile_reason_with_its_stack():
    entry, failed = torch_text.failed(
        "0/0: G['calls'] == 0     # calls += 1  # shared/22.py:9 in hook\nUser stack trace:\n"
        '  File "/app/22.py", line 18, in run\n    y = hook(y)\n  File "/app/22.py", line 9, in hook\n    calls += 1'
    )
    assert entry == "0/0"
    assert failed.frames == (Frame("/app/22.py", 18, "run"), Frame("/app/22.py", 9, "hook"))


def test_place_in_a_guards_comment_needs_the_file():
    reason = (
        "0/1: (1.0 + sigma) == 1.5  # freq = math.log(sigma)  # cases/19.py:9 in denoise (_dynamo/utils.py:42 in run)"
    )
    assert torch_text.failed(reason, Sources({}))[1].frames == ()
    known = Sources({"/app/cases/19.py": ""})
    assert torch_text.failed(reason, known)[1].frames == (Frame("/app/cases/19.py", 9, "denoise"),)


def test_names_are_the_programs():
    assert torch_text.user_names("L['self']._modules['drop'].training == True") == "self.drop.training == True"
    assert torch_text.user_names("(1.0 + L['sigma']) == G['n']") == "(1.0 + sigma) == n"
    assert torch_text.user_names("L['cfg']['rate'] == 1") == "cfg['rate'] == 1"


def test_what_was_called():
    assert torch_text.called_in("builtin print [<class 'X'>] False") == "print"
    assert torch_text.called_in("call_method TensorVariable() item () {}") == ".item()"
    assert torch_text.called_in("attempted to jump with TensorVariable()") is None


@pytest.mark.parametrize("folder", ["/tmp/new", "/tmp/sp ace"])
def test_a_comment_s_place_has_its_whole_path_again(folder):
    sources = Sources({f"{folder}/a.py": "if x.shape[0] % 2 == 0: pass\n"})
    shortened = f"{folder}/a.py"[2:]  # what torch.utils._traceback.shorten_filename leaves when only the root is shared
    part = (
        f"(x.size()[0] % 2) == 0  # if x.shape[0] % 2 == 0:  # {shortened}:1 in f (_dynamo/variables/tensor.py:26 in g)"
    )
    assert torch_text.comment_frames(part, sources) == (Frame(f"{folder}/a.py", 1, "f"),)
    assert torch_text.comment_frames(part, Sources({"/other/a.py": ""})) == ()


def test_a_guard_ends_before_torch_s_hint_with_and_without_a_comment():
    hint = "(HINT: torch.compile considers integer attributes of the nn.Module to be static. If you are observing …)"
    padded = f"0/1: m.k == 2                                                {hint}"
    commented = f"0/1: m.k == 2      # return x + self.k  # run.py:7 in forward {hint}"
    for reason in (padded, commented):
        assert (torch_text.failed(reason)[1].part, torch_text.failed(reason)[1].old) == ("m.k == 2", "2")
