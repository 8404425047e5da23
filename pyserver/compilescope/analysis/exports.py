"""Exports and their issues, from the events of `torch.export` (torch 2.6 to 2.15).

`export` and `exported_program` come with TORCH_DTRACE only (torch/export/_trace.py); `draft_export` writes a log of
its own for each call, to TORCH_DTRACE or to the folder for temporary files, without `export`
(torch/export/_draft_export.py). In a run that our tracer watched a draft has `export` and two `exported_program`, its
own and that of the export in it. TORCH_TRACE alone has the graph up to where tracing failed, `make_fx_fail_partial`
(torch/fx/experimental/proxy_tensor.py).
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.export_advice import advise
from compilescope.analysis.exports_model import Export, ExportIssue, ExportLine, ExportStep
from compilescope.analysis.frames import is_plumbing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Event, Recording

_STARTS, _PROGRAM, _PARTIAL = "export", "exported_program", "make_fx_fail_partial"
_PLAIN, _TOLD = "propagate_real_tensors", "propagate_real_tensors_provenance"
"""The first is all that torch 2.6 has; later it comes without locals, beside the second."""
_KINDS: dict[str, Any] = {
    "missing_fake_kernel": "missing-fake-kernel",
    "mismatched_fake_kernel": "mismatched-fake-kernel",
    _TOLD: "data-dependent",
    _PLAIN: "data-dependent",
    "guard_added": "guard-added",
    "guard_on_data_dependent_error": "failed",
}
_HELPS = ("expression_created", "create_unbacked_symbol", "dynamo_start")
_LINE = re.compile(r"^\s*# File: (?P<file>.+?):(?P<line>\d{1,9}) in (?P<function>[\w<>]+), code: ?(?P<code>.*)$")
_CALL = re.compile(r"torch\.ops\.([\w.]+)\(")
_EXPORTING = re.compile(r"[\\/]torch[\\/](?:_export|export)[\\/]")
_MOST_STEPS, _DEEPEST = 200, 40


def table(recording: Recording, context: Context) -> list[Export]:
    """Return the exports in the order in which they began."""
    if next(recording.events(_STARTS, _PROGRAM, _PARTIAL, *_KINDS), None) is None:
        return []
    readers: dict[int, _Process] = {}
    found: list[Export] = []
    kinds = set(_KINDS) - ({_PLAIN} if next(recording.events(_TOLD), None) is not None else set())
    for event in recording.events(_STARTS, _PROGRAM, _PARTIAL, *kinds, *_HELPS):
        if event.process not in readers:
            readers[event.process] = _Process(recording, context, found)
        readers[event.process].read(event)
    for number, one in readers.items():
        process = context.facts.processes.get(number)
        one.ended(for_sure=process is not None and process.exit is not None)
    found.sort(key=lambda one: one.began)  # each call of draft_export has a log of its own
    return [replace(one, number=index + 1) for index, one in enumerate(found)]


class _Process:
    """The exports of one process, event by event."""

    def __init__(self, recording: Recording, context: Context, found: list[Export]) -> None:
        self._recording = recording
        self._context = context
        self._found = found
        self._open: Export | None = None
        self._last: Export | None = None
        self._before: Export | None = None
        self._newest: Export | None = None
        self._made: dict[int, Event] = {}
        self._compiles: set[str | None] = set()
        self._seen: dict[tuple[object, ...], ExportIssue] = {}

    def read(self, event: Event) -> None:
        if event.name == "expression_created":
            self._note(event, "result_id")
        elif event.name == "create_unbacked_symbol":
            self._note(event, "node_id")
        elif event.name == "dynamo_start":
            if not self._is_exporting(event):
                self.ended(for_sure=True)  # a compile of its own: what follows is of no export
                self._compiles.add(event.base_id)
        elif event.name == _STARTS:
            self.ended(for_sure=True)
            self._begin(event, "export")
        elif event.name == _PROGRAM:
            self._exported(event)
        elif event.name == _PARTIAL:
            self._broke_off(event)
        else:
            self._issue(event)

    def ended(self, *, for_sure: bool) -> None:
        """No more comes of the export that is open, which made no program: `for_sure`, or the log ends there."""
        one, self._open = self._open, None
        if one is not None and (for_sure or any(issue.kind == "failed" for issue in one.issues)):
            one.status = "failed"

    def _begin(self, event: Event, kind: Any) -> Export:
        self._open = Export(0, kind, event.timestamp, rank=event.rank)
        self._before, self._newest = self._newest, self._open
        self._found.append(self._open)
        self._last = None
        self._seen = {}
        return self._open

    def _exported(self, event: Event) -> None:
        one = self._open or self._last or self._begin(event, "draft")
        if one is self._last:
            one.kind = "draft"  # torch says so once more at its end
            self._drop_first_try(one)
        one.status, one.program = "exported", event.id
        lines = list(_lines(self._recording.payload(event)))
        for issue in one.issues:
            _place_by(lines, issue)
        self._open, self._last = None, None if one is self._last else one

    def _drop_first_try(self, draft: Export) -> None:
        """Leave out the first try of a draft whose `dynamic_shapes` did not hold: the export before it, same guards."""
        first = self._before
        if first is None or first.status != "failed" or not first.issues:
            return
        places = {(issue.kind, issue.at) for issue in draft.issues}
        if all(issue.kind == "guard-added" and (issue.kind, issue.at) in places for issue in first.issues):
            self._found[:] = [one for one in self._found if one is not first]

    def _broke_off(self, event: Event) -> None:
        if event.base_id is not None and self._is_compile(event.base_id):
            return
        if event.base_id is None and not self._is_exporting(event):
            return
        one = self._open or self._begin(event, "export")
        one.status, one.graph = "failed", event.id
        failed = [issue for issue in one.issues if issue.kind == "failed"]
        lines = list(_lines(self._recording.payload(event)))
        if failed:
            for issue in failed:
                _place_by(lines, issue)
        elif lines:
            last, _ = lines[-1]
            one.issues.append(advise(ExportIssue("failed", "", "make_fx failed", event.id, at=last, frames=[last])))
        self._open = None

    def _issue(self, event: Event) -> None:
        fields = event.fields
        kind = _KINDS[event.name]
        if kind == "guard-added" and (not fields.get("symbol_to_sources") or fields.get("prefix") == "runtime_assert"):
            return  # as draft_export leaves them out: not about an input, or in the program as an assertion
        if self._open is None and event.base_id is not None and self._is_compile(event.base_id):
            return
        stack = self._frames(event)
        if kind == "guard-added" and not stack:
            return
        one = self._open or self._begin(event, "draft")
        origin = ours.integer(fields.get("expr_node_id")) or ours.integer(fields.get("expr_id"))
        if not stack and origin in self._made:
            stack = self._frames(self._made[origin])
        if not stack and kind == "data-dependent":  # torch 2.6 has the whole stack alone
            whole = self._frames(event, "stack")
            stack = [at for at in whole if at.file is not None and self._context.rules.in_user_code(at.file)]
        lines = tuple((at.file, at.line) for at in stack)
        failed_on = fields.get("expr") if kind == "failed" else None
        key = (kind, str(fields.get("op")), str(fields.get("reason")), lines, str(failed_on))
        same = self._seen.get(key)
        if same is not None:
            same.count += 1
            return
        seen = ours.mapping(fields.get("frame_locals"))
        steps = list(self._steps(origin))
        issue = self._seen[key] = ExportIssue(
            kind,
            "",
            ours.text(fields.get("reason")) or _said(kind, fields),
            event.id,
            operator=ours.text(fields.get("op")),
            expression=ours.text(fields.get("expr")),
            result=ours.text(fields.get("result")),
            at=self._innermost(stack),
            frames=stack,
            values=_texts(seen.get("locals")) or _assigned(steps),
            symbols=_texts(fields.get("symbol_to_sources")) | _texts(seen.get("symbols")),
            made_by=steps,
        )
        one.issues.append(advise(issue))

    def _is_exporting(self, event: Event) -> bool:
        return any(_EXPORTING.search(str(one["file"])) for one in self._recording.stack(event))

    def _is_compile(self, id_: str) -> bool:
        """Whether an id is one of torch.compile's: since torch 2.15 exports have one, too, and no `dynamo_start`."""
        return id_ in self._compiles or id_.startswith("!")

    def _note(self, event: Event, key: str) -> None:
        number = ours.integer(event.fields.get(key))
        if number is not None:
            self._made[number] = event  # the id of an object: another one may have it later

    def _steps(self, number: int | None) -> Iterator[ExportStep]:
        waiting, seen = [(number, 0)], set[int]()
        while waiting and len(seen) < _MOST_STEPS:
            number, depth = waiting.pop()
            event = None if number is None or number in seen else self._made.get(number)
            if event is None or number is None:
                continue
            seen.add(number)
            fields = event.fields
            made = event.name == "create_unbacked_symbol"
            yield ExportStep(
                depth,
                ours.text(fields.get("symbol" if made else "result")) or "?",
                event.name if made else ours.text(fields.get("method")) or "?",
                [str(one) for one in ours.items(fields.get("arguments"))],
                self._innermost(self._frames(event)),
            )
            if depth < _DEEPEST:
                arguments = [ours.integer(one) for one in ours.items(fields.get("argument_ids"))]
                waiting += [(one, depth + 1) for one in reversed(arguments)]

    def _frames(self, event: Event, key: str = "user_stack") -> list[ExportLine]:
        """Return the program's stack with the text of its lines, without the plumbing."""
        texts = [one for one in ours.items(event.fields.get(key)) if isinstance(one, dict)]
        names = self._recording.strings(event.process)
        found = []
        for one in texts:
            number, line = ours.integer(one.get("filename")), ours.line_number(one.get("line"))
            file = None if number is None else names.get(number)
            if line is not None and not (file is not None and is_plumbing(file)):
                found.append(ExportLine(file, line, ours.text(one.get("name")) or "", ours.text(one.get("loc")) or ""))
        return found

    def _innermost(self, stack: list[ExportLine]) -> ExportLine | None:
        """Return the innermost line of the program itself, else the innermost."""
        for one in reversed(stack):
            if one.file is None or self._context.rules.in_user_code(one.file):
                return one
        return stack[-1] if stack else None


def _lines(program: str) -> Iterator[tuple[ExportLine, set[str]]]:
    """Yield the lines of the program that a graph's text names, with the operators that each called."""
    at, called = None, set[str]()
    for text in program.splitlines():
        if match := _LINE.match(text):
            if at is not None:
                yield at, called
            at = ExportLine(match["file"], int(match["line"]), match["function"], match["code"].strip())
            called = set()
        else:
            called.update(_CALL.findall(text))
    if at is not None:
        yield at, called


def _place_by(lines: list[tuple[ExportLine, set[str]]], issue: ExportIssue) -> None:
    """Find the line of an issue in the program: the log names none for operators, or no file (of another log)."""
    at = issue.at
    if at is None and issue.operator is not None:
        issue.at = next((line for line, called in lines if issue.operator in called), None)
        issue.frames = [issue.at] if issue.at is not None else []
    elif at is not None and at.file is None:
        files = {line.file for line, _ in lines if line.function == at.function}
        if len(files) == 1:
            file = files.pop()
            issue.at = ExportLine(file, at.line, at.function, at.code)
            issue.frames = [issue.at if one == at else one for one in issue.frames if one.file or one == at]


def _said(kind: str, fields: dict[str, Any]) -> str:
    """What torch says of it, as its event does."""
    expression = fields.get("expr")
    if kind == "missing-fake-kernel":
        return f"torch.ops.{fields.get('op')} is missing a fake kernel implementation."
    if kind == "data-dependent":
        return f"unable to evaluate the value of `{expression}`, specialized to {fields.get('result')}"
    if kind == "failed":
        return f"could not guard on data-dependent expression {expression}"
    return f"guard added: {expression}"


def _texts(value: object) -> dict[str, str]:
    """Return names with the texts of their values: a text, or a list of them (torch 2.13)."""
    found = {}
    for name, one in ours.mapping(value).items():
        texts = [one] if isinstance(one, str) else list(ours.strings(one)) if isinstance(one, list) else []
        if texts:
            found[str(name)] = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return found


def _assigned(steps: list[ExportStep]) -> dict[str, str]:
    """Return the names that the program gave to values of the data: `n` of `n = x.max().item()`."""
    found = {}
    for one in steps:
        if one.method != "create_unbacked_symbol" or one.at is None:
            continue
        try:
            statement = ast.parse(one.at.code).body[:1]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        match statement:
            case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="item")))]:
                found[name] = one.result
    return found
