"""A random generator's seed that compiled code sets: set before the call, where it is the first thing that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import callers, calls, names, source, statements
from compilescope.fixes.pure import is_pure, is_pure_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.analysis.model import Edit
    from compilescope.fixes.arguments import Call
    from compilescope.fixes.site import Site

_SEEDS = {
    *("random.seed", "numpy.random.seed", "torch.manual_seed", "torch.random.manual_seed"),
    *("torch.cuda.manual_seed", "torch.cuda.manual_seed_all"),
}
_RULES = {"graph-break", "frame-skipped", "graph-break-error"}


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the seed before all calls of the file, where nothing between may draw a number."""
    call, function, file = site.call, site.function, site.source
    if site.finding.rule not in _RULES or call is None or names.called(file, call) not in _SEEDS:
        return
    if not isinstance(function, tree.Function) or function.type != "funcdef":
        return
    own = statements.of(function, call)
    if own is None or source.children(own)[0] is not call or not statements.is_alone(file, own):
        return
    body = statements.body(function)
    if not all(is_pure(file, one) for one in body[: body.index(own)]) or len(body) == 1:
        return
    if not statements.runs_once(function, call) or not callers.compiled_itself(site, function):
        return
    found = calls.calls_of(file, function)
    seeds = [_before(site, function, one, call) for one in found.found]
    if not found.complete or not seeds or any(one is None for one in seeds):
        return
    yield Fix(
        f"Call {source.callee(call)} before the call",
        [statements.removed(file, own), *(one for one in seeds if one is not None)],
        kind="hoist",
        preferred=True,
        note=f"callers of `{function.name.value}` in other files have to set the seed, too",
    )


def _before(site: Site, function: tree.Function, call: Call, seed: NodeOrLeaf) -> Edit | None:
    """Return the edit that sets the seed before a call; None where its arguments might draw a number after it."""
    statement = source.statement(call.callee)
    if statement is None or not callers.can_precede(call, statement) or callers.is_compiled(site, call):
        return None
    end = call.trailer.end_pos
    earlier = [one for one in source.inside(statement) if one.type == "trailer" and one.end_pos <= end]
    called = [one for one in earlier if one is not call.trailer and source.code(one).startswith("(")]
    if not all(is_pure_call(call.file, one) for one in called):
        return None
    text = callers.outside(site, function, call, seed)
    return None if text is None else call.file.inserted_before(statement, text)
