"""`trace --fusion` reaches the traced program's job."""

import json
from pathlib import Path

import pytest
from compilescope.cli import main as cli
from compilescope.cli import trace


@pytest.mark.parametrize("options", [[], ["--fusion"]])
def test_fusion_is_asked_for_in_the_job(monkeypatch, options):
    asked = []
    monkeypatch.setattr(trace, "trace", lambda job, _options: asked.append(job) or 0)
    assert cli.main(["trace", *options, "train.py"]) == 0
    message = json.loads(asked[0].message(Path("recording")))
    assert message.get("fusion", False) is bool(options)
