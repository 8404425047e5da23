"""A worker that was started ahead of its job: torch is imported, one line of JSON on stdin says what to run."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import Any, NoReturn

from compilescope.tracer import orphan

WARM = ("torch", "torch._dynamo", "torch._inductor.compile_fx")
IDLE_SECONDS = 1800.0
EARLY = r"""(?:environ|putenv)\b[^\n]*["'](?:TORCH|PYTORCH_|TRITON_|OMP_|MKL_|KMP_|CUDA_)"""
"""A line that may set a variable which torch or its libraries read when they are imported."""


def wait(options: list[str]) -> dict[str, Any]:
    """Import what a compile needs, say `ready`, and return the job when it comes. Ends the process without one."""
    ready, idle, launcher = _options(options)
    orphan.end_without(launcher)
    _warm_up()
    if ready is not None:
        with contextlib.suppress(OSError):
            os.write(ready, b"ready\n")
            os.close(ready)
    line = _read_line(idle)
    if line is None:
        os._exit(0)
    job: dict[str, Any] = json.loads(line)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    environment = job.pop("env", None)
    if environment is not None:
        _replace_environment(environment)
    return job


def is_too_early_for(job: dict[str, Any]) -> bool:
    """Whether the script may set variables for the import of torch, which has been imported here."""
    import re

    try:
        with open(job.get("script") or "", encoding="utf-8", errors="replace") as stream:
            return re.search(EARLY, stream.read()) is not None
    except OSError:
        return False


def restart(job: dict[str, Any]) -> NoReturn:
    """Run the job in a new interpreter in this process's place: here something is loaded that it would not see."""
    boot = os.path.join(os.path.dirname(os.path.abspath(__file__)), "boot.py")
    options = sys.orig_argv[1 : sys.orig_argv.index("--standby") - 1]
    os.execv(sys.executable, [sys.executable, *options, boot, json.dumps(job)])  # noqa: S606


def _options(options: list[str]) -> tuple[int | None, float, int | None]:
    values = dict(zip(options[::2], options[1::2], strict=False))
    ready, launcher = (int(values[name]) if name in values else None for name in ("--ready-fd", "--launcher"))
    return ready, float(values.get("--idle-timeout", IDLE_SECONDS)), launcher


def _warm_up() -> None:
    """Import torch and Inductor and fill the two slow caches that every first compile needs.

    `pick_vec_isa` probes the processor with the C++ compiler, `torch_key` hashes torch's sources; neither starts an
    OpenMP thread or touches a device (torch/_inductor 2.9 to 2.14).
    """
    import importlib

    try:
        import torch  # noqa: F401
    except BaseException as error:
        if getattr(error, "name", None) != "torch":
            os._exit(0)  # half of torch is loaded, which no program would get over
    with contextlib.suppress(Exception):
        for name in WARM:
            importlib.import_module(name)
        importlib.import_module("torch._inductor.cpu_vec_isa").pick_vec_isa()
        importlib.import_module("torch._inductor.codecache").torch_key()


def _read_line(idle: float) -> bytes | None:
    """One line from descriptor 0, read unbuffered; None at its end or after `idle` seconds without one."""
    line = b""
    deadline = time.monotonic() + idle
    while not line.endswith(b"\n"):
        if os.name == "posix":
            import select

            left = deadline - time.monotonic()
            if left <= 0 or not select.select([0], [], [], left)[0]:
                return None
        piece = os.read(0, 1 << 16)
        if not piece:
            return line or None
        line += piece
    return line


def _replace_environment(environment: dict[str, str]) -> None:
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    os.environ.update(environment)
    if hasattr(time, "tzset"):
        time.tzset()
