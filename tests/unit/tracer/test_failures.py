"""Every class of failure that can be provoked on a CPU: one program fails in all these ways, plainly and traced.

Expected are torch's own exceptions (as the program caught them), and places and nodes in the program's text.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import stat
import textwrap
from dataclasses import dataclass
from importlib.metadata import version

import pytest
from compilescope.analysis import analyse
from compilescope.recording.reader import Recording

pytestmark = pytest.mark.torch

START = """
    import os
    import sys
    import traceback

    import torch
    import torch._dynamo.config as dynamo
    import torch._functorch.config as functorch
    import torch._inductor.config as inductor
    import torch._inductor.lowering as lowering

    if "WITHOUT" in os.environ:
        torch.compile = lambda function=None, **options: function or (lambda function: function)

    aten = torch.ops.aten
    lib = torch.library.Library("bench", "FRAGMENT")
    for name in ("no_meta", "no_lowering"):
        lib.define(name + "(Tensor x) -> Tensor")
        lib.impl(name, lambda x: x.clone(), "CPU")
    lib.impl("no_lowering", lambda x: torch.empty_like(x), "Meta")

    @torch.library.custom_op("bench::no_fake", mutates_args=())
    def no_fake(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @torch.library.custom_op("bench::bad_gradient", mutates_args=())
    def bad_gradient(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @bad_gradient.register_fake
    def _(x):
        return torch.empty_like(x)

    def gradient(ctx, grad):
        return grad @ torch.ones(7, 7)

    torch.library.register_autograd("bench::bad_gradient", gradient, setup_context=lambda ctx, inputs, output: None)

    def refuse(*args, **kwargs):
        raise ValueError("refused")

    def chain(error):
        while error is not None:
            kind = type(error)
            yield f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
            inner = vars(error).get("inner_exception")
            if not isinstance(inner, BaseException):
                inner = error.__cause__ or error.__context__
            error = inner

    ones = torch.ones
"""
END = """
    usual = dict(lowering.lowerings)
    for name in sys.argv[1:]:
        torch._dynamo.reset()
        with dynamo.patch({}), inductor.patch({}), functorch.patch({}):
            try:
                globals()[name]()
            except Exception as error:
                text = traceback.format_exc()
                print(name, *chain(error), "ours" if "compilescope/" in text else "")
            else:
                print(name, "passed")
        lowering.lowerings.update(usual)
"""


@dataclass(frozen=True)
class Case:
    """A way to fail. `types`: some of the chain's, outermost first. `at`: the expression to blame, None for the `def`.

    `node`: target of the suspect node. `graph`: whether there is a last graph. `ran`: the expression that raised in the
    program's own code, which torch ran; the finding is on that.
    """

    code: str
    stage: str
    class_: str | None
    types: tuple[str, ...]
    at: str | None = None
    node: str | None = None
    graph: bool = True
    suppressed: bool = False
    ran: str | None = None


CASES = {
    "unsupported": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            y = x + 1
            print(y)
            return y
        f(ones(3))
        """,
        "capture", None, ("Unsupported",), "print(y)",
    ),
    "data_dependent_guard": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            n = x.sum().item()
            return x + 1 if n > 3 else x
        with dynamo.patch(capture_scalar_outputs=True):
            f(ones(3))
        """,
        "capture", "control-flow", ("UserError", "GuardOnDataDependentSymNode"), "n > 3",
    ),
    "higher_order_op": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            def yes(x):
                print("side effect")
                return x + 1
            return torch.cond(x.sum() > 0, yes, lambda x: x - 1, (x,))
        f(ones(3))
        """,
        "capture", "control-flow", ("UncapturedHigherOrderOpError", "Unsupported"), 'print("side effect")',
    ),
    "branches_that_differ": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            return torch.cond(x.sum() > 0, lambda x: x[:2], lambda x: (x - 1, x), (x,))
        f(ones(3))
        """,
        "capture", "control-flow", ("UncapturedHigherOrderOpError",),
        "torch.cond(x.sum() > 0, lambda x: x[:2], lambda x: (x - 1, x), (x,))",
    ),
    "data_dependent_output": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            return x + torch.equal(x, x * 2)
        f(ones(3))
        """,
        "capture", "control-flow", ("Unsupported", "DataDependentOutputException"), "torch.equal(x, x * 2)",
        "torch.equal",
    ),
    "constraint": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            return x + ones(3)
        x = ones(3)
        torch._dynamo.mark_dynamic(x, 0)
        f(x)
        """,
        "guard", "guard", ("ConstraintViolationError",), graph=False,
    ),
    "limit_hit_hard": Case(
        """
        @torch.compile(fullgraph=True, dynamic=False, backend="eager")
        def f(x):
            return x + 1
        with dynamo.patch(recompile_limit=1):
            for size in range(2, 6):
                f(ones(size))
        """,
        "guard", "guard", ("FailOnRecompileLimitHit",), graph=False,
    ),
    "recompile_refused": Case(
        """
        @torch.compile(dynamic=False, backend="eager")
        def f(x):
            return x + 1
        with dynamo.patch(error_on_recompile=True):
            for size in range(2, 6):
                f(ones(size))
        """,
        "guard", "guard", ("RecompileError",), graph=False,
    ),
    "stance": Case(
        """
        @torch.compile(dynamic=False, backend="eager")
        def f(x):
            return x + 1
        f(ones(2))
        with torch.compiler.set_stance("fail_on_recompile"):
            f(ones(3))
        """,
        "guard", "guard", ("RuntimeError",), graph=False,
    ),
    "no_fake_kernel": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            y = x + 1
            return no_fake(y)
        f(ones(3))
        """,
        "capture", "backend-operator", ("TorchRuntimeError", "RuntimeError"), "no_fake(y)", "bench.no_fake.default",
    ),
    "own_shape_error": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            y = x + 1
            return y @ ones(4, 4)
        f(ones(3))
        """,
        "capture", "other", ("TorchRuntimeError", "RuntimeError"), "y @ ones(4, 4)", "_operator.matmul",
    ),
    "no_meta_kernel": Case(
        """
        @torch.compile(fullgraph=True)
        def f(x):
            return torch.ops.bench.no_meta(x + 1)
        f(ones(3))
        """,
        "capture", "backend-operator", ("Unsupported", "UnsupportedOperatorException"),
        "torch.ops.bench.no_meta(x + 1)", "bench.no_meta",
    ),
    "index_error": Case(
        """
        @torch.compile(backend="eager", fullgraph=True)
        def f(x):
            y = x + 1
            return y.sum(7)
        f(ones(3))
        """,
        "capture", "other", ("IndexError",), "y.sum(7)", "sum",
    ),
    "assertion": Case(
        """
        from torch._dynamo.comptime import comptime
        def check(ctx):
            raise AssertionError("checked")
        @torch.compile(backend="eager")
        def f(x):
            y = x + 1
            comptime(check)
            return y
        f(ones(3))
        """,
        "capture", "other", ("AssertionError",), "comptime(check)", ran='raise AssertionError("checked")',
    ),
    "error_in_dynamo": Case(
        """
        from torch._dynamo.comptime import comptime
        @torch.compile(backend="eager")
        def f(x):
            y = x + 1
            comptime(lambda ctx: 1 / 0)
            return y
        f(ones(3))
        """,
        "capture", "other", ("InternalTorchDynamoError", "ZeroDivisionError"), "comptime(lambda ctx: 1 / 0)",
        ran="1 / 0",
    ),
    "unknown_backend": Case(
        """
        torch.compile(lambda x: x, backend="nobody")(ones(3))
        """,
        "capture", "configuration", ("InvalidBackend",), graph=False,
    ),
    "own_backend": Case(
        """
        def picky(gm, inputs):
            for node in gm.graph.nodes:
                if node.target == "cumsum":
                    raise NotImplementedError("no " + node.target)
            return gm.forward
        @torch.compile(backend=picky)
        def f(x):
            return (x + 1).cumsum(0)
        f(ones(3))
        """,
        "compile", "backend-operator", ("BackendCompilerFailed", "NotImplementedError"), "(x + 1).cumsum(0)", "cumsum",
    ),
    "own_backend_without_a_node": Case(
        """
        def moody(gm, inputs):
            raise RuntimeError("not today")
        @torch.compile(backend=moody)
        def f(x):
            return x + 1
        f(ones(3))
        """,
        "compile", "other", ("BackendCompilerFailed", "RuntimeError"), 'raise RuntimeError("not today")',
    ),
    "own_backend_s_backward": Case(
        """
        from functorch.compile import make_boxed_func
        from torch._dynamo.backends.common import aot_autograd
        def forward(gm, inputs):
            return make_boxed_func(gm.forward)
        def backward(gm, inputs):
            raise RuntimeError("no backward")
        @torch.compile(backend=aot_autograd(fw_compiler=forward, bw_compiler=backward))
        def f(x):
            return x.sin().sum()
        f(ones(3, requires_grad=True)).backward()
        """,
        "compile", "other", ("RuntimeError",), 'raise RuntimeError("no backward")',
    ),
    "gradient_of_an_operator": Case(
        """
        @torch.compile
        def f(x):
            return bad_gradient(x).sum()
        f(ones(3, requires_grad=True)).backward()
        """,
        "aot", "other", ("BackendCompilerFailed", "RuntimeError"), ...,
    ),
    "strict_cache": Case(
        """
        @torch.compile
        def f(x):
            return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))
        strict = functorch.patch(enable_autograd_cache=True, strict_autograd_cache=True)
        with strict, inductor.patch(fx_graph_cache=True):
            f(ones(3, requires_grad=True))
        """,
        "aot", "configuration", ("BackendCompilerFailed", "BypassAOTAutogradCache"),
        "torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))", "torch.ops.higher_order.cond",
    ),
    "fake_kernel_raises": Case(
        """
        @torch.library.custom_op("bench::odd_fake", mutates_args=())
        def odd_fake(x: torch.Tensor) -> torch.Tensor:
            return x.clone()
        @odd_fake.register_fake
        def _(x):
            return x.no_such_thing
        @torch.compile
        def f(x):
            return odd_fake(x) + 1
        f(ones(3))
        """,
        "capture", "other", ("TorchRuntimeError", "AttributeError"), "odd_fake(x)", graph=..., ran="x.no_such_thing",
    ),
    "own_pass": Case(
        """
        def no_pass(graph):
            raise RuntimeError("the pass says no")
        @torch.compile
        def f(x):
            return x.exp() + 1
        with inductor.patch(post_grad_custom_post_pass=no_pass):
            f(ones(3))
        """,
        "compile", "other", ("RuntimeError",), 'raise RuntimeError("the pass says no")',
    ),
    "lowering_fails": Case(
        """
        @torch.compile
        def f(x):
            return (x + 1).cos()
        lowering.lowerings[aten.cos.default] = refuse
        f(ones(3))
        """,
        "compile", "backend-operator", ("LoweringException", "ValueError"), "(x + 1).cos()", "aten.cos.default",
    ),
    "lowering_in_a_lazy_backward": Case(
        """
        @torch.compile
        def f(x):
            return x.sin().sum()
        lowering.lowerings[aten.cos.default] = refuse
        f(ones(3, requires_grad=True)).backward()
        """,
        "compile", "backend-operator", ("LoweringException", "ValueError"), "x.sin()", "aten.cos.default",
    ),
    "suppressed": Case(
        """
        @torch.compile
        def f(x):
            return (x + 2).cos()
        lowering.lowerings[aten.cos.default] = refuse
        with dynamo.patch(suppress_errors=True):
            f(ones(3))
        """,
        "compile", "backend-operator", ("LoweringException", "ValueError"), "(x + 2).cos()", "aten.cos.default",
        suppressed=True,
    ),
    "no_lowering": Case(
        """
        @torch.compile
        def f(x):
            return torch.ops.bench.no_lowering(x + 1)
        with inductor.patch(implicit_fallbacks=False):
            f(ones(3))
        """,
        "compile", "backend-operator", ("MissingOperatorWithoutDecomp",), "torch.ops.bench.no_lowering(x + 1)",
        "bench.no_lowering.default",
    ),
    "no_lowering_but_a_decomposition": Case(
        """
        @torch.compile
        def f(x):
            return (x + 1).cosh()
        del lowering.lowerings[aten.cosh.default]
        with inductor.patch(implicit_fallbacks=False):
            f(ones(3))
        """,
        "compile", "backend-operator", ("MissingOperatorWithDecomp",), "(x + 1).cosh()", "aten.cosh.default",
    ),
    "no_triton": Case(
        """
        @torch.compile
        def f(x):
            return (x + 1).cosh() * 7.456
        sys.modules["triton"] = None
        with inductor.patch(cpu_backend="triton"):
            f(ones(3))
        """,
        "compile", ..., ("BackendCompilerFailed|InductorError",),
    ),
    "no_compiler": Case(
        """
        @torch.compile
        def f(x):
            return (x + 1).cosh() * 7.654
        with inductor.patch({"cpp.cxx": ("/nonexistent/cxx",)}):
            f(ones(3))
        """,
        "compile", "configuration", ("InvalidCxxCompiler",),
    ),
}  # fmt: skip
COMPILER = """
    import os
    import torch
    import torch._inductor.config as inductor
    inductor.cpp.cxx = (os.environ["BROKEN"],)

    @torch.compile
    def f(x):
        return (x + 1).cosh() * 8.765
    try:
        f(torch.ones(3))
    except Exception as error:
        print(type(error).__name__)
"""
AT_RUN_TIME = """
    import torch

    @torch.library.custom_op("bench::fails", mutates_args=())
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("only when it runs")

    @fails.register_fake
    def _(x):
        return torch.empty_like(x)

    @torch.compile
    def f(x):
        return fails(x + 1)

    f(torch.ones(3))
"""


def program():
    functions = [
        f"def {name}():\n{textwrap.indent(textwrap.dedent(case.code), '    ')}" for name, case in CASES.items()
    ]
    return "\n".join([textwrap.dedent(START).lstrip(), *functions, textwrap.dedent(END)])


@pytest.fixture(scope="module")
def failed(shared_runner):
    shared_runner.write("failing.py", program())
    plain = shared_runner.plain("failing.py", *CASES)
    traced = shared_runner.traced("failing.py", *CASES)
    assert traced.code == plain.code == 0, traced.err
    shutil.copytree(shared_runner.folder / "recording", shared_runner.folder / "failed")
    return plain, traced


@pytest.fixture(scope="module")
def findings(failed, shared_runner):
    """What the analysis says of the traced run, by the function that failed."""
    assert failed[1].bodies("failure")
    with Recording.open(shared_runner.folder / "failed") as recording:
        found = [one for one in analyse(recording).findings if one.severity == "error"]
    return {name: [one for one in found if name in {frame.function for frame in one.frames}] for name in CASES}


@pytest.fixture(scope="module")
def in_eager(failed, shared_runner):
    """Whether each of the functions passes without torch.compile."""
    assert failed[0].code == 0
    ended = shared_runner.plain("failing.py", *CASES, env={"WITHOUT": "torch.compile"})
    said = dict(line.split()[:2] for line in ended.out.splitlines() if line.split()[0] in CASES)
    return {name: word == "passed" for name, word in said.items()}


def failures_of(traced, name):
    """The failures during the run of function `name`."""
    return [body for body in traced.bodies("failure") if any(frame["function"] == name for frame in body["above"])]


def span(source, name, expression):
    """Where Python's parser finds `expression` in function `name` of the program."""
    (function,) = [node for node in ast.parse(source).body if getattr(node, "name", None) == name]
    wanted = ast.dump(ast.parse(expression).body[0])
    for node in ast.walk(function):
        found = ast.dump(ast.Expr(node)) if isinstance(node, ast.expr) else ast.dump(node)
        if found == wanted:
            return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
    raise LookupError(expression)


def test_the_program_catches_the_same(failed):
    plain, traced = failed
    assert traced.out == plain.out
    assert "passed" not in plain.out.replace("suppressed passed", "")


@pytest.mark.parametrize("name", CASES)
def test_failure(failed, name):
    plain, traced = failed
    source = program()
    case = CASES[name]
    (body,) = failures_of(traced, name)
    assert body["stage"] == case.stage
    if case.class_ is not ...:
        assert body["class"] == case.class_
    types = [link["type"].rpartition(".")[2] for link in body["chain"]]
    for wanted in case.types:
        assert any(one in types for one in wanted.split("|")), types
    caught = next(line.split()[1:] for line in plain.out.splitlines() if line.split()[0] == name)
    if not case.suppressed:
        assert [link["type"] for link in body["chain"]] == caught[: len(body["chain"])]
    assert body["suppressed"] is case.suppressed
    if case.at is None:
        assert body["frames"] == []
    elif case.at is not ...:
        own = [frame for frame in body["frames"] if frame["file"].endswith("failing.py")]
        place = tuple(own[-1][key] for key in ("line", "end_line", "col", "end_col"))
        assert place == span(source, name, case.at)
    if case.node is not None:
        assert body["node"]["target"] == case.node
    snapshots = {one["id"] for one in traced.bodies("snapshot")}
    if case.graph is not ...:
        assert (body["snapshot"] in snapshots) is case.graph
    if case.ran is not None:
        last = body["called_back"]["frames"][-1]
        assert tuple(last[key] for key in ("line", "end_line", "col", "end_col")) == span(source, name, case.ran)
    assert body["code"] is None or body["code"]["file"].endswith("failing.py")


# What kind each failure is said to be; None where the finding is a break's or the limit's.
KINDS = {
    "unsupported": None,
    "data_dependent_guard": None,
    "higher_order_op": "higher-order",
    "branches_that_differ": "higher-order",
    "data_dependent_output": None,
    "constraint": "constraint-fixed",
    "limit_hit_hard": None,
    "recompile_refused": "recompile-refused",
    "stance": "stance",
    "no_fake_kernel": "no-fake-kernel",
    "own_shape_error": "own-operation",
    "no_meta_kernel": None,
    "index_error": "own-operation",
    "assertion": "comptime",
    "error_in_dynamo": "comptime",
    "unknown_backend": "no-backend",
    "own_backend": "backend-node",
    "own_backend_without_a_node": "backend",
    "own_backend_s_backward": "backend",
    "gradient_of_an_operator": "own-backward",
    "strict_cache": "strict-cache",
    "fake_kernel_raises": "fake-kernel",
    "own_pass": "own-pass",
    "lowering_fails": "lowering",
    "lowering_in_a_lazy_backward": "lowering",
    "suppressed": "lowering",
    "no_lowering": "no-lowering",
    "no_lowering_but_a_decomposition": "no-decomposition",
    "no_triton": "no-triton",
    "no_compiler": "no-cpp-compiler",
}


@pytest.mark.parametrize("name", CASES)
def test_finding(findings, in_eager, name):
    """One error for each, on the line that is to blame; what it says of eager is what happens without torch.compile."""
    (finding,) = findings[name]
    if name == "no_triton" and importlib.util.find_spec("triton") is not None:
        assert finding.rule == "compile-error"  # hidden from a torch that found it before: each fails at another place
        return
    assert KINDS[name] == (finding.detail["kind"] if finding.rule == "compile-error" else None)
    assert finding.title
    assert finding.explanation
    assert "{" not in " ".join([finding.title, finding.explanation, finding.detail["label"], *finding.hints])
    if KINDS[name] is None:
        assert finding.detail["chain"]
        return
    assert finding.hints or finding.detail.get("write")
    case = CASES[name]
    if isinstance(case.at, str):
        first, _, start, _ = span(program(), name, case.ran or case.at)
        assert (finding.range.start.line + 1, finding.range.start.character) == (first, start)
    said = finding.detail.get("eager")
    assert said is None or in_eager[name] is said.endswith("works")
    assert (finding.class_ == "other") is (said == "likely-fails" or case.class_ == "other")


def test_words_of_findings_name_what_failed(findings):
    assert findings["constraint"][0].title.startswith("`x.shape[0]` was marked as variable")
    start = findings["constraint"][0].range.start
    line, _, column, _ = span(program(), "constraint", "x + ones(3)")
    without_carets = tuple(map(int, version("torch").split(".")[:2])) < (2, 13)
    assert (start.line + 1, start.character) == (line, column - len("return ") if without_carets else column)
    (stub,) = [findings["no_fake_kernel"][0].detail["write"]]
    assert stub.startswith("@no_fake.register_fake\ndef _(x):\n    return torch.empty_like(x)")
    assert "`no_pass`" in findings["own_pass"][0].title
    assert "post_grad_custom_post_pass" in findings["own_pass"][0].explanation
    assert findings["limit_hit_hard"][0].rule == "recompile-limit"
    assert findings["limit_hit_hard"][0].detail["raises"]
    assert findings["suppressed"][0].detail["eager"] == "works"


def test_last_graph_is_the_one_that_the_node_is_in(failed):
    _, traced = failed
    (body,) = failures_of(traced, "lowering_in_a_lazy_backward")
    (nodes,) = [one["nodes"] for one in traced.bodies("snapshot") if one["id"] == body["snapshot"]]
    assert [node["name"] for node in nodes if node["target"] == "aten.cos.default"] == [body["node"]["name"]]
    assert any(node["name"].startswith("tangents") for node in nodes)


def test_last_graph_of_a_capture_is_as_far_as_it_got(failed):
    _, traced = failed
    (body,) = failures_of(traced, "unsupported")
    (nodes,) = [one["nodes"] for one in traced.bodies("snapshot") if one["id"] == body["snapshot"]]
    assert [node["target"] for node in nodes if node["op"] == "call_function"] == ["_operator.add"]


def test_passes_and_stages_up_to_the_failure_are_there(failed):
    _, traced = failed
    failing = [one for one in traced.bodies("pass") if one["error"] == "RuntimeError"]
    assert [one["function"] for one in failing if one["custom"]] == ["__main__.own_pass.<locals>.no_pass"]
    (graph,) = {one["graph"] for one in failing if one["custom"]}
    stages = {(one["stage"], one["position"]) for one in traced.bodies("stage") if one["graph"] == graph}
    assert ("post_grad", "before") in stages
    assert any(one["graph"] == graph and one["error"] is None for one in traced.bodies("pass"))


@pytest.mark.skipif(os.name != "posix", reason="a shell script as the compiler")
def test_a_compiler_that_fails(shared_runner, tmp_path):
    broken = tmp_path / "c++"
    broken.write_text('#!/bin/sh\ncase "$*" in *--version*) exec c++ "$@";; esac\necho "out of order" >&2\nexit 1\n')
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    shared_runner.write("compiler.py", COMPILER)
    environment = {"BROKEN": str(broken), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    traced = shared_runner.traced("compiler.py", env=environment)
    (body,) = traced.bodies("failure")
    assert (body["stage"], body["class"]) == ("compile", "backend-operator")
    (said,) = [link["message"] for link in body["chain"] if link["type"] == "torch._inductor.exc.CppCompileError"]
    assert "out of order" in said
    assert body["code"]["function"] == "f"
    assert not any("torch" in frame["file"] or "cache" in frame["file"] for frame in body["frames"])


def test_an_exception_of_the_running_code_is_recorded_as_it_ends_the_program(shared_runner):
    shared_runner.write("at_run_time.py", AT_RUN_TIME)
    plain, traced = shared_runner.plain("at_run_time.py"), shared_runner.traced("at_run_time.py")
    assert (traced.code, traced.err.splitlines()[-1]) == (plain.code, plain.err.splitlines()[-1])
    assert "compilescope/" not in traced.err
    (ended,) = traced.bodies("exit")
    assert (ended["exception"]["type"], ended["exception"]["message"]) == ("RuntimeError", "only when it runs")


def test_an_interrupt_is_no_failure(shared_runner):
    shared_runner.write(
        "interrupted.py",
        """
        import torch

        def backend(module, inputs):
            raise KeyboardInterrupt

        torch.compile(lambda x: x.sin(), backend=backend)(torch.ones(3))
        """,
    )
    traced = shared_runner.traced("interrupted.py")
    assert traced.err.rstrip().endswith("KeyboardInterrupt")
    assert traced.bodies("failure") == []
