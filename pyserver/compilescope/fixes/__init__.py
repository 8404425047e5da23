"""Changes that may remove a finding, as edits of the program's text."""

from compilescope.fixes.propose import attach

__all__ = ["attach"]
