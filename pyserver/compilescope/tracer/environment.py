"""What a process is: the content of `compilescope_environment`."""

from __future__ import annotations

import os
import platform
import sys
import time
from typing import Any

DISABLING = ("TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE")
"""Variables that turn torch.compile off when they are 1 (torch/_dynamo/config.py, eval_frame.py; 2.6 to 2.14)."""


def describe(depth: str, started: float, main_file: str | None) -> dict[str, Any]:
    """The process, its interpreter, its torch if that was imported, and where code that is not the user's lies."""
    torch = sys.modules.get("torch")
    root = torch_root()
    main = main_file or getattr(sys.modules.get("__main__"), "__file__", None)
    return {
        "pid": os.getpid(),
        "parent_pid": os.getppid(),
        "python": platform.python_version(),
        "torch": None if torch is None else str(getattr(torch, "__version__", "")) or None,
        "platform": platform.platform(),
        "argv": [str(argument) for argument in getattr(sys, "argv", [])],
        "cwd": _cwd(),
        "depth": depth,
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(started)),
        "library_roots": library_roots(),
        "torch_root": root,
        "main_file": None if main is None else os.path.abspath(main),
        "disabled_by": next((name for name in DISABLING if os.environ.get(name) == "1"), None),
    }


def torch_root() -> str | None:
    """The folder of the imported torch with a separator at its end, or None."""
    file = getattr(sys.modules.get("torch"), "__file__", None)
    return None if not file else os.path.dirname(os.path.abspath(file)) + os.sep


def library_roots() -> list[str]:
    """Folders of the standard library and of installed packages."""
    import sysconfig

    paths = sysconfig.get_paths()
    roots = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib") if paths.get(key)]
    site = sys.modules.get("site")
    if site is not None and hasattr(site, "getsitepackages"):
        roots += site.getsitepackages()
        if getattr(site, "ENABLE_USER_SITE", None):
            roots.append(site.getusersitepackages())
    roots += [os.path.realpath(root) for root in roots]
    return list(dict.fromkeys(roots))


def _cwd() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None
