"""Texts in the place of files. Most of it needs no torch: what Python itself shows is the truth."""

from __future__ import annotations

import json

import pytest

MAIN = """
import inspect, linecache, multiprocessing, sys, traceback
import part
import pkg.inner

WORD = "disk"

def child():
    print("child", WORD, part.WORD, flush=True)

def source():
    return inspect.getsource(child).count("child")

if __name__ == "__main__":
    print("main", WORD, part.WORD, pkg.inner.WORD)
    print("source", inspect.getsource(part.says).strip().splitlines()[1].strip())
    linecache.clearcache()
    print("again", inspect.getsource(part.says).split("\\n")[1].strip(), linecache.getline(part.__file__, 2).strip())
    try:
        part.fail()
    except ValueError:
        print("traceback", "raise ValueError(WORD)  # disk" in traceback.format_exc())
    print("files", __file__, sys.argv, open(part.__file__, encoding="latin-1").read().count("disk"))
    for method in ("spawn", "forkserver"):
        process = multiprocessing.get_context(method).Process(target=child)
        process.start()
        process.join()
"""
PART = """# -*- coding: latin-1 -*-
WORD = "disk"
def says():
    return "é disk"
def fail():
    raise ValueError(WORD)  # disk
"""


@pytest.fixture
def program(runner):
    runner.write("main.py", MAIN)
    runner.write("pkg/__init__.py", "")
    runner.write("pkg/inner.py", 'WORD = "disk"\n')
    (runner.folder / "part.py").write_bytes(PART.encode("latin-1"))
    assert runner.plain("main.py").code == 0  # leaves byte code of what is on disk
    return runner


def overlaid(runner, *names: str, **how):
    """Run with `disk` as `text` in some files."""
    texts = {
        str(runner.folder / name): (runner.folder / name).read_text("latin-1").replace("disk", "text") for name in names
    }
    path = runner.folder / "overlay.json"
    path.write_text(json.dumps(texts))
    return runner.traced(how.pop("script", "main.py"), more={"trial": {"overlay": str(path)}}, **how)


def byte_code(runner):
    return {path: path.read_bytes() for path in runner.folder.rglob("*.pyc")}


def test_script_modules_sources_tracebacks_and_children_have_the_text(program):
    plain = program.plain("main.py").out
    before = byte_code(program)
    done = overlaid(program, "main.py", "part.py", "pkg/inner.py")
    assert (done.code, done.err) == (0, "")
    file = str(program.folder / "main.py")
    assert done.out.splitlines() == [
        "main text text text",
        'source return "é text"',
        'again return "é text" WORD = "text"',
        "traceback True",  # the line of part.py, and what main.py looks for, both have the text
        f"files {file} ['main.py'] 0",  # what the program opens is what is on disk
        "child text text",
        "child text text",
    ]
    assert byte_code(program) == before
    assert program.plain("main.py").out == plain


def test_other_files_come_from_disk(program):
    lines = overlaid(program, "pkg/inner.py").out.splitlines()
    assert lines[0] == "main disk disk text"
    assert lines[3:] == ["traceback True", lines[4], "child disk disk", "child disk disk"]


def test_a_module_that_is_run_has_the_text(program):
    program.write("pkg/__main__.py", 'print("run disk")\n')
    assert overlaid(program, "pkg/__main__.py", script=None, module="pkg").out == "run text\n"


def test_without_a_trial_nothing_of_it_is_loaded(program):
    program.write(
        "plain.py", "import sys; print([name for name in sys.modules if 'trial' in name or 'overlay' in name])"
    )
    assert program.traced("plain.py").out == "[]\n"
