"""Guesses against torch: each kind is a break in a real trace, and what a trace finds fine has no guess."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from compilescope.hints import guesses
from compilescope.hints.kinds import KINDS

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).parent / "programs" / "kinds.py"
EXAMPLES = [
    *sorted((ROOT / "examples").rglob("*.py")),
    *sorted((ROOT / "tests" / "bench" / "programs").glob("*.py")),
]
BREAKS = {"graph-break", "frame-skipped", "graph-break-error", "compile-error"}


def traced(script: Path, folder: Path) -> list[dict]:
    """The breaks of a real run of `script`."""
    report = folder / "report.json"
    command = [sys.executable, "-m", "compilescope", "trace", "--depth", "capture", "--format", "json"]
    command += ["--record", str(folder / "recording"), "-o", str(report), str(script)]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=280)
    found = json.loads(report.read_text())["findings"]
    assert done.returncode == 0, done.stderr
    return [one for one in found if one["rule"] in BREAKS]


def lines(found: list[dict], file: Path) -> set[int]:
    """The lines (from 0) that breaks of a file are on."""
    return {one["range"]["start"]["line"] for one in found if one["file"] == str(file)}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    return traced(PROGRAM, tmp_path_factory.mktemp("kinds"))


def test_every_kind_is_in_the_program() -> None:
    assert {one.kind for one in guesses(PROGRAM.read_text())} == KINDS


@pytest.mark.torch
def test_every_guess_is_a_break(found: list[dict]) -> None:
    broken = lines(found, PROGRAM)
    wrong = [(one.range.start.line + 1, one.title) for one in guesses(PROGRAM.read_text())]
    assert not [one for one in wrong if one[0] - 1 not in broken]


@pytest.mark.torch
def test_functions_that_are_meant_to_break_do_and_the_others_do_not(found: list[dict]) -> None:
    """Else the program would prove nothing."""
    tree = ast.parse(PROGRAM.read_text())
    spans = {node.name: (node.lineno - 1, node.end_lineno) for node in tree.body if isinstance(node, ast.FunctionDef)}
    broken = lines(found, PROGRAM)
    guessed = {one.range.start.line for one in guesses(PROGRAM.read_text())}
    for name, (first, end) in spans.items():
        inside = set(range(first, end))
        if name.startswith("fine_"):
            assert not inside & broken, name
            assert not inside & guessed, name
        elif name.startswith("breaks_") and name != "breaks_in_helper":
            assert inside & broken, name
            assert inside & guessed, name


@pytest.mark.torch
@pytest.mark.parametrize("script", [one for one in EXAMPLES if guesses(one.read_text())], ids=lambda one: one.name)
def test_no_guess_in_the_examples_is_refuted(script: Path, tmp_path: Path) -> None:
    broken = lines(traced(script, tmp_path), script)
    assert {one.range.start.line for one in guesses(script.read_text())} <= broken
