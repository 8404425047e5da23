"""The lines of the user's that Dynamo went through, in each attempt to trace a frame.

Relies on `InstructionTranslatorBase.starts_line(lineno)`, which torch calls when it comes to another line, and on
`InstructionTranslator.run()`, one attempt (torch/_dynamo/symbolic_convert.py, 2.6 to 2.14).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.tracer.linetable import RESUMED

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

    from compilescope.tracer.positions import Positions
    from compilescope.tracer.session import Session

LOSES = "which lines were captured"


class TracedLines:
    """Records for each attempt which lines it went through."""

    def __init__(self, session: Session, positions: Positions) -> None:
        self._session = session
        self._positions = positions
        self._passed: dict[tuple[CodeType, int], int] = {}
        """An instruction's offset for each line of the attempt that is going on."""

    def install(self) -> None:
        """Hook Dynamo's translator when it is imported."""
        self._session.hooks.after_import("torch._dynamo.symbolic_convert", self._hook, loses=LOSES)

    def _hook(self, module: ModuleType) -> None:
        hooks, passed = self._session.hooks, self._passed
        note = hooks.guarded("InstructionTranslatorBase.starts_line", self._note, loses=LOSES)
        emit = hooks.guarded("InstructionTranslator.run", self._emit, loses=LOSES)

        def make_line(original: Callable[..., None]) -> Callable[..., None]:
            def starts_line(self: Any, lineno: int) -> None:
                if self.lineno != lineno:
                    note(self, lineno)
                original(self, lineno)

            return starts_line

        def make_run(original: Callable[..., None]) -> Callable[..., None]:
            def run(self: Any) -> None:
                passed.clear()
                try:
                    original(self)
                finally:
                    emit()

            return run

        if hooks.wrap(module.InstructionTranslatorBase, "starts_line", make_line, loses=LOSES):
            hooks.wrap(module.InstructionTranslator, "run", make_run, loses=LOSES)

    def _note(self, translator: Any, line: int) -> None:
        code = translator.f_code
        if (code, line) not in self._passed and self._session.sources.is_user(code.co_filename):
            self._passed[code, line] = getattr(translator.current_instruction, "offset", None) or 0

    def _emit(self) -> None:
        lines: dict[str, set[int]] = {}
        for (code, line), offset in self._passed.items():
            # Torch has what it makes of a function, to go on after a break, too far down.
            down = self._positions.down(code, offset) if code.co_name.startswith(RESUMED) else 0
            lines.setdefault(code.co_filename, set()).add(line - down)
        self._passed.clear()
        for file in lines:
            self._session.sources.mention(file)
        if lines:
            self._session.emit("lines", {"lines": {file: sorted(own) for file, own in lines.items()}})
