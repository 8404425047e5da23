"""Numbers as they are shown."""

from __future__ import annotations

import pytest
from compilescope.analysis.rounding import rounded, rounded_pair

from tests.unit.analysis.made import Made, frame


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        ("sigma == 0.3333333333333333", "sigma == 0.3333"),
        ("x == -2.718281828459045", "x == -2.718"),
        ("1.2345678e-07", "1.235e-07"),
        ("0.000123456789", "0.0001235"),
        ("12345.678901234567", "12346"),
        ("1.0", "1.0"),
        ("0.25", "0.25"),
        ("1234567", "1234567"),
        ("name == 'v0.1234567'", "name == 'v0.1234567'"),
        ("'0.3333333333'", "'0.3333333333'"),
        ("1.2.345678", "1.2.345678"),
    ],
)
def test_long_fractions_at_four_digits(whole, shown):
    assert rounded(whole) == shown


def test_values_that_would_look_the_same_stay_whole():
    assert rounded_pair("0.3333333333333333", "0.25") == ("0.3333", "0.25")
    assert rounded_pair("0.3333333333333333", "0.33333333333333337") == ("0.3333333333333333", "0.33333333333333337")


def test_a_label_is_rounded_and_the_values_are_whole(tmp_path):
    made = Made(tmp_path, "@torch.compile\ndef run(x):\n    return x * 2 if len(x) / 3 < 1 else x\n")
    code = {"file": made.file, "line": 1, "function": "run"}
    values = [{"expression": "x.size()[0] / 3", "old": "0.3333333333333333", "new": "1.6666666666666667"}]
    guard = "L['x'].size()[0] / 3 == 0.3333333333333333"
    made.recompile("0/1", code, guard, values=values, frames=[frame(made.file, 3, "run")])
    (finding,) = made.findings()
    assert finding.detail["label"] == "this was compiled for `x.shape[0] / 3` = 0.3333; a call brought 1.667"
    (row,) = finding.detail["recompiles"]
    assert (row["old"], row["new"]) == ("0.3333333333333333", "1.6666666666666667")
    assert row["guard"] == "x.size()[0] / 3 == 0.3333333333333333"
