"""`compilescope show --events`: what a recording holds, also what nothing else of ours reads."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from compilescope.analysis.events import counts, entries, of
from compilescope.cli.output import Format
from compilescope.cli.streams import opened_output, say
from compilescope.recording.reader import Recording
from compilescope.report.events import listed, table
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from compilescope.recording.reader import Source


def events(recording: Source, names: list[str], compile_id: str | None, format_: Format, file: str | None) -> None:
    """Write how many events of each name there are; of `names`, or of a compile, each event, of `names` with payloads.

    Raises Problem when there is none of a name, or none of the compile.
    """
    compile_id = None if compile_id is None else compile_id.strip("[]")
    with Recording.open(recording) as opened:
        found = counts(opened, compile_id)
        known = {one.name for one in found}
        if compile_id is not None and not known:
            raise Problem(
                "no-events", f"No event of a compile {compile_id} is recorded.", "Ids are like 0/0, rank1:0/0."
            )
        if unknown := sorted(set(names) - known):
            raise Problem("no-events", f"No event {', '.join(unknown)} is recorded.", "--events lists all names.")
        ranks = sorted({one.rank for one in of(opened, compile_id) if one.rank is not None}) if compile_id else []
        if len(ranks) > 1:
            ids = f"rank{ranks[0]}:{compile_id} is that of one alone"
            say(f"{compile_id} is a compile of ranks {', '.join(map(str, ranks))}; {ids}")
        shown = entries(opened, tuple(names), compile_id, payloads=bool(names)) if names or compile_id else ()
        with opened_output(file) as output:
            if format_ == "json":
                whole = {"counts": [asdict(one) for one in found], "events": [asdict(one) for one in shown]}
                whole["damage"] = [
                    {"file": one.log, "offset": one.offset, "problem": one.problem} for one in opened.damage
                ]
                json.dump(whole, output, indent=1)
                output.write("\n")
                return
            if not names:
                output.writelines(f"{line}\n" for line in table(found))
            output.writelines(f"{line}\n" for line in listed(shown))
            output.writelines(f"damaged: {one.log}:{one.offset}: {one.problem}\n" for one in opened.damage)
