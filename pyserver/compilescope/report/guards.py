"""The guards of one compile as a tree, in the program's names, each with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.report.clean import clean

if TYPE_CHECKING:
    from compilescope.analysis.guards import Guard, Guarded, GuardTree
    from compilescope.report.style import Style

_CODE = 64


def render(trees: list[GuardTree], style: Style) -> str:
    """The trees as text that ends in a newline."""
    lines = []
    for tree in trees:
        checks = "1 check" if tree.count == 1 else f"{tree.count} checks"
        timed = "" if tree.latency_us is None else f", one look-up {tree.latency_us:g} us (cold, timed once)"
        lines.append(style.paint("strong", f"{tree.compile_id}: {checks}{timed}"))
        lines += _guarded(tree.root, 1, style)
    return "\n".join(lines) + "\n"


def _guarded(one: Guarded, depth: int, style: Style) -> list[str]:
    lines = [_guard(guard, depth, style) for guard in one.guards]
    for child in one.children:
        kind = f" ({clean(child.type)})" if child.type else ""
        lines.append(f"{'  ' * depth}{style.paint('strong', clean(child.expression))}{style.paint('dim', kind)}")
        lines += _guarded(child, depth + 1, style)
    return lines


def _guard(guard: Guard, depth: int, style: Style) -> str:
    code = clean(" ".join(guard.code.split()))
    code = code if len(code) <= _CODE else code[: _CODE - 1] + "…"
    place = ""
    if guard.place is not None:
        start = guard.place.range.start
        place = "  " + style.place(guard.place.file, start.line + 1, start.character + 1)
    return f"{'  ' * depth}{guard.kind}: {code}{place}"
