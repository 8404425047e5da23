"""Breaks that torch's own code asks for: it keeps a part of itself out of graphs, and what that calls is compiled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Break

# A call of `torch._dynamo.graph_break()`, or of a function that `torch.compiler.disable` keeps out.
_ASKED = {"GB0025", "GB0098", "GB0099"}
_ASKED_TYPE = re.compile(r"torch\._dynamo\.graph_break|^Forced graph break|torch\.(?:compiler|_dynamo)\.disable")
# A function whose file torch skips (torch/_dynamo/variables/functions.py, `SkipFunctionVariable`, 2.6 to 2.14).
_SKIPPED_FILE = re.compile(r"marked that the function `[^`]*` in file `(?P<file>[^`]+)`")
_SKIPPED_NAME = re.compile(r"^module: (?P<module>[\w.]+), qualname: (?P<name>[\w.<>]+)")


def by_torch(context: Context, fact: Break) -> bool:
    """Whether torch's own code asks for a break: an optimizer's step keeps itself out of graphs."""
    if wraps_compiled(context, fact):
        return True
    asked = fact.gb_id in _ASKED if fact.gb_id else bool(_ASKED_TYPE.search(fact.gb_type or ""))
    return asked and bool(fact.frames) and context.rules.in_torch(fact.frames[-1].file)


def wraps_compiled(context: Context, fact: Break) -> bool:
    """Whether a wrapper of torch's is left out and what it wraps is compiled by itself.

    A learning rate scheduler wraps the optimizer's step so. By `functools.wraps` the wrapper has the name of what it
    wraps, but the file is its own.
    """
    file, name = _SKIPPED_FILE.search(fact.explanation), _SKIPPED_NAME.match(fact.context)
    if file is None or name is None or not context.rules.in_torch(file["file"]):
        return False
    function = name["name"].rpartition(".")[2]
    return any(
        one.code is not None
        and one.code.function == function
        and one.code.file != file["file"]
        and one.where != fact.where
        and one.where.process == fact.where.process
        and _is_of(context, name["module"], one.code.file)
        for one in context.compiles
    )


def _is_of(context: Context, module: str, file: str) -> bool:
    """Whether a file is that of a module, as far as their names tell."""
    if module == "__main__":
        return context.rules.in_user_code(file)
    path = re.sub(r"(?:[\\/]__init__)?\.py$", "", file).replace("\\", "/")
    return f"/{path}".endswith(f"/{module.replace('.', '/')}")
