"""Why a path can't be read as a recording."""

from __future__ import annotations


class RecordingError(Exception):
    """A path holds no recording; the message says why, in words for the user."""
