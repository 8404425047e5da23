"""The kinds of likely breaks: what a node of the syntax has to look like, and what is said of it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.hints.tensors import Tensors

ASKS = re.compile(
    r"^(is_compiling|is_dynamo_compiling|is_scripting|is_tracing|TYPE_CHECKING)$|debug|verbose", re.IGNORECASE
)
_PRINTS = "prints, which a graph can't do"
_READS = "reads the value of a tensor"
_SHAPE = "gives a shape that depends on data"
_TIME = "asks the clock, which a graph can't do"
_SYSTEM = "asks the system, which a graph can't do"
_FILES = "works with a file, which a graph can't do"
_PICKLES = "pickles, which a graph can't do"
_RANDOM = "draws a random number outside of torch"
_LOGGING = ("debug", "info", "warning", "error", "exception", "critical", "log")
_CALLS = {
    "print": ("print", _PRINTS),
    "open": ("file", _FILES),
    "exec": ("exec", "runs text that is not known when the graph is recorded"),
    "warnings.warn": ("warning", _PRINTS),
    "sys.stdout.write": ("print", _PRINTS),
    "sys.stderr.write": ("print", _PRINTS),
    "sys.stdout.flush": ("print", _PRINTS),
    "torch._dynamo.graph_break": ("graph-break", "asks for one"),
    "torch.save": ("file", _FILES),
    "torch.manual_seed": ("seed", "sets the state of a generator, which is no part of a graph"),
    "pickle.dumps": ("pickle", _PICKLES),
    "pickle.loads": ("pickle", _PICKLES),
    "json.dumps": ("json", "writes JSON, which a graph can't do"),
    "uuid.uuid4": ("system", _SYSTEM),
    "os.getcwd": ("system", _SYSTEM),
    "os.listdir": ("system", _SYSTEM),
    "os.makedirs": ("system", _SYSTEM),
    "os.putenv": ("system", _SYSTEM),
    "os.path.exists": ("system", _SYSTEM),
    "os.environ.update": ("environ", _SYSTEM),
    "subprocess.run": ("system", _SYSTEM),
    "torch.nonzero": ("data-shape", _SHAPE),
    "torch.argwhere": ("data-shape", _SHAPE),
    "torch.masked_select": ("data-shape", _SHAPE),
    "torch.unique": ("data-shape", _SHAPE),
    "torch.unique_consecutive": ("data-shape", _SHAPE),
    "torch.bincount": ("data-shape", _SHAPE),
    "torch.allclose": ("item", _READS),
    "torch.equal": ("item", _READS),
}
_CALLS |= {f"logging.{name}": ("logging", _PRINTS) for name in _LOGGING}
_CALLS |= {f"time.{name}": ("time", _TIME) for name in ("time", "time_ns", "perf_counter", "monotonic")}
_CALLS["time.sleep"] = ("time", "waits, which a graph can't do")
_CALLS |= {
    f"random.{name}": ("random", _RANDOM)
    for name in ("choice", "choices", "gauss", "normalvariate", "triangular", "expovariate", "getrandbits")
}
"""Calls that break whatever they are given. `random.random`, `uniform`, `randint` and others don't in every torch."""
_NUMPY_SCALARS = {"rand": 0, "randn": 0, "random": 0, "uniform": 2, "normal": 2}
"""NumPy's random functions and the number of arguments with which they give one number."""
_SCALAR = ("capture_scalar_outputs", {"item", "tolist", "number"})
_DYNAMIC = ("capture_dynamic_output_shape_ops", {"data-shape", "mask"})
_PRINTING = ("reorderable_logging_functions", {"print", "logging", "warning"})
_IGNORING = ("ignore_logg", {"print", "logging", "warning"})
_SETTINGS = (_SCALAR, _DYNAMIC, _PRINTING, _IGNORING)
"""Words of settings that let torch capture some kinds, where a file has them."""

KINDS = frozenset(kind for kind, _ in _CALLS.values()) | {
    "backward",
    "branch",
    "ctypes",
    "deepcopy",
    "mask",
    "number",
    "tolist",
}
"""All kinds that there are."""

Found = tuple[ast.expr, str, str]


class Kinds:
    """Looks at one node at a time. `names`: what the file's imported names stand for."""

    def __init__(self, names: dict[str, str], tensors: Tensors, source: str) -> None:
        self._names = names
        self._tensors = tensors
        self._allowed = {kind for word, kinds in _SETTINGS if word in source for kind in kinds}
        self._loggers = set(re.findall(r"^(\w+)\s*=\s*(?:logging\.)?getLogger\(", source, re.MULTILINE))

    def of(self, node: ast.AST) -> Iterator[Found]:
        """Yield the likely breaks at a node itself: where, its kind, and what is said."""
        found = self._call(node) if isinstance(node, ast.Call) else self._other(node)
        yield from (one for one in found if one[1] not in self._allowed)

    def _call(self, node: ast.Call) -> Iterator[Found]:
        name = self._name(node.func)
        if name in _CALLS and not (name in {"print", "open", "exec"} and name in self._names):
            kind, why = _CALLS[name]
            yield node, kind, f"`{ast.unparse(node.func)}` {why}"
        elif name in {"float", "int", "bool"} and len(node.args) == 1 and self._tensors.is_tensor(node.args[0]):
            yield node, "number", f"`{name}` {_READS}"
        elif name == "torch.where" and len(node.args) + len(node.keywords) == 1:
            yield node, "data-shape", f"`{ast.unparse(node.func)}` with one argument {_SHAPE}"
        elif name == "copy.deepcopy" and node.args and self._tensors.is_tensor(node.args[0]):
            yield node, "deepcopy", "`copy.deepcopy` copies a tensor as an object, which a graph can't do"
        elif name.startswith("ctypes."):
            yield node, "ctypes", f"`{ast.unparse(node.func)}` is foreign code, which a graph can't hold"
        elif name.startswith("numpy.random.") and self._is_number(name, node):
            yield node, "random", f"`{ast.unparse(node.func)}` {_RANDOM}"
        elif name.startswith("datetime.") and name.rpartition(".")[2] in {"now", "utcnow", "today"}:
            yield node, "time", f"`{ast.unparse(node.func)}` {_TIME}"
        elif isinstance(node.func, ast.Attribute):
            yield from self._method(node, node.func)

    def _method(self, node: ast.Call, function: ast.Attribute) -> Iterator[Found]:
        receiver = function.value
        of_tensor = self._tensors.is_tensor(receiver)
        if function.attr == "item" and not node.args and of_tensor:
            yield node, "item", f"`.item()` {_READS}"
        elif function.attr == "tolist" and of_tensor and not self._is_whole(receiver):
            yield node, "tolist", "`.tolist()` reads the values of a tensor"
        elif function.attr in {"nonzero", "argwhere", "masked_select", "unique", "bincount"} and of_tensor:
            yield node, "data-shape", f"`.{function.attr}` {_SHAPE}"
        elif function.attr == "backward" and of_tensor:
            yield node, "backward", "`.backward()` runs autograd, which stays outside of the graph"
        elif function.attr in _LOGGING and isinstance(receiver, ast.Name) and receiver.id in self._loggers:
            yield node, "logging", f"`{ast.unparse(function)}` {_PRINTS}"

    def _other(self, node: ast.AST) -> Iterator[Found]:
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            word = "while" if isinstance(node, ast.While) else "if"
            if self._decides(node.test):
                yield node.test, "branch", f"this `{word}` depends on tensor data"
        elif isinstance(node, ast.Subscript):
            if (
                isinstance(node.ctx, ast.Load)
                and self._tensors.is_tensor(node.value)
                and self._tensors.is_mask(node.slice)
            ):
                yield node, "mask", f"indexing by a mask {_SHAPE}"
            elif isinstance(node.ctx, ast.Store | ast.Del) and self._name(node.value) == "os.environ":
                yield node, "environ", "this sets an environment variable, which a graph can't do"

    def _decides(self, test: ast.expr) -> bool:
        """Whether a test asks a tensor for its value."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._decides(test.operand)
        if isinstance(test, ast.BoolOp):
            return self._decides(test.values[0])
        return self._tensors.is_tensor(test)

    def _is_number(self, name: str, node: ast.Call) -> bool:
        count = _NUMPY_SCALARS.get(name.removeprefix("numpy.random."))
        return count is not None and len(node.args) == count and not node.keywords

    def _is_whole(self, node: ast.expr) -> bool:
        """Whether a tensor has whole numbers: torch 2.9 captures those of a list."""
        calls = [
            one.func.attr for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
        ]
        return bool({"long", "int", "to", "argmax", "argmin", "type"} & set(calls))

    def _name(self, node: ast.expr) -> str:
        """What a name stands for: `time.perf_counter` for `perf_counter` or `t.perf_counter`; empty for no name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self._names.get(node.id, node.id), *reversed(parts)])
