"""What a search finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

Kind = Literal["finding", "function", "guard", "kernel", "node", "pass", "source", "event", "file", "text"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which they are searched: what says most first, the text of all payloads last."""

Stopped = Literal["limit", "too-slow"]


@dataclass(frozen=True)
class Hit:
    """One line in which the text stands.

    `text`: that line, shortened around the match when it is long; `start` and `end`: the match in it, in characters.
    `name`: the rule, function, guard's kind, kernel, node, pass, event or file that the line is of;
    `title` that of a finding. Lines and columns
    count from 1, columns in UTF-16 code units; those of an event are of its payload. `log` and `offset`: where the
    event's envelope starts; `payload_line`: the line of its payload.
    `count`: for how many hits, or events, this one stands; `compiles`: in how many compiles, 0 outside of any.
    """

    kind: Kind
    text: str
    start: int
    end: int
    name: str
    title: str | None = None
    compile_id: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    stage: str | None = None
    snapshot: str | None = None
    node: str | None = None
    order: int | None = None
    event: str | None = None
    log: str | None = None
    offset: int | None = None
    payload_line: int | None = None
    count: int = 1
    compiles: int = 0


@dataclass(frozen=True)
class Ended:
    """The last thing that a search yields: how many hits there were.

    `stopped`: `limit` when there were more than were asked for, `too-slow` when matching one text took longer than
    `deadline.SECONDS`; None when everything was searched. `cut`: kinds that have more hits than `Query.per_kind`;
    `at`: what was being searched when it stopped. `left_out`: hits that were not shown, of each kind that has some.
    """

    hits: int
    stopped: Stopped | None = None
    cut: tuple[Kind, ...] = ()
    at: str | None = None
    left_out: dict[Kind, int] = field(default_factory=dict)
