"""Paths of the machine that a log was written on, as they are here: longest prefix first, Windows and POSIX alike."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_WINDOWS = re.compile(r"[A-Za-z]:|\\\\|[^/]*\\")
_SEPARATORS = re.compile(r"[\\/]+")
_BETWEEN = r"[\\/]{1,4}"
# What may stand between a prefix and the end of a Python file's name, in plain text and in JSON: not too much of it.
_FILE = r"""[\\/][^"'<>|:*?\n\r]{0,260}?\.py[wi]?(?!\w)"""
_FILE_IN_JSON = r"""(?:/|\\\\)(?:[^"'<>|:*?\\]|\\\\|\\u[0-9a-fA-F]{4}){0,260}?\.py[wi]?(?!\w)"""
_STRING_IN_JSON = r"""(?:(?:/|\\\\)(?:[^"\\]|\\.)*)?"""


@dataclass(frozen=True)
class Prefix:
    """A folder (or file) there, and where it is here."""

    there: str
    here: str

    @property
    def is_windows(self) -> bool:
        """Whether it is a path of Windows there: case does not count then, and either slash separates."""
        return bool(_WINDOWS.match(self.there))

    @property
    def spelled(self) -> str:
        """The prefix there without a slash at its end, one of Windows with slashes of this kind: `/`."""
        return (self.there.replace("\\", "/") if self.is_windows else self.there).rstrip("/")

    @property
    def plain(self) -> str:
        """What all spellings of the prefix there have in common."""
        return self.spelled.casefold() if self.is_windows else self.spelled

    def pattern(self) -> str:
        """Return a regular expression of the prefix there, in plain text or in JSON."""
        if not self.is_windows:
            return f"(?:{re.escape(self.plain)}|{re.escape(_quoted(self.plain))})"
        parts = _SEPARATORS.split(self.there.rstrip("\\/"))
        spelled = (f"(?:{re.escape(one)}|{re.escape(_quoted(one))})" for one in parts)
        return f"(?i:{_BETWEEN.join(spelled)})"

    def below(self, there: str) -> str | None:
        """Return what is left of a path below the prefix, with the slash before it; None for one elsewhere."""
        path = there.replace("\\", "/") if self.is_windows else there
        start = path[: len(self.spelled)]
        if (start.casefold() if self.is_windows else start) != self.plain:
            return None
        rest = path[len(self.spelled) :]
        return rest if not rest or rest.startswith("/") else None


@dataclass(frozen=True)
class PathMapping:
    """Prefixes of paths there and what they are here, the longest first. Without any everything stays as it is."""

    prefixes: tuple[Prefix, ...] = ()
    _known: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    _back: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> PathMapping:
        """Return the mapping of some (there, here); of two with the same prefix the later one counts."""
        found = [Prefix(there, here) for there, here in pairs if there.strip("\\/ ") and here.strip()]
        last = {one.plain: one for one in found}
        return cls(tuple(sorted(last.values(), key=lambda one: -len(one.plain))))

    def path(self, there: str) -> str:
        """Return a path of the log as it is here; itself where no prefix fits."""
        if not self.prefixes:
            return there
        known = self._known.get(there)
        if known is None:
            known = self._known[there] = self._path(there)
            self._back.setdefault(known, there)
        return known

    def unused(self) -> list[Prefix]:
        """Return the prefixes that no path so far began with."""
        return [one for one in self.prefixes if all(one.below(there) is None for there in self._known)]

    def original(self, here: str) -> str:
        """Return the path of the log that `path` made `here` of; itself for any other."""
        return self._back.get(here, here)

    def text(self, text: str) -> str:
        """Return a text with the paths of Python files in it as they are here."""
        return self._in_text.sub(lambda match: self.path(match[0]), text) if self._may_be_in(text) else text

    def json(self, text: str) -> str:
        """Return JSON with the paths in it as they are here: strings that are paths, and Python files within others."""
        return self._in_json.sub(self._replaced_in_json, text) if self._may_be_in(text) else text

    def value(self, value: Any) -> Any:
        """Return a value of decoded JSON with the paths in it as they are here; keys stay."""
        if not self.prefixes:
            return value
        if isinstance(value, str):
            here = self.path(value)
            return self.text(value) if here == value else here
        if isinstance(value, list):
            return [self.value(one) for one in value]
        if isinstance(value, dict):
            return {key: self.value(one) for key, one in value.items()}
        return value

    def _path(self, there: str) -> str:
        for one in self.prefixes:
            rest = one.below(there)
            if rest is not None:
                separator = "\\" if _WINDOWS.match(one.here) else "/"
                return one.here.rstrip("\\/") + rest.replace("/", separator)
        return there

    def _may_be_in(self, text: str) -> bool:
        """Whether a prefix can be in a text, which is quicker to see than where."""
        return any(one.is_windows or one.plain in text or _quoted(one.plain) in text for one in self.prefixes)

    def _replaced_in_json(self, match: re.Match[str]) -> str:
        try:
            return _quoted(self.path(json.loads(f'"{match[0]}"')))
        except ValueError:
            return match[0]

    @cached_property
    def _anywhere(self) -> str:
        return f"(?:{'|'.join(one.pattern() for one in self.prefixes)})"

    @cached_property
    def _in_text(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![\w/\\.-]){self._anywhere}{_FILE}")

    @cached_property
    def _in_json(self) -> re.Pattern[str]:
        whole = rf'(?<=(?<!\\)"){self._anywhere}{_STRING_IN_JSON}(?=")'
        within = rf'(?:(?<![\w/\\.-])|(?<=\\[ntr])|(?<=\\")){self._anywhere}{_FILE_IN_JSON}'
        return re.compile(f"{whole}|{within}")


def _quoted(text: str) -> str:
    """Return a text as it stands in JSON."""
    return json.dumps(text)[1:-1]
