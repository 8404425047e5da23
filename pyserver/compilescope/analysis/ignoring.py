"""Findings that the program says to ignore: `# compilescope: ignore[GB0170]` on the finding's line.

In the brackets are codes, rules and ids as the report prints them (`GB0170`, `graph-break`, `graph-break/GB0170`), with
commas between them. Without brackets the comment stands for every finding of the line. It counts on each line of a
finding's range: on the last one it is always free. What looks like it inside of a string is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, get_args

from compilescope.analysis.exports_model import IssueKind
from compilescope.analysis.model import Rule, UnknownIgnore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from compilescope.analysis.model import Finding, Range
    from compilescope.analysis.sources import Sources

MARK = re.compile(r"#\s*compilescope:\s*ignore(?:\[(?P<codes>[^\]\n]*)\]|(?![\w\[-]))")
_MOST_LINES = 200
_RULES: frozenset[str] = frozenset(get_args(Rule))
_OWN_CODES: frozenset[str] = frozenset(get_args(IssueKind))
# A string, or a comment. A string of one line that is not closed ends with the line, as for Python's own tokenizer.
_TOKEN = re.compile(
    r"""(?P<triple>'{3}|"{3})(?:\\.|.)*?(?:(?P=triple)|\Z)"""
    r"""|(?P<quote>['"])(?:\\.|(?!(?P=quote))[^\\\n])*(?:(?P=quote)|$|\Z)"""
    r"""|(?P<comment>\#[^\n]*)""",
    re.DOTALL | re.MULTILINE,
)
# What a code can be: one of torch's numbers, or the name of an exception.
_CODE = re.compile(r"gb\d+|[A-Z]\w*", re.ASCII)


class Mark(NamedTuple):
    """A comment that says to ignore. `names`: None for all; `end`: where in the line another name can be added."""

    names: tuple[str, ...] | None
    end: int

    def means(self, finding: Finding) -> bool:
        """Whether it stands for this finding."""
        code = finding.code.lower()
        known = {code, finding.rule, f"{finding.rule}/{code}"}
        return self.names is None or any(name.lower() in known for name in self.names)


class Marks:
    """The comments of a text, of these lines, that say to ignore."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._found: dict[int, list[Mark]] | None = None

    def on(self, row: int) -> list[Mark]:
        """Return those of a line, counted from 0."""
        return self.all().get(row, [])

    def all(self) -> dict[int, list[Mark]]:
        """Return all of them by line, counted from 0."""
        if self._found is None:
            self._found = {}
            for row, start in _comments(self._lines):
                for mark in MARK.finditer(self._lines[row], start):
                    codes = mark["codes"]
                    names = None if codes is None else tuple(filter(None, map(str.strip, codes.split(","))))
                    self._found.setdefault(row, []).append(Mark(names, mark.end("codes")))
        return self._found


def heeded(findings: Iterable[Finding], sources: Sources) -> tuple[list[Finding], int, list[UnknownIgnore]]:
    """Return the findings that are not marked in the text that ran, the number of those that are, and names in marks.

    Those names are the ones that can be of no finding, in the files of these findings.
    """
    kept, ignored = [], 0
    marks: dict[str, Marks] = {}
    codes: set[str] = set()
    for finding in findings:
        file = finding.file
        codes.add(finding.code.lower())
        source = sources.get(file) if file is not None else None
        if file is not None and source is not None and file not in marks:
            marks[file] = Marks(source.lines)
        if file in marks and is_ignored(finding, finding.range, marks[file]):
            ignored += 1
        else:
            kept.append(finding)
    unknown = [
        UnknownIgnore(file, row + 1, name)
        for file, found in sorted(marks.items())
        for row, here in found.all().items()
        for mark in here
        for name in mark.names or ()
        if not _is_known(name, codes)
    ]
    return kept, ignored, unknown


def is_ignored(finding: Finding, range_: Range, marks: Marks) -> bool:
    """Whether a finding that is at a range of a text is marked there as one to ignore."""
    last = min(range_.end.line, range_.start.line + _MOST_LINES)
    return any(mark.means(finding) for row in range(range_.start.line, last + 1) for mark in marks.on(row))


def _is_known(name: str, codes: set[str]) -> bool:
    """Whether a name is a rule, or can be the code of a finding. `codes`: those of the run, in lower case."""
    rule, slash, code = name.rpartition("/")
    if slash and rule.lower() not in _RULES:
        return False
    return code.lower() in _RULES | _OWN_CODES | codes or bool(_CODE.fullmatch(code) or _CODE.fullmatch(code.lower()))


def _comments(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where comments that may be marks start: line and character, both from 0. Any text will do."""
    if not any(map(MARK.search, lines)):
        return
    text = "\n".join(lines)
    row, counted = 0, 0
    for token in _TOKEN.finditer(text):
        start = token.start()
        if token["comment"] and MARK.search(token["comment"]):
            row, counted = row + text.count("\n", counted, start), start
            yield row, start - (text.rfind("\n", 0, start) + 1)
