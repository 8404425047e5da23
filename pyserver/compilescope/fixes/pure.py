"""Whether evaluating an expression once more, once less, or always changes nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.fixes import names, source
from compilescope.fixes.torch_names import TENSORS

if TYPE_CHECKING:
    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILTINS = _words(
    "abs all any bool dict divmod enumerate float format hasattr getattr id int isinstance len list max min range "
    "repr round set sorted str sum tuple type zip"
)
_METHODS = _words(
    "item tolist numpy format join upper lower strip split title ljust rjust center keys values items get startswith "
    "endswith stride size dim numel element_size is_contiguous is_floating_point data_ptr ndimension get_device"
)
_LOUD = frozenset({"namedexpr_test", "yield_expr", "lambdef", "comp_for", "sync_comp_for", "await"})


def is_pure(file: SourceFile, node: NodeOrLeaf) -> bool:
    """Whether an expression only computes: no assignment, no call of anything that may do more, no random numbers."""
    for one in source.inside(node):
        if one.type in _LOUD or (one.type == "keyword" and source.code(one) in {"await", "yield"}):
            return False
        if one.type == "trailer" and source.code(one).startswith("(") and not is_pure_call(file, one):
            return False
    return True


def is_pure_call(file: SourceFile, trailer: NodeOrLeaf) -> bool:
    """Whether a call, of which these are the parentheses, only computes; its arguments may do more."""
    parent = trailer.parent
    assert parent is not None
    before = parent.children[: parent.children.index(trailer)]
    whole = names.whole(file, before)
    if whole:
        module, _, function = whole.rpartition(".")
        return whole in _BUILTINS or (module.split(".")[0] == "torch" and function in TENSORS) or module == "math"
    method = source.code(before[-1])
    return len(before) > 1 and method.startswith(".") and method[1:].strip() in _METHODS | TENSORS
