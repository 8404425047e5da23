"""Where each compile started: the stacks of all compiles as one tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.stack_trie import compile_stacks, trie, walk
from compilescope.report.html.figures import counted
from compilescope.report.html.markup import EMPTY, Markup, details, section, shortened, tag
from compilescope.report.stacks import WORDS

if TYPE_CHECKING:
    from compilescope.analysis.stack_trie import CompileStack, TrieNode
    from compilescope.report.html.material import Material

_MOST = 600
_OPEN = 60
_BADGES = {
    "failed": "bad",
    "running": "bad",
    "graph-break": "warn",
    "skipped": "warn",
    "restarted": "info",
    "empty": "info",
}


def stacks(material: Material) -> Markup:
    """The section; empty where torch noted no stacks."""
    if material.recording is None:
        return EMPTY
    found = compile_stacks(material.recording, material.context, material.result)
    if not found:
        return EMPTY
    lines = [_line(before, node) for before, node in walk(trie(found))]
    if len(lines) > _MOST:
        material.left_out.append(f"{len(lines) - _MOST:,} of {len(lines):,} frames that led to compiles")
    box = tag("div", *lines[:_MOST], class_="ex tree", tabindex=0, role="group", aria_label="Where compiles started")
    about = f"the stacks of {counted(len(found), 'compile')} as one tree"
    body = box if len(lines) <= _OPEN else details(counted(len(lines), "frame"), box, class_="block")
    return section("stacks", "Where compiles started", about, body)


def _line(before: str, node: TrieNode) -> Markup:
    frame = node.frame
    place = "" if frame is None else f"{shortened(frame.file, 200)}:{frame.line} in {shortened(frame.function, 80)}"
    own = [part for one in node.compiles for part in (_badge(one), " ")]
    text = tag("span", place, class_=None if own else "dim")
    return tag("div", tag("span", before, *own, text), class_="el")


def _badge(one: CompileStack) -> Markup:
    said = f"{shortened(one.compile_id, 40)} {WORDS.get(one.status, one.status)}"
    return tag("span", said, class_=f"st {_BADGES.get(one.status, 'ok')}")
