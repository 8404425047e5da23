"""Compile coverage as Cobertura XML (coverage-04.dtd), which GitLab, Jenkins, Azure DevOps and others show."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from compilescope import __version__
from compilescope.report.clean import clean
from compilescope.report.covered_files import covered_files

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from compilescope.analysis.model import Result
    from compilescope.report.covered_files import CoveredFile

HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
"""


def render(result: Result, cwd: Path | None = None) -> str:
    """A package for each folder, a class for each file, a method for each function."""
    folder = cwd or Path.cwd()
    files = covered_files(result, folder)
    hits = [count for one in files for count in one.hits.values()]
    packages: dict[str, list[CoveredFile]] = {}
    for one in files:
        packages.setdefault(one.path.rpartition("/")[0].replace("/", "."), []).append(one)
    head = {
        "version": f"compilescope {__version__}",
        "timestamp": _milliseconds(result.run.started),
        **_rates(hits),
        "lines-covered": sum(count > 0 for count in hits),
        "lines-valid": len(hits),
        "branches-covered": 0,
        "branches-valid": 0,
    }
    lines = [
        f"<coverage{_attributes(head)}>",
        f"<sources><source>{escape(_text(str(folder)))}</source></sources>",
        "<packages>",
        *(line for name, own in packages.items() for line in _package(name, own)),
        "</packages>",
        "</coverage>",
    ]
    return HEAD + "".join(f"{line}\n" for line in lines)


def _package(name: str, files: list[CoveredFile]) -> Iterator[str]:
    hits = [count for one in files for count in one.hits.values()]
    yield f"<package{_attributes({'name': name or '.', **_rates(hits)})}><classes>"
    for one in files:
        file = {"name": one.path.rpartition("/")[2], "filename": one.path, **_rates(one.hits.values())}
        yield f"<class{_attributes(file)}><methods>"
        for function in one.functions:
            method = {"name": function.name, "signature": "", **_rates(function.hits.values())}
            yield f"<method{_attributes(method)}>{_lines(function.hits)}</method>"
        yield f"</methods>{_lines(one.hits)}</class>"
    yield "</classes></package>"


def _lines(hits: Mapping[int, int]) -> str:
    rows = "".join(f'<line number="{line}" hits="{count}"/>' for line, count in hits.items())
    return f"<lines>{rows}</lines>"


def _rates(hits: Collection[int]) -> dict[str, object]:
    share = sum(count > 0 for count in hits) / len(hits) if hits else 1
    return {"line-rate": f"{share:.4g}", "branch-rate": "0", "complexity": "0"}


def _attributes(values: Mapping[str, object]) -> str:
    return "".join(f" {name}={quoteattr(_text(str(value)))}" for name, value in values.items())


def _text(text: str) -> str:
    """What may stand in XML: no control characters, no halves of surrogate pairs."""
    return clean(text).encode("utf-8", "replace").decode()


def _milliseconds(started: str | None) -> int:
    try:
        return int(datetime.fromisoformat(started or "").timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return 0
