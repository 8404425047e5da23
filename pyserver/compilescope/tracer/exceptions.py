"""What an exception says: its chain, and in its tracebacks the graph and node that were being worked on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import FrameType

MARK = "_compilescope_recorded"
LONGEST = 20_000
DEEPEST = 20
NO_WORK = ("placeholder", "output")
HANDED_OVER = ("call_user_compiler", "_call_user_compiler")
"""Where Dynamo gives a graph to a backend (torch/_dynamo/output_graph.py): what it looped over before means nothing."""


def links(error: BaseException) -> list[tuple[BaseException, bool]]:
    """`error`, what it wraps and what caused that, outermost first; true for one met only as a context.

    Torch hides what it wraps from tracebacks (`raise … from None`), so a hidden context of its exceptions counts.
    """
    chain: list[tuple[BaseException, bool]] = []
    link: BaseException | None = error
    is_context = False
    while link is not None and not any(link is known for known, _ in chain) and len(chain) < DEEPEST:
        chain.append((link, is_context))
        inner = own(link).get("inner_exception")
        if isinstance(inner, BaseException):
            link = inner
        elif link.__cause__ is not None:
            link = link.__cause__
        elif not link.__suppress_context__ or type(link).__module__.startswith("torch."):
            link, is_context = link.__context__, True
        else:
            link = None
    return chain


def claim(error: BaseException) -> list[BaseException]:
    """The chain of `error` as far as it is new, marked as recorded. Empty when it was recorded before.

    Marks: many exceptions allow no weak references, and strong ones would keep the program's frames alive.
    """
    chain: list[BaseException] = []
    for link, is_context in links(error):
        if MARK in own(link):
            if is_context:
                break  # an earlier failure, during whose handling this one happened
            return []
        chain.append(link)
    for link in chain:
        own(link)[MARK] = True
    return chain


def own(error: BaseException) -> dict[str, Any]:
    """The attributes of an exception itself, without a `__getattr__` of its class."""
    attributes: dict[str, Any] = object.__getattribute__(error, "__dict__")
    return attributes


def type_name(error: BaseException) -> str:
    """The class with its module, unless it is a built-in one."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def message(error: BaseException) -> str:
    """The text of an exception; its `__str__` is run as torch and a traceback do, too."""
    try:
        return str(error)[:LONGEST]
    except Exception:
        return "<exception str() failed>"  # as tracebacks have it


def suspect(chain: Iterable[BaseException]) -> Any:
    """The FX node that was being worked on: the innermost local variable that is one, in the innermost exception."""
    kind = _type("torch.fx.node", "Node")
    for link in reversed(list(chain)) if kind else ():
        found = None
        for frame in _frames(link):
            variables = frame.f_locals
            if frame.f_code.co_name in HANDED_OVER:
                found = None
            else:
                one = _variable(variables, ("node", "n", *variables), (kind,))
                found = one if one is not None and one.op not in NO_WORK else found
        if found is not None:
            return found
    return None


def last_graph(chain: Iterable[BaseException]) -> Any:
    """The FX graph that was being worked on: that of the innermost local variable that has one."""
    kinds = tuple(filter(None, (_type("torch.fx.graph_module", "GraphModule"), _type("torch.fx.graph", "Graph"))))
    for link in reversed(list(chain)):
        for frame in reversed(list(_frames(link))):
            variables = frame.f_locals
            if frame.f_code.co_name == "step" and frame.f_code.co_filename.endswith("symbolic_convert.py"):
                return getattr(variables["self"].output, "graph", None)  # Dynamo's, as far as it had got
            found = _variable(variables, variables, kinds)
            if found is not None:
                return getattr(found, "graph", found)
    return None


def backend_name(chain: list[BaseException]) -> str | None:
    """The backend that failed: its exception says so, or passed `_call_user_compiler` (torch/_dynamo/output_graph.py).

    Making the exception that says so runs `str` on the program's, which may raise.
    """
    named = next(filter(None, (own(link).get("backend_name") for link in chain)), None)
    if named is not None:
        return str(named)
    for frame in _frames(chain[-1]):
        if frame.f_code.co_name == "_call_user_compiler" and isinstance(frame.f_locals.get("name"), str):
            return str(frame.f_locals["name"])
    return None


def _frames(error: BaseException) -> Iterator[FrameType]:
    entry = error.__traceback__
    while entry is not None:
        yield entry.tb_frame
        entry = entry.tb_next


def _variable(variables: Mapping[str, Any], names: Iterable[str], kinds: tuple[type, ...]) -> Any:
    return next((variables[name] for name in names if name in variables and isinstance(variables[name], kinds)), None)


def _type(module: str, name: str) -> Any:
    return getattr(sys.modules.get(module), name, None)
