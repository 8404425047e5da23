"""`compilescope show --stacks`: where in the program each compile started."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis import analyse
from compilescope.analysis.analyse import context_of
from compilescope.analysis.stack_trie import compile_stacks, other_stacks
from compilescope.cli.output import Format
from compilescope.cli.streams import opened_output
from compilescope.recording.reader import Recording
from compilescope.report.stacks import as_json, tree
from compilescope.report.style import Style
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from compilescope.recording.mapping import PathMapping
    from compilescope.recording.reader import Source


def stacks(recording: Source, format_: Format, file: str | None, paths: PathMapping) -> None:
    """Write the stacks of all compiles, as a tree or as JSON. Raises Problem when the recording has none."""
    with Recording.open(recording) as opened:
        opened.paths = paths
        found = compile_stacks(opened, context_of(opened), analyse(opened))
        others = other_stacks(opened)
    if not found and not others:
        raise Problem("no-stacks", "No stack is recorded: nothing was compiled or exported.", "")
    with opened_output(file) as output:
        if format_ == "json":
            output.write(json.dumps(as_json(found, others), indent=1) + "\n")
        else:
            output.writelines(f"{line}\n" for line in tree(found, others, Style.of(output, Path.cwd())))
