"""What is looked for, and where it stands in a line."""

from __future__ import annotations

import re
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis.search.model import KINDS, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from contextlib import AbstractContextManager
    from typing import TypeAlias

    Found: TypeAlias = "tuple[int, str, int, int]"
    """Number of a line, from 0, the line, and where the match starts and ends in it."""

LIMIT = 1000
LONGEST = 10_000
_WORD = re.compile(r"\w+", re.ASCII)


class BadPattern(Exception):
    """Nothing can be looked for by this text; the message says why, in words for the user."""


@dataclass(frozen=True)
class Query:
    """A text to look for, in one line: letters match in both cases unless `case`, and `regex` is Python's `re`.

    `limit` ends the search after so many hits, `per_kind` that of each kind; 0 for none.
    """

    text: str
    regex: bool = False
    case: bool = False
    kinds: Collection[Kind] = KINDS
    limit: int = LIMIT
    per_kind: int = 0


class Matcher:
    """Finds the text of a query in lines. Raises BadPattern for one that nothing can be found by.

    `timed`: a context for the time that some lines take together; what it raises ends the search.
    """

    def __init__(self, query: Query, timed: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        text = query.text
        if not text:
            raise BadPattern("Nothing to search for: the text is empty.")
        if len(text) > LONGEST:
            raise BadPattern(f"The text is longer than {LONGEST:,} characters.")
        if not query.regex and ("\n" in text or "\r" in text):
            raise BadPattern("A search is for text in one line; this text has several.")
        self._timed = timed if query.regex else nullcontext
        plain = not query.regex and text.isascii()
        self._needle = (text if query.case else text.lower()).encode() if plain else None
        self._word = _longest_word(self._needle) if self._needle is not None else b""
        self._case = query.case
        flags = 0 if query.case else re.IGNORECASE
        if plain:
            flags |= re.ASCII
        self._pattern = _compiled(text if query.regex else re.escape(text), flags)

    def may_be_in(self, raw: bytes) -> bool:
        """Whether some line of a text, as it stands in the log, can have a match: a quick look."""
        return self._needle is None or self._needle in self._folded(raw)

    def may_be_about(self, raw: bytes, made: Collection[bytes]) -> bool:
        """Whether a match can be in what is made of `raw`, with words of `made` between; lower case, like `made`."""
        word = self._word.lower()
        return not word or any(word in one for one in made) or word in raw.lower()

    def of(self, lines: Iterable[str]) -> list[Found]:
        """Return the lines with a match: number, line, start and end of the first match."""
        found = []
        search = self._pattern.search
        with self._timed():
            for number, line in enumerate(lines):
                match = search(line)
                if match is not None:
                    found.append((number, line, match.start(), match.end()))
        return found

    def all_in(self, line: str) -> list[tuple[int, int]]:
        """Return where in a line all matches are that are not empty: start and end."""
        with self._timed():
            return [match.span() for match in self._pattern.finditer(line) if match.end() > match.start()]

    def _folded(self, raw: bytes) -> bytes:
        return raw if self._case else raw.lower()


def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(pattern, flags)
        except (re.error, OverflowError, RecursionError, MemoryError, ValueError) as error:
            raise BadPattern(f"{_short(pattern)} is no regular expression: {error or type(error).__name__}.") from error


def _short(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 60 else pattern[:60] + "…")  # noqa: PLR2004


def _longest_word(needle: bytes) -> bytes:
    return max((one.encode() for one in _WORD.findall(needle.decode())), key=len, default=b"")
