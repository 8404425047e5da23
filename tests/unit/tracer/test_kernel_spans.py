"""What spans of compilers are told beside their name, looked up in torch's own functions."""

from __future__ import annotations

import inspect
from types import CodeType

from compilescope.tracer.kernel_spans import told
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.codecache import CppCodeCache, CppPythonBindingsCodeCache, LambdaFuture
from torch._inductor.cpp_builder import run_compile_cmd

BEGIN = {"ph": "B"}


def inner(code: CodeType, name: str) -> list[CodeType]:
    """The functions of that name inside of a function."""
    return [one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name]


def test_torch_has_the_names_that_are_looked_up():
    assert "cmd_line" in inspect.signature(run_compile_cmd).parameters
    assert "scope" in inspect.signature(AsyncCompile.wait).parameters
    assert "kernel_name" in inspect.signature(AsyncCompile.triton).parameters
    (future,) = inner(CppPythonBindingsCodeCache.load_pybinding_async.__func__.__code__, "future")
    (load,) = inner(CppCodeCache.load_async.__func__.__code__, "load_fn")
    assert "get_result" in future.co_freevars
    assert "key" in load.co_freevars
    assert LambdaFuture(len).result_fn is len


def test_a_kernel_that_is_waited_for_is_told_by_its_file():
    def load_async(key):
        def load_fn():
            return key

        return load_fn

    def load_pybinding_async(get_result):
        def future():
            return get_result()

        return future

    def wait(scope):  # noqa: ARG001 - looked up by its name
        return told({"name": "async_compile.wait", **BEGIN})

    scope = {
        "cpp_fused_sin_0": LambdaFuture(load_pybinding_async(load_async("cabc"))),
        "other": LambdaFuture(len),
        "x": 1,
    }
    assert wait(scope) == {"kernels": {"cabc": "cpp_fused_sin_0"}}
    assert wait(None) == {}


def test_a_file_that_is_compiled_is_told():
    def run_compile_cmd(cmd_line):  # noqa: ARG001 - looked up by its name
        return told({"name": "compile_file", **BEGIN})

    def check_build():
        return run_compile_cmd("g++ x.cpp")

    assert run_compile_cmd("g++ /tmp/a/cabc.main.cpp -O3 -o cabc.so") == {"source": "cabc.main.cpp"}
    assert run_compile_cmd(None) == {}
    assert check_build() == {"source": "x.cpp", "what": "instruction set check"}


def test_nothing_is_told_of_other_spans_and_ends():
    assert told({"name": "dynamo", **BEGIN}) == {}
    assert told({"name": "compile_file", "ph": "E"}) == {}
    assert told({"name": "compile_file", **BEGIN}) == {}
