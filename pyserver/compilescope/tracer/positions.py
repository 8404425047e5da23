"""Exact ranges of what Dynamo traces, kept beside torch's own notes, which have lines, or columns without an end line.

Torch notes where a graph node comes from as text (`node.meta["stack_trace"]`, made in `SubgraphTracer.create_proxy`,
torch/_dynamo/output_graph.py) and where a guard comes from as frame summaries (`TracingContext.extract_stack`,
torch/_guards.py, 2.6 to 2.14). Neither may be changed: both are shown to the user. So the range of each is kept here,
by the identity of the string and of the list: later stages hand on the very string (torch/fx/proxy.py,
torch/fx/traceback.py), while two calls on one line may have equal ones.
"""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

from compilescope.tracer.linetable import RESUMED, Shifts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType, ModuleType

    from compilescope.tracer.session import Session

Place = tuple[str, Any, int]
"""A file, the `dis.Positions` there (columns in UTF-8 bytes; None where the instruction has no position), and how many
lines they are too far down (`linetable`)."""
Places = tuple[Place, ...]
Position = tuple["int | None", ...]
"""Line, end line, column, end column."""
LOSES = "columns of graph nodes and guards"
MANY = 10_000
UNSHARED = 3
"""References to a text that nobody else holds: the table's, the loop's and the argument's."""


class Positions:
    """Ranges by text (innermost first, as far as the first place of the user's) and by stack (all, outermost first)."""

    def __init__(self, session: Session) -> None:
        self.differing: set[str] = set()
        """Texts that are equal for several places."""
        self._session = session
        self._first: dict[str, tuple[str, Places]] = {}
        self._texts: dict[int, tuple[str, Places]] = {}
        self._stacks: dict[int, tuple[weakref.ref[Any], Places]] = {}
        self._many = MANY
        self._shifts = Shifts()

    def install(self) -> None:
        """Hook Dynamo's making of nodes and of stacks when it is imported."""
        hooks = self._session.hooks
        hooks.after_import("torch._dynamo.output_graph", self._hook_nodes, loses=LOSES)
        hooks.after_import("torch._guards", self._hook_stacks, loses=LOSES)

    def of_text(self, text: str) -> Places:
        """The places of the node that got `text`; those of an equal text where all of them have the same; else none."""
        kept = self._texts.get(id(text))
        if kept is not None and kept[0] is text:
            return kept[1]
        first, places = self._first.get(text, ("", ()))
        return places if first is text or text not in self.differing else ()

    def of_stack(self, stack: Any) -> Places:
        """The places of a stack that `extract_stack` made; none for another."""
        kept = self._stacks.get(id(stack))
        return kept[1] if kept is not None and kept[0]() is stack else ()

    def down(self, code: CodeType, offset: int | None) -> int:
        """How many lines torch has an instruction of code that it made itself too far down."""
        return self._shifts.at(code, offset)

    def _hook_nodes(self, module: ModuleType) -> None:
        is_user = self._session.sources.is_user

        def note(tracer: Any, proxy: Any) -> None:
            text = proxy.node.meta.get("stack_trace")
            if text:
                self._keep(text, self._places(tracer.output_graph.current_tx, is_user))

        noted = self._session.hooks.guarded("SubgraphTracer.create_proxy", note, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def create_proxy(self: Any, *args: Any, **kwargs: Any) -> Any:
                proxy = original(self, *args, **kwargs)
                noted(self, proxy)
                return proxy

            return create_proxy

        self._session.hooks.wrap(module.SubgraphTracer, "create_proxy", make, loses=LOSES)

    def _keep(self, text: str, places: Places) -> None:
        if text not in self._first:
            self._first[text] = text, places
            return
        first, known = self._first[text]
        if first is text:
            return
        if known != places:
            self.differing.add(text)
        if text in self.differing:
            self._texts[id(text)] = text, places
            if len(self._texts) > self._many:
                self._drop_unshared()

    def _drop_unshared(self) -> None:
        """Let go of the texts of graphs that are gone."""
        self._texts = {
            key: (text, places) for key, (text, places) in self._texts.items() if sys.getrefcount(text) > UNSHARED
        }
        self._many = max(MANY, 2 * len(self._texts))

    def _hook_stacks(self, module: ModuleType) -> None:
        stacks = self._stacks

        def note(stack: Any) -> None:
            translators = sys.modules.get("torch._dynamo.symbolic_convert")
            root = getattr(getattr(translators, "tls", None), "current_tx", None)
            if not stack or root is None:
                return
            key = id(stack)
            places = self._places(root.output.current_tx or root, None)
            stacks[key] = weakref.ref(stack, lambda _: stacks.pop(key, None)), places[::-1]

        noted = self._session.hooks.guarded("TracingContext.extract_stack", note, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def extract_stack(*_context: Any) -> Any:
                stack = original()
                noted(stack)
                return stack

            return extract_stack

        self._session.hooks.wrap(module.TracingContext, "extract_stack", make, loses=LOSES)

    def _places(self, translator: Any, is_user: Callable[[str], bool] | None) -> Places:
        """Where `translator` and its callers are, innermost first; up to the first that is the user's if asked."""
        places: Places = ()
        while translator is not None:
            code, instruction = translator.f_code, translator.current_instruction
            file = code.co_filename
            resumed = translator.parent is None and code.co_name.startswith(RESUMED)
            places += ((file, instruction.positions, self.down(code, instruction.offset) if resumed else 0),)
            if is_user is not None and is_user(file):
                break
            translator = translator.parent
        return places


def position_at(places: Iterable[Place], file: str, line: int | None) -> Position | None:
    """The position in the first of `places` that torch has on this line, if it has columns."""
    for place, found, down in places:
        if place == file and found is not None and found.lineno == line and found.col_offset is not None:
            return found.lineno - down, found.end_lineno - down, found.col_offset, found.end_col_offset
    return None
