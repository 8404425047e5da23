"""Matches of Inductor's pattern matcher: which pattern, which nodes, which lines, and what came in their place.

Relies on `apply(match, graph, node)` of the three kinds of entries in torch/_inductor/pattern_matcher.py, and on
`GraphModule._register_create_node_hook` (torch/fx/graph_module.py), 2.6 to 2.14.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from compilescope.tracer.snapshots import target_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.frames import Frame
    from compilescope.tracer.session import Session
    from compilescope.tracer.stacktext import StackTexts

LOSES = "matches of patterns"
ENTRIES = ("LoweringPatternEntry", "GraphPatternEntry", "ReplacementPatternEntry")


class Found:
    """One match; `created` grows while it is applied."""

    __slots__ = ("created", "entry", "module", "nodes", "target")

    def __init__(self, entry: Any, nodes: list[Any], target: Any, module: Any) -> None:
        self.entry = entry
        self.nodes = nodes
        self.target = target
        self.module = module
        self.created: list[Any] = []


class Matches:
    """Collects the matches of each running pass."""

    def __init__(self, session: Session, stacks: StackTexts) -> None:
        self._session = session
        self._stacks = stacks
        self._thread = threading.local()

    def install(self) -> None:
        """Hook the pattern matcher when it is imported."""
        self._session.hooks.after_import("torch._inductor.pattern_matcher", self._hook, loses=LOSES)

    def begin(self) -> None:
        """A pass begins, perhaps inside of another one."""
        self._running().append([])

    def end(self) -> Callable[[], list[dict[str, Any]]] | None:
        """The innermost pass has ended: what puts its matches into words; None when it had none."""
        found = self._running().pop()
        return (lambda: [self._describe(one) for one in found]) if found else None

    def _hook(self, module: ModuleType) -> None:
        hooks = self._session.hooks
        begin = hooks.guarded("pattern match", self._matched, loses=LOSES)
        end = hooks.guarded("pattern match", _applied, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def apply(self: Any, match: Any, graph: Any, node: Any) -> Any:
                found = begin(self, match, graph, node)
                try:
                    return original(self, match, graph, node)
                finally:
                    if found is not None:
                        end(found)

            return apply

        for name in ENTRIES:
            hooks.wrap(getattr(module, name, None), "apply", make, loses=LOSES)

    def _matched(self, entry: Any, match: Any, graph: Any, node: Any) -> Found | None:
        running = self._running()
        if not running:
            return None
        found = Found(entry, list(match.nodes), node.target, graph.owning_module)
        running[-1].append(found)
        found.module._register_create_node_hook(found.created.append)
        return found

    def _describe(self, found: Found) -> dict[str, Any]:
        handler = getattr(found.entry, "handler", None)
        name = None if handler is None else target_name(handler)
        return {
            "pattern": getattr(found.entry, "pattern_name", None) or name or type(found.entry.pattern).__name__,
            "function": name,
            "target": found.target if isinstance(found.target, str) else target_name(found.target),
            "nodes": [node.name for node in found.nodes],
            "created": [node.name for node in found.created],
            "frames": self._frames(found.nodes),
        }

    def _frames(self, nodes: list[Any]) -> list[Frame]:
        texts = dict.fromkeys(node.meta["stack_trace"] for node in nodes if "stack_trace" in node.meta)
        frames: list[Frame] = []
        for frame in map(self._stacks.user_frame, texts):
            if frame is not None and frame not in frames:
                frames.append(frame)
        return frames

    def _running(self) -> list[list[Found]]:
        if not hasattr(self._thread, "running"):
            self._thread.running = []
        running: list[list[Found]] = self._thread.running
        return running


def _applied(found: Found) -> None:
    found.module._unregister_create_node_hook(found.created.append)
