"""Torch's own structured trace (logger `torch.__trace`, torch/_logging/_internal.py, 2.6 to 2.14), without its bulk.

`trace_structured` builds each payload as soon as its logger has handlers, and dozens of modules hold it by value. So
the logger gets a class whose `handlers` looks at which event is asking and answers "none" for those that nobody needs:
a third of the full trace's cost. Timed spans (`chromium_event`, the most frequent event) it writes on the spot, for a
sixth of what the logger takes. If torch's internals change, this degrades to the full trace.

What torch spends on an event because we listen, from its look at `handlers` until we have the record, counts as our own
time, unless somebody else listens too (`TORCH_TRACE`).
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from compilescope.recording.write import to_json
from compilescope.tracer.kernel_spans import LOOK as KERNEL_SPANS
from compilescope.tracer.kernel_spans import told as about_kernels
from compilescope.tracer.tracebacks import is_ours_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.session import Session

LOSES = "torch's own trace: compile times, graphs and generated code"

DROPPED_EVENTS = frozenset(
    {
        "describe_source",
        "describe_storage",
        "describe_tensor",
        "graph_dump",
        "guard_added_fast",
        "inductor_runtime_and_tensor_meta",
        "inductor_tlparse_runtime",
        "propagate_real_tensors_provenance",
    }
)
DROPPED_ARTIFACTS = frozenset(
    {
        "after_joint_graph",
        "after_post_grad_graph",
        "after_pre_grad_graph",
        "aot_forward_graph_fw_metadata",
        "before_joint_graph",
        "before_post_grad_graph",
        "before_pre_grad_graph",
        "fx_graph_runnable",
        "graph_execution",
        "inductor_collective_schedule",
        "inductor_pre_grad_graph",
        "inductor_provenance_tracking_kernel_stack_traces",
        "inductor_runtime_and_tensor_meta",
        "post_grad_graph",
        "symbolic_shapes_guards",
        "torch._functorch.config",
        "torch._inductor.config",
        "torch_dynamo_resume_bytecode",
    }
)


class Structured:
    """Attaches to the trace. `artifact` is called with the name and payload of each artifact that torch writes."""

    def __init__(self, session: Session) -> None:
        self.artifact: list[Callable[[str, str | None], None]] = []
        self._session = session

    def install(self) -> None:
        """Attach when torch has been imported."""

        def attach(_torch: ModuleType) -> None:
            logger = logging.getLogger("torch.__trace")
            handler = TraceHandler(self._session, self.artifact)
            logger.addHandler(handler)
            handlers = logger.__dict__.pop("handlers")
            logger.__class__ = _filtered(type(logger), handler)
            logger.handlers = handlers

        self._session.hooks.after_import("torch", attach, loses=LOSES)


class TraceHandler(logging.Handler):
    """Appends the trace's records to the recording."""

    def __init__(self, session: Session, listeners: list[Callable[[str, str | None], None]]) -> None:
        super().__init__()
        self._append = session.hooks.guarded("torch.__trace", self._append_record, loses=LOSES)
        self.begun = 0.0
        """When torch began with an event that only we get."""
        self.spent = session.hooks.spent
        self.write_span = session.hooks.guarded("chromium_event", self._append_span, loses="times of the compiler")
        self._session = session
        self._listeners = listeners
        self._our_files: set[int] = set()
        self._main_thread = threading.main_thread().ident

    def emit(self, record: logging.LogRecord) -> None:
        """Append one record; it carries `metadata` (a dict) and `payload` (text or None)."""
        begun, self.begun = self.begun, 0.0
        if begun:
            self.spent(time.perf_counter() - begun)
        self._append(record)

    def _append_span(self, payload: Callable[[], dict[str, Any]]) -> None:
        """Append a span's begin or end as torch does, with the thread that it is of unless that is the main one."""
        event = payload()
        if event["name"] in KERNEL_SPANS and (more := about_kernels(event)):
            event = {**event, "args": {**(event.get("args") or {}), **more}}
        thread = threading.get_ident()
        if thread != self._main_thread and not event.get("tid"):
            event = {**event, "tid": thread & 0x7FFFFFFF}
        self._session.append_as_torch("chromium_event", {}, to_json(event), "torch/_dynamo/utils.py:0")

    def _append_record(self, record: Any) -> None:
        path = record.pathname
        position = path.rfind("/torch/")
        origin = f"{path[position + 1 :] if position >= 0 else path}:{record.lineno}"
        metadata = self._without_ours(record.metadata)
        self._session.append_foreign(to_json(metadata), record.payload, origin)
        artifact = record.metadata.get("artifact")
        if artifact is not None:
            for listener in self._listeners:
                listener(artifact["name"], record.payload)

    def _without_ours(self, metadata: dict[str, Any]) -> dict[str, Any]:
        """Metadata whose stack, if any, has no frame of ours. File names are numbers that `str` events explained."""
        interned = metadata.get("str")
        if interned is not None and is_ours_file(str(interned[0])):
            self._our_files.add(interned[1])
        start = metadata.get("dynamo_start")
        if not start or not start.get("stack"):
            return metadata
        stack = [frame for frame in start["stack"] if frame.get("filename") not in self._our_files]
        return {**metadata, "dynamo_start": {**start, "stack": stack}}


def _is_dropped(names: dict[str, Any]) -> bool:
    """Whether the event that `trace_structured` with these variables would send is one that nobody needs."""
    name = names.get("name")
    if name != "artifact":
        return name in DROPPED_EVENTS
    metadata = names.get("metadata_fn")
    artifact = metadata().get("name") if metadata is not None else None
    return artifact in DROPPED_ARTIFACTS or str(artifact).endswith("_BYTECODE")


def _answer(frame: Any, every: list[logging.Handler], ours: TraceHandler) -> list[logging.Handler]:
    """The handlers that shall get the event which `trace_structured`, running in `frame`, is about to send."""
    begun = time.perf_counter()
    names = frame.f_locals
    others = [handler for handler in every if handler is not ours and _writes(handler)] if len(every) > 1 else []
    if names.get("name") == "chromium_event":
        ours.write_span(names["payload_fn"])
        return others
    if _is_dropped(names):
        ours.spent(time.perf_counter() - begun)
        return others
    ours.begun = 0.0 if others else begun
    return every


def _filtered(base: type[logging.Logger], ours: TraceHandler) -> type[logging.Logger]:
    class FilteredLogger(base):  # type: ignore[misc,valid-type]
        @property
        def handlers(self) -> list[logging.Handler]:
            every: list[logging.Handler] = self.__dict__["_compilescope_handlers"]
            frame = sys._getframe(1)
            if frame.f_code.co_name == "trace_structured":
                try:
                    return _answer(frame, every, ours)
                except Exception:
                    return every
            return every

        @handlers.setter
        def handlers(self, value: list[logging.Handler]) -> None:
            self.__dict__["_compilescope_handlers"] = value

    FilteredLogger.__name__ = FilteredLogger.__qualname__ = base.__name__
    return FilteredLogger


def _writes(handler: logging.Handler) -> bool:
    """False for torch's own handler when `TORCH_TRACE` is unset: it only waits to remove itself."""
    return getattr(handler, "root_dir", "") is not None
