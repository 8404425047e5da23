"""The process that makes the preview.

It is forked from the traced program when that has run, so that it has everything that the program's graphs refer to
(operators, passes, settings), and is free to change all of it, since it ends afterwards.
"""

from __future__ import annotations

import gc
import importlib
import json
import logging
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.triton import codegen
from compilescope.tracer.triton.stages import Compiler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.tracer.triton.kept import Kept

LONGEST = 2000


def work(pipe: int, graphs: list[tuple[int, Kept]], target: str, folder: str) -> None:
    """Preview the graphs and write what is found to `pipe`: a line of JSON for each kernel, then one for its graph.

    `folder`: where files may lie meanwhile.
    """
    _let_go()
    compiler = _prepare(int(target[3:]), folder)
    for number, graph in graphs:
        for event, body in _preview(graph, compiler):
            line = json.dumps({"number": number, "event": event, "body": body}, default=str) + "\n"
            _write(pipe, line.encode(errors="backslashreplace"))


def _let_go() -> None:
    """Leave the program's output, its logs, its signal handlers and its unreachable objects alone.

    The threads of the program's OpenMP pool do not exist in a forked process; with one thread none is asked for.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    gc.disable()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process
    logging.disable(logging.CRITICAL)
    sys.modules["torch"].set_num_threads(1)


def _prepare(capability: int, folder: str) -> Compiler | str:
    """The compiler of kernels, or why nothing can be previewed here. Triton's results go to a cache of their own."""
    try:
        cache = importlib.import_module("torch._inductor.runtime.cache_dir_utils").cache_dir()
        os.environ["TRITON_CACHE_DIR"] = os.path.join(cache, "triton", "preview")
        codegen.prepare(capability)
        return Compiler(capability, folder)
    except Exception as error:
        return words(error)


def _preview(graph: Kept, compiler: Compiler | str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of one graph; its own comes last."""
    began = time.monotonic()
    code, failed = None, None
    names: list[str] = []
    try:
        if isinstance(compiler, str):
            failed = compiler
        else:
            code, nodes = codegen.wrapper(graph)
            for name, source in codegen.kernels(code).items():
                names.append(name)
                kernel = {"graph": graph.name, "kernel": name, "nodes": nodes.get(name, []), "source": source}
                yield "triton", {**kernel, **_kernel(compiler, name, source)}
    except Exception as error:
        failed = words(error)
    body = {"graph": graph.name, "wrapper": code, "kernels": names, "error": failed}
    yield "triton_preview", {**body, "seconds": round(time.monotonic() - began, 3)}


def _kernel(compiler: Compiler, name: str, source: str) -> dict[str, Any]:
    began = time.monotonic()
    body: dict[str, Any] = {"error": None}
    try:
        body.update(compiler.compile(name, source))
    except Exception as error:
        body["error"] = words(error)
    return {**body, "seconds": round(time.monotonic() - began, 3)}


def words(error: BaseException) -> str:
    """An error in a line."""
    return f"{type(error).__name__}: {str(error).strip()}"[:LONGEST]


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]
