"""A parser of the command line that says in one sentence what is wrong, and where all options are listed."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from compilescope.cli.codes import FAILED
from compilescope.cli.streams import say


class Parser(argparse.ArgumentParser):
    """As argparse's, without the usage of many lines before the one that matters."""

    def error(self, message: str) -> NoReturn:
        """Say `message` and end."""
        message = message.removeprefix("argument ").rstrip(".")
        say(f"{message[:1].upper()}{message[1:]}. See: {self.prog} --help")
        sys.exit(FAILED)
