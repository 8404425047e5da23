"""Functions that `torch.compiler.disable` keeps out of graphs, where a break tells of one."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from compilescope.analysis.reached import functions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Break
    from compilescope.analysis.reached import Function
    from compilescope.analysis.sources import Source

_KIND = re.compile(r"torch\.compiler\.disable|torch\._dynamo\.disable")
_NAMED = re.compile(r"<(?:function|bound method) (?P<name>[\w.<>]{1,200})")


def disabled(context: Context) -> dict[tuple[str, int], Break]:
    """Return the breaks at calls of them by file and line of their `def`, where one function alone has the name."""
    found: dict[tuple[str, int], Break] = {}
    for fact in context.facts.breaks:
        named = _NAMED.match(fact.context) if _KIND.search(fact.gb_type or "") else None
        if named is None:
            continue
        files = dict.fromkeys([*(frame.file for frame in reversed(fact.frames)), *context.facts.sources])
        own = {file: source for file in files if (source := context.sources.get(file)) is not None}
        places = [
            (file, function)
            for file, source in own.items()
            if context.rules.in_user_code(file)
            for function in _called(source, named["name"])
        ]
        marked = [one for one in places if _asks(one[1])]
        places = marked or places
        if len(places) == 1:
            found[places[0][0], places[0][1].lineno] = fact
    return found


def _called(source: Source, name: str) -> Iterator[Function]:
    """Yield the functions with a name, as Python shows it: `Net.forward`, `outer.<locals>.inner`."""
    last = name.rpartition(".")[2]
    owner = name.removesuffix(f".{last}").rpartition(".")[2] if "." in name else ""
    names = {line: qualified for line, _, _, qualified in source.methods}
    for function in functions(source.tree) if source.tree else ():
        if function.name != last:
            continue
        first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
        qualified = names.get(first, last)
        if owner in {"", "<locals>"} or qualified.rpartition(".")[0].rpartition(".")[2] == owner:
            yield function


def _asks(function: Function) -> bool:
    """Whether a decorator of a function is one that keeps it out of graphs."""
    return any(ast.unparse(one).partition("(")[0].endswith("disable") for one in function.decorator_list)
