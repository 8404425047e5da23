"""Whether what failed under torch.compile fails without it as well: the program's own mistake, then."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis.data import load
from compilescope.analysis.ours import frames, mapping, text

if TYPE_CHECKING:
    from typing import Any

    from compilescope.analysis.facts import Facts, Failure, Frame

_LONGEST = 160


class Verdict(NamedTuple):
    """`state`: `fails`, `works`, `likely-fails`, `likely-works`, or None; `why`: a sentence about what was seen."""

    state: str | None
    why: str = ""

    @property
    def fails(self) -> bool:
        """Whether it is the program's own mistake, as far as is known."""
        return self.state in {"fails", "likely-fails"}


class EagerRun:
    """The second run of `trace --check-eager`, without torch.compile; `run.json` says how it ended."""

    def __init__(self, info: dict[str, Any]) -> None:
        eager = info.get("eager")
        self._ended = mapping(eager)
        self.ended = isinstance(eager, dict) and "exception" in eager
        """Whether there was such a run."""

    def about(self, fact: Failure, place: Frame, facts: Facts) -> Verdict | None:
        """Return what the second run says about a failure that is blamed on `place`; None if it says nothing."""
        if not self.ended or not ended_program(fact, facts):
            return None
        raised = mapping(self._ended.get("exception"))
        if not raised:
            whole = self._ended.get("status") == "finished"
            return Verdict("works", _said("works")) if whole else None
        kind, message = text(raised.get("type")) or "", text(raised.get("message")) or ""
        lines = {(one.file, one.line) for one in frames(raised.get("frames"))}
        if (place.file, place.line) in lines or any(_alike((kind, message), link) for link in fact.chain):
            return Verdict("fails", _said("fails"))
        other = f"{kind.rpartition('.')[2]}: {_first(message)}"
        return Verdict(None, _said("elsewhere").replace("{other}", other))

    def unchecked(self, fact: Failure, facts: Facts) -> str:
        """Return why the second run, if there was one, says nothing about a failure."""
        process = facts.processes.get(fact.where.process)
        if not self.ended or process is None or process.exit is None:
            return ""
        return _said("unfinished" if ended_program(fact, facts) else "caught")


def verdict(fact: Failure, place: Frame, facts: Facts, second: EagerRun, usual: str | None) -> Verdict:
    """Return what is known: from a second run, from this one's going on in eager, else `usual` for such a failure."""
    seen = second.about(fact, place, facts)
    if seen is not None:
        return seen
    process = facts.processes.get(fact.where.process)
    if fact.suppressed and process is not None and process.exit is not None:
        again = process.exit.exception is not None and ended_program(fact, facts)
        return Verdict("fails" if again else "works", _said("fails" if again else "works"))
    return Verdict(usual, second.unchecked(fact, facts))


def ended_program(fact: Failure, facts: Facts) -> bool:
    """Whether a failure is what ended its process."""
    process = facts.processes.get(fact.where.process)
    raised = process.exit.exception if process is not None and process.exit is not None else None
    return raised is not None and any(_alike(raised, link) for link in fact.chain)


def _alike(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two exceptions are the same one: by name and the first line, torch's additions left out."""
    first, second = _first(one[1]), _first(other[1])
    return one[0].rpartition(".")[2] == other[0].rpartition(".")[2] and (
        first[:_LONGEST] == second[:_LONGEST] or (bool(first and second) and (first in other[1] or second in one[1]))
    )


def _first(message: str) -> str:
    return next((line.strip() for line in message.splitlines() if line.strip()), "")


def _said(state: str) -> str:
    return str(load("failures")["eager"][state])
