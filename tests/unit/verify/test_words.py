"""Which findings went, and the sentences that say so: those of the mock-up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from compilescope.analysis.model import Finding, Position, Range, Result, Run
from compilescope.fixes.edits import Edited
from compilescope.verify import Compared, Difference, Verdict, judge, to_json, words

from tests.unit.verify.conftest import edit

TEXT = "def f(x):\n    if x.max() > 1:\n        x = x.clamp(-1, 1)\n    print(x)\n    return x\n"


def finding(rule: str, line: int, *, severity: str = "warning", file: str = "/a.py", **detail: str) -> Finding:
    place = Range(Position(line, 4), Position(line, 8))
    return Finding(rule, severity, file, place, "A title", "", "", "other", "capture", "GB1", None, detail=detail)


def result(*findings: Finding, graphs: int = 2) -> Result:
    run = Run(["a.py"], "/", "python", "2.13", 0, 1.0, "/r", "full", [], [])
    return Result(run, list(findings), [], [], [], {"graphs": graphs})


BREAK = finding("graph-break", 1, gb_type="Data-dependent branching")
PRINT = finding("graph-break", 3, gb_type="Failed to trace builtin operator")
RECOMPILE = finding("recompile", 2)
WITHOUT_IF = Edited(TEXT, [edit("/a.py", TEXT, "    if x.max() > 1:\n        x", "    x")])
CHANGED = {"/a.py": WITHOUT_IF}


def moved(one: Finding, line: int, **changes: object) -> Finding:
    return replace(one, range=Range(Position(line, 4), Position(line, 8)), **changes)


def test_the_edit_is_the_one_meant():
    assert WITHOUT_IF.after == "def f(x):\n    x = x.clamp(-1, 1)\n    print(x)\n    return x\n"


def test_what_is_no_longer_on_the_lines_that_its_lines_became_is_gone():
    before, after = result(BREAK, PRINT), result(moved(PRINT, 2))
    assert judge.left([BREAK], before, after, CHANGED) == []
    assert judge.left([BREAK, PRINT], before, after, CHANGED) == [PRINT]
    assert judge.new(before, after, CHANGED) == []


def test_a_break_that_now_skips_the_frame_is_still_there():
    skipped = moved(BREAK, 1, rule="frame-skipped", detail={"cause": "Data-dependent branching", "gb_type": "loop"})
    assert judge.left([BREAK], result(BREAK), result(skipped), CHANGED) == [BREAK]
    assert judge.new(result(BREAK), result(skipped), CHANGED) == []


def test_another_break_on_the_line_is_new():
    other = moved(BREAK, 1, detail={"gb_type": "Another"})
    assert judge.left([BREAK], result(BREAK), result(other), CHANGED) == []
    assert judge.new(result(BREAK), result(other), CHANGED) == [other]


def test_a_recompile_for_the_same_value_is_not_new_on_another_line():
    guard = {"function": "f", "recompiles": [{"expression": "sigma"}]}
    before = replace(RECOMPILE, detail=guard)
    assert judge.new(result(before), result(moved(before, 3)), CHANGED) == []
    other = moved(before, 3, detail={**guard, "recompiles": [{"expression": "x.size()[0]"}]})
    assert judge.new(result(before), result(other), CHANGED) == [other]
    elsewhere = moved(before, 3, detail={**guard, "function": "g"})
    assert judge.new(result(before), result(elsewhere), CHANGED) == [elsewhere]


def test_the_same_line_of_another_file_is_another_place():
    elsewhere = moved(BREAK, 1, file="/b.py")
    assert judge.left([BREAK], result(BREAK), result(elsewhere), CHANGED) == []
    assert judge.new(result(BREAK), result(elsewhere), CHANGED) == [elsewhere]


def test_of_two_of_a_sort_on_one_line_one_may_go():
    before = result(PRINT, replace(PRINT))
    assert judge.left([PRINT], before, result(moved(PRINT, 2)), CHANGED) == []
    assert judge.left([PRINT], before, result(moved(PRINT, 2), moved(PRINT, 2)), CHANGED) == [PRINT]


def test_remarks_are_no_new_problems():
    assert judge.new(result(), result(finding("recompile", 1, severity="information")), {}) == []


EQUAL = Compared(
    equal=True,
    delta_max=0.0,
    calls=5,
    backwards=0,
    tensors=5,
    sampled=0,
    same_bits=True,
    first=None,
    differences=0,
    uncompared=[],
    notes=[],
    stopped=False,
)
ROUNDED = replace(EQUAL, delta_max=1.3e-7, same_bits=False)
FIRST = Difference("value", 3, None, "f", "result", 0.31, "")
APART = replace(EQUAL, equal=False, delta_max=0.31, first=FIRST, differences=1)
NAN = replace(APART, first=replace(FIRST, kind="nan"))
ERROR = replace(APART, first=replace(FIRST, kind="error", place="", message="a result became builtins.ValueError"))
TIME = Difference("value", 1, None, "f", "result[1]", 6.1, "")
GRADIENT = Difference("value", None, 1, None, "gradient of w", 0.5, "")
CLOSE = Difference("value", 1, None, "f", "result", 1.3e-7, "")
PROVEN = Verdict("proven", (BREAK,), graphs=(2, 1), seconds=(3.14, 2.41), compared=EQUAL)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (
            PROVEN,
            "Break gone, outputs equal (largest difference δ_max 0, 5 calls). 2 graphs → 1, compiling 3.1 s → 2.4 s.",
        ),
        (
            replace(PROVEN, findings=(RECOMPILE, BREAK), compared=ROUNDED, graphs=(6, 2), seconds=(5.09, 3.1)),
            (
                "Recompiles and a break gone, outputs equal (largest difference δ_max 1.3e-7, 5 calls). "
                "6 graphs → 2, compiling 5.1 s → 3.1 s."
            ),
        ),
        (
            replace(PROVEN, status="differs", compared=APART),
            "Not applied: the break would go, but outputs differ (largest difference δ_max 0.31, call 3 of 5).",
        ),
        (
            replace(PROVEN, status="differs", compared=NAN),
            (
                "Not applied: the break would go, but outputs differ (NaN or infinite in one of both, "
                "call 3 of 5, result)."
            ),
        ),
        (
            replace(PROVEN, status="differs", compared=ERROR),
            "Not applied: the break would go, but outputs differ (call 3 of 5: a result became builtins.ValueError).",
        ),
        (
            replace(PROVEN, status="differs", compared=APART, changes_eager=False),
            (
                "Not applied: the break would go, but outputs differ (largest difference δ_max 0.31, call 3 of 5); "
                "in eager they are equal."
            ),
        ),
        (
            replace(PROVEN, status="stays", left=(BREAK,)),
            "Not applied: the break stays; outputs equal (largest difference δ_max 0, 5 calls).",
        ),
        (
            replace(PROVEN, status="stays", findings=(BREAK, RECOMPILE), left=(RECOMPILE,)),
            "Not applied: the recompiles stay; outputs equal (largest difference δ_max 0, 5 calls).",
        ),
        (
            replace(PROVEN, status="new-problems", findings=(BREAK, PRINT), new=(moved(PRINT, 2),)),
            "Not applied: the 2 breaks would go, but there is a new problem: A title (line 3).",
        ),
        (
            replace(PROVEN, status="failed", reason="NameError: x (exit code 1)"),
            "Not applied: with the change the program fails: NameError: x (exit code 1)",
        ),
        (
            replace(PROVEN, status="not-compared", reason="no compiled function was called", result=result()),
            (
                "Can't compare outputs: no compiled function was called. Break gone. "
                "2 graphs → 1, compiling 3.1 s → 2.4 s."
            ),
        ),
        (
            replace(PROVEN, status="nondeterministic", compared=replace(EQUAL, unsteady=[TIME, replace(TIME, call=2)])),
            (
                "Break gone; result[1] of f is not reproducible: differs between two eager runs as well; all other "
                "outputs equal (largest difference δ_max 0, 5 calls). 2 graphs → 1, compiling 3.1 s → 2.4 s."
            ),
        ),
        (
            replace(PROVEN, status="nondeterministic", compared=replace(APART, unsteady=[TIME, GRADIENT])),
            (
                "Break gone; result[1] of f and 1 other are not reproducible: differ between two eager runs as well; "
                "others differ, too (largest difference δ_max 0.31, call 3 of 5). "
                "2 graphs → 1, compiling 3.1 s → 2.4 s."
            ),
        ),
        (
            replace(PROVEN, status="differs", compared=replace(ROUNDED, loose=[CLOSE]).strictly, changes_eager=True),
            "Not applied: the break would go, but outputs differ (largest difference δ_max 1.3e-7, call 1 of 5).",
        ),
        (
            replace(PROVEN, status="differs-anyway", compared=APART, anyway=replace(APART, delta_max=0.25)),
            (
                "Break gone; outputs differ from eager (largest difference δ_max 0.31, call 3 of 5); without the "
                "change they do, too (δ_max 0.25), and in eager it changes nothing. "
                "2 graphs → 1, compiling 3.1 s → 2.4 s."
            ),
        ),
    ],
)
def test_words(verdict, said):
    assert words(verdict) == said
    assert to_json(verdict)["text"] == said


def test_what_was_not_compared_is_said():
    some = replace(EQUAL, uncompared=[{"what": "a sparse tensor", "count": 2}], stopped=True, backwards=1)
    said = (
        "outputs equal (largest difference δ_max 0, 5 calls, 1 backward, 2 values not compared, not all calls compared)"
    )
    assert said in words(replace(PROVEN, compared=some))


def test_what_is_not_reproducible_is_named_in_json():
    told = to_json(replace(PROVEN, status="nondeterministic", compared=replace(EQUAL, unsteady=[TIME, GRADIENT])))
    assert told["unsteady"] == ["result[1] of f", "gradient of w"]
    assert to_json(PROVEN)["unsteady"] == []


def test_only_what_is_proven_may_be_applied():
    assert PROVEN.proven
    assert not any(replace(PROVEN, status=one).proven for one in ("differs", "stays", "differs-anyway", "not-compared"))


def test_the_schema_has_every_status():
    schema = (Path(__file__).parents[3] / "docs/results.schema.json").read_text(encoding="utf-8")
    assert set(to_json(PROVEN)) <= set(schema.replace('"', " ").split())
