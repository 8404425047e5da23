"""Write the timeline that the server answers with, for the panel tests: `record_timeline.py RECORDING OUT.json.gz`."""

import gzip
import json
import sys
from pathlib import Path

from compilescope.lsp import protocol, timeline, wire
from compilescope.lsp.opened import OpenRecording


def main(recording: str, out: str) -> None:
    """Run in the folder of the program: its name is replaced."""
    answer = timeline.timeline(OpenRecording(recording), protocol.TimelineParams(recording))
    data = json.dumps(wire.make_converter().unstructure(answer), separators=(",", ":"))
    data = data.replace(str(Path.cwd()), "/home/user/project")
    Path(out).write_bytes(gzip.compress(data.encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
