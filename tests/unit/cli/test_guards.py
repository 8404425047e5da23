"""`compilescope show --guards ID`, of a recording made by hand."""

import json

import pytest
from compilescope.cli.main import main

from tests.unit.analysis.whole import ours


@pytest.fixture
def recording(tmp_path):
    folder = tmp_path / "recording"
    folder.mkdir()
    log = folder / "dedicated_log_torch_trace_4711_ab12.log"
    log.write_bytes(b"".join(one.record() for one in ours()))
    return str(folder)


def test_the_tree_as_text(recording, capsys):
    assert main(["show", "--guards", "0/0", recording]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "0/0: 3 checks, one look-up 12.5 us (cold, timed once)"
    assert lines[1] == "  x (torch.Tensor)"
    assert lines[2].startswith("    TENSOR_MATCH: check_tensor(x)  ")
    assert lines[2].endswith("main.py:5:5")
    assert lines[-2:] == ["    d['a'] (int)", "      EQUALS_MATCH: d['a'] == 1"]


def test_the_tree_as_json(recording, capsys):
    assert main(["show", "--guards", "0/0", "--format", "json", recording]) == 0
    (tree,) = json.loads(capsys.readouterr().out)
    assert (tree["compile_id"], tree["count"]) == ("0/0", 3)
    assert [child["expression"] for child in tree["tree"]["children"]] == ["x", "d"]


def test_a_compile_without_guards(recording, capsys):
    assert main(["show", "--guards", "7/0", recording]) == 2
    assert "No guards of a compile 7/0" in capsys.readouterr().err
