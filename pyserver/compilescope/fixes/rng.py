"""`random.random()`, which torch does not trace, as `random.uniform(0.0, 1.0)`, which it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import names, source, statements, variables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site

# What needs the number itself: with a traced one the graph would end there.
_NEEDS_NUMBER = {"comparison", "not_test", "and_test", "or_test", "if_stmt", "while_stmt", "ternary", "subscript"}
_CARRIES_ON = {"arith_expr", "term", "factor", "power", "atom"}


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the other call: Python's `uniform(0.0, 1.0)` is `0.0 + 1.0 * random()`, the same bits."""
    call = site.call
    if site.finding.rule not in {"graph-break", "frame-skipped", "graph-break-error"} or call is None:
        return
    parts = source.children(call)
    if names.called(site.source, call) != "random.random" or len(parts) < len(("random", ".random", "()")):
        return
    if source.arguments(call) or _is_tested(site, call):
        return
    yield Fix(
        f"Write {source.code(call)} as {source.code(parts[0])}.uniform(0.0, 1.0)",
        [site.source.replaced_through(parts[-2], parts[-1], ".uniform(0.0, 1.0)")],
        kind="rng",
        preferred=True,
        note="it is the same number from the same generator; torch traces `uniform` and not `random`",
    )


def _is_tested(site: Site, call: NodeOrLeaf) -> bool:
    """Whether a condition or an index is made of the number."""
    waiting: list[NodeOrLeaf] = [call]
    seen: set[str] = set()
    while waiting:
        node = waiting.pop()
        while node.parent is not None and node.parent.type in _CARRIES_ON:
            node = node.parent
        parent = node.parent
        if parent is None or parent.type in _NEEDS_NUMBER or source.code(parent).startswith("["):
            return True
        given = statements.assigned(parent)
        if given is not None and given[1] is node and isinstance(given[0], tree.Name) and site.function is not None:
            name = given[0].value
            if name not in seen:
                seen.add(name)
                waiting += [
                    one
                    for one in variables.uses(site.source, site.function, name)
                    if not one.is_definition(include_setitem=False)
                ]
    return False
