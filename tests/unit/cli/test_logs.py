"""`compilescope trace --logs` and `show --logs`."""

import json
import logging

import pytest
from compilescope.analysis.logs import LEVELS
from compilescope.cli.main import main
from compilescope.recording.write import LogWriter

RECORDS = (
    ("dynamo", None, "DEBUG", 100, "first"),
    ("dynamo", None, "INFO", 50, "second\nof two lines"),
    ("dynamo", "guards", "DEBUG", 3000, "GUARDS \x1b[31m"),
)


@pytest.fixture
def recording(tmp_path):
    folder = tmp_path / "recording"
    folder.mkdir()
    writer = LogWriter(str(folder))

    def write(name, body, **context):
        envelope = {"artifact": {"name": f"compilescope_{name}", "encoding": "json"}, **context}
        writer.append(envelope, json.dumps(body), "compilescope/tracer/made.py:1")

    names = [
        {"name": "dynamo", "kind": "component", "level": "DEBUG"},
        {"name": "aot", "kind": "component", "level": "INFO"},
    ]
    write("log_choice", {"settings": "+dynamo,aot", "names": names})
    for component, artifact, level, size, message in RECORDS:
        body = {"component": component, "artifact": artifact, "level": level, "bytes": size, "message": message}
        body |= {"logger": "x", "file": "torch/_dynamo/x.py", "line": 3, "time": 1795986617.25, "cut": 0}
        write("log", body, frame_id=0, frame_compile_id=1, attempt=2)
    dropped = [{"component": "dynamo", "artifact": None, "level": "WARNING", "records": 5, "bytes": 500}]
    write("exit", {"exit_code": 0, "log_dropped": dropped})
    return str(folder)


def test_the_table_first_then_all_records(recording, capsys):
    assert main(["show", "--logs", recording]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["log", "DEBUG", "INFO", "WARNING", "ERROR"]
    rows = {line[:16].strip(): line[16:].split() for line in lines[:3]}
    assert rows["guards (dynamo)"][:3] == ["1", "2.9", "KB"]
    assert rows["dynamo"] == ["7", "650", "B", "6", "550", "B", "5", "500", "B", "0", "0", "B"]  # dropped ones count
    assert rows["aot"][0] == "-"  # not recorded at DEBUG
    assert "5 records were only counted" in lines[4]
    assert [line.split(" ", 1)[1] for line in lines[6:]] == [
        "DEBUG   [0/1_2] dynamo torch/_dynamo/x.py:3: first",
        "INFO    [0/1_2] dynamo torch/_dynamo/x.py:3: second",
        "two lines",
        "DEBUG   [0/1_2] guards (dynamo) torch/_dynamo/x.py:3: GUARDS \N{REPLACEMENT CHARACTER}[31m",
    ]


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        (["--log-level", "info"], ["second\nof two lines"]),
        (["--log-component", "guards"], ["GUARDS \x1b[31m"]),
        (["--log-component", "dynamo", "--log-level", "DEBUG"], [message for *_, message in RECORDS]),
        (["--log-component", "aot"], []),
    ],
)
def test_records_by_component_and_level(recording, capsys, options, messages):
    assert main(["show", "--logs", *options, "--format", "json", recording]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [one["message"] for one in answer["records"]] == messages
    assert answer["dropped"] == 5
    assert {one["name"]: one["recorded_from"] for one in answer["counts"]} == {
        "dynamo": "DEBUG",
        "guards": "DEBUG",
        "aot": "INFO",
    }


def test_a_filter_leaves_the_table_out(recording, capsys):
    assert main(["show", "--logs", "--log-level", "INFO", recording]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("second")


def test_a_log_that_is_not_recorded(recording, capsys):
    assert main(["show", "--logs", "--log-component", "inductor", recording]) == 2
    assert "No log inductor is recorded. There are aot, dynamo, guards." in capsys.readouterr().err


def test_a_level_that_there_is_not(recording, capsys):
    with pytest.raises(SystemExit):
        main(["show", "--logs", "--log-level", "LOUD", recording])
    assert "no level 'LOUD'" in capsys.readouterr().err


def test_every_level_of_logging_has_its_place():
    assert [logging.getLevelName(getattr(logging, level)) for level in LEVELS] == list(LEVELS)


@pytest.mark.torch
def test_names_are_checked_before_anything_runs(program, run):
    name = program("print('ran')\n")
    refused = run("trace", "--logs", "+dynamo,graph_brakes", name)
    assert refused.returncode == 2
    assert "has no log `graph_brakes`. Names like it: graph_breaks" in refused.stderr
    assert "ran" not in refused.stdout + refused.stderr


@pytest.mark.torch
def test_what_is_recorded_is_shown_and_not_printed(program, run):
    name = program(
        """
import logging, torch
logging.getLogger("torch._inductor.mine").debug("made %s", "by hand")
"""
    )
    traced = run("trace", "--logs", " +inductor , torch.fx", "--record", "kept", name)
    assert traced.returncode == 0, traced.stderr
    assert "by hand" not in traced.stdout + traced.stderr
    shown = run("show", "--logs", "--log-component", "inductor", "kept")
    assert shown.stdout.count("made by hand") == 1
