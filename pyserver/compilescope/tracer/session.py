"""One process's recording: where hooks send their events, and what every event needs around it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from compilescope.recording.write import LogWriter, to_json
from compilescope.tracer.environment import describe
from compilescope.tracer.hooks import Hooks
from compilescope.tracer.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable


class Session:
    """The state of tracing in one process. Hooks may be installed before `start`; events are dropped until then."""

    def __init__(self) -> None:
        self.hooks = Hooks()
        self.depth = "full"
        self.triton_preview: str | None = None
        """The GPU, as `sm_90`, for which a machine without one shows the Triton code."""
        self.fusion = False
        """Whether to collect why nodes were fused or not."""
        self.profile = False
        """Whether to run torch's profiler."""
        self.logs: str | None = None
        """Which of torch's logs to record, as in `TORCH_LOGS`."""
        self.trial: dict[str, Any] | None = None
        """What makes this a run for `verify` (`trial.py`)."""
        self.seconds_after = 0.0
        """Time that we took when the program had run."""
        self.recording = ""
        self.main_file: str | None = None
        self.active = False
        self.is_forked = False
        self.sources = Sources(self.emit)
        self.at_start: list[Callable[[], None]] = []
        self.at_fork: list[Callable[[], None]] = []
        self.at_failure: list[Callable[[BaseException], None]] = []
        self.at_end: list[Callable[[], dict[str, Any]]] = []
        self._writer: LogWriter | None = None
        self._started = time.time()
        self._described = False
        self._reported = 0
        self._outcome: tuple[int, BaseException | None] | None = None

    def start(self, job: dict[str, Any]) -> None:
        """Record from now on where and what `job` says; one of `children` has no script."""
        self.recording, self.depth, self.main_file = job["recording"], job["depth"], job.get("script")
        self.triton_preview = job.get("triton_preview")
        self.fusion, self.profile = bool(job.get("fusion")), bool(job.get("profile"))
        self.logs = job.get("logs")
        self.trial = job.get("trial")
        self.active = True
        self._writer = LogWriter(self.recording)
        self._started = time.time()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        for callback in self.at_start:
            callback()

    def inherited(self) -> dict[str, Any]:
        """What of the job goes on to the processes that this one starts."""
        names = ("recording", "depth", "triton_preview", "fusion", "profile", "logs", "trial")
        return {name: getattr(self, name) for name in names}

    def emit(self, name: str, body: dict[str, Any], *, trace_id: Any = None) -> None:
        """Append the event `compilescope_<name>`, in the compile that is going on or in that of `trace_id`."""
        if self.active:
            self.describe()
            self._append(name, to_json(body), trace_id)

    def emit_json(self, name: str, body: str) -> None:
        """`emit` for a body that is JSON already."""
        if self.active:
            self.describe()
            self._append(name, body, None)

    def append_foreign(self, envelope: str, payload: str | None, origin: str) -> None:
        """Append a record of torch's own, whose envelope is complete."""
        if self.active and self._writer is not None:
            self.describe()
            self._writer.append_text(envelope, payload, origin)

    def append_as_torch(self, name: str, fields: dict[str, Any], payload: str, origin: str) -> None:
        """Append an event of torch's own in torch's place."""
        if self.active and self._writer is not None:
            self.describe()
            self._writer.append({name: fields, **compile_context()}, payload, origin)

    def describe(self) -> None:
        """Write the environment if it was not yet, and what became unavailable since the last event."""
        if not self._described:
            self._described = True
            self._append("environment", json.dumps(describe(self.depth, self._started, self.main_file)), None)
        if len(self.hooks.missing) > self._reported:
            self._reported = len(self.hooks.missing)
            self._append("unavailable", json.dumps({"hooks": self.hooks.missing}), None)

    @property
    def interrupted(self) -> bool:
        """Whether the program was ended by an interrupt."""
        return self._outcome is not None and isinstance(self._outcome[1], KeyboardInterrupt)

    def ended(self, exit_code: int, error: BaseException | None = None) -> None:
        """Note how the program ended; the record is written when the interpreter shuts down."""
        self._outcome = (exit_code, error)
        if error is not None:
            for callback in self.at_failure:
                self.hooks.guarded("uncaught exception", callback, loses="failures of a compile")(error)

    def close(self) -> None:
        """Write the last record. Called once, when the interpreter shuts down and everything else has run."""
        if not self.active:
            return
        from compilescope.tracer.failures import describe_exit

        code, error = self._outcome or (0, None)
        body: dict[str, Any] = {"exit_code": code, "exception": describe_exit(error)}
        for callback in self.at_end:
            with contextlib.suppress(Exception):
                body.update(callback())
        body["seconds"] = {
            "script": round(time.time() - self._started - self.seconds_after, 6),
            "overhead": round(self.hooks.seconds, 6),
        }
        self.emit("exit", body)
        self.active = False

    def _append(self, name: str, body: str, trace_id: Any) -> None:
        if self._writer is None:
            return
        envelope: dict[str, Any] = {"artifact": {"name": f"compilescope_{name}", "encoding": "json"}}
        envelope.update(compile_context(trace_id))
        caller = sys._getframe(2)
        origin = f"compilescope/tracer/{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}"
        self._writer.append(envelope, body, origin)

    def _forked(self) -> None:
        if self._writer is not None:
            self._writer = self._writer.fork()
        self._started = time.time()
        self._described, self._reported = False, 0
        self._outcome = None
        self.is_forked = True
        self.hooks.seconds = 0.0
        self.sources.forget()
        for callback in self.at_fork:
            with contextlib.suppress(Exception):
                callback()


def compile_context(trace_id: Any = None) -> dict[str, Any]:
    """The envelope fields that say in which compile and rank we are (torch/_logging/_internal.py, 2.6 to 2.14)."""
    fields: dict[str, Any] = {}
    torch = sys.modules.get("torch")
    guards = sys.modules.get("torch._guards")
    if torch is None or guards is None:
        return fields
    with contextlib.suppress(Exception):
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            fields["rank"] = torch.distributed.get_rank()
    if trace_id is None:
        with contextlib.suppress(Exception):
            trace_id = guards.CompileContext.current_trace_id()
    if trace_id is not None:
        compile_id = trace_id.compile_id
        for field in ("compiled_autograd_id", "frame_id", "frame_compile_id"):
            value = getattr(compile_id, field, None)
            if value is not None:
                fields[field] = value
        fields["attempt"] = trace_id.attempt
    return fields


def compile_name() -> str:
    """The current compile id as torch prints it without the attempt, `"0/0"`, or `"-"` outside of a compile."""
    guards = sys.modules.get("torch._guards")
    compile_id = guards.CompileContext.current_compile_id() if guards else None
    return "-" if compile_id is None else str(compile_id)
