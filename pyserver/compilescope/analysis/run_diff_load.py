"""What a comparison needs of a recording: its result, source texts, operators of its graphs, and kernels."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

from compilescope.analysis import output_code
from compilescope.analysis.analyse import analyse, context_of
from compilescope.analysis.graphs import Graphs
from compilescope.analysis.kernel_source import OutputCode
from compilescope.analysis.load import source_texts
from compilescope.analysis.run_diff_model import Side

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Result
    from compilescope.recording.reader import Recording

# Parts of kernels that change from run to run or with their place in the code: comments, names, and files.
_COMMENT = re.compile(r"^\s*(?:#(?!\s*include|pragma)|//).*\n?", re.MULTILINE)
_INCLUDE = re.compile(r'#\s*include\s+["<][^\n]*[\\/]')
_HASHED = re.compile(r"(['\"]backend_hash['\"]\s*:\s*)['\"]\w+['\"]")
_LIBRARY_CALL = re.compile(r"\b(?:extern_kernels\.\w+|(?:torch\.ops|aten|prims)\.[a-z_]\w*\.[\w.]+)(?=\()")
_NUMBER = re.compile(r"(?:_\d+)+$")
_STAGES = {("dynamo", "after"), ("post_grad", "after")}


def side(recording: Recording, result: Result | None = None) -> Side:
    """Return what is compared of a recording as it is now; `result`: of `analyse`, when it is there already."""
    context = context_of(recording)
    return Side(
        result=result or analyse(recording),
        sources=source_texts(recording),
        operators=_operators(Graphs(recording, context)),
        kernels=_kernels(recording, context),
    )


def unnumbered(name: str) -> str:
    """Return a kernel's name without the number that it has in its graph."""
    return _NUMBER.sub("", name)


def _operators(graphs: Graphs) -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, Counter[str]]] = {}
    latest = {
        (entry.compile_id, entry.graph, entry.stage): entry.snapshot
        for entry in graphs.stages()
        if entry.snapshot is not None and (entry.stage, entry.position) in _STAGES
    }
    for (compile_id, _, stage), snapshot in latest.items():
        names = found.setdefault(compile_id, {}).setdefault(stage, Counter())
        for node in graphs.nodes(snapshot) or ():
            if node.op.startswith("call_") or node.op == "get_attr":
                names[node.target.removeprefix("torch.ops.")] += 1
    return {compile_id: {stage: dict(names) for stage, names in of.items()} for compile_id, of in found.items()}


def _kernels(recording: Recording, context: Context) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for code in output_code.table(recording, context):
        text = output_code.text(recording, code)
        if text is None:
            continue
        kernels = OutputCode(text).kernels
        own = [(unnumbered(name), _hash(one.text, name)) for name, one in kernels.items()]
        calls = [name.removeprefix("torch.ops.") for name in _LIBRARY_CALL.findall(text)]
        found.setdefault(code.compile_id, []).extend([*own, *((name, "") for name in calls)])
    return found


def _hash(text: str, name: str) -> str:
    """Return a hash of a kernel's code that is the same wherever in whichever run the same code was written."""
    plain = _HASHED.sub(r"\1''", _INCLUDE.sub('#include "', _COMMENT.sub("", text)))
    return hashlib.sha256(plain.replace(name, unnumbered(name)).encode(errors="replace")).hexdigest()[:16]
