"""Prints, log records and warnings: left out of compiled code, or made ones that torch can put after the graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import callers, names, source
from compilescope.fixes.configure import configured
from compilescope.fixes.pure import is_pure
from compilescope.fixes.variables import mutates_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site

_LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log"})
_WRITERS = {
    "print": "print",
    "pprint.pprint": "print",
    "sys.stdout.write": "print",
    "sys.stderr.write": "print",
    "sys.stdout.flush": "print",
    "sys.stderr.flush": "print",
    "warnings.warn": "warning",
    "warnings.warn_explicit": "warning",
}
_LOGGER = re.compile(r"(?:self\.|cls\.)?_*(?:log|logger|LOG|LOGGER)")
_ARGUMENT = re.compile(r"variables\.\w+\.(\w+)'")
_REORDERABLE = {"TensorVariable", "ConstantVariable", "StringFormatVariable", "UnspecializedPythonVariable"}
_RENAMED_IN = (2, 13)
"""Where `ignore_logger_methods` got the name of now; the old one still works there."""


def fixes(site: Site) -> Iterator[Fix]:
    """Yield what keeps a statement that only writes for people from ending the graph."""
    if site.finding.rule not in {"graph-break", "frame-skipped", "graph-break-error"}:
        return
    statement = site.statement
    call = _only_call(statement)
    if statement is None or call is None or site.function is None:
        return
    what = _what(site, call)
    if what is None or not all(is_pure(site.source, one) for one in source.arguments(call)):
        return
    yield from _guarded(site, statement, what)
    yield from _reordered(site, call)
    yield from _ignored(site, call, what)


def _only_call(statement: NodeOrLeaf | None) -> NodeOrLeaf | None:
    """The call that is all of a statement on lines of its own."""
    if statement is None or statement.type != "simple_stmt":
        return None
    parent = statement.parent
    if parent is None or parent.type not in {"suite", "file_input"}:
        return None
    match source.children(statement):
        case [call, _] if source.is_call(call):
            return call
    return None


def _what(site: Site, call: NodeOrLeaf) -> str | None:
    """Return what is written: a print, a log record, a warning; None for any other call."""
    whole = names.called(site.source, call)
    if whole in _WRITERS:
        return _WRITERS[whole]
    base, _, method = source.callee(call).rpartition(".")
    if method not in _LEVELS:
        return None
    made = re.search(rf"^\s*{re.escape(base)}\s*(?::[^=\n]*)?=\s*[\w.]*getLogger\(", site.source.text, re.MULTILINE)
    known = whole == f"logging.{method}" or made or "logger" in _said(site) or _LOGGER.fullmatch(base)
    return "log record" if known else None


def _said(site: Site) -> str:
    """What torch says that the finding is, in small letters."""
    return f"{site.finding.detail.get('gb_type')} {site.finding.reason.partition(chr(10))[0]}".lower()


def _guarded(site: Site, statement: NodeOrLeaf, what: str) -> Iterator[Fix]:
    file = site.source
    text = file.deeper(statement)
    outer, inner = file.indentation(statement), file.indentation(statement) + file.step(statement)
    if outer != file.lines[statement.start_pos[0] - 1][: statement.start_pos[1]]:
        return
    guard = f"if not torch.compiler.is_compiling():{file.line_end}{inner}"
    yield Fix(
        f"Leave the {what} out when compiled",
        [file.replaced(statement, guard + text), *file.imported("torch")],
        kind="leave-out",
        preferred=True,
        note=f"The {what} is then made in eager only.",
    )


def _reordered(site: Site, call: NodeOrLeaf) -> Iterator[Fix]:
    """Torch runs a reordered function after the graph, with its arguments by position alone.

    Not one that is called in a function that is inlined: torch then loses it (`debug_locals` of the inlining
    translator, torch/_dynamo/symbolic_convert.py, 2.9 to 2.14).
    """
    function = site.function
    if not isinstance(function, tree.Function) or function.type != "funcdef":
        return
    if not callers.compiled_itself(site, function):
        return
    arguments = source.arguments(call)
    context = str(site.finding.detail.get("context"))
    if names.called(site.source, call) != "print" or not context.startswith("builtin print [") or not arguments:
        return
    if any(one.type == "argument" for one in arguments) or mutates_after(site.function, call):
        return
    kinds = _ARGUMENT.findall(context)
    if len(kinds) != len(arguments) or not set(kinds) <= _REORDERABLE:
        return
    edits = configured(site.source, "torch._dynamo.config.reorderable_logging_functions.add(print)")
    if edits:
        yield Fix(
            "Print after the graph (reorderable_logging_functions)",
            edits,
            kind="reorder",
            note="Holds for every print of the program that torch compiles: it prints when its graph has run.",
        )


def _ignored(site: Site, call: NodeOrLeaf, what: str) -> Iterator[Fix]:
    method = source.callee(call).rpartition(".")[2]
    if what != "log record" or "logger" not in _said(site):
        return
    option = "ignore_logging_functions" if site.torch_version >= _RENAMED_IN else "ignore_logger_methods"
    line = f"torch._dynamo.config.{option}.add(logging.Logger.{method})"
    edits = configured(site.source, line, "logging")
    if edits:
        yield Fix(
            f"Leave out all `{method}` records when compiled",
            edits,
            kind="ignore-logger",
            note=f"Holds for `{method}` of every logger in all that torch compiles.",
        )
