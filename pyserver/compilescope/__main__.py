"""`python -m compilescope`."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Run the command. An interrupt while it is being loaded ends the process without a word."""
    undisturbed = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if undisturbed:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from compilescope.cli.main import main as command  # noqa: PLC0415 - this is what takes its time

    if undisturbed:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return command()


if __name__ == "__main__":
    sys.exit(main())
