"""`unknown-log-name`: names of logs that this torch does not have, on the very name."""

from __future__ import annotations

import ast
import difflib
import re
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.facts import Frame
from compilescope.analysis.model import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.sources import Source
    from compilescope.recording.reader import Recording

VARIABLE = "TORCH_LOGS"
_LONGEST = 400


def findings(recording: Recording, context: Context) -> list[Finding]:
    """Return one finding for each name and place. Each setting that torch refused counts once."""
    found: dict[tuple[object, ...], Finding] = {}
    for event in recording.events("compilescope_unknown_log_name"):
        data = ours.mapping(recording.json(event))
        for name in ours.strings(data.get("names")):
            one = _finding(context, name, data)
            if one is None:
                continue
            same = found.setdefault((one.file, one.range, name), one)
            same.count += same is not one
    return list(found.values())


def nearest(name: str, known: tuple[str, ...]) -> list[str]:
    """Return the names that are most like one, the nearest first; of `dynamo=debug` those like its first word."""
    for word in (name.lstrip("+-"), re.split(r"[^\w.]", name.lstrip("+-"))[0]):
        close = difflib.get_close_matches(word.lower(), known, n=3)
        if close:
            return [one for one in close if one == word] or close
    return []


def _finding(context: Context, name: str, data: dict[str, Any]) -> Finding | None:
    stack = ours.frames(data.get("frames"))
    call = context.rules.place(stack)
    if call is None:
        return None
    place = ours.text(data.get("place"))
    is_variable = place == "environment"
    known, settings = ours.strings(data.get("known")), ours.text(data.get("settings")) or ""
    at = None
    if is_variable and data.get("by_program") is True:
        at = next((one for file in context.facts.sources for one in _in_variable(context, file, settings, name)), None)
    elif not is_variable:
        at = next(_in_call(context.sources.get(call.file), call, name), None)
    at = at or call
    is_other = place == "keyword" and name in known
    close = [] if is_other else nearest(name, known)
    error = ours.mapping(data.get("exception"))
    said = " ".join((ours.text(error.get("message")) or "").partition("For more info")[0].split())[:_LONGEST]
    return Finding(
        rule="unknown-log-name",
        severity="error",
        file=at.file,
        range=context.ranges.of(at),
        title=_title(name, is_variable=is_variable, is_other=is_other),
        explanation=_explanation(data, is_variable=is_variable, is_other=is_other, settings=settings),
        reason=f"{ours.text(error.get('type')) or 'ValueError'}: {said}",
        class_="configuration",
        stage="capture",
        code="unknown-log-name",
        href=None,
        frames=context.rules.shown(stack, context.ranges),
        hints=list(_hints(name, close, is_artifact=name in ours.strings(data.get("artifacts")), is_other=is_other)),
        detail={
            "label": _label(close, is_other=is_other),
            "name": name,
            "nearest": close,
            "place": VARIABLE if is_variable else "set_logs",
        },
    )


def _title(name: str, *, is_variable: bool, is_other: bool) -> str:
    if is_variable:
        return f"`{VARIABLE}` names `{name}`, a log that this torch does not have"
    if is_other:
        return f"`set_logs` has no argument `{name}`, though torch has a log of that name"
    return f"`set_logs` is given `{name}`, a log that this torch does not have"


def _label(close: list[str], *, is_other: bool) -> str:
    if is_other:
        return "goes into `modules=`"
    return f"the nearest name is `{close[0]}`" if close else "no log, artifact or module has this name"


def _explanation(data: dict[str, Any], *, is_variable: bool, is_other: bool, settings: str) -> str:
    if is_other:
        return "Torch has logs that `set_logs` takes by its `modules` only. The whole call was refused."
    if not is_variable:
        return "Torch knows no component, artifact or module of that name and refused the whole call."
    where = "" if data.get("by_program") is True else " It was set outside of the program."
    return (
        f"Torch reads `{VARIABLE}` ({settings!r}) when it is imported, knows no component, artifact or module of that "
        f"name, and refused the import.{where}"
    )


def _hints(name: str, close: list[str], *, is_artifact: bool, is_other: bool) -> Iterator[str]:
    if is_other:
        yield f'Write `modules={{"{name}": {"True" if is_artifact else "logging.INFO"}}}`.'
    elif close:
        words = [f"`{one}`" for one in close]
        yield f"Names of this torch that are like it: {', '.join(words)}."
    if not is_other:
        yield f"`{VARIABLE}=+help` prints all names of this torch."


def _in_call(source: Source | None, call: Frame, name: str) -> Iterator[Frame]:
    """Yield where a call of `set_logs` around a line has the name: a keyword, or a text in it."""
    if source is None or source.tree is None:
        return
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("set_logs"):
            continue
        if not node.lineno <= call.line <= (node.end_lineno or node.lineno):
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.keyword) and part.arg == name:
                end = part.col_offset + len(name.encode())
                yield Frame(call.file, part.lineno, call.function, part.lineno, part.col_offset, end)
            elif isinstance(part, ast.Constant) and part.value == name:
                yield _inside(source, part, call.file, name)


def _in_variable(context: Context, file: str, settings: str, name: str) -> Iterator[Frame]:
    """Yield where a file gives the variable these settings: the name in them, else the expression."""
    source = context.sources.get(file)
    if source is None or source.tree is None:
        return
    for node in ast.walk(source.tree):
        for value in _values(node):
            if isinstance(value, ast.Constant):
                if value.value == settings:
                    yield _inside(source, value, file, name)
            else:
                end = value.end_lineno, value.col_offset, value.end_col_offset
                yield Frame(file, value.lineno, "", *end)


def _values(node: ast.AST) -> list[ast.expr]:
    """What a statement or call gives the variable: `environ[…] = …`, `setdefault(…, …)`, `update(TORCH_LOGS=…)`."""
    if isinstance(node, ast.Assign):
        targets = [one for one in node.targets if isinstance(one, ast.Subscript)]
        return [node.value] if any(_is_variable(one.slice) for one in targets) else []
    if isinstance(node, ast.Call):
        named = [one.value for one in node.keywords if one.arg == VARIABLE]
        return named + (node.args[1:2] if node.args and _is_variable(node.args[0]) else [])
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [value for key, value in pairs if key is not None and _is_variable(key)]
    return []


def _is_variable(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == VARIABLE


def _inside(source: Source, text: ast.Constant, file: str, name: str) -> Frame:
    """Where a name stands in a text of one line; the whole text when that can't be told."""
    start, end = text.col_offset, text.end_col_offset
    line = source.line(text.lineno)
    if line is not None and text.end_lineno == text.lineno and end is not None:
        written = line.encode()[start:end]
        word = re.search(rb"(?<![\w.])" + re.escape(name.encode()) + rb"(?![\w.])", written)
        if word is not None:
            start, end = start + word.start(), start + word.end()
    return Frame(file, text.lineno, "", text.end_lineno, start, end)
