"""Why it is not known how often a version ran."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from compilescope.analysis.recompile_model import VersionOf
from compilescope.analysis.recompile_table import no_calls


@pytest.mark.parametrize(
    ("calls", "said"),
    [(3, "0/1 failed to compile."), (None, "How often a version ran is not in this recording.")],
)
def test_a_version_that_failed_never_ran(calls, said):
    versions = [VersionOf("0/0", "ok", 1.0, calls), VersionOf("0/1", "failed", 1.0)]
    assert no_calls(SimpleNamespace(run=SimpleNamespace(unavailable=[])), versions) == said
    assert no_calls(SimpleNamespace(run=SimpleNamespace(unavailable=[])), versions[:1]) == (None if calls else said)
