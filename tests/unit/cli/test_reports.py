from __future__ import annotations

import json


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
