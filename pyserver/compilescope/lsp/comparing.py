"""What changed from one run to another, for the editor."""

from __future__ import annotations

from pathlib import Path

from compilescope.analysis.run_diff import compare
from compilescope.analysis.run_diff_load import side
from compilescope.lsp.shapes.runs import RunDiffParams, RunDiffResult
from compilescope.recording import address
from compilescope.recording.mapping import PathMapping
from compilescope.recording.reader import Recording
from compilescope.report import run_diff
from compilescope.report.run_diff_rows import summary


def comparison(params: RunDiffParams, paths: PathMapping) -> RunDiffResult:
    """Compare two runs. Raises RecordingError when one can't be read.

    Both are read anew, so that nobody waits for a recording that is open meanwhile.
    """
    with _opened(params.before) as before, _opened(params.after) as after:
        before.paths = after.paths = paths
        sides = [side(before), side(after)]
        for one, path in zip(sides, (params.before, params.after), strict=True):
            one.result.run.recording = path
        found = compare(sides[:1], sides[1:])
    return RunDiffResult(run_diff.markdown(found), summary(found))


def _opened(path: str) -> Recording:
    return Recording.open(address.source(address.current(Path(path))))
