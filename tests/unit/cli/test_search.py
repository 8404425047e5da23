"""`compilescope search`: what it prints, and what its exit code says."""

from __future__ import annotations

import gzip
import json

from tests.unit.recording.made import artifact, in_compile, record

LOG = "dedicated_log_torch_trace_rank_0_ab12.log"
GRAPH = 'def forward(self, x):\n    add: "f32[8, 64]" = torch.ops.aten.add.Tensor(x, 1)\n    return add\n'


def write(folder):
    data = (
        record("dynamo_start", {"stack": []}, **in_compile())
        + record("aot_inference_graph", {}, GRAPH, **in_compile())
        + artifact("notes", "nothing\n\x1b[31mAten.Add is here", **in_compile())
    )
    (folder / LOG).write_bytes(data)
    return data


def test_hits_are_grouped_and_their_places_said(run, tmp_path):
    data = write(tmp_path)
    found = run("search", LOG, "aten.add")
    assert found.returncode == 0, found.stderr
    graph, notes = data.index(b'{"aot_inference_graph'), data.index(b'{"artifact": {"name": "notes"')
    assert found.stdout == (
        "graph nodes\n"
        '  0/0  AOT  add: "f32[8, 64]" = torch.ops.aten.add.Tensor(x, 1)\n'
        "\npayloads\n"
        f"  aot_inference_graph  0/0  {LOG}:{graph}\n"
        '    2: add: "f32[8, 64]" = torch.ops.aten.add.Tensor(x, 1)\n'
        f"  notes  0/0  {LOG}:{notes}\n"
        "    2: \ufffd[31mAten.Add is here\n"
    )
    one = run("search", LOG, "aten.add", "--case", "--kind", "text,guard", "--limit", "1")
    assert one.stdout.splitlines()[0] == "payloads"
    assert (one.returncode, one.stderr) == (0, "")
    assert "8, 64" in run("search", LOG, "8, 64", "--kind", "node").stdout


def test_nothing_is_1_and_what_went_wrong_is_2(run, tmp_path):
    write(tmp_path)
    nothing = run("search", LOG, "no such text")
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (1, "", "")
    for words, said in (
        ([LOG, "(a", "--regex"], "is no regular expression: missing )"),
        ([LOG, ""], "the text is empty"),
        (["none.log", "a"], "does not exist"),
        (["a"], "No recording is named"),
        ([LOG, "a", "--kind", "all"], "no kind all; kinds are finding, function"),
        ([LOG, "a", "--limit", "-1"], "number of hits"),
    ):
        failed = run("search", *words)
        assert (failed.returncode, failed.stdout) == (2, ""), words
        assert said in failed.stderr


def test_json_is_one_object_a_line_and_says_when_it_stopped(run, tmp_path):
    (tmp_path / f"{LOG}.gz").write_bytes(gzip.compress(write(tmp_path)))
    found = run("search", "--format", "json", "--regex", "--limit", "2", f"{LOG}.gz", r"Aten\.(add|mul)")
    assert "2 hits; left out: 1 in payloads; --limit N shows more" in found.stderr
    node, text, end = map(json.loads, found.stdout.splitlines())
    assert (node["kind"], node["node"], node["compile_id"], node["stage"]) == ("node", "add", "0/0", "AOT")
    start, stop = node["range"]
    assert node["text"][start:stop] == "aten.add"
    assert (text["kind"], text["event"], text["payload_line"]) == ("text", "aot_inference_graph", 2)
    left = {"cut": ["text"], "at": "text", "left_out": {"text": 1}}
    assert end == {"end": {"hits": 2, "stopped": "limit", **left}}


def test_what_stands_in_each_compile_is_told_once_with_its_key_and_how_often(run, tmp_path):
    settings = json.dumps({f"option_{number}": False for number in range(40)} | {"max_autotune": True})
    compiles = (
        record("compilation_metrics", {"inductor_config": settings, "took_us": number}, **in_compile(number))
        for number in range(3)
    )
    (tmp_path / LOG).write_bytes(b"".join(compiles))
    found = run("search", LOG, "max_autotune")
    assert found.stdout == 'events\n  0/0  compilation_metrics  …\\"max_autotune\\": true…  \xd7 3 in 3 compiles\n'
    several = run("search", LOG, "option_3", "--limit", "2")
    shown = [line.split()[2] for line in several.stdout.splitlines()[1:]]
    assert shown == [r"…\"option_3\":", r"…\"option_30\":"]
    assert "2 hits; left out: 27 in events" in several.stderr


def test_without_a_name_the_newest_recording_here_is_searched(run, tmp_path):
    for name, started in (("old", "2026-11-29T10:00:00+00:00"), ("new", "2026-11-29T11:00:00+00:00")):
        folder = tmp_path / ".compilescope" / name
        folder.mkdir(parents=True)
        info = {"format": 1, "command": ["x.py"], "status": "finished", "started": started}
        (folder / "run.json").write_text(json.dumps(info))
        (folder / LOG).write_bytes(record("dynamo_start", {}) + artifact("notes", f"this is the {name} one"))
    found = run("search", "--kind", "text", "this is")
    assert "this is the new one" in found.stdout
    assert "old" not in found.stdout
    assert "searching .compilescope/new, the newest of 2" in found.stderr
