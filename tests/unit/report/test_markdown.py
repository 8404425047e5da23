from __future__ import annotations

import re

from compilescope.analysis.model import Edit, Fix
from compilescope.report.markdown import issue, render

from .made import FILE, SOURCE, finding, recompile, result, span

FIX = Fix("Clamp it", [Edit(FILE, span(19, 4, 27), "h = h.clamp(-6.0, 6.0)")], kind="clamp")


def one(found, **run) -> str:
    return issue(found, result([found], **run), {FILE: SOURCE})


def test_a_finding_for_an_issue():
    text = one(finding(fixes=[FIX]))
    assert text.startswith("### this `if` depends on tensor data\n")
    assert "`demo.py:19:8` · **warning** · [graph-break/GB0170](https://meta-pytorch.github.io/" in text
    assert "19 |     if h.abs().max() > 6.0:\n   |        ^^^^^^^^^^^^^^^^^^^ the graph ends here" in text
    assert "**Write instead**\n\n```python\nh = h.clamp(-6.0, 6.0)\n```" in text
    assert "<summary>Fix: Clamp it</summary>\n\n```diff\n--- demo.py" in text
    assert "-    if h.abs().max() > 6.0:" in text
    assert "<summary>torch's own words</summary>" in text
    assert "demo.py:30 in <module>" in text
    assert text.rstrip().endswith("</sub>")
    assert "torch 2.13.0" in text
    assert text.count("<details>") == text.count("</details>") == 3


def test_a_recompile_has_its_table():
    text = one(recompile([1.0, 0.5]))
    assert "sigma == 1.0  1.0 -> 0.5" in text
    assert "2 of 8 versions used" in text


def test_a_run_has_totals_and_functions():
    text = render(result([finding()]), {FILE: SOURCE}, ["a note"])
    assert text.startswith("## torch.compile report: `demo.py`")
    assert "6 graphs" in text
    assert "| `denoise` |" in text
    assert "- a note" in text
    assert "Nothing to improve" in render(result([]), {}, [])


def test_nothing_in_a_recording_becomes_markup():
    bad = "</summary><script>x</script> @someone ![i](http://x) ``` \n# head | cell"
    detail = {"note": bad, "label": bad}
    fixes = [Fix(bad, FIX.edits, kind="clamp")]
    found = finding(title=bad, explanation=bad, reason=f"{bad}\n````\n", hints=[bad], detail=detail, fixes=fixes)
    text = one(found)
    outside = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "<script>" not in re.sub(r"\\<", "", re.sub(r"`[^`\n]+`", "", outside))
    assert not re.search(r"(?<![\\\w])@someone", re.sub(r"`[^`\n]+`", "", outside))
    assert not re.search(r"(?<!\\)!?(?<!\\)\[i\]\(http", outside)
    assert not re.search(r"^# head", outside, re.MULTILINE)


def test_it_is_bounded_and_names_nobody():
    found = finding(reason="x" * 100_000, file="/home/alice/p/demo.py", explanation="y" * 50_000)
    text = one(found, cwd="/home/alice/p")
    assert len(text) < 20_000
    assert "alice" not in text
