"""The comment that ignores a rule on a line."""

from __future__ import annotations

import pytest

SNIPPETS = {
    "broken": """
        import torch

        @torch.compile
        def run(x):
            if x.sum() > 0:  # positive
                x = x + 1
            return x

        def main():
            return [run(torch.ones(3))]
    """,
    "lines": """
        import torch

        @torch.compile
        def run(x):
            return (x if x.sum(
            ) > 0
                    else x + 1)

        def main():
            return [run(torch.ones(3))]
    """,
    "more": """
        import torch

        @torch.compile
        def run(x):
            if x.sum() > 0:  # compilescope: ignore[GB0001]
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
    one = tried.outcome("broken", "Ignore GB0170")
    assert "if x.sum() > 0:  # positive  # compilescope: ignore[GB0170]\n" in one.text
    assert len(tried.findings["broken"]) == 1
    assert one.findings == []
    tried.keeps("broken", one)


@pytest.mark.torch
def test_a_finding_of_several_lines(tried):
    one = tried.outcome("lines", "Ignore GB0170")
    assert "0  # compilescope: ignore[GB0170]\n" in one.text
    assert one.findings == []
    tried.keeps("lines", one)


@pytest.mark.torch
def test_one_more_code(tried):
    one = tried.outcome("more", "Ignore GB0170")
    assert "# compilescope: ignore[GB0001, GB0170]\n" in one.text
    assert one.findings == []
