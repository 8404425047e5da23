"""Failures of a compile: at which stage, in which exceptions, on which node and line of the user's.

Taken where an exception leaves a frame's compile (`convert_frame.exception_handler`) or the compile of a backward graph
that is made when it first runs (`runtime_wrappers.track_graph_compiling`); and, for what passes neither, where it is
made: limits, invalid backends, the stance `fail_on_recompile` (torch/_dynamo/exc.py and eval_frame.py). 2.6 to 2.14.
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any

from compilescope.tracer.called_back import called_back
from compilescope.tracer.exceptions import backend_name, claim, last_graph, links, message, suspect, type_name
from compilescope.tracer.frames import TOP_FILE
from compilescope.tracer.generated import dynamo_made_place
from compilescope.tracer.snapshots import Snapshot, target_name
from compilescope.tracer.sources import TRACER
from compilescope.tracer.taxonomy import class_of, is_rewrapped, stage_of
from compilescope.tracer.tracebacks import hide_tracer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

    from compilescope.tracer.breaks import Breaks
    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.session import Session

LOSES = "failures of a compile"
MADE_ELSEWHERE = ("FailOnRecompileLimitHit", "RecompileError", "InvalidBackend", "ResetRequired")
REWRAPPED = "torch._dynamo.exc.InternalTorchDynamoError"


class Failures:
    """Records each failure once."""

    def __init__(self, session: Session, frames: Frames, breaks: Breaks, graphs: Graphs) -> None:
        self._session = session
        self._frames = frames
        self._breaks = breaks
        self._graphs = graphs

    def install(self) -> None:
        """Hook the places that failures pass when they are imported."""
        hooks = self._session.hooks
        self._breaks.failed.append(self._left_frame)
        hooks.after_import("torch._dynamo.exc", self._hook_dynamo, loses=LOSES)
        hooks.after_import("torch._dynamo.decorators", self._await_stance, loses=LOSES)
        hooks.after_import("torch._functorch._aot_autograd.runtime_wrappers", self._hook_backward, loses=LOSES)

    def ended(self, error: BaseException) -> None:
        """The program ended with `error`: record it as a failure of the compiler if it came from there."""
        if "torch._dynamo" not in sys.modules:
            return
        if stage_of([link for link, _ in links(error)])[1] is not None:
            self._record(error, None, suppressed=False)
            return
        place = dynamo_made_place(error)
        if place is not None:
            self._record(error, place[0], suppressed=False, position=place[1])

    def _hook_dynamo(self, module: ModuleType) -> None:
        hooks = self._session.hooks

        def made(error: BaseException) -> None:
            code = _compiling_code()
            self._record(error, code, suppressed=code is not None and _is_suppressing())

        for name in MADE_ELSEWHERE:
            note = hooks.guarded(f"{name}.__init__", made, loses=LOSES)

            def make(original: Callable[..., None], note: Callable[..., Any] = note) -> Callable[..., None]:
                def __init__(self: BaseException, *args: Any, **kwargs: Any) -> None:
                    original(self, *args, **kwargs)
                    note(self)

                return __init__

            hooks.wrap(getattr(module, name, None), "__init__", make, loses=LOSES)

    def _await_stance(self, module: ModuleType) -> None:
        """Hook the stance once it is used: its callback is asked for at every call of whatever is compiled."""
        waiting = [self._session.hooks.guarded("set_stance", self._hook_stance, loses=LOSES)]

        def make(original: Callable[..., None]) -> Callable[..., None]:
            def __init__(self: Any, stance: str = "default", **options: Any) -> None:
                if stance == "fail_on_recompile" and waiting:
                    waiting.pop()(sys.modules["torch._dynamo.eval_frame"])
                original(self, stance, **options)

            return __init__

        self._session.hooks.wrap(getattr(module, "set_stance", None), "__init__", make, loses=LOSES)

    def _hook_stance(self, module: ModuleType) -> None:
        """The stance's callback takes the place of the compiler and raises a plain RuntimeError."""
        hooks = self._session.hooks

        def refused(error: BaseException, code: CodeType) -> None:
            self._record(error, code, suppressed=False, by_stance=True)
            hide_tracer(error)

        note = hooks.guarded("eval_frame.fail_callback", refused, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def _callback_from_stance(callback: Any) -> Any:
                chosen = original(callback)
                if getattr(chosen, "__name__", "") != "fail_callback":
                    return chosen

                def fail_callback(frame: Any, *args: Any, **kwargs: Any) -> Any:
                    try:
                        return chosen(frame, *args, **kwargs)
                    except Exception as error:
                        note(error, frame.f_code)
                        raise

                fail_callback.__dict__.update(chosen.__dict__)
                return fail_callback

            return _callback_from_stance

        hooks.wrap(module, "_callback_from_stance", make, loses=LOSES)

    def _hook_backward(self, module: ModuleType) -> None:
        """That module compiles backward graphs when they first run, and nothing else, under this context."""
        hooks = self._session.hooks

        def left(error: BaseException) -> None:
            self._record(error, None, suppressed=False)
            hide_tracer(error)

        note = hooks.guarded("runtime_wrappers.track_graph_compiling", left, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def track_graph_compiling(*args: Any, **kwargs: Any) -> Any:
                return Watched(original(*args, **kwargs), note)

            return track_graph_compiling

        hooks.wrap(module, "track_graph_compiling", make, loses=LOSES)

    def _left_frame(self, error: BaseException, code: CodeType) -> None:
        suppressed = _is_suppressing()
        self._record(error, code, suppressed=suppressed, rewrapped=not suppressed and is_rewrapped(error))

    def _record(
        self,
        error: BaseException,
        code: CodeType | None,
        *,
        suppressed: bool,
        position: tuple[int | None, ...] | None = None,
        by_stance: bool = False,
        rewrapped: bool = False,
    ) -> None:
        if not isinstance(error, Exception):
            return  # an interrupt or an exit: the program wanted it, and no stage failed
        chain = claim(error)
        if not chain:
            return
        stage, torch_frame = ("guard", None) if by_stance else stage_of(chain)
        backend = backend_name(chain)
        if stage == "capture" and backend is not None:
            stage = "compile"
        node = suspect(chain)
        node_frame = self._graphs.stacks.user_frame(node.meta.get("stack_trace")) if node is not None else None
        frames = self._breaks.stack_of(next((link for link in chain if self._breaks.stack_of(link)), None))
        if code is not None and position is not None:
            frames = [self._frames.make(code.co_filename, position, code.co_name)]
        said = [{"type": type_name(link), "message": message(link)} for link in chain]
        if rewrapped:
            said.insert(0, {"type": REWRAPPED, "message": f"{type(error).__qualname__}: {said[0]['message']}"})
        self._session.emit(
            "failure",
            {
                "stage": stage,
                "class": "guard" if by_stance else class_of(chain),
                "chain": said,
                "frames": frames or ([node_frame] if node_frame else self._user_tail(chain)),
                "above": self._frames.above(),
                "code": None if code is None else self._frames.code(code),
                "node": _describe(node, node_frame),
                "snapshot": self._snapshot(node, chain),
                "torch_frame": torch_frame,
                "backend": backend,
                "suppressed": suppressed,
                "called_back": called_back(chain, self._frames, self._session.sources),
            },
        )

    def _snapshot(self, node: Any, chain: list[BaseException]) -> str | None:
        graph = last_graph(chain) if node is None else node.graph
        return None if graph is None else self._graphs.renderer.render(Snapshot(graph)).id

    def _user_tail(self, chain: list[BaseException]) -> list[Frame]:
        """User frames in the traceback itself: a custom pass or a backend of the user's that raised."""
        for link in reversed(chain):
            summary = traceback.extract_tb(link.__traceback__)
            user = [frame for frame in summary if self._session.sources.is_user(frame.filename)]
            if user:
                return self._frames.of_summary(user)
        return []


class Watched:
    """A context manager of torch's that tells of the exceptions that leave it; it adds no frame to their tracebacks."""

    def __init__(self, context: Any, note: Callable[[BaseException], None]) -> None:
        self._context = context
        self._note = note

    def __enter__(self) -> Any:
        return self._context.__enter__()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:  # noqa: PYI036 - whatever torch's own takes
        if isinstance(error, Exception):
            self._note(error)
        return self._context.__exit__(kind, error, trace)


def describe_exit(error: BaseException | None) -> dict[str, Any] | None:
    """The uncaught exception of a program with its frames, outermost first, without ours."""
    if error is None:
        return None
    frames = [
        {
            "file": frame.filename,
            "line": frame.lineno or 1,
            "end_line": getattr(frame, "end_lineno", None) or frame.lineno or 1,
            "col": getattr(frame, "colno", None),
            "end_col": getattr(frame, "end_colno", None),
            "function": frame.name,
        }
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(TRACER) and "runpy" not in frame.filename and frame.filename != TOP_FILE
    ]
    return {"type": type_name(error), "message": message(error), "frames": frames}


def _describe(node: Any, frame: Frame | None) -> dict[str, Any] | None:
    if node is None:
        return None
    target = node.target if isinstance(node.target, str) else target_name(node.target)
    return {"name": node.name, "target": target, "frame": frame}


def _compiling_code() -> CodeType | None:
    python: Any = sys._getframe(1)
    while python is not None:
        if python.f_code.co_name == "_compile" and python.f_code.co_filename.endswith("convert_frame.py"):
            code: CodeType | None = python.f_locals.get("code")
            return code
        python = python.f_back
    return None


def _is_suppressing() -> bool:
    """Whether a frame whose compile fails goes on in eager."""
    return bool(getattr(sys.modules.get("torch._dynamo.config"), "suppress_errors", False))
