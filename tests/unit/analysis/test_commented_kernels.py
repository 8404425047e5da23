"""Triton kernels by the comments in generated code, against what Inductor's scheduler said of the same compile."""

from __future__ import annotations

import shutil
from pathlib import Path

from compilescope.analysis import commented_kernels, output_code
from compilescope.analysis.analyse import context_of
from compilescope.recording.reader import Recording

H200 = Path(__file__).parents[2] / "fixtures" / "h200"


def test_nodes_and_places_are_those_of_the_scheduler(tmp_path):
    """The recording has both: torch's own comments, and the scheduler's nodes as the tracer saw them."""
    folder = shutil.copytree(H200, tmp_path / "h200")
    with Recording.open(folder) as recording:
        context = context_of(recording)
        codes = output_code.table(recording, context)
        scheduled = {
            (data["graph"], one["name"]): set(one["nodes"])
            for event in recording.events("compilescope_kernels")
            for data in [recording.json(event)]
            for one in data["kernels"]
            if one["kind"] == "triton" and "template" not in one["name"]
        }
        found = commented_kernels.with_commented(recording, context, codes, [])
        texts = {one.graph: output_code.text(recording, one).splitlines() for one in codes}
    named = {(one.graph, one.name): one for one in found}
    shared = scheduled.keys() & named.keys()
    assert len(shared) >= 3
    for key in shared:
        kernel = named[key]
        assert set(kernel.nodes) == scheduled[key], key
        lines = texts[kernel.graph]
        assert f"{kernel.name}.run(" in lines[kernel.source.call_line - 1]
        body = lines[kernel.source.start_line - 1 : kernel.source.end_line]
        assert any(f"def {kernel.name}(" in line for line in body)


def test_a_graph_whose_kernels_are_known_keeps_them(tmp_path):
    folder = shutil.copytree(H200, tmp_path / "h200")
    with Recording.open(folder) as recording:
        context = context_of(recording)
        codes = output_code.table(recording, context)
        known = commented_kernels.with_commented(recording, context, codes, [])
        assert commented_kernels.with_commented(recording, context, codes, known) == known
