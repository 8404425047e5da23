"""One number for each name: breaks, recompiles and graphs that ran, wherever they are told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from compilescope.lsp.wording import totals
from compilescope.report.counts import counts, met
from compilescope.report.html.material import Material
from compilescope.report.html.page import render as html
from compilescope.report.markdown import render as markdown
from compilescope.report.outline import outline
from compilescope.report.style import Style
from compilescope.report.summary import closing
from page import Page

from .made import FILE, SOURCE, compiled, finding, recompile, result


@pytest.fixture
def run():
    """Three versions, one of which ran backward; a refused recompile and a second meeting of a break are torch's."""
    compiles = [
        compiled("0/0", calls={"forward": 2, "backward": 2}),
        compiled("0/1", calls={"forward": 1, "backward": 0}),
        compiled("0/2", calls={"forward": 1}),
        compiled("0/3", status="skipped"),
    ]
    found = result([finding(count=2), recompile([1.0, 0.5, 0.25])], compiles)
    return replace(found, metrics={"graphs": 3, "graph_breaks": 2, "recompiles": 3})


def test_every_text_says_the_same(run, tmp_path):
    assert (counts(run).breaks, counts(run).recompiles, counts(run).recompiled) == (1, 2, 1)
    assert (totals(run)["breaks"], totals(run)["recompiles"]) == (1, 2)
    assert "1 graph break, 2 recompiles" in closing(run, Style(tmp_path), [])[-1]
    assert "graph breaks 1\nrecompiles 2\n" in outline(run)
    assert "3 graphs, 1 graph break, 2 recompiles" in markdown(run, {FILE: SOURCE}, [])
    shown = Page(html(Material(run, {FILE: SOURCE}))).text
    assert "on 1 line; torch counts 2" in shown
    assert "of 1 function; torch counts 3" in shown


def test_a_backward_graph_that_never_ran_is_not_said_to_have(run):
    shown = Page(html(Material(run, {FILE: SOURCE}))).text
    assert "3 fwd, 1 bwd ran" in shown
    assert "4 compiles, 2 backward graphs, 1 of them ran" in shown


def test_what_is_about_compiles_is_not_met():
    assert not met(finding(rule="slow-compile", count=1))
    assert not met(finding(rule="pass-inert", count=2))
    assert (met(finding(count=1)), met(finding(count=3))) == ("met once", "met 3 times")


def test_once_is_not_one_times(run):
    assert "(2 times)" in outline(run)
    assert "(1 times)" not in outline(replace(run, findings=[finding(count=1)]))
