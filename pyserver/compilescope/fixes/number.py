"""A number that each call brings anew, passed as a tensor: then no value of it is compiled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import arguments, calls, compiled, names, source
from compilescope.fixes.number_uses import NotATensor, NumberUses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.python import tree

    from compilescope.analysis.model import Edit
    from compilescope.fixes.arguments import Call
    from compilescope.fixes.site import Site

_VALUE = re.compile(r"(?P<name>\w+) == (?P<old>-?[\d.]+(?:e[-+]?\d+)?)")
_NUMBER = re.compile(r"-?[\d.]+(?:e[-+]?\d+)?|-?inf|nan")


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the tensor at all calls, with torch's functions in the place of `math`'s, where all uses allow it."""
    name = _number(site) if site.finding.rule in {"recompile", "recompile-limit"} else None
    found = compiled.function(site) if name else None
    if name is None or found is None or found[0] is not site.source:
        return
    function = found[1]
    given = arguments.parameters(function)
    parameter = next((one for one in given if one.name.value == name and not one.star_count), None)
    if parameter is None or not site.source.names_module("torch"):
        return
    uses = NumberUses(site, function, name)
    try:
        uses.check()
    except NotATensor:
        return
    passing = _passing(site, function, given, name)
    if not passing:
        return
    edits = [*_annotated(site, parameter), *uses.edits, *passing]
    yield Fix(
        f"Pass {name} as a tensor ({len(edits)} edit{'s' if len(edits) > 1 else ''})",
        edits,
        kind="tensor-argument",
        preferred=True,
        note=f"`{name}` then has the precision of a tensor (32 bits, unless torch's default dtype is another)",
    )


def _number(site: Site) -> str | None:
    """Return the one parameter whose every new value was compiled in, at least twice."""
    rows = [one for one in site.finding.detail.get("recompiles", []) if isinstance(one, dict)]
    first = _VALUE.fullmatch(str(rows[0].get("guard"))) if len(rows) > 1 and rows[0].get("new") else None
    if first is None:
        return None
    name = first["name"]
    for row in rows:
        about = re.search(rf"\b{name}\b", str(row.get("guard"))) and " == " in str(row.get("guard"))
        new = row.get("new")
        if not about or not _NUMBER.fullmatch(str(row.get("old"))) or not (new is None or _NUMBER.fullmatch(str(new))):
            return None
    return name


def _passing(site: Site, function: tree.Function, given: list[tree.Param], name: str) -> list[Edit]:
    """Return the edits at all calls; empty where one is unknown or passes nothing that can be wrapped."""
    found = calls.calls_of(site.source, function)
    if not found.complete or any(not _is_known(found.found, row) for row in site.finding.detail.get("recompiles", [])):
        return []
    edits = []
    torch = site.source.names_module("torch") or "torch"
    for call in found.found:
        value = call.passed(given, name)
        if value is None or _hides(call, torch):
            return []
        if names.called(site.source, value) not in {"torch.tensor", "torch.as_tensor"}:
            edits.append(site.source.replaced(value, f"{torch}.tensor({source.code(value)})"))
    return edits


def _is_known(found: list[Call], row: object) -> bool:
    """Whether the caller of a recompile is among the calls."""
    caller = row.get("caller") if isinstance(row, dict) else None
    if not isinstance(caller, dict):
        return False
    return any(one.file.file == caller.get("file") and one.spans(int(caller.get("line") or 0)) for one in found)


def _hides(call: Call, torch: str) -> bool:
    """Whether torch's name means something else where the call is."""
    inner = names.scopes(call.callee)[:-1]  # type: ignore[arg-type]
    return any(True for scope in inner for one in names.bindings(call.file, torch, scope) if one.value == torch)


def _annotated(site: Site, parameter: tree.Param) -> list[Edit]:
    """Return the edit of the parameter's annotation, where it says that it is a number."""
    annotation = parameter.annotation
    if annotation is None or source.code(annotation) not in {"float", "int"}:
        return []
    return [site.source.replaced(annotation, f"{site.source.names_module('torch') or 'torch'}.Tensor")]
