"""Times and torch's version, in whichever of torch's fields a log has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from compilescope.analysis.model import Result
from compilescope.report import markdown
from compilescope.report.html import page
from compilescope.report.html.material import Material
from compilescope.report.style import Style
from compilescope.report.text import render
from page import Page

from tests.unit.analysis.made import Made


def result_of(folder: Path, **metrics: object) -> Result:
    made = Made(folder, ours=False)
    made.compiled("0/0", "f", 3, **{"entire_frame_compile_time_s": None, **metrics})
    return made.result()


def texts(result: Result) -> tuple[str, str, str]:
    text = render(result, {}, style=Style(Path("/app")), notes=[])
    return text, markdown.render(result, {}, []), Page(page.render(Material(result, {}))).text


@pytest.mark.parametrize("field", ["dynamo_cumulative_compile_time_us", "duration_us"])
def test_older_fields_have_the_time(tmp_path, field):
    result = result_of(tmp_path, **{field: 1_659_332, "aot_autograd_cumulative_compile_time_us": 1_307_090})
    (one,) = result.compiles
    assert one.seconds["total"] == pytest.approx(1.659332)
    assert one.seconds["capture"] == pytest.approx(0.352242)
    text, told, shown = texts(result)
    assert "1 graph; 1.66 s compiling" in text or "0 graphs; 1.66 s compiling" in text
    assert "1.66 s compiling" in told
    assert "1.66 s" in shown


def test_the_newer_field_goes_first(tmp_path):
    (one,) = result_of(tmp_path, entire_frame_compile_time_s=2.0, duration_us=9).compiles
    assert one.seconds["total"] == 2.0


def test_where_no_time_is_known_none_is_said(tmp_path):
    text, told, shown = texts(result_of(tmp_path))
    assert "compiling" not in text
    assert "compiling" not in told
    assert "| `f` | 1 | 0 | 0 | \N{EN DASH} |" in told
    assert "0 s" not in shown.partition("Compile")[2].partition("Findings")[0]


def test_metrics_name_torch(tmp_path):
    assert result_of(tmp_path).run.torch is None
    assert result_of(tmp_path, pytorch_version="2.11.0+cu130").run.torch == "2.11.0+cu130"
