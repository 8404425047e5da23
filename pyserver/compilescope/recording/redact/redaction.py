"""What a pack leaves out on request, and what was left out of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SOURCE, PATHS, NAMES, PAYLOADS = "source", "paths", "names", "payloads"
KINDS = {
    SOURCE: "source text",
    PATHS: "paths with the names of users and machines",
    NAMES: "names of files",
    PAYLOADS: "payloads of events",
}
"""What can be left out, and what that is in words; in the order in which it is told."""
ALL = "all"


class UnknownKind(ValueError):
    """Something that can't be left out, or nothing where something was asked for; the message says what can."""


@dataclass(frozen=True)
class Redaction:
    """`kinds`: which of `KINDS` to leave out. `hidden`: further texts that may not be in it, wherever they stand."""

    kinds: frozenset[str] = frozenset()
    hidden: tuple[str, ...] = ()

    @classmethod
    def of(cls, kinds: Iterable[str], hidden: Iterable[str] = ()) -> Redaction:
        """Return what is asked for: kinds, also several with commas between, or `all`. Raises UnknownKind.

        An empty one is refused, too: a shell's variable that is not set would hand on what should be left out.
        """
        asked = {one.strip() for text in kinds for one in text.split(",")}
        texts = tuple(dict.fromkeys(hidden))
        if "" in asked:
            raise UnknownKind(
                f"--redact has an empty kind (an unset variable of the shell?): there are {', '.join(KINDS)} and {ALL}."
            )
        if not all(map(str.strip, texts)):
            raise UnknownKind("--hide has an empty text, which hides nothing (an unset variable of the shell?).")
        if unknown := sorted(asked - KINDS.keys() - {ALL}):
            raise UnknownKind(f"{unknown[0]} can't be left out: there are {', '.join(KINDS)} and {ALL}.")
        found = set(KINDS) if ALL in asked else asked
        if NAMES in found:  # a name of a file says little of one whose folder is told
            found.add(PATHS)
        return cls(frozenset(found), texts)

    def __bool__(self) -> bool:
        return bool(self.kinds or self.hidden)


@dataclass
class LeftOut:
    """How much of a recording was left out.

    `lines`: of the program, each once. `damaged`: places that could not be read, and so could not be looked at.
    """

    lines: int = 0
    folders: int = 0
    names: int = 0
    payloads: int = 0
    payload_bytes: int = 0
    damaged: int = 0
    withheld: int = 0
    """Records that a text of a kind was still in after all: left out as a whole."""
    unmet: tuple[str, ...] = ()
    """Texts that were named to be hidden and are nowhere in the recording."""
    kept_events: int = 0
    kept_payloads: int = 0
    kept_bytes: int = 0


def words(kinds: Iterable[str]) -> str:
    """Return what was left out, `source text, payloads of events`; empty for nothing."""
    found = set(kinds)
    return ", ".join(said for kind, said in KINDS.items() if kind in found)


def known(kinds: object) -> tuple[str, ...]:
    """Return the kinds that a pack's manifest names, without what is none."""
    found = kinds if isinstance(kinds, list) else []
    return tuple(kind for kind in KINDS if kind in found)
