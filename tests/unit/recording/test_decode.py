from __future__ import annotations

import json

import pytest
from compilescope.recording import decode
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.fixture(autouse=True, scope="module")
def _all_are_large():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode, "LARGE", 0)
        yield


@given(VALUES, st.sampled_from([None, 1]))
def test_a_large_text_says_the_same(value, indent):
    text = json.dumps(value, indent=indent)
    assert decode.decode(text) == json.loads(text)


@given(VALUES, st.data())
def test_a_text_that_is_cut_off_or_goes_on_is_refused_as_ever(value, data):
    text = json.dumps({"nodes": [value, value]})
    for broken in (text[: data.draw(st.integers(0, len(text) - 1))], text + "]"):
        with pytest.raises(json.JSONDecodeError) as ours:
            decode.decode(broken)
        with pytest.raises(json.JSONDecodeError) as standard:
            json.loads(broken)
        assert type(ours.value) is type(standard.value)
