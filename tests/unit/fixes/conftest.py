"""Traces snippets of programs, applies the fixes that their findings have, and traces again: two processes in all.

    SNIPPETS = {"scaled": '''
        import torch

        @torch.compile
        def run(x):
            return x / x.abs().max().item()

        def main():
            return [run(torch.arange(4.0))]
    '''}

    @pytest.fixture(scope="module")
    def tried(try_fixes):
        return try_fixes(SNIPPETS, kinds={"scalar"})

    @pytest.mark.torch
    def test_kept_as_a_tensor(tried):
        tried.proves("scaled", "Keep")

A snippet is a whole module; its name has no `__`. What `main()` returns (tensors, numbers, lists of them) is compared:
the original in eager with the fixed one, in eager and compiled. Every fix of the given kinds of every finding is
applied alone and traced again, so write one break per snippet, or `together=True` to apply the preferred fix of all
findings at once. What may not be offered belongs into the same `SNIPPETS`: `assert tried.titles("other") == []`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import parso
import pytest

DRIVER = Path(__file__).with_name("driver.py")
BREAKS = {"graph-break", "frame-skipped", "graph-break-error", "compile-error", "recompile", "recompile-limit"}


def lines_of(text: str) -> list[bytes]:
    """The lines in UTF-16, as ranges count, with their ends."""
    return [line.encode("utf-16-le") for line in parso.split_lines(text, keepends=True)]


def applied(text: str, edits: Iterable[Mapping[str, Any]]) -> str:
    """The text after edits as `--format json` has them."""
    starts, offset = [], 0
    for line in lines_of(text):
        starts.append(offset)
        offset += len(line)
    whole = text.encode("utf-16-le")

    def at(position: Mapping[str, int]) -> int:
        return starts[position["line"]] + 2 * position["character"]

    spans = sorted(((at(one["range"]["start"]), at(one["range"]["end"]), one["text"]) for one in edits), reverse=True)
    for start, end, new in spans:
        whole = whole[:start] + new.encode("utf-16-le") + whole[end:]
    return whole.decode("utf-16-le")


@dataclass
class Outcome:
    """A fix that was applied and traced again. `findings`: what the fixed snippet still has."""

    fix: dict[str, Any]
    text: str
    findings: list[dict[str, Any]] = field(default_factory=list)
    compared: dict[str, Any] = field(default_factory=dict)

    @property
    def breaks(self) -> list[str]:
        """The problems that are left, in words."""
        return [f"{one['rule']}: {one['title']} {one['reason']}" for one in self.findings if one["rule"] in BREAKS]


@dataclass
class Tried:
    """All snippets, their findings with fixes, and what became of the fixes."""

    texts: dict[str, str]
    findings: dict[str, list[dict[str, Any]]]
    outcomes: dict[str, list[Outcome]]

    def titles(self, name: str) -> list[str]:
        """The titles of the fixes that were offered."""
        return [one.fix["title"] for one in self.outcomes[name]]

    def outcome(self, name: str, title: str) -> Outcome:
        """The fix whose title begins so."""
        found = [one for one in self.outcomes[name] if one.fix["title"].startswith(title)]
        assert found, (title, self.titles(name), [one["title"] for one in self.findings[name]])
        return found[0]

    def proves(self, name: str, title: str, *, printed: bool = True) -> Outcome:
        """Assert that a fix is right: no problem is left, same outputs in eager and compiled, comments kept."""
        one = self.outcome(name, title)
        assert self.findings[name], "the snippet has no problem to begin with"
        assert one.breaks == [], one.text
        self.keeps(name, one, printed=printed)
        return one

    def keeps(self, name: str, one: Outcome, *, printed: bool = True) -> None:
        """Assert that a fix changes no output, no comment, and nothing of what eager prints."""
        compared = one.compared
        assert compared["errors"] == {}, one.text
        assert compared["eager"] is None, one.text
        assert compared["compiled"] is None, one.text
        if printed:
            assert compared["printed"]["eager"] == compared["printed"]["original"]
        compile(one.text, name, "exec")
        before, after = comments(self.texts[name]), comments(one.text)
        assert "".join(after).startswith("".join(before)) or sorted(before) == sorted(after), after


def comments(text: str) -> list[str]:
    """All comments of a program."""
    leaf, found = parso.parse(text).get_first_leaf(), []
    while leaf is not None:
        found += [part.value for part in leaf._split_prefix() if part.type == "comment"]
        leaf = leaf.get_next_leaf()
    return found


def trace(folder: Path, *arguments: str, depth: str = "capture") -> dict[str, Any]:
    """The JSON of the driver's run, which has `folder` to itself."""
    folder.mkdir()
    report = folder / "report.json"
    command = [sys.executable, "-m", "compilescope", "trace", "--depth", depth, "--format", "json", "-o", str(report)]
    command += ["--record", str(folder / "recording"), str(folder / "driver.py"), *arguments]
    (folder / "driver.py").write_text(DRIVER.read_text(encoding="utf-8"), encoding="utf-8")
    environment = {**os.environ, "PYTHONUTF8": "1"}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(report.read_text(encoding="utf-8"))


def in_file(result: dict[str, Any], file: Path) -> list[dict[str, Any]]:
    return [one for one in result["findings"] if one["file"] == str(file)]


def write(file: Path, text: str) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        stream.write(text)


class FixTrier:
    """Works in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, snippets: Mapping[str, str], kinds: set[str], *, together: bool = False) -> Tried:
        texts = {name: textwrap.dedent(text).lstrip("\r\n") for name, text in snippets.items()}
        before, after = self.folder / "before", self.folder / "after"
        before.mkdir()
        after.mkdir()
        for name, text in texts.items():
            write(before / f"{name}.py", text)
        first = trace(self.folder / "first", str(before), *texts)
        findings = {name: in_file(first, before / f"{name}.py") for name in texts}
        outcomes = {name: _fixed(texts[name], findings[name], kinds, together=together) for name in texts}
        tried = {f"{name}__{index}": one for name in texts for index, one in enumerate(outcomes[name])}
        for name, one in tried.items():
            write(after / f"{name}.py", one.text)
        if tried:
            compared = after / "compared.json"
            second = trace(self.folder / "second", "--compare", str(compared), str(before), str(after), *tried)
            differences = json.loads(compared.read_text(encoding="utf-8"))
            for name, one in tried.items():
                one.findings = in_file(second, after / f"{name}.py")
                one.compared = differences[name]
        return Tried(texts, findings, outcomes)


def _fixed(text: str, findings: list[dict[str, Any]], kinds: set[str], *, together: bool) -> list[Outcome]:
    offered = [[fix for fix in finding["fixes"] if fix["kind"] in kinds] for finding in findings]
    if together:
        best = [next((fix for fix in fixes if fix["preferred"]), fixes[0]) for fixes in offered if fixes]
        edits = {json.dumps(edit, sort_keys=True): edit for fix in best for edit in fix["edits"]}
        return [Outcome(best[0], applied(text, edits.values()))] if best else []
    return [Outcome(fix, applied(text, fix["edits"])) for fixes in offered for fix in fixes]


@pytest.fixture(scope="module")
def try_fixes(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Tried]:
    return FixTrier(tmp_path_factory.mktemp("fixes"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if importlib.util.find_spec("torch") is None:
        for item in items:
            if item.get_closest_marker("torch"):
                item.add_marker(pytest.mark.skip(reason="torch is not installed"))
