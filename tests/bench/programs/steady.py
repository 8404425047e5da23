"""A compiled call over and over; under the tracer in turn with and without what it has in the way.

Writes how many Python calls one such call takes; under the tracer also its microseconds of each kind, near the least of
all rounds. `steady.py RESULT`
"""

import gc
import sys
import time
from pathlib import Path

import torch
from torch._C._dynamo.eval_frame import set_guard_complete_hook
from torch._inductor.output_code import CompiledFxGraph

WARM, CALLS, ROUNDS = 3000, 20, 4000


@torch.compile
def step(x):
    return torch.softmax(x @ x, dim=-1) + x


def time_of_a_call(x):
    begun = time.perf_counter()
    for _ in range(CALLS):
        step(x)
    return (time.perf_counter() - begun) / CALLS


def python_calls(x):
    events = []
    sys.setprofile(lambda _frame, event, _argument: events.append(event))
    for _ in range(CALLS):
        step(x)
    sys.setprofile(None)
    return sum(event in {"call", "c_call"} for event in events) / CALLS


def times(x):
    """Microseconds of a call with and without the tracer's counter and look-up hook."""
    (graph,) = (one for one in gc.get_objects() if type(one) is CompiledFxGraph)
    counted, lookup = graph.current_callable, set_guard_complete_hook(None)
    plain = dict(zip(counted.__code__.co_freevars, counted.__closure__, strict=True))["call"].cell_contents
    seconds = {True: [], False: []}
    for _ in range(ROUNDS):
        for hooked in (True, False):
            graph.current_callable = counted if hooked else plain
            set_guard_complete_hook(lookup if hooked else None)
            step(x)
            seconds[hooked].append(time_of_a_call(x))
    return [sorted(seconds[hooked])[ROUNDS // 100] * 1e6 for hooked in (True, False)]


torch.set_num_threads(1)
with torch.no_grad():
    x = torch.randn(64, 64)
    for _ in range(WARM):
        step(x)
    numbers = [python_calls(x), *(times(x) if "compilescope.tracer" in sys.modules else ())]
Path(sys.argv[1]).write_text(" ".join(map(str, numbers)), encoding="utf-8")
