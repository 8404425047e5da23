"""The card of a line inside a compiled function: what it became, or why it runs in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from compilescope.analysis.line_story import LineStory, NodeStory
from compilescope.lsp.markdown import Style, cell, code, prose
from compilescope.lsp.wording import capital, joined, sentence
from compilescope.report.counted import counted

TIMES = " × "  # noqa: RUF001 - the sign is meant
MOST_NODES = 6
MOST_LINES = 3
FEW_IDS = 3
LIBRARY = {"extern", "fallback"}
NO_WORK = {
    "view": "a view, no work",
    "item": "one result of a call, no work",
    "same": "changes nothing, no work",
    "mutation": "written in place, no work of its own",
    "in-place": "its inputs were computed in place",
    "inlined": "in the kernels of what uses it",
    "value": "a number, worked out beside the kernels",
    "check": "a check, no kernel",
    "dead": "nobody uses it: left out",
    "folded": "left out by the passes",
}

LIMIT = "{} is at its limit of versions: calls that fit none of them run in Python"
WITHOUT_LINE = {
    "disabled": "`torch.compiler.disable` keeps {} out of graphs",
    "nothing-to-compile": "it has no operation that could be in a graph",
    "recompile-limit": LIMIT,
}

Place = tuple[str, int]


@dataclass(frozen=True)
class LineCards:
    """Makes cards in one client's style. `link`: the address of a traced line and its number now, null when it is gone.

    `file`: the one that is hovered, whose name goes without saying.
    """

    style: Style
    commands: frozenset[str]
    recording: str
    file: str
    link: Callable[[str, int], tuple[str, int] | None]

    def card(self, story: LineStory) -> str:
        """The card as Markdown."""
        if story.what == "graph":
            return "\n\n".join(part for part in (self._head(story), *self._table(story), self._ends(story)) if part)
        if story.what == "captured":
            words = (
                "**Captured**, with no operation of its own: it was worked out while the graph was captured, or what "
            )
            return f"{self.style.icon('check')}{words}it calls is on other lines."
        if story.what == "not_run":
            words = "**Not run in this trace**"
            rest = ", or it only worked on Python values and left nothing in a graph"
            return f"{self.style.icon('dash')}{words}{rest if story.reason == 'maybe-run' else ''}."
        runs = f"{self.style.icon('circle-slash')}**Runs in Python**"
        if story.here and story.because:
            return f"{runs}: the graph ends on this line. {prose(sentence(capital(story.because.title)))}"
        return f"{runs}{self._why(story)}"

    def _why(self, story: LineStory) -> str:
        if story.reason in WITHOUT_LINE:
            return f": {WITHOUT_LINE[story.reason].format(code(story.function))}."
        because = story.because
        line = because.range.start.line + 1 if because else None
        at = self._line((because.file or self.file, line)) if because and line else ""
        if story.whole:
            return f": none of {code(story.function)} is compiled{f', because of {at}' if at else ''}."
        return f" because the graph ended on {at}." if at else "."

    def _ends(self, story: LineStory) -> str:
        because = story.because
        if story.reason == "recompile-limit":
            return f"**Not on all calls.** {LIMIT.format(code(story.function))}."
        return f"**The graph ends on this line.** {prose(sentence(capital(because.title)))}" if because else ""

    def _head(self, story: LineStory) -> str:
        icon = self.style.icon("check")
        value = ""
        if story.value:
            name, type_, device = story.value
            of = code(name) if name else "the value"
            on = f" on {'CPU' if device == 'cpu' else code(device)}" if device else ""
            value = f"{of} is {code(type_)}{on}"
        same = f", the same in {self._ids(story.same)}" if story.same else ""
        other = f", otherwise in {self._ids(story.other)}" if story.other else ""
        compile_ = f"compile {self._compile(story.compile_id or '')}{same}{other}"
        return joined([f"{icon}**In a graph**", value, compile_])

    def _ids(self, ids: Sequence[str]) -> str:
        if len(ids) > FEW_IDS:
            return f"{code(ids[0])} to {code(ids[-1])}"
        return ", ".join(map(code, ids))

    def _compile(self, compile_id: str) -> str:
        return self._command(code(compile_id), "showCompile", compile_id) or code(compile_id)

    def _table(self, story: LineStory) -> list[str]:
        known = any(node.kernel or node.kind for node in story.nodes)
        working = [node for node in story.nodes if node.kernel or not known]
        shown = list(story.nodes) if len(story.nodes) <= MOST_NODES else working[:MOST_NODES]
        head = ["Node", "Shape", *(["Runs in", "Together with"] if known else [])]
        rows = [head, [":--"] * len(head)]
        for node in shown:
            shape = TIMES.join(node.shape) if node.shape is not None else ""
            row = [self._name(node, story), shape or ("scalar" if node.shape == () else "")]
            rows.append([*row, *([self._kernel(node, story), self._together(node)] if known else [])])
        table = "\n".join(f"| {' | '.join(cell(one) for one in row)} |" for row in rows)
        more = len(working) - sum(node in working for node in shown)
        views = len(story.nodes) - len(shown) - more
        rest = " and ".join(
            [*([counted(more, "more node")] if more else []), *([counted(views, "view")] if views else [])]
        )
        compile_id = story.compile_id
        links = [
            self._command("Graph", "showGraph", compile_id, "type-hierarchy"),
            self._command("Kernel code", "showCode", compile_id, "zap", working[0].name) if known and working else "",
            self._command("Through the passes", "showPasses", compile_id, "diff") if known else "",
        ]
        return [table, f"and {rest}" if rest else "", self.style.row(links)]

    def _name(self, node: NodeStory, story: LineStory) -> str:
        name = self._command(code(node.name), "showGraph", story.compile_id) or code(node.name)
        return f"{name} (backward)" if node.backward else name

    def _kernel(self, node: NodeStory, story: LineStory) -> str:
        if not node.kernel:
            return NO_WORK.get(node.kind, "")
        name = code(node.kernel)
        return self._command(name, "showCode", story.compile_id, node=node.name) or name

    def _together(self, node: NodeStory) -> str:
        if not node.together:
            return "alone (library call)" if node.kind in LIBRARY else ""
        shown = [self._line(place) for place in node.together[:MOST_LINES]]
        more = len(node.together) - len(shown)
        return ", ".join(shown) + (f" and {counted(more, 'more line')}" if more else "")

    def _line(self, place: Place) -> str:
        """A link to a line; in another file with that one's name."""
        file, line = place
        now = self.link(file, line)
        name = f"line {now[1] if now else line}"
        if file != self.file:
            name = f"{prose(Path(file).name)}:{now[1] if now else line}"
        return f"[{name}]({now[0]}#L{now[1]})" if now and self.style.trusted else name

    def _command(self, label: str, name: str, compile_id: str | None, icon: str = "", node: str | None = None) -> str:
        if name not in self.commands:
            return ""
        argument = {"recording": self.recording, "compileId": compile_id, **({"node": node} if node else {})}
        return self.style.command(label, name, argument, icon)
