"""What is taken out of a report that is passed on, in text and in HTML."""

from __future__ import annotations

import html

import pytest
from compilescope.report.private import Private

LIBRARY = "/opt/venv/lib/python3.12/site-packages/"


@pytest.mark.parametrize("text", ["from '{}torch/nn/functional.py'", 'file "{}torch/x.py", line 3', "<{}torch/x.py>"])
def test_entities_of_html_stay_whole(text):
    plain = text.format(LIBRARY)
    assert Private().hide(plain) == text.format("")
    assert html.unescape(Private().hide(html.escape(plain))) == text.format("")
