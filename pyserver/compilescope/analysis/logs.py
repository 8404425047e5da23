"""What torch logged in a run, as far as it was asked for (`compilescope_log`), and how much each level would print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.analysis import ours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Recording

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True)
class LogRecord:
    """One record. `name`: the artifact, else the component. `bytes`: what torch would print for it, with prefixes.

    `time`: seconds since 1970. `cut`: how many characters of the message were not kept.
    """

    name: str
    component: str
    artifact: str | None
    level: str
    time: float
    compile_id: str | None
    file: str
    line: int
    bytes: int
    message: str
    cut: int = 0


@dataclass
class LogCount:
    """How much there is of one log. `recorded_from`: the lowest level that was asked for; null when not known.

    `levels`: records and bytes that setting the log to a level would print, those of all higher levels included.
    Without the levels that were not recorded.
    """

    name: str
    component: str
    kind: str
    recorded_from: str | None
    levels: dict[str, tuple[int, int]] = field(default_factory=dict)


class Logs:
    """The log records of a recording."""

    def __init__(self, recording: Recording, context: Context) -> None:
        self._recording = recording
        self._context = context

    def records(self, names: frozenset[str] | None = None, level: str = "DEBUG") -> Iterator[LogRecord]:
        """Yield the records from a level on in the order in which they were made; those of some names only.

        A component's name stands for its artifacts, too.
        """
        lowest = LEVELS.index(level)
        for event in self._recording.events("compilescope_log"):
            data = ours.mapping(self._recording.json(event))
            word = ours.text(data.get("level"))
            if word not in LEVELS or LEVELS.index(word) < lowest:
                continue
            component, artifact = ours.text(data.get("component")) or "", ours.text(data.get("artifact"))
            name = artifact or component
            if names is not None and name not in names and component not in names:
                continue
            prefix = self._context.prefix(event.process)
            yield LogRecord(
                name=name,
                component=component,
                artifact=artifact,
                level=word,
                time=ours.duration(data.get("time")) or 0.0,
                compile_id=None if event.compile_id is None else prefix + event.compile_id,
                file=ours.text(data.get("file")) or "",
                line=ours.line_number(data.get("line")) or 0,
                bytes=ours.integer(data.get("bytes")) or 0,
                message=ours.text(data.get("message")) or "",
                cut=ours.integer(data.get("cut")) or 0,
            )

    def counts(self) -> list[LogCount]:
        """Return how much there is of each log, the one with most bytes first, and of what was asked for in vain."""
        found: dict[tuple[str, str], dict[str, list[int]]] = {}
        for one in self.records():
            _add(found, (one.component, one.name), one.level, 1, one.bytes)
        for component, name, level, records, size in self._dropped():
            _add(found, (component, name), level, records, size)
        chosen = self._chosen()
        for name in chosen:
            if not any(name in key for key in found):
                found[name, name] = {}
        counts = [_count(key, levels, chosen) for key, levels in found.items()]
        return sorted(counts, key=lambda one: (-max((size for _, size in one.levels.values()), default=0), one.name))

    def dropped(self) -> int:
        """Return how many records were only counted, because there were too many."""
        return sum(records for _, _, _, records, _ in self._dropped())

    def _chosen(self) -> dict[str, tuple[str, str | None]]:
        """What was asked for: kind and lowest level by name."""
        found = {}
        for event in self._recording.events("compilescope_log_choice"):
            for one in map(ours.mapping, ours.items(ours.mapping(self._recording.json(event)).get("names"))):
                name, level = ours.text(one.get("name")), ours.text(one.get("level"))
                if name is not None:
                    found[name] = (ours.text(one.get("kind")) or "component", level if level in LEVELS else None)
        return found

    def _dropped(self) -> Iterator[tuple[str, str, str, int, int]]:
        for event in self._recording.events("compilescope_exit"):
            for one in map(ours.mapping, ours.items(ours.mapping(self._recording.json(event)).get("log_dropped"))):
                component, level = ours.text(one.get("component")) or "", ours.text(one.get("level"))
                if level in LEVELS:
                    name = ours.text(one.get("artifact")) or component
                    counted = (ours.integer(one.get("records")) or 0, ours.integer(one.get("bytes")) or 0)
                    yield component, name, level, *counted


def _add(
    found: dict[tuple[str, str], dict[str, list[int]]], key: tuple[str, str], level: str, records: int, size: int
) -> None:
    counts = found.setdefault(key, {}).setdefault(level, [0, 0])
    counts[0] += records
    counts[1] += size


def _count(key: tuple[str, str], levels: dict[str, list[int]], chosen: dict[str, tuple[str, str | None]]) -> LogCount:
    component, name = key
    kind, lowest = chosen.get(name) or ("artifact", chosen.get(component, ("", None))[1])
    kept = LEVELS[LEVELS.index(lowest or "DEBUG") :]
    above = {
        level: (
            sum(levels.get(one, (0, 0))[0] for one in kept[index:]),
            sum(levels.get(one, (0, 0))[1] for one in kept[index:]),
        )
        for index, level in enumerate(kept)
    }
    return LogCount(name, component, kind, lowest, above)
