"""One file to hand a recording on with."""

from __future__ import annotations

from attrs import field, frozen

from compilescope.lsp.shapes.running import Problem


@frozen
class PackParams:
    """Which recording to write as which file. `leave_out`: kinds as `compilescope pack --redact` has them."""

    recording: str
    file: str
    leave_out: list[str] = field(factory=list)


@frozen
class PackResult:
    """What came of it: neither a file nor a problem when the user gave up.

    `words`: how large it is; `left_out`: what is not in it, with how much, empty where nothing was to be left out.
    """

    file: str | None
    words: str
    left_out: str
    problem: Problem | None
