"""Requests that make no sense or come at the wrong time: each is answered, with an error that says what is wrong."""

from __future__ import annotations

import contextlib
import os
import subprocess

import pytest
from compilescope.lsp import wire
from compilescope.lsp.checking import checked
from compilescope.lsp.shapes.running import TraceParams
from compilescope.lsp.shapes.runs import RunDetailParams
from pygls.exceptions import JsonRpcInvalidParams

from .conftest import COMMAND
from .test_processes import Wire

INVALID_PARAMS, INVALID_REQUEST, NOT_INITIALIZED = -32602, -32600, -32002


@pytest.fixture(scope="module")
def server():
    """One server for all, that was not initialized yet when the first test came."""
    pipe = subprocess.PIPE
    made = Wire(subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL))
    yield made
    made.process.kill()
    made.process.wait()


@pytest.fixture(scope="module")
def ready(server):
    for number, method in ((1000, "textDocument/hover"), (1001, "compilescope/runs"), (1002, "shutdown")):
        server.send(id=number, method=method, params={})
        error = server.answer(number)["error"]
        assert (error["code"], "initialize" in error["message"]) == (NOT_INITIALIZED, True)
        assert error.get("data") is None
    server.send(method="textDocument/didOpen", params={})
    assert "capabilities" in server.initialize(os.getpid())["result"]
    return server


def error(server, method, **params):
    error.number += 1
    server.send(id=error.number, method=method, **params)
    return server.answer(error.number)["error"]


error.number = 1

FILE = {"uri": "file:///a.py"}


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({}, "params"),
        ({"params": None}, "params"),
        ({"params": []}, "params"),
        ({"params": "x"}, "params"),
        ({"params": {}}, "textDocument"),
        ({"params": {"textDocument": FILE}}, "position"),
        ({"params": {"textDocument": FILE, "position": None}}, "position"),
        ({"params": {"textDocument": FILE, "position": {"line": -1, "character": 0}}}, "line"),
        ({"params": {"textDocument": FILE, "position": {"line": 1 << 40, "character": 0}}}, "line"),
        ({"params": {"textDocument": FILE, "position": {"line": None, "character": 0}}}, "line"),
        ({"params": {"textDocument": FILE, "position": {"line": 0, "character": "x"}}}, "character"),
        ({"params": {"textDocument": None, "position": {"line": 0, "character": 0}}}, "textDocument"),
    ],
)
def test_a_hover_without_a_place(ready, params, named):
    refused = error(ready, "textDocument/hover", **params)
    assert refused["code"] == INVALID_PARAMS
    assert named in refused["message"]


@pytest.mark.parametrize("uri", ["", "x", "untitled:1", "http://[bad", "file:///a%00b"])
def test_a_hover_in_what_is_no_file(ready, uri):
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    ready.send(id=3000, method="textDocument/hover", params=params)
    assert ready.answer(3000)["result"] is None


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"command": "compilescope.server.trace", "arguments": None}, "takes one argument, not 0"),
        ({"command": "compilescope.server.trace"}, "takes one argument, not 0"),
        ({"command": "compilescope.server.trace", "arguments": [{}, {}]}, "takes one argument, not 2"),
        ({"command": "compilescope.server.cancel", "arguments": [1]}, "takes no argument, not 1"),
        ({"command": "compilescope.server.trace", "arguments": [None]}, "TraceParams must be an object, not null"),
        ({"command": "compilescope.server.trace", "arguments": [{"script": "a.py", "depth": "zz"}]}, "`depth`"),
        ({"command": "compilescope.server.openRecording", "arguments": [{}]}, "`path` is missing"),
        ({"command": "nothing"}, "no command nothing"),
        ({"command": None}, "command"),
        ({"command": "compilescope.server.trace", "arguments": 3}, "arguments"),
    ],
)
def test_a_command_that_makes_no_sense(ready, params, message):
    refused = error(ready, "workspace/executeCommand", params=params)
    assert refused["code"] == INVALID_PARAMS
    assert message in refused["message"]
    assert "\n" not in refused["message"]


def test_one_of_our_requests(ready):
    refused = error(ready, "compilescope/trace", params={"script": "a.py", "timeoutS": "x"})
    assert (refused["code"], refused["message"]) == (INVALID_PARAMS, '`timeoutS` must be a number or null, not "x".')


def test_initialize_comes_once(ready):
    assert error(ready, "initialize", params={"processId": None, "rootUri": None, "capabilities": {}})["code"] == (
        INVALID_REQUEST
    )


@pytest.mark.parametrize(
    "method", ["stages", "graph", "graphText", "passes", "runDetail", "compileDetail", "runText", "report"]
)
def test_a_recording_that_is_not_there(ready, method):
    params = {"recording": "/no/such/recording", "snapshot": "x", "compileId": "0/0", "format": "html"}
    refused = error(ready, f"compilescope/{method}", params=params)
    assert (refused["code"], refused["message"]) == (INVALID_PARAMS, "/no/such/recording does not exist.")


def test_after_the_end(ready):
    ready.send(id=2000, method="shutdown")
    assert ready.answer(2000)["result"] is None
    for method in ("textDocument/hover", "compilescope/runs", "shutdown"):
        assert error(ready, method, params=None)["code"] == INVALID_REQUEST
    ready.send(method="exit")
    assert ready.process.wait(timeout=3) == 0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("timeoutS", "x", "must be a number or null"),
        ("timeoutS", True, "must be a number or null"),
        ("timeoutS", -1, "must be a number of seconds above 0"),
        ("timeoutS", float("inf"), "must be a number of seconds above 0"),
        ("timeoutS", float("nan"), "must be a number of seconds above 0"),
        ("args", "str", "must be a list of strings"),
        ("args", [1], "must be a list of strings"),
        ("args", None, "must be a list of strings"),
        ("depth", "zz", "must be in"),
        ("depth", 3, "must be a string"),
        ("env", {"A": 1}, "must be an object of strings"),
        ("env", [], "must be an object of strings"),
        ("script", 3, "must be a string or null"),
        ("script", "a\0b", "must be a string or null"),
        ("cwd", ["/"], "must be a string or null"),
    ],
)
def test_a_field_of_a_wrong_type_is_named(field, value, message):
    with pytest.raises(JsonRpcInvalidParams, match=f"`{field}` {message}"):
        checked({"script": "a.py", field: value}, TraceParams)


def test_what_may_be_left_out():
    structured = wire.make_converter().structure({"module": "pkg", "timeoutS": 5}, TraceParams)
    assert structured == TraceParams(script=None, module="pkg", timeout_s=5)
    with pytest.raises(JsonRpcInvalidParams, match="`recording` is missing"):
        checked({}, RunDetailParams)


@pytest.mark.parametrize("path", ["", " "])
def test_a_recording_without_a_name(path):
    """An empty path is not the working directory of the server."""
    with server_with_stderr() as one:
        one.initialize(os.getpid())
        one.send(id=2, method="compilescope/openRecording", params={"path": path})
        problem = one.answer(2)["result"]["problem"]
        assert (problem["title"], problem["detail"]) == ("Can't open a recording.", "No recording is named.")


def test_what_a_client_gets_wrong_is_one_line_on_stderr():
    with server_with_stderr() as one:
        one.initialize(os.getpid())
        one.send(id=2, method="textDocument/hover", params={})
        one.send(id=3, method="compilescope/stages", params={"recording": "/no/such/recording", "compileId": None})
        one.send(method="textDocument/didOpen", params={})
        one.process.stdin.write(b"Content-Length: 5\r\n\r\n{bad}")
        one.process.stdin.flush()
        assert one.answer(3)["error"]
    said = one.said.decode().splitlines()
    assert "ERROR pygls.protocol.json_rpc: refused: /no/such/recording does not exist." in said
    assert all(line.startswith(("ERROR ", "WARNING ")) for line in said)
    assert len(said) <= 6


@contextlib.contextmanager
def server_with_stderr():
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        made = Wire(process)
        yield made
        made.send(id=1000, method="shutdown")
        made.answer(1000)
        made.send(method="exit")
        made.said = process.stderr.read()
