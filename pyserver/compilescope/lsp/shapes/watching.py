"""Folders that are watched: their logs are followed while a job writes them."""

from __future__ import annotations

from attrs import frozen


@frozen
class WatchParams:
    """A folder that a job writes to, now or later."""

    path: str


@frozen
class UnwatchParams:
    """A folder that is watched; null for all."""

    path: str | None = None


@frozen
class WatchedFolder:
    """`state`: waiting (nothing there yet), following, gone. `words` are ready to show.

    `polling`: why it is only looked at now and then, `nfs4`; null where the file system tells of changes.
    `ended`: the last process that ended in the middle of a compile, in words; null while none has.
    """

    path: str
    state: str
    words: str
    polling: str | None
    recordings: int
    ended: str | None = None


@frozen
class Watched:
    """All folders that are watched."""

    folders: list[WatchedFolder]
