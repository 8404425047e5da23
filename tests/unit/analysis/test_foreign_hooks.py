"""Breaks in hooks of torch's own: what is said of FSDP's is not what is said of one that the program registered."""

from __future__ import annotations

import pytest

from tests.unit.analysis.made import Made

MAIN, LIBRARY = "/app/main.py", "/opt/venv/lib/python3.12/site-packages"
FSDP = f"{LIBRARY}/torch/distributed/fsdp/_fully_shard/_fsdp_state.py"
# An H200's log, torch 2.11.
REASON = """Graph break in user code at {file}:64
Graph Break Reason: Failed to handle graph break gracefully. Skipping the function and falling back to eager. \
Graph break encountered:

Attempted to call function marked as skipped
  Explanation: Dynamo developers have intentionally marked that the function `disable` in file \
`/opt/venv/lib/python3.12/site-packages/torch/_dynamo/decorators.py` should not be traced.
  Hint: Avoid calling the function `disable`.

  Developer debug context: module: torch._dynamo.decorators, qualname: disable, skip reason: <missing reason>

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb0007.html

*** While handling this graph break, another graph break occurred: ***

graph break in loop
  Explanation: torch.compile detected a graph break in a for/while loop.

  Developer debug context: frame skipped: forward ({main} line 1)

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb7000.html

User code traceback:
  File "{main}", line 3, in forward
    for layer in self.layers: x = layer(x)
  File "{library}/torch/nn/modules/module.py", line 1833, in inner
    result = hook(self, args)
  File "{file}", line 64, in {function}
    return torch._dynamo.disable(func)(*args, **kwargs)
"""


@pytest.mark.parametrize(("file", "function", "own"), [(FSDP, "fsdp_hook_wrapper", False), (MAIN, "my_hook", True)])
def test_whose_hook_it_is(tmp_path, file, function, own):
    made = Made(tmp_path, ours=False)
    reason = REASON.format(file=file, main=MAIN, library=LIBRARY, function=function)
    made.torch_event("artifact", {"name": "dynamo_graph_break_reason", "encoding": "string"}, "0/0", reason)
    made.compiled("0/0", "forward", 1, fail_type="Unsupported", fail_reason="x", has_guarded_code=False)
    (one,) = made.findings("frame-skipped")
    said = " ".join([one.title, one.detail["label"], *one.hints])
    assert ("This is a hook of a module" in said) == own
    assert ("`fully_shard`" in said) == (not own)
