"""What the text report says of the answers of torch's graph caches."""

from __future__ import annotations

from pathlib import Path

from compilescope.analysis.caches import Lookup
from compilescope.report.caches import caches
from compilescope.report.style import Style


def test_a_miss_of_a_key_that_was_there_before_says_so():
    first = Lookup("1/0", "fx_graph", "miss", "1/0", "key", components=3)
    second = Lookup("rank1:1/0", "fx_graph", "miss", "rank1:1/0", "key", components=3, nearest="key", nearest_id="1/0")
    said = caches([first, second], Style(Path.cwd()))
    assert said[-1] == "  FX graph miss: rank1:1/0, the same key as 1/0, whose result was not there"
