"""Equal payloads are looked at once, and damage of each is told all the same."""

from __future__ import annotations

import pytest
from compilescope.analysis.once import Once
from compilescope.analysis.spans import spans
from compilescope.recording.reader import Recording

from tests.unit.recording.made import artifact, in_compile, record


def opened(tmp_path, data):
    (tmp_path / "dedicated_log_torch_trace_1.log").write_bytes(data)
    return Recording.open(tmp_path)


def test_equal_payloads_are_made_once(tmp_path):
    payloads = ["a", "b", "a", "a", "c", "b"]
    with opened(tmp_path, b"".join(artifact("text", {"text": one}) for one in payloads)) as recording:
        made = []

        def make(event):
            made.append(recording.json(event)["text"])
            return made[-1]

        once = Once(recording, make)
        assert [once.of(event) for event in recording.events("text")] == payloads
        assert made == ["a", "b", "c"]


def test_only_the_latest_are_kept(tmp_path):
    with opened(tmp_path, b"".join(artifact("text", {"n": number % 5}) for number in range(10))) as recording:
        made = []
        once = Once(recording, lambda event: made.append(event.id) or event.id, most=4)
        for event in recording.events("text"):
            once.of(event)
        assert len(made) == 10


def test_a_damaged_copy_is_told_and_made_by_itself(tmp_path):
    good = artifact("text", {"text": "a"})
    with opened(tmp_path, good + good.replace(b'"a"', b'"b"') + good) as recording:
        once = Once(recording, lambda event: recording.json(event)["text"])
        assert [once.of(event) for event in recording.events("text")] == ["a", "b", "a"]
        place = len(good) + good.index(b"\n") + 1
        assert [(one.offset, one.problem) for one in recording.damage] == [
            (place, "the payload does not match its checksum")
        ]


SPAN = '{{"name": "pass.a", "ts": {ts}, "args": {args}, "ph": "{ph}", "cat": "dynamo_timed", "tid": 7, "pid": 0}}'
INDENTED = '{{\n"name": "pass.a",\n"ts": {ts},\n"args": {args},\n"ph": "{ph}",\n"cat": "x",\n"tid": 7,\n"pid": 0\n}}'


@pytest.mark.parametrize("text", [SPAN, INDENTED], ids=["one line", "indented"])
def test_spans_are_timed_whatever_their_arguments_are(tmp_path, text):
    begin = text.format(ts="1000000.0", args='{"a": {"ph": "E", "tid": 3}}', ph="B")
    end = text.format(ts="3500000.5", args='{"text": "}, \\"ph\\": \\"B\\"", "many": "%s"}' % ("x" * 5000), ph="E")
    log = record("chromium_event", {}, begin, **in_compile()) + record("chromium_event", {}, end, **in_compile())
    with opened(tmp_path, log) as recording:
        assert [(one.name, one.seconds, one.within) for one in spans(recording, "pass.*")] == [
            ("pass.a", 2.5000005, ())
        ]
