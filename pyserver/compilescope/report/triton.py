"""The table of Triton kernels: those that a GPU ran, or a preview that says it is one and what its limits are."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from compilescope.report.style import COLUMNS, Style

if TYPE_CHECKING:
    from compilescope.analysis.kernel_model import TritonKernel

_MOST = 8
_NAME = 48
_HEAD = ("graph", "kernel", "registers", "spills", "shared", "warps")


def triton(kernels: list[TritonKernel], style: Style) -> list[str]:
    """The lines; none without kernels. The kernels that take most registers come first, and only a few are shown."""
    lines: list[str] = []
    for preview in (False, True):
        some = [one for one in kernels if one.preview is preview]
        if some:
            lines += _table(some, style, preview=preview)
    return lines


def _table(kernels: list[TritonKernel], style: Style, *, preview: bool) -> list[str]:
    target = ", ".join(sorted({one.target for one in kernels if one.target})) or "a GPU"
    known = [one for one in kernels if one.kernel is not None and one.error is None]
    whence = ", generated from the CPU graphs" if known else ""
    title = f"Triton preview for {target}{whence}" if preview else f"Triton kernels on {target}"
    known.sort(key=lambda one: (-(one.registers or 0), -(one.shared or 0)))
    lines = [style.paint("strong", title)]
    if known:
        lines += _columns([_HEAD, *map(_cells, known[:_MOST])])
    if len(known) > _MOST:
        lines.append(f"  ... {len(known) - _MOST} more ...")
    for one in kernels:
        if one.error is not None:
            what = " ".join(filter(None, [one.graph, one.kernel])) or "no preview"
            lines += _wrapped(f"{what}: {' '.join(one.error.split())}"[:400])
    if limits := next((one.limits for one in known if one.limits), []):
        lines += [style.paint("dim", line) for line in _wrapped(f"limits: {'; '.join(limits)}")]
    return lines


def _cells(one: TritonKernel) -> tuple[str, ...]:
    figures = (one.registers, one.spills, one.shared, one.num_warps)
    return (one.graph, _cut(one.kernel or ""), *("?" if value is None else str(value) for value in figures))


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns side by side: the first two to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(size) if place < 2 else cell.rjust(size)  # noqa: PLR2004 - graph and kernel
                         for place, (cell, size) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]  # fmt: skip


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent="  ", subsequent_indent="    ", break_long_words=False)


def _cut(name: str) -> str:
    """A kernel's name: its beginning and its number, which tell it from others."""
    return name if len(name) <= _NAME else f"{name[: _NAME - 10]}...{name[-7:]}"
