"""`compilescope pack`: one file that holds a recording, to hand on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.cli.chosen import chosen
from compilescope.cli.streams import say
from compilescope.recording.error import RecordingError
from compilescope.recording.pack import pack
from compilescope.recording.unpack import SUFFIX

if TYPE_CHECKING:
    from argparse import Namespace

_KILO = 1024


def run(options: Namespace) -> int:
    """Raises RecordingError for what is no recording, and where the file can't be written."""
    recording = chosen(Path(options.recording), "pack")
    name = (recording if isinstance(recording, Path) else recording[0].parent).absolute().name or "recording"
    file = Path(options.output or f"{name.partition('.')[0] or name}{SUFFIX}")
    try:
        packed = pack(recording, file)
    except OSError as error:
        raise RecordingError(f"{file} can't be written: {error.strerror or error}.") from error
    say(f"{file}: {_size(packed.file)}, of {_size(packed.logs)} of logs. It holds source text and paths.")
    return 0


def _size(count: int) -> str:
    return f"{count} bytes" if count < _KILO else f"{count / _KILO:,.0f} KiB"
