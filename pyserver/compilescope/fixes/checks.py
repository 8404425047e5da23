"""A check of a tensor's values, an `assert` or an `if` that only raises: left out of compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import source, variables
from compilescope.fixes.choice import is_branching
from compilescope.fixes.pure import is_pure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site

_CALLED = "torch.compiler.is_compiling()"
_LOOSE = {"test", "lambdef", "namedexpr_test", "or_test"}
"""Expressions that need parentheses beside `and`; beside `or` one with `or` needs none."""


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the same check for eager alone."""
    checked = _checked(site)
    if checked is None or not is_pure(site.source, checked[1]):
        return
    keyword, test = checked
    torch = site.source.names_module("torch")
    compiling = _CALLED if torch in {None, "torch"} else f"{torch}.compiler.is_compiling()"
    text = source.code(test)
    if keyword == "if":
        new = f"not {compiling} and {f'({text})' if test.type in _LOOSE else text}"
    else:
        new = f"{compiling} or {f'({text})' if test.type in _LOOSE - {'or_test'} else text}"
    yield Fix(
        "Leave the check out when compiled",
        [site.source.replaced(test, new), *([] if torch else site.source.imported("torch"))],
        kind="leave-out",
        note="Compiled code then goes on where eager raises an error.",
    )


def _checked(site: Site) -> tuple[str, NodeOrLeaf] | None:
    """Return `if` or `assert`, and the test that a finding is in, where it decides about an error alone."""
    node = site.node
    if node is None or site.function is None or not (is_branching(site) or _takes_number(site)):
        return None
    for parent in variables.parents(node, site.function):
        inner = source.children(parent)
        if parent.type == "assert_stmt":
            return ("assert", inner[1]) if inner[1] is node else None
        if parent.type == "if_stmt":
            only = inner[1] is node and len(inner) == len(("if", "test", ":", "body"))
            return ("if", node) if only and _raises(inner[3]) else None
        if parent.type in source.STATEMENTS:
            return None
        node = parent
    return None


def _takes_number(site: Site) -> bool:
    return site.is_break and "tensor.item" in f"{site.finding.detail.get('gb_type')}".lower()


def _raises(body: NodeOrLeaf) -> bool:
    """Whether a branch is one `raise`."""
    statements = [one for one in source.children(body) if one.type != "newline"] if body.type == "suite" else [body]
    first = source.children(statements[0])[0] if len(statements) == 1 else None
    return first is not None and first.type == "raise_stmt"
