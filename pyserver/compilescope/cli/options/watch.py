"""`compilescope watch`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from compilescope.cli.options.formats import add_mapping

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Register the command."""
    watch = commands.add_parser(
        "watch", help="follow the logs of a job that runs (TORCH_TRACE=DIR), until Ctrl+C", allow_abbrev=False
    )
    watch.add_argument("--once", action="store_true", help="show what there is now, and end")
    watch.add_argument("--for", dest="for_s", metavar="S", type=float, help="end after S seconds")
    watch.add_argument("folder", metavar="DIR", help="a folder that a job writes to, now or later; or one log")
    add_mapping(watch)
    watch.set_defaults(command="watch")
