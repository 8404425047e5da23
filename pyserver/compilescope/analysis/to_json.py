"""A result as plain values: the contract of `--format json`, schema version 1 (docs/results.schema.json)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from compilescope.analysis.coverage_to_json import covered
from compilescope.analysis.guards_to_json import guard_tree, lookup, shape_guard, specialization, symbol, versions
from compilescope.analysis.kernels_to_json import cudagraph, eliminated, fusion, hint, kernel, triton
from compilescope.analysis.model import SCHEMA_VERSION
from compilescope.analysis.passes_to_json import code, step, unrun

if TYPE_CHECKING:
    from compilescope.analysis.breakdown import Share
    from compilescope.analysis.model import Compile, Finding, Fix, Range, Result, Run
    from compilescope.analysis.profile_model import Profile

_RUN = (
    *("command", "cwd", "python", "torch", "exit_code", "wall_s", "recording", "depth", "ranks", "unavailable"),
    *("ignored", "damage", "left_out"),
)
_COMPILE = ("id", "function", "file", "line", "status", "attempts", "seconds", "graph", "guards", "cache", "calls")


def to_json(result: Result) -> dict[str, Any]:
    """Return `result` with exactly the keys of the contract."""
    return {
        "schema": SCHEMA_VERSION,
        "run": _some(result.run, _RUN),
        "findings": [finding_json(one) for one in result.findings],
        "compiles": [{**_some(one, _COMPILE), "qualname": one.qualname} for one in result.compiles],
        "passes": [step(one) for one in result.passes],
        "unrun_passes": [unrun(one) for one in result.unrun],
        "code": [code(one) for one in result.code],
        "kernels": [kernel(one) for one in result.kernels],
        "eliminated": [eliminated(one) for one in result.eliminated],
        "fusion": [fusion(one) for one in result.fusion],
        "cudagraphs": [cudagraph(one) for one in result.cudagraphs],
        "hints": [hint(one) for one in result.hints],
        "triton": [triton(one) for one in result.triton],
        "guards": [guard_tree(one) for one in result.guards],
        "symbols": [symbol(one) for one in result.symbols],
        "specializations": [specialization(one) for one in result.specializations],
        "versions": [versions(one) for one in result.versions],
        "caches": [lookup(one) for one in result.caches],
        "lines": [{**vars(one)} for one in result.lines],
        "coverage": [covered(one, result.findings) for one in result.coverage],
        "failures_and_restarts": [{**vars(one)} for one in result.restarts],
        "shape_guards": [shape_guard(one) for one in result.shape_guards],
        "links": [asdict(one) for one in result.links],
        "collectives": [asdict(one) for one in result.collectives],
        "exports": [asdict(one) for one in result.exports],
        "ranks": asdict(result.ranks) if result.ranks else None,
        "profile": _profile(result.profile) if result.profile else None,
        "metrics": dict(result.metrics),
        "metrics_by_function": [{**vars(one)} for one in result.metrics_by_function],
        "metrics_by_file": [_file_share(one) for one in result.metrics_by_file],
    }


def _some(value: Run | Compile, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: getattr(value, key) for key in keys}


def _file_share(one: Share) -> dict[str, Any]:
    return {"file": one.file, "compile_ids": one.compile_ids, "metrics": one.metrics}


def _profile(one: Profile) -> dict[str, Any]:
    counts = {"eager_operations": one.eager_operations, "compiled_operations": one.compiled_operations}
    return {**counts, **asdict(one)}


def finding_json(one: Finding) -> dict[str, Any]:
    """Return a finding with exactly the keys of the contract."""
    return {
        "rule": one.rule,
        "severity": one.severity,
        "file": one.file,
        "range": _range(one.range),
        "title": one.title,
        "explanation": one.explanation,
        "reason": one.reason,
        "class": one.class_,
        "stage": one.stage,
        "code": one.code,
        "href": one.href,
        "compile_ids": one.compile_ids,
        "count": one.count,
        "cost_s": one.cost_s,
        "frames": [
            {"file": frame.file, "line": frame.line, "function": frame.function, "in_user_code": frame.in_user_code}
            for frame in one.frames
        ],
        "hints": one.hints,
        "fixes": [_fix(fix) for fix in one.fixes],
        "detail": one.detail,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    found = {**asdict(fix), "edits": [{**asdict(edit), "range": _range(edit.range)} for edit in fix.edits]}
    if fix.verified is None:
        del found["verified"]
    return found


def _range(value: Range) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": value.start.line, "character": value.start.character},
        "end": {"line": value.end.line, "character": value.end.character},
    }
