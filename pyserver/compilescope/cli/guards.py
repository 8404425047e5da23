"""`compilescope show --guards ID`: what one compile is checked for at each call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.analyse import context_of
from compilescope.analysis.guards import trees
from compilescope.analysis.guards_to_json import guard_tree
from compilescope.cli.output import Format
from compilescope.cli.streams import opened_output
from compilescope.recording.reader import Recording
from compilescope.report.guards import render
from compilescope.report.style import Style
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from compilescope.analysis.guards import GuardTree
    from compilescope.recording.mapping import PathMapping
    from compilescope.recording.reader import Source


def guards(recording: Source, compile_id: str, format_: Format, file: str | None, paths: PathMapping) -> None:
    """Write the guard trees of `compile_id` to `file`, or to stdout. Raises Problem when there are none."""
    compile_id = compile_id.strip("[]")
    found = _trees(recording, compile_id, paths)
    if not found:
        raise Problem(
            "no-guards", f"No guards of a compile {compile_id} are recorded.", "Ids are like 0/0 or rank1:0/0."
        )
    with opened_output(file) as output:
        if format_ == "json":
            output.write(json.dumps([guard_tree(one) for one in found], indent=1) + "\n")
        else:
            output.write(render(found, Style.of(output, Path.cwd())))


def _trees(recording: Source, compile_id: str, paths: PathMapping) -> list[GuardTree]:
    """The trees of the compile as reports name it, `rank1:0/0`, also of the first; of `0/0` those of every process."""
    process, _, id_ = compile_id.rpartition(":")
    with Recording.open(recording) as opened:
        opened.paths = paths
        context = context_of(opened)
        found = list(trees(opened, context, id_))
    names = {compile_id} | {
        f"{context.prefix(one.number)}{id_}"
        for one in context.facts.processes.values()
        if process in {f"rank{one.rank}", f"pid{one.pid}"}
    }
    return [one for one in found if one.compile_id in names] or ([] if ":" in compile_id else found)
