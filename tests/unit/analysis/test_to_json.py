"""Results as JSON: exactly the contract."""

from __future__ import annotations

import json

from compilescope.analysis.model import Edit, Fix, Position, Range
from compilescope.analysis.to_json import to_json

from tests.unit.analysis.made import Made, frame
from tests.unit.analysis.schema import problems


def test_a_result_with_everything_in_it_fits_the_schema(tmp_path):
    made = Made(tmp_path, "x = 1\ny = 2\n")
    made.run_json(
        command=["main.py", "--fast"], cwd="/app", python="/usr/bin/python3", depth="full", exit_code=3, wall_s=1.5
    )
    made.compiled("0/0", "run", 1)
    made.graph_break("0/0", [frame("/app/main.py", 1, "run", 0, 5)])
    made.recompile("0/1", {"file": "/app/main.py", "line": 1, "function": "run"}, "L['x'] == 1")
    made.event("compilescope_unavailable", {"hooks": [{"hook": "a.b", "reason": "not there", "loses": "guards"}]})
    made.event("compilescope_pass", {"graph": "0/0/forward", "name": "p", "order": 0}, "0/0")
    made.event("compilescope_kernels", {"graph": "0/0/forward", "kernels": [{"name": "k", "kind": "cpp"}]}, "0/0")
    result = made.result()
    place = Range(Position(0, 0), Position(0, 1))
    result.findings[0].fixes.append(Fix("replace", [Edit("/app/main.py", place, "z")]))
    value = json.loads(json.dumps(to_json(result)))
    assert problems(value) == []
    assert value["run"]["command"] == ["main.py", "--fast"]
    assert value["run"]["exit_code"] == 3
    assert value["run"]["unavailable"] == [{"hook": "a.b", "reason": "not there", "loses": "guards"}]
    finding = value["findings"][0]
    assert finding["class"] in {"other", "guard"}
    assert finding["fixes"][0]["edits"][0]["range"]["end"] == {"line": 0, "character": 1}


def test_an_empty_recording_fits_too(tmp_path):
    made = Made(tmp_path, ours=False)
    made.run_json(status="running")
    assert problems(to_json(made.result())) == []


def test_the_schema_check_itself_sees_what_is_wrong(tmp_path):
    value = to_json(Made(tmp_path).result())
    del value["run"]["cwd"]
    value["metrics"]["more"] = 1
    value["schema"] = 2
    assert len(problems(value)) == 3
