"""`compilescope search`: hits as they are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.search import KINDS, BadPattern, Ended, Hit, Known, Query, grouped, to_json
from compilescope.cli.chosen import chosen
from compilescope.cli.codes import FAILED
from compilescope.cli.mapping import mapping
from compilescope.cli.streams import opened_output, say
from compilescope.recording.reader import Recording
from compilescope.report.search import Report, shown
from compilescope.report.style import Style
from compilescope.runner.folder import PARENT
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator
    from typing import TextIO

NOTHING = 1
"""Exit code when nothing was found, as of grep(1)."""


def run(options: Namespace) -> int:
    """Write the hits and return the exit code. Raises RecordingError and Problem."""
    own = Path(PARENT)
    path = Path(options.recording) if options.recording else own if own.is_dir() else None
    query = Query(options.text, options.regex, options.case, options.kind or KINDS, options.limit)
    end, hits = Ended(0), 0
    with Recording.open(chosen(path, "search")) as recording, opened_output(None) as output:
        recording.paths = mapping(options)
        write = _lines(output) if options.format == "json" else Report(Style.of(output, Path.cwd()), output.write).add
        for found in _found(recording, query):
            if isinstance(found, Ended):
                end = found
            else:
                hits += 1  # also where nobody reads on: `| head`
            write(found)
            output.flush()
    if end.left_out:
        say(f"{shown(end)}; --limit N shows more, --kind less")
    if end.stopped == "too-slow":
        say(f"stopped in {end.at}: the regular expression takes too long on one text; make it simpler")
        return FAILED
    return 0 if hits else NOTHING


def _found(recording: Recording, query: Query) -> Iterator[Hit | Ended]:
    try:
        yield from grouped(Known(recording), query)
    except BadPattern as error:
        raise Problem("bad-pattern", str(error)) from error


def _lines(output: TextIO) -> Callable[[Hit | Ended], None]:
    def write(found: Hit | Ended) -> None:
        value = to_json.ended(found) if isinstance(found, Ended) else to_json.hit(found)
        output.write(json.dumps(value, ensure_ascii=False) + "\n")

    return write
