"""The versions of the compiled functions of a run and their guards, for the recompile panel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import attrs

from compilescope.analysis import recompile_model
from compilescope.analysis.dimensions import Dimension
from compilescope.analysis.guard_readings import readings, short, value_name
from compilescope.analysis.guards import Guarded
from compilescope.analysis.model import Place
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.recompiles import (
    AlsoFailed,
    CauseInfo,
    DimensionInfo,
    DimensionSpan,
    FunctionChoice,
    GuardNode,
    GuardPlace,
    GuardRow,
    GuardTreeParams,
    GuardTreeResult,
    LimitInfo,
    RecompilesParams,
    RecompilesResult,
    RecompileTable,
    SourceLines,
    VersionInfo,
)

MOST_FUNCTIONS = 500
MOST_NODES = 5000


def recompiles(opened: OpenRecording, params: RecompilesParams) -> RecompilesResult:
    """All functions, and one of them with its versions side by side."""
    with opened.recompiles() as found:
        functions, table = found.functions(), found.of(params.compile_id)
    return RecompilesResult(
        functions=[FunctionChoice(**vars(one)) for one in functions[:MOST_FUNCTIONS]],
        table=None if table is None else _table(table),
    )


def guard_tree(opened: OpenRecording, params: GuardTreeParams) -> GuardTreeResult:
    """The guards of one compile; without any where the recording has none."""
    with opened.recompiles() as found:
        tree = found.guards(params.compile_id)
    if tree is None:
        return GuardTreeResult(None, 0, [], 0)
    nodes = list(_nodes(tree.root, 0))
    shown = nodes[:MOST_NODES]
    left_out = sum(bool(one.kind) for one in nodes[MOST_NODES:])
    return GuardTreeResult(tree.latency_us, tree.count, shown, left_out)


def _nodes(one: Guarded, depth: int) -> Iterator[GuardNode]:
    """Yield what hangs on a value; the tree is never deeper than `guards` reads it."""
    for text, same in groupby(one.guards, short):
        own = list(same)
        about = [reading.about for guard in own for reading in readings(guard.kind, guard.code)]
        code = "\n".join(guard.code or guard.kind for guard in own)
        yield GuardNode(depth, text, code, own[0].kind, len(own), about, place_info(own[0].place))
    for child in one.children:
        inner = list(_nodes(child, depth + 1))
        checks = sum(node.checks for node in inner if node.kind)
        yield GuardNode(depth, value_name(child.expression), child.source, "", checks, [], None)
        yield from inner


def place_info(place: Place | None, text: str | None = None) -> GuardPlace | None:
    """A place as the panels get it."""
    if place is None:
        return None
    start, end = place.range.start, place.range.end
    return GuardPlace(place.file, start.line, start.character, end.line, end.character, text)


def _table(one: recompile_model.Table) -> RecompileTable:
    shared = {field.name: getattr(one, field.name) for field in attrs.fields(RecompileTable)}
    return RecompileTable(
        **{
            **shared,
            "versions": [_version(version) for version in one.versions],
            "rows": [GuardRow(**{**vars(row), "place": place_info(row.place)}) for row in one.rows],
            "limit": None if one.limit is None else LimitInfo(**vars(one.limit)),
            "refusals": [_cause(cause) for cause in one.refusals],
            "dimensions": [_dimension(dimension) for dimension in one.dimensions],
            "source": None if one.source is None else SourceLines(**vars(one.source)),
        }
    )


def _version(one: recompile_model.VersionOf) -> VersionInfo:
    return VersionInfo(**{**vars(one), "cause": None if one.cause is None else _cause(one.cause)})


def _cause(one: recompile_model.Cause) -> CauseInfo:
    known = {field.name: getattr(one, field.name) for field in attrs.fields(CauseInfo)}
    return CauseInfo(
        **{
            **known,
            "place": place_info(one.place, one.place_text),
            "caller": place_info(one.caller, one.caller_text),
            "also": [AlsoFailed(also.version, also.about, also.check, also.old, also.new) for also in one.also],
        }
    )


def _dimension(one: Dimension) -> DimensionInfo:
    spans = [DimensionSpan(span.version, span.low, span.high, span.seen, span.text) for span in one.spans]
    return DimensionInfo(**{**vars(one), "spans": spans, "place": place_info(one.place)})
