"""What `--profile` counted (part of `model.Result`)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ProfiledOperator:
    """An operator with how often it ran and for how long, in seconds; those that it calls itself are in its time."""

    operator: str
    calls: int
    seconds: float


@dataclass(frozen=True)
class ProfiledGraph:
    """A compiled graph that ran; `operations` is `calls` times those that it has, None where they are not recorded."""

    graph: str
    calls: int
    seconds: float
    operations: int | None


@dataclass
class Profile:
    """What `--profile` counted while nothing was compiling.

    `eager`: operators outside of compiled graphs, `inside`: those that compiled graphs call in ATen. `ended`: why the
    profile does not reach to the program's end.
    """

    seconds: float = 0.0
    ended: str | None = None
    lookups: int = 0
    guard_s: float = 0.0
    eager: list[ProfiledOperator] = field(default_factory=list)
    inside: list[ProfiledOperator] = field(default_factory=list)
    graphs: list[ProfiledGraph] = field(default_factory=list)

    @property
    def eager_operations(self) -> int:
        """Operators that ran in eager."""
        return sum(one.calls for one in self.eager)

    @property
    def compiled_operations(self) -> int | None:
        """Operations that ran in compiled graphs; None where those of one are not recorded."""
        known = [one.operations for one in self.graphs if one.operations is not None]
        return sum(known) if len(known) == len(self.graphs) else None

    @property
    def graph_share(self) -> float | None:
        """The share of compiled graphs in the time of operators and compiled graphs."""
        compiled, eager = (sum(one.seconds for one in each) for each in (self.graphs, self.eager))
        return round(compiled / (compiled + eager), 6) if compiled + eager else None
