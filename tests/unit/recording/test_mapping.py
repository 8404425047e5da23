"""Paths of another machine: which prefix counts, on which system, and where in texts they are found."""

from __future__ import annotations

import json

import pytest
from compilescope.recording.mapping import PathMapping
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\\/:\"'<>|*?\n\r\0", exclude_categories=("Cs", "Cc")),
    min_size=1,
    max_size=20,
)
PLAIN = NAMES.map(str.strip).filter(lambda name: name.strip(". ") == name and name)
FOLDERS = st.lists(PLAIN, min_size=1, max_size=4)


def posix(parts):
    return "/" + "/".join(parts)


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("/job/src/a.py", "/ws/code/a.py"),
        ("/job/src", "/ws/code"),
        ("/job/src2/a.py", "/all/src2/a.py"),
        ("/job", "/all"),
        ("/jobs/a.py", "/jobs/a.py"),
        ("/JOB/a.py", "/JOB/a.py"),
        ("C:\\Job\\pkg\\a.py", "/win/pkg/a.py"),
        ("c:/job/pkg/a.py", "/win/pkg/a.py"),
        ("\\\\server\\share\\a.py", "/share/a.py"),
        ("/posix/x/a.py", "D:\\here\\x\\a.py"),
        ("<string>", "<string>"),
    ],
)
def test_the_longest_prefix_counts(there, here):
    pairs = [("/job", "/all"), ("/job/src/", "/ws/code/"), (r"C:\job", "/win"), (r"\\server\share", "/share")]
    assert PathMapping.of([*pairs, ("/posix", r"D:\here")]).path(there) == here


def test_of_the_same_prefix_the_later_one_counts_and_nonsense_is_left_out():
    mapping = PathMapping.of([("/a", "/b"), ("/a/", "/c"), ("", "/d"), ("/", "/e"), ("/f", " ")])
    assert [mapping.path(path) for path in ("/a/x", "/d/x", "/f/x")] == ["/c/x", "/d/x", "/f/x"]


@settings(deadline=None)
@given(FOLDERS, FOLDERS, FOLDERS)
def test_what_is_below_a_folder_there_is_below_the_folder_here(there, here, below):
    mapping = PathMapping.of([(posix(there), posix(here))])
    path = mapping.path(posix([*there, *below]))
    assert path == posix([*here, *below])
    assert mapping.original(path) == posix([*there, *below])


@settings(deadline=None)
@given(FOLDERS, FOLDERS, FOLDERS)
def test_windows_and_back(there, here, below):
    windows = "C:\\" + "\\".join([*there, *below])
    mapping = PathMapping.of([("C:\\" + "\\".join(there), posix(here))])
    assert mapping.path(windows) == posix([*here, *below])
    back = PathMapping.of([(posix(here), "C:\\" + "\\".join(there))])
    assert back.path(posix([*here, *below])) == windows


@settings(deadline=None)
@given(FOLDERS, FOLDERS, FOLDERS, st.booleans())
def test_in_json_paths_are_replaced_and_it_stays_json(there, here, below, is_windows):
    start = "C:\\" + "\\".join(there) if is_windows else posix(there)
    file = ("\\" if is_windows else "/").join([start, *below, "model.py"])
    expected = posix([*here, *below, "model.py"])
    mapping = PathMapping.of([(start, posix(here))])
    value = {"file": file, "folder": start, "said": f'see:\n  File "{file}", line 3, in f'}
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        found = json.loads(mapping.json(text))
        assert (found["file"], found["folder"]) == (expected, posix(here))
        assert found["said"] == f'see:\n  File "{expected}", line 3, in f'


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_what_is_no_path_of_the_machine_stays(value):
    mapping = PathMapping.of([("/job/src", "/ws"), ("C:\\job", "/win")])
    assert json.loads(mapping.json(json.dumps(value))) == mapping.value(value)


def test_only_python_files_are_replaced_in_texts():
    mapping = PathMapping.of([("/job/src", "/ws")])
    text = '# File: /job/src/my model.py:3 in f, code: open("/job/src/data.bin")\n/other/job/src/a.py /job/src.py'
    assert mapping.text(text) == text.replace("/job/src/my model.py", "/ws/my model.py")


def test_without_a_prefix_everything_is_the_same_object():
    value, text = {"file": "/a/b.py"}, "/a/b.py"
    mapping = PathMapping()
    assert mapping.value(value) is value
    assert mapping.text(text) is text
    assert mapping.json(text) is text
