"""Inductor's Triton source for a graph of a CPU. Only for a process that ends afterwards: it changes global state.

`inductor.config.cpu_backend = "triton"` makes Inductor write Triton for CPU tensors; what asks for a GPU's driver on
the way is answered with the target instead (`torch.utils._triton`; tried on 2.9, 2.13 and 2.14). The compile ends
where the written code would be loaded (`GraphLowering.compile_to_module`).
"""

from __future__ import annotations

import ast
import importlib
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.tracer.triton.kept import Kept

SETTINGS = {
    "cpu_backend": "triton",
    "max_autotune": False,
    "max_autotune_gemm": False,
    "max_autotune_pointwise": False,
    "benchmark_kernel": False,
    "benchmark_fusion": False,
    "profile_bandwidth": False,
    "use_static_cuda_launcher": False,
    "use_static_triton_launcher": False,
    "force_disable_caches": False,
    "autotune_local_cache": False,
    "autotune_remote_cache": False,
    "trace.enabled": False,
    "triton.cudagraphs": False,
    "triton.autotune_at_compile_time": False,
}
OPTIONS = ("static_input_idxs", "is_backward", "graph_id", "is_inference", "layout_opt")
"""What Inductor is told of a graph (`_CompileFxKwargs` in torch/_inductor/output_code.py) and is of use here."""


class _Written(Exception):
    """The code is there; nothing after it is wanted."""


def prepare(capability: int) -> None:
    """Make Inductor write Triton for a GPU of this compute capability (90 for sm_90)."""
    config = importlib.import_module("torch._inductor.config")
    for name, value in SETTINGS.items():
        owner, _, last = name.rpartition(".")
        holder = attrgetter(owner)(config) if owner else config
        if hasattr(holder, last):
            setattr(holder, last, value)
    utils: Any = importlib.import_module("torch.utils._triton")
    compiler = importlib.import_module("triton.compiler.compiler")
    target = importlib.import_module("triton.backends.compiler").GPUTarget("cuda", capability, 32)
    utils.triton_backend = lambda *_args: compiler.make_backend(target)
    utils.has_triton = lambda: True
    if hasattr(utils.triton_hash_with_backend, "cache_clear"):
        utils.triton_hash_with_backend.cache_clear()


def wrapper(kept: Kept) -> tuple[str, dict[str, list[str]]]:
    """The module that Inductor writes for a graph, and which post-grad nodes went into each kernel."""
    torch = importlib.import_module("torch")
    compile_fx = importlib.import_module("torch._inductor.compile_fx")
    debug: Any = importlib.import_module("torch._inductor.debug")
    lowering: Any = importlib.import_module("torch._inductor.graph").GraphLowering
    modes = importlib.import_module("torch.utils._python_dispatch")
    flag = importlib.import_module("torch._inductor.utils").BoxedBool
    written: list[str] = []

    def compile_to_module(graph: Any) -> None:
        code = graph.codegen()[0]
        written.append(str(getattr(code, "value", code)))
        raise _Written

    lowering.compile_to_module = compile_to_module
    options = {name: kept.options[name] for name in OPTIONS if name in kept.options}
    options.update(cudagraphs=flag(False), cpp_wrapper=False)  # noqa: FBT003
    if "fx_wrapper" in kept.options:
        options["fx_wrapper"] = False
    origins = getattr(debug, "_inductor_triton_kernel_to_post_grad_node_info", {})
    origins.clear()
    try:
        with torch.no_grad(), debug.DebugContext(), modes._disable_current_modes():
            compile_fx.fx_codegen_and_compile(kept.shell.module(), kept.inputs, inputs_to_check=(), **options)
    except Exception:
        if not written:
            raise
    nodes: dict[str, list[str]] = {}
    for call, names in origins.items():
        nodes.setdefault(call.rpartition(":")[0] or call, []).extend(names)
    return written[0], {name: list(dict.fromkeys(names)) for name, names in nodes.items()}


def kernels(code: str) -> dict[str, str]:
    """The source of each Triton kernel in a module that Inductor wrote: `name = async_compile.triton(_, source, …)`."""
    found = {}
    for statement in ast.parse(code).body:
        call = statement.value if isinstance(statement, ast.Assign) else None
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and isinstance(call, ast.Call)
            and ast.unparse(call.func) == "async_compile.triton"
            and len(call.args) > 1
            and isinstance(call.args[1], ast.Constant)
        ):
            found[statement.targets[0].id] = str(call.args[1].value)
    return found
