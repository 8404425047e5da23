"""Safe observation of a program: callbacks after an import, wraps of functions, and a list of what can't be observed.

A hook's own work never raises into the program and never changes what the wrapped function gets or returns.
"""

from __future__ import annotations

import functools
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType


IMPORTS = "<frozen importlib._bootstrap>"
"""The file of Python's own frames of an import, which it takes out of tracebacks where they stand together."""


class Hooks:
    """Installs hooks, times their own work and collects those that are missing or failed."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """Time in hooks, and what torch spends because of them."""
        self.missing: list[dict[str, str]] = []
        self._depth = 0
        self._finder = _PostImportFinder()

    def install(self) -> None:
        """Start to watch imports."""
        sys.meta_path.insert(0, self._finder)

    def after_import(self, name: str, callback: Callable[[ModuleType], None], *, loses: str) -> None:
        """Call `callback(module)` when the program has imported `name`; at once when it already has."""
        run = self.guarded(f"import of {name}", callback, loses=loses)
        if name in sys.modules:
            run(sys.modules[name])
        else:
            self._finder.callbacks.setdefault(name, []).append(run)

    def wrap(
        self, owner: Any, attribute: str, make: Callable[[Callable[..., Any]], Callable[..., Any]], *, loses: str
    ) -> bool:
        """Replace `owner.attribute` by `make(original)`. False, and reported, when this torch has no such thing."""
        original = getattr(owner, attribute, None)
        if original is None:
            self.report(f"{_name(owner)}.{attribute}", "not in this torch", loses)
            return False
        replacement = make(original)
        functools.update_wrapper(replacement, original)
        setattr(owner, attribute, replacement)
        return True

    def guarded(self, hook: str, body: Callable[..., Any], *, loses: str) -> Callable[..., Any]:
        """`body` with its time counted and its exceptions turned into a report; then it returns None."""

        def run(*args: Any, **kwargs: Any) -> Any:
            outermost = self._depth == 0
            start = time.perf_counter() if outermost else 0.0
            self._depth += 1
            try:
                return body(*args, **kwargs)
            except Exception as error:
                self.report(hook, f"{type(error).__name__}: {str(error)[:300]}", loses)
                return None
            finally:
                self._depth -= 1
                if outermost:
                    self.seconds += time.perf_counter() - start

        return run

    def spent(self, seconds: float) -> None:
        """Count time that something else took because of us, unless it was inside of a hook and counts already."""
        if self._depth == 0:
            self.seconds += seconds

    def report(self, hook: str, reason: str, loses: str) -> None:
        """Note that `hook` gives nothing, once for each hook and reason."""
        entry = {"hook": hook, "reason": reason, "loses": loses}
        if entry not in self.missing:
            self.missing.append(entry)


class _PostImportFinder:
    """Finds nothing itself; gives a callback the module that the ordinary finders found, once it was executed."""

    def __init__(self) -> None:
        self.callbacks: dict[str, list[Callable[[ModuleType], None]]] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in self.callbacks:
            return None
        finders = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in finders)), None)
        loader = getattr(spec, "loader", None)
        if spec is None or loader is None:
            return None
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            execute(module)
            for callback in self.callbacks.pop(name, ()):
                callback(module)

        exec_module.__code__ = exec_module.__code__.replace(co_filename=IMPORTS)
        loader.exec_module = exec_module
        return spec


def argument(args: tuple[Any, ...], kwargs: dict[str, Any], position: int, name: str) -> Any:
    """The argument that a call has at `position` or by `name`. Raises KeyError without it."""
    return args[position] if len(args) > position else kwargs[name]


def _name(owner: Any) -> str:
    return f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else str(owner.__name__)
