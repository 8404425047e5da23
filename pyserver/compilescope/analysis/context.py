"""What every rule needs at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.analysis.frames import is_plumbing, plain_function
from compilescope.analysis.traced_lines import TracedLines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compilescope.analysis.compiles import Compiles
    from compilescope.analysis.facts import Compiled, Facts, Frame
    from compilescope.analysis.frames import FrameRules
    from compilescope.analysis.model import Finding
    from compilescope.analysis.ranges import Ranges
    from compilescope.analysis.sources import Sources


@dataclass(frozen=True)
class Context:
    """A recording's facts and the means to place them."""

    facts: Facts
    sources: Sources
    ranges: Ranges
    rules: FrameRules
    compiles: Compiles
    names: dict[int, str] = field(default_factory=dict)
    lines: TracedLines = field(default_factory=TracedLines)
    """Which lines each compile went through, as far as recorded."""

    def name(self, where: Compiled) -> str:
        """Return a compile's id: torch's own, with the rank or process in front where there are several.

        Ids that torch used again after a reset have `reset1:` and so on in front.
        """
        again = f"reset{where.reset}:" if where.reset else ""
        return f"{self.prefix(where.process)}{again}{where.id or '-'}"

    def prefix(self, process: int) -> str:
        """Return what stands before the ids of a process's compiles and graphs."""
        return self.names.get(process, "")

    def function(self, code: Frame) -> str:
        """Return the name of the function that a frame or code is of, with its class when it is a method."""
        return self.sources.qualified(code.file, code.line, plain_function(code.function))

    def compiled(self, where: Compiled, code: Frame, frames: Sequence[Frame] = ()) -> str:
        """Return the name of what a compile is of: of torch's wrapper around it (`inner`) what that calls.

        Where the recording does not say that, it is the first of the `frames` that torch traced in it.
        """
        one = self.compiles.by_id.get(where)
        if one is not None and one.calls_to is not None:
            return one.calls_to.function
        inside = next((frame for frame in frames if not is_plumbing(frame.file)), None)
        return self.function(inside if inside is not None and is_plumbing(code.file) else code)

    def seconds(self, compiles: Iterable[Compiled]) -> float:
        """Return the seconds that some compiles took, each counted once."""
        return round(sum(self.compiles.seconds(one) for one in set(compiles)), 6)


def times(compiles: Iterable[Compiled]) -> int:
    """Return how often something was met: once by each compile, whose retries are no further times."""
    met = list(compiles)
    return len({one for one in met if one.id is not None}) + sum(one.id is None for one in met)


def add_once(values: list[str], more: Iterable[str]) -> None:
    """Append what is not there yet."""
    values.extend(one for one in dict.fromkeys(more) if one not in values)


def stack_of(above: tuple[Frame, ...], frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Return the whole stack, outermost first, without a frame that stands twice at the joint."""
    if above and frames and (above[-1].file, above[-1].line) == (frames[0].file, frames[0].line):
        same = above[-1].function == frames[0].function
        return (*above[:-1], *frames) if same else (*above, *frames)
    return (*above, *frames)


def sort_key(finding: Finding) -> tuple[int, float, str, int]:
    """Order findings as reports list them: by severity, dearest first, then by place."""
    order = {"error": 0, "warning": 1, "information": 2, "hint": 3}
    return order[finding.severity], -finding.cost_s, finding.file or "", finding.range.start.line
