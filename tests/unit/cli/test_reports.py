from __future__ import annotations

import json
import subprocess

import pytest

from .conftest import COMMAND, ENV


def test_each_format_to_stdout_and_to_a_file(run, program, tmp_path):
    traced = run("trace", "--record", "r", "--format", "html", program("print('the program')"))
    assert traced.returncode == 0
    assert traced.stdout.startswith("<!DOCTYPE html>")
    assert "the program" in traced.stderr
    assert "the program did not import torch" in traced.stdout
    shown = run("show", "--format", "sarif", "-o", "found.sarif", "r")
    assert (shown.returncode, shown.stdout) == (0, "")
    log = json.loads((tmp_path / "found.sarif").read_text())
    assert (log["version"], log["runs"][0]["results"]) == ("2.1.0", [])
    assert run("show", "--format", "markdown", "r").stdout.startswith("## torch.compile report: `program.py`")
    assert str(tmp_path) not in traced.stdout


def test_a_report_that_only_a_part_fits_of_is_an_error_without_buffering_too(tmp_path):
    try:
        subprocess.run(["unshare", "-rm", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small file system can't be mounted here")
    log = tmp_path / "dedicated_log_torch_trace_x.log"
    envelope = '{"artifact": {"name": "x", "encoding": "string"}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}'
    log.write_text(f"V1130 10:00:00.000000 4711 torch/x.py:1] {envelope}\n" * 4_000)
    (tmp_path / "small").mkdir()
    within = 'mount -t tmpfs -o size=64k none small; "$@" > small/report.json'
    command = [*COMMAND, "show", "--event", "x", "--format", "json", str(log)]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", within, "sh", *command],
        cwd=tmp_path, env={**ENV, "PYTHONUNBUFFERED": "1"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "compilescope: Can't write to stdout: No space left on device.\n")
