"""Search across everything in a recording: what is looked for, what is found, and in which order."""

from __future__ import annotations

from compilescope.analysis.search.grouping import MOST, grouped
from compilescope.analysis.search.model import KINDS, Ended, Hit, Kind
from compilescope.analysis.search.query import BadPattern, Query
from compilescope.analysis.search.searching import Known, search

__all__ = ["KINDS", "MOST", "BadPattern", "Ended", "Hit", "Kind", "Known", "Query", "grouped", "search"]
