"""What kept a run from happening, in words for the person who asked for it."""

from __future__ import annotations


class Problem(Exception):
    """`title`: what happened. `detail`: why.

    `code` is stable: by it the command line names the option, and an editor the buttons, that lead out of the problem.
    """

    def __init__(self, code: str, title: str, detail: str = "") -> None:
        super().__init__(("\n" if "\n" in detail else " ").join(filter(None, [title, detail])))
        self.code = code
        self.title = title
        self.detail = detail
