"""Other processes of ours: this interpreter, with nothing of its environment, and one of our modules."""

from __future__ import annotations

import json
import sys

_START = """\
import importlib, json, sys
sys.path[:] = json.loads(sys.argv[1])
importlib.import_module(sys.argv[2]).main()
"""


def command(module: str) -> list[str]:
    """Return the command line that runs the function `main` of `module`."""
    packages = json.dumps([one for one in sys.path if one])
    return [sys.executable, "-I", "-S", "-B", "-c", _START, packages, module]
