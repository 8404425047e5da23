"""What could be written instead: each finding's fixes with what they change, as a unified diff."""

from __future__ import annotations

import difflib
import re
import textwrap
from typing import TYPE_CHECKING

from compilescope.fixes.edits import edited
from compilescope.report.clean import clean
from compilescope.report.style import COLUMNS
from compilescope.report.text import by_cost

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from compilescope.analysis.model import Finding, Fix, Result
    from compilescope.report.style import Role, Style

IGNORE = "ignore"
INDENT = "  "
CONTEXT = 2
_LINE_END = re.compile(r"\r\n|\r|\n")
_ROLES: dict[str, Role] = {"+": "advice", "-": "removed", "@": "gutter"}


def fixes(result: Result, texts: Mapping[str, str], style: Style, *, diffs: bool) -> str:
    """The fixes of all findings, dearest finding first, as text that ends in a newline.

    `texts`: files as they were traced, by path. `diffs`: every fix with what it changes; else only those that were
    verified, with the verdict.
    """
    blocks = []
    for finding in by_cost(result.findings):
        shown = [fix for fix in finding.fixes if (fix.kind != IGNORE if diffs else fix.verified is not None)]
        if shown:
            head = f"fixes for {finding.rule}/{finding.code}" if finding.code != finding.rule else finding.rule
            lines = [style.paint("strong", f"{head} at ") + _place(finding, style)]
            for number, fix in enumerate(shown, 1):
                lines += _fix(fix, number, texts, style, diffs=diffs)
            blocks.append("\n".join(lines))
    return "\n\n".join(blocks or [_nothing(diffs=diffs)]) + "\n"


def _nothing(*, diffs: bool) -> str:
    return "No fixes are known for these findings." if diffs else "No finding has a fix to verify."


def _place(finding: Finding, style: Style) -> str:
    return style.place(clean(finding.file or ""), finding.range.start.line + 1)


def _fix(fix: Fix, number: int, texts: Mapping[str, str], style: Style, *, diffs: bool) -> Iterator[str]:
    preferred = " (preferred)" if fix.preferred and diffs else ""
    yield f"{INDENT}{number}. {style.paint('strong', clean(fix.title))}{preferred}"
    if fix.note:
        yield from _wrapped("note: ", clean(fix.note))
    if fix.verified is not None:
        said = str(fix.verified["text"]).replace("δ_max ", "").replace("→", "->")
        role: Role = "advice" if fix.verified["status"] == "proven" else "warning"
        yield from (style.paint(role, line) for line in _wrapped("", clean(said)))
    if diffs:
        yield from (f"{INDENT * 2}{line}".rstrip() for line in diff(fix, texts, style))


def diff(fix: Fix, texts: Mapping[str, str], style: Style) -> Iterator[str]:
    """The lines of a unified diff of what a fix changes; nothing for a file without a text."""
    for file, change in edited(texts, [edit for edit in fix.edits if edit.file in texts]).items():
        name = clean(style.path(file))
        before, after = _lines(change.before), _lines(change.after)
        for line in difflib.unified_diff(before, after, name, name, lineterm="", n=CONTEXT):
            role = "strong" if line.startswith(("--- ", "+++ ")) else _ROLES.get(line[:1])
            yield line if role is None else style.paint(role, line)


def _lines(text: str) -> list[str]:
    """Return the lines of a text, without control characters."""
    lines = [clean(line) for line in _LINE_END.split(text)]
    return lines if lines[-1] else lines[:-1]


def _wrapped(label: str, text: str) -> list[str]:
    indent = INDENT * 2
    return textwrap.wrap(
        label + text,
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent + " " * len(label),
        break_long_words=False,
    )
