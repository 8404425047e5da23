"""The rules in words, as docs/rules/ has them at length."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from compilescope.analysis.model import Rule, Severity


class RuleText(NamedTuple):
    """A rule's name, what it says, why that matters, and the severity that it usually has."""

    name: str
    short: str
    full: str
    severity: Severity


RULES: dict[Rule, RuleText] = {
    "graph-break": RuleText(
        "GraphBreak",
        "Dynamo ended a graph here.",
        "The line runs in Python and a new graph starts after it. The result is the same; what is lost is speed: "
        "each piece is compiled by itself, and nothing is fused across the gap.",
        "warning",
    ),
    "graph-break-error": RuleText(
        "GraphBreakError",
        "A graph break where none is allowed.",
        "With fullgraph=True, or where error_on_graph_break is on, a graph break is an exception. The causes and "
        "the ways out are those of graph-break.",
        "error",
    ),
    "frame-skipped": RuleText(
        "FrameSkipped",
        "A graph break could not be resumed, so the whole function runs in eager.",
        "Dynamo can't go on after a break in the middle of a loop, a with block or a try. Then it gives up the "
        "function: none of it is compiled.",
        "warning",
    ),
    "recompile": RuleText(
        "Recompile",
        "A check that guards the compiled code failed, and the function was compiled again.",
        "Compiled code holds for the inputs that it was made for. Before each call torch checks types, shapes, "
        "dtypes and values that were compiled in; if a check fails, the function is compiled once more.",
        "information",
    ),
    "recompile-limit": RuleText(
        "RecompileLimit",
        "The recompile limit was hit. From here on this function runs in eager for every new input.",
        "Torch keeps at most torch._dynamo.config.recompile_limit versions of a function. A call that fits none "
        "of them runs in Python, silently and for good.",
        "error",
    ),
    "fallback-op": RuleText(
        "FallbackOperator",
        "Inductor has no lowering for this operator: it runs through its ATen or custom kernel.",
        "The operator is a call of its own: nothing is fused into it. It matters when it sits between operations "
        "that would otherwise become one kernel.",
        "hint",
    ),
    "compile-error": RuleText(
        "CompileError",
        "A stage of the compiler failed.",
        "Torch's exception is often raised far from the line that caused it; the finding is on the line of the "
        "program.",
        "error",
    ),
    "slow-compile": RuleText(
        "SlowCompile",
        "A loop or blocks of one kind are most of a large graph, and it took most of the time to compile.",
        "Dynamo records a Python loop round by round, and every pass, the code generation and the C++ or Triton "
        "compiler work through all of them.",
        "information",
    ),
    "pass-inert": RuleText(
        "PassInert",
        "A custom pass was registered but never ran, or ran and changed nothing.",
        "A pass of the program's own that does nothing says nothing: compiled code is right without it.",
        "information",
    ),
    "unknown-log-name": RuleText(
        "UnknownLogName",
        "A name in TORCH_LOGS or set_logs that this torch does not have.",
        "Torch refuses the whole setting, not only the name: nothing of it is logged.",
        "error",
    ),
    "export-issue": RuleText(
        "ExportIssue",
        "torch.export failed here, or its program takes something for granted.",
        "Export runs the program on tensors without data. What only data or an operator's real kernel can tell makes "
        "it fail; draft_export goes on with what the example inputs give.",
        "warning",
    ),
}
