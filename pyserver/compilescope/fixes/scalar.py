"""A Python number made of a tensor: kept as a tensor, or captured as a symbol in the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import names, recorded, source
from compilescope.fixes import torch_names as known
from compilescope.fixes.condition import unconverted
from compilescope.fixes.configure import configured
from compilescope.fixes.exact_uses import WIDE, AsExactTensor
from compilescope.fixes.follow import follows
from compilescope.fixes.symbol_uses import AsSymbol
from compilescope.fixes.tensor_uses import RAISES
from compilescope.fixes.value import TENSOR, Value
from compilescope.fixes.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.condition import Bare
    from compilescope.fixes.site import Site

_SCALAR = "aten._local_scalar_dense"
"""The operator that takes a number out of a tensor."""
_NARROW = {"float32", "float16", "bfloat16", "int32", "int16", "int8", "uint8"}
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
    backends = recorded.of(site).backends
    if len(backends) > 1:
        return None  # a number goes to any device, a tensor does not
    for is_wide in (False,) if "MPS" in backends else (False, True):  # which has no float64
        tensor = _tensor(bare, is_copy=_is_copy(node, values), is_wide=is_wide)
        if tensor is None or site.function is None:
            return None
        text, value = tensor
        uses = AsExactTensor(site, values, value)
        if follows(site.source, site.function, node, uses):
            break
    else:
        return None
    needs_torch = bool(uses.edits) or "torch." in text
    return Fix(
        "Keep the value as a tensor",
        [site.source.replaced(node, text), *uses.edits, *(site.source.imported("torch") if needs_torch else [])],
        kind="keep-tensor",
        preferred=True,
        note=RAISES if uses.may_raise else "",
    )


def _tensor(bare: Bare, *, is_copy: bool, is_wide: bool) -> tuple[str, Value] | None:
    """Return a tensor without dimensions and gradient that has the number's value, and what it is; None for none.

    `is_copy`: the expression gives a tensor of its own. `is_wide`: it shall have 64 bits, as Python's numbers do.
    """
    value = bare.value if bare.value is not None else TENSOR
    kind = value.kind
    if not value.is_tensor or kind is None or bare.conversion == "bool":
        return None
    text = bare.text if bare.is_tight else f"({bare.text})"
    flat = "" if value.shape == () else ".reshape(())"
    if bare.conversion == "int" and kind != "int":
        return f"{text}{flat}.to(torch.int64)", Value(is_tensor=True, kind="int", dtype="int64", shape=())
    if bare.conversion == "float" and kind != "float":
        return None
    text += ("" if kind in {"int", "bool"} else ".detach()") + flat
    dtype = value.dtype
    if is_wide and kind in WIDE and dtype != WIDE[kind]:
        is_copy = is_copy or dtype in _NARROW
        text, dtype = f"{text}.{'double' if kind == 'float' else 'long'}()", WIDE[kind]
    return text + ("" if is_copy else ".clone()"), Value(is_tensor=True, kind=kind, dtype=dtype, shape=())


def _is_copy(node: NodeOrLeaf, values: Values) -> bool:
    """Whether what is converted to a number is a tensor of its own, which nothing can change later on."""
    inner = source.children(node)
    if source.is_call(node) and source.code(inner[-2]) == ".item":
        return _gives_copy(inner[:-2], values)
    given = source.arguments(node) if source.is_call(node) else []
    if len(given) == 1 and names.called(values.file, node) in {"float", "int"}:
        return _is_copy(given[0], values)
    return _gives_copy([node], values)


def _gives_copy(parts: list[NodeOrLeaf], values: Values) -> bool:
    only = parts[0]
    inner = source.children(only)
    if len(parts) == 1 and only.type == "atom" and len(inner) == len("(x)"):
        return _gives_copy([inner[1]], values)
    if len(parts) == 1 and inner and only.type != "atom":
        return only.type in {"arith_expr", "term"} or (source.is_call(only) and _gives_copy(inner, values))
    last = parts[-1]
    if len(parts) == 1 or not source.code(last).startswith("("):
        return False
    if any(source.code(one).startswith(("out", "*")) for one in source.arguments_in(last)):
        return False
    whole = names.whole(values.file, parts[:-1])
    called = whole.removeprefix("torch.") if whole else source.code(parts[-2])[1:].strip()
    return called in known.COPYING and values.of_parts(parts) is not None


def _captured(site: Site, node: NodeOrLeaf, values: Values, *, preferred: bool) -> Iterator[Fix]:
    uses = AsSymbol(site, values)
    edits = configured(site.source, _CAPTURE)
    if not edits or site.function is None or not follows(site.source, site.function, node, uses):
        return
    note = "Holds for all that torch compiles in this program."
    if uses.is_size:
        note += " A size depends on it: where torch then asks for its bounds, say them with torch._check(0 <= n)."
    yield Fix("Allow it: capture_scalar_outputs = True", edits, kind="capture-scalar", preferred=preferred, note=note)
