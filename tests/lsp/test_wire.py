"""How our own messages are written."""

from __future__ import annotations

import json

import pytest
from compilescope.lsp import wire
from compilescope.lsp.shapes.graphs import GraphTextResult
from compilescope.lsp.shapes.runs import RunsResult
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.integers(1, 4))
def test_a_large_answer_is_the_same_in_parts(value, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "AT_ONCE", at_once)
        assert json.loads(b"".join(wire._dumps_in_parts(value))) == json.loads(json.dumps(value))


def test_an_answer_may_be_empty():
    protocol = wire.Protocol.__new__(wire.Protocol)
    protocol._converter = wire.make_converter()
    assert json.loads(protocol.encode(RunsResult([])).json) == {"runs": []}
    assert json.loads(protocol.encode(GraphTextResult("ü\ud800")).json) == {"text": "ü\ud800"}
