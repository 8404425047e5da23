"""One function or module of a file is compiled and called. What is right comes from the file itself, run by Python."""

import functools
import sys
import textwrap

import pytest
from compilescope.tracer.target import Refused, import_folder, run

pytestmark = pytest.mark.torch

NET = """
    import sys
    import torch
    from torch import nn

    print("name", __name__, sys.argv, sys.modules[__name__].__dict__ is globals())

    class Net(nn.Module):
        def __init__(self, width=8):
            super().__init__()
            self.up = nn.Linear(width, 16)

        def forward(self, x, scale: float = 1.0):
            h = self.up(x)
            print("rows", len(x), "scale", scale)
            return h * scale

        def encode(self, x):
            print("encoded", tuple(x.shape))
            return self.up(x)

    class Deep(nn.Module):
        def __init__(self, width: int):
            super().__init__()
            self.width = width

        def forward(self, x):
            print("width", self.width)
            return x.sin()

    class Plain:
        def step(self, x):
            print("stepped")
            return x + 1

    def make_batch(n):
        raise ValueError("no batch of " + str(n))

    def build():
        print("built")
        return Net()

    def loss(a, b, *, scale):
        print("loss")
        return ((a - b) ** 2).mean() * scale

    @torch.compile(backend="eager")
    def decorated(x):
        print("decorated")
        return x + 1

    def nothing_needed(x=None):
        print("nothing")
        return torch.ones(2) + 1

    async def wait(x):
        return x + 1

    @torch.compiler.disable
    def later_on(x):
        return wait(x)

    def returns(x):
        return later_on(x)

    class Serve(nn.Module):
        async def forward(self, x):
            return x + 1

    class Each:
        def __call__(self, x):
            yield from x

        async def later(self, x):
            yield x

    wait_compiled = torch.compile(wait)
    serve_compiled = torch.compile(Serve())

    net = Net()
    compiled = torch.compile(Net(), backend="eager")

    if __name__ == "__main__":
        print("ran as a program")
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("target") / "net.py"
    path.write_text(textwrap.dedent(NET))
    return path


@pytest.fixture
def call(file, monkeypatch, capsys):
    """Calls a target in this process, without generated code: what it printed, and torch's count of broken graphs."""
    torch = pytest.importorskip("torch")
    counters = torch._dynamo.utils.counters
    monkeypatch.setattr(torch, "compile", functools.partial(torch.compile, backend="eager"))
    monkeypatch.delitem(sys.modules, "net", raising=False)
    torch._dynamo.reset()
    counters.clear()

    def call(target, *inputs):
        sys.modules.pop("net", None)
        run(str(file), None, target, list(inputs))
        return capsys.readouterr().out.splitlines()[1:], sum(counters["graph_break"].values())

    return call


@pytest.mark.parametrize(
    ("target", "inputs", "said"),
    [
        ("Net", ["torch.randn(4, 8), scale=2.0"], ["rows 4 scale 2.0"]),
        ("Net", ["torch.randn(4, 8)", "torch.randn(3, 8), 0.5"], ["rows 4 scale 1.0", "rows 3 scale 0.5"]),
        ("Net(width=3)", ["torch.randn(4, 3)"], ["rows 4 scale 1.0"]),
        ("Net.encode", ["torch.ones(2, 8)"], ["encoded (2, 8)"]),
        ("Deep(5)", ["x=torch.ones(2)"], ["width 5"]),
        ("Plain.step", ["torch.ones(2)"], ["stepped"]),
        ("Plain().step", ["torch.ones(2)"], ["stepped"]),
        ("build()", ["torch.randn(4, 8)"], ["built", "rows 4 scale 1.0"]),
        ("loss", ["*[torch.ones(2)] * 2, **{'scale': 3}"], ["loss"]),
        ("nothing_needed", [], ["nothing"]),
        ("net", ["net.up.weight[:1, :8]"], ["rows 1 scale 1.0"]),
        ("compiled", ["torch.randn(4, 8)"], ["rows 4 scale 1.0"]),
        ("decorated", ["torch.ones(2)"], ["decorated"]),
    ],
)
def test_every_way_to_name_a_target(call, target, inputs, said):
    """Each prints once a call; torch counts the print as a graph break when it compiles the target."""
    printed, breaks = call(target, *inputs)
    assert printed == said
    assert breaks >= 1


@pytest.mark.parametrize(
    ("target", "inputs", "code", "title", "detail"),
    [
        ("Nett", [], "no-target", "net.py has no Nett.", "It has: Net, Deep, Plain, "),
        ("Net +", [], "bad-target", "Can't evaluate the target, Net +: ", ""),
        ("nothing.there", [], "bad-target", "name 'nothing' is not defined", ""),
        ("Net.decode", [], "bad-target", "has no attribute 'decode'", ""),
        ("Deep", [], "bad-target", "Deep(width: int)", '"Deep(4)"'),
        ("Plain", [], "bad-target", "a class, and no nn.Module", "Plain.step"),
        ("sys", [], "bad-target", "can't be called", ""),
        ("wait", ["1"], "bad-target", "wait is an async function: ", "a function that it calls instead"),
        (
            "wait_compiled",
            ["1"],
            "bad-target",
            "wait_compiled is an async function: ",
            "a function that it calls instead",
        ),
        ("returns", ["torch.ones(2)"], "bad-target", "returns(x) returns a coroutine.", "nothing of it was compiled"),
        ("Serve", ["1"], "bad-target", "Serve is an async function: ", "a function that it calls instead"),
        (
            "serve_compiled",
            ["1"],
            "bad-target",
            "serve_compiled is an async function: ",
            "a function that it calls instead",
        ),
        ("Each()", ["[1]"], "bad-target", "Each() is a generator: ", "a function that iterates over it instead"),
        ("Each.later", ["1"], "bad-target", "Each.later is an async generator: ", "a function that it calls instead"),
        (
            "make_batch(3)",
            [],
            "bad-target",
            "ValueError: no batch of 3",
            'in make_batch\n    raise ValueError("no batch',
        ),
        ("Net", [], "no-inputs", "Net.forward(x, scale: float = 1.0) needs inputs.", '"torch.randn(4, 8)"'),
        ("loss", [], "no-inputs", "loss(a, b, *, scale) needs inputs.", ", scale=1.0"),
        ("Net", ["torch.randn(4, 8"], "bad-inputs", "was never closed", ""),
        ("Net", ["1) + (2"], "bad-inputs", "no list of arguments", ""),
        ("Net", ["missing"], "bad-inputs", "missing: NameError: name 'missing' is not defined", ""),
        ("Net", ["make_batch(4)"], "bad-inputs", "ValueError: no batch of 4", "net.py"),
        ("Net", ["torch.ones(1, 8), speed=2"], "bad-inputs", "The inputs don't fit Net.forward(x, scale", ""),
        ("Net", ["torch.ones(1, 9)"], "bad-inputs", "uncompiled too: RuntimeError: mat1", "h = self.up(x)"),
    ],
)
def test_what_can_not_be_called_is_one_clear_message(call, target, inputs, *, code, title, detail):
    with pytest.raises(Refused) as refused:
        call(target, *inputs)
    assert refused.value.code == code
    assert title in refused.value.title
    assert detail in refused.value.detail


def test_what_fails_only_when_it_is_compiled_is_no_refusal(call, monkeypatch):
    torch = sys.modules["torch"]

    def backend(_graph, _inputs):
        raise LookupError("only compiled")

    monkeypatch.setattr(torch, "compile", functools.partial(torch.compile.func, backend=backend))
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="only compiled"):
        call("Net", "torch.ones(2, 8)")


def test_the_folder_of_a_package(tmp_path):
    for name in ("a/__init__.py", "a/b/__init__.py", "a/b/c.py", "d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert import_folder(str(tmp_path / "a/b/c.py")) == str(tmp_path)
    assert import_folder(str(tmp_path / "d.py")) == str(tmp_path)


def asked(target, *inputs):
    return {"depth": "capture", "more": {"target": target, "inputs": list(inputs)}}


def test_a_process_of_its_own(runner):
    """The file is imported: it sees its own name, and finds what lies beside it. Findings are on its lines."""
    runner.write("beside.py", "WIDTH = 3\n")
    runner.write("net.py", NET.replace("import torch", "import torch, beside", 1))
    traced = runner.traced("net.py", "--fast", **asked("Net(beside.WIDTH)", "torch.randn(4, 3)"))
    assert (traced.code, traced.err) == (0, "")
    assert traced.out == "name net ['net.py', '--fast'] True\nrows 4 scale 1.0\n"
    source = (runner.folder / "net.py").read_text().splitlines()
    (broken,) = traced.bodies("graph_break")
    assert source[broken["frames"][-1]["line"] - 1].strip().startswith('print("rows"')
    assert not [frame for frame in broken["above"] if "compilescope/" in frame["file"]]
    assert traced.bodies("exit")[0]["exit_code"] == 0


def test_a_file_of_a_package(runner):
    runner.write("pkg/__init__.py", "print('package')\n")
    runner.write("pkg/sizes.py", "WIDTH = 7\n")
    runner.write("pkg/part.py", "from .sizes import WIDTH\ndef f(x):\n    print(__name__, WIDTH)\n    return x + 1\n")
    expected = "package\npkg.part 7\n"
    assert runner.traced("pkg/part.py", **asked("f", "torch.ones(2)")).out == expected
    assert runner.traced(None, module="pkg.part", **asked("f", "torch.ones(2)")).out == expected


def test_a_refusal_is_recorded(runner):
    runner.write("net.py", NET)
    traced = runner.traced("net.py", **asked("make_batch", "3, 4"))
    assert traced.code == 2
    assert traced.err == ""
    (refused,) = traced.bodies("refused")
    assert refused["title"] == "The inputs don't fit make_batch(n): too many positional arguments."
    assert traced.bodies("exit")[0]["exit_code"] == 2


def test_a_file_that_can_not_be_imported_fails_as_python_says(runner):
    runner.write("broken.py", "def f(x):\n    return x\n\n1 / 0\n")
    plain, traced = runner.plain("broken.py"), runner.traced("broken.py", **asked("f", "1"))
    assert (traced.code, traced.err.replace(f"{runner.folder}/", "")) == (1, plain.err.replace(f"{runner.folder}/", ""))


def test_the_target_s_own_exception_is_shown_as_python_shows_it(runner):
    runner.write("stops.py", "def f(x):\n    raise SystemExit(5)\n")
    traced = runner.traced("stops.py", **asked("f", "1"))
    assert (traced.code, traced.out, traced.err) == (5, "", "")
