"""The compiled functions of a recording with their versions, for the recompile panel and the HTML report.

`Recompiles(recording, context, result)`, then `functions()` for the list and `of(compile_id)` for one function. Missing
events leave parts empty: without torch's guard trees only what failed is known, without run counts there are no calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis import guards
from compilescope.analysis.frames import resumed_at
from compilescope.analysis.recompile_model import Choice
from compilescope.analysis.recompile_table import Made, table
from compilescope.analysis.symbols import Symbols

if TYPE_CHECKING:
    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame
    from compilescope.analysis.guards import GuardTree
    from compilescope.analysis.model import Finding, Result
    from compilescope.analysis.recompile_model import Table
    from compilescope.recording.reader import Recording

    Key = tuple[int, int, Frame]


class Recompiles:
    """The functions of one recording. It reads the recording, which has to be open."""

    def __init__(self, recording: Recording, context: Context, result: Result) -> None:
        self._recording = recording
        self._context = context
        self._result = result
        self._symbols = Symbols(recording, context)
        ranks = {one.number: one.rank for one in context.facts.processes.values()}
        self._ranks = ranks if len(set(ranks.values())) > 1 else {}
        self._made: dict[Key, Made] = {}
        self._key_of: dict[str, Key] = {}
        codes = context.compiles.codes()
        refused = {fact.where for fact in context.facts.recompiles if fact.refused}
        for one in sorted(context.compiles, key=lambda one: one.order):
            if (code := codes.get(one.where)) is not None and one.where not in refused:
                key = (one.where.process, one.where.reset, code)
                made = self._made.setdefault(key, Made(self._name(one), code))
                made.compiles.append(one)
                self._key_of[context.name(one.where)] = key
        for fact in context.facts.recompiles:
            key = (fact.where.process, fact.where.reset, fact.code)
            if key in self._made:
                self._made[key].facts.append(fact)
                self._key_of.setdefault(context.name(fact.where), key)

    def functions(self) -> list[Choice]:
        """Return all functions that were compiled, the dearest first."""
        found = [self._choice(made) for made in self._made.values()]
        return sorted(found, key=lambda one: (-one.cost_s, -one.versions))

    def of(self, compile_id: str | None) -> Table | None:
        """Return the function that has a compile, else the dearest one; None if nothing was compiled."""
        key = self._key_of.get(compile_id or "")
        if key is None:
            first = next(iter(self.functions()), None)
            if first is None:
                return None
            key = self._key_of[first.compile_id]
        return table(self._recording, self._context, self._result, self._symbols, self._findings(), self._made[key])

    def guards(self, compile_id: str) -> GuardTree | None:
        """Return the guards of a compile; None where the recording has none."""
        found = guards.trees(self._recording, self._context, compile_id.rpartition(":")[2])
        return next((tree for tree in found if tree.compile_id == compile_id), None)

    def _choice(self, made: Made) -> Choice:
        price = made.price(self._context)
        return Choice(
            compile_id=self._context.name(made.compiles[0].where),
            function=made.function,
            file=made.code.file,
            line=resumed_at(made.code.function) or made.code.line,
            resumed=resumed_at(made.code.function),
            versions=len(made.compiles),
            recompiles=len(made.again),
            cost_s=price.recompile_s + (price.guard_s or 0.0),
            rank=self._ranks.get(made.compiles[0].where.process),
        )

    def _findings(self) -> dict[str, Finding]:
        """Return the finding that tells of each compile."""
        return {
            id_: finding
            for rule in ("recompile-limit", "recompile")
            for finding in self._result.findings
            if finding.rule == rule
            for id_ in finding.compile_ids
        }

    def _name(self, one: Attempted) -> str:
        code = one.subject
        if code is None:
            return ""
        return code.function if one.calls_to is not None else self._context.function(code)
