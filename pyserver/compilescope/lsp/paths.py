"""Files and URIs. One file has one key, however the client spells its URI."""

from __future__ import annotations

import os
from pathlib import Path

from pygls import uris


def to_path(uri: str) -> str | None:
    """The file that `uri` names, null for anything but a file."""
    try:
        path = uris.to_fs_path(uri)
    except ValueError:
        return None
    return os.path.normpath(path) if path and "\0" not in path else None


def to_uri(path: str) -> str:
    """`path` as a URI."""
    return uris.from_fs_path(path) or Path(path).as_uri()


def key(path: str) -> str:
    """What is equal for two spellings of one file's path, links resolved."""
    return os.path.normcase(os.path.realpath(path))


def within(path: str, folder: str) -> bool:
    """Whether `path` lies in `folder`."""
    return Path(key(path)).is_relative_to(key(folder))
