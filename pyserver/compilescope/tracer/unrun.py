"""Passes that the program registered and a compile did not run, with the reason where it is known."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from compilescope.tracer.slots import BACKEND, FUNCTORCH, INDUCTOR, bare, describe_function, registered

if TYPE_CHECKING:
    from compilescope.tracer.aot import Aot
    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.passes import Passes, Phase
    from compilescope.tracer.session import Session
    from compilescope.tracer.steps import Steps
    from compilescope.tracer.structured import Structured

CACHED = ("fx_graph_cache_hit", "aotautograd_cache_hit")
TRAINING = ("custom_partitioner_fn", "joint_custom_pass")
PHASES = ("pre_grad", "joint", "post_grad")
Registered = dict[tuple[str, int], tuple[str, Any]]
"""Stage and callable of each registered pass, by slot and callable."""


class Seen:
    """What has happened in one compile."""

    def __init__(self, options: Registered) -> None:
        self.registered = {**options, **_registered()}
        self.phases: set[str] = set()
        self.traced = ""
        self.in_inductor = False
        self.cached = False


class Unrun:
    """Compares, when a compile that Dynamo began has ended, what was registered with what ran."""

    def __init__(self, session: Session, graphs: Graphs, steps: Steps, aot: Aot) -> None:
        self._session = session
        self._graphs = graphs
        self._steps = steps
        self._aot = aot
        self._thread = threading.local()
        self._told: set[tuple[str, int]] = set()
        graphs.ended.append(session.hooks.guarded("registered passes", self._ended, loses="passes that never ran"))
        session.at_end.append(self._at_end)

    def watch(self, inductor: Inductor, passes: Passes, structured: Structured) -> None:
        """Learn from the other observers how far a compile comes."""
        self._aot.traced.append(self._traced)
        inductor.entered.append(self._entered)
        passes.left.append(self._left)
        structured.artifact.append(self._artifact)

    def captured(self, backend: Any) -> None:
        """Dynamo hands a graph to `backend`, which may hold passes in its options (`torch.compile(options=…)`)."""
        backend = getattr(backend, "_torchdynamo_orig_backend", backend)
        options = getattr(backend, "config", None)
        own: Registered = {}
        if type(backend).__module__ == "torch" and isinstance(options, dict):
            for slot, stage in INDUCTOR.items():
                value = options.get(slot)
                for each in value if isinstance(value, (list, tuple)) else [value]:
                    if each is not None:
                        own[slot, id(bare(each))] = (stage, bare(each))
        self._thread.seen = Seen(own)
        self._steps.ran.clear()

    def _traced(self, direction: str) -> None:
        if (seen := self._seen()) is not None:
            seen.traced = direction

    def _entered(self, _graph: str) -> None:
        if (seen := self._seen()) is not None:
            seen.in_inductor = True

    def _left(self, phase: Phase) -> None:
        if (seen := self._seen()) is not None:
            seen.phases.add(phase.name)
            seen.in_inductor = True

    def _artifact(self, name: str, _payload: str | None) -> None:
        if name in CACHED and (seen := self._seen()) is not None:
            seen.cached = True

    def _ended(self) -> None:
        seen, self._thread.seen = self._seen(), None
        if seen is None:
            return
        for key, (stage, function) in seen.registered.items():
            self._told.add(key)
            seen_if_run = key[0] not in FUNCTORCH or self._aot.sees_joint_pass
            if seen_if_run and key not in self._steps.ran:
                self._emit(key[0], function, self._reason(seen, key[0], stage))
        self._told |= self._steps.ran

    def _reason(self, seen: Seen, slot: str, stage: str) -> str | None:
        if self._session.depth == "capture":
            return "capture"
        if seen.cached:
            return "cache"
        needed = seen.traced if slot in FUNCTORCH else seen.in_inductor
        if not needed:
            return "backend"
        if slot in TRAINING and seen.traced == "inference":
            return "inference"
        behind = "post_grad" if slot == "custom_partitioner_fn" else stage
        if behind in PHASES and behind not in seen.phases:
            return "failed"
        return "device" if slot.startswith(BACKEND) else None

    def _emit(self, slot: str, function: Any, reason: str | None) -> None:
        described = {**describe_function(function, slot), "slot": slot}
        self._graphs.later("unrun_pass", lambda: {**described, "reason": reason})

    def _at_end(self) -> dict[str, Any]:
        """Passes that were registered when no compile was to come any more."""
        if "torch._inductor.config" in sys.modules:
            for key, (_stage, function) in _registered().items():
                if key not in self._told:
                    self._emit(key[0], function, "no-compile")
            self._graphs.write()
        return {}

    def _seen(self) -> Seen | None:
        return getattr(self._thread, "seen", None)


def _registered() -> Registered:
    return {(slot, id(bare(each))): (stage, bare(each)) for slot, stage, each in registered()}
