"""NumPy's functions that torch does not trace, written with torch's own where one computes the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import names, source, statements
from compilescope.fixes.arguments import keyword

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site
    from compilescope.fixes.source import SourceFile

_RULES = {"graph-break", "frame-skipped", "graph-break-error"}
_FROM_NUMPY = {"torch.from_numpy", "torch.as_tensor", "torch.asarray", "torch.tensor"}
_SHAPES = (".shape", ".size()")


@dataclass(frozen=True)
class _Equal:
    """Torch's function for one of NumPy's: `arrays` are given by position, `options` by the name that torch has."""

    function: str
    arrays: tuple[str, ...]
    options: dict[str, str] = field(default_factory=dict)
    fixed: str = ""
    """What torch has to be told for NumPy's default."""


_AXIS = {"axis": "dim", "keepdims": "keepdim"}
_EQUAL = {
    "numpy.nansum": _Equal("nansum", ("a",), _AXIS),
    "numpy.nanmean": _Equal("nanmean", ("a",), _AXIS),
    "numpy.trapezoid": _Equal("trapezoid", ("y", "x"), {"dx": "dx", "axis": "dim"}),
    "numpy.trapz": _Equal("trapezoid", ("y", "x"), {"dx": "dx", "axis": "dim"}),
    "numpy.isin": _Equal("isin", ("element", "test_elements"), {"invert": "invert", "assume_unique": "assume_unique"}),
    "numpy.vecdot": _Equal("linalg.vecdot", ("x1", "x2"), {"axis": "dim"}),
    "numpy.linalg.vecdot": _Equal("linalg.vecdot", ("x1", "x2"), {"axis": "dim"}),
    "numpy.linalg.cross": _Equal("linalg.cross", ("x1", "x2"), {"axis": "dim"}),
    "numpy.linalg.matmul": _Equal("matmul", ("x1", "x2")),
    "numpy.linalg.outer": _Equal("outer", ("x1", "x2")),
    "numpy.linalg.svdvals": _Equal("linalg.svdvals", ("x",)),
    "numpy.linalg.diagonal": _Equal("linalg.diagonal", ("x",), {"offset": "offset"}),
    "numpy.linalg.vector_norm": _Equal("linalg.vector_norm", ("x",), {**_AXIS, "ord": "ord"}),
    "numpy.linalg.matrix_norm": _Equal("linalg.matrix_norm", ("x",), {"keepdims": "keepdim", "ord": "ord"}),
    "numpy.matrix_transpose": _Equal("transpose", ("x",), {}, "-2, -1"),
    "numpy.linalg.matrix_transpose": _Equal("transpose", ("x",), {}, "-2, -1"),
    "numpy.digitize": _Equal("bucketize", ("x", "bins"), {}, "right=True"),
}


def fixes(site: Site) -> Iterator[Fix]:
    """Yield torch's call for NumPy's, the way from a tensor and back to one left out; `math.prod` for a shape's."""
    call = site.call
    if site.finding.rule not in _RULES or call is None or not site.source.names_module("torch"):
        return
    yield from _product(site, call)
    whole = names.called(site.source, call)
    written = _padded(site, call) if whole == "numpy.pad" else _equal(site, call, whole)
    if written is None:
        return
    outer = _back_to_tensor(site.source, call)
    yield Fix(
        f"Write {source.callee(call)} as {written.partition('(')[0]}",
        [site.source.replaced(outer or call, written if outer is not None else f"{written}.numpy()")],
        kind="numpy",
        preferred=True,
        note="the same in torch: rounding may differ in the last digits",
    )


def _product(site: Site, call: NodeOrLeaf) -> Iterator[Fix]:
    """Yield `math.prod(x.shape)` for `int(np.prod(x.shape))`."""
    file, given = site.source, source.arguments(call)
    if names.called(file, call) != "int" or len(given) != 1 or names.called(file, given[0]) != "numpy.prod":
        return
    of = source.arguments(given[0])
    if len(of) != 1 or not _is_shape(of[0]):
        return
    edits = file.imported("math")
    yield Fix(
        f"Write {source.callee(given[0])} as math.prod",
        [*edits, file.replaced(call, f"{file.names_module('math') or 'math'}.prod({source.code(of[0])})")],
        kind="numpy",
        preferred=True,
        note="sizes are Python numbers, and `math.prod` multiplies them as such",
    )


def _is_shape(node: NodeOrLeaf) -> bool:
    """Whether it is `x.shape`, `x.size()`, or a part of one."""
    text = source.code(node)
    if text.endswith("]"):
        last = source.code(source.children(node)[-1])
        text = text.removesuffix(last) if ":" in last else ""
    return text.endswith(_SHAPES)


def _equal(site: Site, call: NodeOrLeaf, whole: str) -> str | None:
    """Return torch's call; None where an argument has no counterpart."""
    equal = _EQUAL.get(whole)
    if equal is None:
        return None
    torch = site.source.names_module("torch")
    arrays: dict[str, str] = {}
    options = [equal.fixed] if equal.fixed else []
    for index, argument in enumerate(source.arguments(call)):
        name, value = keyword(argument)
        if name is None or value is None:
            return None
        name = name or (equal.arrays[index] if index < len(equal.arrays) else "")
        if name in equal.arrays and (tensor := _tensor(site, value, first=arrays.get(equal.arrays[0]))) is not None:
            arrays[name] = tensor
        elif name in equal.options:
            options.append(f"{equal.options[name]}={source.code(value)}")
        elif name == "right" and whole == "numpy.digitize" and source.code(value) in {"True", "False"}:
            options = [f"right={source.code(value) == 'False'}"]
        else:
            return None
    if not arrays or list(arrays) != list(equal.arrays[: len(arrays)]):
        return None
    needed = 1 if equal.function == "trapezoid" else len(equal.arrays)
    if len(arrays) < needed or (whole == "numpy.digitize" and not _rises(call)):
        return None
    if whole == "numpy.digitize":
        # Compared as NumPy does: the bins are double, and a smaller type would round them.
        arrays["x"] += ".double()"
    return f"{torch}.{equal.function}({', '.join([*arrays.values(), *options])})"


def _padded(site: Site, call: NodeOrLeaf) -> str | None:
    """Return torch's `pad` for one with constant values and the same widths on all sides, or all written out."""
    given = {}
    for index, argument in enumerate(source.arguments(call)):
        name, value = keyword(argument)
        if name is None or value is None:
            return None
        given[name or ("array", "pad_width", "mode")[min(index, 2)]] = value
    if not {"array", "pad_width"} <= set(given) <= {"array", "pad_width", "mode", "constant_values"}:
        return None
    if "mode" in given and source.code(given["mode"]).strip("'\"") != "constant":
        return None
    tensor = _tensor(site, given["array"])
    filled = source.code(given["constant_values"]) if "constant_values" in given else ""
    widths = _widths(given["pad_width"], tensor or "")
    if tensor is None or widths is None or (filled and given["constant_values"].type not in {"number", "factor"}):
        return None
    filling = f", value={filled}" if filled else ""
    return f"{site.source.names_module('torch')}.nn.functional.pad({tensor}, {widths}{filling})"


def _widths(node: NodeOrLeaf, tensor: str) -> str | None:
    """Return the widths as torch takes them: pairs, the last dimension first."""
    if node.type == "number":
        return f"({source.code(node)}, {source.code(node)}) * {tensor}.dim()"
    inner = source.children(node)
    if node.type != "atom" or source.code(inner[0]) not in {"(", "["} or inner[1].type != "testlist_comp":
        return None
    parts = [one for one in source.children(inner[1]) if one.type != "operator"]
    if all(one.type == "number" for one in parts):
        pair = f"({', '.join(map(source.code, parts))})"
        return f"{pair} * {tensor}.dim()" if len(parts) == len(("before", "after")) else None
    flat: list[str] = []
    for one in reversed(parts):
        pair = _widths(one, tensor) or ""
        if one.type == "number" or not pair.endswith(f" * {tensor}.dim()"):
            return None
        flat.append(pair.partition(")")[0].removeprefix("("))
    return f"({', '.join(flat)})"


def _tensor(site: Site, node: NodeOrLeaf, first: str | None = None) -> str | None:
    """Return the tensor that an array is made of, or is made into; None for what may be no array.

    A list of numbers is one of doubles, as NumPy makes it; `first`: the tensor whose device it has to be on.
    """
    file = site.source
    torch = file.names_module("torch")
    text = source.code(node)
    if source.is_call(node) and source.callee(node).endswith(".numpy") and not source.arguments(node):
        return text[: -len(".numpy()")] if text.endswith(".numpy()") else None
    if names.called(file, node) in {"numpy.asarray", "numpy.array"}:
        given = source.arguments(node)
        return _tensor(site, given[0], first) if len(given) == 1 and given[0].type == "atom" else None
    if node.type == "atom" and text.startswith("[") and first and _numbers(node) is not None:
        kind = "float64" if any("." in source.code(one) for one in _numbers(node) or []) else "int64"
        return f"{torch}.tensor({text}, dtype={torch}.{kind}, device={first}.device)"
    if isinstance(node, tree.Name) and isinstance(site.function, tree.Function):
        bound = list(names.bindings(file, node.value, site.function))
        statement = source.statement(bound[0]) if len(bound) == 1 else None
        given_to = statements.assigned(statement) if statement is not None else None
        if given_to is not None and (source.code(given_to[1]).endswith(".numpy()") or _is_numpy(file, given_to[1])):
            return f"{torch}.from_numpy({text})"
    return f"{torch}.from_numpy({text})" if _is_numpy(file, node) else None


def _is_numpy(file: SourceFile, node: NodeOrLeaf) -> bool:
    """Whether it is the result of NumPy's functions that give arrays of their arguments' type."""
    return names.called(file, node) in {"numpy.exp", "numpy.log", "numpy.sqrt", "numpy.abs", "numpy.sin", "numpy.cos"}


def _numbers(node: NodeOrLeaf) -> list[NodeOrLeaf] | None:
    inner = source.children(node)
    parts = [one for one in source.children(inner[1]) if one.type != "operator"] if len(inner) > len("[]") else []
    return parts if parts and all(one.type in {"number", "factor"} for one in parts) else None


def _rises(call: NodeOrLeaf) -> bool:
    """Whether the bins are written out and rise; NumPy takes falling ones, too."""
    atoms = [one for one in source.inside(call) if one.type == "atom" and source.code(one).startswith("[")]
    numbers = _numbers(atoms[-1]) if atoms else None
    if numbers is None:
        return False
    values = [float(source.code(one).replace("_", "").replace(" ", "")) for one in numbers]
    return values == sorted(values)


def _back_to_tensor(file: SourceFile, call: NodeOrLeaf) -> NodeOrLeaf | None:
    """Return the call that makes a tensor of the array at once."""
    trailer = call.parent
    outer = trailer.parent if trailer is not None and trailer.type == "trailer" else None
    if outer is None or not source.is_call(outer) or source.arguments(outer) != [call]:
        return None
    return outer if names.called(file, outer) in _FROM_NUMPY else None
