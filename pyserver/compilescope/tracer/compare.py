"""Compares two records of what compiled functions returned (`outputs_file.py`): run by the program's own interpreter.

Calls are paired by process, function and how many calls of that function came before; values by where they stand in the
result. Two numbers are equal when they differ by no more than `atol + rtol * |reference|`, with the tolerances that
`torch.testing.assert_close` takes for the dtype; NaN equals NaN. Integers, Booleans, strings and the types of
exceptions have to be the same.

Numbers of 64 bits that are equal in this way may still be another time, or computed in 32 bits. Those that differ by
more than `FINE` are counted as `loose`, for somebody to look closer. A Python float that float32 can hold as it is was
made of such a tensor most likely and has its tolerance.

What a third record, `again`, has otherwise than the reference is `unsteady` and not compared: nobody can reproduce it.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
from typing import Any

TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
TOLERANCES |= {"complex32": (1e-3, 1e-5), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}
"""`rtol`, `atol` (torch/testing/_comparison.py, 2.6 to 2.14); all other dtypes are compared exactly."""
FINE = (1e-12, 1e-12)
"""`rtol`, `atol` of numbers of 64 bits that were computed in the same way, but for the order of additions."""
FLOAT = "float32"
SHOWN = 8

Value = dict[str, Any]


def compare(reference: str, other: str, again: str | None = None) -> dict[str, Any]:
    """Compare the records of two folders; the result is described in docs/fixes.md.

    `again`: the record of a run that should have been just like that of the reference.
    """
    one, two = _Record(reference), _Record(other)
    twice = _Comparison(one, one if again is None else _Record(again))
    if again is not None:
        twice.run()
    comparison = _Comparison(one, two, unsteady=twice.apart)
    comparison.run()
    return comparison.result()


def write(job: dict[str, Any]) -> None:
    """Compare what `job` names, `reference` and `other`, and write the result as JSON to its `out`."""
    found = compare(job["reference"], job["other"], job.get("again"))
    with open(job["out"], "w", encoding="utf-8") as stream:
        json.dump(found, stream)


class _Record:
    """The lines of a folder's files, by process; `data` reads a tensor's bytes."""

    def __init__(self, folder: str) -> None:
        self.calls: dict[tuple[str, str, int], dict[str, Any]] = {}
        self.backwards: dict[tuple[str, int], dict[str, Any]] = {}
        self.stopped = False
        names: dict[str, int] = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".jsonl"):
                self._read(os.path.join(folder, name), names)

    def _read(self, path: str, names: dict[str, int]) -> None:
        process, counts, data = "", dict[str, int](), path.removesuffix(".jsonl") + ".bin"
        with open(path, "rb") as stream:
            for text in stream:
                try:
                    line = json.loads(text)
                except ValueError:  # the process was killed while it wrote
                    continue
                line["data"] = data
                if line["kind"] == "process":
                    name = str(line["process"])
                    names[name] = number = names.get(name, 0) + 1
                    process = name if number == 1 else f"{name} {number}"
                elif line["kind"] == "call":
                    count = counts[line["name"]] = counts.get(line["name"], 0) + 1
                    self.calls[process, line["name"], count] = line
                elif line["kind"] == "backward":
                    self.backwards[process, line["number"]] = line
                elif line["kind"] == "stopped":
                    self.stopped = True


class _Comparison:
    """Collects what two records have in common and where they differ."""

    def __init__(self, reference: _Record, other: _Record, unsteady: list[dict[str, Any]] | None = None) -> None:
        import torch

        self._torch: Any = torch
        self._one, self._two = reference, other
        self._delta = 0.0
        self._same_bits = True
        self._tensors = self._sampled = 0
        self._differences: list[dict[str, Any]] = []
        self._loose: list[dict[str, Any]] = []
        self._unsteady = unsteady or []
        self._left_out = {_key(found) for found in self._unsteady}
        self._uncompared: dict[str, int] = {}
        self._notes: set[str] = set()
        self._where: dict[str, Any] = {}

    @property
    def apart(self) -> list[dict[str, Any]]:
        """Where the records differ, be it within the tolerance of 32 bits."""
        return self._differences + self._loose

    def run(self) -> None:
        """Compare every call and every backward."""
        one, two = self._one, self._two
        for key, line in one.calls.items():
            self._where = {"call": line["number"], "function": line["name"], "process": key[0]}
            if key in two.calls:
                self._call(line, two.calls[key])
            elif not two.stopped:
                self._differ("missing", "", message="this call came only without the change")
        for key, line in two.calls.items():
            if key not in one.calls and not one.stopped:
                self._where = {"call": line["number"], "function": line["name"], "process": key[0]}
                self._differ("missing", "", message="this call came only with the change")
        for place, line in one.backwards.items():
            if place in two.backwards:
                self._where = {"backward": line["number"], "process": place[0]}
                self._common(
                    "gradient of ", line["gradients"], two.backwards[place]["gradients"], line, two.backwards[place]
                )

    def result(self) -> dict[str, Any]:
        """What was found."""
        one, two = self._one, self._two
        calls = sum(key in two.calls for key in one.calls)
        return {
            "calls": calls,
            "calls_reference": len(one.calls),
            "calls_other": len(two.calls),
            "backwards": sum(key in two.backwards for key in one.backwards),
            "tensors": self._tensors,
            "sampled": self._sampled,
            "equal": not self._differences,
            "same_bits": self._same_bits,
            "delta_max": self._delta,
            "first": self._differences[0] if self._differences else None,
            "differences": len(self._differences),
            "loose": self._loose[:SHOWN],
            "unsteady": list({(one.get("function"), one["place"]): one for one in self._unsteady}.values())[:SHOWN],
            "uncompared": [{"what": what, "count": count} for what, count in sorted(self._uncompared.items())],
            "notes": sorted(self._notes),
            "stopped": one.stopped or two.stopped,
        }

    def _call(self, one: dict[str, Any], two: dict[str, Any]) -> None:
        if one.get("error") != two.get("error"):
            first, second = (line.get("error") for line in (one, two))
            self._differ("error", "", message=f"{first or 'a result'} became {second or 'a result'}")
            return
        if "result" in one and "result" in two:
            self._value(one["result"], two["result"], "result", one, two)
        self._common("argument ", one["arguments"], two["arguments"], one, two)
        self._common("buffer ", one["buffers"], two["buffers"], one, two)

    def _common(self, what: str, first: list[Any], second: list[Any], one: dict[str, Any], two: dict[str, Any]) -> None:
        """What both runs have by a name."""
        others = dict(map(tuple, second))
        for name, value in first:
            if name in others:
                self._value(value, others[name], f"{what}{name}", one, two)

    def _value(self, a: Value, b: Value, place: str, one: dict[str, Any], two: dict[str, Any]) -> None:
        if self._left_out and _key({**self._where, "place": place}) in self._left_out:
            return
        if "tensor" in a and "tensor" in b:
            self._tensor(a["tensor"], b["tensor"], place, one, two)
        elif "other" in a or "other" in b:
            found = a if "other" in a else b
            what = f"{found['other']} ({found['why']})"
            self._uncompared[what] = self._uncompared.get(what, 0) + 1
        elif "items" in a and "items" in b:
            if len(a["items"]) != len(b["items"]):
                self._differ("structure", place, message=f"{len(a['items'])} values became {len(b['items'])}")
            for index, (left, right) in enumerate(zip(a["items"], b["items"], strict=False)):
                self._value(left, right, f"{place}[{index}]", one, two)
        elif "entries" in a and "entries" in b:
            self._entries(a, b, place, one, two)
        else:
            dtypes = [found["tensor"]["dtype"] for found in (a, b) if "tensor" in found]
            self._scalars(self._number(a, one), self._number(b, two), place, dtypes)
            if ("tensor" in a) != ("tensor" in b):
                self._notes.add(f"{place} is a {'tensor' if 'tensor' in b else 'Python number'} with the change")

    def _entries(self, a: Value, b: Value, place: str, one: dict[str, Any], two: dict[str, Any]) -> None:
        if [key for key, _ in a["entries"]] != [key for key, _ in b["entries"]]:
            self._differ("structure", place, message="other keys")
        others = dict(map(tuple, b["entries"]))
        for key, value in a["entries"]:
            if key in others:
                self._value(
                    value, others[key], f"{place}[{key!r}]" if a["type"] == "dict" else f"{place}.{key}", one, two
                )

    def _number(self, value: Value, line: dict[str, Any]) -> Any:
        """What a value is outside of tensors; of a tensor with one element that element."""
        if "tensor" in value:
            tensor = self._read(value["tensor"], line)
            return tensor.reshape(-1)[0].item() if tensor.numel() == 1 else tuple(tensor.shape)
        if "complex" in value:
            return complex(*value["complex"])
        return value["scalar"] if "scalar" in value else value.get("type")

    def _scalars(self, a: Any, b: Any, place: str, dtypes: list[str]) -> None:
        """Compare two values outside of tensors; `dtypes`: of the one that is a tensor."""
        numbers = (bool, int, float, complex)
        if not isinstance(a, numbers) or not isinstance(b, numbers):
            if a != b:
                self._differ("value", place, values=[_pair(a, b, [])])
            return
        if a == b or (a != a and b != b):  # noqa: PLR0124 - NaN
            return
        self._same_bits = False
        delta = abs(a - b)
        if not math.isfinite(delta):
            self._differ("nan", place, values=[_pair(a, b, [])])
            return
        self._delta = max(self._delta, delta)
        inexact = isinstance(a, (float, complex)) or isinstance(b, (float, complex))
        rtol, atol = TOLERANCES.get(next(iter(dtypes), FLOAT), (0.0, 0.0)) if inexact else (0.0, 0.0)
        if delta > atol + rtol * abs(a):
            self._differ("value", place, delta=delta, values=[_pair(a, b, [])])
        elif not dtypes and not (_has_32_bits(a) and _has_32_bits(b)) and delta > FINE[1] + FINE[0] * abs(a):
            self._loosely(place, delta, [_pair(a, b, [])])

    def _tensor(self, a: Value, b: Value, place: str, one: dict[str, Any], two: dict[str, Any]) -> None:
        self._tensors += 1
        for key, kind in (("shape", "shape"), ("dtype", "dtype")):
            if a[key] != b[key]:
                self._differ(kind, place, message=f"{_said(a[key])} became {_said(b[key])}")
                return
        if a["grad"] != b["grad"]:
            self._notes.add(f"{place} {'requires' if b['grad'] else 'no longer requires'} a gradient with the change")
        if "sample" in a:
            if a["hash"] == b["hash"]:
                return
            self._sampled += 1
        elif _content(a, one) == _content(b, two):
            return
        self._elements(self._read(a, one), self._read(b, two), a, b, place)

    def _elements(self, first: Any, second: Any, a: Value, b: Value, place: str) -> None:
        torch = self._torch
        self._same_bits = False
        exact, (rtol, atol) = a["dtype"] not in TOLERANCES, TOLERANCES.get(a["dtype"], (0.0, 0.0))
        wide = torch.complex128 if first.dtype.is_complex else torch.float64
        x, y = first.reshape(-1).to(wide), second.reshape(-1).to(wide)
        same = self._same_integers(first, second) if exact else (x == y) | (x.isnan() & y.isnan())
        apart = (x - y).abs()
        wild = ~same & ~apart.isfinite()
        delta = float(apart[~same & ~wild].max()) if bool((~same & ~wild).any()) else 0.0
        self._delta = max(self._delta, delta)
        bad = ~same if exact else wild | (~same & (apart > atol + rtol * x.abs()))
        if bool(bad.any()):
            places = bad.nonzero().reshape(-1)[:SHOWN].tolist()
            values = [_pair(x[at].item(), y[at].item(), self._index(at, a)) for at in places]
            kind, count = ("nan" if bool(wild.any()) else "value"), int(bad.sum())
            self._differ(kind, place, delta=delta, values=values, elements=count, of=first.numel())
            return
        if a["dtype"] in {"float64", "complex128"}:
            places = (~same & (apart > FINE[1] + FINE[0] * x.abs())).nonzero().reshape(-1)[:SHOWN].tolist()
            if places:
                self._loosely(place, delta, [_pair(x[at].item(), y[at].item(), self._index(at, a)) for at in places])
        if "sample" in a:
            self._whole(a, b, place, rtol, atol)

    def _same_integers(self, first: Any, second: Any) -> Any:
        """Which elements have the same bits: float64 has not enough of them, unsigned ones can't be compared."""
        torch = self._torch
        signed = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[first.element_size()]
        return first.reshape(-1).view(signed) == second.reshape(-1).view(signed)

    def _whole(self, a: Value, b: Value, place: str, rtol: float, atol: float) -> None:
        """Compare what is known of all elements, when those of the sample agree."""
        count = math.prod(a["shape"])
        for key, allowed in (("norm", math.sqrt(count) * atol), ("largest", atol)):
            left, right = a[key], b[key]
            if left is None or (left == right) or (math.isnan(left) and math.isnan(right)):
                continue
            if not abs(left - right) <= allowed + rtol * abs(left):
                self._differ("value", place, message=f"{key} {left:.6g} became {right:.6g}")
                return

    def _index(self, at: int, a: Value) -> list[int]:
        if "sample" in a:
            at *= max(1, math.prod(a["shape"]) // a["sample"])
        index = []
        for size in reversed(a["shape"]):
            at, rest = divmod(at, size)
            index.append(rest)
        return index[::-1]

    def _read(self, tensor: Value, line: dict[str, Any]) -> Any:
        torch = self._torch
        dtype = getattr(torch, tensor["dtype"])
        shape = [tensor["sample"]] if "sample" in tensor else tensor["shape"]
        if not tensor["bytes"]:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(bytearray(_content(tensor, line)), dtype=dtype).reshape(shape)

    def _loosely(self, place: str, delta: float, values: list[dict[str, Any]]) -> None:
        self._loose.append({**self._where, "kind": "value", "place": place, "delta": delta, "values": values})

    def _differ(self, kind: str, place: str, **more: Any) -> None:
        if _key({**self._where, "place": place}) not in self._left_out:
            self._differences.append({**self._where, "kind": kind, "place": place, **more})


def _key(found: dict[str, Any]) -> tuple[Any, ...]:
    """Where a value stands in a run."""
    return found["process"], found.get("call"), found.get("backward"), found["place"]


def _has_32_bits(value: Any) -> bool:
    """Whether float32 can hold a number as it is."""
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    return all(ctypes.c_float(one).value == one for one in parts)


def _content(tensor: Value, line: dict[str, Any]) -> bytes:
    """What is kept of a tensor."""
    with open(line["data"], "rb") as stream:
        stream.seek(tensor["at"])
        return stream.read(tensor["bytes"])


def _pair(a: Any, b: Any, index: list[int]) -> dict[str, Any]:
    return {"index": index, "reference": str(a), "other": str(b)}


def _said(value: Any) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)
