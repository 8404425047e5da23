"""Compile coverage as an LCOV tracefile (geninfo(1)), which editors and coverage services show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.report.covered_files import covered_files

if TYPE_CHECKING:
    from compilescope.analysis.model import Result
    from compilescope.report.covered_files import CoveredFile


def render(result: Result, cwd: Path | None = None) -> str:
    """Every file with functions in graphs as one record; an empty text when there is none."""
    return "".join(_record(one) for one in covered_files(result, cwd or Path.cwd()))


def _record(file: CoveredFile) -> str:
    hits = file.hits
    lines = [
        "TN:compilescope",
        f"SF:{_one_line(file.path)}",
        *(f"FN:{one.line},{_one_line(one.name)}" for one in file.functions),
        *(f"FNDA:{one.calls},{_one_line(one.name)}" for one in file.functions),
        f"FNF:{len(file.functions)}",
        f"FNH:{sum(one.calls > 0 for one in file.functions)}",
        *(f"DA:{line},{count}" for line, count in hits.items()),
        f"LF:{len(hits)}",
        f"LH:{sum(count > 0 for count in hits.values())}",
        "end_of_record",
    ]
    return "".join(f"{line}\n" for line in lines)


def _one_line(text: str) -> str:
    return clean(text).replace("\n", " ")
