"""The findings as cards: the dearest first, each on its source line, with what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.ours import items
from compilescope.report.counts import met
from compilescope.report.ending import ending
from compilescope.report.fixes import IGNORE, diff
from compilescope.report.html import recompiles
from compilescope.report.html.figures import counted, seconds
from compilescope.report.html.markup import Markup, bar, details, join, prose, section, shortened, tag
from compilescope.report.rows import chain, of_log
from compilescope.report.style import Style
from compilescope.report.summary import nothing, outside
from compilescope.report.text import by_cost

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding, Fix, StackFrame
    from compilescope.report.html.material import Material

MOST_OPEN = 20
"""Findings that are cards at once; the rest are folded."""
MOST = 200
_CLASSES = {"error": "error", "warning": "warn", "information": "info", "hint": "hint"}
_MOST_IDS = 4
_MOST_FRAMES = 40
_MOST_DIFF = 80
_TITLE = 400
_REASON = 6000


def findings(material: Material) -> Markup:
    """The section with all findings; it says so when there is none."""
    found = by_cost(material.result.findings)
    if not found:
        return section("findings", "Findings", None, _none(material))
    dearest = max(finding.cost_s for finding in found)
    if len(found) > MOST:
        material.left_out.append(f"{counted(len(found) - MOST, 'finding')} of {len(found):,}, the ones that cost least")
    cards = [_card(finding, number, dearest, material) for number, finding in enumerate(found[:MOST], 1)]
    rest = cards[MOST_OPEN:]
    more = details(counted(len(rest), "more finding"), *rest, class_="more") if rest else None
    about = f"{len(found):,}, errors first, then by cost" if dearest else f"{len(found):,}"
    if material.result.run.ignored:
        about += f"; {material.result.run.ignored} ignored in the program"
    note = "cost = compile time it caused; bars are on one scale" if dearest else None
    return section("findings", "Findings", about, *cards[:MOST_OPEN], more, right=note)


def _none(material: Material) -> Markup:
    result = material.result
    if not result.compiles:
        head = "Compiled without torch.compile" if outside(result) else "Nothing was compiled"
        why, class_ = nothing(result), "hint"
    elif ending(result):
        head, why, class_ = (
            "Nothing found up to then",
            "The run did not end by itself, or its log is not whole; this is what was reached.",
            "hint",
        )
    else:
        head, class_ = "Nothing to improve", "good"
        why = "No graph break, no recompile, no fallback and no failure was recorded."
    return tag("div", tag("b", head), tag("p", prose(why)), class_=f"fd {class_}")


def _card(finding: Finding, number: int, dearest: float, material: Material) -> Markup:
    class_ = _CLASSES.get(finding.severity, "hint")
    cost = tag("span", seconds(finding.cost_s), class_="cost num") if finding.cost_s >= 0.0005 else None  # noqa: PLR2004 - shows as 0
    mark = tag("span", class_="sv", role="img", aria_label=finding.severity)
    title = tag("h3", prose(" ".join(finding.title.split()), _TITLE))
    label = str(finding.detail.get("label") or "")
    return tag(
        "article",
        tag("div", mark, title, cost, class_="fh"),
        _facts(finding, dearest),
        material.excerpts.marked(finding.file, finding.range, label),
        tag("p", prose(f"The file is {of_log(finding)}."), class_="dim") if of_log(finding) else None,
        tag("p", prose(finding.explanation)) if finding.explanation else None,
        _chain(finding),
        recompiles.of_finding(finding),
        *_advice(finding),
        *_fixes(finding, material),
        _origin(finding),
        _torch(finding),
        class_=f"fd {class_}",
        id=f"finding-{number}",
    )


def _facts(finding: Finding, dearest: float) -> Markup:
    code = finding.code if finding.code and finding.code != finding.rule else None
    rule: object = (
        tag("a", finding.rule, href=finding.href, rel="noreferrer") if _is_link(finding.href) else finding.rule
    )
    start = finding.range.start
    place = f"{finding.file}:{start.line + 1}:{start.character + 1}" if finding.file else None
    share = finding.cost_s / dearest if dearest else 0
    facts = [
        tag("span", rule, class_="rule"),
        tag("span", place, class_="mono") if place else None,
        tag("span", counted(finding.count, "time")) if finding.count and met(finding) else None,
        tag("span", code) if code else None,
        tag("span", _ids(finding.compile_ids)) if finding.compile_ids else None,
        tag("span", bar(share), class_="shb") if dearest else None,
    ]
    return tag("div", *facts, class_="fm")


def _is_link(href: str | None) -> bool:
    return href is not None and href.startswith("https://")


def _ids(ids: list[str]) -> str:
    unique = list(dict.fromkeys(ids))
    more = f" and {len(unique) - _MOST_IDS} more" if len(unique) > _MOST_IDS else ""
    return ", ".join(shortened(one, 40) for one in unique[:_MOST_IDS]) + more


def _chain(finding: Finding) -> Markup | None:
    """The exceptions, outermost first, each with the first line of what it says."""
    links = [one for one in items(finding.detail.get("chain")) if isinstance(one, dict)]
    lines = [tag("li", shortened(line, 600)) for line in chain(links)[:8]]
    return tag("ol", *lines, class_="chain") if lines else None


def _advice(finding: Finding) -> list[Markup]:
    """What to write: code of ours, else the hints."""
    detail = finding.detail
    said: list[Markup] = []
    if write := str(detail.get("write") or "").strip("\n"):
        inline = "\n" not in write
        code = tag("code", shortened(write, 1500)) if inline else tag("pre", shortened(write, 1500))
        said.append(tag("p" if inline else "div", tag("b", "Write instead "), code, class_="fix"))
    elif finding.hints:
        hints = [tag("li", prose(" ".join(hint.split()))) for hint in finding.hints[:5]]
        said.append(tag("div", tag("b", "What helps"), tag("ul", *hints), class_="fix"))
    if note := detail.get("note"):
        said.append(tag("p", prose(str(note)), class_="dim"))
    return said


def _fixes(finding: Finding, material: Material) -> list[Markup]:
    """Each fix with what it changes; the one to take is open when it is short."""
    found = sorted((fix for fix in finding.fixes if fix.kind != IGNORE), key=lambda fix: not fix.preferred)
    return [_fix(fix, material, only=len(found) == 1) for fix in found[:6]]


def _fix(fix: Fix, material: Material, *, only: bool) -> Markup:
    style = Style(Path(material.result.run.cwd or "."))
    changed = [line for line in diff(fix, material.sources, style) if not line.startswith(("---", "+++"))]
    lines = [_changed(line) for line in changed[:_MOST_DIFF]]
    if len(changed) > _MOST_DIFF:
        lines.append(tag("div", f"… {len(changed) - _MOST_DIFF} more lines", class_="el dim"))
    verified = fix.verified or {}
    said = tag("span", str(verified.get("text")), class_="dim") if verified.get("text") else None
    head = join([tag("b", "Fix: "), prose(fix.title, _TITLE), " " if said else None, said])
    note = tag("p", prose(fix.note), class_="dim") if fix.note else None
    short = len(changed) <= 14 and (fix.preferred or only)  # noqa: PLR2004 - fits below the excerpt
    body = tag("div", *lines, class_="ex diff", tabindex=0, role="group", aria_label="Change") if lines else None
    return details(head, body, note, open_=short, class_="fixes")


def _changed(line: str) -> Markup:
    kind = {"+": "add", "-": "del", "@": "at"}.get(line[:1])
    return tag("div", tag("span", shortened(line, 400)), class_=f"el {kind}" if kind else "el")


def _origin(finding: Finding) -> Markup | None:
    """The stack to the line; not for a finding in the module's own code."""
    if len(finding.frames) < 2:  # noqa: PLR2004 - the line itself
        return None
    shown = finding.frames[-_MOST_FRAMES:]
    lines = [tag("div", _frame(frame), class_="el" if frame.in_user_code else "el dim") for frame in shown]
    return details("Called from", tag("div", *lines, class_="ex stack", tabindex=0, role="group", aria_label="Stack"))


def _frame(frame: StackFrame) -> Markup:
    return tag(
        "span",
        f"{shortened(frame.file, 300)}:{frame.line}",
        " in ",
        tag("span", shortened(frame.function, 100), class_="f"),
    )


def _torch(finding: Finding) -> Markup | None:
    reason = finding.reason.strip()
    if not reason:
        return None
    return details("torch's own words", tag("pre", shortened(reason, _REASON), class_="ex", tabindex=0))
