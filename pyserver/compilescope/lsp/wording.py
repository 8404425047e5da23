"""Short texts about findings and runs in plain words. Longer ones are in the cards of `cards`."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

from compilescope.analysis.log_lines import LOG_LINE, is_changed
from compilescope.analysis.model import Finding, Result, Run
from compilescope.recording.command import read
from compilescope.report.counts import counts

LABEL_IN_TITLE = {"pass-inert"}
"""Rules whose label says again what the title does: it is for places without one."""
LONGEST_LINE = 80
"""Characters of a source line in a message."""
HEADS = {
    "graph-break": "Graph break",
    "graph-break-error": "Graph break where none is allowed",
    "frame-skipped": "Runs in eager",
    "recompile": "Recompiled",
    "recompile-limit": "Recompile limit",
    "fallback-op": "Library call",
    "compile-error": "Compile error",
    "slow-compile": "Slow compile",
    "pass-inert": "Pass without effect",
    "unknown-log-name": "Unknown log name",
    "export-issue": "Export",
}


def command_text(run: Run) -> str:
    """The command, with the script's name for its path; empty when unknown.

    `train.py --fast`, `-m pkg.train`, `Net(torch.ones(2)) in net.py`, `train.py (nproc-per-node 2)`.
    """
    command = read(run.command)
    what = f"-m {command.module}" if command.module is not None else Path(command.script or "").name
    words = " ".join([what, *command.args])
    if command.target is not None:
        return f"{command.target}({command.inputs[0] if command.inputs else ''}) in {words}"
    options = ", ".join(f"{name.removeprefix('--')} {value}" for name, value in command.options)
    return f"{words} ({options})" if options else words


def message(finding: Finding) -> str:
    """The one line of the Problems list: what happened and the one reason."""
    label = str(finding.detail.get("label") or "")
    if finding.rule == "recompile":
        head = f"Recompiled {repeated(finding.count)}{f', {seconds(finding.cost_s)}' if finding.cost_s else ''}"
        return sentence(f"{head}: {label or finding.title}")
    head, title = HEADS[finding.rule], finding.title
    first = title if title.casefold().startswith(head.casefold()) else f"{head}: {title}"
    more = "" if finding.rule in LABEL_IN_TITLE else sentence(capital(label))
    return " ".join(part for part in (sentence(first), more) if part)


def run_time(started: str | None, today: date | None = None) -> str:
    """`from the run at 14:02`, in local time; with the day when that is another one."""
    try:
        at = datetime.fromisoformat((started or "").replace("Z", "+00:00")).astimezone()
    except (ValueError, OverflowError, OSError):
        return "from an earlier run"
    day = "" if at.date() == (today or datetime.now().astimezone().date()) else f"{at.day} {at:%b}, "
    return f"from the run at {day}{at:%H:%M}"


def outdated(finding: Finding, started: str | None) -> str:
    """Why a finding may not be right any more: from which run it is, or that the log has another line in its place."""
    if not is_changed(finding):
        return run_time(started)
    return f"not the line that ran: {_log_line(finding)}"


def file_note(finding: Finding) -> str | None:
    """That a finding's file is not here or has another line, and what the log has; null where all is well."""
    if LOG_LINE not in finding.detail:
        return None
    what = "The file has another line here" if is_changed(finding) else "The file is not on this machine"
    return f"{what}; the log has: {_log_line(finding)}"


def _log_line(finding: Finding) -> str:
    line = " ".join(str(finding.detail.get(LOG_LINE)).split())
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def sentence(text: str) -> str:
    """`text` with a full stop at its end."""
    text = text.strip()
    return text if not text or text.endswith((".", "…", "!", "?")) else f"{text}."


def capital(text: str) -> str:
    """`text` with a capital first letter; one that begins with code stays as it is."""
    return text[:1].upper() + text[1:]


def seconds(value: float) -> str:
    """Seconds with two decimals below 10, one from there on: `0.09 s`, `12.3 s`."""
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"  # noqa: PLR2004


def repeated(count: int) -> str:
    """`once`, `4 times`."""
    return "once" if count == 1 else f"{count} times"


def joined(parts: list[str]) -> str:
    """Parts that are not empty, with dots between them."""
    return " · ".join(part for part in parts if part)


def totals(result: Result) -> dict[str, int]:
    """How many graphs, breaks, recompiles, skipped frames and errors a result has."""
    found = counts(result)
    return {
        "graphs": found.graphs,
        "breaks": found.breaks,
        "recompiles": found.recompiles,
        "skipped": found.skipped,
        "errors": found.errors,
    }
