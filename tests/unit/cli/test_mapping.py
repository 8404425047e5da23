"""`--map-path`, and the hint where nobody said where the files of another machine are."""

from __future__ import annotations

import json

import pytest
from compilescope.cli.main import main

from tests.shared import foreign_log


@pytest.fixture
def log(tmp_path, monkeypatch):
    """A log of another machine; the working directory has its program in `src`."""
    foreign_log.program(tmp_path / "ws" / "src")
    monkeypatch.chdir(tmp_path / "ws")
    return str(foreign_log.write(tmp_path / "log", "/job/my src"))


def test_the_hint_is_an_option_that_can_be_used(log, capsys, tmp_path):
    assert main(["show", log]) == 0
    shown = capsys.readouterr()
    assert shown.err.endswith("its /job/my src seems to be here: --map-path '/job/my src=./src'\n")
    assert '| print("norm", y.shape)' in shown.out
    assert "not on this machine; the line is as the log has it" in shown.out
    assert main(["show", log, "--map-path", "/job/my src=./src"]) == 0
    shown = capsys.readouterr()
    assert "--map-path" not in shown.err
    assert "src/pkg/model.py:6:5" in shown.out
    assert '|     print("norm", y.shape)' in shown.out
    assert main(["show", log, "--map-path", "/job/my src=src", "--format", "json"]) == 0
    files = {one["file"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert files == {str(tmp_path / "ws" / "src" / "pkg" / "model.py")}


def test_of_two_places_the_hint_tells_both(log, capsys, tmp_path):
    foreign_log.program(tmp_path / "ws" / "again")
    main(["show", log])
    (hint,) = [line for line in capsys.readouterr().err.splitlines() if "--map-path" in line]
    assert "2 places" in hint
    assert "'/job/my src=./src'" in hint
    assert "'/job/my src=./again'" in hint


def test_watch_says_it_once_and_diff_pairs_what_is_mapped(log, capsys):
    assert main(["watch", "--once", log]) == 0
    assert capsys.readouterr().out.count("--map-path '/job/my src=./src'") == 1
    assert main(["watch", "--once", log, "--map-path", "/job/my src=src"]) == 0
    told = capsys.readouterr().out
    assert "--map-path" not in told
    assert "src/pkg/model.py:6" in told
    assert main(["diff", log, log, "--map-path", "/job/my src=src", "--format", "json"]) == 0
    assert "/job/my src" not in capsys.readouterr().out


def test_a_search_names_the_files_of_here(log, capsys):
    assert main(["search", log, "print", "--map-path", "/job/my src=src"]) == 0
    assert "src/pkg/model.py" in capsys.readouterr().out


def test_a_changed_line_is_told_in_every_report(log, capsys, tmp_path):
    model = tmp_path / "ws" / "src" / "pkg" / "model.py"
    model.write_text(model.read_text().replace("norm", "other"))
    for format_ in ("text", "html", "markdown"):
        main(["show", log, "--map-path", "/job/my src=src", "--format", format_])
        out = " ".join(capsys.readouterr().out.split())
        assert "not as it ran, the place may be another: the log has here" in out


@pytest.mark.parametrize("words", ["/job", "=here", "/job= ", ""])
def test_what_is_no_mapping_is_refused(log, words, capsys):
    with pytest.raises(SystemExit):
        main(["show", log, "--map-path", words])
    assert "write it like /job/src=./src" in capsys.readouterr().err


def test_an_option_that_fits_nothing_is_told(log, capsys):
    main(["show", log, "--map-path", "/elsewhere=src", "--map-path", "/job/my src=gone"])
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("compilescope: --map-path: no path of the log begins with /elsewhere; ")
    assert message.endswith("gone does not exist")


def test_coverage_of_a_program_that_is_not_here_says_why_it_is_empty(log, capsys):
    assert main(["show", log, "--format", "lcov"]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "the program's files are not here" in shown.err
