"""Packed logs: gzip and Zstandard, whole, cut, damaged, with and without something that unpacks them."""

import gzip
import importlib.util
import shutil
import subprocess
import sys
import tempfile

import pytest
from compilescope.recording import compressed
from compilescope.recording.reader import Recording

from tests.unit.recording.made import artifact, record

LOG = "dedicated_log_torch_trace_rank_2_ab12.log"
DATA = record("dynamo_start", {"stack": []}) + b"".join(artifact("foo", {"x": one}) for one in range(2000))

needs_zstd = pytest.mark.skipif(shutil.which("zstd") is None, reason="there is no command zstd to pack with")


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout


def seen(path):
    with Recording.open(path) as recording:
        values = [recording.json(event)["x"] for event in recording.events("foo")]
        return values, [(place.log, place.problem) for place in recording.damage], recording.ranks


@needs_zstd
def test_zstandard_is_read_like_the_log_itself(tmp_path):
    (tmp_path / f"{LOG}.zst").write_bytes(zstd(DATA[:300]) + zstd(DATA[300:]))
    for path in (tmp_path, tmp_path / f"{LOG}.zst"):
        assert seen(path) == (list(range(2000)), [], [2])


@needs_zstd
@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_what_is_whole_of_a_cut_log_is_shown(tmp_path, pack):
    packed = pack(DATA * 20)
    (tmp_path / f"{LOG}.packed").write_bytes(packed[: len(packed) * 2 // 3])
    values, damage, _ = seen(tmp_path / f"{LOG}.packed")
    assert len(values) > 500
    assert damage[0] == (f"{LOG}.packed", "the compressed data ends early")


@needs_zstd
@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_a_packed_log_is_told_by_its_bytes(tmp_path, pack):
    (tmp_path / LOG).write_bytes(pack(DATA))
    assert seen(tmp_path)[:2] == (list(range(2000)), [])


@needs_zstd
def test_bytes_that_are_no_packed_data_any_more_are_damage(tmp_path):
    packed = bytearray(zstd(DATA * 20))
    packed[len(packed) // 2 :] = b"x" * (len(packed) - len(packed) // 2)
    (tmp_path / f"{LOG}.zst").write_bytes(bytes(packed))
    (tmp_path / "other.log").write_bytes(DATA)
    values, damage, _ = seen(tmp_path)
    assert len(values) >= 2000
    assert "damaged" in damage[0][1]


@needs_zstd
def test_without_anything_that_unpacks_it_the_report_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / f"{LOG}.zst").write_bytes(zstd(DATA))
    (tmp_path / "other.log").write_bytes(DATA)
    monkeypatch.setattr(compressed.shutil, "which", lambda _: None)
    for name in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    for path in (tmp_path, tmp_path / f"{LOG}.zst"):
        values, damage, _ = seen(path)
        assert len(values) == (2000 if path == tmp_path else 0)
        [(log, problem)] = damage
        assert log == f"{LOG}.zst"
        assert "zstandard" in problem


@pytest.mark.skipif(importlib.util.find_spec("zstandard") is None, reason="zstandard is not installed")
def test_the_package_does_what_the_command_does(tmp_path, monkeypatch):
    zstandard = pytest.importorskip("zstandard")
    monkeypatch.setattr(compressed.shutil, "which", lambda _: None)
    whole = zstandard.ZstdCompressor().compress(DATA)
    (tmp_path / f"{LOG}.zst").write_bytes(whole + whole)
    assert seen(tmp_path)[:2] == ([*range(2000)] * 2, [])
    (tmp_path / f"{LOG}.zst").write_bytes(whole + whole[:-9])
    assert seen(tmp_path)[1][0] == (f"{LOG}.zst", compressed.EARLY)


@needs_zstd
@pytest.mark.parametrize("pack", [gzip.compress, zstd])
@pytest.mark.parametrize("way", ["python", "command"])
def test_a_bomb_is_unpacked_up_to_a_limit(tmp_path, monkeypatch, pack, way):
    if way == "command":
        for name in ("compression.zstd", "zstandard"):
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(compressed, "SMALL", len(DATA) + 100_000)
    (tmp_path / f"{LOG}.packed").write_bytes(pack(DATA + b"\0" * (64 << 20)))
    with Recording.open(tmp_path / f"{LOG}.packed") as recording:
        most = compressed.SMALL + compressed.LARGEST_RATIO * (tmp_path / f"{LOG}.packed").stat().st_size
        assert next(iter(recording.logs.values())).path.stat().st_size == most
        assert len(list(recording.events("foo"))) == 2000
        assert "too much for its size" in recording.damage[0].problem


def test_the_disk_is_not_filled(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    free = iter([compressed.SPARE * 2])
    nearly = compressed.SPARE + 1
    monkeypatch.setattr(compressed.shutil, "disk_usage", lambda _: usage._replace(free=next(free, nearly)))
    (tmp_path / f"{LOG}.gz").write_bytes(gzip.compress(DATA + b"\n" * (64 << 20)))
    with Recording.open(tmp_path) as recording:
        assert len(list(recording.events("foo"))) == 2000
        assert "there is no room" in recording.damage[0].problem
        assert next(iter(recording.logs.values())).path.stat().st_size < (32 << 20)


def test_unpacking_can_be_cancelled_and_leaves_nothing(tmp_path, monkeypatch):
    class Cancelled(Exception):
        pass

    def check():
        if any((tmp_path / "temporary").rglob("*.gz")):
            raise Cancelled

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / f"{LOG}.gz").write_bytes(gzip.compress(DATA))
    with pytest.raises(Cancelled):
        Recording.open(tmp_path / "logs", check)
    assert list((tmp_path / "temporary").iterdir()) == []
