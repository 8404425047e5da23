"""The checks and tests, in the order in which they fail fastest."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tools import code_server, environment
from tools.system import need_chromium, need_neovim, need_ps, run, say

ROOT = environment.ROOT
TOGETHER = ("-n", "2", "--dist", "loadfile")
"""A file's tests share what was traced for them, so that a file stays with one process."""


def _python(*arguments: str) -> None:
    run([environment.python(), *arguments], cwd=ROOT)


def _npm(script: str, env: dict[str, str] | None = None) -> None:
    environment.node_modules()
    run(["npm", "run", "--silent", script], cwd=ROOT, env={**os.environ, **(env or {})})


def lint() -> None:
    """Lint, format, types, architecture."""
    _python("-m", "ruff", "check", ".")
    _python("-m", "ruff", "format", "--check", ".")
    _python("-m", "mypy")
    run([environment.python().parent / "lint-imports", "--config", "pyproject.toml"], cwd=ROOT)
    _npm("lint")
    _npm("typecheck")


def unit() -> None:
    """Everything of Python's that needs no editor: unit tests and the cases."""
    _python("-m", "pytest", *TOGETHER, "tests/unit", "tests/cases")


def lsp() -> None:
    """The server over its protocol, and driven by Neovim."""
    need_neovim()
    _python("-m", "pytest", *TOGETHER, "tests/lsp")


def web() -> None:
    """Unit tests of the TypeScript."""
    _npm("test")


def panels() -> None:
    """The panels' own bundles in a browser."""
    _npm("test:webview", {"CHROMIUM": need_chromium()})


def e2e() -> None:
    """The packaged extension in the real VS Code."""
    chromium = need_chromium()
    need_ps()
    python = environment.python()
    environment.node_modules()
    code_server.install()
    vsix = environment.package()
    _npm(
        "test:e2e",
        {
            "CHROMIUM": chromium,
            "CODE_SERVER_NODE": str(code_server.node()),
            "CODE_SERVER_ENTRY": str(code_server.entry()),
            "COMPILESCOPE_VSIX": str(vsix),
            "COMPILESCOPE_PYTHON": str(python),
        },
    )


STAGES: dict[str, Callable[[], None]] = {
    "lint": lint,
    "unit": unit,
    "lsp": lsp,
    "web": web,
    "panels": panels,
    "e2e": e2e,
}


def run_all(only: list[str]) -> int:
    """Run the stages (all, or those named); a failed stage does not stop the others. Returns 1 when one failed."""
    environment.python()
    outcome: list[tuple[str, bool, float]] = []
    for name in only or STAGES:
        say(f"{name}: {STAGES[name].__doc__}")
        start = time.monotonic()
        try:
            STAGES[name]()
        except subprocess.CalledProcessError as failed:
            print(f"{name} failed: {' '.join(map(str, failed.cmd))} ended with {failed.returncode}", file=sys.stderr)
            outcome.append((name, False, time.monotonic() - start))
        else:
            outcome.append((name, True, time.monotonic() - start))
    say("stages")
    for name, passed, seconds in outcome:
        print(f"  {'ok    ' if passed else 'FAILED'}  {name:8} {seconds:6.0f} s")
    failures = sum(not passed for _, passed, _ in outcome)
    print(f"\n{len(outcome) - failures} passed, {failures} failed")
    return 1 if failures else 0


def bench() -> int:
    """Run the benchmarks."""
    return subprocess.run(
        [str(environment.python()), str(Path("tests/bench/run.py"))], cwd=ROOT, check=False
    ).returncode
