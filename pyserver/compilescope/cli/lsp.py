"""`compilescope lsp`: the language server on stdin and stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.lsp.server import main

if TYPE_CHECKING:
    from argparse import Namespace


def run(_options: Namespace) -> int:
    """Serve until the client ends it; return the exit code."""
    return int(main() or 0)
