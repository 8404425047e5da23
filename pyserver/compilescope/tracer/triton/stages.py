"""A kernel that Inductor wrote, compiled for a GPU that is not there. Only for a process that ends afterwards.

Inductor's own `CachingAutotuner` chooses the configuration and the options and calls `triton.compile`
(`_precompile_config` in torch/_inductor/runtime/triton_heuristics.py, 2.7 to 2.14); Triton's wheel brings `ptxas`.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import subprocess
from typing import Any

IR = ("ttir", "ttgir", "llir", "ptx")
REGISTERS = re.compile(r"Used (\d+) registers")
LOCAL = re.compile(r"(\d+) bytes stack frame")
ARCHITECTURE = re.compile(r"^\.target\s+(sm_\w+)", re.MULTILINE)
WORD = 4


class Compiler:
    """Compiles kernels for one compute capability (90 for sm_90). `folder`: where their sources may lie meanwhile."""

    def __init__(self, capability: int, folder: str) -> None:
        self._folder = folder
        self._gpu = {"type": "cuda", "index": 0, "cc": capability, "major": capability // 10, "warp_size": 32}
        helpers: Any = importlib.import_module("torch._inductor.runtime.triton_helpers")
        helpers.set_driver_to_cpu = helpers.set_driver_to_gpu = lambda: None

    def compile(self, name: str, source: str) -> dict[str, Any]:
        """What becomes of the kernel `name`: its stages as text, and what it takes of a multiprocessor.

        `registers` per thread; `spills`: words of four bytes of local memory per thread, as Triton counts them;
        `shared`: bytes of shared memory per block. The configuration is the first of Inductor's candidates, of which
        there are `candidates`.
        """
        tuner = self._load(name, source)
        config = tuner.configs[0]
        binary = tuner._precompile_config(config).kernel
        stages = {stage: str(binary.asm[stage]) for stage in IR if stage in binary.asm}
        registers, spills = self._registers(stages["ptx"])
        return {
            "stages": stages,
            "registers": registers,
            "spills": spills,
            "shared": binary.metadata.shared,
            "num_warps": config.num_warps,
            "num_stages": config.num_stages,
            "config": {key: value for key, value in config.kwargs.items() if isinstance(value, (int, str, float))},
            "candidates": len(tuner.configs),
        }

    def _load(self, name: str, source: str) -> Any:
        """The autotuner that a kernel's source makes, for a GPU in the CPU's place. Triton reads sources from files."""
        path = os.path.join(self._folder, f"{name}.py")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(source)
        spec = importlib.util.spec_from_file_location(f"compilescope_preview_{name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        hints: Any = importlib.import_module("torch._inductor.runtime.hints")
        properties = hints.DeviceProperties
        hints.DeviceProperties = lambda **known: properties(**{**known, **self._gpu})
        try:
            spec.loader.exec_module(module)
        finally:
            hints.DeviceProperties = properties
        return next(value for value in vars(module).values() if hasattr(value, "_precompile_config"))

    def _registers(self, ptx: str) -> tuple[int | None, int | None]:
        """Registers per thread and words of local memory per thread, as `ptxas -v` tells them."""
        architecture = ARCHITECTURE.search(ptx)
        assembler = None if architecture is None else _ptxas(architecture[1])
        if architecture is None or assembler is None:
            return None, None
        path = os.path.join(self._folder, "kernel.ptx")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(ptx)
        command = [assembler, "-v", f"--gpu-name={architecture[1]}", path, "-o", os.devnull]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr  # noqa: S603 - Triton's own
        used, local = REGISTERS.search(said), LOCAL.search(said)
        return (int(used[1]) if used else None, int(local[1]) // WORD if local else None)


def _ptxas(architecture: str) -> str | None:
    """Where Triton has its assembler for `sm_90a`; it brings another one for Blackwell (Triton 3.6 and newer)."""
    compiler = importlib.import_module("triton.backends.nvidia.compiler")
    capability = int(re.sub(r"\D", "", architecture))
    for arguments in ((capability,), ()):
        with contextlib.suppress(Exception):
            return str(compiler.get_ptxas(*arguments).path)
    beside = os.path.join(os.path.dirname(compiler.__file__ or ""), "bin", "ptxas")
    return beside if os.path.exists(beside) else None
