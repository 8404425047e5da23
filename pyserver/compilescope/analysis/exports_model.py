"""What a recording says of `torch.export`: each export, and what was found while it traced."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

IssueKind = Literal["missing-fake-kernel", "mismatched-fake-kernel", "data-dependent", "guard-added", "failed"]


@dataclass(frozen=True)
class ExportLine:
    """A line of the program that torch was at; `code` is its text as torch wrote it down. `line` counts from 1."""

    file: str | None
    line: int
    function: str
    code: str = ""


@dataclass(frozen=True)
class ExportStep:
    """How an expression was made: by `method` of `arguments`, each of them a step of its own one level deeper.

    `method` is `create_unbacked_symbol` where the data give the value.
    """

    depth: int
    result: str
    method: str
    arguments: list[str]
    at: ExportLine | None


@dataclass
class ExportIssue:
    """Something that makes an export fail, or that its program takes for granted.

    `expression` is torch's, `condition` the same in the program's names where they are known. `result`: what it was
    taken to be. `code`: what to write, ready to paste; `advice`: in words. `values`: locals of the line, `symbols`:
    what symbols stand for. `frames`: the whole stack, outermost first. `event`: its number in the recording.
    """

    kind: IssueKind
    title: str
    reason: str
    event: int
    operator: str | None = None
    expression: str | None = None
    condition: str | None = None
    result: str | None = None
    at: ExportLine | None = None
    frames: list[ExportLine] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    symbols: dict[str, str] = field(default_factory=dict)
    made_by: list[ExportStep] = field(default_factory=list)
    count: int = 1
    advice: list[str] = field(default_factory=list)
    code: str | None = None


@dataclass
class Export:
    """One call of `torch.export.export` (`kind` export) or `draft_export` (draft).

    `began`: month, day and local time. `status`: `exported`, `failed`, or `unfinished` where the log does not say how
    it ended. `program`: the number of
    the event whose payload is the exported program. `graph`: that of the graph up to where tracing failed.
    """

    number: int
    kind: Literal["export", "draft"]
    began: str
    status: Literal["exported", "failed", "unfinished"] = "unfinished"
    rank: int | None = None
    program: int | None = None
    graph: int | None = None
    issues: list[ExportIssue] = field(default_factory=list)
