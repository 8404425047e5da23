"""`compilescope diff`: what changed from one run to another, or from some runs to others."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.run_diff import compare
from compilescope.analysis.run_diff_load import side
from compilescope.cli.chosen import chosen
from compilescope.cli.codes import FOUND
from compilescope.cli.output import check_output, opened_output, say
from compilescope.recording.reader import Recording
from compilescope.report import run_diff
from compilescope.report.run_diff_rows import summary
from compilescope.report.style import Style
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from compilescope.analysis.run_diff_model import RunDiff, Side

FORMATS = ("text", "json", "markdown")
CONDITIONS = ("new", "changed", "slower")
_PAIR = 2


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    diff = commands.add_parser(
        "diff",
        help="compare two runs: what was fixed, is new, moved or changed",
        usage="compilescope diff [options] BEFORE AFTER\n"
        "       compilescope diff [options] BEFORE BEFORE... --with AFTER AFTER...",
        epilog=f"exit code: 0, also where something differs; {FOUND} when something of --fail-on was found; 2 when a "
        "recording can't be read.",
        allow_abbrev=False,
    )
    diff.add_argument("--format", choices=FORMATS, default="text", help="text (default), json, or markdown")
    diff.add_argument("-o", dest="output", metavar="FILE", help="write the comparison to FILE instead of stdout")
    diff.add_argument(
        "--fail-on",
        metavar="WHAT[,WHAT]",
        type=_conditions,
        default=frozenset(),
        help=f"exit with {FOUND} if there is a new finding (new), a compiled function changed (changed), or times are "
        "slower beyond noise, for which each side needs at least four runs (slower)",
    )
    diff.add_argument("recordings", nargs="+", metavar="RECORDING", help="recordings, TORCH_TRACE logs or folders")
    diff.add_argument(
        "--with", dest="after", nargs="+", metavar="AFTER", help="the later runs, where a side has several"
    )
    diff.set_defaults(run=_run)


def _conditions(words: str) -> frozenset[str]:
    names = frozenset(filter(None, words.split(",")))
    if unknown := sorted(names - set(CONDITIONS)):
        raise argparse.ArgumentTypeError(f"no {', '.join(unknown)}; there are {', '.join(CONDITIONS)}")
    return names


def _run(options: argparse.Namespace) -> int:
    before, after = options.recordings, options.after
    if after is None:
        if len(before) != _PAIR:
            raise Problem(
                "bad-diff",
                "Two recordings are compared.",
                "Several of each: diff BEFORE BEFORE... --with AFTER AFTER...",
            )
        before, after = before[:1], before[1:]
    check_output(options.output)
    found = compare([_side(path) for path in before], [_side(path) for path in after])
    with opened_output(options.output) as stream:
        if options.format == "text":
            stream.write(run_diff.text(found, Style.of(stream, Path.cwd())))
        else:
            stream.write({"json": run_diff.to_json, "markdown": run_diff.markdown}[options.format](found))
    if options.format != "text" or options.output is not None:
        say(summary(found))
    return FOUND if options.fail_on & _holding(found) else 0


def _side(path: str) -> Side:
    with Recording.open(chosen(Path(path), "diff")) as opened:
        return side(opened)


def _holding(diff: RunDiff) -> set[str]:
    """The conditions that hold."""
    times = [*diff.times, *(one.time for one in diff.functions if one.time is not None)]
    holds = {
        "new": any(one.state == "new" for one in diff.findings),
        "changed": any(one.changed for one in diff.functions),
        "slower": any(one.verdict == "slower" for one in times),
    }
    return {name for name, does in holds.items() if does}
