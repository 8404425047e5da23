"""The links from codes to pages."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from compilescope.analysis.model import Rule
from compilescope.lsp import paths
from compilescope.lsp.pages import rule_page

PAGES = Path(__file__).resolve().parents[2] / "docs" / "rules"
NOT_FOUND_YET = {"pass-inert"}


@pytest.mark.parametrize("rule", sorted(set(get_args(Rule)) - NOT_FOUND_YET))
def test_every_rule_has_a_page(rule):
    page = rule_page(rule)
    assert page is not None
    assert Path(paths.to_path(page)) == PAGES / f"{rule}.md"


def test_no_link_to_a_page_that_is_not_there():
    assert rule_page("no-such-rule") is None


async def test_the_code_of_a_rule_without_a_page_of_torchs(client, made, script):
    await client.ask("compilescope/openRecording", path=str(made.folder))
    found = {one.code: one.code_description.href for one in client.diagnostics[script.as_uri()]}
    assert found["recompile"] == rule_page("recompile")
    assert found["GB0170"].startswith("https://")
