"""A compiled call over and over, in turn with and without the tracer's two hooks in its way.

Prints the seconds of a call of each kind, the shortest of all rounds. Run under the tracer: `steady.py RESULT`.
"""

import sys
import time
from pathlib import Path

import torch
from torch._C._dynamo.eval_frame import set_guard_complete_hook
from torch._inductor.output_code import CompiledFxGraph

CALLS, ROUNDS = 200, 400


@torch.compile
def step(x):
    return torch.softmax(x @ x, dim=-1) + x


def hook(call, lookup):
    CompiledFxGraph.__call__ = call
    set_guard_complete_hook(lookup)


def seconds_of_a_call(x):
    begun = time.perf_counter()
    for _ in range(CALLS):
        step(x)
    return (time.perf_counter() - begun) / CALLS


torch.set_num_threads(1)
with torch.no_grad():
    x = torch.randn(64, 64)
    step(x)
    traced = CompiledFxGraph.__call__, set_guard_complete_hook(None)
    plain = getattr(traced[0], "__wrapped__", traced[0]), None
    best = {}
    for number in range(ROUNDS):
        for kind, hooks in (("traced", traced), ("plain", plain))[:: 1 if number % 2 else -1]:
            hook(*hooks)
            best[kind] = min(seconds_of_a_call(x), best.get(kind, 1.0))
    hook(*traced)
Path(sys.argv[1]).write_text(f"{best['traced']} {best['plain']}", encoding="utf-8")
