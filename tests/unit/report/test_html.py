from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from compilescope import fixes
from compilescope.analysis import analyse
from compilescope.analysis.guards import Guard, Guarded, GuardTree
from compilescope.analysis.model import Pass
from compilescope.recording.reader import Recording
from compilescope.report.html.layout import arrange
from compilescope.report.html.material import Material
from compilescope.report.html.page import render
from compilescope.report.sources import sources
from page import Page

from .made import FILE, SOURCE, compiled, finding, recompile, result

RECORDED = Path(__file__).parents[2] / "fixtures/h200"
HOSTILE = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\x1b]8;;x\x07\u202e"


def page(*args, notes=(), **kwargs) -> Page:
    return Page(render(Material(result(*args, **kwargs), {FILE: SOURCE}, notes=list(notes))))


def lines_of(shown: Page) -> list[str]:
    return shown.by_class["el"]


@pytest.fixture(scope="module")
def recorded() -> tuple[Page, str, Material]:
    """The report of a real recording: forward and backward graphs with Triton kernels."""
    with Recording.open(RECORDED) as recording:
        found = analyse(recording)
        texts = sources(recording, found)
        fixes.attach(found, texts)
        material = Material(found, texts, recording)
        html = render(material)
    return Page(html), html, material


def test_a_recording_has_every_section(recorded):
    shown, html, material = recorded
    assert shown.problems == []
    assert [one for one in shown.ids if not one.startswith("finding-") and not one.endswith("-title")] == [
        *("findings", "graphs", "arrow", "compiles", "stacks", "timeline", "passes", "kernels", "code", "guards"),
        *("symbols", "metrics", "environment"),
    ]
    found = material.result
    assert found.findings
    for one in found.findings:
        assert " ".join(one.title.replace("`", "").split()) in shown.text
    for one in found.compiles:
        assert f">{one.id}<" in html
    for kernel in {one.name for one in found.kernels if one.kind == "triton"}:
        assert kernel[:60] in shown.text
    assert "sm_90" in shown.text
    assert len(html) < 1_000_000


def test_the_pictures_have_every_kernel_and_no_box_on_another(recorded):
    _, html, _ = recorded
    pictures = re.findall(r'<figure class="gp"><svg.*?</svg>', html, re.DOTALL)
    assert pictures
    for picture in pictures:
        boxes = re.findall(r'class="bx.*?<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', picture)
        places = [tuple(map(float, box)) for box in boxes]
        for at, (x, y, w, h) in enumerate(places):
            for a, b, c, d in places[at + 1 :]:
                assert x + w <= a or a + c <= x or y + h <= b or b + d <= y


def test_a_letter_of_the_source_is_a_letter_of_the_code(recorded):
    shown, _, _ = recorded
    source, code = set(shown.by_class["src"]), shown.by_class["lt"]
    letters = {one for one in code if one}
    assert letters
    for letter in letters:
        assert any(letter in line for line in source)


def test_the_range_has_carets_under_it():
    shown = page([finding()])
    at = lines_of(shown).index("19    if h.abs().max() > 6.0:")
    assert lines_of(shown)[at + 1] == "       ^^^^^^^^^^^^^^^^^^^ the graph ends here; the if runs in Python"
    assert lines_of(shown)[at - 2 : at] == ["17    h = nn.functional.gelu(up(h))", "18    h = x + down(h)"]
    assert len([line for line in shown.by_class["el"] if re.match(r"\d", line)]) == 5


def test_costs_are_bars_on_one_scale_and_the_dearest_is_first():
    cheap = finding(cost_s=0.5, title="cheap", code="A")
    dear = finding(cost_s=2.0, title="dear", code="B")
    html = render(Material(result([cheap, dear]), {FILE: SOURCE}))
    shown = Page(html)
    assert shown.by_class["fh"] == ["dear2.00 s", "cheap500 ms"]
    widths = re.findall(r'class="shb"><svg class="bar" aria-hidden="true"><rect width="([\d.]+)%', html)
    assert list(map(float, widths)) == [100.0, 25.0]


def test_recompiles_are_a_table_with_what_comes_next():
    shown = page([recompile([1.0, 0.5, 0.25])])
    assert "sigma == 1.0" in shown.text
    assert "1.0 → 0.5" in shown.text
    assert "3 of 8 versions used" in shown.text


def test_more_than_twenty_findings_are_folded():
    shown = page([finding(title=f"number {number}", cost_s=100.0 - number) for number in range(25)])
    assert "5 more findings" in shown.text
    assert sum("number" in head for head in shown.by_class["fh"]) == 25


def test_a_run_that_found_nothing_says_so():
    assert "Nothing to improve" in page([]).text
    assert "the program did not import torch" in page([], [], torch=None, silent=False).text


def test_a_killed_run_says_what_happened():
    shown = page([], exit_code=-9, status="finished")
    assert "killed by signal 9" in shown.text
    assert "SIGKILL" in shown.text
    assert "Nothing to improve" not in shown.text


def test_what_was_not_recorded_is_told():
    shown = page(
        [finding()], unavailable=[{"hook": "a.b", "loses": "the guards", "reason": "no such name"}], notes=["hm"]
    )
    assert "the guards (no such name)" in shown.text
    assert "hm" in shown.by_class["notes"]


def test_names_of_users_and_machines_are_not_written(monkeypatch):
    monkeypatch.setattr("platform.node", lambda: "gpu-box-7.lab")
    home = "/home/alice/work/proj"
    told = finding(
        file=f"{home}/demo.py",
        reason=f'File "{home}/demo.py", line 3\nFile "/home/alice/lib/x.py"\non gpu-box-7 /scratch/alice/data',
        explanation=f"see {home}/sub/other.py and /tmp/torchinductor_alice/ab/cd.py",
        frames=[replace(one, file=f"{home}/demo.py") for one in finding().frames],
    )
    shown = page([told], [compiled("0/0", file=f"{home}/demo.py")], cwd=home, recording=f"{home}/.compilescope/1",
                 python="/home/alice/venv/bin/python")  # fmt: skip
    assert "alice" not in shown.text
    assert "gpu-box" not in shown.text
    assert "demo.py:19:8" in shown.text
    assert "see sub/other.py" in shown.text
    assert '"~/lib/x.py"' in shown.text


def test_a_hostile_recording_is_text():
    bad = finding(
        title=HOSTILE,
        explanation=HOSTILE * 1000,
        reason=HOSTILE * 1000,
        code=HOSTILE,
        href="javascript:alert(1)",
        hints=[HOSTILE],
        compile_ids=[HOSTILE],
        detail={"label": HOSTILE, "write": HOSTILE, "note": HOSTILE, "recompiles": [{"guard": HOSTILE, "old": HOSTILE}],
                "chain": [{"type": HOSTILE, "message": HOSTILE}]},
    )  # fmt: skip
    found = result([bad], [compiled(HOSTILE, function=HOSTILE, qualname=HOSTILE)], command=[HOSTILE], python=HOSTILE)
    html = render(Material(found, {FILE: SOURCE.replace("gelu", HOSTILE)}, notes=[HOSTILE]))
    shown = Page(html)
    assert shown.problems == []
    assert shown.links == []
    assert "<script>alert(1)</script>" in shown.text
    assert "\x1b" not in html
    assert "\u202e" not in html


def test_a_giant_recording_is_cut_and_says_so():
    root = Guarded(
        "L", "L", children=[Guarded(f"L[{n}]", f"x{n}", guards=[Guard("TYPE", "y" * 900)]) for n in range(5_000)]
    )
    found = replace(
        result(
            [finding(title=f"{n}", explanation="e" * 20_000, reason="r" * 50_000, cost_s=float(n)) for n in range(400)],
            [compiled(f"{n}/0", function="f" * 5000) for n in range(1000)],
        ),
        guards=[GuardTree("0/0", root, count=5_000, size=10_000)],
        passes=[
            Pass(f"{n % 40}/0", "g", "joint", "p" * 9000, n, 0, 0.1, 1, 2, 1, 2, -2, changed=True, custom=False)
            for n in range(4_000)
        ],
    )
    html = render(Material(found, {FILE: SOURCE}))
    shown = Page(html)
    assert shown.problems == []
    assert len(html) < 6_000_000
    for said in ("200 findings", "600 of 1,000 compiles", "passes of 28 compiles", "more lines; show --guards"):
        assert said in shown.text


def test_columns_go_from_left_to_right_and_wrap():
    chain = arrange([120.0] * 40, [""] * 40, {(n, n + 1) for n in range(39)} | {(0, 39)})
    assert len(chain.places) == 40
    assert chain.width <= 1012
    for before, after in zip(chain.places, chain.places[1:], strict=False):
        assert (after.y, after.x) > (before.y, before.x)
    assert len(chain.curves) + len(chain.lanes) >= 39


def test_a_picture_of_nothing_is_no_error():
    empty = arrange([], [], set())
    assert (empty.places, empty.curves) == ([], [])
