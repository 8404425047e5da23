from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from compilescope.analysis.kernel_model import Kernel
from compilescope.analysis.model import LineTime, StackFrame
from compilescope.analysis.profile_model import Profile, ProfiledGraph, ProfiledOperator
from compilescope.report.ending import ending
from compilescope.report.style import Style
from compilescope.report.text import render

from .made import FILE, SOURCE, compiled, finding, recompile, result, span

FIVE = [1.0, 0.5, 1 / 3, 0.25, 0.2]


def plain(*args, notes=(), cwd="/w", **kwargs) -> str:
    return render(result(*args, **kwargs), {FILE: SOURCE}, style=Style(Path(cwd)), notes=list(notes))


def test_a_graph_break_as_in_the_mockup():
    text = plain([finding()])
    block = text.partition("\n\n")[0].splitlines()
    assert block[:9] == [
        "warning[graph-break/GB0170]: this `if` depends on tensor data",
        "  --> demo.py:19:8",
        "   |",
        "18 |     h = x + down(h)",
        "19 |     if h.abs().max() > 6.0:",
        "   |        ^^^^^^^^^^^^^^^^^^^ the graph ends here; the `if` runs in Python",
        "20 |         h = h.clamp(-6.0, 6.0)",
        "   |",
        "   = why:   operations are recorded without their values, so the answer isn't known",
    ]
    assert "   = write: h = h.clamp(-6.0, 6.0)" in block
    assert "   = torch: Data-dependent branching" in block
    assert "   = more:  https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html" in block


def test_recompiles_as_a_table():
    lines = plain([recompile(FIVE)]).splitlines()
    start = next(index for index, line in enumerate(lines) if "= guard:" in line)
    assert [line.split() for line in lines[start + 1 : start + 5]] == [
        ["1", "0/1", "sigma", "==", "1.0", "1.0", "->", "0.5", "0.40"],
        ["2", "0/2", "sigma", "==", "0.5", "0.5", "->", "0.3333", "0.41"],
        ["3", "0/3", "sigma", "==", "0.3333", "0.3333", "->", "0.25", "0.42"],
        ["4", "0/4", "sigma", "==", "0.25", "0.25", "->", "0.2", "0.43"],
    ]
    assert lines[start + 5].strip() == "all of them from demo.py:30"
    assert "5 of 8 versions used" in plain([recompile(FIVE)])


def test_many_recompiles_show_the_first_and_the_last():
    text = plain([recompile([float(number) for number in range(13)])])
    shown = re.findall(r"^ +(\d+) 0/", text, re.MULTILINE)
    assert shown == ["1", "2", "3", "4", "11", "12"]
    assert "... 6 more ..." in text


def test_long_guards_are_cut_before_values():
    long = recompile(FIVE)
    each = long.detail["recompiles"][0]
    each["guard"], each["new"] = "x.size()[0] == " + "9" * 80, "'" + "v" * 28 + "'"
    text = plain([long])
    assert each["new"] in text
    assert each["guard"] not in text


@pytest.mark.parametrize("callers", [1, 2])
def test_the_table_of_recompiles_keeps_to_the_width(callers):
    long = recompile(FIVE)
    recompiles = long.detail["recompiles"]
    recompiles[0].update(
        guard="___check_type_id(f, 7)" * 9,
        old="<class 'function'>",
        new="<class 'functools._lru_cache_wrapper'> (HINT: " + "a hint that goes on " * 5,
    )
    for each in recompiles[:callers]:
        each["caller"] = {**each["caller"], "line": 31}
    lines = plain([long]).splitlines()
    assert max(map(len, lines)) <= 100
    row = next(line for line in lines if " 0/1 " in line and "->" in line)
    assert re.search("<class 'f.* -> <class 'f", row)
    assert "sigma == 0.5 " in "\n".join(lines)


def test_errors_come_first_then_the_dearest():
    cheap, dear = finding(title="cheap", cost_s=0.1), finding(title="dear", cost_s=3)
    error = finding(title="fatal", severity="error", cost_s=0)
    titles = re.findall(r"^\w+\[.*?\]: (.*)", plain([cheap, dear, error]), re.MULTILINE)
    assert titles == ["fatal", "dear", "cheap"]


def test_library_frames_follow_the_users_line():
    frames = [
        StackFrame(FILE, 30, "<module>", in_user_code=True),
        StackFrame(FILE, 19, "denoise", in_user_code=True),
        StackFrame("/lib/copy.py", 128, "deepcopy", in_user_code=False),
    ]
    text = plain([finding(frames=frames)])
    assert "= in:    /lib/copy.py:128 in deepcopy" in text
    assert "= from:  demo.py:30 in <module>" in text


def test_columns_count_characters_not_utf16_units():
    source = "s = '🔥'; f(a)\n"
    made = finding(range=span(1, 10, 14))
    text = render(result([made]), {FILE: source}, style=Style(Path("/w")), notes=[])
    assert "--> demo.py:1:10" in text


def test_paths_outside_the_working_directory_are_whole():
    assert f"--> {FILE}:19:8" in plain([finding()], cwd="/elsewhere")


def test_a_finding_without_source_or_file_is_still_told():
    text = render(result([finding(file="<string>"), finding(file=None)]), {}, style=Style(Path("/w")), notes=[])
    assert text.count("this `if` depends on tensor data") == 2
    assert "--> <string>:19:8" in text


def test_nothing_to_report():
    assert plain([]).splitlines()[-1] == "No findings: 4 recompiles; 2.00 s of 2.50 s was compiling again."
    assert plain([], [compiled("0/0")]).splitlines()[-1] == "No findings: 1 graph; 0.50 s compiling."
    ignored = plain([], [compiled("0/0")], ignored=2).splitlines()[-1]
    assert ignored == "No findings: 1 graph, 2 findings ignored; 0.50 s compiling."
    assert plain([], compiles=[]).splitlines()[-1].startswith("Nothing was compiled")
    off = plain([], compiles=[], disabled_by="TORCH_COMPILE_DISABLE").splitlines()[-1]
    assert off == "Nothing was compiled: TORCH_COMPILE_DISABLE=1 in the environment turns torch.compile off."
    stance = plain([], compiles=[], stance="force_eager").splitlines()[-1]
    assert stance == 'Nothing was compiled: torch.compiler.set_stance("force_eager") turns torch.compile off.'


def test_graphs_that_torch_compile_was_not_asked_for():
    ahead = replace(result([], []), kernels=[Kernel("-", "-/forward", "triton_poi_0", "triton", "Triton", [], [])])
    said = render(ahead, {}, style=Style(Path("/w")), notes=[]).splitlines()[-1]
    assert said.startswith("torch.compile was not called; graphs were compiled without it (AOTInductor")
    assert "0 passes, 1 kernel." in said


def test_a_damaged_recording_does_not_say_what_the_program_did():
    damage = [{"file": "a.log", "offset": 0, "problem": "the log ends in the middle of a record"}]
    text = plain([], compiles=[], torch=None, damage=damage)
    assert text.splitlines()[-1] == "The recording is damaged: what it still holds shows no compile."
    assert "imported" not in text
    assert "imported" not in plain([], compiles=[], torch=None, silent=True)
    assert "did not import torch" in plain([], compiles=[], torch=None)


def test_the_last_line_tells_that_not_all_could_be_read():
    places = [
        {"file": "a.log", "offset": 7, "problem": "not the start of a record"},
        {"file": "a.log", "offset": 90, "problem": "the log ends in the middle of a record, in its payload"},
        {"file": "b.log", "offset": 0, "problem": "left out: no trace record in its first 64 KB"},
    ]
    last = plain([finding()], damage=places).splitlines()[-1]
    assert last.endswith("This is not all: 1 place of the logs can't be read.")
    assert "not all" not in plain([finding()], damage=places[1:])


def test_pieces_after_a_break_count_to_their_function():
    pieces = [compiled("0/0", 1.0), compiled("1/0", 0.5, line=19, resumed=True)]
    assert "denoise (demo.py:13): 2 graphs, 1 break, 1.50 s compiling" in plain([finding()], pieces)


def test_runs_of_graphs_are_no_calls_of_the_function():
    pieces = [compiled("0/0", calls={"forward": 10}), compiled("1/0", line=19, resumed=True, calls={"inference": 10})]
    assert "denoise (demo.py:13): 2 graphs, 20 graph runs, " in plain([], pieces)


def test_functions_of_one_name_are_told_apart():
    pieces = [compiled("0/0"), compiled("1/0", line=40), compiled("2/0", line=19, resumed=True)]
    text = plain([], pieces)
    assert "denoise (demo.py:13): 2 graphs" in text
    assert "denoise (demo.py:40): 1 graph" in text


def test_a_graph_with_only_an_output_is_none():
    assert "denoise (demo.py:13): 0 graphs" in plain([], [compiled("0/0", graph={"nodes": 1, "edges": 0})])
    thrown_away = [compiled("0/0", graph={"nodes": 2, "edges": 0}, empty=True)]
    assert "denoise (demo.py:13): 0 graphs" in plain([], thrown_away)


def test_notes():
    text = plain(
        [],
        depth="capture",
        unavailable=[{"hook": "guards", "reason": "not in torch 2.6.0", "loses": "guard list"}],
        damage=[{"log": "a.log", "offset": 17, "problem": "the log ends within a payload"}],
        notes=["it is elsewhere"],
    )
    for part in (
        "note: it is elsewhere",
        "note: not recorded: guard list (not in torch 2.6.0)",
        "note: capture depth",
        "byte 17",
    ):
        assert part in text


def test_lines_keep_to_the_width():
    long = finding(explanation="word " * 60, hints=["advice " * 40], detail={}, title="title " * 40)
    assert max(map(len, plain([long]).splitlines())) <= 100


def test_plain_text_has_no_escapes_and_colour_has_roles_and_links():
    made = result([finding(), finding(severity="error", code="compile-error", rule="compile-error")])
    text = render(made, {FILE: SOURCE}, style=Style(Path("/w")), notes=[])
    assert "\x1b" not in text
    assert text.isascii()
    colour = render(made, {FILE: SOURCE}, style=Style(Path("/w"), colour=True), notes=[])
    assert "\x1b[1;33mwarning[graph-break/GB0170]\x1b[0m" in colour
    assert "\x1b[1;31merror[compile-error]\x1b[0m" in colour
    assert re.search(
        r"\x1b\]8;;file://[^/]*/w/demo\.py#19\x1b\\\x1b\[4;36mdemo\.py:19:8\x1b\[0m\x1b\]8;;\x1b\\", colour
    )
    stripped = re.sub(r"\x1b\]8;;.*?\x1b\\|\x1b\[[\d;]*m", "", colour)
    assert stripped == text


def test_a_recording_cannot_write_to_the_terminal():
    evil = "\x1b]0;owned\x07\x9b31m\u202e"
    made = finding(
        title=evil, explanation=evil, reason=evil, code=evil, href=evil, hints=[evil], file=f"/w/{evil}.py",
        frames=[StackFrame(f"/w/{evil}.py", 1, evil, in_user_code=True)] * 2,
        detail={"label": evil, "gb_type": evil, "resumed": [evil], "write": evil, "note": evil,
                "operator": "aten.add", "kernel": evil,
                "chain": [{"type": evil, "message": evil}]},
    )  # fmt: skip
    other = recompile(FIVE)
    other.detail["recompiles"][0].update(compile_id=evil, guard=evil, old=evil, new=evil)
    compiles = [compiled("0/0", function=evil), compiled(f"1/{evil}")]
    run = {"command": [evil], "status": "cancelled", "torch": evil, "recording": evil, "depth": evil,
           "unavailable": [{"loses": evil, "reason": evil}], "damage": [{"log": evil, "problem": evil}]}  # fmt: skip
    text = render(result([made, other], compiles, **run), {made.file: evil + SOURCE}, style=Style(Path("/w")), notes=[])
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"exit_code": 0}, None),
        ({"exit_code": 3}, None),
        (
            {"exit_code": -11, "status": "killed"},
            "demo.py crashed with SIGSEGV (native code touched",
        ),
        ({"exit_code": -9, "status": "killed"}, "demo.py was killed by SIGKILL"),
        ({"exit_code": -2, "status": "timed-out"}, "demo.py was stopped at the time limit after 9.50 s."),
        ({"exit_code": -2, "status": "cancelled"}, "demo.py was cancelled after 9.50 s."),
        ({"exit_code": None, "status": "running"}, "demo.py has not ended, or its end was not recorded."),
    ],
)
def test_how_a_run_ended(run, said):
    text = ending(result([finding()], [compiled("0/0"), compiled("0/3", status="running")], **run))
    if said is None:
        assert text is None
    else:
        assert text.startswith(said)
        assert "The 1 finding up to then is kept." in text
        assert text.endswith("Last step: compiling denoise [0/3].")


def test_the_ending_is_in_the_report():
    assert "crashed with SIGSEGV" in plain([finding()], exit_code=-11, status="killed")
    assert "crashed" not in plain([replace(finding())])


@pytest.mark.parametrize(
    ("share", "words"), [(0.0084, "tracing cost 0.8 %"), (0.0004, "tracing cost less than 0.1 %"), (None, None)]
)
def test_says_what_tracing_cost(share, words):
    told = result([])
    told.metrics["tracing_overhead"] = share
    lines = render(told, {}, style=Style(Path("/w")), notes=[]).splitlines()
    said = [line for line in lines if "tracing cost" in line]
    assert [words in line for line in said] == ([True] if words else [])
    assert not words or lines.index(said[0]) >= len(lines) - 4


def test_a_profile_says_what_ran_in_eager():
    told = result([])
    told.profile = Profile(
        lookups=7,
        guard_s=0.00025,
        eager=[ProfiledOperator("aten.mul", 4, 0.25), ProfiledOperator("aten.\x1b[31mred", 1, 0.05)],
        graphs=[ProfiledGraph("0/0/forward", 2, 0.7, 12)],
        ended="stopped after 5 events",
    )
    said = [line for line in render(told, {}, style=Style(Path("/w")), notes=[]).splitlines() if "profile" in line]
    assert (
        said[0] == "profile: 5 operators in eager, 12 operations in compiled graphs (70 % of the time); 7 look-ups of"
    )
    assert said[1].startswith("profile: most time in eager: aten.mul 4, aten.")
    assert "\x1b" not in said[1]
    assert said[2] == "profile: stopped after 5 events"


def test_says_where_long_compiling_went():
    seconds = {"total": 4.0, "capture": 1.0, "lowering": 0.5, "joint": 0.25, "backward_joint": 0.25, "guards": 0.01}
    told = result([], [replace(compiled("0/0"), seconds=seconds)])
    told.lines = [LineTime(FILE, 15, 3, {"total": 3.0}), LineTime("/w/\x1b[31m.py", 16, 1, {"total": 1.0})]
    told.lines.append(LineTime(FILE, 17, 1, {"total": 0.5}))
    said = render(told, {}, style=Style(Path("/w")), notes=[]).splitlines()
    assert "time: capture 1.00 s, passes 0.50 s, lowering 0.50 s" in said
    (lines,) = (line for line in said if line.startswith("lines: "))
    assert lines.startswith("lines: demo.py:15 3.00 s, :17 0.50 s; ")
    assert "\x1b" not in lines
