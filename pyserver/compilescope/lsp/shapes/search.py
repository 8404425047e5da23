"""A text that is looked for in a recording, and what is found."""

from __future__ import annotations

from attrs import field, frozen, validators

from compilescope.analysis.search import KINDS


@frozen
class SearchParams:
    """A text to look for in all of a recording, or in the `kinds` of things that are named.

    Letters match in both cases unless `case`; `regex`: the text is a regular expression of Python's. `limit` ends the
    search after so many hits, `per_kind` that of each kind; 0 for none. With a `partial_result_token` hits are sent as
    they are found, as LSP's `$/progress` with a `SearchBatch`, and the result has none.
    """

    recording: str
    text: str
    regex: bool = False
    case: bool = False
    kinds: list[str] = field(factory=list, validator=validators.deep_iterable(validators.in_(KINDS)))
    limit: int = field(default=1000, validator=validators.ge(0))
    per_kind: int = field(default=0, validator=validators.ge(0))
    partial_result_token: str | int | None = None


@frozen
class SearchHit:
    """One line with the text, or several alike (`count`, in so many `compiles`). docs/search.md has what each kind has.

    `start` and `end`: the match in `text`.
    Lines and columns count from 1. `log` and `offset` are for `compilescope/eventText`.
    """

    kind: str
    text: str
    start: int
    end: int
    name: str
    title: str | None
    compile_id: str | None
    file: str | None
    line: int | None
    column: int | None
    stage: str | None
    snapshot: str | None
    node: str | None
    order: int | None
    event: str | None
    log: str | None
    offset: int | None
    payload_line: int | None
    count: int
    compiles: int


@frozen
class SearchBatch:
    """Hits that were found since the last batch."""

    hits: list[SearchHit]


@frozen
class SearchResult:
    """How a search ended: `count` hits in all. `cut`: kinds that have more than `per_kind`.

    `stopped`: limit, too-slow (a regular expression on one text), or null when everything was searched; `at`: the kind
    that was searched then. `left_out`: hits that are not listed, by kind; 10,000 may be more.
    """

    hits: list[SearchHit]
    count: int
    stopped: str | None
    cut: list[str]
    at: str | None
    left_out: dict[str, int]


@frozen
class EventTextParams:
    """An event by its log and by the byte at which it starts there."""

    recording: str
    log: str
    offset: int


@frozen
class EventTextResult:
    """An event as text: its envelope as comments, then its payload, whose first line is `first_line`, from 0."""

    text: str
    first_line: int
