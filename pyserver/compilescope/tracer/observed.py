"""The program's own passes where torch runs them without an observer: ours stand in their slots meanwhile.

Torch reads such a slot of its configuration when it comes to the pass; the key of a cache was made before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Observed:
    """One of the program's passes. `begin` gets what the pass gets first; what it returns, unless None, `end` gets.

    `end` gets that, the pass, its result (of one that raised what it was given) and its exception.
    """

    def __init__(self, function: Callable[..., Any], begin: Callable[[Any], Any], end: Callable[..., None]) -> None:
        self._function = function
        self._begin = begin
        self._end = end

    def __call__(self, graph: Any, *args: Any) -> Any:
        """What the pass returns; raises what it raises."""
        begun = self._begin(graph)
        result, raised = graph, None
        try:
            result = self._function(graph, *args)
        except BaseException as error:
            raised = error
            raise
        else:
            return result
        finally:
            if begun is not None:
                self._end(begun, self._function, result, raised)


def with_observed(
    run: Callable[..., Any], config: Any, slots: Iterable[str], observe: Callable[[str, Any], Observed]
) -> Any:
    """What `run()` returns, called while the passes in these slots of `config` are observed.

    One that is observed already, as in a compile inside of a compile, stays as it is.
    """
    programs = {slot: getattr(config, slot, None) for slot in slots}
    own = {slot: each for slot, each in programs.items() if callable(each) and not isinstance(each, Observed)}
    for slot, function in own.items():
        setattr(config, slot, observe(slot, function))
    try:
        return run()
    finally:
        for slot, function in own.items():
            setattr(config, slot, function)
