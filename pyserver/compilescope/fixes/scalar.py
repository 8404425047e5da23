"""A Python number made of a tensor: kept as a tensor, or captured as a symbol in the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import source
from compilescope.fixes.condition import unconverted
from compilescope.fixes.configure import configured
from compilescope.fixes.follow import follows
from compilescope.fixes.symbol_uses import AsSymbol
from compilescope.fixes.tensor_uses import RAISES, AsTensor
from compilescope.fixes.value import TENSOR, Value
from compilescope.fixes.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.condition import Bare
    from compilescope.fixes.site import Site

_SCALAR = "aten._local_scalar_dense"
"""The operator that takes a number out of a tensor."""
_CAPTURE = "torch._dynamo.config.capture_scalar_outputs = True"


def fixes(site: Site) -> Iterator[Fix]:
    """Yield how a value that became a Python number may stay in the graph."""
    node = site.node
    if not site.is_break or node is None or site.function is None or not _is_conversion(site):
        return
    values = Values(site)
    bare = unconverted(node, values)
    if not bare.conversion:
        if source.is_call(node) and source.code(source.children(node)[-2]) == ".tolist":
            yield from _captured(site, node, values, preferred=True)
        return
    kept = _kept(site, node, bare, values)
    if kept is not None:
        yield kept
    if bare.conversion != "bool" and (bare.value is None or bare.value.kind != "bool"):
        yield from _captured(site, node, values, preferred=kept is None)


def _is_conversion(site: Site) -> bool:
    detail = site.finding.detail
    said = f"{detail.get('gb_type')} {detail.get('cause')} {site.finding.reason.partition(chr(10))[0]}".lower()
    return "tensor.item" in said or _SCALAR in str(detail.get("context"))


def _kept(site: Site, node: NodeOrLeaf, bare: Bare, values: Values) -> Fix | None:
    text, kind = _tensor(bare)
    if text is None or site.function is None:
        return None
    dtype = bare.value.dtype if bare.value is not None and bare.conversion != "int" else "int64"
    uses = AsTensor(site, values, Value(is_tensor=True, kind=kind, dtype=dtype, shape=()))
    if not follows(site.source, site.function, node, uses):
        return None
    needs_torch = bool(uses.edits) or "torch." in text
    return Fix(
        "Keep the value as a tensor",
        [site.source.replaced(node, text), *uses.edits, *(site.source.imported("torch") if needs_torch else [])],
        kind="keep-tensor",
        preferred=True,
        note=RAISES if uses.may_raise else "",
    )


def _tensor(bare: Bare) -> tuple[str | None, str | None]:
    """Return a tensor without dimensions and gradient that has the number's value, and what it is; None for none."""
    value = bare.value if bare.value is not None else TENSOR
    kind = value.kind
    if not value.is_tensor:
        return None, None
    text = bare.text if bare.is_tight else f"({bare.text})"
    flat = "" if value.shape == () else ".reshape(())"
    if bare.conversion == "int" and kind != "int":
        return f"{text}{flat}.to(torch.int64)", "int"
    if bare.conversion == "bool" or (bare.conversion == "float" and kind != "float"):
        return None, None
    detached = "" if kind in {"int", "bool"} else ".detach()"
    return f"{text}{detached}{flat}", kind


def _captured(site: Site, node: NodeOrLeaf, values: Values, *, preferred: bool) -> Iterator[Fix]:
    uses = AsSymbol(site, values)
    edits = configured(site.source, _CAPTURE)
    if not edits or site.function is None or not follows(site.source, site.function, node, uses):
        return
    note = "Holds for all that torch compiles in this program."
    if uses.is_size:
        note += " A size depends on it: where torch then asks for its bounds, say them with torch._check(0 <= n)."
    yield Fix("Allow it: capture_scalar_outputs = True", edits, kind="capture-scalar", preferred=preferred, note=note)
