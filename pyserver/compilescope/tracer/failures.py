"""Failures of a compile: at which stage, in which exceptions, on which node and line of the user's.

Taken where an exception leaves a frame's compile (`convert_frame.exception_handler`) and, for what does not pass there,
where it is made: `InductorError` (a backward graph compiled later), limits, invalid backends
(torch/_dynamo/exc.py and torch/_inductor/exc.py, 2.6 to 2.14).
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any

from compilescope.tracer.frames import TOP_FILE
from compilescope.tracer.generated import dynamo_made_place
from compilescope.tracer.snapshots import Snapshot, target_name
from compilescope.tracer.sources import TRACER
from compilescope.tracer.taxonomy import class_of, stage_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

    from compilescope.tracer.breaks import Breaks
    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.session import Session

LOSES = "failures of a compile"
MADE_ELSEWHERE = ("FailOnRecompileLimitHit", "RecompileError", "InvalidBackend", "ResetRequired")
MARK = "_compilescope_recorded"
LONGEST = 20_000
DEEPEST = 20


class Failures:
    """Records each failure once."""

    def __init__(self, session: Session, frames: Frames, breaks: Breaks, graphs: Graphs) -> None:
        self._session = session
        self._frames = frames
        self._breaks = breaks
        self._graphs = graphs

    def install(self) -> None:
        """Hook the exceptions of Dynamo and Inductor when they are imported."""
        self._breaks.failed.append(self._left_frame)
        self._session.hooks.after_import("torch._dynamo.exc", self._hook_dynamo, loses=LOSES)
        self._session.hooks.after_import("torch._inductor.exc", self._hook_inductor, loses=LOSES)

    def ended(self, error: BaseException) -> None:
        """The program ended with `error`: record it as a failure of the compiler if it came from there."""
        if "torch._dynamo" not in sys.modules:
            return
        if stage_of(error)[1] is not None:
            self._record(error, None, suppressed=False)
            return
        place = dynamo_made_place(error)
        if place is not None:
            self._record(error, place[0], suppressed=False, position=place[1])

    def _hook_dynamo(self, module: ModuleType) -> None:
        for name in MADE_ELSEWHERE:
            self._hook_init(getattr(module, name, None), name)

    def _hook_inductor(self, module: ModuleType) -> None:
        self._hook_init(getattr(module, "InductorError", None), "InductorError")

    def _hook_init(self, kind: Any, name: str) -> None:
        hooks = self._session.hooks

        def made(error: BaseException, inner: Any) -> None:
            if isinstance(inner, BaseException) and not hasattr(error, "inner_exception"):
                error.inner_exception = inner  # type: ignore[attr-defined]
            code = _compiling_code()
            self._record(error, code, suppressed=code is not None and _is_suppressing())

        note = hooks.guarded(f"{name}.__init__", made, loses=LOSES)

        def make(original: Callable[..., None]) -> Callable[..., None]:
            def __init__(self: BaseException, *args: Any, **kwargs: Any) -> None:
                original(self, *args, **kwargs)
                note(self, args[0] if args else None)

            return __init__

        hooks.wrap(kind, "__init__", make, loses=LOSES)

    def _left_frame(self, error: BaseException, code: CodeType) -> None:
        self._record(error, code, suppressed=_is_suppressing())

    def _record(
        self,
        error: BaseException,
        code: CodeType | None,
        *,
        suppressed: bool,
        position: tuple[int | None, ...] | None = None,
    ) -> None:
        chain = _chain(error)
        if not chain:
            return
        stage, torch_frame = stage_of(error)
        backend = _backend(chain)
        if stage == "capture" and backend is not None:
            stage = "compile"
        node = _suspect(chain)
        frames = self._breaks.stack_of(next((link for link in chain if self._breaks.stack_of(link)), None))
        if code is not None and position is not None:
            frames = [self._frames.make(code.co_filename, position, code.co_name)]
        node_frame = self._graphs.stacks.user_frame(node.meta.get("stack_trace")) if node is not None else None
        self._session.emit(
            "failure",
            {
                "stage": stage,
                "class": class_of(chain),
                "chain": [{"type": _type_name(link), "message": _message(link)} for link in chain],
                "frames": frames or ([node_frame] if node_frame else self._user_tail(chain)),
                "above": self._frames.above(),
                "code": None if code is None else self._frames.code(code),
                "node": self._describe(node, node_frame),
                "snapshot": self._snapshot(node),
                "torch_frame": torch_frame,
                "backend": backend,
                "suppressed": suppressed,
            },
        )

    def _describe(self, node: Any, frame: Frame | None) -> dict[str, Any] | None:
        if node is None:
            return None
        target = node.target if isinstance(node.target, str) else target_name(node.target)
        return {"name": node.name, "target": target, "frame": frame}

    def _snapshot(self, node: Any) -> str | None:
        return None if node is None else self._graphs.renderer.render(Snapshot(node.graph)).id

    def _user_tail(self, chain: list[BaseException]) -> list[Frame]:
        """User frames in the traceback itself: a custom pass or a backend of the user's that raised."""
        for link in reversed(chain):
            summary = traceback.extract_tb(link.__traceback__)
            user = [frame for frame in summary if self._session.sources.is_user(frame.filename)]
            if user:
                return self._frames.of_summary(user)
        return []


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
    return {"type": _type_name(error), "message": _message(error), "frames": frames}


def _chain(error: BaseException) -> list[BaseException]:
    """`error`, what it wraps, and what caused that, outermost first. Empty when it was recorded before.

    Marks them: many exceptions allow no weak references, and strong ones would keep the program's frames alive.
    """
    chain: list[BaseException] = []
    link: BaseException | None = error
    is_context = False
    while link is not None and not any(link is one for one in chain) and len(chain) < DEEPEST:
        if MARK in _own(link):
            if is_context:
                break  # an earlier failure, during whose handling this one happened
            return []
        chain.append(link)
        inner = _own(link).get("inner_exception")
        if isinstance(inner, BaseException):
            link = inner
        elif link.__cause__ is not None or link.__suppress_context__:
            link = link.__cause__
        else:
            link, is_context = link.__context__, True
    for link in chain:
        _own(link)[MARK] = True
    return chain


def _own(error: BaseException) -> dict[str, Any]:
    """The attributes of an exception itself, without a `__getattr__` of its class."""
    own: dict[str, Any] = object.__getattribute__(error, "__dict__")
    return own


def _suspect(chain: list[BaseException]) -> Any:
    """The FX node that was being worked on: the innermost local variable that is one, in the innermost exception."""
    node_type = getattr(sys.modules.get("torch.fx.node"), "Node", None)
    if node_type is None:
        return None
    for link in reversed(chain):
        entry = link.__traceback__
        found = None
        while entry is not None:
            variables = entry.tb_frame.f_locals
            names = ("node", "n", *variables)
            found = next((variables[name] for name in names if isinstance(variables.get(name), node_type)), found)
            entry = entry.tb_next
        if found is not None:
            return found
    return None


def _backend(chain: list[BaseException]) -> str | None:
    """The backend that failed: its exception says so, or passed `_call_user_compiler` (torch/_dynamo/output_graph.py).

    Making the exception that says so runs `str` on the program's, which may raise.
    """
    named = next(filter(None, (_own(link).get("backend_name") for link in chain)), None)
    if named is not None:
        return str(named)
    entry = chain[-1].__traceback__
    while entry is not None:
        frame = entry.tb_frame
        if frame.f_code.co_name == "_call_user_compiler" and isinstance(frame.f_locals.get("name"), str):
            return str(frame.f_locals["name"])
        entry = entry.tb_next
    return None


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


def _type_name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _message(error: BaseException) -> str:
    try:
        return str(error)[:LONGEST]
    except Exception:
        return "<exception str() failed>"  # as tracebacks have it
