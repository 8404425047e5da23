"""Prints, log records and warnings that end a graph."""

from __future__ import annotations

import pytest
from compilescope.analysis.model import Position, Range
from compilescope.fixes import attach

from tests.unit.fixes.made import FILE, finding, result

HEAD = """
import logging
import warnings

import torch

logger = logging.getLogger("snippet")
seen = []


def note(value):
    seen.append(value)
    return value

"""

MAIN = """

def main():
    return [run(torch.arange(4.0)), seen]
"""


def snippet(code: str) -> str:
    return HEAD + code + MAIN


SNIPPETS = {
    "print_shape": snippet("""
@torch.compile
def run(x):
    y = x + 1
    print("y", y.shape)  # how large
    return y * 2
"""),
    "print_tensor": snippet("""
@torch.compile
def run(x):
    y = x + 1
    print("y is", y)
    return y * 2
"""),
    "print_lines": snippet('''
@torch.compile
def run(x):
    for step in range(2):
        x = x * 1.5
        # a comment before
        print(
            "step",
            step,  # the number
            x.sum(),
            """as
it is""",
        )
    return x
'''),
    "print_item": snippet("""
@torch.compile
def run(x):
    loss = x.square().mean()
    print(f"loss {loss.item():.3f}")
    return loss * 2
"""),
    "log_info": snippet("""
@torch.compile
def run(x):
    logger.info("shape %s", x.shape)
    return x * 2
"""),
    "warned": snippet("""
@torch.compile
def run(x):
    y = x * 2
    if y.shape[0] > 3:
        warnings.warn("large")
    else:
        y = y + 1
    return y
"""),
    "tabs": snippet("""
@torch.compile
def run(x):
\tif True:
\t\ty = x * 2
\t\tprint("é😀", y.shape)
\treturn y
""").replace("\n", "\r\n"),
    # what may not be left out
    "side_effect": snippet("""
@torch.compile
def run(x):
    y = x + 1
    print(note(y.shape[0]), y)
    return y * 2
"""),
    "in_place": snippet("""
@torch.compile
def run(x):
    y = x + 1
    print(y.add_(1).shape)
    return y * 2
"""),
    "random": snippet("""
@torch.compile
def run(x):
    y = x + 1
    print(torch.rand(()).item())
    return y * torch.rand(())
"""),
    "used": snippet("""
@torch.compile
def run(x):
    y = x + 1
    done = print("y", y.shape)
    return y * 2
"""),
    "one_line": snippet("""
@torch.compile
def run(x):
    y = x + 1; print("y", y.shape)
    return y * 2
"""),
    # what may be left out, and not reordered
    "changed_later": snippet("""
@torch.compile
def run(x):
    y = x + 1
    print("y", y)
    y.mul_(2)
    return y
"""),
    "keyword": snippet("""
@torch.compile
def run(x):
    y = x + 1
    print("y", y, end="")
    return y
"""),
    # what may be reordered
    "print_two": snippet("""
@torch.compile
def run(x):
    a = x.sum()
    print("a", a, "of", x)
    print(a)
    return a * 2
"""),
    "print_in_helper": snippet("""
def report(name, value):
    print(name, value)


@torch.compile
def run(x):
    y = x.relu()
    report("relu", y)
    return y - 1
"""),
    "print_words": snippet("""
class Net(torch.nn.Module):
    def forward(self, x):
        print("forward")
        return x * 2


run = torch.compile(Net())
"""),
    # what a logger may leave out
    "log_fstring": snippet("""
class Trainer:
    def __init__(self):
        self.log = logging.getLogger("trainer")
        self.step = 3

    @torch.compile
    def run(self, x):
        y = x.relu()
        self.log.debug(f"step {self.step}: {y.shape}")
        return y * 2


run = Trainer().run
"""),
    "log_warning": snippet("""
@torch.compile
def run(x):
    y = x * 2
    if y.dim() == 1:
        logger.warning("flat %d", y.dim())
    return y
"""),
    "log_tensor": snippet("""
@torch.compile
def run(x):
    y = x * 2
    logger.error("values %s", y.sum())
    return y
"""),
    # checks
    "checked": snippet("""
@torch.compile
def run(x):
    loss = x.sum()
    if torch.isnan(loss).any() or loss > 1e4:  # diverged
        raise ValueError("no loss")
    return x * loss
"""),
    "asserted": snippet("""
@torch.compile
def run(x):
    assert x.min() >= 0, f"negative: {x.min().item()}"
    return x.sqrt()
"""),
    "checked_number": snippet("""
class Net(torch.nn.Module):
    def forward(self, x):
        if x.max().item() >= 10: raise IndexError("large")
        return x * 2


run = torch.compile(Net())
"""),
    "checked_otherwise": snippet("""
@torch.compile
def run(x):
    if x.sum() < 0:
        raise ValueError("negative")
    else:
        x = x + 1
    return x
"""),
    "checked_and_noted": snippet("""
@torch.compile
def run(x):
    if x.sum() < 0:
        note(1)
        raise ValueError("negative")
    return x * 2
"""),
    "checked_and_bound": snippet("""
@torch.compile
def run(x):
    if (total := x.sum()) < 0:
        raise ValueError("negative")
    return x * total
"""),
}
KINDS = {"leave-out", "reorder", "ignore-logger"}
LEFT_OUT = {
    "print_shape": "Leave the print out when compiled",
    "print_tensor": "Leave the print out when compiled",
    "print_lines": "Leave the print out when compiled",
    "print_item": "Leave the print out when compiled",
    "log_info": "Leave the log record out when compiled",
    "warned": "Leave the warning out when compiled",
    "tabs": "Leave the print out when compiled",
    "changed_later": "Leave the print out when compiled",
    "keyword": "Leave the print out when compiled",
    "print_in_helper": "Leave the print out when compiled",
    "print_words": "Leave the print out when compiled",
    "log_fstring": "Leave the log record out when compiled",
    "log_warning": "Leave the log record out when compiled",
    "log_tensor": "Leave the log record out when compiled",
}

NOT_LEFT_OUT = ["side_effect", "in_place", "random", "used", "one_line"]
NOT_LEFT_OUT += ["checked_otherwise", "checked_and_noted", "checked_and_bound"]


@pytest.fixture(scope="module")
def tried(try_fixes):
    return try_fixes(SNIPPETS, kinds=KINDS)


@pytest.mark.torch
@pytest.mark.parametrize("name", LEFT_OUT)
def test_left_out(tried, name):
    one = tried.proves(name, LEFT_OUT[name])
    assert one.fix["preferred"]
    assert one.compared["printed"]["compiled"] == ""


@pytest.mark.torch
@pytest.mark.parametrize("name", NOT_LEFT_OUT)
def test_not_left_out(tried, name):
    assert tried.findings[name]
    assert tried.titles(name) == []


@pytest.mark.torch
@pytest.mark.parametrize("name", ["print_tensor", "print_two", "print_words"])
def test_reordered(tried, name):
    one = tried.proves(name, "Print after the graph")
    assert one.compared["printed"]["compiled"] == one.compared["printed"]["original"] != ""


@pytest.mark.torch
@pytest.mark.parametrize("name", ["print_shape", "changed_later", "keyword", "print_in_helper"])
def test_not_reordered(tried, name):
    assert all(not title.startswith("Print after") for title in tried.titles(name))


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "level"),
    [("log_info", "info"), ("log_fstring", "debug"), ("log_warning", "warning"), ("log_tensor", "error")],
)
def test_logger_ignored(tried, name, level):
    tried.proves(name, f"Leave out all `{level}` records")


@pytest.mark.torch
@pytest.mark.parametrize("name", ["print_shape", "warned", "side_effect", "checked"])
def test_no_logger_to_ignore(tried, name):
    assert "ignore-logger" not in [one.fix["kind"] for one in tried.outcomes[name]]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("checked", "if not torch.compiler.is_compiling() and (torch.isnan(loss).any() or loss > 1e4):  # diverged"),
        ("asserted", "assert torch.compiler.is_compiling() or x.min() >= 0, f"),
        ("checked_number", "if not torch.compiler.is_compiling() and x.max().item() >= 10: raise"),
    ],
)
def test_check_left_out(tried, name, text):
    one = tried.proves(name, "Leave the check out when compiled")
    assert text in one.text
    assert not one.fix["preferred"]
    assert "eager raises" in one.fix["note"]


@pytest.mark.torch
def test_layout(tried):
    lines = tried.outcome("print_lines", "Leave").text
    assert (
        """
        # a comment before
        if not torch.compiler.is_compiling():
            print(
                "step",
                step,  # the number
                x.sum(),
                \"\"\"as
it is\"\"\",
            )
"""
        in lines
    )
    tabs = tried.outcome("tabs", "Leave").text
    assert '\r\n\t\tif not torch.compiler.is_compiling():\r\n\t\t\tprint("é😀", y.shape)\r\n' in tabs
    assert "\n" not in tabs.replace("\r\n", "")


@pytest.mark.parametrize(
    ("torch", "option"),
    [("2.13.0+cpu", "ignore_logging_functions"), ("2.9.1", "ignore_logger_methods"), (None, "ignore_logger_methods")],
)
def test_the_option_that_this_torch_has(torch, option):
    text = "import logging\nlog = logging.getLogger()\n\ndef run(x):\n    log.info(x)\n"
    found = finding(Range(Position(4, 4), Position(4, 15)), said=("logging.Logger method not supported", ""))
    attach(result(found, torch), {FILE: text})
    (fix,) = [one for one in found.fixes if one.kind == "ignore-logger"]
    (edit,) = fix.edits
    assert edit.text == f"import torch\n\ntorch._dynamo.config.{option}.add(logging.Logger.info)\n"
    assert edit.range == Range(Position(1, 0), Position(1, 0))
