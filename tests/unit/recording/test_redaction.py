"""What is to be left out of a pack is nowhere in it, and what is left still opens without damage."""

from __future__ import annotations

import getpass
import json
import lzma
import pprint
import string
from pathlib import Path

import pytest
from compilescope.analysis import analyse, snapshots
from compilescope.analysis.to_json import to_json
from compilescope.recording.pack import pack
from compilescope.recording.reader import Recording
from compilescope.recording.redact.redaction import KINDS, Redaction, UnknownKind
from compilescope.recording.unpack import unpack
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.recording.made import artifact, in_compile, record

NAME = "dedicated_log_torch_trace_4711_ab12.log"
SOURCE = """import torch
def forward(self, x, sigma):  # the plan of 1984
    hidden = torch.relu(x) * sigma - 31.25
    if hidden.sum() > 77.5: return hidden.neg_or_none()
    return hidden
"""
LINES = [line.strip() for line in SOURCE.splitlines() if "hidden" in line or "plan" in line][:-1]


def log_of(home: str, folder: str, base: str, user: str) -> bytes:
    """A log that names a program's folder, its text and its user wherever torch and the tracer do."""
    root = f"{home}/{user}/{folder}"
    file, library = f"{root}/{base}", f"{root}/.venv/lib/python3.11/site-packages/torch/_dynamo/symbolic.py"
    frame = {"file": file, "line": 4, "end_line": 4, "col": 7, "end_col": 26, "function": "forward"}
    code = {"file": file, "line": 2, "function": "forward"}
    shortened = file.removeprefix("/").partition("/")[2]
    graph = f"class GraphModule:\n    # File: {file}:3 in forward, code: {LINES[1]}\n    relu = torch.relu(x)\n"
    traceback = (
        f'Traceback (most recent call last):\n  File "{library}", line 9, in step\n    self.step_into()\n'
        f'  File "{file}", line 4, in forward\n    {LINES[2]}\n       ^^^^^^^^^^^^^^^^^\nValueError: in {file}\n'
    )
    return b"".join(
        [
            artifact(
                "compilescope_environment",
                {"cwd": root, "argv": [base, f"--data={root}/private.bin", "../elsewhere/x.pt"], "main_file": file}
                | {"library_roots": [f"{root}/.venv/lib/python3.11"], "torch": "2.13.0", "python": "3.11.7"},
            ),
            artifact("compilescope_source", {"file": file, "sha256": "ab" * 32, "text": SOURCE}),
            record("str", [file, 0]),
            record("dump_file", {"name": base}, SOURCE),
            record(
                "dynamo_start",
                {"stack": [{"line": 3, "name": "forward", "filename": 0, "loc": LINES[1]}]},
                **in_compile(),
            ),
            record("dynamo_output_graph", {}, graph, **in_compile()),
            record("guard_added_fast", {"expr": "s0 > 2", "user_stack": [{"line": 4, "filename": 0, "loc": LINES[2]}]}),
            artifact(
                "compilescope_graph_break",
                {"kind": "break", "reason": f"no reason\n\n  # {LINES[2]}  # {shortened}:4 in forward", "code": code}
                | {"frames": [frame], "above": [{**frame, "line": 5, "function": "<module>"}], "gb_id": "GB0170"},
                **in_compile(),
            ),
            artifact("compilescope_lines", {"lines": {file: [3, 4]}}, **in_compile()),
            artifact("dynamo_error", traceback, **in_compile()),
            artifact("forward_ORIGINAL_BYTECODE", "4  0 LOAD_FAST  hidden\n   2 LOAD_CONST 77.5", **in_compile()),
            record("chromium_event", {}, json.dumps({"name": "x", "args": {"note": f"cd {root} && ls"}})),
            record("compilation_metrics", {"co_filename": file, "config": json.dumps({"cache": f"{root}/cache/d"})}),
            artifact(
                "fx_graph_runnable",
                f"os.environ['TORCHINDUCTOR_CACHE_DIR'] = '/tmp/torchinductor_{user}'\n"
                f"LOGNAME={user} SLURM_JOB=x{user}\n",
                **in_compile(),
            ),
        ]
    )


def packed(tmp_path, log: bytes, redaction: Redaction, info=None):
    """Everything that a pack of a log unpacks to, as bytes; and the pack."""
    folder, file = tmp_path / "recorded", tmp_path / "x.compilescope"
    folder.mkdir(exist_ok=True)
    (folder / NAME).write_bytes(log)
    if info is not None:
        (folder / "run.json").write_text(json.dumps(info))
    found = pack(folder, file, redaction=redaction)
    opened = tmp_path / "opened"
    if opened.exists():
        for path in opened.iterdir():
            path.unlink()
    opened.mkdir(exist_ok=True)
    unpack(file, opened)
    return b"\n".join(path.name.encode() + b"\n" + path.read_bytes() for path in sorted(opened.iterdir())), file, found


HOME, FOLDER, BASE, USER = "/home", "acme-warp9/Kernel Lab", "model.py", "zaphodb"


@pytest.fixture
def log():
    return log_of(HOME, FOLDER, BASE, USER)


def test_source_text_is_nowhere(tmp_path, log):
    found, file, _ = packed(tmp_path, log, Redaction.of(["source"]))
    for line in LINES:
        assert line.encode() not in found
    assert b"LOAD_CONST" not in found
    assert f"{HOME}/{USER}/{FOLDER}/{BASE}".encode() in found
    with Recording.open(file) as recording:
        result = analyse(recording)
    assert (result.run.left_out, result.run.damage) == (["source"], [])
    assert [one.rule for one in result.findings] == ["graph-break"]


def test_folders_users_and_machines_are_nowhere_and_the_same_path_has_the_same_token(tmp_path, log):
    root = f"{HOME}/{USER}/{FOLDER}"
    info = {"format": 1, "command": [BASE, "--out", f"{root}/runs"], "cwd": root, "python": f"{root}/.venv/bin/python"}
    found, file, _ = packed(tmp_path, log, Redaction.of(["paths"]), info)
    for secret in (USER, "acme", "warp9", "Kernel Lab", "elsewhere", "/home"):
        assert secret.encode() not in found, secret
    with Recording.open(file) as recording:
        files = {
            event.name: recording.json(event) for event in recording.events() if event.name.startswith("compilescope_")
        }
        result = analyse(recording)
        said = recording.info
    main = files["compilescope_environment"]["main_file"]
    assert main.endswith("/model.py")
    assert main == files["compilescope_source"]["file"] == files["compilescope_graph_break"]["frames"][0]["file"]
    assert list(files["compilescope_lines"]["lines"]) == [main]
    assert said["cwd"] == main.removesuffix("/model.py")
    assert said["command"][0] == "model.py"
    assert f"{main}:4 in forward" in files["compilescope_graph_break"]["reason"], "also where torch shortened it"
    assert [(one.rule, one.file) for one in result.findings] == [("graph-break", main)]
    assert result.run.damage == []
    assert "/site-packages/torch/_dynamo/symbolic.py" in found.decode()


def test_names_of_files_go_too_when_asked(tmp_path, log):
    found, file, _ = packed(tmp_path, log, Redaction.of(["names"]))
    assert b"model.py" not in found
    with Recording.open(file) as recording:
        assert recording.left_out == ("paths", "names")
        assert [one.rule for one in analyse(recording).findings] == ["graph-break"]


def test_payloads_go_and_envelopes_stay(tmp_path, log):
    found, file, told = packed(tmp_path, log, Redaction.of(["payloads"]))
    assert b"\n\t" not in found
    assert b"has_payload" not in found
    with Recording.open(file) as recording:
        counts = recording.counts()
        result = analyse(recording)
    assert sum(counts.values()) == 14
    assert (counts["dynamo_start"], counts["compilescope_graph_break"]) == (1, 1)
    assert (result.run.left_out, result.run.damage) == (["payloads"], [])
    assert told.left_out.payloads == 10


def test_a_pack_of_a_pack_says_what_is_missing_from_before(tmp_path, log):
    _, file, _ = packed(tmp_path, log, Redaction.of(["source"]))
    again = tmp_path / "again.compilescope"
    assert pack(file, again, redaction=Redaction.of(["payloads"])).kinds == ("source", "payloads")
    with Recording.open(again) as recording:
        assert recording.left_out == ("source", "payloads")


def test_texts_that_are_named_are_nowhere(tmp_path, log):
    found, file, _ = packed(tmp_path, log, Redaction.of([], ["the plan of 1984", "no reason"]))
    assert b"plan" not in found
    assert b"no reason" not in found
    with Recording.open(file) as recording:
        assert analyse(recording).run.damage == []


def test_a_name_that_is_hidden_goes_in_any_case_and_code_with_it_can_still_be_read(tmp_path):
    code = "WarpDrive = torch.ops.acme.warpdrive(x)  # WARPDRIVE of warpDrive_2\n\u212aelvin \u017fecret"
    found, *_ = packed(tmp_path, artifact("note", code), Redaction.of([], ["warpDrive", "kelvin", "secret"]))
    assert b"hidden_1 = torch.ops.acme.hidden_1(x)  # hidden_1 of hidden_1_2" in found
    for secret in ("warpdrive", "kelvin", "\u212aelvin", "\u017fecret"):
        assert secret not in found.decode().lower()


def test_generated_code_that_is_here_is_not_the_programs(tmp_path):
    name = f"c{'wq2' * 17}.py"
    generated = tmp_path / name[1:3] / name
    generated.parent.mkdir()
    generated.write_text("import math, os\naten = torch.ops.aten\n")
    program = tmp_path / "model.py"
    program.write_text("relu_of_acme = torch.relu(x)\n")
    code = record("inductor_output_code", {"filename": str(generated)}, generated.read_text(), **in_compile())
    used = record("str", [str(program), 0]) + artifact("note", program.read_text())
    found, *_ = packed(tmp_path, code + record("str", [str(generated), 1]) + used, Redaction.of(["source"]))
    assert b"aten = torch.ops.aten" in found
    assert b"relu_of_acme" not in found


@pytest.mark.parametrize("kinds", [["source"], ["paths"], ["source", "names"]])
@pytest.mark.parametrize("fixture", ["mixed-ended-torch-2.14.1", "sampler-torch-2.9.1"])
def test_findings_of_torchs_own_log_stay(tmp_path, fixture, kinds):
    packed_log = Path(__file__).parents[2] / "fixtures" / "tlparse" / f"{fixture}.log.xz"
    (tmp_path / NAME).write_bytes(lzma.decompress(packed_log.read_bytes()))
    file = tmp_path / "x.compilescope"
    pack(tmp_path / NAME, file, redaction=Redaction.of(kinds))
    said = []
    for path in (tmp_path / NAME, file):
        with Recording.open(path) as recording:
            result = analyse(recording)
            said.append((sorted((one.rule, one.range.start.line) for one in result.findings), len(result.kernels)))
    assert said[0] == said[1]
    assert said[0][0]


def test_nodes_of_torchs_graphs_stay_on_their_lines(tmp_path):
    line = "y = torch.ops.acme.warp(x)"
    graph = (
        'class GraphModule(torch.nn.Module):\n    def forward(self, x: "f32[8]"):\n'
        f"        # File: /a/acme/model.py:7 in forward, code: {line}\n"
        '        warp: "f32[8]" = torch.ops.acme.warp.default(x)\n        return (warp,)\n'
    )
    for kinds in ([], ["source"], ["source", "paths"]):
        log = record("inductor_post_grad_graph", {}, graph, **in_compile())
        found, file, _ = packed(tmp_path, log, Redaction.of(kinds))
        assert (line.encode() in found) is not bool(kinds)
        with Recording.open(file) as recording:
            nodes = snapshots.from_text(recording.payload(next(recording.events())))
        assert [(one.frame.line, one.frame.function) for one in nodes if one.frame] == [(7, "forward")]


def test_what_could_not_be_read_is_not_handed_on(tmp_path, log):
    damaged = b"secret-damage /home/zaphodb\n" + log + b'V1129 13:17:29.123456 4711 a.py:1] {"x": "secret-'
    found, file, told = packed(tmp_path, damaged, Redaction.of(["paths"]))
    assert b"secret-" not in found
    assert told.left_out.damaged == 2
    with Recording.open(file) as recording:
        assert recording.damage == []


def test_a_path_that_torch_shortened_is_hidden_though_the_whole_one_is_nowhere(tmp_path):
    library = "/opt/v/lib/python3.11/site-packages/transformers/models/bert.py"
    text = "# return x  # mp/acme-warp9/Lab/shapes.py:9 in f (_dynamo/variables/tensor.py:28 in call)"
    log = record("str", [library, 0]) + artifact("note", f"{text}\n# y  # transformers/models/bert.py:3 in g")
    found, *_ = packed(tmp_path, log, Redaction.of(["paths"]))
    for secret in (b"acme", b"warp9", b"Lab", b"mp/"):
        assert secret not in found
    for kept in (b"/shapes.py:9 in f (_dynamo/variables/tensor.py:28", b"# transformers/models/bert.py:3 in g"):
        assert kept in found


def test_words_of_torch_are_no_names(tmp_path):
    """A user called `max` in a folder called `relu` does not change what was computed."""
    frame = {"file": "/home/max/relu/a.py", "line": 1, "function": "f"}
    node = {"name": "relu", "op": "call_function", "target": "aten.relu.default", "frame": frame}
    top = {"name": "amax", "op": "call_function", "target": "aten.max.dim", "frame": frame}
    log = artifact("compilescope_snapshot", {"id": "00", "nodes": [node, top]}, **in_compile())
    found, file, _ = packed(tmp_path, log, Redaction.of(["paths"]))
    assert b"/home/max" not in found
    with Recording.open(file) as recording:
        nodes = recording.json(next(recording.events()))["nodes"]
    assert [one["target"] for one in nodes] == ["aten.relu.default", "aten.max.dim"]
    assert nodes[0]["name"] == "relu"


def test_who_packs_is_hidden(tmp_path, monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: "trillian9")
    found, *_ = packed(tmp_path, record("note", {"by": "made by trillian9, see mail"}), Redaction.of(["paths"]))
    assert b"trillian9" not in found
    assert b"see mail" in found


def test_what_can_not_be_left_out_is_said():
    assert Redaction.of(["all"]).kinds == set(KINDS)
    assert Redaction.of(["source, paths", "payloads"]).kinds == {"source", "paths", "payloads"}
    with pytest.raises(UnknownKind, match="colours can't be left out"):
        Redaction.of(["colours"])


def test_an_empty_kind_or_text_is_refused():
    """A shell's variable that is not set must not hand on what should be left out."""
    for kinds, hidden in (([""], []), ([" "], []), (["source,"], []), ([], [""]), (["all"], [" "])):
        with pytest.raises(UnknownKind, match=r"empty .* variable"):
            Redaction.of(kinds, hidden)


SPLIT_PATH = "/srv/acme secret project/the inner folder of it's owner/größe 😀 model.py"
SPLIT_LINE = "return x.relu() + y.mean(dim=-1, keepdim=True).exp() + say(\"it's a plan\", 'of 1984')"
SPLIT_HIDDEN = "the customer that nobody may ever know of"
STACK = f'  File "{SPLIT_PATH}", line 10, in forward\n    {SPLIT_LINE}\n  told: {SPLIT_HIDDEN}\n'


def in_strings(text: str, depth: int, kind: str) -> str:
    """A text in a string in others, as a part of a text."""
    for _ in range(depth):
        text = json.dumps(text) if kind == "json" else repr(text)
    return f"note: {text} end"


@pytest.mark.parametrize("kind", ["json", "repr"])
@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize("width", [20, 60])
def test_what_is_split_over_lines_is_nowhere(tmp_path, width, depth, kind):
    """Long strings as pprint writes them, also in JSON and in a repr: no piece of what is hidden is left."""
    text = in_strings(pprint.pformat({"stack": [STACK], "other": 1}, width=width), depth, kind)
    source = f"import torch\ndef forward(x, y):\n    {SPLIT_LINE}\n"
    told = record("str", [SPLIT_PATH, 0]) + artifact("compilescope_source", {"file": SPLIT_PATH, "text": source})
    found, file, _ = packed(
        tmp_path, told + artifact("fw_metadata", text), Redaction.of(["source,names"], [SPLIT_HIDDEN])
    )
    for word in ("acme", "secret", "inner", "owner", "keepdim=True).exp()", "plan", "1984", "customer", "nobody"):
        assert word in text, "it is there to be found"
        assert word.encode() not in found, word
    assert b" model.py" not in found
    with Recording.open(file) as recording:
        assert recording.damage == []
        assert "other" in recording.payload(next(recording.events("fw_metadata")))


@pytest.mark.parametrize(
    "secret", [SPLIT_PATH.rpartition("/")[0].replace("it's", "its"), SPLIT_HIDDEN, "a(b) + that_is(it)"]
)
def test_a_payload_in_which_pieces_still_show_goes_and_is_counted(tmp_path, secret):
    """Strings in so many others that nothing opens them."""
    told = record("str", [f"{secret}/x.py", 0]) if secret.startswith("/") else b""
    told += artifact("compilescope_source", {"file": "/a/b.py", "text": "a(b) + that_is(it)\n"})
    text = in_strings(pprint.pformat([f"of {secret} it"], width=16), 8, "json")
    log = told + artifact("note", text) + artifact("other", "stays")
    found, file, packed_as = packed(tmp_path, log, Redaction.of(["source,paths"], [SPLIT_HIDDEN]))
    for word in secret.strip("/").split():
        assert f"{word} ".encode() not in found, word
    assert packed_as.left_out.withheld == 1
    with Recording.open(file) as recording:
        assert recording.counts()["note"] == 1
        assert recording.payload(next(recording.events("note"))) == ""
        assert recording.payload(next(recording.events("other"))) == "stays"


def test_pieces_of_a_text_that_was_cut_are_joined_too(tmp_path):
    folder = SPLIT_PATH.rpartition("/")[0].replace("it's", "its")
    text = f"'in {folder}".replace(" ", " '\n  '")
    found, *_ = packed(tmp_path, record("str", [f"{folder}/x.py", 0]) + artifact("note", text), Redaction.of(["paths"]))
    for word in (b"acme", b"secret", b"owner"):
        assert word not in found, word


def test_a_path_that_stands_in_pieces_alone_is_nowhere(tmp_path):
    """No other record says where the path ends: the text does."""
    text = pprint.pformat({"stack": [STACK]}, width=30)
    found, *_ = packed(tmp_path, artifact("fw_metadata", text), Redaction.of(["source,paths"]))
    for word in (b"acme", b"secret", b"owner", b"keepdim", b"plan"):
        assert word not in found, word


def test_pieces_that_tell_nothing_stay_as_they_are(tmp_path):
    text = "x = ('a text '\n     'in pieces')\n\"\"\"doc\"\"\"\n'''\n\n'''\nprint('it', \"is\")"
    found, *_ = packed(tmp_path, artifact("note", text), Redaction.of(["source,names"], ["nowhere"]))
    assert text.replace("\n", "\n\t").encode() in found


PARTS = st.text(
    st.sampled_from(string.ascii_letters + string.digits + " -_.+=@#'\"[]()äßŁ漢字😀"), min_size=1, max_size=12
).map(lambda text: f"q{text.strip(' .')}zq7")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.tuples(PARTS, PARTS, PARTS, PARTS), home=st.sampled_from(["/home", "/Users", "/data/users"]))
def test_no_name_of_a_folder_or_a_user_is_left(tmp_path, names, home):
    user, first, second, stem = names
    found, file, _ = packed(
        tmp_path, log_of(home, f"{first}/{second}", f"{stem}.py", user), Redaction.of(["source,paths,names"])
    )
    for secret in names:
        for spelled in {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]}:
            assert spelled.encode() not in found, spelled
    with Recording.open(file) as recording:
        assert recording.damage == []
        assert [one.rule for one in analyse(recording).findings] == ["graph-break"]


@pytest.mark.parametrize(
    "text",
    [
        *("/a" + "/" * 60_000, "  # " * 20_000, "a-" * 40_000 + "@", "# " * 30_000, "/home/" * 15_000, "a.b." * 20_000),
        *('  File "x", line 1\n' * 4000, "C:\\" + "a\\" * 20_000, ":1 in " * 12_000, "environ['X'] = '" * 4000),
        *("x/" * 30_000 + ".py", "x+" * 30_000 + "/x.py", "x#/" * 20_000 + "x.py"),
        *("'a'\n" * 15_000, "'\\'" * 20_000, "'" * 60_000, '\\"\\n' * 15_000, "'" + "\n" * 60_000),
        *("'" + "\\" * 60_000, "'" + " " * 60_000, 'File "/' * 8000, "# File: /a" * 6000, "'a'\\n'b'\\n " * 6000),
        "'" + "\\n" * 30_000,
    ],
    ids=range(24),
)
@pytest.mark.timeout(20)
def test_texts_that_are_made_to_take_long_do_not(tmp_path, text):
    found, *_ = packed(tmp_path, artifact("note", text), Redaction.of(["source,paths,names"], ["nowhere"]))
    assert found


def leaves(value, at=""):
    """The values of a JSON value with where they stand; keys of its objects by their order."""
    if isinstance(value, dict):
        value = [*value.values(), *value]
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from leaves(one, f"{at}/{number}")
    else:
        yield at, value


def test_without_paths_a_run_says_the_same_but_for_its_paths(tmp_path):
    recording, file = Path(__file__).parents[2] / "fixtures/h200", tmp_path / "x.compilescope"
    pack(recording, file, redaction=Redaction.of(["paths"]))
    results = []
    for path in (recording, file):
        with Recording.open(path) as opened:
            results.append(to_json(analyse(opened)))
            results[-1]["run"] |= {"recording": "", "left_out": []}
    before, after = (dict(leaves(one)) for one in results)
    assert before.keys() == after.keys()
    changed = {at: (before[at], after[at]) for at in before if before[at] != after[at]}
    assert changed
    assert [both for both in changed.values() if "/<path-" not in str(both[1]) or "/" not in str(both[0])] == []
