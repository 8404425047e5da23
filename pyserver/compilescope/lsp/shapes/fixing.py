"""Fixes, made or tried first, and pages about findings."""

from __future__ import annotations

from attrs import field, frozen

from compilescope.lsp.shapes.running import Problem


@frozen
class FixChoice:
    """A fix of a finding: where that starts in `file` as it was traced (from 0), its `code`, and the fix's title."""

    file: str
    line: int
    character: int
    code: str
    fix: str


@frozen
class FixParams:
    """Fixes of findings of one recording, to be made together."""

    recording: str
    fixes: list[FixChoice]


@frozen
class FixAndVerifyParams:
    """Fixes of findings of one recording, to be tried together and made when they are proven.

    `python`, `env`: as in TraceParams.
    """

    recording: str
    fixes: list[FixChoice]
    python: str | None = None
    env: dict[str, str] = field(factory=dict)


@frozen
class FixedFile:
    """A file that was changed, its text before and after, and the line (from 0, of after) of the last change in it."""

    file: str
    before: str
    after: str
    line: int


@frozen
class FixResult:
    """What became of fixes. `message`: ready to show; empty when nothing needs to be said.

    `status`: applied; unproven (tried, and not applied because of what `message` says); refused (not applied, and
    not tried); cancelled. `files`: what was changed. `values`: what differed, as text. `note`: what was proven, short
    enough to stand beside the change.
    """

    status: str
    message: str = ""
    files: list[FixedFile] = field(factory=list)
    values: str | None = None
    note: str | None = None
    problem: Problem | None = None


@frozen
class ExplainParams:
    """A page to open: an address that a finding or a code action named."""

    href: str
