"""Write what the server answers about a recording, for the panel tests: `record.py RECORDING OUT.json.gz`."""

import gzip
import json
import sys
from pathlib import Path

from compilescope.lsp import graphs, passes, protocol, timeline, wire
from compilescope.lsp.opened import OpenRecording


def main(recording: str, out: str) -> None:
    """Ask for everything that the panels may ask for."""
    opened = OpenRecording(recording)
    converter = wire.make_converter()
    stages = graphs.stages(opened, protocol.StagesParams(recording, None))
    found = passes.passes(opened, protocol.PassesParams(recording, None))
    ids = (
        {one.snapshot for one in stages.stages}
        | {one.before for one in found.passes}
        | {one.after for one in found.passes}
    )
    snapshots = sorted(one for one in ids if one is not None)
    pairs = {
        (one.before, one.after): None
        for one in found.passes
        if one.changed and one.phase == "joint" and one.kind == "pass" and one.before and one.after
    }
    joint = [one.snapshot for one in stages.stages if one.stage == "joint" and one.snapshot]
    pairs[joint[0], joint[-1]] = None
    last = [
        one.snapshot for one in stages.stages if one.label in {"Post-grad, after passes", "Scheduler, after fusion"}
    ]
    ends = [one for one in last if one is not None][:2]
    answers = {
        "stages": stages,
        "passes": found,
        "timeline": timeline.timeline(opened, protocol.TimelineParams(recording)),
        "graphs": {one: graphs.graph(opened, protocol.GraphParams(recording, one)) for one in snapshots},
        "texts": {one: graphs.text(opened, protocol.GraphTextParams(recording, one)) for one in snapshots},
        "diffs": {
            f"{before}:{after}": graphs.difference(opened, protocol.GraphDiffParams(recording, before, after))
            for before, after in pairs
        },
        "lineages": {
            f"{end}:{name}": graphs.lineage(opened, protocol.LineageParams(recording, end, name))
            for end in ends
            for name in graphs.graph(opened, protocol.GraphParams(recording, end)).names
        },
    }
    data = json.dumps(converter.unstructure(answers), separators=(",", ":"))
    data = data.replace(str(Path.cwd()), "/home/user/project")
    Path(out).write_bytes(gzip.compress(data.encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
