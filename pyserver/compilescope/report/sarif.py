"""Findings as SARIF 2.1.0, for code scanning and editors: https://docs.oasis-open.org/sarif/sarif/v2.1.0/."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from compilescope import __version__
from compilescope.report.clean import clean
from compilescope.report.markdown import body
from compilescope.report.marked import safe_href
from compilescope.report.private import Private
from compilescope.report.rules import RULES
from compilescope.report.text import by_cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.model import Edit, Finding, Fix, Position, Range, Result, Severity, StackFrame

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "compilescopeFinding/v1"
_LEVELS: dict[Severity, Literal["error", "warning", "note"]] = {
    "error": "error",
    "warning": "warning",
    "information": "note",
    "hint": "note",
}
_MOST_TEXT = 4000
_MOST_FRAMES = 60
_MOST_RELATED = 10
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPECIAL = re.compile(r"\{(?=\d+\})")
_LIBRARY = re.compile(r"^.*?/lib(?:64)?/python\d\.\d+/(?:site|dist)-packages/")
_HOME = re.compile(r"^(?:/(?:home|Users)/[^/]+/|/root/|[A-Za-z]:/Users/[^/]+/)")
_DIGITS = re.compile(r"\d+")
_BASES = {
    "SRCROOT": "The folder that the program ran in.",
    "SITEPACKAGES": "The folder that packages are imported from.",
    "HOME": "The home folder of whoever ran it.",
}


def render(result: Result, sources: Mapping[str, str], notes: list[str]) -> str:
    """`result` as SARIF that ends in a newline, without names of users and machines."""
    log = _Writer(result, sources).log(notes)
    return Private.of(result).hide(json.dumps(log, indent=1)) + "\n"


class _Writer:
    """Writes one run."""

    def __init__(self, result: Result, sources: Mapping[str, str]) -> None:
        self._result = result
        self._sources = sources
        self._lines: dict[str, list[str]] = {}
        self._used: set[str] = set()
        self._seen: Counter[str] = Counter()
        self._rules = list(RULES)

    def log(self, notes: list[str]) -> dict[str, Any]:
        results = [self._finding(finding) for finding in by_cost(self._result.findings)]
        driver = {
            "name": "Compilescope",
            "semanticVersion": __version__,
            "fullName": f"Compilescope {__version__}",
            "shortDescription": {"text": "Shows what torch.compile did to a program."},
            "rules": [self._rule(name) for name in self._rules],
        }
        run = {
            "tool": {"driver": driver},
            "columnKind": "utf16CodeUnits",
            "originalUriBaseIds": {name: {"description": {"text": _BASES[name]}} for name in sorted(self._used)},
            "invocations": [self._invocation(notes)],
            "results": results,
            "properties": {
                "torch": self._result.run.torch,
                "depth": self._result.run.depth,
                "metrics": dict(self._result.metrics),
            },
        }
        return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}

    def _rule(self, name: Any) -> dict[str, Any]:
        rule = RULES[name]
        pages = (one.href for one in self._result.findings if one.rule == name and one.code == one.rule)
        page = next((href for href in pages if safe_href(href)), None)
        found: dict[str, Any] = {
            "id": name,
            "name": rule.name,
            "shortDescription": {"text": rule.short},
            "fullDescription": {"text": rule.full},
            "help": {
                "text": f"{rule.short} {rule.full}",
                "markdown": f"**{name}**: {rule.short}\n\n{rule.full}\n\n`docs/rules/{name}.md` of Compilescope has "
                "a wrong and a right example.",
            },
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            "properties": {"tags": ["torch.compile", "performance"], "precision": "very-high"},
        }
        return found | ({"helpUri": page} if page else {})

    def _invocation(self, notes: list[str]) -> dict[str, Any]:
        run = self._result.run
        found: dict[str, Any] = {"executionSuccessful": run.status == "finished" and run.exit_code in {0, None}}
        if run.exit_code is not None:
            found["exitCode"] = run.exit_code
            if run.exit_code < 0:
                found["exitSignalNumber"] = -run.exit_code
        if run.command:
            found["arguments"] = [_text(one, 400) for one in run.command[:100]]
        if run.started and (started := _time(run.started)):
            found["startTimeUtc"] = started
        told = [*notes, *(f"not recorded: {one.get('loses') or one.get('hook')}" for one in run.unavailable)]
        if told:
            found["toolExecutionNotifications"] = [
                {"level": "note", "message": {"text": _text(one, 1000)}} for one in told[:100]
            ]
        return found

    def _finding(self, finding: Finding) -> dict[str, Any]:
        said = ". ".join(filter(None, [_sentence(finding.title), _sentence(finding.explanation)]))
        write = str(finding.detail.get("write") or "").strip()
        text = f"{said}. Write instead: {write}" if write and "\n" not in write else f"{said}."
        found: dict[str, Any] = {
            "ruleId": finding.rule,
            "ruleIndex": self._rules.index(finding.rule),
            "level": _LEVELS.get(finding.severity, "note"),
            "message": {"text": _message(text), "markdown": _message(body(finding))},
            "partialFingerprints": {FINGERPRINT: self._fingerprint(finding)},
            "occurrenceCount": max(1, finding.count),
            "properties": {
                "code": _text(finding.code, 200),
                "class": finding.class_,
                "stage": finding.stage,
                "compileIds": [_text(one, 60) for one in finding.compile_ids[:100]],
                "costSeconds": round(finding.cost_s, 6),
            },
        }
        if href := safe_href(finding.href):
            found["properties"]["page"] = href
        if finding.file is not None:
            found["locations"] = [self._location(finding.file, finding.range, finding.detail.get("label"))]
        frames = [frame for frame in finding.frames if frame.file][-_MOST_FRAMES:]
        if len(frames) > 1:
            steps = [{"location": self._frame(frame)} for frame in frames]
            found["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
            inner = frames[-2::-1][:_MOST_RELATED]
            found["relatedLocations"] = [self._frame(frame) | {"id": at} for at, frame in enumerate(inner, 1)]
        fixes = [self._fix(fix) for fix in finding.fixes if fix.kind != "ignore" and fix.edits]
        return found | ({"fixes": fixes} if fixes else {})

    def _location(self, file: str, range_: Range, label: Any = None) -> dict[str, Any]:
        place: dict[str, Any] = {"artifactLocation": self._artifact(file), "region": self._region(file, range_)}
        found: dict[str, Any] = {"physicalLocation": place}
        return found | ({"message": {"text": _message(str(label))}} if label else {})

    def _region(self, file: str, range_: Range) -> dict[str, Any]:
        found: dict[str, Any] = _span(range_.start, range_.end)
        lines = self._source(file)[range_.start.line : min(range_.end.line, range_.start.line + 9) + 1]
        return found | ({"snippet": {"text": _text("\n".join(lines), 2000)}} if lines else {})

    def _frame(self, frame: StackFrame) -> dict[str, Any]:
        if frame.range is not None:
            found = self._location(frame.file, frame.range)
        else:
            place = {"artifactLocation": self._artifact(frame.file), "region": {"startLine": max(1, frame.line)}}
            found = {"physicalLocation": place}
        return found | {"message": {"text": _message(f"in {frame.function}")}}

    def _artifact(self, file: str) -> dict[str, Any]:
        base, path = self._relative(file.replace("\\", "/"))
        address = quote(_text(path, 2000), safe="/~._-+@")
        if base is None:
            return {"uri": f"file://{address}" if address.startswith("/") else address}
        self._used.add(base)
        return {"uri": address, "uriBaseId": base}

    def _relative(self, file: str) -> tuple[str | None, str]:
        """A path from the first of the known folders that it is in."""
        cwd = (self._result.run.cwd or "").replace("\\", "/").rstrip("/")
        if cwd and file.startswith(f"{cwd}/"):
            return "SRCROOT", file[len(cwd) + 1 :]
        for base, pattern in (("SITEPACKAGES", _LIBRARY), ("HOME", _HOME)):
            if match := pattern.match(file):
                return base, file[match.end() :]
        return (None if file.startswith("/") else "SRCROOT"), file

    def _fix(self, fix: Fix) -> dict[str, Any]:
        by_file: dict[str, list[Edit]] = {}
        for edit in fix.edits:
            by_file.setdefault(edit.file, []).append(edit)
        changes = [
            {
                "artifactLocation": self._artifact(file),
                "replacements": [
                    {"deletedRegion": _span(one.range.start, one.range.end), "insertedContent": {"text": one.text}}
                    for one in edits
                ],
            }
            for file, edits in by_file.items()
        ]
        said = ". ".join(filter(None, [_sentence(fix.title), _sentence(fix.note)]))
        return {"description": {"text": _message(f"{said}.")}, "artifactChanges": changes}

    def _fingerprint(self, finding: Finding) -> str:
        """The same in each run, also when lines above it change: from the rule, the file and what the source says.

        Of several that have all that in common, the first in the file has the first number.
        """
        path = "" if finding.file is None else self._relative(finding.file.replace("\\", "/"))[1]
        lines = self._source(finding.file) if finding.file else []
        at = finding.range.start.line
        said = lines[at].strip() if at < len(lines) else _DIGITS.sub("0", finding.title)
        key = "\0".join([finding.rule, finding.code, path, said, str(finding.range.start.character)])
        self._seen[key] += 1
        return hashlib.sha256(f"{key}\0{self._seen[key]}".encode(errors="backslashreplace")).hexdigest()[:32]

    def _source(self, file: str) -> list[str]:
        if file not in self._lines:
            text = self._sources.get(file)
            self._lines[file] = [] if text is None else text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return self._lines[file]


def _span(start: Position, end: Position) -> dict[str, Any]:
    return {
        "startLine": start.line + 1,
        "startColumn": start.character + 1,
        "endLine": max(end.line, start.line) + 1,
        "endColumn": end.character + 1,
    }


def _sentence(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def _text(value: object, most: int = _MOST_TEXT) -> str:
    text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", clean(str(value)))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _message(text: str) -> str:
    """A message; what would be a placeholder in it (`{0}`) stands for itself."""
    return _SPECIAL.sub("{{", _text(text)) if "{" in text else _text(text)


def _time(started: str) -> str | None:
    """A time of the recording in the form that SARIF has; None for anything else."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:\+00:00|Z)", started)
    return f"{match[1]}Z" if match else None
