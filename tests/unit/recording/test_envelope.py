"""An envelope that is read without decoding it says what its JSON says."""

from __future__ import annotations

import random

import pytest
from compilescope.recording.envelope import ENVELOPE, Plain, read

from tests.unit.recording.made import HEAD, artifact, in_compile, record

TENSOR = {
    "id": 3,
    "ndim": 2,
    "dtype": "torch.float32",
    "device": "device(type='cuda', index=0)",
    "size": [8, 320],
    "is_leaf": True,
    "stride": [320, 1],
    "view_func": "<built-in method _view_func_unsafe of Tensor object at 0x7f1309f8fe30>",
    "requires_grad": False,
    "base": None,
}
USUAL = [
    record("str", ["/a/b.py", 12]),
    record("str", ["/a/b.py", 12], rank=3),
    record("describe_tensor", TENSOR, **in_compile(1, 2)),
    record("describe_storage", {"id": 0, "describer_id": 0, "size": 20971520}, rank=0, **in_compile(0, 0, 3)),
    record("describe_source", {"source": "L['x']"}, compiled_autograd_id=None, **in_compile(7)),
    record("chromium_event", {}, '{"name": "dynamo", "ts": 1.0}', rank=1, **in_compile()),
    record("chromium_event", {}, '{\n"name": "a span",\n"ts": 1.0}'),
    artifact("fx_graph_cache_hit", {"key": "k"}, **in_compile()),
    record("aot_forward_graph", {}, "a graph", frame_id=4, frame_compile_id=1),
    record("inductor_output_code", {"filename": "/tmp/a.py"}, "code", **in_compile()),
]
UNUSUAL = [
    record("dynamo_start", {"stack": [{"line": 1, "filename": 0}]}, **in_compile()),
    record("describe_source", {"source": 'L["x"]'}, **in_compile()),
    record("describe_source", {"source": "L['ü']"}, **in_compile()),
    record("chromium_event", {}, '{"name": "a"}', compiled_autograd_id=4),
    record("rank", {}, rank=1),
    record("compilation_metrics", {"seconds": 1.5}, **in_compile()),
]


def by_json(raw: bytes):
    match = ENVELOPE.match(raw)
    line_end = raw.find(b"\n")
    payload = line_end + 1
    line_end -= raw[line_end - 1 : line_end] == b"\r"
    return match and read(raw, match, line_end=line_end, payload=payload, end=len(raw), base=1000)


@pytest.mark.parametrize("raw", USUAL, ids=range(len(USUAL)))
def test_what_torch_usually_writes_is_not_decoded(raw):
    for one in (raw, raw.replace(b"\n", b"\r\n")):
        found = Plain().record(one, 0, len(one), 1000)
        assert found is not None
        assert by_json(one) == (found, None)


@pytest.mark.parametrize("raw", UNUSUAL, ids=range(len(UNUSUAL)))
def test_what_it_does_not_say_for_sure_is_left_to_json(raw):
    assert Plain().record(raw, 0, len(raw), 1000) is None


def test_the_same_texts_are_of_the_same_records():
    plain = Plain()
    for raw in USUAL * 2:
        assert by_json(raw) == (plain.record(raw, 0, len(raw), 1000), None)


def test_a_changed_byte_is_never_read_otherwise():
    chance = random.Random(11)
    read_plainly = 0
    for raw in USUAL * 400:
        changed = bytearray(raw)
        place = chance.randrange(len(HEAD), raw.index(b"\n") + 1)
        kind = chance.randrange(3)
        if kind == 0:
            changed[place] = chance.choice(b'{}[]",: \\\n\t0123456789-.eE\x00\x1f\x80aZ_') if place else 0
        elif kind == 1:
            del changed[place : place + chance.randrange(1, 12)]
        else:
            changed[place:place] = raw[place : place + chance.randrange(1, 40)]
        one = bytes(changed)
        if b"\n" not in one:
            continue
        found = Plain().record(one, 0, len(one), 1000)
        if found is not None:
            read_plainly += 1
            assert by_json(one) == (found, None), one
    assert read_plainly > len(USUAL)
