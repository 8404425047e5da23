"""The process that reads pieces of a large log for another one, see `pieces`.

It reads one piece a line from stdin, `START END FILE`, and writes what `stretches` gives for it to FILE, marshalled. On
stdout it says how many bytes each stretch takes there, and `0` after the last one of a piece. It ends with its stdin.
"""

from __future__ import annotations

import marshal
import os
import queue
import sys
import threading

from compilescope.recording.log import stretches


def main(log: str) -> None:
    """Read pieces of `log` until stdin ends."""
    pieces: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pieces,), daemon=True).start()
    with open(log, "rb") as stream:  # noqa: PTH123 - pathlib takes longer to import than some pieces to read
        while True:
            start, end, file = pieces.get()
            with open(file, "wb", buffering=0) as out:  # noqa: PTH123
                for records, damage, _ in stretches(stream, int(start), int(end)):
                    _say(out.write(marshal.dumps((list(map(tuple, records)), list(map(tuple, damage))))))
            _say(0)


def _listen(pieces: queue.SimpleQueue[list[str]]) -> None:
    for line in sys.stdin:
        pieces.put(line.rstrip("\n").split(" ", 2))
    os._exit(0)


def _say(length: int) -> None:
    sys.stdout.write(f"{length}\n")
    sys.stdout.flush()
