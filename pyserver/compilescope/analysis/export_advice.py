"""What to write so that `torch.export` can do without a guess."""

from __future__ import annotations

import re

from compilescope.analysis.export_expressions import holds, in_program
from compilescope.analysis.exports_model import ExportIssue

_OVERLOAD = re.compile(r"^(?:torch\.ops\.)?(?P<namespace>\w+)(?:\.|::)(?P<name>\w+)(?:\.(?P<overload>\w+))?$")


def advise(issue: ExportIssue) -> ExportIssue:
    """Fill in title, condition, advice and code of an issue from what was recorded of it."""
    {
        "missing-fake-kernel": _missing,
        "mismatched-fake-kernel": _mismatched,
        "data-dependent": _decided,
        "guard-added": _guarded,
        "failed": _failed,
    }[issue.kind](issue)
    return issue


def registered_name(operator: str) -> str:
    """Return the name by which an operator is registered: `cscope::no_fake` for `cscope.no_fake.default`."""
    match = _OVERLOAD.match(operator)
    if match is None:
        return operator
    overload = match["overload"]
    return f"{match['namespace']}::{match['name']}" + (f".{overload}" if overload not in {None, "default"} else "")


def _missing(issue: ExportIssue) -> None:
    name = registered_name(issue.operator or "")
    issue.title = f"`{name}` has no fake kernel"
    issue.code = _fake(name)
    issue.advice = [
        f'Register with `@torch.library.register_fake("{name}")` what `{name}` returns for tensors without data.',
        "Until then there is `torch._library.fake_profile.unsafe_generate_fake_kernels(exported._report.op_profiles)`.",
    ]


def _mismatched(issue: ExportIssue) -> None:
    name = registered_name(issue.operator or "")
    issue.title = f"The fake kernel of `{name}` returns something else than the real one"
    issue.code = _fake(name)
    issue.advice = [
        f"Mend the fake kernel of `{name}`: its result must have the sizes, strides, dtype and device of the real one."
    ]


def _fake(name: str) -> str:
    return (
        f'@torch.library.register_fake("{name}")\n'
        "def _(x):  # the operator's own arguments\n"
        "    return torch.empty_like(x)  # sizes, dtype and device of the real result"
    )


def _decided(issue: ExportIssue) -> None:
    expression = issue.expression or ""
    condition = issue.condition = in_program(expression, issue.values, issue.symbols)
    shown = condition or expression
    issue.title = f"The data decide `{shown}`; the exported program takes it to be {issue.result}"
    true = holds(shown, issue.result)
    if condition is not None:
        issue.code = f"torch._check({true})"
        issue.advice = [f"Write `{issue.code}` before this line if that holds for all inputs."]
    else:
        issue.advice = [f"Say with `torch._check(...)` before this line that `{true}` holds, in names of the program."]
    issue.advice.append(
        "Where both can happen, use `torch.cond`: the exported program has an assertion that fails otherwise."
    )


def _guarded(issue: ExportIssue) -> None:
    expression = issue.expression or ""
    condition = issue.condition = in_program(expression, issue.values, issue.symbols)
    shown = condition or expression
    issue.title = f"The export takes `{shown}` for granted"
    issue.advice = [
        "Where `dynamic_shapes` names this dimension, give it the same bounds (`Dim(..., min=...)`), or `Dim.AUTO`.",
        "Where other sizes must be allowed, take the decision out of the traced code: no branch on this size.",
    ]


def _failed(issue: ExportIssue) -> None:
    expression = issue.expression
    if expression is None:
        issue.title = "Tracing failed after this line"
        issue.advice = [
            "`torch.export.draft_export` goes on behind such a place and says what it met.",
            "A log that is written with `TORCH_DTRACE=FOLDER` instead of `TORCH_TRACE` has the reason.",
        ]
        return
    condition = issue.condition = in_program(expression, issue.values, issue.symbols)
    shown = condition or expression
    issue.title = f"The data decide `{shown}`, so nothing can be exported"
    if condition is not None:
        issue.code = f"torch._check({condition})"
    true = f"`{issue.code}`, or with its opposite" if issue.code else "`torch._check(...)`"
    issue.advice = [
        f"Say before this line which of the two holds for all inputs, with {true}.",
        "Where both can happen, use `torch.cond`. `torch.export.draft_export` goes on and lists all such places.",
    ]
