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
        description="Put a recording into one small file, which `compilescope show` and the editor open. It holds all "
        "that the recording does (source text, paths, what the program was called with) but what --redact names.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="the file to write (default: here, by its name, *.compilescope)"
    )
    parser.add_argument(
        "--redact",
        metavar="KINDS",
        action="append",
        default=[],
        help="leave something out, several with commas between: source (source text), paths (folders, users and "
        "machines), names (names of files too, not of functions: see --hide), payloads (of all events), all",
    )
    parser.add_argument(
        "--hide",
        metavar="TEXT",
        action="append",
        default=[],
        help="leave a text out wherever it stands, in any case (repeatable)",
    )
    parser.add_argument("recording", metavar="RECORDING", help="a recording, a TORCH_TRACE log (also .gz) or a folder")
    parser.set_defaults(command="pack")
