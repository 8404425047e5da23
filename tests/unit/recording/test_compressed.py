"""Packed logs: gzip and Zstandard, whole, cut, damaged, with and without something that unpacks them."""

import gzip
import importlib.util
import shutil
import subprocess
import sys

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
