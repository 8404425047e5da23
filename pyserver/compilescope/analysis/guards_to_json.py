"""What calls are checked for, and what caches answered, as plain values: a part of the contract of `--format json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.analysis.caches import Lookup
    from compilescope.analysis.guards import Guarded, GuardTree
    from compilescope.analysis.model import Place
    from compilescope.analysis.symbols import Specialization, Symbol
    from compilescope.analysis.torch_records import ShapeGuard
    from compilescope.analysis.versions import Versions


def guard_tree(one: GuardTree) -> dict[str, Any]:
    """Return a compile's guards with exactly the keys of the contract."""
    return {"compile_id": one.compile_id, "latency_us": one.latency_us, "count": one.count, "tree": _guarded(one.root)}


def symbol(one: Symbol) -> dict[str, Any]:
    """Return a symbol with exactly the keys of the contract."""
    return {
        "compile_id": one.compile_id,
        "symbol": one.symbol,
        "kind": one.kind,
        "expression": one.expression,
        "sources": list(one.sources),
        "value": one.value,
        "lower": one.lower,
        "upper": one.upper,
        "is": one.is_,
        "why": one.why,
        "place": _place(one.place),
        "bound_at": _place(one.bound_at),
    }


def specialization(one: Specialization) -> dict[str, Any]:
    """Return a specialisation with exactly the keys of the contract."""
    return {
        "compile_id": one.compile_id,
        "symbol": one.symbol,
        "expression": one.expression,
        "value": one.value,
        "reason": one.reason,
        "place": _place(one.place),
    }


def shape_guard(one: ShapeGuard) -> dict[str, Any]:
    """Return a guard on shapes with exactly the keys of the contract."""
    return {"compile_id": one.compile_id, "expression": one.expression, "place": _place(one.place)}


def lookup(one: Lookup) -> dict[str, Any]:
    """Return a cache's answer with exactly the keys of the contract."""
    return {**vars(one), "differs": [{**vars(part)} for part in one.differs]}


def versions(one: Versions) -> dict[str, Any]:
    """Return a frame's versions with exactly the keys of the contract."""
    return asdict(one)


def _guarded(one: Guarded) -> dict[str, Any]:
    return {
        "expression": one.expression,
        "source": one.source,
        "accessor": one.accessor,
        "type": one.type,
        "guards": [{"kind": guard.kind, "code": guard.code, "place": _place(guard.place)} for guard in one.guards],
        "children": [_guarded(child) for child in one.children],
    }


def _place(one: Place | None) -> dict[str, Any] | None:
    return None if one is None else {"file": one.file, "range": asdict(one.range)}
