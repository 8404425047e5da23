"""`show --events`, several logs, several jobs, and where a recording is damaged."""

from __future__ import annotations

import json

from tests.unit.recording.made import artifact, in_compile, record

LOG = "dedicated_log_torch_trace_rank_0_ab12.log"


def write(folder):
    data = (
        record("dynamo_start", {"stack": []}, **in_compile())
        + artifact("of_a_torch_to_come", {"new": [1, 2]}, **in_compile())
        + b"this is no record\n"
        + artifact("of_a_torch_to_come", "second\nline", **in_compile(1))
    )
    (folder / LOG).write_bytes(data)
    return data


def test_all_events_by_name_of_a_compile_and_one_by_one(run, tmp_path):
    data = write(tmp_path)
    shown = run("show", "--events", LOG)
    assert shown.returncode == 0, shown.stderr
    rows = {line.split()[0]: line.split()[1:] for line in shown.stdout.splitlines()}
    assert rows["of_a_torch_to_come"][0] == "2"
    assert rows["dynamo_start"][0] == "1"
    place = data.index(b"this is no record")
    assert f"damaged: {LOG}:{place}: not the start of a record" in shown.stdout
    one = run("show", "--event", "of_a_torch_to_come", "--compile", "1/0", LOG).stdout
    assert "    second\n    line\n" in one
    assert "new" not in one
    value = json.loads(run("show", "--events", "--compile", "rank0:0/0", "--format", "json", LOG).stdout)
    assert [(each["name"], each["count"]) for each in value["counts"]] == [
        ("of_a_torch_to_come", 1),
        ("dynamo_start", 1),
    ]
    assert [each["name"] for each in value["events"]] == ["dynamo_start", "of_a_torch_to_come"]
    assert value["damage"] == [{"file": LOG, "offset": place, "problem": "not the start of a record"}]
    assert "No event nothing" in run("show", "--event", "nothing", LOG).stderr
    assert "No event of a compile 5/5" in run("show", "--compile", "5/5", LOG).stderr


def test_a_compile_of_several_ranks_is_said_to_be_one(run, tmp_path):
    for rank in (0, 3):
        data = record("dynamo_start", {"stack": []}, rank=rank, **in_compile())
        (tmp_path / f"dedicated_log_torch_trace_rank_{rank}_ab.log").write_bytes(data)
    both = run("show", "--compile", "[0/0]", ".")
    assert both.stdout.split()[3:5] == ["dynamo_start", "2"]
    assert "0/0 is a compile of ranks 0, 3; rank0:0/0 is that of one alone" in both.stderr
    for rank in (0, 3):
        one = run("show", "--compile", f"rank{rank}:0/0", ".")
        assert (one.stdout.split()[3:5], one.stderr) == (["dynamo_start", "1"], "")


def test_damage_is_in_text_and_json_with_its_place(run, tmp_path):
    data = write(tmp_path)
    place = data.index(b"this is no record")
    text = run("show", ".").stdout
    assert f"1 damaged place in the recording, the first at byte {place} of {LOG}" in " ".join(text.split())
    value = json.loads(run("show", "--format", "json", ".").stdout)
    assert value["run"]["damage"] == [{"file": LOG, "offset": place, "problem": "not the start of a record"}]


def test_several_logs_and_several_jobs(run, tmp_path):
    write(tmp_path)
    other = tmp_path / "dedicated_log_torch_trace_rank_0_zz.log"
    other.write_bytes(record("later", {}).replace(b"1129 13:17:29", b"1129 15:00:00"))
    together = run("show", "--events", LOG, other.name).stdout
    assert "later" in together
    assert "dynamo_start" in together
    newest = run("show", "--events", ".")
    assert "later" in newest.stdout
    assert "dynamo_start" not in newest.stdout
    assert "2 jobs; showing 2 (--job N shows another)" in newest.stderr
    assert "1  11-29 13:17:29 to 11-29 13:17:29, rank 0, 1 log" in newest.stderr
    assert "dynamo_start" in run("show", "--events", "--job", "1", ".").stdout


def test_listing_events_checks_all_payloads(run, tmp_path):
    data = write(tmp_path)
    (tmp_path / LOG).write_bytes(data.replace(b"second", b"zecond") + record("last", {}))
    place = data.index(b"\tsecond")
    assert f"damaged: {LOG}:{place}: the payload does not match its checksum" in run("show", "--events", LOG).stdout
