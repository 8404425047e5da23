"""What the writer writes the reader reads, whatever is in it."""

from __future__ import annotations

import json
import tempfile

from compilescope.recording.reader import Recording
from compilescope.recording.write import LogWriter
from hypothesis import example, given, settings
from hypothesis import strategies as st

# Any text of a program: all line ends, tabs, and lone surrogates, which file names on Linux have.
TEXTS = st.text(st.characters(codec=None) | st.sampled_from("\r\n\t\0\x85\u2028\ud800\udcff{}"), max_size=40)


def read_back(*payloads):
    """The payloads as they are read, and the damage."""
    with tempfile.TemporaryDirectory() as folder:
        writer = LogWriter(folder)
        for payload in payloads:
            writer.append({"artifact": {"name": "foo", "encoding": "string"}}, payload, "a.py:1")
        with Recording.open(folder) as recording:
            return [recording.payload(event) for event in recording.events("foo")], recording.damage


@given(st.lists(TEXTS, min_size=1, max_size=4))
@example(["a\r\nb", "\r", "\r\n", "a\n", "\ta\r\n\t"])
@settings(max_examples=60, deadline=None)
def test_any_text(payloads):
    escaped = [payload.encode(errors="backslashreplace").decode() for payload in payloads]
    assert read_back(*payloads) == (escaped, [])


def test_a_lone_surrogate_in_json_is_still_one():
    payload = json.dumps({"file": "/a/\udcff.py"}, ensure_ascii=False)
    (read,), damage = read_back(payload)
    assert damage == []
    assert json.loads(read) == {"file": "/a/\udcff.py"}
