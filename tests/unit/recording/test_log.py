"""Records of a log, and what is left of a damaged one."""

from __future__ import annotations

import io
import json

from compilescope.recording import log
from compilescope.recording.log import Damage, Position, Record, scan
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.recording.made import HEAD, artifact, in_compile, record

GOOD = b"".join(
    [
        record("str", ["/a/b.py", 0]),
        record("dynamo_start", {"stack": []}, **in_compile(0, 1, 2)),
        record("chromium_event", {}, '{"name": "dynamo"}', **in_compile()),
        artifact("compilescope_graph_break", {"kind": "break", "text": "a\nb\n\n\tc\n"}, **in_compile(3, 4)),
        record("artifact", {"name": "dynamo_error", "encoding": "string"}, "V1129 in a payload\n\nand a tab\t", rank=1),
    ]
)


def parts(data: bytes) -> tuple[list[Record], list[Damage], Position]:
    found = list(scan(io.BytesIO(data)))
    position = found[-1]
    assert isinstance(position, Position)
    return [x for x in found if isinstance(x, Record)], [x for x in found if isinstance(x, Damage)], position


def payload(data: bytes, one: Record) -> str:
    return log.payload_text(data[one.payload_offset : one.payload_offset + one.payload_length], one.checksum)


def test_records_are_found_with_their_parts():
    records, damage, position = parts(GOOD)
    assert [one.name for one in records] == [
        "str",
        "dynamo_start",
        "chromium_event",
        "compilescope_graph_break",
        "dynamo_error",
    ]
    assert [one.compile_id for one in records] == [None, "0/1_2", "0/0", "3/4", None]
    assert (records[0].string_id, records[0].label) == (0, "/a/b.py")
    assert records[2].label == "dynamo"
    assert records[4].rank == 1
    assert records[0].pid == 4711
    assert records[0].timestamp == "1129 13:17:29.123456"
    assert json.loads(payload(GOOD, records[3])) == {"kind": "break", "text": "a\nb\n\n\tc\n"}
    assert payload(GOOD, records[4]) == "V1129 in a payload\n\nand a tab\t"
    assert not damage
    assert position == Position(len(GOOD), None)
    envelope = GOOD[records[1].envelope_offset : records[1].envelope_offset + records[1].envelope_length]
    assert json.loads(envelope)["dynamo_start"] == {"stack": []}


def test_compiled_autograd_id_is_torchs():
    one = record("dynamo_start", {}, compiled_autograd_id=7, **in_compile(1, 2))
    assert parts(one)[0][0].compile_id == "!7/1/2"


def test_windows_line_ends_are_undone():
    data = GOOD.replace(b"\n", b"\r\n")
    records, damage, _ = parts(data)
    assert len(records) == 5
    assert not damage
    assert payload(data, records[4]) == "V1129 in a payload\n\nand a tab\t"


def test_broken_envelope_is_skipped_to_the_next():
    broken = f"{HEAD}{{not json\n\tits payload\n".encode()
    records, damage, _ = parts(record("a") + broken + record("b"))
    assert [one.name for one in records] == ["a", "b"]
    assert damage == [Damage(len(record("a")), "the envelope is not JSON")]


def test_stray_line_takes_its_tabbed_lines_with_it():
    stray = b"Segmentation fault\n\tnot a payload\n"
    first = record("a", {}, "x")
    records, damage, _ = parts(first + stray + record("b"))
    assert payload(first + stray, records[0]) == "x"
    assert [one.name for one in records] == ["a", "b"]
    assert damage == [Damage(len(first), "not the start of a record")]


def test_bad_utf8_keeps_the_event():
    bad = record("a", {"x": "Q"}).replace(b"Q", b"\xff")
    records, damage, _ = parts(bad + record("b"))
    assert [one.name for one in records] == ["a", "b"]
    assert damage == [Damage(0, "the envelope is not UTF-8")]


def test_an_envelope_in_the_middle_of_a_cut_line_is_found():
    cut = record("a", {"x": "long" * 20})[:60]
    records, damage, _ = parts(cut + record("b", {}, "payload of b") + record("c"))
    assert [one.name for one in records] == ["b", "c"]
    assert [one.offset for one in damage] == [0]


def test_missing_payload_is_damage():
    one = record("a", {}, "x").split(b"\n")[0] + b"\n"
    records, damage, _ = parts(one + record("b"))
    assert [one.name for one in records] == ["a", "b"]
    assert [one.problem for one in damage] == ["the payload is missing"]


def test_last_record_waits_until_it_is_whole():
    first, last = record("a"), artifact("b", {"long": "x" * 100})
    for length in range(1, len(last)):
        records, damage, position = parts(first + last[:length])
        if [one.name for one in records] == ["a", "b"]:
            assert length == len(last) - 1  # all but the line's end
            continue
        assert [one.name for one in records] == ["a"]
        assert not damage
        assert position.offset == len(first)
        assert position.pending is not None
        assert position.pending.offset == len(first)
    records, _, position = parts(first + last)
    assert [one.name for one in records] == ["a", "b"]
    assert position.pending is None


def test_records_larger_than_a_chunk(monkeypatch):
    monkeypatch.setattr(log, "CHUNK", 64)
    big = artifact("big", {"x": "y" * 5000})
    data = record("a") + big + record("b", {}, "p\nq") + big
    records, damage, _ = parts(data)
    assert [one.name for one in records] == ["a", "big", "b", "big"]
    assert json.loads(payload(data, records[1])) == {"x": "y" * 5000}
    assert not damage


@given(st.integers(0, len(GOOD)), st.binary(max_size=60), st.integers(0, 80))
@example(0, b"", 1)
def test_mutations_never_raise_and_keep_what_is_before(place, inserted, removed):
    data = GOOD[:place] + inserted + GOOD[place + removed :]
    # The last whole record before the mutation may get further payload lines.
    before = [one for one in parts(GOOD)[0] if one.payload_offset + one.payload_length < place][:-1]
    records, _, position = parts(data)
    assert records[: len(before)] == before
    assert position.offset <= len(data)
    for one in records:
        assert 0 <= one.envelope_offset <= one.payload_offset <= len(data)
        payload(data, one)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_payload_comes_back(text):
    one = record("a", {}, text)
    records, _, _ = parts(one + record("b"))
    assert payload(one, records[0]) == text


@given(st.integers(1, len(GOOD)))
def test_reading_in_two_goes_gives_the_same(cut):
    first = list(scan(io.BytesIO(GOOD[:cut])))
    assert isinstance(first[-1], Position)
    second = list(scan(io.BytesIO(GOOD), first[-1].offset))
    names = [one.name for one in first + second if isinstance(one, Record)]
    assert names == [one.name for one in parts(GOOD)[0]]
    assert not [one for one in first + second if isinstance(one, Damage)]


def _small_limits(monkeypatch):
    for name, value in (("CHUNK", 64), ("LONG", 512), ("LARGEST_PAYLOAD", 4096), ("_LOOK", 128), ("_LONGEST_HEAD", 64)):
        monkeypatch.setattr(log, name, value)


def test_a_line_without_an_end_is_skipped_to_the_next_envelope_in_it(monkeypatch):
    """Blocks of zeros after a crash, at the start, within and at the end of a log; longer than a record may be."""
    _small_limits(monkeypatch)
    one, zeros = record("a"), b"\0" * 10_000
    for data, names, places in (
        (one + zeros + record("b") + record("c"), ["a", "b", "c"], [len(one)]),
        (zeros + record("b"), ["b"], [0]),
        (one + zeros + b"\n" + record("b"), ["a", "b"], [len(one)]),
        (one + zeros + b"\n\tof it\n" + record("b"), ["a", "b"], [len(one)]),
    ):
        records, damage, position = parts(data)
        assert [found.name for found in records] == names
        assert [found.offset for found in damage] == places
        assert position == Position(len(data), None)
    records, damage, position = parts(one + zeros)
    assert [found.name for found in records] == ["a"]
    assert (damage, position.offset) == ([], len(one))
    assert position.pending is not None


def test_a_long_payload_is_not_read_at_once(monkeypatch):
    _small_limits(monkeypatch)
    one, long, longer = record("a"), artifact("long", "x\n" * 1000), artifact("longer", "x" * 10_000)
    for whole in (True, False):
        for data in (one + long + longer + record("b"), one + longer + long):
            records, damage, position = parts(data if whole else data[:-1])
            sizes = {found.name: found.payload_length for found in records}
            if whole or data.endswith(b'b": {}}\n'):
                assert sizes["long"] > 2000
                assert position.pending is None
                assert payload(data, next(found for found in records if found.name == "long")) == "x\n" * 1000
            else:
                assert "long" not in sizes
                assert position == Position(
                    len(one + longer),
                    Damage(len(one + longer), "the log ends in the middle of a record, in its payload"),
                )
            assert sizes["longer"] == 0
            assert [found.problem.partition(",")[0] for found in damage] == ["a payload of 0 MB"]


def test_the_largest_buffer_is_bounded(monkeypatch):
    """A stream that never ends a line: no read and no kept rest is larger than a few times the limit."""
    _small_limits(monkeypatch)

    class Endless(io.BytesIO):
        largest = 0

        def read(self, size: int | None = -1) -> bytes:
            self.largest = max(self.largest, size or 0)
            return super().read(size)

    stream = Endless(record("a") + b"x" * 1_000_000 + b"\n" + record("b"))
    found = list(scan(stream))
    assert [one.name for one in found if isinstance(one, Record)] == ["a", "b"]
    assert 0 < stream.largest <= 1024


def test_what_editors_and_streams_of_text_put_into_a_log_is_no_damage():
    """A mark of the byte order at the start, and line ends of Windows, the last one cut in two."""
    for data in (b"\xef\xbb\xbf" + GOOD, GOOD.replace(b"\n", b"\r\n"), GOOD.replace(b"\n", b"\r\n")[:-1]):
        records, damage, position = parts(data)
        assert len(records) == 5
        assert (damage, position) == ([], Position(len(data), None))
        assert payload(data, records[4]) == "V1129 in a payload\n\nand a tab\t"
