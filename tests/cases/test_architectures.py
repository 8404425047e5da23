"""Real models of a library: graphs, breaks and recompiles are as many as torch itself logs in the same process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "programs/architecture.py"
WHOLE = ["bert", "llama", "mixtral", "mamba", "t5", "vit"]
BROKEN_INSIDE_THE_LIBRARY = ["longformer", "bigbird", "led", "detr", "wav2vec2", "switch"]
LOUD = {"warning", "error"}


@pytest.mark.torch
@pytest.mark.parametrize("name", [*WHOLE, *BROKEN_INSIDE_THE_LIBRARY])
def test_architecture(name: str, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "compilescope", "trace", "--depth", "capture", "--format", "json"]
    command += ["-o", str(report), "--record", str(tmp_path / "recording"), str(SCRIPT), name]
    env = {**os.environ, "TORCH_LOGS": "graph_breaks,recompiles", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, env=env, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=280)
    breaks = re.findall(r"\[__graph_breaks\] Graph break (?:in|from|\()", done.stderr)
    recompiles = re.findall(r"\[__recompiles\] Recompiling function", done.stderr)
    assert (len(breaks) > 0) == (name in BROKEN_INSIDE_THE_LIBRARY)  # torch's wording is still the one looked for

    result = json.loads(report.read_text())
    metrics = result["metrics"]
    counted = metrics["graphs"], metrics["graph_breaks"], metrics["recompiles"]
    assert counted == (int(done.stdout), len(breaks), len(recompiles))

    call = SCRIPT.read_text().splitlines().index("    compiled(**inputs)") + 1
    places = {(one["file"], one["range"]["start"]["line"] + 1) for one in result["findings"]}
    assert places == {(str(SCRIPT), call)}  # every break and recompile is inside the library: on the user's own call
    if name not in BROKEN_INSIDE_THE_LIBRARY:
        assert not [one["title"] for one in result["findings"] if one["severity"] in LOUD]
