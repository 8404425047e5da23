"""The process that reads pieces of a large log for another one, see `pieces`.

It reads one piece a line from stdin, `[START, END, LOG, FILE]`, and writes what `stretches` gives for it to FILE,
marshalled. On stdout it says how many bytes each stretch takes there, and `0` after the last one of a piece. It ends
with its stdin.
"""

from __future__ import annotations

import json
import marshal
import os
import queue
import sys
import threading

from compilescope.recording.log import stretches


def main() -> None:
    """Read pieces until stdin ends."""
    pieces: queue.SimpleQueue[tuple[int, int, str, str]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pieces,), daemon=True).start()
    while True:
        start, end, log, file = pieces.get()
        with open(log, "rb") as stream, open(file, "wb", buffering=0) as out:  # noqa: PTH123 - pathlib is slow to import
            for records, damage, _ in stretches(stream, start, end):
                _say(out.write(marshal.dumps((list(map(tuple, records)), list(map(tuple, damage))))))
        _say(0)


def _listen(pieces: queue.SimpleQueue[tuple[int, int, str, str]]) -> None:
    for line in sys.stdin:
        start, end, log, file = json.loads(line)
        pieces.put((start, end, log, file))
    os._exit(0)


def _say(length: int) -> None:
    sys.stdout.write(f"{length}\n")
    sys.stdout.flush()
