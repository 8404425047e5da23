"""The ranks of one job beside each other: where their compiles, caches, collectives and graphs part, who was slowest.

A rank is the process that compiled most of those with its number; children of it are left out.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from compilescope.analysis.rank_sequences import Sequences
from compilescope.analysis.rank_texts import GUARDS, STAGES, parting, unlike
from compilescope.analysis.ranks_model import RankDifference, RankGroup, Ranks, SlowestRank

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compilescope.analysis.caches import Lookup
    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Compile, Finding
    from compilescope.recording.reader import Event, Recording

_LONGEST = 160


def compared(
    recording: Recording, context: Context, compiles: Sequence[Compile], caches: Sequence[Lookup]
) -> Ranks | None:
    """Return how the ranks compare; None where fewer than two wrote a log."""
    chosen = _chosen(context)
    if len(chosen) < 2:  # noqa: PLR2004 - one has nothing to differ from
        return None
    return _Comparison(recording, context, chosen, compiles, caches).all()


def name_ranks(findings: Sequence[Finding], context: Context) -> None:
    """Give each finding of a job with several ranks those that it is of: `ranks` in its detail."""
    if len({one.rank for one in context.facts.processes.values() if one.rank is not None}) > 1:
        of = {context.prefix(one.where.process): one.where.process for one in context.compiles}
        processes = context.facts.processes
        for finding in findings:
            met = {of.get(_prefix(one)) for one in finding.compile_ids}
            ranks = {processes[one].rank for one in met if one in processes}
            if ranks:
                finding.detail["ranks"] = sorted(one for one in ranks if one is not None)


def _chosen(context: Context) -> dict[int, int]:
    """Return the rank of each log that stands for one."""
    made = Counter(one.where.process for one in context.compiles)
    best: dict[int, int] = {}
    for number, process in sorted(context.facts.processes.items()):
        if process.rank is not None:
            before = best.get(process.rank)
            if before is None or made[number] > made[before]:
                best[process.rank] = number
    return {best[rank]: rank for rank in sorted(best)}


def _prefix(compile_id: str) -> str:
    first, colon, _ = compile_id.partition(":")
    return first + colon if colon and not first.startswith("reset") else ""


class _Comparison:
    def __init__(
        self,
        recording: Recording,
        context: Context,
        chosen: dict[int, int],
        compiles: Sequence[Compile],
        caches: Sequence[Lookup],
    ) -> None:
        self._recording, self._context, self._chosen = recording, context, chosen
        self._ranks = list(chosen.values())
        self._of = {context.prefix(number): rank for number, rank in chosen.items()}
        self._compiles: dict[str, dict[int, Compile]] = {}
        for one in compiles:
            self._sort_in(one.id, one)
        self._answers: dict[str, dict[int, list[str]]] = {}
        for answer in caches:
            prefix = _prefix(answer.compile_id)
            if prefix in self._of and answer.outcome != "off":
                by_rank = self._answers.setdefault(answer.compile_id[len(prefix) :], {})
                by_rank.setdefault(self._of[prefix], []).append(f"{answer.cache} {answer.outcome}")

    def _sort_in(self, name: str, one: Compile) -> None:
        prefix = _prefix(name)
        if prefix in self._of:
            self._compiles.setdefault(name[len(prefix) :], {})[self._of[prefix]] = one

    def all(self) -> Ranks:
        order = Sequences(self._recording, self._chosen, self._name)
        whole = [
            self._ids(),
            self._cache_patterns(),
            self._parted("collectives", "collectives, in order", order.collectives()),
            self._parted("execution-order", "graphs that ran, in order", order.executed()),
            self._parted("tensor-metadata", "what operations make", order.tensors()),
        ]
        graphs = self._texts(*STAGES)
        guards = self._texts(GUARDS)
        each = [one for name in self._compiles for one in self._of_compile(name, graphs, guards)]
        took = {
            name: {rank: one.seconds.get("total", 0.0) for rank, one in by_rank.items() if one.status == "ok"}
            for name, by_rank in self._compiles.items()
        }
        slowest = [*_slowest("compile", took), *_slowest("estimate", order.estimates())]
        return Ranks(self._ranks, [*filter(None, whole), *each], slowest)

    def _name(self, event: Event) -> str:
        where = self._context.compiles.where(event)
        return self._context.name(where)[len(self._context.prefix(where.process)) :]

    def _ids(self) -> RankDifference | None:
        made = {rank: [name for name, by_rank in self._compiles.items() if rank in by_rank] for rank in self._ranks}
        said = {rank: ", ".join(sorted(names, key=_by_number)) or "none" for rank, names in made.items()}
        return _difference("compile-ids", None, "compiles", said)

    def _cache_patterns(self) -> RankDifference | None:
        given = {
            rank: Counter(f"{name} {one}" for name, of in self._answers.items() for one in of.get(rank, ()))
            for rank in self._ranks
        }
        everywhere = reduce(and_, given.values())
        said = {rank: _answers((answers - everywhere).elements()) or "no other" for rank, answers in given.items()}
        return _difference("cache", None, "answers of the graph caches", said)

    def _of_compile(
        self, name: str, graphs: dict[str, dict[str, dict[int, Event]]], guards: dict[str, dict[str, dict[int, Event]]]
    ) -> list[RankDifference]:
        made = self._compiles[name]
        found: list[RankDifference | None] = []
        if len(made) < len(self._ranks):
            said = {rank: "compiled" if rank in made else "not compiled" for rank in self._ranks}
            found.append(_difference("missing", name, "compile", said))
        found.append(_difference("status", name, "status", {rank: one.status for rank, one in made.items()}))
        answers = self._answers.get(name, {})
        said = {rank: _answers(answers.get(rank, ())) or "no answer" for rank in made}
        found.append(_difference("cache", name, "answers of the graph caches", said))
        first = next(filter(None, (self._text("graph", name, stage, graphs) for stage in STAGES)), None)
        nodes = {rank: f"{one.graph['nodes']} nodes" for rank, one in made.items() if one.graph["nodes"]}
        found.append(first or _difference("graph", name, "nodes", nodes))
        counts = {rank: f"{one.guards} guards" for rank, one in made.items() if one.guards is not None}
        found.append(self._text("guards", name, GUARDS, guards) or _difference("guards", name, "guards", counts))
        return [one for one in found if one is not None]

    def _texts(self, *names: str) -> dict[str, dict[str, dict[int, Event]]]:
        """Return the last event of each name by compile and rank."""
        found: dict[str, dict[str, dict[int, Event]]] = {}
        for event in self._recording.events(*names):
            if event.process in self._chosen and event.has_payload:
                of_compile = found.setdefault(self._name(event), {}).setdefault(event.name, {})
                of_compile[self._chosen[event.process]] = event
        return found

    def _text(
        self, kind: str, name: str, stage: str, events: dict[str, dict[str, dict[int, Event]]]
    ) -> RankDifference | None:
        texts = unlike(self._recording, events.get(name, {}).get(stage, {}))
        if not texts:
            return None
        groups = _groups(texts)
        where = parting([one.value for one in groups])
        return RankDifference(
            kind, name, stage, [RankGroup(one.ranks, said) for one, said in zip(groups, where, strict=True)]
        )

    @staticmethod
    def _parted(kind: str, what: str, steps: dict[int, list[str]]) -> RankDifference | None:
        """Return where sequences part, by the number of the step; of collectives, whatever compile each is of."""
        shown = steps
        if kind == "collectives":
            steps = {rank: [one.partition(" in ")[0] for one in each] for rank, each in steps.items()}
        groups = _groups({rank: "\n".join(each) for rank, each in steps.items()})
        if len(groups) < 2:  # noqa: PLR2004
            return None
        first = steps[groups[0].ranks[0]]
        found = []
        for group in groups:
            own, other = steps[group.ranks[0]], first if group is not groups[0] else steps[groups[1].ranks[0]]
            same = next((at for at, (a, b) in enumerate(zip(own, other, strict=False)) if a != b), None)
            at = min(len(own), len(other)) if same is None else same
            said = _cut(shown[group.ranks[0]][at]) if at < len(own) else "nothing more"
            found.append(RankGroup(group.ranks, f"{at + 1}. {said}"))
        return RankDifference(kind, None, what, found)


def _answers(words: Iterable[str]) -> str:
    """`4/0 fx_graph miss; 4/0 aotautograd bypass (7 times)`, sorted."""
    counted = sorted(Counter(words).items())
    return "; ".join(word if count == 1 else f"{word} ({count} times)" for word, count in counted)


def _difference(kind: str, compile_id: str | None, what: str, said: Mapping[int, str]) -> RankDifference | None:
    groups = _groups(said)
    if len(groups) < 2:  # noqa: PLR2004 - all agree
        return None
    return RankDifference(kind, compile_id, what, [RankGroup(one.ranks, _cut(one.value)) for one in groups])


def _groups(said: Mapping[int, str]) -> list[RankGroup]:
    """Return the ranks that say the same, the largest group first."""
    groups: dict[str, list[int]] = {}
    for rank, value in said.items():
        groups.setdefault(value, []).append(rank)
    found = [RankGroup(sorted(ranks), value) for value, ranks in groups.items()]
    return sorted(found, key=lambda one: (-len(one.ranks), one.ranks))


def _slowest(what: str, took: Mapping[str, Mapping[int, float]]) -> list[SlowestRank]:
    found = []
    for name, seconds in took.items():
        if len(seconds) > 1:
            most, least = max(seconds, key=lambda one: seconds[one]), min(seconds, key=lambda one: seconds[one])
            if seconds[most] > seconds[least]:
                pair = round(seconds[most], 9), round(seconds[least], 9)
                found.append(SlowestRank(what, name, most, pair[0], least, pair[1]))
    return sorted(found, key=lambda one: (one.what, one.fastest_s - one.seconds))


def _by_number(name: str) -> tuple[str, list[int]]:
    again, _, own = name.rpartition(":")
    return again, [int(part) if part.isdecimal() and len(part) < 10 else -1 for part in own.split("/")]  # noqa: PLR2004


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
