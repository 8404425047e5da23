"""Why one version of a function was made: the guard that failed, on which line, by which call, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis import causes, recompile_values, recompile_words, syntax
from compilescope.analysis.changes import change
from compilescope.analysis.guard_readings import Reading, failing
from compilescope.analysis.guards import words
from compilescope.analysis.model import Place
from compilescope.analysis.recompile_model import Also, Cause
from compilescope.analysis.recompile_rows import counted, own_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Failed, Frame, Recompile
    from compilescope.analysis.model import Finding
    from compilescope.analysis.symbols import Symbols

    Know = Callable[[int | None, str, Reading, str | None], tuple[str, str, str | None]]

_MOST_WORDS = 4000
_LONGEST = 200


class CauseOf:
    """The causes of the versions of one function. `know` is told what failed and says what was accepted."""

    def __init__(self, context: Context, symbols: Symbols, findings: Mapping[str, Finding], know: Know) -> None:
        self._context = context
        self._symbols = symbols
        self._findings = findings
        self._know = know

    def of(self, fact: Recompile, column: int | None) -> Cause:
        """Return the cause of the version in `column`; None for one that torch did not make any more."""
        context = self._context
        chosen = causes.cause(fact, context.facts.guards)
        failed = counted(chosen)
        reading, new = failing(failed)
        version = self._version(fact, failed)
        about, accepted, now = self._know(column, version, reading, new)
        finding = self._findings.get(context.name(fact.where))
        told = finding if finding is not None and finding.file else None
        caller = context.rules.caller(fact.above)
        found = Cause(
            about=about,
            version=version,
            check=own_words(context, fact, change(failed).check),
            guard=own_words(context, fact, words(failed.part))[:_MOST_WORDS],
            old=accepted or failed.old,
            new=now,
            words=chosen.reason.strip()[:_MOST_WORDS],
            place=None if told is None else Place(told.file or "", told.range),
            caller=None if caller is None else Place(caller.file, context.ranges.of(caller)),
            caller_text=None if caller is None else self._text(caller),
            also=[self._also(fact, one) for one in causes.others(fact, chosen)],
        )
        if found.place is not None:
            found.place_text = self._place_text(found.place)
        self._advise(found, fact, chosen, finding)
        return found

    def _advise(self, cause: Cause, fact: Recompile, failed: Failed, finding: Finding | None) -> None:
        """Add what is known of this kind of change: the finding's words are for all the recompiles that it tells."""
        kind = recompile_values.kind_of(self._context, fact, failed)
        subject = next(iter(causes.subjects(failed)), "")
        values = recompile_values.values(self._context, self._symbols, fact, failed, subject, 1)
        advice = recompile_words.words([(kind, values)])
        cause.explanation, cause.write, cause.note = advice.explanation, advice.write, advice.note
        cause.hints = list(dict.fromkeys(advice.hints))
        if finding is not None:
            cause.code = finding.code
            cause.fix = next((fix.title for fix in finding.fixes if fix.preferred), None)
            if finding.detail.get("follows_break") or finding.count == 1:
                cause.explanation, cause.hints = finding.explanation, list(finding.hints)
                cause.write, cause.note = (str(finding.detail.get(name, "")) for name in ("write", "note"))

    def _also(self, fact: Recompile, failed: Failed) -> Also:
        one = counted(failed)
        reading, new = failing(one)
        check = own_words(self._context, fact, change(one).check)
        return Also(
            self._version(fact, one),
            own_words(self._context, fact, reading.about),
            check,
            reading.accepts or one.old,
            new,
        )

    def _version(self, fact: Recompile, failed: Failed) -> str:
        where = type(fact.where)(fact.where.process, failed.entry, fact.where.reset)
        return self._context.name(where) if failed.entry else ""

    def _text(self, frame: Frame) -> str | None:
        source = self._context.sources.get(frame.file)
        text = syntax.text_at(source, frame, _LONGEST) if frame.col is not None else None
        if text is None and source is not None:
            text = (source.line(frame.line) or "").strip()[:_LONGEST]
        return text or None

    def _place_text(self, place: Place) -> str | None:
        source, start, end = self._context.sources.get(place.file), place.range.start, place.range.end
        line = None if source is None else source.line(start.line + 1)
        if line is None or start.line != end.line:
            return None
        return line.encode("utf-16-le", "surrogatepass")[2 * start.character : 2 * end.character].decode(
            "utf-16-le", "replace"
        )[:_LONGEST]
