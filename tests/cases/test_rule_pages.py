"""The examples on the rule pages do what the pages say: the wrong one breaks the rule, the right one does not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

RULES = Path(__file__).resolve().parents[2] / "docs" / "rules"
PAGES = sorted(RULES.glob("*.md"))

BEHIND_CAPTURE = {"compile-error", "fallback-op", "pass-inert"}


def examples(page: Path) -> dict[str, str]:
    """The code under `## Wrong` and `## Right`."""
    found = re.findall(r"^## (Wrong|Right)\n+```python\n(.*?)```", page.read_text(), re.DOTALL | re.MULTILINE)
    return dict(found)


def kinds(page: Path) -> dict[str, tuple[str, str]]:
    """The pairs of blocks under `## Kinds`, what breaks the rule and what to write instead, by their heading."""
    section = page.read_text().partition("\n## Kinds\n")[2].partition("\n## ")[0]
    found = {}
    for part in section.split("\n### ")[1:]:
        blocks = re.findall(r"```python\n(.*?)```", part, re.DOTALL)
        if blocks:
            wrong, right = blocks
            found[part.partition("\n")[0]] = wrong, right
    return found


def rules_found(code: str, folder: Path, depth: str) -> set[str]:
    script = folder / "example.py"
    script.write_text(code)
    report = folder / "report.json"
    command = [sys.executable, "-m", "compilescope", "trace", "--format", "json", "-o", str(report)]
    command += ["--depth", depth, str(script)]
    subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=240)
    return {finding["rule"] for finding in json.loads(report.read_text())["findings"]}


@pytest.mark.torch
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_wrong_breaks_the_rule_and_right_does_not(page: Path, tmp_path: Path) -> None:
    code = examples(page)
    assert set(code) == {"Wrong", "Right"}
    depth = "full" if page.stem in BEHIND_CAPTURE else "capture"
    for name, holds in (("Wrong", True), ("Right", False)):
        folder = tmp_path / name
        folder.mkdir()
        assert (page.stem in rules_found(code[name], folder, depth)) is holds, f"{page.name}: {name}"


FIRST_WITH_THESE_KINDS = (2, 13)
KINDS = {page.stem: kinds(page) for page in PAGES}


@pytest.fixture(scope="module")
def kinds_traced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[tuple[str, str]]]:
    """The rules and codes found in each example of a kind, all of them modules of one program."""
    if tuple(map(int, version("torch").split(".")[:2])) < FIRST_WITH_THESE_KINDS:
        pytest.skip("the pages are about the kinds that a newer torch has")
    folder = tmp_path_factory.mktemp("kinds")
    pairs = [pair for found in KINDS.values() for pair in found.values()]
    names = [f"{what}_{number}" for number, _ in enumerate(pairs) for what in ("wrong", "right")]
    for name, code in zip(names, (code for pair in pairs for code in pair), strict=True):
        (folder / f"{name}.py").write_text(code)
    script = folder / "every.py"
    script.write_text("import torch\n" + "".join(f"import {name}\ntorch._dynamo.reset()\n" for name in names))
    report = folder / "report.json"
    command = [sys.executable, "-m", "compilescope", "trace", "--format", "json", "-o", str(report)]
    subprocess.run(
        [*command, "--depth", "capture", str(script)], cwd=folder, check=True, capture_output=True, timeout=280
    )
    found: dict[str, set[tuple[str, str]]] = {name: set() for name in names}
    for finding in json.loads(report.read_text())["findings"]:
        found[Path(finding["file"]).stem].add((finding["rule"], finding["code"]))
    return found


@pytest.mark.torch
@pytest.mark.parametrize(
    ("number", "rule", "heading"),
    [
        (number, rule, heading)
        for number, (rule, heading) in enumerate((rule, heading) for rule in KINDS for heading in KINDS[rule])
    ],
)
def test_each_kind(number: int, rule: str, heading: str, kinds_traced: dict[str, set[tuple[str, str]]]) -> None:
    wrong, right = kinds_traced[f"wrong_{number}"], kinds_traced[f"right_{number}"]
    assert rule in {found for found, _ in wrong}
    if heading.startswith("GB"):
        assert heading.partition(":")[0] in {code for _, code in wrong}
        assert right == set()
    assert rule not in {found for found, _ in right}
