"""The compiles of a recording: which frame, how it ended, how long each part took."""

from __future__ import annotations

import re
from bisect import bisect
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from compilescope.analysis.facts import Compiled, Frame
from compilescope.analysis.frames import plain_function
from compilescope.analysis.model import Compile
from compilescope.analysis.ours import duration, integer, line_number, mapping, text
from compilescope.analysis.phases import phases
from compilescope.analysis.running import running

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from compilescope.recording.reader import Event, Recording

_LIMIT = re.compile(r'"(?P<name>(?:recompile|cache_size)_limit)": (?P<limit>\d{1,9})')
_DIGITS = 6
STARTED = ("dynamo_start", "compilation_metrics", "bwd_compilation_metrics")
_SECONDS = {
    "total": ("entire_frame_compile_time_s", 1.0),
    "backend": ("backend_compile_time_s", 1.0),
    "inductor": ("inductor_compile_time_s", 1.0),
    "code_gen": ("code_gen_time_s", 1.0),
    "pre_grad": ("pre_grad_pass_time_us", 1e-6),
    "joint": ("joint_graph_pass_time_us", 1e-6),
    "post_grad": ("post_grad_pass_time_us", 1e-6),
    "guard_check": ("guard_latency_us", 1e-6),
    "restarts": ("dynamo_time_before_restart_s", 1.0),
}
_ELSE = {
    "total": ("dynamo_cumulative_compile_time_us", "duration_us"),
    "backend": ("aot_autograd_cumulative_compile_time_us",),
    "inductor": ("inductor_cumulative_compile_time_us",),
    "code_gen": ("inductor_code_gen_cumulative_compile_time_us",),
}
"""Where some builds of torch between 2.5 and 2.6 have them alone, in microseconds."""


@dataclass
class Attempted:
    """What is known of one compile while its events are read."""

    where: Compiled
    code: Frame | None = None
    resume_name: str = ""
    metrics: dict[str, Any] | None = None
    backward: dict[str, Any] | None = None
    attempts: int = 1
    nodes: int | None = None
    edges: int | None = None
    empty: bool = False
    """Whether torch wrote no graph of it, though others have one."""
    guards: int | None = None
    cache: str | None = None
    phases: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    """How often its graphs ran, by direction."""
    order: int = 0
    """The number of its first event."""
    calls_to: Frame | None = None
    """What torch's wrapper calls, where `code` is that (`compilescope_guards`, key `calls`)."""

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Seconds by part; `total` is the whole, the backward graph's own compile included. docs/findings.md.

        Asked once all events of the compile are read.
        """
        found: dict[str, float] = {}
        for metrics, prefix in ((self.metrics, ""), (self.backward, "backward_")):
            for name, (key, scale) in _SECONDS.items() if metrics else ():
                if prefix and name in {"total", "guard_check"}:
                    continue
                if (value := duration((metrics or {}).get(key))) is not None:
                    found[prefix + name] = value * scale
                elif (value := _older(metrics or {}, name)) is not None:
                    found[prefix + name] = value
        whole = duration((self.backward or {}).get("backward_cumulative_compile_time_us"))
        backward = found.get("backward_inductor") if whole is None else whole * 1e-6
        if backward is not None:
            found["backward"] = backward
            found["total"] = found.get("total", 0.0) + backward
        found |= self.phases
        if "total" in found:
            rest = sum(found.get(part, 0.0) for part in ("backend", "backward", "guards"))
            found["capture"] = max(found["total"] - rest, 0.0)
        return found

    @property
    def recompiled(self) -> bool:
        """Whether it is not the first compile of its frame."""
        return self.where.id is not None and self.where.id.rpartition("/")[2] != "0"

    @property
    def subject(self) -> Frame | None:
        """What was compiled, as the user knows it: its code, but not torch's wrapper around it."""
        return self.calls_to or self.code

    @property
    def resumed(self) -> bool:
        """Whether it is of a piece of a function that goes on after a break."""
        return self.code is not None and self.resume_name != self.code.function

    @property
    def total(self) -> float:
        """Seconds of the whole compile; 0 when it never ended."""
        return self.seconds.get("total", 0.0)


class Compiles:
    """All compiles of a recording, by process and id."""

    def __init__(self, recording: Recording) -> None:
        self.by_id: dict[Compiled, Attempted] = {}
        self._resets = _resets(recording)
        self._callees: dict[tuple[int, str, str], Frame] = {}
        for event in recording.events(*STARTED):
            self._take(recording, event)
        for event in recording.events("compilescope_stage"):
            self._take_stage(recording, event)
        for where, seconds in phases(recording, self.where).items():
            self.by_id.setdefault(where, Attempted(where)).phases |= seconds
        for where, ran in running(recording, self.where).items():
            one = self.by_id.setdefault(where, Attempted(where))
            one.calls, one.phases = ran.calls, one.phases | ran.seconds
        for event in recording.events("compilescope_guards"):
            data = mapping(recording.json(event))
            if isinstance(data.get("guards"), list):
                self.get(event).guards = len(data["guards"])
            self._take_callee(self.get(event), mapping(data.get("calls")))
        self._take_caches(recording)
        self._note_empty(recording)

    def _note_empty(self, recording: Recording) -> None:
        """Torch counts the inputs of a graph that it threw away, too, where nothing was in it: it writes none then."""
        written = set(map(self.where, recording.events("dynamo_output_graph")))
        for where, one in self.by_id.items():
            one.empty = bool(written) and one.edges is None and where not in written

    def _take_callee(self, one: Attempted, calls: dict[str, Any]) -> None:
        """Note what the wrapper calls; of a piece of it after a break, what its last compile called."""
        name, file = text(calls.get("function")), text(calls.get("file"))
        if name is not None and one.code is not None:
            one.calls_to = Frame(file or one.code.file, line_number(calls.get("line")) or one.code.line, name)
            self._callees[one.where.process, one.code.file, one.code.function] = one.calls_to
        elif one.resumed and one.code is not None:
            one.calls_to = self._callees.get((one.where.process, one.code.file, one.code.function))

    def _take_caches(self, recording: Recording) -> None:
        for event in recording.events("compilescope_cache"):
            if event.base_id is not None and self.get(event).cache != "hit":
                self.get(event).cache = text(mapping(recording.json(event)).get("outcome"))
        for name, outcome in _TORCH_CACHE.items():
            for event in recording.events(name):
                if event.base_id is not None and self.get(event).cache is None:
                    self.get(event).cache = outcome

    def get(self, event: Event) -> Attempted:
        """Return the compile that an event belongs to, made if there is none yet."""
        where = self.where(event)
        if where not in self.by_id:
            self.by_id[where] = Attempted(where, order=event.id)
        return self.by_id[where]

    def where(self, event: Event, graph: str = "") -> Compiled:
        """Return which compile an event belongs to: its own id, else that of the graph it is about."""
        own = event.base_id or (_compile_of(graph) if graph else None)
        resets = self._resets.get(event.process)
        return Compiled(event.process, own, bisect(resets, event.id) if resets else 0)

    def codes(self) -> dict[Compiled, Frame]:
        """Return the code of each compile, with torch's name of a resumed piece."""
        return {
            where: Frame(one.code.file, one.code.line, one.resume_name or one.code.function)
            for where, one in self.by_id.items()
            if one.code is not None
        }

    def seconds(self, where: Compiled) -> float:
        """Return the seconds that a compile took."""
        return self.by_id[where].total if where in self.by_id else 0.0

    def has_graph(self, where: Compiled) -> bool:
        """Whether a graph came out of a compile."""
        return bool(where in self.by_id and self.by_id[where].nodes)

    def limit(self, where: Compiled) -> int | None:
        """Return torch's limit of versions of a frame (`recompile_limit`); None when not recorded."""
        metrics = self.by_id[where].metrics if where in self.by_id else None
        metrics = metrics or next(
            (one.metrics for one in self if one.where.process == where.process and one.metrics), None
        )
        config = _LIMIT.search(text((metrics or {}).get("dynamo_config")) or "")
        return int(config["limit"]) if config else None

    def limit_setting(self) -> str:
        """Return the name of torch's setting for that limit, which torch 2.6 has by another one."""
        configs = (text(one.metrics.get("dynamo_config")) for one in self if one.metrics)
        found = next((match for config in configs if config and (match := _LIMIT.search(config))), None)
        return found["name"] if found else "recompile_limit"

    def __iter__(self) -> Iterator[Attempted]:
        return iter(one for one in self.by_id.values() if one.where.id is not None)

    def _take(self, recording: Recording, event: Event) -> None:
        if event.base_id is None:
            return
        one = self.get(event)
        if event.name == "dynamo_start":
            attempt = (event.compile_id or "").partition("_")[2]
            one.attempts = max(one.attempts, int(attempt) + 1 if attempt.isdecimal() and len(attempt) < _DIGITS else 1)
            stack = recording.stack(event)
            line = line_number(stack[-1]["line"]) if stack else None
            if line is not None and one.code is None:
                self._code(one, stack[-1]["file"], line, text(stack[-1]["function"]))
            return
        fields = event.fields
        if event.name == "bwd_compilation_metrics" or fields.get("is_forward") is False:
            one.backward = fields
            return
        one.metrics = fields
        attempts = len(fields["restart_reasons"]) + 1 if isinstance(fields.get("restart_reasons"), list) else 1
        one.attempts = max(one.attempts, attempts)
        file, line = text(fields.get("co_filename")), line_number(fields.get("co_firstlineno"))
        if file and line is not None:
            self._code(one, file, line, text(fields.get("co_name")))
        one.guards = one.guards if one.guards is not None else integer(fields.get("guard_count"))
        if one.nodes is None:
            one.nodes = integer(fields.get("graph_node_count"))

    def _take_stage(self, recording: Recording, event: Event) -> None:
        stage = mapping(recording.json(event))
        if stage.get("stage") != "dynamo":
            return
        one = self.get(event)
        one.nodes, one.edges = integer(stage.get("nodes")), integer(stage.get("edges"))

    @staticmethod
    def _code(one: Attempted, file: str, line: int, function: str | None) -> None:
        name = function or ""
        one.resume_name = name
        one.code = Frame(file, line, plain_function(name))


def _compile_of(graph: str) -> str | None:
    return "/".join(graph.split("/")[:-1]).partition("_")[0] or None


def _older(metrics: dict[str, Any], name: str) -> float | None:
    """Return the seconds of a part of a compile from the fields of an older torch."""
    each = (duration(metrics.get(key)) for key in _ELSE.get(name, ()))
    return next((value * 1e-6 for value in each if value is not None), None)


def _resets(recording: Recording) -> dict[int, list[int]]:
    """Return the events at which compile ids started anew, by process: an id that starts a second time."""
    started: dict[int, set[str]] = {}
    found: dict[int, list[int]] = {}
    for event in recording.events("dynamo_start"):
        if event.compile_id is None or event.compile_id != event.base_id:
            continue
        seen = started.setdefault(event.process, set())
        if event.compile_id in seen:
            seen.clear()
            found.setdefault(event.process, []).append(event.id)
        seen.add(event.compile_id)
    return found


_TORCH_CACHE = {
    "fx_graph_cache_hit": "hit",
    "fx_graph_cache_miss": "miss",
    "fx_graph_cache_bypass": "bypass",
    "aotautograd_cache_hit": "hit",
}


def table(
    compiles: Compiles,
    name: Callable[[Compiled], str],
    function: Callable[[Frame], str],
    ended: set[int],
    raised: Collection[Compiled] = (),
    *,
    given_up: Collection[Compiled] = (),
) -> list[Compile]:
    """Return the compiles as the result gives them, in the order in which they started.

    One without an end was still running, unless its process is among the `ended`. `raised`: those that ended with an
    exception for the program; `given_up`: those with a break that torch could not go on after.
    """
    found = []
    for one in compiles:
        code = one.subject
        if code is None:
            continue
        if one.metrics is None:
            status = "failed" if one.where.process in ended else "running"
        else:
            lost = one.where in given_up and made_nothing(one.metrics)
            status = "failed" if one.where in raised else "skipped" if lost else _outcome(one, one.metrics)
        found.append(
            Compile(
                id=name(one.where),
                function=code.function.rpartition(".")[2],
                file=code.file,
                line=code.line,
                status=status,  # type: ignore[arg-type]
                attempts=one.attempts,
                seconds={key: round(value, 6) for key, value in one.seconds.items()},
                graph={"nodes": one.nodes or 0, "edges": one.edges or 0},
                guards=one.guards,
                cache=one.cache,
                resumed=one.resumed,
                calls=one.calls,
                empty=one.empty,
                qualname=code.function if one.calls_to is not None else function(code),
            )
        )
    return found


def _outcome(one: Attempted, metrics: dict[str, Any]) -> str:
    """Return how a compile ended. A skip is decided before there is a graph: with one, it was interrupted."""
    if metrics.get("has_guarded_code") or (metrics.get("has_guarded_code") is None and not metrics.get("fail_type")):
        return "ok"
    if metrics.get("fail_type"):
        return "skipped" if _skipped(metrics) else "failed"
    return "failed" if one.nodes else "skipped"


def made_nothing(metrics: dict[str, Any]) -> bool:
    """Whether there is neither a graph nor a failure: nothing was to be compiled, or the frame was given up.

    Torch 2.7 to 2.15 say of both that they have guarded code (`has_guarded_code` in torch/_dynamo/convert_frame.py).
    """
    return all(metrics.get(key, "") is None for key in ("guard_count", "graph_node_count", "fail_type"))


def _skipped(metrics: dict[str, Any]) -> bool:
    return str(metrics.get("fail_type")).rpartition(".")[2] in {"Unsupported", "SkipFrame", "UserError"}
