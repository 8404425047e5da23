"""What the server knows while a client is connected, and what it tells the client when that changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from compilescope.analysis.linemap import line_map
from compilescope.analysis.model import Edit
from compilescope.lsp import fixing, paths, status
from compilescope.lsp.client import Client
from compilescope.lsp.diagnostics import Publisher
from compilescope.lsp.documents import Documents
from compilescope.lsp.fixing import Chosen
from compilescope.lsp.runs import RunStore
from compilescope.lsp.shapes.elsewhere import PathGuess
from compilescope.lsp.shapes.notices import RunsChanged, StatusChanged
from compilescope.lsp.shapes.watching import Watched
from compilescope.lsp.shown import Found, Placed, Shown, ShownFindings, place
from compilescope.recording.mapping import PathMapping

DEBOUNCE_S = 0.15


@dataclass(frozen=True)
class Wire:
    """The ways out to the client. All are called in the event loop's thread."""

    publish: Callable[[types.PublishDiagnosticsParams], None]
    notify: Callable[[str, Any], None]
    refresh_lenses: Callable[[], None]
    show_message: Callable[[types.ShowMessageParams], None]
    folders: Callable[[], list[str]]
    apply_edit: Callable[[types.ApplyWorkspaceEditParams], Awaitable[types.ApplyWorkspaceEditResult]]
    show_document: Callable[[types.ShowDocumentParams], Awaitable[types.ShowDocumentResult]]


class Session:
    """One client's session: its documents, the runs, and which findings are on show."""

    def __init__(self, client: Client, documents: Documents, wire: Wire) -> None:
        self.client = client
        self.documents = documents
        self.wire = wire
        self.shown = ShownFindings()
        self.paths = PathMapping()
        """What paths of other machines are here."""
        self.runs = RunStore(wire.folders, lambda: self.paths)
        self.clears = 0
        self.on_show: list[Callable[[], None]] = []
        """Called when other results are on show."""
        self._guesses: dict[str, list[types.Diagnostic]] = {}
        self._publisher = Publisher(client, wire.publish)
        self._placed: dict[str, tuple[object, list[Placed]]] = {}
        self._pending: dict[str, asyncio.TimerHandle] = {}
        self._busy: StatusChanged | None = None
        self._status = status.IDLE

    # --- findings

    def show(self, found: Found) -> None:
        """Put a run's findings on show; those of the script's run before go."""
        self.runs.show_again(found.recording)
        self.shown.update(*found)
        self._refresh_all(found.recording)

    def prepare(self, runs: Iterable[Found]) -> None:
        """Compare what was traced with the files of now ahead of `show`: that can take long, so do it in a thread."""
        for one in runs:
            files = {finding.file for finding in one.result.findings}
            for file, traced in one.sources.items():
                text = self.documents.text(paths.key(file)) if file in files else None
                if text is not None:
                    line_map(traced, text)

    def show_earlier(self, runs: list[Found]) -> None:
        """Put runs of an earlier session on show, oldest first, behind all that this session found."""
        self.shown.update_earlier(runs)
        self._refresh_all(None)

    async def clear(self) -> int:
        """Take all findings off for good; how many they were."""
        self.clears += 1
        await asyncio.to_thread(self.runs.clear)
        count = self.shown.clear()
        self._refresh_all(None)
        return count

    def placed(self, key: str) -> list[Placed]:
        """The findings of a file where they are now."""
        stamp = (self.shown.revision, self.documents.stamp(key))
        known = self._placed.get(key)
        if known is None or known[0] != stamp:
            shown = self.shown.by_file().get(key, [])
            known = self._placed[key] = (stamp, place(shown, self.documents.text(key) if shown else None))
        return known[1]

    def edits_now(self, chosen: Sequence[Chosen]) -> list[Edit] | None:
        """The edits of fixes in the text of now; null when a line that they touch was edited since."""
        sources = chosen[0].shown.sources
        return fixing.edits_now(fixing.edits_of(chosen), sources, lambda file: self.documents.text(paths.key(file)))

    def is_unchanged(self, shown: Shown) -> bool:
        """Whether the files of a finding's run, as far as they are open here, are as they were traced."""
        files = [file for file in shown.sources if self.documents.is_open(self.shown.key(file) or "")]
        return all(self.documents.text(paths.key(file)) == shown.sources[file] for file in files)

    def edited(self, key: str) -> None:
        """A document changed: send its findings' new places once the typing pauses."""
        if key not in self.shown.by_file():
            return
        if key in self._pending:
            self._pending.pop(key).cancel()
        self._pending[key] = asyncio.get_running_loop().call_later(DEBOUNCE_S, self.refresh, key)

    def refresh(self, key: str) -> None:
        """Send a file's findings, if the client does not have them like this yet."""
        self._pending.pop(key, None)
        shown = self.shown.by_file().get(key, [])
        path = shown[0].finding.file if shown else None
        visible = path is not None and self._may_show(key, shown[0].recording)
        uri = self.documents.uri(key, path or key)
        placed, guesses = self.placed(key) if visible else [], self._guesses.get(key, [])
        self._publisher.show(key, uri, self.documents.version(key), placed, guesses)

    def guess(self, key: str, guesses: list[types.Diagnostic]) -> None:
        """Show these guesses about a file beside its findings, and no others."""
        if guesses != self._guesses.get(key, []):
            self._guesses[key] = guesses
            self.refresh(key)

    def _refresh_all(self, recording: str | None) -> None:
        self._publisher.look_again()
        for key in {*self._publisher.keys(), *self.shown.by_file()}:
            self.refresh(key)
        if self.client.lens_refresh and self.client.code_lens:
            self.wire.refresh_lenses()
        for listener in self.on_show:
            listener()
        self.runs_changed(recording)
        self._tell_status()

    def _may_show(self, key: str, recording: str) -> bool:
        """Findings of what the user ran or opened go wherever they are; those of other runs stay in the workspace."""
        if not Path(key).is_file():
            return False
        asked_for = self.runs.is_asked_for(recording) or self.documents.is_open(key)
        return asked_for or any(paths.within(key, folder) for folder in self.wire.folders())

    # --- telling the client

    def runs_changed(self, recording: str | None) -> None:
        """The runs view should ask again."""
        self._notify("compilescope/runsChanged", RunsChanged(recording))

    def set_busy(self, busy: StatusChanged | None) -> None:
        """What the status bar says while a run goes on; null once none does: then it is about the newest on show."""
        self._busy = busy
        self._tell_status()

    def _tell_status(self) -> None:
        results = list(self.shown.results().values())
        new = self._busy or (status.of_result(results[-1]) if results else status.IDLE)
        if new != self._status:
            self._status = new
            self._notify("compilescope/status", new)

    def notify_output(self, message: Any) -> None:
        """Pass a piece of the program's output on."""
        self._notify("compilescope/output", message)

    def watched(self, folders: Watched) -> None:
        """Other folders are watched now, or there is other news of them."""
        self._notify("compilescope/watched", folders)

    def path_guess(self, guess: PathGuess) -> None:
        """The files of a recording may be here."""
        self._notify("compilescope/pathGuess", guess)

    def show_message(self, text: str, kind: types.MessageType) -> None:
        """A message for clients without our extension, which has its own with buttons."""
        if not self.client.vscode:
            self.wire.show_message(types.ShowMessageParams(type=kind, message=text))

    def _notify(self, method: str, params: Any) -> None:
        if self.client.notifications:
            self.wire.notify(method, params)
