"""The logs that the torch of an interpreter has, asked of that interpreter, and a check of what is to be recorded.

Relies on `torch._logging._internal.log_registry` (2.6 to 2.14).
"""

from __future__ import annotations

import difflib
import json
import os
import subprocess
from dataclasses import dataclass

from compilescope.runner.problem import Problem

_MARK = "compilescope-logs:"
_SCRIPT = f"""
import sys
sys.path[:] = [p for p in sys.path if p]
import importlib.util, json
import torch
from torch._logging._internal import log_registry as registry
def is_module(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
aliases = {{a: [n] if isinstance(n, str) else list(n) for a, n in registry.log_alias_to_log_qnames.items()}}
words = [name for name in sys.argv[1:] if name not in aliases and name not in registry.artifact_names]
print("\\n{_MARK}" + json.dumps({{
    "torch": torch.__version__,
    "components": aliases,
    "artifacts": {{name: registry.artifact_descriptions.get(name, "") for name in registry.artifact_names}},
    "off_by_default": sorted(registry.off_by_default_artifact_names),
    "unknown": [name for name in words if name != "all" and not is_module(name)],
}}))
"""
_COMPONENTS = {
    "all": "Everything of torch",
    "torch": "Everything of torch",
    "aot": "AOTAutograd: tracing of forward and backward",
    "async_compile": "Compiling kernels in worker processes",
    "autograd": "Autograd in eager",
    "c10d": "Process groups and collectives",
    "cache": "Remote caches",
    "ddp": "DistributedDataParallel",
    "distributed": "All of torch.distributed",
    "dtensor": "DTensor",
    "dynamic": "Dynamic shapes: symbols, guards on them",
    "dynamo": "Capture: bytecode, guards, graph breaks",
    "export": "torch.export",
    "fake_tensor": "Fake tensors and their cache",
    "fsdp": "FullyShardedDataParallel",
    "inductor": "Inductor: passes, scheduling, code generation",
    "native_dsl": "Operators written in a DSL",
    "onnx": "ONNX export",
    "pp": "Pipeline parallelism",
}
"""What torch's components are about: it has no words for them itself."""


@dataclass(frozen=True)
class LogName:
    """One name for `TORCH_LOGS`. `kind`: component, which has levels, or artifact. `loggers`: of a component.

    `off_by_default`: an artifact that no level of its component brings.
    """

    name: str
    kind: str
    description: str
    off_by_default: bool
    loggers: list[str]


@dataclass(frozen=True)
class LogRegistry:
    """What one torch has. `unknown`: of the names that were asked about."""

    torch: str
    names: list[LogName]
    unknown: list[str]


def ask(python: str, names: list[str] | None = None, timeout_s: float = 120) -> LogRegistry:
    """Ask `python`, which imports torch for it (seconds). Raises Problem when it can't."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("TORCH_LOGS", "TORCH_TRACE"))}
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that the user named
            [python, "-c", _SCRIPT, *(names or [])],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
            env={**env, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        raise Problem("no-logs", f"Can't ask {python} for torch's logs: {error}.") from error
    line = next((one for one in done.stdout.splitlines() if one.startswith(_MARK)), None)
    if line is None:
        raise Problem("no-logs", f"Can't ask {python} for torch's logs.", done.stderr.strip()[-600:])
    answer = json.loads(line[len(_MARK) :])
    found = [
        LogName(name, "component", _COMPONENTS.get(name, ""), off_by_default=False, loggers=loggers)
        for name, loggers in answer["components"].items()
    ]
    off = set(answer["off_by_default"])
    found += [
        LogName(name, "artifact", text, off_by_default=name in off, loggers=[])
        for name, text in answer["artifacts"].items()
    ]
    return LogRegistry(answer["torch"], sorted(found, key=lambda one: (one.kind, one.name)), answer["unknown"])


def check(settings: str, python: str) -> None:
    """Raise Problem when `settings`, as in `TORCH_LOGS`, name what the torch of `python` does not have."""
    words = [word.strip() for word in settings.split(",")]
    names = [word[1:] if word[:1] in {"+", "-"} else word for word in words]
    if not all(names):
        raise Problem("bad-logs", f"{settings!r} is no list of logs.", "Write them as in TORCH_LOGS: +dynamo,guards.")
    registry = ask(python, names)
    for unknown in registry.unknown:
        known = [one.name for one in registry.names]
        close = difflib.get_close_matches(unknown, known, n=3)
        detail = f"Names like it: {', '.join(close)}." if close else f"It has {', '.join(sorted(known))}."
        raise Problem("bad-logs", f"torch {registry.torch} has no log `{unknown}`.", detail)
