"""Write what the server answers to the recompile panel: `record_recompiles.py OUT.json.gz RECORDING...`."""

import gzip
import json
import sys
from pathlib import Path

from compilescope.lsp import graphs, protocol, recompiles, wire
from compilescope.lsp.opened import OpenRecording


def main(out: str, *recordings: str) -> None:
    """Ask for every function, the guards of every version, and the stages that are compared."""
    converter = wire.make_converter()
    answers = {}
    for recording in recordings:
        opened = OpenRecording(recording)
        first = recompiles.recompiles(opened, protocol.RecompilesParams(recording, None))
        tables = [
            recompiles.recompiles(opened, protocol.RecompilesParams(recording, one.compile_id))
            for one in first.functions
        ]
        ids = [version.id for one in tables if one.table for version in one.table.versions]
        answers[Path(recording).name] = {
            "recompiles": tables,
            "trees": {one: recompiles.guard_tree(opened, protocol.GuardTreeParams(recording, one)) for one in ids},
            "stages": {one: graphs.stages(opened, protocol.StagesParams(recording, one)) for one in ids[:8]},
        }
    data = json.dumps(converter.unstructure(answers), separators=(",", ":"))
    folder = str(Path(recordings[0]).resolve().parent)
    Path(out).write_bytes(gzip.compress(data.replace(folder, "/home/user/project").encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
