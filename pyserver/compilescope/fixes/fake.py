"""A fake kernel for a custom operator that has none: what its result looks like, without computing it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import operators, result_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.model import Edit, Finding
    from compilescope.fixes.operators import Definition
    from compilescope.fixes.site import Site

_MISSING = (
    re.compile(r"no fake impl registered for <CustomOpDef\((?P<name>\w+::\w+)\)>"),
    re.compile(r"(?P<name>\w+::\w+): attempted to run this operator with Meta tensors"),
    re.compile(r"unsupported operator: (?P<name>\w+\.\w+)\.\w+"),
)
_RULES = {"compile-error", "graph-break", "graph-break-error", "frame-skipped"}


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the registration of a fake kernel, where the operator's definition is at hand and gives one tensor."""
    operator = _operator(site.finding) if site.finding.rule in _RULES else None
    if operator is None:
        return
    found = next((one for one in (operators.definition(file, operator) for file in _files(site)) if one), None)
    if found is None or found.result != "Tensor" or found.parameters == "()":
        return
    try:
        body = _own_result(found, operator)
    except result_shape.Unknown:
        return
    guess = body is None
    if body is None:
        if not found.tensors:
            return
        torch = found.file.names_module("torch") or "torch"
        body = [f"return {torch}.empty_like({found.tensors[0]})  # check: shape, dtype and device of the real result"]
    yield Fix(
        f"Register a fake kernel for {operator}",
        [*_imports(found), _inserted(found, body)],
        kind="fake-kernel",
        preferred=not guess,
        note=f"the kernel says that the result looks like `{found.tensors[0]}`, which is a guess: check it, with "
        "`torch.library.opcheck` for example"
        if guess
        else "the kernel makes its result as the operator itself does; `torch.library.opcheck` compares the two",
    )


def _operator(finding: Finding) -> str | None:
    chain = finding.detail.get("chain")
    messages = (
        [str(one.get("message", "")) for one in chain if isinstance(one, dict)] if isinstance(chain, list) else []
    )
    for text in (finding.reason, str(finding.detail.get("context", "")), *messages):
        for pattern in _MISSING:
            if match := pattern.search(text):
                return match["name"].replace(".", "::")
    return None


def _files(site: Site) -> Iterator:  # type: ignore[type-arg]
    paths = [site.source.file, *(one.file for one in site.finding.frames if one.in_user_code)]
    paths += [one.file for one in site.result.compiles] + [one.file for one in site.result.findings if one.file]
    for path in dict.fromkeys(paths):
        if (file := site.files(path)) is not None:
            yield file


def _own_result(found: Definition, operator: str) -> list[str] | None:
    function = found.body or operators.implementation(found.file, operator)
    if function is None:
        return None
    own = [one.name.value for one in function.get_params()]
    given = re.findall(r"(?:[(,]\s*)(\w+)", re.sub(r"\[[^\]]*\]|=[^,)]*", "", found.parameters))
    return result_shape.of(found.file, function) if own == given else None


def _imports(found: Definition) -> list[Edit]:
    return found.file.imported("torch") if found.file.names_module("torch") is None else []


def _inserted(found: Definition, body: list[str]) -> Edit:
    file, after = found.file, found.after
    returns = f" -> {found.file.names_module('torch') or 'torch'}.Tensor" if ":" in found.parameters else ""
    lines = [found.decorator, f"def _{found.parameters}{returns}:", *(file.indent_step + one for one in body)]
    indentation = file.indentation(after)
    blank = file.line_end * (1 if indentation else 2)
    text = file.indented("\n".join(lines), indentation) + file.line_end
    line = after.end_pos[0] if after.end_pos[1] == 0 else after.end_pos[0] + 1
    if line > len(file.lines):
        return file.inserted((len(file.lines), len(file.lines[-1])), file.line_end + blank + text)
    return file.inserted((line, 0), blank + text)
