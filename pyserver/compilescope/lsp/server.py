"""The language server: which message goes to which feature."""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from compilescope import __version__
from compilescope.lsp import applying, code_actions, code_lens, hover, logs, problems, requests
from compilescope.lsp.client import Client
from compilescope.lsp.documents import Documents
from compilescope.lsp.elsewhere import Elsewhere, mapping
from compilescope.lsp.interpreter import Interpreters
from compilescope.lsp.lifecycle import Lifecycle, serve
from compilescope.lsp.line_hover import LineHovers
from compilescope.lsp.opening import Opening
from compilescope.lsp.packing import Packing
from compilescope.lsp.progress import Progress
from compilescope.lsp.restore import begin, restore
from compilescope.lsp.searching import Searching
from compilescope.lsp.session import Session, Wire
from compilescope.lsp.shapes.fixing import ExplainParams, FixAndVerifyParams, FixParams, FixResult
from compilescope.lsp.shapes.running import OpenRecordingParams, OpenRecordingResult, TraceParams
from compilescope.lsp.shapes.sharing import PackParams, PackResult
from compilescope.lsp.static_hints import StaticHints
from compilescope.lsp.torch_logs import LogNames
from compilescope.lsp.tracing import Tracing
from compilescope.lsp.verifying import Verifying
from compilescope.lsp.watching import Watching
from compilescope.lsp.wire import Protocol, make_converter

logger = logging.getLogger(__name__)


class Server(LanguageServer):
    """The server of one client. Its parts are made when the client introduces itself."""

    session: Session
    tracing: Tracing
    watching: Watching
    elsewhere: Elsewhere
    searching: Searching
    verifying: Verifying
    interpreters: Interpreters
    lenses: code_lens.CodeLenses
    hints: StaticHints
    log_names: LogNames
    line_hovers: LineHovers
    protocol: Protocol

    def __init__(self) -> None:
        super().__init__("compilescope", __version__, protocol_cls=Protocol, converter_factory=make_converter)
        self.lifecycle = Lifecycle(self._clean_up)
        self._background: set[asyncio.Future[None]] = set()

    def keep(self, task: asyncio.Future[None]) -> None:
        """Hold on to work that nobody waits for, until it is done."""
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def introduce(self, params: types.InitializeParams) -> None:
        """Make the session for the client that sent `params`."""
        client = Client.of(params)
        wire = Wire(
            publish=self.text_document_publish_diagnostics,
            notify=self.protocol.notify,
            refresh_lenses=self._refresh_lenses,
            show_message=self.window_show_message,
            folders=self._folders,
            apply_edit=self.workspace_apply_edit_async,
            show_document=self.window_show_document_async,
        )
        self.session = Session(client, Documents(self.workspace), wire)
        self.interpreters = Interpreters(client.python, self._folders)
        self.tracing = Tracing(self.session, self.interpreters, self._new_progress)
        self.verifying = Verifying(self.session, self.interpreters, self.tracing, self._new_progress)
        self.watching = Watching(self.session)
        self.session.paths = mapping(client.path_mappings, self._folders())
        self.elsewhere = Elsewhere(self.session)
        self.searching = Searching()
        self.lenses = code_lens.CodeLenses(self.session)
        self.hints = StaticHints(self.session, self.lenses.traced_lines, enabled=client.static_hints)
        self.log_names = LogNames(self.interpreters)
        self.line_hovers = LineHovers(self.session)
        if params.process_id is not None:
            self.lifecycle.watch(params.process_id)

    async def open_recording(self, params: OpenRecordingParams) -> OpenRecordingResult:
        """Open a recording and put its findings on show."""
        return await Opening(self.session, params, self._new_progress).finish()

    async def pack(self, params: PackParams) -> PackResult:
        """Write a recording as one file."""
        return await Packing(params, self._new_progress).finish()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Failures of ours go to the log; a request's failure is its answer too, and was logged where it is refused."""
        if isinstance(error, JsonRpcException):
            return
        logger.error("%s: %s", getattr(source, "__name__", source), error)

    def _folders(self) -> list[str]:
        folders = [uris.to_fs_path(folder.uri) for folder in self.workspace.folders.values()]
        if not folders and self.workspace.root_path:
            folders = [str(self.workspace.root_path)]
        return [folder for folder in folders if folder]

    def _new_progress(self, title: str) -> Progress:
        return Progress(self.work_done_progress, title, shown=self.session.client.progress)

    def _refresh_lenses(self) -> None:
        self.workspace_code_lens_refresh(None)

    def _clean_up(self) -> None:
        if hasattr(self, "tracing"):
            self.tracing.close()
            self.searching.close()


def create_server() -> Server:
    """A server that is ready to speak to a client."""
    server = Server()
    _register_lifecycle(server)
    _register_documents(server)
    _register_features(server)
    _register_commands(server)
    _register_fix_commands(server)
    requests.register(server)
    return server


def _register_lifecycle(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def _initialize(params: types.InitializeParams) -> None:
        server.introduce(params)
        if server.session.client.code_lens:
            server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))(_code_lens)

    async def _code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        return await asyncio.to_thread(server.lenses.of, params.text_document.uri)

    @server.feature(types.INITIALIZED)
    def _initialized(_: types.InitializedParams) -> None:
        server.keep(asyncio.ensure_future(begin(server.session)))

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def _folders(_: types.DidChangeWorkspaceFoldersParams) -> None:
        server.keep(asyncio.ensure_future(restore(server.session)))

    @server.feature(types.EXIT)
    def _exit(_: Any) -> None:
        server.lifecycle.end(0 if server.protocol.is_shut_down else 1)


def _register_documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _opened(params: types.DidOpenTextDocumentParams) -> None:
        if key := server.session.documents.opened(params.text_document.uri):
            server.session.refresh(key)
            server.hints.opened(key)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def _changed(params: types.DidChangeTextDocumentParams) -> None:
        if key := server.session.documents.key(params.text_document.uri):
            server.session.edited(key)
            server.hints.edited(key)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _closed(params: types.DidCloseTextDocumentParams) -> None:
        if key := server.session.documents.closed(params.text_document.uri):
            server.session.refresh(key)
            server.hints.closed(key)


def _register_features(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _hover(params: types.HoverParams) -> types.Hover | None:
        return await hover.hover(server.session, server.line_hovers, params)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.Empty]),
    )
    def _code_actions(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        return code_actions.code_actions(server.session, params)


def _register_commands(server: Server) -> None:
    converter = server.protocol._converter  # noqa: SLF001 - pygls gives it no public name

    def plain(result: Any) -> Any:
        return converter.unstructure(result)

    @server.command("compilescope.server.trace")
    async def _trace(params: TraceParams) -> Any:
        return plain(await server.tracing.trace(params))

    @server.command("compilescope.server.cancel")
    def _cancel() -> Any:
        return server.tracing.cancel()

    @server.command("compilescope.server.clear")
    async def _clear() -> Any:
        return await server.session.clear()

    @server.command("compilescope.server.openRecording")
    async def _open(params: OpenRecordingParams) -> Any:
        result = await server.open_recording(params)
        if result.problem:
            server.session.show_message(problems.text(result.problem), types.MessageType.Error)
        return plain(result)


def _register_fix_commands(server: Server) -> None:
    """For clients that can't send our requests: the same, and the outcome as a message."""
    converter = server.protocol._converter  # noqa: SLF001 - pygls gives it no public name

    def told(result: FixResult) -> Any:
        if result.message:
            kind = types.MessageType.Info if result.status == "applied" else types.MessageType.Warning
            server.session.show_message(result.message, kind)
        return converter.unstructure(result)

    @server.command("compilescope.server.applyFix")
    async def _apply(params: FixParams) -> Any:
        return told(await applying.apply(server.session, params))

    @server.command("compilescope.server.fixAndVerify")
    async def _verify(params: FixAndVerifyParams) -> Any:
        return told(await server.verifying.fix(params))

    @server.command("compilescope.server.explain")
    async def _explain(params: ExplainParams) -> None:
        external = not params.href.startswith("file:")
        await server.session.wire.show_document(types.ShowDocumentParams(uri=params.href, external=external))


def main(argv: Sequence[str] = ()) -> int:
    """Serve over stdio. Returns 2 for a command line that makes no sense; does not return otherwise."""
    parser = argparse.ArgumentParser(prog="compilescope lsp", description="A language server over stdin and stdout.")
    parser.add_argument("--stdio", action="store_true", help="the only transport there is; accepted for editors' sake")
    parser.add_argument("--log-level", default="WARNING", choices=["DEBUG", "INFO", "WARNING", "ERROR"])
    arguments = parser.parse_args(argv)
    logs.start(arguments.log_level)
    server = create_server()
    serve(server, server.lifecycle)
    return 0
