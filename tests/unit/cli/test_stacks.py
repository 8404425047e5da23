"""`show --stacks` and `show --extract`: what led to each compile, and its payloads as files."""

from __future__ import annotations

import json

import pytest
from compilescope.cli.main import main

from tests.unit.analysis.made import Made


@pytest.fixture
def made(tmp_path):
    folder = tmp_path / "log"
    folder.mkdir()
    made = Made(folder, file="/app/main.py", ours=False)
    for number, file in enumerate(("/app/main.py", "/app/model.py")):
        made.torch_event("str", [file, number])
    top = {"line": 9, "name": "<module>", "filename": 0}

    def started(compile_id, *stack):
        frames = [{"line": line, "name": name, "filename": file} for line, name, file in stack]
        made.torch_event("dynamo_start", {"stack": [top, *frames]}, compile_id)

    def ended(compile_id, **metrics):
        own = {"co_name": "f", "co_filename": "/app/model.py", "co_firstlineno": 3, "has_guarded_code": True}
        made.torch_event("compilation_metrics", {**own, "graph_node_count": 5, **metrics}, compile_id)

    started("0/0", (4, "run", 0), (3, "f", 1))
    ended("0/0", restart_reasons=["a reason", "another"])
    started("0/1", (4, "run", 0), (3, "f", 1))
    ended("0/1", has_guarded_code=False, fail_type="builtins.ValueError", fail_reason="no", fail_user_frame_lineno=8,
          fail_user_frame_filename="/app/model.py")  # fmt: skip
    started("1/0", (5, "run", 0), (20, "torch_dynamo_resume_in_g_at_22", 1))
    ended("1/0", graph_node_count=0)
    made.event("fx_graph_runnable", "import torch\n", "0/0")
    made.event("fx_graph_cache_miss", {"key": "k"}, "0/1_2")
    made.torch_event(
        "guard_added_fast", {"expr": "s0 > 4", "user_stack": [{"line": 3, "name": "f", "filename": 1}]}, "0/0"
    )
    made.torch_event("link", {"name": "profile", "url": "https://example.org/p"}, "0/0")
    made.torch_event("link", {"name": "script", "url": "javascript:alert(1)"}, "0/0")
    made.result()
    return made


def test_the_tree(made, capsys):
    assert main(["show", "--stacks", str(made.folder)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "3 compiles, each at the frame that it is of",
        "/app/main.py:9 in <module>",
        "- /app/main.py:4 in run",
        "  [0/0 restarted] [0/1 failed] /app/model.py:3 in f",
        "- /app/main.py:5 in run",
        "  [1/0 no graph] /app/model.py:20 in g",
    ]


def test_json(made, capsys):
    assert main(["show", "--stacks", "--format", "json", str(made.folder)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["compile_id"], one["status"], len(one["frames"])) for one in found["compiles"]] == [
        ("0/0", "restarted", 3),
        ("0/1", "failed", 3),
        ("1/0", "empty", 3),
    ]
    assert found["others"] == []
    assert main(["show", "--stacks", "--format", "html", str(made.folder)]) == 2


def test_no_stacks(tmp_path, capsys):
    Made(tmp_path).result()
    assert main(["show", "--stacks", str(tmp_path)]) == 2
    assert "No stack is recorded" in capsys.readouterr().err


def test_payloads_as_files(made, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["show", "--extract", str(out), str(made.folder)]) == 0
    listed = json.loads((out / "index.json").read_text())
    assert [(one["event"], one["compile_id"], one["attempt"]) for one in listed] == [
        ("fx_graph_runnable", "0/0", None),
        ("fx_graph_cache_miss", "0/1", "2"),
    ]
    assert [one["file"].rpartition(".")[2] for one in listed] == ["py", "json"]
    assert (out / listed[0]["file"]).read_text() == "import torch\n"
    assert json.loads((out / listed[1]["file"]).read_text()) == {"key": "k"}
    assert main(["show", "--extract", str(out), str(made.folder)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_names_stay_below_the_folder(tmp_path):
    made = Made(tmp_path / "log", ours=False) if (tmp_path / "log").mkdir() is None else None
    assert made is not None
    made.event("../../evil", "text", "0/0")
    made.event("..", "text")
    made.result()
    assert main(["show", "--extract", str(tmp_path / "out"), str(made.folder)]) == 0
    outside = [one for one in tmp_path.rglob("*evil*") if not one.is_relative_to(tmp_path / "out")]
    assert not outside
    assert len(list((tmp_path / "out").rglob("*.*"))) == 3


def test_records_in_the_result(made):
    result = made.result()
    assert [(one.compile_id, one.kind, one.reason, one.line) for one in result.restarts] == [
        ("0/0", "restart", "a reason", None),
        ("0/0", "restart", "another", None),
        ("0/1", "failure", "no", 8),
    ]
    assert [
        (one.compile_id, one.expression, one.place.range.start.line) for one in result.shape_guards if one.place
    ] == [("0/0", "s0 > 4", 2)]
    assert [(one.name, one.url) for one in result.links] == [("profile", "https://example.org/p")]
