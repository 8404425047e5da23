"""`compilescope show`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from compilescope.cli.options.formats import add_mapping, add_output, add_preview

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Register the command."""
    show = commands.add_parser("show", help="show a recording, or any TORCH_TRACE log", allow_abbrev=False)
    add_output(show)
    add_preview(show)
    add_mapping(show)
    show.add_argument("--guards", metavar="ID", help="show instead what the compile ID (0/1) is checked for, as a tree")
    show.add_argument("--logs", action="store_true", help="show instead what torch logged, if trace --logs recorded it")
    show.add_argument(
        "--log-component", metavar="NAME", action="append", default=[], help="of a component or artifact only (--logs)"
    )
    show.add_argument("--log-level", metavar="LEVEL", type=_level, help="from this level on only (--logs)")
    show.add_argument(
        "--perfetto",
        action="store_true",
        help="show instead the timeline, as a trace for ui.perfetto.dev (with -o FILE)",
    )
    show.add_argument("--events", action="store_true", help="show instead how many events of each name it holds")
    show.add_argument(
        "--event", metavar="NAME", action="append", default=[], help="show instead all events of a name with payloads"
    )
    show.add_argument(
        "--stacks", action="store_true", help="show instead where compiles started, as one tree of stacks"
    )
    show.add_argument(
        "--extract", metavar="DIR", help="write instead every payload (graphs, code, …) as a file below DIR, by compile"
    )
    show.add_argument("--compile", metavar="ID", help="events of the compile ID (0/1, rank1:0/1) only")
    show.add_argument(
        "--job", metavar="N", type=int, help="of a folder with the logs of several jobs the Nth (default: the newest)"
    )
    show.add_argument(
        "recording",
        metavar="RECORDING",
        nargs="+",
        help="a recording, a pack of one, a TORCH_TRACE log (also .gz, .zst) or a folder; several logs are one",
    )
    show.set_defaults(command="show")


def _level(text: str) -> str:
    from compilescope.analysis.logs import LEVELS  # noqa: PLC0415 - takes its time, and few ask for it

    if text.upper() not in LEVELS:
        raise argparse.ArgumentTypeError(f"no level {text!r}; levels are {', '.join(LEVELS)}")
    return text.upper()
