"""What the server writes to stderr: one line for what a client got wrong, a traceback only for a failure of ours."""

from __future__ import annotations

import logging
import sys

from pygls.exceptions import JsonRpcException

UNREADABLE = "Unable to deserialize message"


def start(level: str) -> None:
    """Write what is logged from `level` on to stderr."""
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(_one_line)


def _one_line(record: logging.LogRecord) -> bool:
    """Shorten what pygls logs with a traceback although a client's request or a refusal of ours is the cause."""
    error = record.exc_info[1] if record.exc_info else None
    text = record.getMessage()
    if isinstance(error, JsonRpcException):
        record.msg, record.args = f"refused: {error}", ()
        record.exc_info = record.exc_text = None
    elif text.startswith(UNREADABLE):
        record.msg, record.args = f"{UNREADABLE}: {text.splitlines()[-1].strip()}", ()
    return True
