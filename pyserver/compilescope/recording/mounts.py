"""Which file system a folder lies on: one that other machines write to does not tell what they change."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

_SHARED = frozenset(
    (  # noqa: SIM905 - a list of so many words is a page
        "nfs nfs4 cifs smb2 smb3 smbfs ncpfs afs 9p ceph lustre gpfs beegfs pvfs2 glusterfs ocfs2 gfs2 coda virtiofs "
        "vboxsf vmhgfs prl_fs drvfs panfs wekafs"
    ).split()
)
_TABLE = Path("/proc/self/mountinfo")


def shared_file_system(path: Path, table: Path = _TABLE) -> str | None:
    """Return the type of the network file system or FUSE mount that `path` lies on (`nfs4`); None for a local one.

    What `table`, Linux's list of mounts (proc(5), mountinfo), does not tell counts as local.
    """
    if sys.platform == "win32":
        return "network share" if str(path.absolute()).startswith("\\\\") else None
    try:
        lines = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        place = os.path.realpath(path)
    except OSError:
        return None
    depth, kind = -1, ""
    for line in lines:
        mount, _, source = line.partition(" - ")
        fields, types = mount.split(" "), source.split(" ")
        if len(fields) < 5:  # noqa: PLR2004 - the mount point is the fifth field
            continue
        point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])
        if len(point) >= depth and (place == point or place.startswith(point.rstrip("/") + "/")):
            depth, kind = len(point), types[0]
    return kind if kind in _SHARED or kind == "fuse" or kind.startswith("fuse.") else None
