"""What torch wrote of a compile and of exports, for the runs view."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

from tests.unit.analysis.made import Made

EXPORTS = Path(__file__).parents[1] / "fixtures/export/torch-2.13.tar.xz"


async def test_texts_of_a_compile(client, tmp_path):
    made = Made(tmp_path, "def f(x):\n    return x\n")
    made.compiled("0/0", "f", 1)
    made.compiled("0/1", "f", 1)
    made.event("fx_graph_runnable", "import torch\n", "0/0")
    made.event("compilescope_cache", {"outcome": "hit"}, "0/0")
    made.event("dynamo_error", "Traceback", "0/0_1")
    made.event("fx_graph_runnable", "import other\n", "0/1")
    made.torch_event("chromium_event", {}, "0/0", payload="{}")
    made.torch_event("describe_tensor", {"id": 0}, "0/0")
    made.result()
    await client.ask("compilescope/openRecording", path=str(tmp_path))
    found = await client.ask("compilescope/artifacts", recording=str(tmp_path), compileId="0/0")
    assert [(one.name, one.attempt) for one in found.artifacts] == [
        ("compilation_metrics", None),
        ("fx_graph_runnable", None),
        ("dynamo_error", "1"),
    ]
    code = found.artifacts[1]
    text = await client.ask("compilescope/eventText", recording=str(tmp_path), log=code.log, offset=code.offset)
    assert "import torch" in text.text
    none = await client.ask("compilescope/artifacts", recording=str(tmp_path), compileId="9/9")
    assert none.artifacts == []


async def test_exports_of_a_run(client, tmp_path):
    with tarfile.open(EXPORTS) as packed:
        packed.extractall(tmp_path, filter="data")
    folder = tmp_path / "draft"
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    await client.ask("compilescope/openRecording", path=str(folder))
    detail = await client.ask("compilescope/runDetail", recording=str(folder))
    assert [len(one.issues) for one in detail.exports] == [len(one["failures"]) for one in report]
    assert {issue.file for one in detail.exports for issue in one.issues} == {"/srv/app/exports.py"}
    last = detail.exports[-1]
    text = await client.ask("compilescope/eventText", recording=str(folder), log=last.log, offset=last.offset)
    assert "torch.ops.aten.relu.default" in text.text
