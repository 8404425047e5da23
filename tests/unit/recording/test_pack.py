"""A recording as one file and back: byte for byte, small, the same each time; hostile and damaged files are refused."""

from __future__ import annotations

import json
import zipfile

import pytest
from compilescope.recording import unpack as unpacking
from compilescope.recording.error import RecordingError
from compilescope.recording.pack import pack
from compilescope.recording.reader import Recording
from compilescope.recording.redact.redaction import Redaction
from compilescope.recording.unpack import unpack

from tests.unit.recording.made import artifact, in_compile

NAME = "dedicated_log_torch_trace_4711_ab12.log"
LARGE = {"code": "".join(f"buf{n} = empty({n * 7919 % 1000})\n" for n in range(300))}


@pytest.fixture
def recorded(tmp_path):
    folder = tmp_path / "recorded"
    folder.mkdir()
    same = b"".join(artifact("foo", LARGE, **in_compile(0, n)) for n in range(20))
    (folder / NAME).write_bytes(b"damage\n" + same + b"\xff\xfe cut in the mid")
    (folder / "dedicated_log_torch_trace_rank_1_9_cd.log").write_bytes(artifact("bar", {"x": 1}))
    (folder / "run.json").write_text(json.dumps({"format": 1, "command": ["a.py"], "status": "finished"}))
    return folder


@pytest.fixture
def packed(recorded, tmp_path):
    file = tmp_path / "a.compilescope"
    pack(recorded, file)
    return file


def opened(file, tmp_path):
    folder = tmp_path / "unpacked"
    folder.mkdir()
    unpack(file, folder)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_all_bytes_of_the_logs_come_back(recorded, packed, tmp_path):
    found = opened(packed, tmp_path)
    logs = {path.name: path.read_bytes() for path in recorded.glob("*.log")}
    assert {name: content for name, content in found.items() if name != "run.json"} == logs
    assert json.loads(found["run.json"]) == json.loads((recorded / "run.json").read_bytes())


def test_equal_payloads_stand_once(packed):
    with zipfile.ZipFile(packed) as opened_zip:
        one = len(json.dumps(LARGE))
        assert one <= opened_zip.getinfo("payloads").file_size < 2 * one


def test_the_same_recording_gives_the_same_file(recorded, packed, tmp_path):
    again = tmp_path / "b.compilescope"
    pack(recorded, again)
    assert again.read_bytes() == packed.read_bytes()


def test_every_cut_and_many_flips_are_refused_or_harmless(packed, tmp_path):
    content = packed.read_bytes()
    whole = {**opened(packed, tmp_path)}
    logs = {name: text for name, text in whole.items() if name.endswith(".log")}
    changed = [content[:length] for length in range(0, len(content), 37)]
    changed += [content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :] for at in range(0, len(content), 11)]
    refused = 0
    for number, each in enumerate(changed):
        file, folder = tmp_path / "damaged.compilescope", tmp_path / f"into{number}"
        file.write_bytes(each)
        folder.mkdir()
        try:
            unpack(file, folder)
        except RecordingError:
            refused += 1
            continue
        assert {name: (folder / name).read_bytes() for name in logs} == logs
    assert refused > len(changed) // 2


def rewritten(packed, change, members=()):
    """The pack with its manifest changed by `change`, and with `members` instead of those of the same name."""
    with zipfile.ZipFile(packed) as before:
        contents = {name: before.read(name) for name in before.namelist()}
    manifest = json.loads(contents["manifest.json"])
    change(manifest)
    contents.update({"manifest.json": json.dumps(manifest).encode(), **dict(members)})
    file = packed.with_name("changed.compilescope")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as after:
        for name, content in contents.items():
            after.writestr(name, content)
    return file


@pytest.mark.parametrize(
    "name",
    ["../out.log", "/out.log", "a/../../out.log", "C:\\out.log", "..\\out.log", "run.json", "", ".", "a\0.log", 7],
)
def test_a_name_that_leads_out_is_refused(packed, tmp_path, name):
    file = rewritten(packed, lambda manifest: manifest["logs"][0].update(name=name))
    before = set(tmp_path.iterdir())
    with pytest.raises(RecordingError, match="leads out of its folder"):
        opened(file, tmp_path)
    assert set(tmp_path.iterdir()) - before == {tmp_path / "unpacked"}
    assert not list((tmp_path / "unpacked").iterdir())


def test_more_than_is_said_is_refused(packed, tmp_path):
    file = rewritten(packed, lambda _: None, {"payloads": bytes(64 << 20)})
    with pytest.raises(RecordingError, match="more data than its size can hold"):
        opened(file, tmp_path)
    written = sum(path.stat().st_size for path in (tmp_path / "unpacked").rglob("*") if path.is_file())
    assert written < 1 << 20


def test_more_than_is_believable_is_refused(packed, tmp_path):
    file = rewritten(packed, lambda manifest: manifest.update(payloads=1 << 45))
    with pytest.raises(RecordingError, match="more data than its size can hold"):
        opened(file, tmp_path)


def test_a_payload_used_more_often_than_the_log_is_large_is_refused(packed, tmp_path):
    file = rewritten(packed, lambda _: None, {"0.parts": b"0 0 5000\n" * 100_000})
    with pytest.raises(RecordingError, match="damaged"):
        opened(file, tmp_path)


def test_what_is_no_pack_is_said_to_be_none(tmp_path):
    file = tmp_path / "a.compilescope"
    file.write_text("hello")
    with pytest.raises(RecordingError, match="no file of `compilescope pack`"):
        opened(file, tmp_path)


def test_a_log_of_any_name_is_found_again(tmp_path):
    log, file = tmp_path / "what I was sent.txt", tmp_path / "x.compilescope"
    log.write_bytes(artifact("foo", LARGE, **in_compile()))
    for redaction in (None, Redaction.of(["paths"])):
        pack(log, file, redaction=redaction)
        with Recording.open(file) as recording:
            assert recording.counts() == {"foo": 1}


def test_a_pack_that_asks_for_much_memory_is_refused(packed, tmp_path):
    with zipfile.ZipFile(packed) as made:
        [info] = [one for one in made.infolist() if one.filename == "manifest.json"]
    assert info.compress_type == zipfile.ZIP_LZMA
    data = bytearray(packed.read_bytes())
    at = info.header_offset + 30 + len(info.filename) + 4 + 1
    assert int.from_bytes(data[at : at + 4], "little") == 8 << 20
    data[at : at + 4] = (1 << 31).to_bytes(4, "little")
    packed.write_bytes(data)
    with pytest.raises(RecordingError, match="refused"):
        opened(packed, tmp_path)


def test_a_pack_for_which_there_is_no_room_is_refused(packed, tmp_path, monkeypatch):
    usage = unpacking.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(unpacking.shutil, "disk_usage", lambda _: usage._replace(free=100 << 20))
    with pytest.raises(RecordingError, match="100 MB are free"):
        opened(packed, tmp_path)
