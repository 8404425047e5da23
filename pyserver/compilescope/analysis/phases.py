"""How long the phases of each compile took: AOTAutograd, and Inductor's steps from the graph to machine code.

Read from the spans that torch times (torch/_dynamo/utils.py `dynamo_timed`, the same names from 2.9 to 2.14).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from compilescope.analysis.spans import spans

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.analysis.facts import Compiled
    from compilescope.recording.reader import Event, Recording

_BACKWARD = "entire_backward_compile"
_NAMES = {
    "build_guards": "guards",
    "create_aot_dispatcher_function": "aot",
    "_recursive_joint_graph_passes": "joint",
    "inductor_compile": "inductor",
    "GraphLowering.run": "lowering",
    "Scheduler.__init__": "scheduling",
    "GraphLowering.codegen": "kernel_code",
    "PyCodeCache.load_by_key_path": "kernel_compile",
}
_FILE = "compile_file"
# What is inside of a span and has a name of its own, to be taken off it.
_INSIDE = {"aot": ("inductor", "joint"), "kernel_code": ("scheduling",)}
_GIVEN = ("joint", "inductor")


def phases(recording: Recording, where: Callable[[Event], Compiled]) -> dict[Compiled, dict[str, float]]:
    """Return the seconds of each compile by phase; those of its backward graph start with `backward_`.

    `kernel_compiler` is the time of the C++ compiler, added up over its processes: it may exceed all of the compile.
    """
    found: dict[Compiled, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    files: dict[int, float] = defaultdict(float)
    for span in spans(recording, *_NAMES, _FILE, _BACKWARD):
        if span.name == _FILE:
            files[span.event.process] += span.seconds
        elif span.name in _NAMES and span.event.base_id is not None and span.name not in span.within:
            name = f"{'backward_' if _BACKWARD in span.within else ''}{_NAMES[span.name]}"
            seconds = found[where(span.event)]
            seconds[name] += span.seconds
            if _NAMES[span.name] == "kernel_compile" and (compiler := files.pop(span.event.process, 0.0)):
                seconds[name.replace("compile", "compiler")] += compiler
    return {compiled: _parted(seconds) for compiled, seconds in found.items()}


def _parted(seconds: dict[str, float]) -> dict[str, float]:
    """Return the phases without what is inside of them and has a name of its own."""
    parted = dict(seconds)
    for prefix in ("", "backward_"):
        for whole, parts in _INSIDE.items():
            if prefix + whole in seconds:
                inside = sum(seconds.get(prefix + part, 0.0) for part in parts)
                parted[prefix + whole] = max(seconds[prefix + whole] - inside, 0.0)
    return {name: value for name, value in parted.items() if name.removeprefix("backward_") not in _GIVEN}
