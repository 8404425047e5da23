"""The symbols of each compile: what is variable in it and since when, what it was found to be, and where.

From torch's events `create_symbol`, `create_unbacked_symbol` and `symbolic_shape_specialization` (2.6 to 2.14), which
foreign TORCH_TRACE logs have too, and from our `compilescope_symbols`: the ranges at the end of the compile, and why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours, torch_text
from compilescope.analysis.facts import Compiled, Frame
from compilescope.analysis.guards import words
from compilescope.analysis.model import Place

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Event, Recording

_RANGE = re.compile(r"^\[(.*), (.*)\]$")
_AUTOMATIC = "automatic_dynamic"
_SIZE_OF = re.compile(r"^(?P<tensor>.*)\.size\(\)\[(?P<dimension>\d+)\]$")


@dataclass(frozen=True)
class Symbol:
    """A value that one compiled graph leaves open.

    `value` is the first that it had, `lower` and `upper` the range in which the graph holds (`int_oo`: no bound),
    `is_` what it was found to equal. `why`: `automatic` (it had a second value), `mark_dynamic`, `maybe_mark_dynamic`,
    `mark_unbacked`, `dynamic=True`, or None: data decides it, or that is not recorded. `place` is where it was made,
    `bound_at` where the program set a limit of the range.
    """

    compile_id: str
    symbol: str
    kind: str
    sources: tuple[str, ...] = ()
    value: str | None = None
    lower: str | None = None
    upper: str | None = None
    is_: str | None = None
    why: str | None = None
    place: Place | None = None
    bound_at: Place | None = None

    @property
    def expression(self) -> str | None:
        """What it stands for in the program's names: `x.shape[0]`; None when the data decide."""
        return words(self.sources[0]) if self.sources else None


@dataclass(frozen=True)
class Specialization:
    """A symbol got one fixed value, on a line that allows no other. `reason` is torch's word for how."""

    compile_id: str
    symbol: str
    value: str
    sources: tuple[str, ...] = ()
    reason: str | None = None
    place: Place | None = None

    @property
    def expression(self) -> str | None:
        """What was fixed, in the program's names."""
        return words(self.sources[0]) if self.sources else None


@dataclass(frozen=True)
class Learned:
    """A dimension or number that became variable at its second value: torch's automatic dynamic."""

    expression: str
    old: str | None
    new: str | None
    symbol: str | None = None


class Symbols:
    """The symbols of a recording's compiles."""

    def __init__(self, recording: Recording, context: Context) -> None:
        self.by_compile: dict[Compiled, dict[str, Symbol]] = {}
        self.specializations: dict[Compiled, list[Specialization]] = {}
        self._changes: dict[Compiled, list[Learned]] = {}
        self._context = context
        for event in recording.events("create_symbol", "create_unbacked_symbol"):
            self._created(recording, event)
        for event in recording.events("compilescope_symbols"):
            for one in ours.items(ours.mapping(recording.json(event)).get("symbols")):
                self._known(context.compiles.where(event), ours.mapping(one))
        for event in recording.events("symbolic_shape_specialization"):
            self._specialized(recording, event)
        for event in recording.events("chromium_event", label=_AUTOMATIC):
            self._changed(recording, event)

    def of(self, where: Compiled) -> list[Symbol]:
        """Return a compile's symbols in the order in which they were made."""
        return list(self.by_compile.get(where, {}).values())

    def all(self) -> list[Symbol]:
        """Return the symbols of all compiles."""
        return [one for made in self.by_compile.values() for one in made.values()]

    def all_specializations(self) -> list[Specialization]:
        """Return what was specialised in all compiles."""
        return [one for found in self.specializations.values() for one in found]

    def learned(self, where: Compiled) -> list[Learned]:
        """Return what one compile left open because it had changed since an earlier one.

        As torch says it, with old and new value; else what is variable automatically and was not in any compile
        before of the same frame.
        """
        open_now = {one.expression: one.symbol for one in self.of(where)}
        said = [replace(one, symbol=open_now[one.expression]) for one in self._changes.get(where, ())
                if one.expression in open_now]  # fmt: skip
        known = {one.expression for one in said} | self._before(where)
        return said + [
            Learned(one.expression, None, one.value, one.symbol)
            for one in self.of(where)
            if one.why == "automatic" and one.expression and one.expression not in known
        ]

    def _before(self, where: Compiled) -> set[str | None]:
        """Return what earlier compiles of the same frame left open."""
        frame, _, number = (where.id or "").rpartition("/")
        earlier = (where._replace(id=f"{frame}/{one}") for one in range(_number(number)))
        return {symbol.expression for one in earlier for symbol in self.of(one)}

    def _created(self, recording: Recording, event: Event) -> None:
        fields = event.fields
        name = ours.text(fields.get("symbol"))
        if name is None:
            return
        source = ours.text(fields.get("source"))
        bounds = _RANGE.match(ours.text(fields.get("vr")) or "")
        where = self._context.compiles.where(event)
        self.by_compile.setdefault(where, {})[name] = Symbol(
            self._context.name(where),
            name,
            "backed" if event.name == "create_symbol" else "unbacked",
            (source,) if source else (),
            ours.text(fields.get("val")),
            bounds[1] if bounds else None,
            bounds[2] if bounds else None,
            place=self._place(recording, event),
        )

    def _known(self, where: Compiled, data: dict[str, Any]) -> None:
        name = ours.text(data.get("symbol"))
        if name is None:
            return
        made = self.by_compile.setdefault(where, {})
        known = made.get(name) or Symbol(self._context.name(where), name, ours.text(data.get("kind")) or "backed")
        bounds = [ours.text(one) for one in ours.items(data.get("range"))]
        lines = [one for text in ours.items(data.get("range_at")) if (one := ours.text(text))]
        places = [one for line in lines for one in torch_text.comment_places(line, self._context.sources)]
        lower, upper = bounds if len(bounds) == 2 else (known.lower, known.upper)  # noqa: PLR2004
        narrowed = (known.lower, known.upper) != (lower, upper)
        made[name] = replace(
            known,
            sources=ours.strings(data.get("sources")) or known.sources,
            value=ours.text(data.get("value")) or known.value,
            lower=lower,
            upper=upper,
            is_=ours.text(data.get("is")),
            why=ours.text(data.get("why")),
            bound_at=self._placed(places[-1]) if narrowed and places else None,
        )

    def _specialized(self, recording: Recording, event: Event) -> None:
        fields = event.fields
        name, value = ours.text(fields.get("symbol")), ours.text(fields.get("value"))
        if name is None or value is None:
            return
        where = self._context.compiles.where(event)
        found = self.specializations.setdefault(where, [])
        if not any((one.symbol, one.value) == (name, value) for one in found):
            place = self._place(recording, event)
            reason = ours.text(fields.get("reason"))
            found.append(
                Specialization(
                    self._context.name(where), name, value, ours.strings(fields.get("sources")), reason, place
                )
            )

    def _changed(self, recording: Recording, event: Event) -> None:
        data = ours.mapping(ours.mapping(recording.json(event)).get("args"))
        name, dimension = ours.text(data.get("name")), ours.integer(data.get("dim_changed"))
        scalar = data.get("dim_changed") == "scalar"
        if (
            name is None
            or ours.text(data.get("reason")) not in {"size change", "scalar change"}
            or not (scalar or dimension is not None)
        ):
            return
        expression = words(name) if scalar else f"{words(name)}.shape[{dimension}]"
        changes = self._changes.setdefault(self._context.compiles.where(event), [])
        if all(one.expression != expression for one in changes):
            changes.append(Learned(expression, ours.text(data.get("cached")), ours.text(data.get("new"))))

    def _place(self, recording: Recording, event: Event) -> Place | None:
        """Return the innermost place of the program that torch was at."""
        stack = [
            Frame(one["file"], line, ours.text(one["function"]) or "")
            for one in recording.stack(event, "user_stack")
            if (line := ours.line_number(one["line"])) is not None
        ]
        return self._placed(self._context.rules.place(stack))

    def _placed(self, frame: Frame | None) -> Place | None:
        return None if frame is None else Place(frame.file, self._context.ranges.of(frame))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 6 else 0  # noqa: PLR2004
