"""`compilescope trace --target` as a user meets it."""

from __future__ import annotations

import json
import re

import pytest
from compilescope.cli.words import WITHOUT_VALUE, joined

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.up = nn.Linear(width, 16)

    def forward(self, x, scale: float = 1.0):
        h = self.up(x)
        print("half way")
        return h * scale

if __name__ == "__main__":
    raise SystemExit("ran as a program")
"""


@pytest.mark.torch
def test_a_module_is_compiled_and_its_findings_are_on_its_lines(run, program, tmp_path):
    words = ["--target", "Net", "--inputs", "torch.randn(4, 8), scale=2.0"]
    done = run("trace", "--depth", "capture", "--format", "json", "-o", "out.json", *words, program(NET))
    assert (done.returncode, done.stdout, done.stderr) == (0, "half way\n", "")
    result = json.loads((tmp_path / "out.json").read_text())
    (found,) = [one for one in result["findings"] if one["rule"] == "graph-break"]
    assert found["file"] == str(tmp_path / "program.py")
    assert NET.splitlines()[found["range"]["start"]["line"]].strip() == 'print("half way")'
    assert result["run"]["command"] == [*words, "program.py"]
    assert result["metrics"]["graphs"] == 2
    assert {(one["function"], one["qualname"]) for one in result["compiles"]} == {("forward", "Net.forward")}


@pytest.mark.torch
def test_a_method_is_named_with_its_class(run, program):
    words = ["--target", "Net", "--inputs", "torch.ones(4, 8)", "--inputs", "torch.ones(5, 8)"]
    done = run("trace", "--depth", "capture", *words, program(NET))
    assert "info[recompile]: `Net.forward` was recompiled once\n" in done.stdout
    assert "\nNet.forward (program.py:10): 4 graphs, 1 break" in done.stdout


@pytest.mark.torch
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--target", "Net"],
            (
                'compilescope: Net.forward(x, scale: float = 1.0) needs inputs. For example: "torch.randn(4, 8)". '
                "Give them with --inputs.\n"
            ),
        ),
        (["--target", "Nett"], "compilescope: program.py has no Nett. It has: Net.\n"),
    ],
)
def test_what_can_not_be_called_is_one_message_and_2(run, program, words, said):
    done = run("trace", "--depth", "capture", *words, program(NET))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_inputs_that_are_no_python_are_refused_before_the_file_runs(run, program):
    done = run("trace", "--target", "f", "--inputs", "torch.ones(3", program("print('imported')\ndef f(x): return x\n"))
    said = "compilescope: Can't evaluate the inputs, torch.ones(3: '(' was never closed.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-"], "Can't trace a script on stdin."),
        (["--depth", "capture", "-"], "Can't trace a script on stdin."),
        (["--inputs", "1", "program.py"], "There are inputs but no target."),
        (["--target", "Net", "missing.py"], "Can't run missing.py: no such file."),
        (["--target", "Net", "."], "Can't import .: it is a directory."),
        (["--target", "Net", "--nproc-per-node", "2", "program.py"], "A target is called in one process."),
    ],
)
def test_options_that_do_not_fit(run, program, words, said):
    program(NET)
    done = run("trace", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"compilescope: {said}")
    assert done.stderr.count("\n") == 1


def test_options_without_a_value_are_those_of_the_help(run):
    shown = run("trace", "--help").stdout
    found = re.findall(r"^  (-[-a-z]+(?:, -[-a-z]+)*)(?:$| {2})", shown, re.MULTILINE)
    assert sorted(word for words in found for word in words.split(", ")) == sorted(WITHOUT_VALUE)


@pytest.mark.torch
def test_inputs_may_begin_with_a_minus(run, program):
    source = "import torch\nx = 3\ndef f(n, m=1):\n    print(n, m)\n    return torch.ones(3) * n\n"
    words = ["--fusion", "--target", "f", "--inputs", "-x", "--inputs", "-abs(4),m=2"]
    done = run("trace", "--depth", "capture", "-o", "out", *words, program(source))
    assert (done.returncode, done.stdout, done.stderr) == (0, "-3 1\n-4 2\n", "")


@pytest.mark.parametrize(
    "words",
    [
        ["trace", "program.py", "--inputs", "-1"],
        ["trace", "--fusion", "program.py", "--inputs", "-1"],
        ["trace", "--timeout", "9", "-oout", "-o", "out", "--depth=full", "program.py", "--inputs", "-1"],
        ["trace", "-m", "module", "--inputs", "-1"],
        ["trace", "--", "program.py", "--inputs", "-1"],
        ["trace", "--inputs", "--target", "f", "program.py"],
        ["trace", "--inputs", "-o", "out", "program.py"],
        ["trace", "--inputs"],
        ["show", "--inputs", "-1"],
    ],
)
def test_words_of_the_program_stay_as_they_are(words):
    assert joined(words) == words
