"""`compilescope lsp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Register the command."""
    server = commands.add_parser("lsp", help="start the language server on stdin and stdout", allow_abbrev=False)
    server.set_defaults(command="lsp")
