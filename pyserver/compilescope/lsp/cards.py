"""The hover cards: what happened, what it costs, what to write, why. All values come from the finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attrs

from compilescope.analysis.log_lines import LOG_LINE, is_changed
from compilescope.analysis.model import Finding, Fix
from compilescope.analysis.price import told
from compilescope.analysis.rounding import rounded
from compilescope.analysis.shown_values import shown_pair
from compilescope.lsp import paths
from compilescope.lsp.fixing import IGNORE, best, choice
from compilescope.lsp.markdown import Style, block, cell, code, prose
from compilescope.lsp.pages import rule_page
from compilescope.lsp.shapes.fixing import FixParams
from compilescope.lsp.wording import capital, joined, seconds, sentence
from compilescope.report.counted import counted
from compilescope.report.counts import met

MOST_ROWS = 8
FIRST_ROWS, LAST_ROWS = 4, 2
FEW_IDS = 3
MOST_HINTS = 3
MOST_FRAMES = 12
LEAST_SECONDS = 0.005
SPENT = {
    "frame-skipped": "spent on the attempt",
    "compile-error": "until it failed",
    "graph-break-error": "until it failed",
}
LONGEST_REASON = 240
FIXING = {
    "fixAndVerify": (
        "Fix and verify",
        "verified",
        "Try it in a run, compare the outputs, and change the file when that is proven",
    ),
    "applyFix": ("Ignore here", "mute", "Write a comment at the end of the line"),
}


@dataclass(frozen=True)
class Cards:
    """Makes cards in one client's style."""

    style: Style
    commands: frozenset[str] = frozenset()

    def card(self, finding: Finding, recording: str, *, stale: str = "") -> str:
        """The card of one finding as Markdown. `stale`: from which run it is, when its line was edited since."""
        parts = [self._note(finding, stale), self._heading(finding)]
        if finding.rule in {"recompile", "recompile-limit"}:
            parts += [self._actions(finding, recording, stale), self._table(finding, recording), *self._why(finding)]
            parts += [self._price(finding), self._next(finding), self._write(finding)]
        else:
            parts += [self._cost(finding, recording), self._write(finding), self._actions(finding, recording, stale)]
            parts += [*self._why(finding), self._chain(finding)]
        parts += [self._hints(finding), self._torch(finding)]
        return "\n\n".join(part for part in parts if part)

    def _note(self, finding: Finding, stale: str) -> str:
        if is_changed(finding) and stale:
            return self.style.dim(
                f"This is not the line that ran. The log has here: {code(_short(finding.detail[LOG_LINE]))}"
            )
        return self.style.dim(f"{capital(stale)}, before this line was edited.") if stale else ""

    def _heading(self, finding: Finding) -> str:
        icon = self.style.icon(ICONS.get(finding.rule, "warning"))
        one = _only_expression(finding)
        what = f"**{_what(finding)}{f' for {finding.count + 1} values of** {code(one)}' if one else '**'}"
        return f"{icon}{what}{self._spent(finding)}"

    def _spent(self, finding: Finding) -> str:
        shown = finding.rule in {"recompile", "recompile-limit"} and finding.cost_s >= LEAST_SECONDS
        return f" · {seconds(finding.cost_s)}" if shown else ""

    def _cost(self, finding: Finding, recording: str) -> str:
        ids = self._compile_ids(finding.compile_ids, recording)
        resumed = [self._compile(str(one), recording) for one in finding.detail.get("resumed") or []]
        spent = SPENT.get(finding.rule, "more compiling")
        text = joined(
            [
                f"{seconds(finding.cost_s)} {spent}" if finding.cost_s >= LEAST_SECONDS else "",
                f"one more graph: {', '.join(resumed)}" if len(resumed) == 1 else "",
                f"{len(resumed)} more graphs: {', '.join(resumed)}" if len(resumed) > 1 else "",
                ", ".join(filter(None, [met(finding), f"in {ids}" if ids else ""])),
            ]
        )
        return f"**Cost.** {sentence(capital(text))}"

    def _compile_ids(self, ids: list[str], recording: str) -> str:
        links = [self._compile(one, recording) for one in ids]
        if len(links) > FEW_IDS:
            return f"{len(links)} compiles: {links[0]} to {links[-1]}"
        return ", ".join(links)

    def _compile(self, compile_id: str, recording: str) -> str:
        """A compile id that opens its compile."""
        return self._command(code(compile_id), "showCompile", recording, compile_id) or code(compile_id)

    def _command(self, label: str, name: str, recording: str, compile_id: str | None, icon: str = "") -> str:
        if name not in self.commands:
            return ""
        return self.style.command(label, name, {"recording": recording, "compileId": compile_id}, icon)

    def _actions(self, finding: Finding, recording: str, stale: str) -> str:
        first = finding.compile_ids[0] if finding.compile_ids else None
        ignore = next((one for one in finding.fixes if one.kind == IGNORE), None)
        links = [
            "" if stale else self._fix("fixAndVerify", finding, best(finding), recording),
            self._versions(finding, recording),
            self._command("Graph", "showGraph", recording, first, "type-hierarchy"),
            self._command("Passes", "showPasses", recording, first, "diff"),
            self._stack(finding),
            self._page(finding),
            "" if stale else self._fix("applyFix", finding, ignore, recording),
        ]
        return self.style.row(links)

    def _stack(self, finding: Finding) -> str:
        """A link to the frames that led to the finding, where there is more than the line itself."""
        frames = finding.frames[-MOST_FRAMES:][::-1]
        if "showStack" not in self.commands or len(frames) < 2:  # noqa: PLR2004
            return ""
        named = [{"file": one.file, "line": one.line - 1, "function": one.function} for one in frames]
        return self.style.command("Call stack", "showStack", {"frames": named}, "debug-stackframe")

    def _versions(self, finding: Finding, recording: str) -> str:
        """A link to the versions side by side, for what is about several."""
        if finding.rule not in {"recompile", "recompile-limit"} or not finding.compile_ids:
            return ""
        return self._command("Compare versions", "showRecompiles", recording, finding.compile_ids[0], "compare-changes")

    def _fix(self, name: str, finding: Finding, fix: Fix | None, recording: str) -> str:
        """A link that makes a fix of a finding; nothing without one."""
        if fix is None or name not in self.commands:
            return ""
        label, icon, title = FIXING[name]
        argument = attrs.asdict(FixParams(recording, [choice(finding, fix)]))
        return self.style.command(label, name, argument, icon, title)

    def _page(self, finding: Finding) -> str:
        """A link to torch's page about the finding, else to ours about its rule."""
        label, ours = prose(finding.code), rule_page(finding.rule) if self.style.trusted else None
        own = f"[{self.style.icon('book')}{label}]({ours})" if ours else ""
        return self.style.link(label, finding.href, "book") or own

    def _write(self, finding: Finding) -> str:
        write, note = finding.detail.get("write"), finding.detail.get("note")
        if not write:
            fix = best(finding)
            return f"**Fix.** {prose(sentence(' '.join(filter(None, [sentence(fix.title), fix.note]))))}" if fix else ""
        text = f"**Write**\n{block(str(write))}"
        return f"{text}\n{prose(sentence(capital(str(note))))}" if note else text

    def _why(self, finding: Finding) -> list[str]:
        guard = finding.rule == "recompile" and "A *guard* is a check made before compiled code is used again."
        return [guard or "", f"**Why.** {prose(sentence(finding.explanation))}" if finding.explanation else ""]

    def _price(self, finding: Finding) -> str:
        price = finding.detail.get("price")
        words = told(price, finding.count) if isinstance(price, dict) else ""
        return f"**Price.** {words}" if words else ""

    def _next(self, finding: Finding) -> str:
        versions, limit = finding.detail.get("versions"), finding.detail.get("limit")
        if finding.rule != "recompile" or not isinstance(versions, int) or not isinstance(limit, int):
            return ""
        left = limit - versions
        if left <= 0:
            return ""
        then = "raises" if finding.detail.get("raises") else "runs in eager"
        return (
            f"**Next.** {counted(left, 'more version')} {'fits' if left == 1 else 'fit'}. "
            f"At the limit of {limit} (`recompile_limit`), each further one {then}."
        )

    def _table(self, finding: Finding, recording: str) -> str:
        rows = [row for row in finding.detail.get("recompiles") or [] if isinstance(row, dict)]
        if not rows:
            return ""
        lines = [self._row(number, row, recording) for number, row in enumerate(rows, 1)]
        if len(lines) > MOST_ROWS:
            left_out = len(lines) - FIRST_ROWS - LAST_ROWS
            more = f"… {left_out} more …"
            opened = self._command(more, "showRecompiles", recording, str(rows[FIRST_ROWS].get("compile_id")))
            lines = [*lines[:FIRST_ROWS], f"| | {opened or more} | | | | |", *lines[-LAST_ROWS:]]
        head = "| # | Guard that failed | Old → new | Caller | Compile | Seconds |\n|:--|:--|:--|:--|:--|--:|"
        total = f"| | **Total** | | | | **{sum(_number(row.get('seconds')) for row in rows):.2f}** |"
        return "\n".join([head, *lines, total])

    def _row(self, number: int, row: dict[str, Any], recording: str) -> str:
        old, new = (None if row.get(key) is None else str(row[key]) for key in ("old", "new"))
        values = " → ".join(code(_short(one)) for one in shown_pair(old, new) or ())
        compile_id = row.get("compile_id")
        cells = [
            str(number),
            prose(rounded(str(row["check"]))) if row.get("check") else code(rounded(str(row.get("guard") or ""))),
            values,
            self._caller(row.get("caller")),
            self._compile(str(compile_id), recording) if compile_id else "",
            f"{_number(row.get('seconds')):.2f}",
        ]
        return f"| {' | '.join(cell(one) for one in cells)} |"

    def _caller(self, caller: Any) -> str:
        if not isinstance(caller, dict) or not isinstance(caller.get("line"), int):
            return ""
        file, line = str(caller.get("file")), int(caller["line"])
        if self.style.trusted and Path(file).is_file():
            return f"[line {line}]({paths.to_uri(file)}#L{line})"
        return f"line {line}"

    def _chain(self, finding: Finding) -> str:
        chain = [one for one in finding.detail.get("chain") or [] if isinstance(one, dict)]
        lines = [f"- {code(str(one.get('type')))}: {code(_first_line(str(one.get('message'))))}" for one in chain]
        if finding.detail.get("suppressed"):
            lines.append("\nThe program went on in eager.")
        return "\n".join(lines)

    def _hints(self, finding: Finding) -> str:
        if finding.detail.get("write") or best(finding) or not finding.hints:
            return ""
        return "**Ways out**\n" + "\n".join(f"- {prose(_short(hint))}" for hint in finding.hints[:MOST_HINTS])

    def _torch(self, finding: Finding) -> str:
        if finding.rule == "recompile":  # the table has torch's guards
            return ""
        known, line = str(finding.detail.get("gb_type") or ""), _first_line(finding.reason)
        words = prose(known) if known and known in finding.reason else code(_short(line))
        return self.style.dim(f"torch: {words}") if words else ""


ICONS = {
    "recompile": "refresh",
    "recompile-limit": "refresh",
    "graph-break-error": "error",
    "compile-error": "error",
    "unknown-log-name": "error",
    "fallback-op": "info",
    "slow-compile": "watch",
    "pass-inert": "info",
}


def _what(finding: Finding) -> str:
    heading = HEADINGS.get(finding.rule)
    return heading(finding) if heading else prose(capital(finding.title))


def _function(finding: Finding) -> str:
    return prose(str(finding.detail.get("function") or "This function"))


def _break(finding: Finding) -> str:
    return "The graph ends here" + (", and a new one starts after it" if finding.detail.get("resumed") else "")


def _break_error(_: Finding) -> str:
    return "This break is an error: the whole function was asked for as one graph"


def _skipped(finding: Finding) -> str:
    frame = finding.detail.get("skipped")
    name = prose(str(frame.get("function"))) if isinstance(frame, dict) else _function(finding)
    if isinstance(frame, dict) and frame.get("rest"):
        return f"{name} runs in Python from here on"
    if isinstance(frame, dict) and frame.get("versions"):
        return f"{name} runs in eager from that call on, its compiled versions, too"
    return f"{name} runs in eager: none of it is compiled"


def _recompiled(finding: Finding) -> str:
    return f"{_function(finding)} was compiled {finding.count + 1} times"


def _limit(finding: Finding) -> str:
    limit = finding.detail.get("limit")
    then = "raise" if finding.detail.get("raises") else "run in eager"
    return f"{_function(finding)} is at the limit{f' of {limit} versions' if limit else ''}: new ones {then}"


def _failed(finding: Finding) -> str:
    return "It does not compile and runs in eager" if finding.detail.get("suppressed") else "Compiling stopped here"


def _fallback(finding: Finding) -> str:
    operator, every = finding.detail.get("operator"), finding.detail.get("operators")
    if isinstance(every, list) and len(every) > 1:
        return f"{len(every)} operators stay outside the generated kernels"
    return f"{code(str(operator)) if operator else 'This'} stays outside the generated kernels"


HEADINGS: dict[str, Callable[[Finding], str]] = {
    "graph-break": _break,
    "graph-break-error": _break_error,
    "frame-skipped": _skipped,
    "recompile": _recompiled,
    "recompile-limit": _limit,
    "compile-error": _failed,
    "fallback-op": _fallback,
}


def _only_expression(finding: Finding) -> str | None:
    """The one expression whose value every recompile of the finding is about, if it is one."""
    if finding.rule != "recompile":
        return None
    found = {row.get("expression") for row in finding.detail.get("recompiles") or [] if isinstance(row, dict)}
    return str(found.pop()) if len(found) == 1 and None not in found else None


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""


def _short(text: Any) -> str:
    flat = " ".join(str(text).split())
    return flat if len(flat) <= LONGEST_REASON else flat[: LONGEST_REASON - 1] + "…"


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
