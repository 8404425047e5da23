"""The server in another editor: Neovim opens a file, traces it, and shows what was found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import COMMAND

LUA = Path(__file__).with_name("neovim") / "client.lua"
BROKEN = """\
import torch


@torch.compile(backend="eager")
def f(x):
    y = x.sin()
    if y.sum() > 0:
        y = y + 1
    return y.cos()


f(torch.ones(4))
"""
MENDED = BROKEN.replace("    if y.sum() > 0:\n        y = y + 1\n", "    y = torch.where(y.sum() > 0, y + 1, y)\n")


@pytest.mark.torch
@pytest.mark.skipif(shutil.which("nvim") is None, reason="no nvim here")
def test_neovim(tmp_path):
    script, mended, result = tmp_path / "broken.py", tmp_path / "mended.txt", tmp_path / "result.json"
    script.write_text(BROKEN)
    mended.write_text(MENDED)
    env = {
        **os.environ,
        "SCRIPT": str(script),
        "MENDED": str(mended),
        "RESULT": str(result),
        "SERVER": "\n".join(COMMAND),
        "PYTHON": sys.executable,
        "XDG_STATE_HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path),
    }
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", f"luafile {LUA}"],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(result.read_text())
    assert "compilescope.server.trace" in seen["commands"]
    assert not seen["lenses"], "lenses run commands that Neovim does not have"
    assert seen["trace"]["status"] == "finished"
    assert seen["trace"]["exitCode"] == 0
    (found,) = seen["diagnostics"]
    assert found["text"] == "y.sum() > 0"
    assert (found["line"], found["end_line"]) == (6, 6)
    assert found["code"] == "GB0170"
    assert found["source"] == "compilescope"
    assert "The graph ends here" in found["hover"]
    assert "command:" not in found["hover"]
    assert "$(" not in found["hover"]
    assert "<span" not in found["hover"]
    assert seen["progress"][0] == "begin"
    assert seen["progress"][-1] == "end"
    assert seen["left"] == 0, "the finding went when the line was mended"
    assert seen["messages"] == []
    assert seen["stopped"]
