"""What the server writes to stderr: one line for what a client got wrong, a traceback only for a failure of ours."""

from __future__ import annotations

import json
import logging
import sys

from pygls.exceptions import JsonRpcException

UNREADABLE = "Unable to deserialize message"
CLIENTS = (JsonRpcException, json.JSONDecodeError)


def start(level: str) -> None:
    """Write what is logged from `level` on to stderr."""
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(_one_line)


def _one_line(record: logging.LogRecord) -> bool:
    """Shorten what pygls logs with a traceback although a client's request or a refusal of ours is the cause."""
    if record.exc_info and isinstance(record.exc_info[1], CLIENTS):
        record.msg, record.args = f"refused: {record.exc_info[1]}", ()
        record.exc_info = record.exc_text = None
    elif record.msg.startswith(UNREADABLE):
        record.msg, record.args = f"{UNREADABLE}: {sys.exc_info()[1]}", ()
    return True
