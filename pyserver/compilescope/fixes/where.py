"""A choice by a tensor's value as an operation: `torch.where`, which computes both sides, or `torch.cond`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import always, names, variables
from compilescope.fixes.choice import choice
from compilescope.fixes.numbers_chosen import chosen
from compilescope.fixes.pure import is_pure
from compilescope.fixes.tensor_uses import RAISES
from compilescope.fixes.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.model import Edit
    from compilescope.fixes.choice import Choice, Part
    from compilescope.fixes.site import Site
    from compilescope.fixes.value import Value

_NAN_PRONE = re.compile(r"/|\*\*|\b(?:sqrt|rsqrt|log\w*|pow|norm|reciprocal|acos|asin)\b")


def fixes(site: Site) -> Iterator[Fix]:
    """Yield how to write an `if` by a tensor's value without one."""
    values = Values(site)
    found = choice(site, values)
    if found is None:
        return
    clamped = always.fix(site, found, values)
    if clamped is not None:
        yield clamped
    if not _is_equal(site, found, values):
        yield from _of_numbers(site, found, values)
        return
    outcomes = _outcomes(found)
    if outcomes is not None:
        yield _fix(site, found, _where(site, found, outcomes, values), "torch.where", preferred=clamped is None)
    if (text := _cond(site, found, values)) is not None:
        yield _fix(site, found, text, "torch.cond", preferred=False)


def _of_numbers(site: Site, found: Choice, values: Values) -> Iterator[Fix]:
    """Yield the choice between two numbers as that of a tensor, where all that follows takes one."""
    outcomes = _outcomes(found)
    if outcomes is None or len(outcomes) != 1 or found.form == "return":
        return
    numbers = chosen(site, found, outcomes[0], values)
    if numbers is not None:
        lead = _lead(found, outcomes[0][0])
        text = f"{lead}torch.where({found.condition.flat}, {numbers.then}, {numbers.other})"
        fix = _fix(site, found, [text], "torch.where", preferred=True)
        uses = numbers.uses
        yield replace(fix, edits=[*fix.edits, *uses.edits], note=RAISES if uses.may_raise else "")


def _fix(site: Site, found: Choice, lines: list[str], function: str, *, preferred: bool) -> Fix:
    parts = [one.text for one in found.then + found.other]
    if function == "torch.where":
        note = "Both sides are computed at every call."
        if any(_NAN_PRONE.search(one) for one in parts):
            note += " Where the side that is not taken gives inf or NaN, gradients through it are NaN."
    else:
        note = "Only the side that is taken runs; it is slower than torch.where for small tensors."
    name = "the if" if found.form != "expression" else "the condition"
    return Fix(
        f"Write {name} as {function}",
        [_replaced(site, found, lines), *site.source.imported("torch")],
        kind="where" if function == "torch.where" else "cond",
        preferred=preferred,
        note=note,
    )


def _replaced(site: Site, found: Choice, lines: list[str]) -> Edit:
    file = site.source
    separator = file.line_end + file.indentation(found.first)
    return file.replaced_through(found.first, found.last, separator.join([*found.comments, *lines]))


def _is_equal(site: Site, found: Choice, values: Values) -> bool:
    """Whether both sides give tensors of one shape and dtype, change nothing, and nobody can tell a new tensor."""
    assert site.function is not None
    parts = found.then + found.other
    if not all(
        is_pure(site.source, one.value) and not re.search(r"\.(?:item|tolist|numpy)\(", one.text) for one in parts
    ):
        return False
    if found.form == "expression":
        return _same([values.of(one.value) for one in parts])
    if found.form == "return":
        return _same([values.of(one.value) for one in parts])
    if variables.mutates_after(site.function, found.first):
        return False
    return all(_is_equal_name(site, found, name, values) for name in _assigned(found))


def _is_equal_name(site: Site, found: Choice, name: str, values: Values) -> bool:
    assert site.function is not None
    if variables.is_shared(site.source, site.function, name):
        return False
    before = _before(site, found, name, values)
    sides = [next((one for one in side if one.name == name), None) for side in (found.then, found.other)]
    given = [before if one is None else values.of_part(one.value, one.name, one.operator) for one in sides]
    augments = any(one is not None and one.operator for one in sides)
    if augments and not variables.is_fresh(site.source, site.function, name, found.first):
        return False
    return _same(given)


def _before(site: Site, found: Choice, name: str, values: Values) -> Value | None:
    """What a variable is above the choice; None when it may have no value there."""
    assert site.function is not None
    bound = list(names.bindings(site.source, name, site.function))
    is_bound = variables.is_bound_above(values.leaf(name, found.first), site.function, bound)
    return values.before(name, found.first) if is_bound else None


def _same(given: list[Value | None]) -> bool:
    first = given[0]
    if first is None or not first.is_tensor or first.shape is None or first.dtype is None:
        return False
    return all(
        one is not None and one.is_tensor and (one.shape, one.dtype) == (first.shape, first.dtype) for one in given
    )


def _assigned(found: Choice) -> list[str]:
    return list(dict.fromkeys(one.name for one in found.then + found.other))


def _outcomes(found: Choice) -> list[tuple[str, str, str]] | None:
    """Return each name with what it is on both sides, in an order in which each reads what it read before."""
    if found.form != "assign":
        return [("", found.then[0].text, found.other[0].text)]
    order = _assigned(found)
    for side in (found.then, found.other):
        own = [one.name for one in side]
        for part in side:
            for read in variables.read_in(part.value) & set(order) - {part.name}:
                was_before = read in own and own.index(read) < own.index(part.name)
                if was_before != (order.index(read) < order.index(part.name)) and (read in own):
                    return None
    texts = [{one.name: one.text for one in side} for side in (found.then, found.other)]
    return [(name, texts[0].get(name, name), texts[1].get(name, name)) for name in order]


def _where(site: Site, found: Choice, outcomes: list[tuple[str, str, str]], values: Values) -> list[str]:
    test = found.condition.text if found.condition.is_flat or _is_large(found, values) else found.condition.flat
    lines: list[str] = []
    if len(outcomes) > 1:
        name = names.unused(site.source, "condition")
        lines.append(f"{name} = {test}")
        test = name
    for name, then, other in outcomes:
        lines.append(_lead(found, name) + f"torch.where({test}, {then}, {other})")
    return lines


def _lead(found: Choice, target: str) -> str:
    return {"assign": f"{target} = ", "return": "return ", "expression": ""}[found.form]


def _is_large(found: Choice, values: Values) -> bool:
    """Whether every side has more dimensions than a test can have that has one element and one dimension at most."""
    test = values.of(found.test)
    shapes = [value.shape for one in found.then + found.other if (value := values.of(one.value)) is not None]
    dimensions = len(test.shape) if test is not None and isinstance(test.shape, tuple) else None
    return dimensions is not None and all(isinstance(one, tuple) and len(one) >= dimensions for one in shapes)


def _cond(site: Site, found: Choice, values: Values) -> list[str] | None:
    """Return the lines with torch.cond. A side may not return one of its operands as it is: it clones it."""
    assert site.function is not None
    targets = _assigned(found) if found.form == "assign" else [""]
    operands = _operands(site, found, values)
    if operands is None:
        return None
    passed = f"({', '.join(operands)}{',' if len(operands) == 1 else ''})"
    test = found.condition.flat
    if len(targets) == 1:
        sides = [_result(side, targets[0], operands) for side in (found.then, found.other)]
        takes = f" {', '.join(operands)}" if operands else ""
        functions = [f"lambda{takes}: {one}" for one in sides]
        return [_lead(found, targets[0]) + f"torch.cond({test}, {functions[0]}, {functions[1]}, {passed})"]
    lines: list[str] = []
    functions = [names.unused(site.source, one) for one in ("if_true", "if_false")]
    for function, side in zip(functions, (found.then, found.other), strict=True):
        step = site.source.step(found.first)
        lines.append(f"def {function}({', '.join(operands)}):")
        lines += [f"{step}{one.name} = {_result([one], one.name, operands)}" for one in side]
        given = {one.name for one in side}
        lines.append(f"{step}return {', '.join(one if one in given else f'{one}.clone()' for one in targets)}")
        lines.append("")
    return [*lines, f"{', '.join(targets)} = torch.cond({test}, {', '.join(functions)}, {passed})"]


def _operands(site: Site, found: Choice, values: Values) -> list[str] | None:
    """Return the function's own tensors that the sides read; None when they may read others.

    In eager, `torch.cond` compiles the sides, and can't take tensors from around them.
    """
    assert site.function is not None
    read = [name for one in found.then + found.other for name in sorted(variables.read_in(one.value))]
    read += [one.name for one in found.then + found.other if one.operator]
    if found.form == "assign":
        read += [name for name in _assigned(found) for side in (found.then, found.other)
                 if all(one.name != name for one in side)]  # fmt: skip
    tensors = []
    for name in dict.fromkeys(read):
        value = values.before(name, found.first)
        own = any(True for _ in names.bindings(site.source, name, site.function))
        if value is not None and value.is_tensor and own:
            tensors.append(name)
        elif (value is None or value.is_tensor) and not names.imported(site.source, values.leaf(name, found.first)):
            return None
    return tensors


def _result(side: list[Part], name: str, operands: list[str]) -> str:
    text = next((one.text for one in side if one.name == name), name)
    return f"{text}.clone()" if text in operands else text
