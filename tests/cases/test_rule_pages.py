"""The examples on the rule pages do what the pages say: the wrong one breaks the rule, the right one does not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

RULES = Path(__file__).resolve().parents[2] / "docs" / "rules"
PAGES = sorted(RULES.glob("*.md"))

BEHIND_CAPTURE = {"compile-error", "fallback-op"}


def examples(page: Path) -> dict[str, str]:
    """The code under `## Wrong` and `## Right`."""
    found = re.findall(r"^## (Wrong|Right)\n+```python\n(.*?)```", page.read_text(), re.DOTALL | re.MULTILINE)
    return dict(found)


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
