"""Running things and comparing them, side by side in one run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
UNCACHED = {
    "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
    "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
}


@dataclass(frozen=True)
class Figure:
    """One line of the result. `ours` and `reference` are medians in `unit`; `budget` is for their `ratio`."""

    name: str
    ours: float
    reference: float | None
    unit: str
    ratio: float | None = None
    budget: float | None = None
    spread: str = ""

    def line(self) -> str:
        """The figure as a row of the table."""
        reference = "" if self.reference is None else f"{self.reference:.3f}"
        ratio = "" if self.ratio is None else f"{self.ratio:.3f}"
        budget = "" if self.budget is None else f"{'<=' if self.met else 'NOT <='} {self.budget:g}"
        return f"{self.name:<44}{self.ours:>10.3f}{reference:>12}  {self.unit:<4}{ratio:>9}  {budget:<12}{self.spread}"

    @property
    def met(self) -> bool:
        """Whether the ratio keeps to the budget; true without one."""
        return self.budget is None or self.ratio is None or self.ratio <= self.budget


HEADER = f"{'what':<44}{'ours':>10}{'reference':>12}  {'unit':<4}{'ratio':>9}  {'budget':<12}range of the ratio"


def compared(
    name: str,
    ours: list[float],
    reference: list[float],
    *,
    budget: float | None,
    excess: bool = False,
    unit: str = "s",
) -> Figure:
    """Values of runs made in turn. The ratio is the median over the pairs, less 1 for an `excess`."""
    ratios = sorted(a / b - excess for a, b in zip(ours, reference, strict=True))
    return Figure(
        name,
        statistics.median(ours),
        statistics.median(reference),
        unit,
        statistics.median(ratios),
        budget,
        f"{ratios[0]:.3f} .. {ratios[-1]:.3f} in {len(ratios)} pairs",
    )


@dataclass(frozen=True)
class Spent:
    """What one process took, with the children that it waited for: seconds, and the largest one's memory."""

    cpu: float
    wall: float
    peak_mb: float


def spend(command: list[str], *, cwd: Path, env: dict[str, str]) -> Spent:
    """Run `command` to its end. Raises RuntimeError when it fails."""
    begun = time.monotonic()
    process = subprocess.Popen(
        command, cwd=cwd, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    with process:
        said = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}: {said.decode()[-2000:]}")
    peak = usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    return Spent(usage.ru_utime + usage.ru_stime, time.monotonic() - begun, peak)


def show(*lines: str) -> None:
    """Print `lines` at once."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
