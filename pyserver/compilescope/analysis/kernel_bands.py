"""Which source expression each line of a generated kernel is there for.

Inductor says which nodes a kernel computes, not which of its lines computes which. What can be concluded is: a line
that calculates is for one of the kernel's nodes of that operation, and its operands come from nodes that this one uses.
Where all nodes that are left are of one expression, the line is that expression's; a line that fits several has none.
Lines that only move values (loads, casts, stores) go with what they move. In C++ the loops of a kernel (`parts`) stand
one after the other and each writes one buffer, so where there are as many writes as loops, it is known which is which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis import kernel_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compilescope.analysis.kernel_text import TextLine

NONE = -1
_MOST_LINES = 20_000
_MOST_ROUNDS = 12


@dataclass(frozen=True)
class Computed:
    """A node of a kernel: its operator (`mul`), the names of the nodes that it uses, and its expression's number."""

    name: str
    operator: str
    inputs: tuple[str, ...]
    expression: int


# What an operation in a kernel's text may be part of, by operators of the graph after the last pass.
_SUMS = "sum mean var_mean var std prod cumsum any all native_layer_norm native_group_norm linalg_vector_norm dot mv"
_SAME = (
    "exp exp2 log log2 log10 log1p expm1 sqrt rsqrt erf erfc erfinv tanh sinh cosh sin cos tan asin acos atan sigmoid "
    "abs floor ceil round trunc reciprocal"
)
_FITS = {
    **{name: name for name in _SAME.split()},
    "+": "add sub addcmul addcdiv fma lerp softplus scatter_add index_put embedding_dense_backward arange",
    "-": f"sub rsub neg fma lerp expm1 {_SUMS}",
    "*": f"mul square pow addcmul fma lerp arange {_SUMS}",
    "/": f"div reciprocal addcdiv remainder fmod {_SUMS}",
    "&": "logical_and bitwise_and all any isfinite isinf",
    "|": "logical_or bitwise_or any all",
    "<": "lt gt sort topk clamp", ">": "gt lt sort topk clamp", "<=": "le ge", ">=": "ge le",
    "==": "eq ne", "!=": "ne eq",
    "max": "amax max maximum relu clamp clamp_min argmax max_pool2d_with_indices _low_memory_max_pool_with_offsets any",
    "min": "amin min minimum clamp clamp_max argmin",
    "neg": "neg sub rsub",
    "sum": _SUMS,
    "where": "where relu clamp threshold masked_fill leaky_relu constant_pad_nd cat select_scatter slice_scatter",
    "pow": "pow square",
}  # fmt: skip
_FITTING = {operation: frozenset(names.split()) for operation, names in _FITS.items()}
_KNOWN = frozenset(name for name in _FITTING if name.isalnum())
_COMPUTING = frozenset(name for names in _FITTING.values() for name in names)

_SINGLE = frozenset(f"add sub mul div neg eq ne lt le gt ge where maximum minimum logical_and {_SAME}".split())
_LIBRARY = frozenset(["mm", "addmm", "bmm", "baddbmm", "convolution", "convolution_backward", "embedding"])

Loops = tuple["Sequence[str]", ...]
_Nodes = dict[str, Computed]


def expressions(lines: Sequence[str], nodes: Sequence[Computed], parts: Sequence[Sequence[str]] = ()) -> list[int]:
    """Return the number of each line's expression; -1 for a line that is of none, or may be of several.

    `parts`: the nodes of each of the kernel's loops, its own first; none when there is only one.
    """
    if not nodes or len(lines) > _MOST_LINES:
        return [NONE] * len(lines)
    of = {node.name: node for node in nodes}
    read = kernel_text.read(lines, _KNOWN)
    loops = _loops(lines, read, parts or [list(of)])
    fits = {number: _fitting(one, loops.get(number, (list(of),)), of) for number, one in read.items()}
    _narrow(read, fits, _uses(of), {node.name for node in nodes if node.operator not in _SINGLE})
    found = {number: _only(of[name].expression for name in names) for number, names in fits.items()}
    _spread(read, found)
    _move(read, found, loops, of)
    _spread(read, found)
    return [found.get(number, NONE) for number in range(len(lines))]


def computes(operator: str) -> bool:
    """Return whether an operator calculates; one that does not only moves values."""
    return operator in _COMPUTING or operator in _LIBRARY


def _loops(lines: Sequence[str], read: Mapping[int, TextLine], parts: Sequence[Sequence[str]]) -> dict[int, Loops]:
    """The loops that a line may belong to; empty when that is not known."""
    bodies = kernel_text.bodies(lines, read)
    writes = [len({read[number].writes for number in body} - {None}) for body in bodies]
    if sum(writes) != len(parts):
        return {}
    found: dict[int, Loops] = {}
    first = 0
    for body, count in zip(bodies, writes, strict=True):
        own = tuple(parts[first : first + count])
        found.update(dict.fromkeys(body, own))
        first += count
    return found


def _fitting(line: TextLine, loops: Loops, of: Mapping[str, Computed]) -> set[str]:
    """The names of the nodes that a line may calculate."""
    fitting = frozenset().union(*(_FITTING[each] for each in line.operations))
    return {name for loop in loops for name in loop if name in of and of[name].operator in fitting}


def _uses(nodes: Mapping[str, Computed]) -> dict[str, set[str]]:
    """The nodes that calculate whose values each node takes, through those that only move them."""
    found: dict[str, set[str]] = {}
    for name, node in nodes.items():
        waiting, seen = list(node.inputs), set(node.inputs)
        found[name] = set()
        while waiting:
            source = nodes.get(waiting.pop())
            if source is None:
                continue
            if source.operator in _COMPUTING:
                found[name].add(source.name)
            else:
                more = [each for each in source.inputs if each not in seen]
                waiting += more
                seen.update(more)
    return found


def _narrow(
    read: Mapping[int, TextLine], fits: dict[int, set[str]], uses: Mapping[str, set[str]], longer: set[str]
) -> None:
    """Take from each line the nodes that do not fit to what its operands and its users may be.

    `longer`: the nodes that several lines may calculate, each from the one before.
    """
    pairs = [(source, number) for number in read if fits[number] for source in _calculated(read, number)]
    for _ in range(_MOST_ROUNDS):
        changed = False
        for source, number in pairs:
            before, after = fits[source], fits[number]
            if not before or not after:
                continue
            kept = {name for name in after if name in before & longer or not before.isdisjoint(uses[name])}
            reached = set().union(*(uses[name] for name in after)) | (after & longer)
            for line, one, now in ((number, after, kept), (source, before, before & reached)):
                if now and now != one:
                    fits[line], changed = now, True
        if not changed:
            return


def _calculated(read: Mapping[int, TextLine], number: int) -> list[int]:
    """The lines that calculate what a line takes, through those that only move it."""
    found: list[int] = []
    waiting, seen = list(read[number].operands), set(read[number].operands)
    while waiting:
        each = waiting.pop()
        if read[each].operations:
            found.append(each)
        else:
            more = [one for one in read[each].operands if one not in seen]
            waiting += more
            seen.update(more)
    return found


def _spread(read: Mapping[int, TextLine], found: dict[int, int]) -> None:
    """Give lines that only move values the expression of what made them, else (not writes) of all that use them."""
    moving = [number for number, one in read.items() if not one.operations]
    for number in moving:
        made = [found[each] for each in read[number].operands if found[each] != NONE]
        if found[number] == NONE and made:
            found[number] = _only(made)
    for number in reversed(moving):
        used = [found[each] for each in read[number].users if read[each].users or read[each].writes]
        if found[number] == NONE and read[number].writes is None and used and NONE not in used:
            found[number] = _only(used)


def _move(read: Mapping[int, TextLine], found: dict[int, int], loops: Mapping[int, Loops], of: _Nodes) -> None:
    """Give a write of what nothing calculated to the one loop there whose own node does not calculate."""
    for number, line in read.items():
        if line.writes is None or found[number] != NONE or _calculated(read, number):
            continue
        moving = [of[loop[0]] for loop in loops.get(number, ()) if loop and loop[0] in of]
        found[number] = _only(node.expression for node in moving if node.operator not in _COMPUTING)


def _only(numbers: Iterable[int]) -> int:
    every = set(numbers)
    return every.pop() if len(every) == 1 else NONE
