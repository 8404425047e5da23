"""The `compilescope` command: reads the command line and hands it to the module of the command that it names."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING

from compilescope import __version__
from compilescope.cli.codes import FAILED, INTERRUPTED
from compilescope.cli.options import diff, lsp, pack, search, show, trace, watch
from compilescope.cli.parser import Parser
from compilescope.cli.streams import hold_standard_streams, say
from compilescope.cli.words import joined
from compilescope.recording.error import RecordingError
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (trace, show, search, diff, watch, pack, lsp)
WAYS_OUT = {
    "no-torch": "Install torch there, or name another interpreter with --python.",
    "bad-interpreter": "Name another interpreter with --python.",
    "old-python": "Name another interpreter with --python.",
    "no-folder": "Choose a place with --record.",
    "no-inputs": "Give them with --inputs.",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    try:
        hold_standard_streams()
        options = _parser().parse_args(joined(sys.argv[1:] if arguments is None else arguments))
        code: int = import_module(f"compilescope.cli.{options.command}").run(options)
    except Problem as problem:
        say(_words(problem))
    except RecordingError as error:
        say(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except PermissionError as error:
        say(f"{error.filename or 'A file'}: {error.strerror or 'permission denied'}.")
    except Exception as error:  # noqa: BLE001 - one clear message for whatever it is
        if os.environ.get("COMPILESCOPE_DEBUG"):
            traceback.print_exc()
        say(f"internal error: {type(error).__name__}: {error} (COMPILESCOPE_DEBUG=1 shows where)")
    else:
        return code
    return FAILED


def _words(problem: Problem) -> str:
    """The problem with the options that lead out of it."""
    gap = "\n" if "\n" in problem.detail else " "
    return gap.join(filter(None, [str(problem), WAYS_OUT.get(problem.code)]))


def _parser() -> Parser:
    parser = Parser(prog="compilescope", description="See what torch.compile does to your program.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
