"""Writes pairs of records and compares them; compares the two folders of the command line, too. Prints JSON."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from typing import Any

import torch
from compilescope.tracer.compare import compare
from compilescope.tracer.outputs_file import OutputsFile

NAN, INF = math.nan, math.inf
ones = torch.ones(3)
large = torch.arange(1_500_000.0)
changed = large.clone()
changed[-1] += 500.0
"""Not in the sample: seen by the largest value."""

PAIRS: dict[str, tuple[Any, Any]] = {
    "same": (ones, ones.clone()),
    "within": (ones, ones + 1e-6),
    "beyond": (ones, torch.tensor([1.0, 1.0, 1.25])),
    "half within": (ones.bfloat16(), ones.bfloat16() * 1.0078125),
    "double beyond": (ones.double(), ones.double() + 1e-6),
    "integers": (torch.tensor([1, 2]), torch.tensor([1, 3])),
    "large integers": (torch.tensor([2**60]), torch.tensor([2**60 + 1])),
    "unsigned": (torch.tensor([1, 2], dtype=torch.uint16), torch.tensor([1, 3], dtype=torch.uint16)),
    "flags": (torch.tensor([True, False]), torch.tensor([True, True])),
    "complex": (torch.complex(ones, ones), torch.complex(ones, ones + 1.0)),
    "nan in both": (torch.tensor([NAN, INF]), torch.tensor([NAN, INF])),
    "nan in one": (torch.tensor([1.0, 2.0]), torch.tensor([1.0, NAN])),
    "infinite in one": (torch.tensor([1.0]), torch.tensor([INF])),
    "other sign of infinity": (torch.tensor([INF]), torch.tensor([-INF])),
    "shape": (ones, torch.ones(3, 1)),
    "dtype": (ones, ones.double()),
    "empty": (torch.empty(0, 3), torch.empty(0, 3)),
    "strides": (torch.arange(6.0).reshape(2, 3).t(), torch.arange(6.0).reshape(2, 3).t().contiguous()),
    "conjugate": (torch.complex(ones, ones).conj(), torch.complex(ones, -ones)),
    "gradient": (ones, ones.clone().requires_grad_()),
    "large same": (large, large.clone()),
    "large within": (large, large * (1 + 1e-7)),
    "large beyond": (large, changed),
    "number": (1.5, 1.5 + 1e-7),
    "number of a tensor": (torch.tensor(0.1).item(), torch.tensor(0.1000001).item()),
    "clock": (1764462520.25, 1764462526.875 + 1e-6),
    "clock as a tensor": (torch.tensor(1764462520.25).double(), torch.tensor(1764462526.8, dtype=torch.float64)),
    "order of additions": (sum([0.1] * 10), 1.0),
    "other number": (1.5, 1.6),
    "number as tensor": (1.5, torch.tensor(1.5)),
    "nan number": (NAN, NAN),
    "text": ("a", "b"),
    "none": (None, ones),
    "nested": ({"a": [ones, (2,)]}, {"a": [ones, (3,)]}),
    "keys": ({"a": 1}, {"b": 1}),
    "lengths": ([1, 2], [1]),
    "sparse": (torch.eye(2).to_sparse(), torch.eye(2).to_sparse() * 2),
    "object": (object(), object()),
    "quantized": (torch.quantize_per_tensor(ones, 0.1, 0, torch.qint8),) * 2,
    "subclass": (torch.Tensor._make_subclass(type("Mine", (torch.Tensor,), {}), ones),) * 2,
}

AGAIN: dict[str, tuple[Any, Any, Any]] = {
    "time": ((ones, 7.1), (ones, 8.1), (ones, 9.1)),
    "time within": ((ones, 1764462520.1), (ones, 1764462526.7), (ones, 1764462523.3)),
    "time and more": ((ones, 7.1), (ones + 1, 8.1), (ones, 9.1)),
    "a draw": ((ones, ones * 2), (ones, ones * 3), (ones, ones * 4)),
    "steady": ((ones, 7.1), (ones, 7.1), (ones, 7.1)),
}
"""The third is the first, run once more."""


def record(value: Any) -> str:
    folder = tempfile.mkdtemp()
    file = OutputsFile(folder, "MainProcess")
    file.append("call", number=1, name="f", result=file.value(value), arguments=[], buffers=[])
    return folder


def main(folders: list[str]) -> None:
    found = {name: compare(record(one), record(two)) for name, (one, two) in PAIRS.items()}
    found |= {name: compare(*map(record, values)) for name, values in AGAIN.items()}
    found["program"] = compare(*folders)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
