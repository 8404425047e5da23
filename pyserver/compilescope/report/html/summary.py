"""The head of the report: what was run and how it ended, the numbers of the whole run, and where its time went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.recording.command import read
from compilescope.report.counts import Counts, counts, spent_s, together, torch_counts
from compilescope.report.ending import ending
from compilescope.report.html.figures import NOTHING, counted, percent, plain, seconds
from compilescope.report.html.markup import EMPTY, Markup, bar, join, prose, shortened, tag

if TYPE_CHECKING:
    from compilescope.analysis.model import Result, Run
    from compilescope.report.html.material import Material

_ICONS = {"ok": "m2 6.5 2.7 2.7L10 3.5", "bad": "M3 3l6 6M9 3l-6 6", "open": "M6 2.5v4M6 9v.1"}
_SEGMENTS = (
    ("capture_s", "Capture", "capture"),
    ("compile_s", "Compile", "codegen"),
    ("guard_s", "Guards", "guard"),
    ("execute_s", "Execute", "execute"),
)
_TOTAL_WIDTH, _LEAST_WIDTH, _GAP = 1012.0, 12.0, 2.0


def title(result: Result) -> str:
    """What the report is called: after the program, or after the log where that is not known."""
    command = read(result.run.command)
    name = command.script or (f"-m {command.module}" if command.module else None) or result.run.recording
    return f"Compile report: {shortened(name.replace(chr(92), '/').rstrip('/').rpartition('/')[2] or name, 120)}"


def summary(material: Material) -> Markup:
    """The head with everything up to the findings."""
    result = material.result
    run = result.run
    line = f"$ python {' '.join(map(str, run.command))}" if run.command else ""
    command = tag("div", shortened(line, 500), class_="mono cmd") if line else None
    head = tag("header", tag("div", tag("h1", title(result)), command), _status(run))
    end = ending(result)
    told = tag("p", prose(end), class_="ending", role="status") if end else None
    return join([head, told, _facts(result), _tiles(result), _total(result)])


def _status(run: Run) -> Markup:
    kind, said = _ended(run)
    icon = tag("svg", tag("path", d=_ICONS[kind]), viewBox="0 0 12 12", aria_hidden="true", class_="icon")
    return tag("span", icon, said, class_=f"state {kind}")


def _ended(run: Run) -> tuple[str, str]:
    """How a run ended, as a kind of badge and in words."""
    if run.status == "timed-out":
        return "bad", "stopped at the time limit"
    if run.status == "cancelled":
        return "open", "cancelled"
    if run.status == "running":
        return "open", "end not recorded"
    if run.exit_code is None:
        return "open", "exit code not recorded"
    if run.exit_code < 0:
        return "bad", f"killed by signal {-run.exit_code}"
    return ("ok" if run.exit_code == 0 else "bad"), f"exit code {run.exit_code}"


def _facts(result: Result) -> Markup:
    run = result.run
    overhead = result.metrics.get("tracing_overhead")
    passes = sum(one.kind == "pass" for one in result.passes)
    depth = ", ".join(filter(None, [run.depth, counted(passes, "pass", "passes") + " observed" if passes else ""]))
    facts = [
        ("torch", run.torch),
        ("Depth", depth),
        ("Processes", str(max(1, len(run.ranks)))),
        ("Wall time", seconds(run.wall_s)),
        ("Tracing overhead η", percent(overhead)),
    ]
    shown = (tag("div", tag("dt", name), tag("dd", shortened(value or NOTHING, 60))) for name, value in facts)
    return tag("dl", *shown, class_="meta")


def _tiles(result: Result) -> Markup:
    metrics = result.metrics
    found = counts(result)
    fallbacks, ops = metrics.get("fallback_ops"), metrics.get("total_ops")
    share, coverage = metrics.get("graph_share"), metrics.get("op_coverage")
    spent = spent_s(result)
    execute = metrics.get("execute_s")
    total = None if execute is None or spent is None else spent + execute
    of_total = "not recorded" if spent is None else f"of {seconds(total)} total" if total else ""
    unknown = "no code at this depth" if result.run.depth == "capture" else "not recorded"
    covered = unknown if coverage is None else f"{metrics.get('compiled_ops'):,} of {ops:,} compiled"
    tiles = [
        _tile("Graphs", f"{found.graphs:,}", _about(_directions(result, found), together(result))),
        _tile("Graph breaks", f"{found.breaks:,}",
              _about(_on(found.break_lines, "line"), torch_counts(result, "graph_breaks", found.breaks)),
              kind="warn" if found.breaks else ""),
        _tile("Recompiles", f"{found.recompiles:,}",
              _about(_on(found.recompiled, "function", "of"), torch_counts(result, "recompiles", found.recompiles))),
        _tile("Fallback ops", _count(metrics, "fallback_ops"), f"of {ops:,} ops" if ops else unknown,
              kind="hint" if fallbacks else ""),
        _tile("Graph share S", plain(share), "needs --profile" if share is None else "of run time", share),
        _tile("Op coverage", percent(coverage), covered, coverage),
        _tile("Compile", seconds(spent), of_total, (spent or 0.0) / total if total else None),
    ]  # fmt: skip
    return tag("div", *tiles, class_="tiles")


def _directions(result: Result, found: Counts) -> str:
    """How many of the compiled graphs that ran are forward and backward ones."""
    if found.backward_made and found.forward:
        return f"{found.forward} fwd, {found.backward} bwd ran"
    return _on(len(result.compiles), "compile", "of")


def _about(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _on(count: int, noun: str, word: str = "on") -> str:
    return f"{word} {counted(count, noun)}" if count else ""


def _count(metrics: dict[str, float | int | None], key: str) -> str:
    value = metrics.get(key)
    return "" if value is None else f"{value:,.0f}"


def _tile(name: str, value: str, about: str, share: float | None = None, kind: str = "") -> Markup:
    parts = [
        tag("div", name, class_="tn"),
        tag("div", value or NOTHING, class_="tv num"),
        tag("div", about, class_="ts"),
        tag("div", bar(share), class_="tb") if share is not None else None,
    ]
    return tag("div", *parts, class_=f"tile {kind}".strip())


def _total(result: Result) -> Markup:
    """One bar of the whole time: capture, compile, guards, execute."""
    parts = [(name, stage, result.metrics.get(key) or 0.0) for key, name, stage in _SEGMENTS]
    parts = [one for one in parts if one[2] > 0]
    whole = sum(value for _, _, value in parts)
    if not whole:
        return EMPTY
    room = _TOTAL_WIDTH - _GAP * (len(parts) - 1) - _LEAST_WIDTH * len(parts)
    drawn: list[Markup] = []
    left = 0.0
    for name, stage, value in parts:
        size = _LEAST_WIDTH + room * value / whole
        label = f"{name} {seconds(value)}"
        fits = next((said for said in (label, seconds(value)) if len(said) * 6.6 + 16 < size), None)
        x = f"{left:.1f}"
        box = tag("rect", x=x, y=0, width=f"{size:.1f}", height=22, rx=2, class_="seg")
        edge = tag("rect", x=x, y=0, width=3, height=22, class_="edge")
        text = tag("text", fits, x=f"{left + 10:.1f}", y=15) if fits else None
        drawn.append(tag("g", tag("title", label), box, edge, text, class_=f"s-{stage}"))
        left += size + _GAP
    said = f"Total time {seconds(whole)}: " + ", ".join(f"{name.lower()} {seconds(value)}" for name, _, value in parts)
    return tag("svg", *drawn, viewBox=f"0 0 {_TOTAL_WIDTH:.0f} 22", class_="total", role="img", aria_label=said)
