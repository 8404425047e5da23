"""What torch's graph caches answered for each graph, and on a miss what differs from the most similar key before.

From torch's own events (`fx_graph_cache_hit`, `aotautograd_cache_miss`, … 2.6 to 2.14), which hold the components of
the key, one for each thing that enters it, as `[hash] name: text`; foreign TORCH_TRACE logs have them too. Our
`compilescope_cache` adds which graph it was, and caches that are off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.once import Once
from compilescope.recording.error import RecordingError
from compilescope.recording.reader import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Event

FOLDER = ".compilescope"
_EVENT = re.compile(r"(?P<cache>fx_graph|aotautograd)(?:_bundled)?_cache_(?P<outcome>hit|miss|bypass)")
_EVENTS = tuple(
    f"{cache}_cache_{outcome}"
    for cache in ("fx_graph", "fx_graph_bundled", "aotautograd")
    for outcome in ("hit", "miss", "bypass")
)
_COMPONENT = re.compile(r"^\[(\w+)\] ([\w.]+(?:\[[^\]]*\])?): ?(.*)$", re.DOTALL)
_BACKWARD = "fx_kwargs[is_backward]"
_TENSOR = "TensorMetadata("
_FIELD = re.compile(r", (?=\w+=)")
_MOST = 400
_SIBLINGS = 3
_SHOWN = 20
_LONGEST = 160


@dataclass(frozen=True)
class Difference:
    """One part of a key that is another one than in an earlier key; `old` or `new` is None where it has none."""

    component: str
    old: str | None
    new: str | None


@dataclass
class Lookup:
    """One answer of a cache.

    `reason`: of a bypass torch's words; of a miss `full_miss` (no such key) or `guard_miss` (the key is there, for
    other sizes). `components`: how many things entered the key. `differs`: on a miss, what is not as in the most
    similar key before, `nearest`, which is of the compile `nearest_id` (in another recording of the same folder if it
    is named), of its graph `nearest_graph` where that is known; empty where there is none, or where torch did not
    record the components.
    """

    compile_id: str
    cache: str
    outcome: str
    graph: str | None = None
    key: str | None = None
    reason: str | None = None
    components: int = 0
    saved_s: float | None = None
    nearest: str | None = None
    nearest_id: str | None = None
    nearest_recording: str | None = None
    nearest_graph: str | None = None
    differing: int = 0
    differs: list[Difference] = field(default_factory=list)


@dataclass(frozen=True)
class _Parts:
    """What entered a key, by name: (hash, text)."""

    texts: dict[str, tuple[str, str]]

    @cached_property
    def hashes(self) -> frozenset[tuple[str, str]]:
        """The names of the parts with their hashes."""
        return frozenset((name, hash_) for name, (hash_, _) in self.texts.items())


@dataclass(frozen=True)
class _Key:
    """A key that was looked up."""

    key: str
    compile_id: str
    recording: str | None
    parts: _Parts


_Hashes = frozenset[tuple[str, str]]


def _differing(old: _Hashes, new: _Hashes) -> set[str]:
    """Return the names of the parts that are not the same."""
    return {name for name, _ in old ^ new}


def lookups(recording: Recording, context: Context) -> list[Lookup]:
    """Return each answer of a cache, in order, with what differs on a miss."""
    found: list[Lookup] = []
    answers = Once(recording, lambda event: _components(recording, event))
    differing = lru_cache(maxsize=256)(_differing)  # the same keys come again and again
    keys: dict[str, dict[frozenset[tuple[str, str]], _Key]] = {}
    earlier: dict[str, list[_Key]] | None = None
    for event in recording.events(*_EVENTS, "compilescope_cache"):
        if event.name == "compilescope_cache":
            data = ours.mapping(recording.json(event))
            graph = ours.text(data.get("graph"))
            named = context.prefix(event.process) + graph if graph else None
            _take_ours(found, context.name(context.compiles.where(event, graph or "")), named, data)
            continue
        match = _EVENT.fullmatch(event.name)
        if match is None:
            continue
        data, parts = answers.of(event) or ({}, _Parts({}))
        where = context.compiles.where(event)
        one = _read(match["cache"], match["outcome"], context.name(where), data, len(parts.texts))
        one.graph = _graph(context.name(where), parts.texts) if one.cache == "fx_graph" and where.id else None
        if parts.texts and len(found) <= _MOST:
            known = keys.setdefault(one.cache, {})
            if one.outcome == "miss":
                earlier = _of_siblings(recording) if earlier is None else earlier
                _compare(one, parts, [*earlier.get(one.cache, ()), *known.values()], differing)
            key = _Key(one.key or "", one.compile_id, None, parts)
            known.pop(parts.hashes, None)  # of equal ones the latest is told of
            known[parts.hashes] = key
        found.append(one)
    return found


def _components(recording: Recording, event: Event) -> tuple[dict[str, Any], _Parts] | None:
    """Return what a payload says but the components, and these; None when it is no object."""
    data = recording.json(event)
    if not isinstance(data, dict):
        return None
    parts = _parts(data)
    return {key: value for key, value in data.items() if key != "components"}, parts


def _read(cache: str, outcome: str, compile_id: str, data: dict[str, Any], components: int) -> Lookup:
    detail = ours.text(data.get("cache_status_detailed")) if outcome == "miss" else None
    nanoseconds = ours.duration(data.get("time_saved_ns"))
    milliseconds = ours.duration(data.get("time_saved_ms"))
    saved = nanoseconds * 1e-9 if nanoseconds is not None else None
    if saved is None and milliseconds is not None:
        saved = milliseconds * 1e-3
    return Lookup(
        compile_id,
        cache,
        outcome,
        key=ours.text(data.get("key")) or ours.text(data.get("cache_key")),
        reason=ours.text(data.get("cache_bypass_reason")) or ours.text(data.get("reason")) or detail,
        components=components,
        saved_s=round(saved, 6) if saved is not None and outcome == "hit" else None,
    )


def _parts(data: dict[str, Any]) -> _Parts:
    matches = (_COMPONENT.match(one) for one in ours.strings(data.get("components")))
    return _Parts({match[2]: (match[1], match[3]) for match in matches if match is not None})


def _graph(compile_id: str, parts: dict[str, tuple[str, str]]) -> str | None:
    """Return the name of the graph that a key is of, by the options in it; a second of a kind looks the same."""
    backward = parts.get(_BACKWARD)
    if backward is None:
        return None
    inference = parts.get("fx_kwargs[is_inference]", ("", ""))[1] == "True"
    direction = "backward" if backward[1] == "True" else "inference" if inference else "forward"
    return f"{compile_id}/{direction}"


def _take_ours(found: list[Lookup], compile_id: str, graph: str | None, data: dict[str, Any]) -> None:
    """Take what our event says of the answer before it; it stands alone for a cache that is off."""
    cache, outcome = ours.text(data.get("cache")), ours.text(data.get("outcome"))
    if cache is None or outcome is None:
        return
    if outcome != "off":
        last = found[-1] if found else None
        if last is not None and (last.compile_id, last.cache, last.outcome) == (compile_id, cache, outcome):
            last.graph = graph or last.graph
    elif all((one.compile_id, one.cache, one.graph) != (compile_id, cache, graph) for one in found):
        found.append(Lookup(compile_id, cache, outcome, graph, None, ours.text(data.get("reason"))))


def _compare(
    one: Lookup, parts: _Parts, before: Iterable[_Key], differ: Callable[[_Hashes, _Hashes], set[str]]
) -> None:
    """Note what differs from the most similar key before of this direction, of equally similar ones the latest."""
    direction = _direction(parts)
    best: tuple[set[str], _Key] | None = None
    for key in before:
        if _direction(key.parts) != direction:
            continue
        differing = differ(key.parts.hashes, parts.hashes)
        if best is None or len(differing) <= len(best[0]):
            best = (differing, key)
    if best is None:
        return
    differing, key = best
    old, new = key.parts.texts, parts.texts
    one.differing = len(differing)
    one.nearest, one.nearest_id, one.nearest_recording = key.key, key.compile_id, key.recording
    first = sorted((name for name in {**old, **new} if name in differing), key=_rank)[:_SHOWN]
    one.differs = [Difference(name, *_shortened(old.get(name), new.get(name))) for name in first]


def _rank(name: str) -> int:
    """What the program decides comes first, settings after."""
    order = ("gm", "example_inputs", "fx_kwargs", "inductor_config")
    return next((index for index, start in enumerate(order) if name.startswith(start)), len(order))


def _direction(parts: _Parts) -> str | None:
    """Return the hash of whether a key is of a backward graph."""
    return parts.texts[_BACKWARD][0] if _BACKWARD in parts.texts else None


def _shortened(old: tuple[str, str] | None, new: tuple[str, str] | None) -> tuple[str | None, str | None]:
    """Return two texts, of a tensor's metadata or of several lines what differs, each cut to a readable length."""
    if old is None or new is None:
        return (None if old is None else _cut(old[1])), (None if new is None else _cut(new[1]))
    before, after = old[1], new[1]
    if before.startswith(_TENSOR) and after.startswith(_TENSOR):
        fields, others = _FIELD.split(before[len(_TENSOR) : -1]), _FIELD.split(after[len(_TENSOR) : -1])
        pairs = [pair for pair in zip(fields, others, strict=False) if pair[0] != pair[1]]
        return _cut(", ".join(one for one, _ in pairs)), _cut(", ".join(one for _, one in pairs))
    for one, other in zip(before.split("\n"), after.split("\n"), strict=False):
        if one != other:
            before, after = one.strip(), other.strip()
            break
    start = next((index for index, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, around: int = 0) -> str:
    start = max(around - _LONGEST // 2, 0) if len(text) > _LONGEST else 0
    cut = text[start : start + _LONGEST]
    return f"{'…' if start else ''}{cut}{'…' if start + _LONGEST < len(text) else ''}"


def _of_siblings(recording: Recording) -> dict[str, list[_Key]]:
    """Return the keys of the latest recordings before this one in the same folder, if that is one of our own."""
    found: dict[str, list[_Key]] = {}
    folder = recording.path.parent
    if folder.name != FOLDER:
        return found
    try:
        names = sorted(one.name for one in folder.iterdir() if one.name < recording.path.name and one.is_dir())
    except OSError:
        return found
    for name in names[-_SIBLINGS:]:
        try:
            with Recording.open(folder / name) as sibling:
                for cache, key in _keys_of(sibling, name):
                    found.setdefault(cache, []).append(key)
        except (RecordingError, OSError):
            continue
    return found


def _keys_of(recording: Recording, name: str) -> Iterator[tuple[str, _Key]]:
    events: Iterator[Event] = recording.events(*_EVENTS)
    for _, event in zip(range(_MOST), events, strict=False):
        match = _EVENT.fullmatch(event.name)
        data = ours.mapping(recording.json(event))
        parts = _parts(data)
        if match is not None and parts.texts:
            yield match["cache"], _Key(ours.text(data.get("key")) or "", event.base_id or "-", name, parts)
