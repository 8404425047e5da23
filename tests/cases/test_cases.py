"""Each shared case, traced in full: findings on the lines that its truth marks, and nowhere else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.analysis.schema import problems

CASES = Path(__file__).resolve().parents[3] / "shared/cases"
TRUTHS = sorted(CASES.glob("*.json"))
RULES = {
    "BREAK": {"graph-break", "frame-skipped", "graph-break-error"},
    "RECOMPILE": {"recompile", "recompile-limit"},
    "FAIL": {"compile-error", "graph-break-error"},
    "FALLBACK": {"fallback-op"},
    "SLOW": {"slow-compile"},
}
# What a truth's advice names of torch: its functions, settings and decorators.
NAMED = re.compile(r"torch(?:\.\w+)+|@\w+(?:\.\w+)+")


def named(text: str) -> set[str]:
    return {name.rpartition(".")[2] for name in NAMED.findall(text)}


def advice(finding: dict[str, Any]) -> str:
    """All that a finding says about what to write."""
    said = [finding["explanation"], *finding["hints"], *(str(finding["detail"].get(key)) for key in ("write", "note"))]
    edits = [edit["text"] for fix in finding["fixes"] for edit in fix["edits"]]
    return " ".join([*said, *(fix["title"] for fix in finding["fixes"]), *edits])


def traced(script: Path, folder: Path) -> dict[str, Any]:
    report = folder / "report.json"
    command = [sys.executable, "-m", "compilescope", "trace", "--format", "json", "-o", str(report)]
    command += ["--record", str(folder / "recording"), str(script)]
    subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=240)
    result: dict[str, Any] = json.loads(report.read_text())
    return result


@pytest.mark.torch
@pytest.mark.skipif(not TRUTHS, reason="the shared cases are not here")
@pytest.mark.parametrize("truth_file", TRUTHS, ids=lambda path: path.stem)
def test_case(truth_file: Path, tmp_path: Path) -> None:
    truth = json.loads(truth_file.read_text())
    if truth["gpu_only"]:
        pytest.skip("shows only on a GPU")
    script = truth_file.with_suffix(".py")
    result = traced(script, tmp_path)
    assert problems(result) == []
    found = {
        (finding["rule"], Path(finding["file"] or "").name, finding["range"]["start"]["line"] + 1)
        for finding in result["findings"]
    }
    allowed = set()
    for marker in truth["markers"]:
        name = Path(marker.get("file") or script).name
        others = [other if isinstance(other, int) else other["line"] for other in marker["also_ok"]]
        places = {(name, line) for line in (marker["line"], *others)}
        allowed |= places
        if marker["kind"] in RULES:
            wanted = {(rule, *place) for rule in RULES[marker["kind"]] for place in places}
            assert found & wanted, f"nothing on line {marker['line']}: {sorted(found)}"
    loud = {
        (Path(finding["file"] or "").name, finding["range"]["start"]["line"] + 1)
        for finding in result["findings"]
        if finding["severity"] in {"warning", "error"}
    }
    assert loud <= allowed
    assert result["metrics"]["graphs"] == truth["graphs"]
    assert result["metrics"]["recompiles"] == truth["recompiles"]
    assert result["metrics"]["graph_breaks"] == truth["breaks"]

    scored = [marker for marker in truth["markers"] if marker["kind"] in RULES]
    wanted_names = named(truth["advice"])
    if scored and wanted_names:
        ours = " ".join(
            advice(finding)
            for finding in result["findings"]
            if (Path(finding["file"] or "").name, finding["range"]["start"]["line"] + 1) in allowed
        )
        assert [name for name in wanted_names if re.search(rf"\b{name}\b", ours)], f"none of {wanted_names} in: {ours}"
