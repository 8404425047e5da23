"""Counts of several ranks are one number in every text, which says that they are added up."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from compilescope.lsp.wording import totals
from compilescope.report.counts import counts
from compilescope.report.html.material import Material
from compilescope.report.html.page import render as html
from compilescope.report.markdown import render as markdown
from compilescope.report.outline import outline
from compilescope.report.style import Style
from compilescope.report.summary import closing

from .made import compiled, result


@pytest.fixture
def job():
    """Three graphs of two ranks; torch's own count is that of the rank with the most."""
    compiles = [compiled("0/0"), compiled("rank1:0/0"), compiled("rank1:1/0")]
    return replace(result([], compiles, ranks=[0, 1]), metrics={"graphs": 2, "graph_breaks": 0, "recompiles": 0})


def test_graphs_are_the_same_everywhere(job):
    text = "\n".join(closing(job, Style(Path("/w")), []))
    assert counts(job).graphs == totals(job)["graphs"] == 3
    assert "No findings: 3 graphs" in text
    assert "graphs, recompiles and seconds are of 2 ranks together" in text
    told = markdown(job, {}, [])
    assert "3 graphs, 0 graph breaks, 0 recompiles" in told
    assert "(2 ranks together)." in told
    shown = re.sub(r"<[^>]+>", " ", html(Material(job, {})))
    assert re.search(r"Graphs\s+3\s+of 3 compiles; 2 ranks together", shown)
    assert "graphs 3\n" in outline(job)


def test_one_process_has_torch_s_count_and_nothing_added(job):
    one = replace(job, compiles=job.compiles[:1], run=replace(job.run, ranks=[]))
    text = "\n".join(closing(one, Style(Path("/w")), []))
    assert "No findings: 2 graphs" in text
    assert "together" not in text
    assert "together" not in markdown(one, {}, [])


def test_ids_that_start_anew_are_of_one_process(job):
    compiles = [replace(one, id=one.id.replace("rank1", "reset1")) for one in job.compiles]
    several = replace(job, compiles=compiles, run=replace(job.run, ranks=[]))
    assert counts(several).graphs == 2
    assert "together" not in markdown(several, {}, [])


def test_processes_without_ranks_are_added_too(job):
    compiles = [replace(one, id=one.id.replace("rank1", "pid7")) for one in job.compiles]
    several = replace(job, compiles=compiles, run=replace(job.run, ranks=[]))
    assert counts(several).graphs == 3
    assert "(2 processes together)." in markdown(several, {}, [])
