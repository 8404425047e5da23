"""Damaged places of a recording, and the lines of the log around them."""

from __future__ import annotations

import pytest
from pygls.exceptions import JsonRpcException

from tests.unit.recording.made import artifact, in_compile

LOG = "dedicated_log_torch_trace_1_x.log"


async def test_a_damaged_place_is_listed_and_shown_with_what_is_beside_it(client, tmp_path):
    before, after = artifact("first", "zürich", **in_compile()), artifact("second", {"x": 2}, **in_compile(1))
    (tmp_path / LOG).write_bytes(before + b"no record\n" + after)
    recording = (await client.ask("compilescope/openRecording", path=str(tmp_path))).recording
    damage = (await client.ask("compilescope/runDetail", recording=recording)).damage
    assert (damage.title, damage.more) == ("1 place could not be read", 0)
    (one,) = damage.places
    assert (one.log, one.offset, one.problem) == (LOG, len(before), "not the start of a record")
    place = await client.ask("compilescope/logPlace", recording=recording, log=one.log, offset=one.offset)
    lines = place.text.split("\n")
    assert place.line == place.endLine
    assert lines[place.line] == f"> {len(before):>3}  no record"
    assert [(link.name, link.compileId) for link in place.links] == [("first", "0/0"), ("second", "1/0")]
    texts = [
        (await client.ask("compilescope/eventText", recording=recording, log=LOG, offset=link.offset)).text
        for link in place.links
    ]
    assert ["zürich" in text for text in texts] == [True, False]
    with pytest.raises(JsonRpcException, match="There is no log"):
        await client.ask("compilescope/logPlace", recording=recording, log="../x", offset=0)


async def test_a_recording_without_damage_has_none(client, made):
    assert (await client.ask("compilescope/runDetail", recording=str(made.folder))).damage is None


async def test_of_very_many_places_some_are_listed(client, tmp_path):
    log = tmp_path / LOG
    log.write_bytes((artifact("first", {}) + b"no\n") * 250)
    damage = (await client.ask("compilescope/runDetail", recording=str(log))).damage
    assert (damage.title, len(damage.places), damage.more) == ("250 places could not be read", 200, 50)
