"""Which file of one run is which of another: runs may lie in other folders, or on other machines."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LIBRARY = re.compile(r"^.*/(?:site|dist)-packages/")


class FilePairs:
    """Files of the earlier run by those of the later one; each is one other file at most."""

    def __init__(self, before: Iterable[str], after: Iterable[str], folders: tuple[str | None, str | None]) -> None:
        old, new = sorted(set(before)), sorted(set(after))
        self._after = {file: file for file in old if file in set(new)}
        keys: list[tuple[Callable[[str], str], Callable[[str], str]]] = [
            (partial(_below, folder=folders[0]), partial(_below, folder=folders[1])),
            (_name, _name),
        ]
        for old_key, new_key in keys:
            taken = set(self._after.values())
            left = _unique((old_key(file), file) for file in old if file not in self._after)
            free = _unique((new_key(file), file) for file in new if file not in taken)
            self._after |= {file: free[name] for name, file in left.items() if name in free}

    def after(self, file: str | None) -> str | None:
        """Return the file of the later run that `file` of the earlier one is; itself where there is none."""
        return file if file is None else self._after.get(file, file)


def _name(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2]


def _below(file: str, folder: str | None) -> str:
    """Return a path from the folder that packages are imported from, or from where the run was started."""
    plain = file.replace("\\", "/")
    if _LIBRARY.match(plain):
        return _LIBRARY.sub("", plain)
    return plain.removeprefix((folder or "").replace("\\", "/").rstrip("/") + "/")


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return pairs as a mapping, without keys that stand for several."""
    found: dict[str, set[str]] = {}
    for key, file in pairs:
        found.setdefault(key, set()).add(file)
    return {key: next(iter(files)) for key, files in found.items() if len(files) == 1}
