"""All benchmarks, one table. Ends with 1 when a budget of the design is not kept.

`python tests/bench/run.py [ROUNDS]`; a quiet machine gives the narrower ranges.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

from measure import HEADER, show

BENCHMARKS = ("overhead", "first_finding", "server")


def main(arguments: list[str]) -> int:
    """Print each figure as it is measured."""
    show(HEADER)
    met = True
    for name in BENCHMARKS:
        if importlib.util.find_spec(name) is None:
            continue
        for figure in importlib.import_module(name).measure(*map(int, arguments)):
            show(figure.line())
            met &= figure.met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
