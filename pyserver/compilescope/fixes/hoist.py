"""A random number, a time or a copy that the caller makes and passes in, so that compiled code does not make it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import arguments, callers, calls, names, source, statements, variables
from compilescope.fixes.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.analysis.model import Edit
    from compilescope.fixes.site import Site
    from compilescope.fixes.source import SourceFile

_TIMES = {
    f"time.{name}{unit}" for name in ("time", "perf_counter", "monotonic", "process_time") for unit in ("", "_ns")
}
_TIMES |= {"datetime.datetime.now", "datetime.datetime.utcnow", "datetime.date.today"}
_COPIES = {"copy.deepcopy", "copy.copy"}
_RANDOM = ("random.", "numpy.random.")
# These change the generator or make one, and draw nothing.
_NO_DRAW = {"seed", "shuffle", "setstate", "set_state", "default_rng", "Generator", "RandomState", "Random"}
_RULES = {"graph-break", "frame-skipped", "graph-break-error"}


@dataclass(frozen=True)
class _Made:
    """What is made: the word for the new parameter, the title, and what to know."""

    word: str
    title: str
    note: str


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the parameter, where all callers are in the file and what is made is the same outside as inside."""
    call, function = site.call or _tested(site), site.function
    if (
        site.finding.rule not in _RULES
        or call is None
        or not isinstance(function, tree.Function)
        or function.type != "funcdef"
    ):
        return
    file = site.source
    made = _made(file, call)
    if made is None or not callers.compiled_itself(site, function) or not statements.runs_once(function, call):
        return
    if not _same_before(file, function, call, made) or _feeds_math(file, call):
        return
    found = calls.calls_of(file, function)
    if not found.complete or not found.found or not all(one.takes_more for one in found.found):
        return
    passed = [callers.outside(site, function, one, call) for one in found.found]
    if any(one is None for one in passed) or any(callers.is_compiled(site, one) for one in found.found):
        return
    name, edits = _taken(file, function, call, made)
    for one, value in zip(found.found, passed, strict=True):
        edits.append(one.adding(f"{name}={value}"))
    yield Fix(
        made.title.format(call=source.code(call), name=name),
        [*edits, arguments.with_parameter(file, function, name)],
        kind="hoist",
        preferred=True,
        note=f"{made.note}; callers in other files have to pass `{name}`, too",
    )


def _tested(site: Site) -> NodeOrLeaf | None:
    """Return the draw that a test of numbers depends on: in the test, or what a name in it was given."""
    if site.node is None or site.function is None or site.node.type not in {"comparison", "name"}:
        return None
    values = Values(site)
    if any(map(values.is_tensor, source.inside(site.node))):
        return None
    found: list[NodeOrLeaf] = []
    for one in source.inside(site.node):
        given: NodeOrLeaf | None = one
        if isinstance(one, tree.Name):
            bound = list(names.bindings(site.source, one.value, site.function))
            only = variables.reaching(one, site.function, bound) if bound else None
            given = variables.assigned(only) if only is not None else None
        if given is not None and (made := _made(site.source, given)) is not None and made.word == "drawn":
            found.append(given)
    return found[0] if len(found) == 1 else None


def _made(file: SourceFile, call: NodeOrLeaf) -> _Made | None:
    whole = names.called(file, call)
    if whole in _TIMES:
        return _Made(
            "started", "Take the time before the call and pass it as {name}", "the time is that before the call"
        )
    if whole in _COPIES:
        return _Made(
            "copied", "Copy before the call and pass the copy as {name}", "there is a new copy for each call, as before"
        )
    if whole.startswith(_RANDOM) and whole.rpartition(".")[2] not in _NO_DRAW:
        return _Made(
            "drawn",
            "Draw the random value before the call and pass it as {name}",
            "one is drawn for each call, as before, and before anything that the function calls draws",
        )
    return None


def _same_before(file: SourceFile, function: tree.Function, call: NodeOrLeaf, made: _Made) -> bool:
    """Whether nothing that runs before in the function makes a difference."""
    own = statements.of(function, call)
    if own is None:
        return False
    earlier = list(statements.before(function, own))
    if made.word == "started":
        clocks = [one for one in source.inside(function) if names.called(file, one) in _TIMES]
        return not earlier and statements.assigned(own) is not None and len(clocks) == 1
    if made.word == "drawn":
        drawing = (
            one for one in (*earlier, *source.inside(own)) if source.is_call(one) and one.start_pos < call.start_pos
        )
        return not any(names.called(file, one).startswith(_RANDOM) for one in drawing)
    copied = variables.read_in(call)
    return not any(isinstance(one, tree.Name) and one.value in copied for one in earlier)


def _feeds_math(file: SourceFile, call: NodeOrLeaf) -> bool:
    """Whether the value goes straight into a function that needs the number: it would be compiled in."""
    node = call.parent
    while node is not None and node.type != "simple_stmt":
        if source.is_call(node) and names.called(file, node).startswith("math."):
            return True
        node = node.parent
    return False


def _taken(file: SourceFile, function: tree.Function, call: NodeOrLeaf, made: _Made) -> tuple[str, list[Edit]]:
    """Return the parameter's name, and the edits that use it in the place of the call."""
    own = statements.of(function, call)
    given = statements.assigned(own) if own is not None else None
    if own is not None and given is not None and given[1] is call and statements.is_alone(file, own):
        name = given[0].value
        others = [one for one in statements.body(function) if one is not own]
        parameter = any(one.name.value == name for one in function.get_params())
        if not parameter and others and not variables.is_shared(file, function, name):
            return name, [statements.removed(file, own)]
    name = names.unused(file, made.word)
    return name, [file.replaced(call, name)]
