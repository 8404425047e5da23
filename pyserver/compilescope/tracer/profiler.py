"""`trace --profile`: what runs in eager and what in compiled graphs, by torch's own profiler.

It records on the CPU's side while the program runs and nothing compiles. What it has is summed up every few seconds, at
a look-up of guards, so that its memory stays small; after `MOST` events it stops for good.

Relies on `torch.autograd.profiler.profile`, the ranges that torch marks while it is on (`TorchDynamo Cache Lookup`,
`CompiledFunction`), `torch._C._autograd._toggle_collection_dynamic`, `torch._C._profiler._RecordFunctionFast` and
`torch._dynamo.callback` (2.6 to 2.14).
"""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.kineto_log import silent
from compilescope.tracer.profiled import CALL, Profiled

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session

LOSES = "operators that ran in eager and in compiled graphs"
MOST = 1_000_000
WINDOW_SECONDS = 2.0


class Profiler:
    """Profiles the program from the import of torch to its end."""

    def __init__(self, session: Session, inductor: Inductor) -> None:
        self._session = session
        self._profile: Any = None
        self._profiled = Profiled()
        self._begun = self._paused = 0.0
        self._seconds = 0.0
        self._ended: str | None = None
        inductor.compiled.append(self._compiled)
        session.at_start.append(self._install)
        session.at_end.append(self._finish)
        session.at_fork.append(self._forked)

    def _install(self) -> None:
        """Begin when torch has been imported, if the session asks for it."""
        if not self._session.profile:
            return
        hooks = self._session.hooks
        hooks.after_import("torch", lambda _torch: self._start(), loses=LOSES)
        hooks.after_import("torch._dynamo.callback", self._pause_compiles, loses=LOSES)
        hooks.after_import("torch._dynamo.eval_frame", self._hook_lookup, loses=LOSES)
        hooks.after_import("torch.autograd.profiler", self._make_way, loses=LOSES)

    def _start(self) -> None:
        module = sys.modules["torch.autograd.profiler"]
        try:
            profile = module.profile(use_kineto=True)
            self._profile = profile
            with silent():
                profile._prepare_trace()
            with silent():  # again: the first time Kineto is prepared it sets its own level
                profile._start_trace()
        except BaseException:
            self._profile = None
            raise
        self._begun, self._paused = time.perf_counter(), 0.0

    def _stop(self) -> None:
        """End the window and add up what it has."""
        profile, self._profile = self._profile, None
        if profile is None:
            return
        self._seconds += time.perf_counter() - self._begun - self._paused
        with silent():
            profile.__exit__(None, None, None)
        self._profiled.add(profile.kineto_results.events())

    def _tick(self) -> None:
        if self._profile is None or time.perf_counter() - self._begun < WINDOW_SECONDS:
            return
        self._stop()
        if self._profiled.events < MOST:
            self._start()
        else:
            self._ended = f"stopped after {self._profiled.events} events"
        self._emit()

    def _pause_compiles(self, module: ModuleType) -> None:
        """Compiles run operators on fake tensors by the thousand: they are left out."""
        since = 0.0

        def compiling(*_arguments: Any) -> None:
            nonlocal since
            since = time.perf_counter()
            self._toggle(on=False)

        def compiled(*_arguments: Any) -> None:
            self._toggle(on=True)
            self._paused += time.perf_counter() - since

        def register() -> None:
            handler.register_start_callback(guarded("compile start", compiling, loses=LOSES))
            handler.register_end_callback(guarded("compile end", compiled, loses=LOSES))

        def make(original: Callable[..., None]) -> Callable[..., None]:
            def clear(*arguments: Any) -> None:  # torch._dynamo.reset forgets all
                original(*arguments)
                register()

            return clear

        guarded = self._session.hooks.guarded
        handler = module.callback_handler
        register()
        self._session.hooks.wrap(type(handler), "clear", make, loses=LOSES)

    def _toggle(self, *, on: bool) -> None:
        """Not inside of a backward, which has a list of its own of who is told of operators.

        Without all three kinds of activity torch warns on stderr.
        """
        if self._profile is not None and sys.modules["torch"]._C._current_graph_task_id() == -1:
            activity = sys.modules["torch"].profiler.ProfilerActivity
            kinds = {getattr(activity, name) for name in ("CPU", "CUDA", "XPU") if hasattr(activity, name)}
            sys.modules["torch"]._C._autograd._toggle_collection_dynamic(on, kinds)

    def _hook_lookup(self, _module: ModuleType) -> None:
        """A look-up of guards lies between the calls of compiled frames: the place to begin a new window."""
        set_hook = getattr(sys.modules.get("torch._C._dynamo.eval_frame"), "set_guard_complete_hook", None)
        if set_hook is None:
            return
        tick = self._session.hooks.guarded("profile", self._tick, loses=LOSES)

        def looked_up(hit: bool) -> bool:  # noqa: FBT001 - torch's signature
            tick()
            return hit if before is None else bool(before(hit))

        before = set_hook(None)
        set_hook(looked_up)

    def _make_way(self, module: ModuleType) -> None:
        """There is room for one profiler: the program's own goes first."""

        def give_way(theirs: Any) -> None:
            if self._profile is not None and theirs is not self._profile:
                self._stop()
                self._ended = "stopped when the program began to profile itself"

        make_way = self._session.hooks.guarded("profile", give_way, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def _prepare_trace(self_: Any) -> Any:
                make_way(self_)
                return original(self_)

            return _prepare_trace

        self._session.hooks.wrap(module.profile, "_prepare_trace", make, loses="profiles beside the program's own")

    def _compiled(self, graph: str, result: Any) -> None:
        if self._session.profile and getattr(result, "current_callable", None) is not None:
            result.current_callable = marked(result.current_callable, CALL + graph)

    def _emit(self) -> None:
        self._session.emit(
            "profile",
            {
                "seconds": round(self._seconds, 6),
                "ended": self._ended,
                **self._profiled.body(),
            },
        )

    def _finish(self) -> dict[str, Any]:
        if self._session.profile:
            with contextlib.suppress(Exception):
                self._stop()
            self._emit()
        return {}

    def _forked(self) -> None:
        self._profile = None
        self._session.profile = False


def marked(call: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    """`call` as a range in the profile: torch's own is named after a cache key, which there may be none of."""
    mark = sys.modules["torch"]._C._profiler._RecordFunctionFast

    def run(inputs: Any) -> Any:
        with mark(name):
            return call(inputs)

    return run
