"""`compilescope search`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from compilescope.cli.options.formats import add_mapping

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[argparse.ArgumentParser]

KINDS = ("finding", "function", "guard", "kernel", "node", "pass", "source", "event", "file", "text")
"""As in `analysis/search/model.py`, which takes longer to load."""
LIMIT = 1000


def add(commands: Commands) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "search",
        help="find a text anywhere in a recording: operator, kernel, guard, shape, file, event",
        description="Find a text anywhere in a recording, in this order: " + ", ".join(KINDS) + ".",
        epilog="exit code: 0 when something was found, 1 when nothing was, 2 when the search could not be made or "
        "not be finished",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--kind",
        metavar="KIND[,KIND]",
        type=_kinds,
        action="extend",
        default=[],
        help="only in these: " + ", ".join(KINDS),
    )
    parser.add_argument("--regex", action="store_true", help="TEXT is a regular expression (Python's)")
    parser.add_argument("--case", action="store_true", help="upper and lower case letters differ")
    parser.add_argument(
        "--limit", metavar="N", type=_number, default=LIMIT, help=f"stop after N hits (default {LIMIT}; 0: never)"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="text (default), or json: one object a line"
    )
    add_mapping(parser)
    parser.add_argument(
        "recording",
        metavar="RECORDING",
        nargs="?",
        help="a recording, a pack of one, a TORCH_TRACE log (also .gz, .zst) or a folder (default: the newest in "
        ".compilescope/)",
    )
    parser.add_argument("text", metavar="TEXT", help="what to look for, in one line; one that starts with - after --")
    parser.set_defaults(command="search")


def _kinds(text: str) -> list[str]:
    names = [one for one in text.split(",") if one]
    if unknown := [one for one in names if one not in KINDS]:
        raise argparse.ArgumentTypeError(f"no kind {', '.join(unknown)}; kinds are {', '.join(KINDS)}")
    return names


def _number(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError
    return value


_number.__name__ = "number of hits"
