"""Exports in the text report and on the page."""

from __future__ import annotations

from pathlib import Path

from compilescope.analysis.exports_model import Export, ExportIssue, ExportLine, ExportStep
from compilescope.report.exports import exports_block, headline
from compilescope.report.html import page
from compilescope.report.html.material import Material
from compilescope.report.style import Style

from tests.unit.analysis.made import Made

AT = ExportLine("/app/model.py", 26, "forward", "if n > 3:")
ISSUE = ExportIssue(
    "data-dependent",
    "The data decide `n > 3`; the exported program takes it to be True",
    "unable to evaluate <u0>",
    7,
    expression="u0 > 3",
    at=AT,
    values={"n": "u0"},
    made_by=[ExportStep(0, "u0 > 3", "gt", ["u0", "3"], AT)],
    code="torch._check(n > 3)",
)
EXPORTS = [
    Export(1, "draft", "1130 09:00:00", "exported", issues=[ISSUE]),
    Export(2, "export", "1130 09:00:01", "failed", rank=1),
    Export(3, "export", "1130 09:00:02", "exported"),
]


def test_text():
    style = Style(Path("/app"), colour=False)
    assert exports_block([], style) == []
    assert exports_block(EXPORTS, style) == [
        "exports: 3, 2 of them with issues",
        "  1. draft_export: exported, 1 issue",
        "    The data decide `n > 3`; the exported program takes it to be True (model.py:26)",
        "  2. export (rank 1): failed, no issues",
        "  3. export: exported, no issues",
    ]
    assert headline(EXPORTS[2:]) == "exports: 1, no issues"


def test_page(tmp_path):
    result = Made(tmp_path).result()
    result.exports = EXPORTS
    html = page.render(Material(result, {}))
    section = html[html.index('<section id="exports"') :].partition("</section>")[0]
    assert "torch._check(n &gt; 3)" in section
    assert "unable to evaluate &lt;u0&gt;" in section
    assert "u0 &gt; 3 = gt(u0, 3)  # if n &gt; 3: (model.py:26)" in section
    assert section.count("<h3>") == 3


def test_no_section_without_exports(tmp_path):
    assert 'id="exports"' not in page.render(Material(Made(tmp_path).result(), {}))
