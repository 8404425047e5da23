"""A verdict in words, as the editor's messages and the command line say it, and as JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from compilescope.report.counted import counted
from compilescope.verify.judge import BREAKS, RECOMPILES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from compilescope.analysis.model import Finding
    from compilescope.verify.model import Compared, Difference, Status, Verdict


def words(verdict: Verdict, *, refusal: str = "Not applied") -> str:
    """One or two sentences. `refusal`: how the one begins that says why a change is not to be made."""
    return _SENTENCES[verdict.status](verdict, refusal)


def to_json(verdict: Verdict, *, refusal: str = "Not applied") -> dict[str, Any]:
    """`fixes[].verified` of `--format json` (docs/findings.md)."""
    compared = verdict.compared
    first = compared.first if compared else None
    return {
        "status": verdict.status,
        "text": words(verdict, refusal=refusal),
        "gone": len(verdict.findings) - len(verdict.left) if verdict.result else None,
        "of": len(verdict.findings),
        "delta_max": compared.delta_max if compared else None,
        "calls": compared.calls if compared else None,
        "equal": compared.equal if compared else None,
        "first_difference": _difference(first) if first else None,
        "uncompared": compared.uncompared if compared else [],
        "unsteady": unsteady(compared),
        "notes": compared.notes if compared else [],
        "graphs": {"before": verdict.graphs[0], "after": verdict.graphs[1]},
        "seconds": {"before": verdict.seconds[0], "after": verdict.seconds[1]},
        "new": [{"rule": one.rule, "line": one.range.start.line + 1, "title": one.title} for one in verdict.new],
        "reason": verdict.reason,
    }


def subject(findings: Sequence[Finding]) -> str:
    """What a change removes: `recompiles and a break`, `3 breaks`."""
    breaks = sum(one.rule in BREAKS for one in findings)
    others = [one for one in findings if one.rule not in BREAKS | RECOMPILES]
    parts = ["recompiles"] * any(one.rule in RECOMPILES for one in findings)
    if breaks:
        parts.append(f"{breaks} breaks" if breaks > 1 else "a break" if parts or others else "break")
    if others:
        parts.append("error" if all(one.severity == "error" for one in others) else "finding")
    return " and ".join(parts) or "finding"


def delta(value: float) -> str:
    """A difference as short as it tells something: `0`, `1.3e-7`, `0.31`, `340.5`."""
    return re.sub(r"e([+-])0", r"e\1", f"{value:.2g}" if value < 1 else f"{value:.4g}")


def unsteady(compared: Compared | None) -> list[str]:
    """The outputs that differ between two runs in eager, `result[1] of step`."""
    found = [] if compared is None else compared.unsteady
    return list(dict.fromkeys(" of ".join(filter(None, [one.place or "a call", one.function])) for one in found))


def _outputs(compared: Compared | None) -> str:
    if compared is None:
        return "outputs unknown"
    more = [f"largest difference δ_max {delta(compared.delta_max)}", counted(compared.calls, "call")]
    if compared.backwards:
        more.append(counted(compared.backwards, "backward"))
    if compared.sampled:
        more.append(f"{counted(compared.sampled, 'tensor')} only in part")
    if compared.uncompared:
        more.append(f"{sum(one['count'] for one in compared.uncompared)} values not compared")
    if compared.stopped:
        more.append("not all calls compared")
    return f"outputs equal ({', '.join(more)})"


def _first(compared: Compared | None) -> str:
    first = compared.first if compared else None
    if first is None or compared is None:
        return "somewhere"
    where = f"call {first.call} of {compared.calls}" if first.call else f"backward {first.backward}"
    if first.kind == "nan":
        return f"NaN or infinite in one of both, {where}, {first.place}"
    if first.message:
        return f"{where}{', ' if first.place else ''}{first.place}: {first.message}"
    return f"largest difference δ_max {delta(compared.delta_max)}, {where}"


def _largest(compared: Compared | None) -> str:
    return f" (δ_max {delta(compared.delta_max)})" if compared is not None and compared.delta_max else ""


def _effect(verdict: Verdict) -> str:
    parts = []
    (graphs, fewer), (seconds, less) = verdict.graphs, verdict.seconds
    if graphs is not None and fewer is not None:
        parts.append(f"{counted(graphs, 'graph')} → {fewer}")
    if seconds is not None and less is not None:
        parts.append(f"compiling {seconds:.1f} s → {less:.1f} s")
    return f" {', '.join(parts)}." if parts else ""


def _fate(verdict: Verdict) -> str:
    what = _upper(subject(verdict.findings))
    return f"{what} {_verb(verdict.findings, 'stays', 'stay')}" if verdict.left else f"{what} gone"


def _news(new: Sequence[Finding]) -> str:
    one = f"{new[0].title} (line {new[0].range.start.line + 1})"
    return f"there is a new problem: {one}" if len(new) == 1 else f"there are {len(new)} new problems, the first: {one}"


def _verb(findings: Sequence[Finding], one: str, several: str) -> str:
    return one if len(findings) == 1 and findings[0].rule not in RECOMPILES else several


def _difference(first: Difference) -> dict[str, Any]:
    return {
        "kind": first.kind,
        "call": first.call,
        "backward": first.backward,
        "function": first.function,
        "place": first.place,
        "delta": first.delta,
        "message": first.message,
        "values": first.values,
    }


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _proven(verdict: Verdict, _refusal: str) -> str:
    notes = verdict.compared.notes[:1] if verdict.compared else []
    said = "".join(f" Note: {note}." for note in notes)
    return f"{_upper(subject(verdict.findings))} gone, {_outputs(verdict.compared)}.{_effect(verdict)}{said}"


def _stays(verdict: Verdict, refusal: str) -> str:
    left = f"the {subject(verdict.left)} {_verb(verdict.left, 'stays', 'stay')}"
    return f"{refusal}: {left}; {_outputs(verdict.compared)}."


def _new_problems(verdict: Verdict, refusal: str) -> str:
    return f"{refusal}: the {subject(verdict.findings)} would go, but {_news(verdict.new)}."


def _failed(verdict: Verdict, refusal: str) -> str:
    return f"{refusal}: with the change the program fails: {verdict.reason}"


def _differs(verdict: Verdict, refusal: str) -> str:
    would = "stays, and" if verdict.left else "would go, but"
    only = "" if verdict.changes_eager is not False else "; in eager they are equal"
    return f"{refusal}: the {subject(verdict.findings)} {would} outputs differ ({_first(verdict.compared)}){only}."


def _differs_anyway(verdict: Verdict, _refusal: str) -> str:
    after = f"{_fate(verdict)}; outputs differ from eager ({_first(verdict.compared)})"
    before = f"without the change they do, too{_largest(verdict.anyway)}, and in eager it changes nothing"
    return f"{after}; {before}.{_effect(verdict)}"


def _nondeterministic(verdict: Verdict, _refusal: str) -> str:
    compared = verdict.compared
    names = unsteady(compared)
    which = names[0] if len(names) < len("ab") else f"{names[0]} and {counted(len(names) - 1, 'other')}"
    are, differ = ("is", "differs") if len(names) == 1 else ("are", "differ")
    said = f"{which} {are} not reproducible: {differ} between two eager runs as well"
    if compared is not None and not compared.equal:
        rest = f"; others differ, too ({_first(compared)})"
    else:
        rest = f"; all other {_outputs(compared)}"
    return f"{_fate(verdict)}; {said}{rest}.{_effect(verdict)}"


def _not_compared(verdict: Verdict, _refusal: str) -> str:
    fate = f" {_fate(verdict)}.{_effect(verdict)}" if verdict.result is not None else ""
    return f"Can't compare outputs: {verdict.reason}.{fate}"


_SENTENCES: dict[Status, Callable[[Verdict, str], str]] = {
    "proven": _proven,
    "stays": _stays,
    "new-problems": _new_problems,
    "failed": _failed,
    "differs": _differs,
    "differs-anyway": _differs_anyway,
    "nondeterministic": _nondeterministic,
    "not-compared": _not_compared,
    "cancelled": lambda _verdict, _refusal: "Cancelled.",
    "timed-out": lambda _verdict, _refusal: "Can't verify: the program took too long.",
}
