"""Begins to read a large log before all is loaded that is needed to show it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from compilescope.recording import compressed
from compilescope.recording.index_file import beside
from compilescope.recording.pieces import Readers

if TYPE_CHECKING:
    from pathlib import Path


def ahead(log: Path) -> Readers:
    """Return what reads the log; it has begun if that is a large one without an index. To be closed."""
    readers = Readers(load)
    if not compressed.is_packed(log) and not beside(log).exists():
        readers.begin(log)
    return readers


def load() -> None:
    """Load the analysis: this process does it while others read."""
    import_module("compilescope.analysis")
