"""What the runs view calls the compiles of a function."""

from __future__ import annotations

import pytest
from compilescope.lsp.runs import RunStore

from tests.unit.analysis.made import Made, frame


@pytest.mark.parametrize(
    ("values", "label"),
    [
        ({"old": "0.3333333333333333", "new": "0.14285714285714285"}, "0/1  sigma 0.3333 → 0.1429"),
        ({"old": "1.0", "new": "0.5"}, "0/1  sigma 1.0 → 0.5"),
        ({"old": "1.0", "new": None}, "0/1  sigma"),
    ],
)
def test_a_recompile_is_called_by_what_changed(tmp_path, values, label):
    made = Made(tmp_path, "@torch.compile\ndef run(x, sigma):\n    return x * sigma\n")
    code = {"file": made.file, "line": 1, "function": "run"}
    made.compiled("0/0", "run", 1)
    made.recompile(
        "0/1", code, "sigma", values=[{"expression": "sigma", **values}], frames=[frame(made.file, 3, "run")]
    )
    made.compiled("0/1", "run", 1)
    made.result()
    store = RunStore(list)
    try:
        (function,) = store.detail(str(tmp_path)).functions
    finally:
        store.close()
    assert [one.label for one in function.compiles] == ["0/0", label]
