"""`compilescope pack`: one file that holds a recording, to hand on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.cli.chosen import chosen
from compilescope.cli.streams import say, why
from compilescope.recording.error import RecordingError
from compilescope.recording.pack import pack
from compilescope.recording.redact.redaction import Redaction, UnknownKind
from compilescope.recording.unpack import SUFFIX
from compilescope.report.counted import size
from compilescope.report.left_out import still, told

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """Raises RecordingError for what is no recording, what can't be left out, and where the file can't be written."""
    try:
        redaction = Redaction.of(options.redact, options.hide)
    except UnknownKind as error:
        raise RecordingError(str(error)) from error
    recording = chosen(Path(options.recording), "pack")
    name = (recording if isinstance(recording, Path) else recording[0].parent).absolute().name or "recording"
    file = Path(options.output or f"{name.partition('.')[0] or name}{SUFFIX}")
    try:
        packed = pack(recording, file, redaction=redaction)
    except OSError as error:
        raise RecordingError(f"{file} can't be written: {why(error, file)}.") from error
    say(f"{file}: {size(packed.file)}, of {size(packed.logs)} of logs.")
    if packed.left_out is not None:
        say(f"left out: {told(redaction, packed.left_out)}.")
    say(f"in it: {still(packed.kinds, packed.left_out, arguments=packed.arguments)}.")
    return 0
