"""`random.random()`, which torch does not trace, as `random.uniform(0.0, 1.0)`, which it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import names, source, statements, variables
from compilescope.fixes.torch_names import BINARY
from compilescope.fixes.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the other call: Python's `uniform(0.0, 1.0)` is `0.0 + 1.0 * random()`, the same bits."""
    call = site.call
    if site.finding.rule not in {"graph-break", "frame-skipped", "graph-break-error"} or call is None:
        return
    parts = source.children(call)
    if names.called(site.source, call) != "random.random" or len(parts) < len(("random", ".random", "()")):
        return
    if source.arguments(call) or not _meets_tensors(site, call):
        return
    yield Fix(
        f"Write {source.code(call)} as {source.code(parts[0])}.uniform(0.0, 1.0)",
        [site.source.replaced_through(parts[-2], parts[-1], ".uniform(0.0, 1.0)")],
        kind="rng",
        preferred=True,
        note="it is the same number from the same generator; torch traces `uniform` and not `random`",
    )


def _meets_tensors(site: Site, call: NodeOrLeaf) -> bool:
    """Whether every use of the number is with a tensor: torch traces no arithmetic of such a number with another."""
    values = Values(site)
    statement = source.statement(call)
    given = statements.assigned(statement) if statement is not None else None
    if given is None or given[1] is not call:
        return _meets_tensor(site, values, call)
    if site.function is None or len(list(names.bindings(site.source, given[0].value, site.function))) != 1:
        return False
    uses = variables.uses(site.source, site.function, given[0].value)
    return all(_meets_tensor(site, values, one) for one in uses if one is not given[0])


def _meets_tensor(site: Site, values: Values, number: NodeOrLeaf) -> bool:
    parent = number.parent
    while parent is not None and parent.type == "atom" and source.code(parent).startswith("("):
        number, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type in {"arith_expr", "term"}:
        operands = [one for one in source.children(parent) if one.type != "operator"]
        before = operands[: operands.index(number)]
        return any(map(values.is_tensor, before or operands[1:2]))
    trailer = parent.parent if parent.type == "arglist" else parent
    if trailer is None or trailer.type != "trailer" or not source.code(trailer).startswith("("):
        return False
    parts = source.children(trailer.parent)
    before_call = parts[: parts.index(trailer)]
    module, _, function = names.whole(site.source, before_call).rpartition(".")
    if module:
        return module == "torch" and function in BINARY
    receiver = values.of_parts(before_call[:-1]) if len(before_call) > 1 else None
    return receiver is not None and receiver.is_tensor and source.code(before_call[-1])[1:] in BINARY
