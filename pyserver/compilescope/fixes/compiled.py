"""Which function of the program a finding's compiles are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import source

if TYPE_CHECKING:
    from compilescope.analysis.model import Compile
    from compilescope.fixes.site import Site
    from compilescope.fixes.source import SourceFile


def compiles(site: Site) -> list[Compile]:
    """Return the compiles of the finding's frame, those of the pieces after a break left out."""
    ids = set(site.finding.compile_ids)
    frames = {(one.file, one.line, one.function) for one in site.result.compiles if one.id in ids and not one.resumed}
    return [one for one in site.result.compiles if (one.file, one.line, one.function) in frames and not one.resumed]


def function(site: Site) -> tuple[SourceFile, tree.Function] | None:
    """Return the function that was compiled and its file; None when it is several, a lambda, or has no text."""
    places = {(one.file, one.line, one.function) for one in compiles(site)}
    if len(places) != 1:
        return None
    path, line, name = places.pop()
    file = site.files(path)
    if file is None:
        return None
    for node in source.inside(file.root):
        if (
            isinstance(node, tree.Function)
            and node.type == "funcdef"
            and node.name.value == name
            and _first_line(node) <= line <= _head(node)
        ):
            return file, node
    return None


def types(site: Site) -> dict[str, str]:
    """Return the type of each value that the compiles of the finding's frame looked at, by its expression."""
    return site.recorded(frozenset(one.id for one in compiles(site))).types


def _first_line(node: tree.Function) -> int:
    decorators = node.get_decorators()
    first: int = decorators[0].start_pos[0] if decorators else node.start_pos[0]
    return first


def _head(node: tree.Function) -> int:
    line: int = node.name.start_pos[0]
    return line
