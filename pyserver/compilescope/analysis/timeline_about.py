"""What each span of a timeline is about: its compile, stage, name, graph, kernel and line."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.timeline_events import COMPILE_FILE
from compilescope.analysis.timeline_model import Graphs, Line
from compilescope.analysis.timeline_stages import label, stage_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Compiled
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.analysis.model import Result
    from compilescope.analysis.timeline_events import Interval
    from compilescope.analysis.timeline_model import TimeSpan

ROOT = "dynamo"
BACKWARD = "entire_backward_compile"
# Spans of torch's and ours that say which kernel they are about.
_KERNELS = {"async_compile.precompile": "Triton", "CachingAutotuner.benchmark_all_configs": "autotune"}
_WAIT = "async_compile.wait"


class About:
    """Tells spans what they are about. `spans`: all of torch's."""

    def __init__(self, context: Context, result: Result, spans: list[Interval]) -> None:
        self._context = context
        self._kernels: dict[tuple[str, str], list[Kernel]] = defaultdict(list)
        for kernel in result.kernels:
            self._kernels[kernel.compile_id, kernel.name].append(kernel)
        self._binaries = self._read_binaries(spans)
        self._roots = [one for one in spans if one.name in (ROOT, BACKWARD) and one.event.base_id is not None]

    def tell(self, span: TimeSpan, one: Interval, parent: TimeSpan | None) -> None:
        """Complete `span`, which is `one` and lies in `parent`."""
        span.graph = ours.text(one.data.get("graph"))
        where = self._context.compiles.where(one.event, span.graph or f"{one.data.get('compile_id') or ''}/")
        where = where if where.id != "None" else where._replace(id=None)
        outer = parent.compile_id if parent else None
        span.compile_id = outer if where.id is None else self._context.name(where)
        if one.event.name == "compilescope_pass":
            self._tell_pass(span, one.data)
        elif one.event.name == "compilescope_times":
            self._tell_part(span, one.data)
        elif one.event.name == "compilescope_call":
            number = ours.integer(one.data.get("call"))
            span.label = f"{span.graph}, call {'?' if number is None else number}"
        else:
            span.stage = stage_of(one.name, parent.stage if parent else None)
            span.label = label(one.name, one.times)
            self._tell_torchs(span, one, where)

    def _tell_torchs(self, span: TimeSpan, one: Interval, where: Compiled) -> None:
        if one.name == COMPILE_FILE:
            self._tell_binary(span, one)
        elif one.name == ROOT:
            span.label = " · ".join(filter(None, (f"compile {span.compile_id}", self._subject(where))))
        elif one.name == BACKWARD:
            span.label = f"backward {span.compile_id}"
        elif (kernel := ours.text(one.data.get("kernel_name"))) is not None:
            span.kernel, span.label = kernel, f"{_KERNELS.get(one.name, span.label)} {kernel}"
            span.line = _only_line(self._kernels.get((span.compile_id or "", kernel), ()))

    def _tell_pass(self, span: TimeSpan, data: dict[str, Any]) -> None:
        span.stage = "pass"
        span.step = Graphs(
            order=ours.integer(data.get("order")) or 0,
            nodes_before=ours.integer(data.get("nodes_before")),
            nodes_after=ours.integer(data.get("nodes_after")),
            changed=data.get("changed") is True,
            custom=data.get("custom") is True,
            snapshot=ours.text(data.get("after")),
        )
        file, line = ours.text(data.get("file")), ours.line_number(data.get("line"))
        if span.step.custom and file and line:
            span.line = Line(file, line)

    def _tell_part(self, span: TimeSpan, data: dict[str, Any]) -> None:
        frame = data.get("frame")
        if frame is not None and self._context.rules.in_user_code(frame.file):
            span.line = Line(frame.file, frame.line)
        if span.name == "lowering":
            span.stage, span.label = "lower", data.get("node") or "?"
            return
        span.stage, span.kernel = "codegen", data.get("kernel")
        span.label = span.kernel or "kernel"

    def _tell_binary(self, span: TimeSpan, one: Interval) -> None:
        source = ours.text(one.data.get("source")) or ""
        known = self._binaries.get((one.process, source.partition(".")[0]))
        if known is None:
            span.compile_id = span.compile_id or self._going_on(one)
            span.label = ours.text(one.data.get("what")) or span.label
            return
        span.compile_id, span.kernel, is_backward = known
        span.label = f"C++ {span.kernel}"
        kernels = self._kernels.get((span.compile_id, span.kernel), ())
        fitting = [kernel for kernel in kernels if ("/backward" in kernel.graph) == is_backward]
        span.graph = fitting[0].graph if fitting else None
        span.line = _only_line(fitting)

    def _read_binaries(self, spans: list[Interval]) -> dict[tuple[int, str], tuple[str, str, bool]]:
        """Return compile, kernel and whether it is of the backward, by process and name of the C++ file."""
        found: dict[tuple[int, str], tuple[str, str, bool]] = {}
        backward: dict[tuple[int, int], float] = {}
        for one in spans:
            key = one.process, one.thread
            if one.name == BACKWARD:
                backward[key] = float("inf") if one.end is None else one.end
            elif one.name == _WAIT and one.event.base_id is not None:
                compile_id = self._context.name(self._context.compiles.where(one.event))
                for file, kernel in ours.mapping(one.data.get("kernels")).items():
                    if isinstance(kernel, str):
                        found[one.process, file] = compile_id, kernel, one.start < backward.get(key, float("-inf"))
        return found

    def _going_on(self, one: Interval) -> str | None:
        """Return the compile that its process was at, if only one."""
        found = {
            self._context.name(self._context.compiles.where(root.event))
            for root in self._roots
            if root.process == one.process and root.start <= one.start and (root.end is None or one.start < root.end)
        }
        return found.pop() if len(found) == 1 else None

    def _subject(self, where: Compiled) -> str:
        one = self._context.compiles.by_id.get(where)
        code = one.subject if one is not None else None
        if code is None:
            return ""
        file = code.file.replace("\\", "/").rpartition("/")[2]
        return f"{self._context.compiled(where, code)} ({file}:{code.line})"


def _only_line(kernels: Sequence[Kernel]) -> Line | None:
    """Return the line of some kernels if it is the only one."""
    places = {(one["file"], one["line"]) for kernel in kernels for one in kernel.lines}
    return Line(*places.pop()) if len(places) == 1 else None
