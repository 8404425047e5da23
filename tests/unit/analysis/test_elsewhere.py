"""A log of another machine: where its files are here, and what of its lines is known when they are not."""

from __future__ import annotations

import pytest
from compilescope.analysis import analyse, log_lines, path_guess
from compilescope.recording.mapping import PathMapping
from compilescope.recording.reader import Recording
from compilescope.report.sources import with_logged
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.shared import foreign_log
from tests.shared.foreign_log import BREAK, MODEL


@pytest.fixture
def log(tmp_path):
    return foreign_log.write(tmp_path / "log", "/job/code/src")


def result_of(log, **mapping):
    with Recording.open(log) as recording:
        recording.paths = PathMapping.of(mapping.items())
        return analyse(recording)


def guesses(log, *roots):
    with Recording.open(log) as recording:
        return path_guess.look(recording, analyse(recording).missing, [str(root) for root in roots])


def the_break(result):
    return next(one for one in result.findings if one.rule == "graph-break")


def test_mapped_findings_are_in_the_files_of_here(log, tmp_path):
    here = foreign_log.program(tmp_path / "ws" / "src")
    with Recording.open(log) as recording:
        recording.paths = PathMapping.of([("/job/code", str(tmp_path / "ws"))])
        result = analyse(recording)
    found = the_break(result)
    assert found.file == str(here / "pkg" / "model.py")
    line = MODEL.split("\n")[found.range.start.line]
    assert line[found.range.start.character : found.range.end.character] == 'print("norm", y.shape)'
    assert [frame.file for frame in found.frames] == [str(here / "train.py")] * 2 + [found.file]
    assert {one.file for one in result.compiles} == {found.file}
    assert "file_here" not in found.detail
    assert result.missing == []


def test_a_windows_log_is_shown_here(tmp_path):
    log = foreign_log.write(tmp_path / "log", r"C:\job\src", "\\")
    here = foreign_log.program(tmp_path / "ws")
    with Recording.open(log) as recording:
        recording.paths = PathMapping.of([(r"c:\job\src", str(here))])
        found = the_break(analyse(recording))
    assert (found.file, found.range.start.line + 1) == (str(here / "pkg" / "model.py"), BREAK)


def test_lines_of_files_that_are_not_here_are_those_of_the_log(log):
    result = result_of(log)
    found = the_break(result)
    assert (found.detail["log_line"], found.detail["file_here"]) == ('print("norm", y.shape)', "missing")
    text = with_logged({}, result)["/job/code/src/pkg/model.py"].split("\n")
    assert text == ["", "", "", "", "y = x * 2", 'print("norm", y.shape)']
    assert result.missing == ["/job/code/src/pkg/model.py", "/job/code/src/train.py"]


def test_a_line_that_changed_is_told(log, tmp_path):
    here = foreign_log.program(tmp_path / "ws")
    model = here / "pkg" / "model.py"
    model.write_text(MODEL.replace('print("norm", y.shape)', "y = y + 1"))
    found = the_break(result_of(log, **{"/job/code/src": str(here)}))
    assert (found.detail["log_line"], found.detail["file_here"]) == ('print("norm", y.shape)', "changed")
    model.write_text(MODEL.replace("x * 2", "x * 3"))
    assert "file_here" not in the_break(result_of(log, **{"/job/code/src": str(here)})).detail


def test_the_guess_is_the_folder_whose_files_have_the_lines(log, tmp_path):
    here = foreign_log.program(tmp_path / "ws" / "src")
    other = foreign_log.program(tmp_path / "ws" / "old")
    (other / "pkg" / "model.py").write_text("\n" + MODEL)
    (one,) = guesses(log, tmp_path / "ws")
    assert (one.there, one.here) == ("/job/code/src", str(here))
    assert (one.files, one.agree, one.compared) == (2, 4, 4)
    mapped = the_break(result_of(log, **{one.there: one.here}))
    assert mapped.file == str(here / "pkg" / "model.py")


def test_two_that_are_alike_are_both_told(log, tmp_path):
    for name in ("a", "b"):
        foreign_log.program(tmp_path / "ws" / name)
    found = guesses(log, tmp_path / "ws")
    assert sorted((one.there, one.here) for one in found) == [
        ("/job/code/src", str(tmp_path / "ws" / name)) for name in ("a", "b")
    ]


def test_files_with_other_lines_are_no_guess(log, tmp_path):
    here = foreign_log.program(tmp_path / "ws" / "src")
    for file in (here / "train.py", here / "pkg" / "model.py"):
        file.write_text("\n\n" + file.read_text())
    assert guesses(log, tmp_path / "ws") == []


def test_what_is_installed_or_hidden_is_not_looked_at(log, tmp_path):
    for name in (".venv", "node_modules", "site-packages"):
        foreign_log.program(tmp_path / "ws" / name / "src")
    assert guesses(log, tmp_path / "ws") == []
    assert guesses(log) == []


def test_a_workspace_that_is_the_folder_itself(log, tmp_path):
    here = foreign_log.program(tmp_path / "src")
    (one,) = guesses(log, here)
    assert (one.there, one.here) == ("/job/code/src", str(here))


@settings(deadline=None)
@given(st.dictionaries(st.integers(1, 300), st.just("x = 1"), min_size=1))
def test_known_lines_stand_in_their_places_and_gaps_are_named(lines):
    text = log_lines.with_gaps(lines)
    assert len(text) == max(lines)
    for number, line in enumerate(text, 1):
        if number in lines:
            assert line == "x = 1"
        elif number == 1 or number - 1 in lines:
            assert line.endswith("not in the log")
        else:
            assert line == ""
