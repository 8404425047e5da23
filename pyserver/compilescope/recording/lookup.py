"""Files of a name below some folders, without looking into what nobody writes programs in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MOST = 50_000
"""Entries of folders that are looked at."""
_NOT_INTO = {"node_modules", "__pycache__", "site-packages", "dist-packages", "build", "dist"}


def named(names: Collection[str], roots: Iterable[str], most: int = MOST) -> dict[str, list[str]]:
    """Return paths by their last part, of `names` only, those nearest to a root first. Links to folders are left out.

    `most`: entries after which no more is looked at.
    """
    found: dict[str, list[str]] = {}
    folders = list(dict.fromkeys(roots))
    for folder in folders:  # grows
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    most -= 1
                    if most < 0:
                        return found
                    if entry.is_dir(follow_symlinks=False):
                        if not entry.name.startswith(".") and entry.name not in _NOT_INTO:
                            folders.append(entry.path)
                    elif entry.name in names:
                        found.setdefault(entry.name, []).append(entry.path)
        except OSError:
            continue
    return found
