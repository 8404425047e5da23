"""`compilescope diff`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from compilescope.cli.codes import FOUND
from compilescope.cli.options.formats import add_mapping

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[argparse.ArgumentParser]

FORMATS = ("text", "json", "markdown")
CONDITIONS = ("new", "changed", "slower")


def add(commands: Commands) -> None:
    """Register the command."""
    diff = commands.add_parser(
        "diff",
        help="compare two runs: what was fixed, is new, moved or changed",
        usage="compilescope diff [options] BEFORE AFTER\n"
        "       compilescope diff [options] BEFORE BEFORE... --with AFTER AFTER...\n"
        "       compilescope diff [options] FOLDER",
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
    diff.add_argument(
        "recordings",
        nargs="+",
        metavar="RECORDING",
        help="recordings, packs, TORCH_TRACE logs or folders; of a folder with the logs of several jobs FOLDER#N "
        "is the Nth (default: the newest), and one FOLDER alone stands for the last two in it",
    )
    diff.add_argument(
        "--with", dest="after", nargs="+", metavar="AFTER", help="the later runs, where a side has several"
    )
    add_mapping(diff)
    diff.set_defaults(command="diff")


def _conditions(words: str) -> frozenset[str]:
    names = frozenset(filter(None, words.split(",")))
    if unknown := sorted(names - set(CONDITIONS)):
        raise argparse.ArgumentTypeError(f"no {', '.join(unknown)}; there are {', '.join(CONDITIONS)}")
    return names
