"""The table of docs/versions.md, compared with the torch that is installed."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.torch

PAGE = Path(__file__).parents[3] / "docs" / "versions.md"


def table():
    """The rows that name a hook: (its name, whether each version has it)."""
    lines = [line.strip("|").split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in line] for line in lines]
    (head,) = [line for line in cells if line[:2] == ["what", "hook"]]
    versions = {name: index for index, name in enumerate(head) if re.fullmatch(r"2\.\d+", name)}
    rows = [line for line in cells if len(line) == len(head) and line[1].startswith("`torch.")]
    return [(line[1].strip("`"), {version: line[index] for version, index in versions.items()}) for line in rows]


def exists(dotted):
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for name in parts[length:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return False


@pytest.mark.parametrize(("hook", "has"), table(), ids=[hook.rpartition(".")[2] for hook, _ in table()])
def test_table(hook, has):
    torch = pytest.importorskip("torch")
    version = ".".join(torch.__version__.split(".")[:2])
    if version not in has:
        pytest.skip(f"the table has no column for torch {version}")
    assert {"✓": True, "\u2013": False}[has[version]] is exists(hook)


def test_what_a_version_lacks_only_appears_later():
    for hook, has in table():
        marks = list(has.values())
        assert marks == sorted(marks, key=lambda mark: mark == "✓"), hook
