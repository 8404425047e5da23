"""`compilescope show --extract DIR`: the payloads of a recording as files, a folder for each compile."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.analyse import context_of
from compilescope.cli.streams import say, why
from compilescope.recording.reader import Recording
from compilescope.report.counted import counted
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from compilescope.recording.mapping import PathMapping
    from compilescope.recording.reader import Event, Source

INDEX = "index.json"
_LEFT_OUT = ("chromium_event", "str")
_UNSAFE = re.compile(r"[^\w.+-]+")
_LONGEST = 120


def extract(recording: Source, folder: str, paths: PathMapping) -> None:
    """Write the payloads below `folder`, numbered as they were written, and a list of them (`index.json`).

    Spans are left out: `--perfetto` has them. Raises Problem when the folder is not empty or can't be written to.
    """
    root = Path(folder)
    index = []
    with Recording.open(recording) as opened:
        opened.paths = paths
        context = context_of(opened)
        try:
            root.mkdir(parents=True, exist_ok=True)
            if any(root.iterdir()):
                raise Problem("bad-output", f"{folder} is not empty.", "Name a new folder.")
            for event in opened.events():
                if event.name in _LEFT_OUT or not event.has_payload:
                    continue
                compile_id = context.name(context.compiles.where(event)) if event.compile_id else None
                file = Path(_safe(compile_id or "no compile"), f"{event.id:06}_{_safe(event.name)}{_ending(event)}")
                (root / file).parent.mkdir(exist_ok=True)
                (root / file).write_text(opened.payload(event), encoding="utf-8", errors="backslashreplace")
                attempt = (event.compile_id or "").partition("_")[2] or None
                about = {"event": event.name, "compile_id": compile_id, "attempt": attempt, "rank": event.rank}
                index.append({"file": file.as_posix(), **about})
            (root / INDEX).write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise Problem("bad-output", f"Can't write to {folder}: {why(error, folder)}.") from error
    say(f"{counted(len(index), 'file')} in {folder}, listed in {INDEX}")


def _safe(name: str) -> str:
    """A name for a file or folder: `0/1` is `0_1`."""
    return _UNSAFE.sub("_", name).strip(".")[:_LONGEST] or "_"


def _ending(event: Event) -> str:
    if event.name in {"inductor_output_code", "fx_graph_runnable"}:
        return ".py"
    return ".json" if event.fields.get("encoding") == "json" else ".txt"
