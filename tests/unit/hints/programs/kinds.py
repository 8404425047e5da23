"""One compiled function for each kind of likely break (`breaks_…`), and some that break nothing (`fine_…`)."""
# ruff: noqa: ARG001, BLE001, C416, DTZ005, ICN001, LOG015, N812, NPY002, PTH109, PTH123, T201

import contextlib
import copy
import ctypes
import datetime
import io
import json
import logging
import os
import pickle
import random
import subprocess
import sys
import time
import uuid
import warnings
from time import perf_counter

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

log = logging.getLogger(__name__)
flags = {"debug": False}
layer = nn.Linear(8, 8)


@torch.compile(backend="eager")
def breaks_print(x):
    y = x.sin()
    print("a", y.shape)
    return y.cos()


@torch.compile(backend="eager")
def breaks_stdout(x):
    y = x.sin()
    sys.stdout.write("a")
    return y.cos()


@torch.compile(backend="eager")
def breaks_logging(x):
    y = x.sin()
    log.warning("a")
    return y.cos()


@torch.compile(backend="eager")
def breaks_logging_root(x):
    y = x.sin()
    logging.info("a")
    return y.cos()


@torch.compile(backend="eager")
def breaks_warning(x):
    y = x.sin()
    warnings.warn("a", stacklevel=1)
    return y.cos()


@torch.compile(backend="eager")
def breaks_item(x):
    y = x.sin().sum().item()
    return x * y


@torch.compile(backend="eager")
def breaks_tolist(x):
    y = x.sin().tolist()
    return x * y[0]


@torch.compile(backend="eager")
def breaks_number(x):
    h = F.relu(layer(x))
    return x * float(h.max())


@torch.compile(backend="eager")
def breaks_whole_number(x: Tensor):
    return x * int(x[0])


@torch.compile(backend="eager")
def breaks_allclose(x):
    same = torch.allclose(x, x)
    return x.sin() if same else x


@torch.compile(backend="eager")
def breaks_branch(x):
    if x.abs().max() > 1:
        x = x.sin()
    return x.cos()


@torch.compile(backend="eager")
def breaks_branch_not(x):
    mask = torch.isnan(x)
    if not mask.any():
        return x.sin()
    return x.cos()


@torch.compile(backend="eager")
def breaks_branch_expression(x):
    y = x.sum()
    return x.sin() if y > 0 else x.cos()


@torch.compile(backend="eager")
def breaks_branch_while(x):
    while x.abs().max() > 1:
        x = x * 0.5
    return x


@torch.compile(backend="eager")
def breaks_deepcopy(x):
    h = x.sin()
    return copy.deepcopy(h) + 1


@torch.compile(backend="eager")
def breaks_time(x):
    y = x.sin()
    time.time()
    return y.cos()


@torch.compile(backend="eager")
def breaks_time_by_name(x):
    start = perf_counter()
    return x.sin() * (perf_counter() - start)


@torch.compile(backend="eager")
def breaks_time_now(x):
    y = x.sin()
    now = datetime.datetime.now()
    return y.cos(), now


@torch.compile(backend="eager")
def breaks_random(x):
    y = x.sin()
    return y * random.choice([1, 2])


@torch.compile(backend="eager")
def breaks_random_numpy(x):
    y = x.sin()
    return y * np.random.uniform(0, 1)


@torch.compile(backend="eager")
def breaks_file(x):
    y = x.sin()
    with open(os.devnull) as stream:
        stream.read()
    return y.cos()


@torch.compile(backend="eager")
def breaks_environ(x):
    y = x.sin()
    os.environ["COMPILESCOPE_TEST"] = "1"
    return y.cos()


@torch.compile(backend="eager")
def breaks_system(x):
    y = x.sin()
    os.getcwd()
    return y.cos()


@torch.compile(backend="eager")
def breaks_subprocess(x):
    y = x.sin()
    subprocess.run(["true"], check=False)
    return y.cos()


@torch.compile(backend="eager")
def breaks_uuid(x):
    y = x.sin()
    uuid.uuid4()
    return y.cos()


@torch.compile(backend="eager")
def breaks_ctypes(x):
    y = x.sin()
    ctypes.c_int(3)
    return y.cos()


@torch.compile(backend="eager")
def breaks_data_shape(x):
    return torch.nonzero(x > 0) + 1


@torch.compile(backend="eager")
def breaks_data_shape_method(x: torch.Tensor):
    return (x > 0).nonzero() + 1


@torch.compile(backend="eager")
def breaks_data_shape_where(x):
    return torch.where(x > 0)[0] + 1


@torch.compile(backend="eager")
def breaks_mask(x):
    h = x.sin()
    keep = ~(h > 0) & (h < 2)
    return h[keep] + 1


@torch.compile(backend="eager")
def breaks_graph_break(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos()


@torch.compile(backend="eager")
def breaks_pickle(x):
    y = x.sin()
    pickle.dumps([1])
    return y.cos()


@torch.compile(backend="eager")
def breaks_json(x):
    y = x.sin()
    json.dumps({"a": 1})
    return y.cos()


@torch.compile(backend="eager")
def breaks_exec(x):
    y = x.sin()
    exec("a = 1")
    return y.cos()


@torch.compile(backend="eager")
def breaks_seed(x):
    y = x.sin()
    torch.manual_seed(0)
    return y.cos()


@torch.compile(backend="eager")
def breaks_backward(x):
    y = layer(x).sum()
    y.backward()
    return y.detach()


def helper(x):
    y = x.sin()
    print("in a helper")
    return y


@torch.compile(backend="eager")
def breaks_in_helper(x):
    return helper(x).cos()


@torch.compile(backend="eager")
def breaks_in_try(x):
    y = x.sin()
    try:
        print("a")
    finally:
        y = y.cos()
    return y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 8)
        self.register_buffer("limit", torch.ones(()))

    def forward(self, x):
        return self.clip(self.up(x))

    def clip(self, h):
        if h.max() > self.limit:
            h = h.clamp(max=1.0)
        return h


breaks_in_module = torch.compile(Net(), backend="eager")


@torch.compile(backend="eager")
def fine_shapes(x, steps=3, scale=None):
    if x.shape[0] > 3 and x.numel() > 2 and x.dim() == 1:
        x = x.sin()
    for _ in range(steps):
        x = x + 1
    if scale is not None and scale > 2:
        x = x * scale
    while len(x) > 100:
        x = x[:50]
    return x[1:]


@torch.compile(backend="eager")
def fine_random(x):
    return x.sin() * random.uniform(0, 1) + torch.from_numpy(np.random.randn(8)).float()


@torch.compile(backend="eager")
def fine_masks(x):
    y = x.clone()
    y[x > 0] = 0
    return torch.where(y > 0, y, x) + torch.masked_fill(x, x > 1, 0.0)


@torch.compile(backend="eager")
def fine_when_compiling(x):
    if not torch.compiler.is_compiling():
        print("eager")
    if flags["debug"]:
        print("debug")
    y = x.sin()
    if not isinstance(y, torch.Tensor):
        raise TypeError(f"no tensor: {y.item()}")
    return y


@torch.compile(backend="eager")
def fine_handlers(x):
    try:
        y = x.sin()
    except RuntimeError as error:
        print(error)
        raise
    return y


@torch.compile(backend="eager")
def fine_numbers(x, n: int = 3, name: str = "a"):
    assert x.max() < 100
    count = float(n) + int(x.shape[0])
    if count > 2 and name == "a":
        x = x * count
    return x, copy.deepcopy([x.shape[0]]) if n > 100 else None


def not_compiled(x):
    print(x.sum().item())
    return float(x.max())


class Metrics:
    def item(self):
        return 3


@torch.compile(backend="eager")
def fine_other_objects(x, metrics=None):
    found = {"item": 1}
    items = [value for value in found.values()]
    if any(value > 1 for value in items) or max(items) > 3:
        x = x + 1
    return x.cos()


with contextlib.redirect_stdout(io.StringIO()):
    for name, function in sorted(globals().items()):
        if name.startswith(("breaks_", "fine_")):
            try:
                function(torch.linspace(-1.5, 1.5, 8))
            except Exception as error:
                print(f"{name}: {error}", file=sys.stderr)
