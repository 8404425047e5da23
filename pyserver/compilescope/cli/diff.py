"""`compilescope diff`: what changed from one run to another, or from some runs to others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.run_diff import compare
from compilescope.analysis.run_diff_load import side
from compilescope.cli.chosen import chosen
from compilescope.cli.codes import FOUND
from compilescope.cli.mapping import mapping
from compilescope.cli.streams import check_output, opened_output, say
from compilescope.recording.address import addressed, of
from compilescope.recording.newest import recordings
from compilescope.recording.reader import Recording
from compilescope.report import run_diff
from compilescope.report.run_diff_rows import summary
from compilescope.report.style import Style
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from argparse import Namespace

    from compilescope.analysis.run_diff_model import RunDiff, Side
    from compilescope.recording.mapping import PathMapping

_PAIR = 2


def run(options: Namespace) -> int:
    """Compare and write it; return 3 when something of --fail-on was found. Raises Problem or RecordingError."""
    before, after = options.recordings, options.after
    if after is None:
        if len(set(before)) == 1:  # one that is named twice is compared with itself, if nothing else can be meant
            last = _last_two(Path(before[0]))
            before = last if len(last) == _PAIR else before
        if len(before) != _PAIR:
            raise Problem(
                "bad-diff",
                "Two recordings are compared, or the last two in a folder.",
                "Several of each: diff BEFORE BEFORE... --with AFTER AFTER...",
            )
        before, after = before[:1], before[1:]
    check_output(options.output)
    paths = mapping(options)
    listed: set[Path] = set()
    found = compare([_side(path, paths, listed) for path in before], [_side(path, paths, listed) for path in after])
    with opened_output(options.output) as stream:
        if options.format == "text":
            stream.write(run_diff.text(found, Style.of(stream, Path.cwd())))
        else:
            stream.write({"json": run_diff.to_json, "markdown": run_diff.markdown}[options.format](found))
    if options.format != "text" or options.output is not None:
        say(summary(found))
    return FOUND if options.fail_on & _holding(found) else 0


def _last_two(folder: Path) -> list[str]:
    """Return the last two jobs or recordings of a folder; the folder alone where it holds no two."""
    if several := addressed(folder.absolute()):
        return [f"{folder}#{number}" for number in (len(several) - 1, len(several))]
    found = recordings(folder)
    return [str(one) for one in found[-_PAIR:]] if len(found) >= _PAIR else [str(folder)]


def _side(path: str, paths: PathMapping, listed: set[Path]) -> Side:
    source = chosen(Path(path), "diff", listed=listed)
    with Recording.open(source) as opened:
        opened.paths = paths
        found = side(opened)
    if not isinstance(source, Path):
        found.result.run.recording = str(of(opened.path, source[0].absolute()))
    return found


def _holding(diff: RunDiff) -> set[str]:
    """The conditions that hold."""
    times = [*diff.times, *(one.time for one in diff.functions if one.time is not None)]
    holds = {
        "new": any(one.state == "new" for one in diff.findings),
        "changed": any(one.changed for one in diff.functions),
        "slower": any(one.verdict == "slower" for one in times),
    }
    return {name for name, does in holds.items() if does}
