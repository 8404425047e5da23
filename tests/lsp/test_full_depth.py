"""A real run at full depth: graphs, passes, the text of a graph, and hovers of what torch itself reports."""

from __future__ import annotations

import re
import shutil
import sys

import pytest

from .conftest import ROOT

pytestmark = pytest.mark.torch


@pytest.fixture
def options():
    return {"client": "vscode", "python": sys.executable}


@pytest.fixture
def workspace(tmp_path):
    return tmp_path


async def test_the_sampler(client, workspace):
    script = workspace / "sampler.py"
    script.write_text((ROOT / "examples" / "sampler.py").read_text())
    uri = client.open(script)
    result = await client.protocol.send_request_async("compilescope/trace", {"script": str(script)})
    assert (result.status, result.exitCode, result.problem) == ("finished", 0, None)
    lines = script.read_text().splitlines()
    found = {}
    for one in client.diagnostics[uri]:
        line = lines[one.range.start.line]
        found.setdefault(one.code, []).append(line[one.range.start.character : one.range.end.character])
    assert found["GB0170"] == ["h.abs().max() > 6.0"]
    assert found["GB0059"] == ['print("limited", h.shape)']
    assert found["GB7000"] == ["x.max() > 0.5"]
    assert "recompile" in found

    stages = await client.ask("compilescope/stages", recording=result.recording, compileId="0/0")
    assert "0/0" in [one.id for one in stages.compiles]
    kinds = {one.stage for one in stages.stages}
    assert {"dynamo", "post_grad"} <= kinds
    stage = next(one for one in stages.stages if one.stage == "dynamo" and one.snapshot)
    graph = await client.ask("compilescope/graph", recording=result.recording, snapshot=stage.snapshot)
    count = len(graph.names)
    assert count == stage.nodes
    assert {len(column) for column in (graph.ops, graph.targets, graph.kinds, graph.shapes, graph.line)} == {count}
    assert len(graph.edges) == 2 * stage.edges
    placed = {
        lines[line]
        for line, file in zip(graph.line, graph.file, strict=True)
        if file >= 0 and graph.files[file] == str(script)
    }
    assert "    h = x * mask + freq" in placed

    text = (await client.ask("compilescope/graphText", recording=result.recording, snapshot=stage.snapshot)).text
    assert all(f"%{name}" in text for name, op in zip(graph.names, graph.ops, strict=True) if op == "call_function")

    passes = await client.ask("compilescope/passes", recording=result.recording, compileId="0/0")
    assert passes.passes
    assert [one.order for one in passes.passes] == sorted(one.order for one in passes.passes)
    assert any(one.name == "remove_noop_ops" for one in passes.passes), "a pass of torch's own post_grad list"
    recorded = {one.snapshot for one in stages.stages}
    assert {one.before for one in passes.passes if one.before} <= recorded

    await _look_inside(client, result.recording, passes.passes, script)

    with pytest.raises(Exception, match="no snapshot"):
        await client.ask("compilescope/graph", recording=result.recording, snapshot="nothing")

    titles = [one.command.title for one in await client.lenses(uri)]
    assert titles[0].startswith("6 graphs · 2 breaks · 4 recompiles")
    assert any(one.startswith("0 graphs · runs in eager because of line") for one in titles)


async def _look_inside(client, recording, passes, script):
    """What the runs view asks for: a compile's steps and kernels; and the run as text without times."""
    lines = script.read_text().splitlines()
    inside = await client.ask("compilescope/compileDetail", recording=recording, compileId="0/0")
    assert [one.key for one in inside.steps] == ["capture", "aot", "passes", "lowering", "guards", "code"]
    assert all(one.seconds > 0 for one in inside.steps)
    changed = sum(one.changed for one in passes if one.kind == "pass")
    assert f"{sum(one.kind == 'pass' for one in passes)}, {changed} changed" in [one.note for one in inside.steps]
    libraries = [one for one in inside.kernels if one.kind == "extern"]
    assert [lines[one.line].strip() for one in libraries] == ["h = nn.functional.gelu(up(h))", "h = x + down(h)"]
    assert all(one.file == str(script) for one in inside.kernels)
    unknown = await client.ask("compilescope/compileDetail", recording=recording, compileId="9/9")
    assert (unknown.steps, unknown.kernels) == ([], [])

    text = (await client.ask("compilescope/runText", recording=recording)).text
    assert "graphs 6" in text.splitlines()
    assert "recompiles 4" in text.splitlines()
    assert not re.search(r"\d s\b", text), "times differ from run to run"

    same = await client.ask("compilescope/runDiff", before=recording, after=recording)
    assert same.summary.endswith("; no function changed")
    assert same.text.startswith("# What changed\n")


async def test_breaks_in_three_files_that_are_not_open(client, workspace):
    folder = workspace / "three_files"
    shutil.copytree(ROOT / "examples" / "three_files", folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    result = await client.ask("compilescope/trace", script=str(folder / "main.py"), depth="capture")
    assert result.status == "finished"
    broken = {uri for uri, found in client.diagnostics.items() if any(one.code.startswith("GB") for one in found)}
    assert len(broken) == 3
    assert all(uri.startswith(folder.as_uri()) for uri in broken)
