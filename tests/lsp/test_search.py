"""Searches over the protocol: hits as they come, cancelled ones, patterns that would never end, and events as text."""

from __future__ import annotations

import asyncio

import pytest
from compilescope.lsp import searching
from compilescope.lsp.shapes.search import SearchParams
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.unit.recording.made import artifact, in_compile, record


@pytest.fixture
def batches(client):
    """What partial results came, by token."""
    found = {}
    client.protocol.fm.features.pop(types.PROGRESS)  # pytest-lsp's own knows no partial results

    @client.feature(types.PROGRESS)
    def progress(params):
        value = params.value
        hits = value["hits"] if isinstance(value, dict) else value.hits
        found.setdefault(params.token, []).extend(hits)

    return found


def field(hit, name):
    return hit[name] if isinstance(hit, dict) else getattr(hit, name)


async def test_hits_come_as_partial_results_and_lead_to_events(client, made, batches):
    params = {"recording": str(made.folder), "text": "SIGMA"}
    result = await client.ask("compilescope/search", **params, partialResultToken="one")
    assert result.hits == []
    assert result.stopped is None
    assert len(batches["one"]) == result.count
    whole = await client.ask("compilescope/search", **params)
    assert [(hit.kind, hit.text) for hit in whole.hits] == [
        (field(hit, "kind"), field(hit, "text")) for hit in batches["one"]
    ]
    kinds = [hit.kind for hit in whole.hits]
    assert kinds[0] == "finding"
    assert kinds[-1] == "text"
    assert all(hit.text[hit.start : hit.end].lower() == "sigma" for hit in whole.hits)
    source = next(hit for hit in whole.hits if hit.kind == "source")
    lines = made.script.read_text().splitlines()
    assert source.file == str(made.script)
    assert "sigma" in lines[source.line - 1][source.column - 1 :]
    last = whole.hits[-1]
    event = await client.ask("compilescope/eventText", recording=str(made.folder), log=last.log, offset=last.offset)
    line = event.text.split("\n")[event.firstLine + last.payloadLine - 1]
    assert line[last.column - 1 :].lower().startswith("sigma")
    assert event.text.startswith(f"# {last.event}")
    with pytest.raises(JsonRpcException, match="no event at byte 1 of"):
        await client.ask("compilescope/eventText", recording=str(made.folder), log=last.log, offset=1)


async def test_limits_and_kinds(client, made):
    path = str(made.folder)
    result = await client.ask("compilescope/search", recording=path, text="step", limit=1)
    assert (len(result.hits), result.stopped) == (1, "limit")
    result = await client.ask("compilescope/search", recording=path, text="step", perKind=1, kinds=["function", "text"])
    assert [hit.kind for hit in result.hits] == ["function", "text"]
    assert result.cut == ["function", "text"]
    with pytest.raises(JsonRpcException, match="kinds"):
        await client.ask("compilescope/search", recording=path, text="step", kinds=["everything"])


async def test_what_can_not_be_searched_is_said(client, made, tmp_path):
    with pytest.raises(JsonRpcException, match="no regular expression"):
        await client.ask("compilescope/search", recording=str(made.folder), text="(a", regex=True)
    with pytest.raises(JsonRpcException, match="does not exist"):
        await client.ask("compilescope/search", recording=str(tmp_path / "none"), text="a")
    result = await client.ask("compilescope/search", recording=str(made.folder), text="sigma")
    assert result.count > 0, "the next search is answered"


async def test_a_new_search_is_answered_while_an_old_one_is_stuck(client, tmp_path):
    """The old one is cancelled, as by the next key; what it is stuck in does not hold up the server either."""
    log = tmp_path / "dedicated_log_torch_trace_1.log"
    log.write_bytes(record("dynamo_start", {}) + artifact("huge", "a" * 4000 + "!", **in_compile()))
    stuck = asyncio.ensure_future(client.ask("compilescope/search", recording=str(log), text="(a+)+$", regex=True))
    await asyncio.sleep(1)
    ask = asyncio.ensure_future(client.ask("compilescope/runs"))
    await asyncio.wait({ask, stuck}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
    assert ask.done(), "the server answers while a search is stuck"
    assert not stuck.done()
    (number,) = [key for key, future in client.protocol._request_futures.items() if not future.done()]
    client.cancel_request(types.CancelParams(number))
    with pytest.raises(Exception, match="cancel"):
        await stuck
    result = await client.ask("compilescope/search", recording=str(log), text="AAA")
    assert [hit.event for hit in result.hits] == ["huge"]
    assert result.hits[0].text.startswith("aaa")
    assert len(result.hits[0].text) < 300


async def test_a_pattern_that_takes_too_long_ends_with_a_word(client, tmp_path):
    log = tmp_path / "dedicated_log_torch_trace_1.log"
    log.write_bytes(record("dynamo_start", {}) + artifact("huge", "a" * 4000 + "!", **in_compile()))
    result = await client.ask("compilescope/search", recording=str(log), text="(a+)+$", regex=True)
    assert (result.count, result.stopped, result.at) == (0, "too-slow", "text")


async def test_a_recording_that_grows_is_searched_as_it_is_now(client, tmp_path):
    log = tmp_path / "dedicated_log_torch_trace_1.log"
    log.write_bytes(record("dynamo_start", {}) + artifact("one", "needle 1"))
    search = {"recording": str(log), "text": "needle", "kinds": ["text"]}
    assert (await client.ask("compilescope/search", **search)).count == 1
    with log.open("ab") as stream:
        stream.write(artifact("two", "needle 2"))
    found = await client.ask("compilescope/search", **search)
    assert [hit.text for hit in found.hits] == ["needle 1", "needle 2"]


async def test_a_process_that_gives_no_sign_of_life_is_ended_and_the_next_search_is_made(tmp_path, monkeypatch):
    """As where there is no timer that would end the pattern."""
    monkeypatch.setattr(searching, "SILENCE_S", 1.0)
    log = tmp_path / "dedicated_log_torch_trace_1.log"
    log.write_bytes(record("dynamo_start", {}) + artifact("huge", "a" * 4000 + "!", **in_compile()))
    own = searching.Searching()
    try:
        stuck = await own.search(SearchParams(str(log), "(a+)+$", regex=True), [], None)
        assert (stuck.count, stuck.stopped) == (0, "too-slow")
        found = await own.search(SearchParams(str(log), "aa!"), [], None)
        assert [hit.kind for hit in found.hits] == ["text"]
    finally:
        process = own._process
        own.close()
        assert process is None or await process.wait() == 0
