"""Kineto's own log on stderr, silent while we start or stop a profile; the program's own profiles are told as ever.

Relies on `libkineto::Logger::severityLevel_` in libtorch_cpu (2.9 to 2.14 on Linux), which Kineto sets when it is first
prepared. Where that can't be found Kineto is silenced for good by `KINETO_LOG_LEVEL`, which is read at that moment.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVEL = "KINETO_LOG_LEVEL"
SILENT = 99


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Nothing is logged meanwhile, unless the environment says what is to be logged."""
    if LEVEL in os.environ:
        yield
        return
    level = _level()
    if level is None:
        os.environ[LEVEL] = str(SILENT)
        try:
            yield
        finally:
            del os.environ[LEVEL]
        return
    before, level.value = level.value, SILENT
    try:
        yield
    finally:
        if level.value == SILENT:  # else Kineto was prepared meanwhile, and this is its own
            level.value = before


def _level() -> Any:
    """The `c_int` that holds the level, or None."""
    ctypes = sys.modules.get("ctypes")  # torch imports it
    try:
        library = os.path.join(os.path.dirname(sys.modules["torch"].__file__ or ""), "lib", "libtorch_cpu.so")
        loaded = ctypes.CDLL(library, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)  # type: ignore[union-attr]
        return ctypes.c_int.in_dll(loaded, "_ZN9libkineto6Logger14severityLevel_E")  # type: ignore[union-attr]
    except (AttributeError, KeyError, OSError, ValueError):
        return None
