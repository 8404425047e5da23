"""`compilescope pack`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "pack",
        help="put a recording into one small file",
        description="Put a recording into one small file, which `compilescope show` opens. It holds all that the "
        "recording does: source text, paths and what the program was called with. Nothing is left out.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="the file to write (default: here, by its name, *.compilescope)"
    )
    parser.add_argument("recording", metavar="RECORDING", help="a recording, a TORCH_TRACE log (also .gz) or a folder")
    parser.set_defaults(command="pack")
