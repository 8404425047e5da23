"""The comment that ignores a rule on a line."""

from __future__ import annotations

import pytest

SNIPPETS = {
    "break_twice": """
        import torch

        @torch.compile
        def run(x):
            if x.sum() > 0:  # positive
                x = x + 1
            return x

        def main():
            return [run(torch.ones(3))]
    """,
    "clean": """
        import torch

        @torch.compile
        def run(x):
            return x + 1

        def main():
            return [run(torch.ones(3))]
    """,
}


@pytest.fixture(scope="module")
def tried(try_fixes):
    return try_fixes(SNIPPETS, kinds={"ignore"})


@pytest.mark.torch
def test_clean(tried):
    assert tried.titles("clean") == []


@pytest.mark.torch
def test_ignored(tried):
    one = tried.outcome("break_twice", "Ignore GB0170")
    tried.keeps("break_twice", one)
