"""What changed from one run to another, for the editor."""

from __future__ import annotations

from compilescope.analysis.run_diff import compare
from compilescope.analysis.run_diff_load import side
from compilescope.lsp.shapes.runs import RunDiffParams, RunDiffResult
from compilescope.recording.mapping import PathMapping
from compilescope.recording.reader import Recording
from compilescope.report import run_diff
from compilescope.report.run_diff_rows import summary


def comparison(params: RunDiffParams, paths: PathMapping) -> RunDiffResult:
    """Compare two runs. Raises RecordingError when one can't be read.

    Both are read anew, so that nobody waits for a recording that is open meanwhile.
    """
    with Recording.open(params.before) as before, Recording.open(params.after) as after:
        before.paths = after.paths = paths
        found = compare([side(before)], [side(after)])
    return RunDiffResult(run_diff.markdown(found), summary(found))
