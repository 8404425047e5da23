"""A setting of torch's, written below the imports of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.model import Edit, Range
from compilescope.fixes import source

if TYPE_CHECKING:
    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile

_IMPORTS = {"import_name", "import_from"}


def configured(file: SourceFile, line: str, *modules: str) -> list[Edit]:
    """Return the edits that put a line below the first imports, with torch and `modules` imported above it.

    Nothing where the file has that line, or code before torch is imported.
    """
    if line in file.text:
        return []
    missing = [module for module in ("torch", *modules) if file.names_module(module) != module]
    last = _last_import(file)
    if last is None:
        return []
    lines = [*(f"import {module}" for module in missing), "", line]
    before = Range(*(file.position((last.end_pos[0], 0)),) * 2)
    if last.get_last_leaf().type != "newline":
        return []
    return [Edit(file.file, before, file.line_end.join(lines) + file.line_end)]


def _last_import(file: SourceFile) -> NodeOrLeaf | None:
    """The last of the imports that a file begins with."""
    last = None
    for one in file.statements():
        match source.children(one):
            case [statement, _] if statement.type in _IMPORTS:
                last = one
            case _ if not source.is_docstring(one):
                break
    return last
