"""`copy.deepcopy` in compiled code: not made where nothing changes the copy; of a tensor, a clone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import compiled, names, source, statements, variables
from compilescope.fixes.torch_names import BINARY, COMPARING, DIVIDING, REDUCING, SAME_SHAPE, TENSORS, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site

_READS = {"get", "items", "keys", "values", "shape", "size", "dim", "numel", "dtype", "device", "ndim"}
_BUILTINS = {"len", "float", "int", "bool", "isinstance", "hasattr", "getattr", "sum", "min", "max", "abs", "str"}
_COMPUTES = {"arith_expr", "term", "factor", "power", "comparison", "not_test", "and_test", "or_test"}
_NEW = (SAME_SHAPE | TESTS | BINARY | DIVIDING | COMPARING | REDUCING | {"matmul"}) - {"detach", "contiguous"}
"""What gives a new tensor, and no view of one."""
_TENSOR = "torch.Tensor"


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the original in the place of a copy that only is read, and a clone for the copy of a tensor."""
    call = site.call
    if site.finding.rule not in {"graph-break", "frame-skipped", "graph-break-error"} or call is None:
        return
    given = source.arguments(call)
    if names.called(site.source, call) != "copy.deepcopy" or len(given) != 1:
        return
    original = given[0]
    parts: list[NodeOrLeaf] = [original] if isinstance(original, tree.Name) else source.children(original)
    if names.dotted(parts) is None:
        return
    if _is_tensor(site, original):
        yield Fix(
            f"Write the copy of {source.code(original)} as a clone",
            [site.source.replaced(call, f"{source.code(original)}.detach().clone()")],
            kind="deepcopy",
            preferred=True,
            note="the values are the same; the clone requires no gradient of its own, where a copy of a leaf may",
        )
    elif _only_read(site, call, original):
        yield Fix(
            f"Use {source.code(original)} itself: its copy is never changed",
            [site.source.replaced(call, source.code(original))],
            kind="deepcopy",
            preferred=True,
            note=f"gradients, where there are any, then reach the tensors of `{source.code(original)}`",
        )


def _is_tensor(site: Site, original: NodeOrLeaf) -> bool:
    """Whether what is copied is a tensor itself and not something with tensors in it."""
    known = compiled.types(site).get(source.code(original))
    if known is not None:
        return known == _TENSOR
    below = [one for one in site.finding.frames if not one.in_user_code]
    return [one.function for one in below] == ["deepcopy"] and "deepcopy a tensor" in site.finding.reason


def _only_read(site: Site, call: NodeOrLeaf, original: NodeOrLeaf) -> bool:
    """Whether the function neither changes nor hands on the copy, and leaves the original alone while it is used."""
    function, statement = site.function, source.statement(call)
    given = statements.assigned(statement) if statement is not None else None
    if not isinstance(function, tree.Function) or function.type != "funcdef" or given is None or given[1] is not call:
        return False
    copied = given[0].value
    uses = variables.uses(site.source, function, copied)
    if any(one.is_definition(include_setitem=False) and one is not given[0] for one in uses):
        return False
    if not all(_reads(site, one) for one in uses if one is not given[0]):
        return False
    return not _changes(function, source.code(original))


def _reads(site: Site, leaf: NodeOrLeaf) -> bool:
    """Whether a use of the copy only computes with what is in it."""
    node = leaf.parent if leaf.parent is not None and leaf.parent.type in {"atom_expr", "power"} else leaf
    if node is not leaf and source.children(node)[0] is not leaf:
        node = leaf
    parts = source.children(node) if node is not leaf else [leaf]
    computed = False
    for index, part in enumerate(parts[1:], 1):
        text = source.code(part)
        if text.startswith("("):
            method = source.code(parts[index - 1])[1:]
            if not source.code(parts[index - 1]).startswith(".") or method not in _READS | TENSORS:
                return False
            computed = method in _NEW or computed
    parent = node.parent
    while parent is not None and parent.type == "atom":
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if computed or parent.type in _COMPUTES:
        return True
    trailer = parent.parent if parent.type == "arglist" else parent
    if trailer is not None and trailer.type == "trailer" and source.code(trailer).startswith("("):
        before = source.children(trailer.parent)[: source.children(trailer.parent).index(trailer)]
        whole = names.whole(site.source, before)
        torchs = whole.startswith("torch.") and whole.rpartition(".")[2] in _NEW
        return whole in _BUILTINS or torchs
    return False


def _changes(function: tree.Function, original: str) -> bool:
    """Whether the function sets the original, a part of it, or what it is a part of, or calls a method of it."""
    for node in source.inside(function.children[-1]):
        if node.type == "expr_stmt":
            targets = [one for one in source.children(node)[:-1:2] if one.type != "annassign"]
            if any(_same(source.code(one), original) for one in targets):
                return True
        elif source.is_call(node) and source.callee(node).startswith(f"{original}."):
            if source.callee(node).rpartition(".")[2] not in _READS | TENSORS:
                return True
        elif node.type in {"global_stmt", "del_stmt"} and _same(source.code(node).partition(" ")[2], original):
            return True
    return False


def _same(target: str, original: str) -> bool:
    longer, shorter = max(target, original, key=len), min(target, original, key=len)
    return longer == shorter or longer.startswith((f"{shorter}.", f"{shorter}["))
