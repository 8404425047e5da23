"""Graph breaks: every one that Dynamo meets, with the exact ranges of the frames that it was tracing.

Torch logs the stack of a repeated break only once and does not count all of them, so each occurrence is taken where it
is raised (`exc.Unsupported`, `exc.UserError`) and where it is decided what becomes of it
(`InstructionTranslatorBase.log_graph_break`, a module function up to 2.9; `convert_frame.exception_handler`).
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from compilescope.tracer.linetable import RESUMED
from compilescope.tracer.tracebacks import hide_tracer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.session import Session

LOSES = "graph breaks"
SKIPPED = ("Failed to handle graph break gracefully", "Encountered graph break that we cannot resume from")
FOLLOW_UP = "*** While handling this graph break, another graph break occurred: ***"
IN_LOOP = "Skipping frame because there is a graph break in a for/while loop"
"""Why torch up to 2.9 gives up a frame, in its words; later versions say it as a break that follows."""
SKIP_IN_LOOPS = ("jump_graph_break", "wrapper")
"""Who in torch up to 2.9 asks `maybe_has_backedge` after logging a break, and gives up the frame if it says so."""
IN_LOOP_TYPE = "graph break in loop"
GENERATOR = "Attempt to trace generator"
CONVERTS = ("convert_frame.py", "_utils_internal.py")
GIVEN = re.compile(r"torch[\\/]_dynamo[\\/](?:eval_frame|external_utils)\.py$")
"""Who in torch calls the function that `torch.compile` was given."""
CALLS_FORWARD = re.compile(r"torch[\\/]nn[\\/]modules[\\/]module\.py$")
"""Who calls a module's `forward`."""
LIMIT_ID = "GB0039"
LIMIT = re.compile(r"Dynamo (recompile|cache) limit exceeded|\b(cache|recompile)_(size_)?limit reached")


class Breaks:
    """Records graph breaks."""

    def __init__(self, session: Session, frames: Frames) -> None:
        self._session = session
        self._frames = frames
        self.failed: list[Callable[[BaseException, CodeType], None]] = []
        """Called with each exception that ends a frame's compile and is raised to the program, breaks included."""
        self._stacks: WeakKeyDictionary[BaseException, list[Frame]] = WeakKeyDictionary()

    def install(self) -> None:
        """Hook torch's exceptions, its translator and its frame conversion when they are imported."""
        hooks = self._session.hooks
        hooks.after_import("torch._dynamo.exc", self._hook_exceptions, loses=LOSES)
        hooks.after_import("torch._dynamo.symbolic_convert", self._hook_translator, loses=LOSES)
        hooks.after_import("torch._dynamo.convert_frame", self._hook_conversion, loses="skipped frames and errors")

    def stack_of(self, error: BaseException | None) -> list[Frame]:
        """The frames that were traced when `error` was raised, exact if they can be had, else as torch noted them."""
        if error is None:
            return []
        try:
            if error in self._stacks:
                return self._stacks[error]
        except TypeError:  # no weak references to it
            pass
        noted = self._frames.of_summary(getattr(error, "real_stack", None))
        exact = self._frames.passed(error) if noted else []
        agree = len(noted) == len(exact) and all(map(_same_place, noted, exact))
        return exact if agree else noted

    def note_stack(self, error: BaseException) -> None:
        """Remember what Dynamo traces while `error` is made; a follow-up of another error keeps that one's frames."""
        cause = sys.exc_info()[1]
        stack = getattr(error, "real_stack", None)
        if cause is not None and stack is not None and getattr(cause, "real_stack", None) is stack:
            self._stacks[error] = self.stack_of(cause)
        else:
            self._stacks[error] = self._frames.traced()

    def _hook_exceptions(self, module: ModuleType) -> None:
        hooks = self._session.hooks

        def raised(error: BaseException) -> None:
            self.note_stack(error)
            if isinstance(error, module.Unsupported) and LIMIT.search(str(error).split("\n", 1)[0]):
                self._limit_hit(error)
            elif getattr(error, "gb_type", None) == GENERATOR or str(error).startswith(GENERATOR):
                self._generator(error)

        note = hooks.guarded("exc.Unsupported.__init__", raised, loses="exact ranges of graph breaks")

        def make(original: Callable[..., None]) -> Callable[..., None]:
            def __init__(self: BaseException, *args: Any, **kwargs: Any) -> None:
                original(self, *args, **kwargs)
                note(self)

            return __init__

        for name in ("Unsupported", "UserError", "TorchRuntimeError", "UncapturedHigherOrderOpError"):
            hooks.wrap(getattr(module, name, None), "__init__", make, loses="exact ranges of graph breaks")

    def _hook_translator(self, module: ModuleType) -> None:
        hooks = self._session.hooks
        note = hooks.guarded("log_graph_break", self._logged, loses=LOSES)
        if hasattr(module.InstructionTranslatorBase, "log_graph_break"):

            def make(original: Callable[..., None]) -> Callable[..., None]:
                def log_graph_break(
                    self: Any, code_options: Any, reason: str = "", exc: Any = None, *args: Any, **kwargs: Any
                ) -> None:
                    note(self, reason, exc)
                    original(self, code_options, reason, exc, *args, **kwargs)

                return log_graph_break

            hooks.wrap(module.InstructionTranslatorBase, "log_graph_break", make, loses=LOSES)
        else:

            def make_function(original: Callable[..., None]) -> Callable[..., None]:
                def log_graph_break(code_options: Any, reason: str = "", *args: Any, **kwargs: Any) -> None:
                    caller = sys._getframe(1)
                    translator: Any = caller.f_locals.get("self")
                    in_loop = caller.f_code.co_name in SKIP_IN_LOOPS and translator.maybe_has_backedge()
                    note(translator, reason, sys.exc_info()[1], in_loop=in_loop)
                    original(code_options, reason, *args, **kwargs)

                return log_graph_break

            hooks.wrap(module, "log_graph_break", make_function, loses=LOSES)

    def _hook_conversion(self, module: ModuleType) -> None:
        hooks = self._session.hooks

        def left(error: BaseException, code: CodeType, compiling: dict[str, Any]) -> None:
            exceptions = sys.modules["torch._dynamo.exc"]
            if isinstance(error, (exceptions.Unsupported, exceptions.UserError)) and not getattr(
                error, "logged", False
            ):
                fullgraph = bool(compiling.get("one_graph"))
                box = compiling.get("convert_frame_box")
                raises = fullgraph or bool(getattr(box, "error_on_graph_break", False))
                self._record("error" if raises else "frame-skipped", error, str(error), code, fullgraph=fullgraph)
                failed = raises
            else:
                failed = not isinstance(error, (exceptions.Unsupported, exceptions.UserError))
            for callback in self.failed if failed else ():
                callback(error, code)
            hide_tracer(error)

        note = hooks.guarded("convert_frame.exception_handler", left, loses="skipped frames and errors")

        def make(original: Callable[..., None]) -> Callable[..., None]:
            def exception_handler(e: BaseException, code: CodeType, *args: Any, **kwargs: Any) -> None:
                note(e, code, sys._getframe(1).f_locals)
                original(e, code, *args, **kwargs)

            return exception_handler

        hooks.wrap(module, "exception_handler", make, loses="skipped frames and errors")

    def _logged(self, translator: Any, reason: str, error: BaseException | None, *, in_loop: bool = False) -> None:
        if getattr(error, "logged", False):
            return
        kind = "frame-skipped" if in_loop or reason.startswith(SKIPPED) else "break"
        output = getattr(translator, "output", None)
        root = getattr(output, "root_tx", None) or translator
        self._record(
            kind,
            error,
            f"{IN_LOOP}\n{reason}" if in_loop else reason,
            getattr(root, "f_code", None),
            fullgraph=bool(getattr(root, "one_graph", False)),
            nodes=_operations(output),
            led_to=IN_LOOP_TYPE if in_loop else None,
        )

    def _limit_hit(self, error: BaseException) -> None:
        python: Any = sys._getframe(1)
        while python is not None and python.f_code.co_name != "_compile":
            python = python.f_back
        compiling = python.f_locals if python is not None else {}
        self._record(
            "recompile-limit", error, str(error), compiling.get("code"), fullgraph=bool(compiling.get("one_graph"))
        )

    def _generator(self, error: BaseException) -> None:
        """Record that a generator function was given to `torch.compile`: torch gives it up before a compile begins.

        One that a frame in eager calls is no loss. A module's `forward` is called by torch's `Module._call_impl`, which
        is not compiled. Relies on `ConvertFrameAssert.__call__` (2.6 to 2.14).
        """
        python: Any = sys._getframe(1)
        while python is not None and not (python.f_code.co_name == "__call__" and "frame_state" in python.f_locals):
            python = python.f_back
        converting = python.f_locals if python is not None else {}
        while python is not None and python.f_code.co_filename.endswith(CONVERTS):
            python = python.f_back
        while python is not None and CALLS_FORWARD.search(python.f_code.co_filename):
            python = python.f_back
        code = getattr(converting.get("frame"), "f_code", None)
        if code is None or python is None or not GIVEN.search(python.f_code.co_filename):
            return
        fullgraph = bool(getattr(converting.get("self"), "_one_graph", False))
        self._record("error" if fullgraph else "frame-skipped", error, str(error), code, fullgraph=fullgraph)

    def _record(
        self,
        kind: str,
        error: BaseException | None,
        reason: str,
        code: CodeType | None,
        *,
        fullgraph: bool,
        nodes: int | None = None,
        led_to: str | None = None,
    ) -> None:
        whole = str(getattr(error, "msg", None) or error or reason.removeprefix(f"{IN_LOOP}\n"))
        message, _, follow_up = whole.partition(FOLLOW_UP)
        gb_type = message.strip().split("\n", 1)[0] if follow_up else _type_of_break(error, message)
        self._session.emit(
            "graph_break",
            {
                "kind": kind,
                "reason": reason,
                "gb_type": gb_type,
                "gb_id": _gb_id(gb_type, message) or (LIMIT_ID if kind == "recompile-limit" else None),
                **message_parts(message),
                "follow_up": follow_up.rpartition(FOLLOW_UP)[2].strip().split("\n", 1)[0] or led_to,
                "exception": None if error is None else type(error).__name__,
                "user_error": getattr(getattr(error, "error_type", None), "name", None),
                "frames": self.stack_of(error) if error is not None else self._frames.traced(),
                "above": self._frames.above(),
                "code": None if code is None else self._frames.code(code),
                "fullgraph": fullgraph,
                "graph_nodes": nodes,
            },
        )


def _same_place(noted: Frame, exact: Frame) -> bool:
    """Whether torch's note of a frame fits its exact place, whose line is not always torch's (`linetable`)."""
    same_line = noted["line"] == exact["line"] or exact["function"].startswith(RESUMED)
    return bool(noted["file"] == exact["file"] and same_line)


def message_parts(message: str) -> dict[str, Any]:
    """`explanation`, `context` and `hints` out of the message that `exc.format_graph_break_message` makes."""
    explanation = re.search(
        r"^ *Explanation: (.*?)(?=^ *Hint: |^ *Developer debug context:|\Z)", message, re.MULTILINE | re.DOTALL
    )
    context = re.search(
        r"^ *Developer debug context: (.*?)(?=^ *For more details|^\*\*\*|\Z)", message, re.MULTILINE | re.DOTALL
    )
    hints = re.findall(
        r"^ *Hint: (.*?)(?=^ *Hint: |^ *Developer debug context:|^ *Higher Order Operator:|\Z)",
        message,
        re.MULTILINE | re.DOTALL,
    )
    return {
        "explanation": _flat(explanation.group(1)) if explanation else None,
        "context": context.group(1).strip() if context else None,
        "hints": [_flat(hint) for hint in hints],
    }


def _type_of_break(error: BaseException | None, message: str) -> str:
    return str(getattr(error, "gb_type", None) or message.strip().split("\n", 1)[0])


def _flat(text: str) -> str:
    return " ".join(text.split())


def _gb_id(gb_type: str, message: str) -> str | None:
    """Torch's number for the kind of break, from its registry (2.9 and newer), else from the link in the message."""
    load = getattr(sys.modules["torch._dynamo.exc"], "_load_gb_type_to_gb_id_map", None)
    if load is not None:
        found = load().get(gb_type)
        if found:
            return str(found)
    link = re.search(r"/gb/(gb\d+)\.html", message)
    return link.group(1).upper() if link else None


def _operations(output: Any) -> int | None:
    graph = getattr(output, "graph", None)
    if graph is None:
        return None
    return sum(1 for node in graph.nodes if node.op not in ("placeholder", "output", "get_attr"))
