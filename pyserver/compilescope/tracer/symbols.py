"""The symbols of a compile's shapes: what each stands for, why it is variable, and what is known of it at the end.

Relies on `ShapeEnv` (`var_to_range`, `var_to_sources`, `var_to_range_sloc`, `replacements`, and `backed_var_to_val`, in
2.9 `var_to_val`; torch/fx/experimental/symbolic_shapes.py, 2.9 to 2.14) and on `OutputGraph.tracked_fakes`, which keeps
Dynamo's decision about each dimension of each input (`_automatic_dynamic`, torch/_dynamo/variables/builder.py).
Where a symbol was made and where it was specialised, torch's own trace says (`create_symbol`,
`create_unbacked_symbol`, `symbolic_shape_specialization`).
"""

from __future__ import annotations

import sys
from typing import Any


def describe(output_graph: Any) -> list[dict[str, Any]]:
    """Each symbol of a graph that Dynamo captured, in the order in which they were made; empty without any.

    Raises AttributeError when this torch keeps them elsewhere.
    """
    environment = output_graph.shape_env
    ranges = environment.var_to_range
    if not ranges:
        return []
    values = getattr(environment, "backed_var_to_val", None)
    if values is None:
        values = environment.var_to_val
    reasons = _reasons(output_graph.tracked_fakes)
    return [_symbol(symbol, environment, values, reasons) for symbol in ranges]


def _symbol(symbol: Any, environment: Any, values: Any, reasons: dict[str, str]) -> dict[str, Any]:
    bounds = environment.var_to_range[symbol]
    places = environment.var_to_range_sloc.get(symbol)
    sources = [source_name(source) for source in environment.var_to_sources.get(symbol, ())]
    value = values.get(symbol)
    fixed = environment.replacements.get(symbol)
    why = next((reasons[source] for source in sources if source in reasons), None)
    return {
        "symbol": symbol.name,
        "kind": "unbacked" if value is None else "backed",
        "sources": sources,
        "value": None if value is None else _text(value),
        "range": [_text(bounds.lower), _text(bounds.upper)],
        "range_at": [_user_line(getattr(places, side, None)) for side in ("lower", "upper")],
        "is": None if fixed is None else str(fixed),
        "why": why or _why_scalar(sources, value),
    }


def source_name(source: Any) -> str:
    """The source as an expression over `L` and `G`: a property since 2.10, a method before."""
    name = source.name
    return str(name() if callable(name) else name)


def _reasons(tracked: Any) -> dict[str, str]:
    """Why each variable dimension is one, by its source."""
    found = {}
    for fake in tracked:
        context = getattr(fake, "symbolic_context", None)
        sizes = getattr(context, "dynamic_sizes", None)
        if context is None or not sizes:
            continue
        name = source_name(fake.source)
        for dimension, (dynamic, constraint) in enumerate(zip(sizes, context.constraint_sizes, strict=False)):
            why = _why(dynamic.name, constraint)
            if why is not None:
                found[f"{name}.size()[{dimension}]"] = why
    return found


def _why(dynamic: str, constraint: Any) -> str | None:
    """What made a dimension variable. Automatic ones have a constraint that only warns (2.9 to 2.14)."""
    if dynamic == "STATIC":
        return None
    if "UNBACKED" in dynamic:
        return "mark_unbacked"
    if dynamic == "DUCK":
        return "dynamic=True"
    if constraint is None:
        return "maybe_mark_dynamic"
    return "automatic" if getattr(constraint, "warn_only", False) else "mark_dynamic"


def _why_scalar(sources: list[str], value: Any) -> str | None:
    """What made a number variable that is no tensor's size."""
    if value is None or not sources or sources[0].endswith(".item()") or ".size()[" in sources[0]:
        return None
    config = getattr(sys.modules.get("torch._dynamo"), "config", None)
    return "automatic" if getattr(config, "assume_static_by_default", True) else "dynamic=True"


def _text(number: Any) -> str:
    """A sympy number without sympy's printer, which takes hundreds of calls."""
    whole = getattr(number, "p", None)
    return str(int(whole)) if getattr(number, "is_Integer", False) and whole is not None else str(number)


def _user_line(place: Any) -> str | None:
    """The line of the program that set a bound, as torch puts it: `code  # path:line in function`."""
    location = getattr(place, "maybe_user_loc", None)
    return None if location is None else str(location)
