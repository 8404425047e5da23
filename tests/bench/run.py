"""All benchmarks of the tracer and the server in one table, measured side by side in one run.

`python tests/bench/run.py [ROUNDS]`; a quiet machine gives the narrower ranges. A budget that is missed is said, and no
failure: the exit code is 1 only when something could not be measured.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import traceback

from measure import HEADER, Figure, show

BENCHMARKS = ("overhead", "steady", "first_finding", "server", "ranks", "ingest")


def main(arguments: list[str]) -> int:
    """Print each benchmark's figures when it is through, and last what became of the budgets."""
    show(_machine(), "", HEADER)
    figures: list[Figure] = []
    crashed: list[str] = []
    for name in BENCHMARKS:
        try:
            measured = importlib.import_module(name).measure(*map(int, arguments))
        except Exception:  # noqa: BLE001 - the others are measured all the same
            traceback.print_exc()
            crashed.append(name)
            continue
        show(*(figure.line() for figure in measured))
        figures += measured
    show("", _machine(), *_summary(figures), *(f"{name}: could not be measured, see above" for name in crashed))
    return 1 if crashed else 0


def _summary(figures: list[Figure]) -> list[str]:
    budgets = [figure for figure in figures if figure.budget is not None]
    missed = [f"  MISSED  {one.name}: {one.ratio:.3f}, budget {one.budget:g}" for one in budgets if not one.met]
    return [f"{len(budgets) - len(missed)} of {len(budgets)} budgets kept", *missed]


def _machine() -> str:
    """What the figures depend on: the load of others stretches whatever is measured in seconds."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"Python {platform.python_version()}, {os.cpu_count()} processors{load}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
