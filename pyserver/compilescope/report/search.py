"""Hits of a search for a terminal: those of a kind under its name, those of one event under the event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.search import MOST, Hit
from compilescope.report.clean import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compilescope.analysis.search import Ended
    from compilescope.report.style import Style

_HEADINGS = {
    "finding": "findings",
    "function": "functions",
    "guard": "guards",
    "kernel": "kernels",
    "node": "graph nodes",
    "pass": "passes",
    "source": "source",
    "event": "events",
    "file": "files",
    "text": "payloads",
}


def shown(end: Ended) -> str:
    """How many hits there are, and how many more of which kind: `1,000 hits; left out: 12 events, 10,000+ payloads`."""
    left = (f"{count:,}{'' if count < MOST else '+'} in {_HEADINGS[kind]}" for kind, count in end.left_out.items())
    return f"{end.hits:,} hits; left out: {', '.join(left)}"


class Report:
    """Writes hits one after the other, in lines of text."""

    def __init__(self, style: Style, write: Callable[[str], object]) -> None:
        self._style = style
        self._write = write
        self._kind: str | None = None
        self._event: tuple[str | None, int | None] | None = None

    def add(self, found: Hit | Ended) -> None:
        """Write one hit."""
        if not isinstance(found, Hit):
            return
        if found.kind != self._kind:
            self._line(("" if self._kind is None else "\n") + self._style.paint("strong", _HEADINGS[found.kind]))
            self._kind, self._event = found.kind, None
        if found.kind == "text":
            self._of_payload(found)
        else:
            self._line("  ".join(("", *self._parts(found))))

    def _of_payload(self, found: Hit) -> None:
        event = (found.log, found.offset)
        if event != self._event:
            self._event = event
            where = clean(f"{found.name}  {found.compile_id or '-'}")
            self._line(f"  {where}  {self._dim(clean(f'{found.log}:{found.offset}'))}")
        often = "".join(f"  {one}" for one in self._often(found))
        self._line(f"    {self._dim(f'{found.payload_line}:')} {self._matched(found)}{often}")

    def _parts(self, found: Hit) -> Iterator[str]:
        if found.compile_id is not None:
            yield clean(found.compile_id)
        if found.kind != "file" and found.file is not None and found.line is not None:
            yield self._style.place(clean(found.file), found.line, found.column)
        if found.stage is not None:
            yield self._dim(clean(found.stage))
        if found.name not in found.text and found.kind in {"finding", "event", "node"}:
            yield clean(found.name)
        if found.title is not None and found.title != found.text:
            yield clean(found.title)
        yield self._matched(found)
        yield from self._often(found)

    def _often(self, found: Hit) -> Iterator[str]:
        if found.count > 1:
            compiles = f" in {found.compiles:,} compiles" if found.compiles > 1 else ""
            yield self._dim(f"× {found.count:,}{compiles}")

    def _matched(self, found: Hit) -> str:
        text = clean(found.text)  # as long as it was
        match = self._style.paint("error", text[found.start : found.end])
        return text[: found.start] + match + text[found.end :]

    def _dim(self, text: str) -> str:
        return self._style.paint("dim", text)

    def _line(self, text: str) -> None:
        self._write(text + "\n")
