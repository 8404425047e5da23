"""The server's beginning and end: it ends with its client, however that ends, and takes along what it started."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from threading import Event
from typing import BinaryIO

from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer

from compilescope.recording.alive import is_alive

WATCH_EVERY_S = 0.5
SWITCH_S = 0.0005

logger = logging.getLogger(__name__)


class Lifecycle:
    """Ends the process once, after `cleanup`, whoever asks first."""

    def __init__(self, cleanup: Callable[[], None]) -> None:
        self._cleanup = cleanup
        self._lock = threading.Lock()

    def end(self, code: int) -> None:
        """Clean up and leave the process at once; does not return. Callable from any thread."""
        with self._lock:
            try:
                self._cleanup()
            except Exception:
                logger.exception("cleaning up failed")
            finally:
                os._exit(code)

    def watch(self, pid: int) -> None:
        """End when process `pid`, the client, is gone: it may have left our stdin open to somebody else.

        A pid that nobody has here is one of another machine or container, and is not watched.
        """
        if is_alive(pid):
            threading.Thread(target=self._watch, args=(pid,), name="compilescope-parent-watch", daemon=True).start()

    def _watch(self, pid: int) -> None:
        while is_alive(pid):
            time.sleep(WATCH_EVERY_S)
        self.end(1)


def serve(server: LanguageServer, lifecycle: Lifecycle) -> None:
    """Speak LSP over stdin and stdout until the client closes them; does not return."""
    stdin, stdout = _private_streams()
    # Analysis runs in threads: a handler must not wait 5 ms for each turn.
    sys.setswitchinterval(SWITCH_S)
    gc.freeze()  # what was imported stays: no collection needs to walk through it
    asyncio.run(_speak(server, stdin, stdout, lifecycle))


async def _speak(server: LanguageServer, stdin: BinaryIO, stdout: BinaryIO, lifecycle: Lifecycle) -> None:
    """Ends the process itself: a run that still goes on must not hold it up."""
    code = 1
    try:
        reader = await _pipe_reader(stdin, stdout) or StdinAsyncReader(stdin, server.thread_pool)
        server.protocol.set_writer(StdoutWriter(stdout))
        await run_async(
            stop_event=Event(),
            reader=reader,
            protocol=server.protocol,
            logger=logging.getLogger("pygls"),
            error_handler=server.report_server_error,
        )
        code = 0
    except (BrokenPipeError, ConnectionResetError, asyncio.IncompleteReadError):
        logger.info("the client is gone")
    except Exception:
        logger.exception("the server failed")
    finally:
        lifecycle.end(code)


async def _pipe_reader(stdin: BinaryIO, stdout: BinaryIO) -> asyncio.StreamReader | None:
    """A reader on the loop itself, which answers sooner than one in a thread; null where stdin can't be polled."""
    if sys.platform == "win32":
        return None
    kind, other = os.fstat(stdin.fileno()), os.fstat(stdout.fileno())
    shared = (kind.st_dev, kind.st_ino) == (other.st_dev, other.st_ino)  # then writing would stop blocking too
    if shared or not (stat.S_ISFIFO(kind.st_mode) or stat.S_ISSOCK(kind.st_mode)):
        return None
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
    return reader


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our own stdin and stdout; what else reads or prints in this process, or in one it starts, gets neither."""
    stdin = os.fdopen(os.dup(0), "rb")
    stdout = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return stdin, stdout
