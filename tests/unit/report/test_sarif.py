from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

from compilescope.analysis.model import Edit, Fix, Rule, StackFrame
from compilescope.report.sarif import FINGERPRINT, render
from json_schema import problems

from .made import FILE, SOURCE, finding, recompile, result, span

SCHEMA = json.loads((Path(__file__).parents[2] / "fixtures/sarif/sarif-2.1.0.json").read_text())
FIX = Fix("Clamp", [Edit(FILE, span(19, 4, 32, 20), "h = h.clamp(-6.0, 6.0)")], kind="clamp", preferred=True)


def sarif(*args, source=SOURCE, notes=(), **kwargs) -> dict:
    log = json.loads(render(result(*args, **kwargs), {FILE: source}, list(notes)))
    assert problems(log, SCHEMA) == []
    return log["runs"][0]


def print_of(run: dict) -> str:
    return run["results"][0]["partialFingerprints"][FINGERPRINT]


def test_the_checker_finds_what_is_wrong():
    log = json.loads(render(result([finding()]), {FILE: SOURCE}, []))
    log["runs"][0]["results"][0]["level"] = "fatal"
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    del log["runs"][0]["tool"]
    assert len(problems(log, SCHEMA)) == 3


def test_a_finding_with_everything():
    run = sarif([finding(fixes=[FIX])], notes=["a note"])
    one = run["results"][0]
    assert (one["ruleId"], one["level"], one["occurrenceCount"]) == ("graph-break", "warning", 5)
    assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == "graph-break"
    place = one["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "demo.py", "uriBaseId": "SRCROOT"}
    region = place["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (19, 8, 27)
    assert region["snippet"]["text"] == "    if h.abs().max() > 6.0:"
    steps = one["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [30, 19]
    assert one["relatedLocations"][0]["message"]["text"] == "in <module>"
    change = one["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["insertedContent"]["text"] == "h = h.clamp(-6.0, 6.0)"
    assert change["deletedRegion"] == {"startLine": 19, "startColumn": 5, "endLine": 19, "endColumn": 33} | {
        "endLine": change["deletedRegion"]["endLine"], "endColumn": change["deletedRegion"]["endColumn"]
    }  # fmt: skip
    assert "Write instead: h = h.clamp(-6.0, 6.0)" in one["message"]["text"]
    assert run["columnKind"] == "utf16CodeUnits"
    assert run["invocations"][0]["exitCode"] == 0


def test_every_rule_has_words_and_every_severity_a_level():
    run = sarif([finding(severity=one, code=one) for one in ("error", "warning", "information", "hint")])
    rules = run["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} == set(get_args(Rule))
    assert all(rule["help"]["text"] and rule["shortDescription"]["text"] for rule in rules)
    assert [one["level"] for one in run["results"]] == ["error", "warning", "note", "note"]


def test_a_fingerprint_stays_when_lines_move_and_numbers_change():
    first = print_of(sarif([finding()]))
    moved = finding(range=span(22, 7, 26), cost_s=9.0, count=1, compile_ids=["7/0"])
    assert print_of(sarif([moved], source="# a\n# b\n# c\n" + SOURCE)) == first
    assert print_of(sarif([replace(finding(), code="GB9999")])) != first
    assert print_of(sarif([finding()], source=SOURCE.replace("6.0:", "5.0:"))) != first
    both = sarif([finding(), finding()])["results"]
    assert both[0]["partialFingerprints"] != both[1]["partialFingerprints"]


def test_files_elsewhere_have_a_base_of_their_own():
    frames = [
        StackFrame("/home/alice/tools/run.py", 3, "main", in_user_code=True),
        StackFrame("/opt/v/lib/python3.11/site-packages/lib one/a.py", 4, "layer", in_user_code=False),
        StackFrame(FILE, 19, "denoise", in_user_code=True),
    ]
    run = sarif([finding(frames=frames)])
    steps = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [one["location"]["physicalLocation"]["artifactLocation"] for one in steps] == [
        {"uri": "tools/run.py", "uriBaseId": "HOME"},
        {"uri": "lib%20one/a.py", "uriBaseId": "SITEPACKAGES"},
        {"uri": "demo.py", "uriBaseId": "SRCROOT"},
    ]
    assert set(run["originalUriBaseIds"]) == {"HOME", "SITEPACKAGES", "SRCROOT"}
    assert "alice" not in json.dumps(run)


def test_odd_runs_are_valid():
    assert sarif([], [], exit_code=-11, status="timed-out")["invocations"][0]["exitSignalNumber"] == 11
    assert sarif([finding(file=None, frames=[])])["results"][0].get("locations") is None
    hostile = "{0} \ud800 \x00 <script>" * 3000
    one = sarif([finding(title=hostile, code=hostile, explanation=hostile), recompile([1.0, 0.5])], command=[hostile])
    assert len(json.dumps(one)) < 60_000
    assert "{{0}" in one["results"][0]["message"]["text"] or "{{0}" in one["results"][1]["message"]["text"]
