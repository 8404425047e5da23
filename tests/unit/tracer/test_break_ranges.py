"""Each break stands on its very expression, whatever the file looks like: the text that its line's comment gives.

`# at CODE: text` at the end of a line says which expression on it breaks; `start … end` one over several lines. One run
of a program of several files; nothing else may be a warning there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="columns need Python 3.11"),
]

MARK = re.compile(r"# at (?P<code>GB\d+): (?P<start>.+?)(?: … (?P<end>.+))?$")

MAIN = """
import functools
import linecache
import torch
import helpers, loops, tabs_и_é

X = torch.tensor([0.5, 1.0, -2.0, 3.0])


def run(function, *more):
    torch._dynamo.reset()
    return torch.compile(function, backend="eager")(X, *more)


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) * 2
    return wrapper


@doubled
@doubled
def decorated(x):
    return x * x.sum().item()  # at GB0124: x.sum().item()


def several(x):
    return x * x[0].item() + x * x[1].item()  # at GB0124: x[0].item()  # at GB0124: x[1].item()


def chained(x):
    y = torch.add(
        x,
        x.sum().item(),  # at GB0124: x.sum().item()
    ).relu(
    ) + x[  # at GB0036: x[ … ]
        x > 0
    ].sum()
    z = (
        y.sin()
        .cos()
        .relu()
    )
    if z.sum() > 100:  # at GB0170: z.sum() > 100
        z = z + 1
    return z


def parenthesised(x):
    if (  # 😀
        x.sum() > 0  # at GB0170: x.sum() > 0
    ):
        x = x + 1
    return x


def lambdas(x):
    first, second = (lambda t: t + 1), (lambda t: t * t.max().item())  # at GB0124: t.max().item()
    return first(second(x))


def comprehension(x):
    return [float(t) for t in x], x + 1  # at GB0124: float(t)


def generator(x):  # at GB0003: generator
    yield x + 1


def nested(x):
    def middle(t):
        def inner(u): return u * u.min().item()  # at GB0124: u.min().item()
        return inner(t)
    return middle(x)


def ternary(x):
    é = "é😀"; return x + 1 if x.mean() > 0 else x - len(é)  # at GB0170: x.mean() > 0


def with_default(x, scale=2.0):
    print("scale", scale); return x * scale  # at GB0059: print("scale", scale)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        h = self.linear(x); h = h * h.std().item(); return h  # at GB0124: h.std().item()


class Stages(torch.nn.Module):
    def forward(self, x):  # at GB0003: forward
        yield x + 1


class Shifted:
    def __call__(self, x):
        return x + x.min().item()  # at GB0124: x.min().item()


for function in (decorated, several, chained, parenthesised, lambdas, comprehension, nested, ternary, with_default):
    run(function)
run(generator)
run(Model())
run(Stages())
run(Shifted())
run(helpers.shared)
run(loops.given_up)
run(tabs_и_é.mit_tabs)

# Code without a file is shown where it is called.
cell = "def in_cell(x):\\n    print('cell', x.sum())\\n    return x + 1\\n"
linecache.cache["<ipython-input-3-0a1b>"] = (len(cell), None, cell.splitlines(keepends=True), "<ipython-input-3-0a1b>")
made, lost, template = {}, {}, {}
exec(compile(cell, "<ipython-input-3-0a1b>", "exec"), made)
exec("def executed(x):\\n    return x * x.max().item()\\n", lost)
exec(compile("def rendered(x):\\n    return x * x.max().item()\\n", "/templates/page.tmpl", "exec"), template)


def calls_cell(x):
    return made["in_cell"](x)  # at GB0059: made["in_cell"](x)


def calls_executed(x):
    return lost["executed"](x)  # at GB0124: lost["executed"](x)


def calls_rendered(x):
    return template["rendered"](x)  # at GB0124: template["rendered"](x)


for function in (calls_cell, calls_executed, calls_rendered):
    run(function)
"""
HELPERS = """
import warnings


def shared(x):
    return deeper(x) + 1


def deeper(x):
    warnings.warn("odd")  # at GB0007: warnings.warn("odd")
    return x.abs()
"""
LOOPS = """
def given_up(x):
    for step in range(3):
        x = x + step
        if x.sum() > step: x = x * 2  # at GB7000: x.sum() > step
    return x
"""
TABS = (
    'def mit_tabs(x):\r\n\tif x is not None:\r\n\t\tgrüße = "😀"; s = x.std().item()  # at GB0124: x.std().item()\r\n'
    "\t\treturn x * s, grüße\r\n"
)
FILES = {"main.py": MAIN, "helpers.py": HELPERS, "loops.py": LOOPS, "tabs_и_é.py": TABS}


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def marks() -> dict[tuple[str, int, int], tuple[str, str, str | None]]:
    """The code, the start and the end of each expression, by its file, line from 0 and column in UTF-16."""
    found = {}
    for file, text in FILES.items():
        for number, line in enumerate(text.split("\n")):
            code, *rest = line.rstrip("\r").split("  # at ")
            for one in rest:
                match = MARK.fullmatch("# at " + one)
                assert match, line
                column = utf16(line[: code.index(match["start"])])
                found[file, number, column] = match["code"], match["start"], match["end"]
    return found


MARKS = marks()


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranges")
    for name, text in FILES.items():
        (folder / name).write_bytes(text.encode())
    report = folder / "report.json"
    command = [sys.executable, "-m", "compilescope", "trace", "--format", "json", "-o", str(report)]
    subprocess.run(
        [*command, "--depth", "capture", str(folder / "main.py")],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=280,
    )
    return [one for one in json.loads(report.read_text())["findings"] if one["severity"] in {"warning", "error"}]


def place(finding):
    start = finding["range"]["start"]
    return Path(finding["file"]).name, start["line"], start["character"]


@pytest.mark.parametrize("at", MARKS, ids=lambda at: "{}:{}:{}".format(*at))
def test_a_break_is_on_its_expression(at, findings):
    code, start, end = MARKS[at]
    (finding,) = [one for one in findings if place(one) == at]
    assert finding["code"] == code
    lines = FILES[at[0]].split("\n")
    last = finding["range"]["end"]
    if end is None:
        assert (last["line"], last["character"]) == (at[1], at[2] + utf16(start))
    else:
        assert last["line"] > at[1]
        assert lines[last["line"]].encode("utf-16-le")[: 2 * last["character"]].decode("utf-16-le").endswith(end)


def test_there_are_no_others(findings):
    assert sorted(map(place, findings)) == sorted(MARKS)


def test_code_without_a_file_is_named(findings):
    titles = {one["range"]["start"]["line"]: one["title"] for one in findings if one["file"].endswith("main.py")}
    text = MAIN.split("\n")
    by_call = {
        name: titles[next(n for n, line in enumerate(text) if f'{name}"](x)' in line)]
        for name in ("in_cell", "executed")
    }
    assert "line 2 of `<ipython-input-3-0a1b>`" in by_call["in_cell"]
    assert "line 2 of `<string>`" in by_call["executed"]


def test_what_one_break_caused_is_not_what_another_did(findings):
    caused = [piece for one in findings for piece in one["detail"].get("resumed", [])]
    assert len(caused) == len(set(caused))
    several = [one for one in findings if one["detail"]["function"] == "several"]
    assert [(one["count"], len(one["detail"]["resumed"])) for one in several] == [(1, 1), (1, 1)]


def test_an_object_has_its_name(findings):
    (finding,) = [one for one in findings if "Shifted" in one["detail"]["function"]]
    assert finding["detail"]["function"] == "Shifted.__call__"
