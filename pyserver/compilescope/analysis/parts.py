"""Where the seconds of some compiles went, by part of the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.compiles import Attempted

_INDUCTOR = {
    "aot_s": ("aot",),
    "inductor_s": ("inductor", "joint"),
    "codegen_s": ("lowering", "scheduling", "kernel_code"),
    "kernel_compile_s": ("kernel_compile",),
}
"""Parts of the backend's time, forward and backward: the keys of `Compile.seconds` that make up each."""


def parts(compiles: Iterable[Attempted]) -> dict[str, float | None]:
    """Return the seconds of `capture`, `compile` (the backend, the backward included) and `guard`, and those within.

    None where no compile has them.
    """
    every = [one.seconds for one in compiles if "total" in one.seconds]
    found: dict[str, float | None] = {
        "capture_s": _sum(one["capture"] for one in every),
        "compile_s": _sum(one["total"] - one["capture"] - one.get("guards", 0.0) for one in every),
        "guard_s": _sum(one.get("guards") for one in every),
    }
    for name, keys in _INDUCTOR.items():
        wanted = [key for part in keys for key in (part, f"backward_{part}")]
        found[name] = _sum(one.get(key) for one in every for key in wanted)
    return found


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), 6) if known else None
