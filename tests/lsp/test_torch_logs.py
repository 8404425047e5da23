"""What a run recorded of torch's logs, for the editor."""

import pytest
from pygls.exceptions import JsonRpcException

from .made import Made

RECORDS = [
    ("dynamo", None, "DEBUG", 100, "first"),
    ("dynamo", None, "INFO", 50, "second\nof two lines"),
    ("dynamo", "guards", "DEBUG", 1000, "GUARDS:\x1b[31m"),
    ("inductor", "output_code", "DEBUG", 3000, "# code"),
]


@pytest.fixture
def logged(tmp_path, script):
    recording = Made(tmp_path / "20261129-140000", script)
    choice = [
        {"name": "dynamo", "kind": "component", "level": "DEBUG"},
        {"name": "aot", "kind": "component", "level": "INFO"},
        {"name": "output_code", "kind": "artifact", "level": "DEBUG"},
    ]
    recording.event("compilescope_log_choice", {"settings": "+dynamo,aot,output_code", "names": choice})
    for component, artifact, level, size, message in RECORDS:
        body = {"component": component, "artifact": artifact, "level": level, "bytes": size, "message": message}
        body |= {"logger": "torch._dynamo.x", "file": "torch/_dynamo/x.py", "line": 3, "time": 1795986617.25, "cut": 0}
        recording.event("compilescope_log", body, "0/0")
    recording.event("compilescope_log", {"level": 7, "message": []})  # nothing that could be a record
    return recording.compile("0/0").end()


async def test_counts_are_what_each_level_would_print(client, logged):
    answer = await client.ask("compilescope/logCounts", recording=str(logged.folder))
    found = {one.name: {level.level: (level.records, level.bytes) for level in one.levels} for one in answer.logs}
    assert found["dynamo"] == {
        "DEBUG": (2, 150), "INFO": (1, 50), "WARNING": (0, 0), "ERROR": (0, 0), "CRITICAL": (0, 0),
    }  # fmt: skip
    assert found["guards"]["DEBUG"] == (1, 1000)
    assert found["output_code"]["DEBUG"] == (1, 3000)
    assert list(found["aot"]) == ["INFO", "WARNING", "ERROR", "CRITICAL"]  # asked for from INFO on, and nothing came
    assert [one.name for one in answer.logs] == ["output_code", "guards", "dynamo", "aot"]


async def test_text_is_filtered_by_name_and_level(client, logged):
    async def text(**more):
        return (await client.ask("compilescope/logText", recording=str(logged.folder), **more)).text

    whole = await text()
    assert [word in whole for word in ("first", "of two lines", "GUARDS", "# code")] == [True] * 4
    assert "\x1b" not in whole
    assert "[0/0]" in whole
    of_dynamo = await text(names=["dynamo"])
    assert ["GUARDS" in of_dynamo, "# code" in of_dynamo] == [True, False]
    assert "first" not in await text(names=["dynamo"], level="INFO")
    assert "second" in await text(level="INFO")
    assert (await text(level="ERROR")).startswith("Nothing was logged")


async def test_a_level_that_is_none_is_refused(client, logged):
    with pytest.raises(JsonRpcException):
        await client.ask("compilescope/logText", recording=str(logged.folder), level="LOUD")
