"""A client for each test, connected to a server that was started as the extension starts it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from .made import SCRIPT, Made

ROOT = Path(__file__).resolve().parents[2]
ENTRY = ROOT / "pyserver" / "compilescope" / "lsp" / "__main__.py"
COMMAND = [sys.executable, "-I", "-S", str(ENTRY)]


class Client(LanguageClient):
    """Keeps what our own notifications said, and every set of diagnostics with its version."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.notified: list[tuple[str, Any]] = []
        self.published: list[types.PublishDiagnosticsParams] = []
        self.lens_refreshes = 0

    def texts(self, method: str) -> list[Any]:
        return [params for name, params in self.notified if name == method]

    async def ask(self, method: str, **params: Any) -> Any:
        return await self.protocol.send_request_async(method, params)

    async def until(self, condition: Callable[[], Any], timeout_s: float = 20) -> Any:
        """Wait until `condition` is true and return it."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if value := condition():
                return value
            await asyncio.sleep(0.02)
        raise AssertionError("it did not come about")

    def open(self, path: Path, text: str | None = None, version: int = 1) -> str:
        uri = path.as_uri()
        document = types.TextDocumentItem(uri, "python", version, path.read_text() if text is None else text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(document))
        return uri

    def edit(self, uri: str, version: int, line: int, columns: tuple[int, int], text: str) -> None:
        place = types.Range(types.Position(line, columns[0]), types.Position(line, columns[1]))
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangePartial(range=place, text=text)],
            )
        )

    async def hover(self, uri: str, line: int, character: int) -> types.Hover | None:
        return await self.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        )

    async def lenses(self, uri: str) -> list[types.CodeLens]:
        return await self.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri))) or []


def make_client() -> Client:
    made = make_test_lsp_client()
    client = Client(converter_factory=lambda: made.protocol._converter)
    for name, handler in made.protocol.fm.features.items():
        if name != types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
            client.feature(name)(_bound(client, handler))
    _listen(client)
    return client


def _bound(client: Client, handler: Any) -> Any:
    function = handler.func  # pytest-lsp's handlers take their client first

    def call(params: Any) -> Any:
        return function(client, params)

    return call


def _listen(client: Client) -> None:
    names = ("runsChanged", "status", "output", "watched", "pathGuess")
    for method in (f"compilescope/{name}" for name in names):
        client.feature(method)(lambda params, method=method: client.notified.append((method, params)))

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params: types.PublishDiagnosticsParams) -> None:
        client.published.append(params)
        client.diagnostics[params.uri] = params.diagnostics

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refreshed(_: Any) -> None:
        client.lens_refreshes += 1


@pytest.fixture
def options() -> dict[str, Any]:
    """`initializationOptions`; modules override it."""
    return {"client": "vscode"}


@pytest.fixture
def capabilities() -> types.ClientCapabilities:
    """What the client can do; modules override it."""
    return client_capabilities("visual-studio-code")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one script."""
    folder = tmp_path / "wörk space"
    folder.mkdir()
    (folder / "script.py").write_text(SCRIPT)
    return folder


@pytest.fixture
def script(workspace: Path) -> Path:
    return workspace / "script.py"


@pytest.fixture
def made(tmp_path: Path, script: Path) -> Made:
    """A run of the script with a break that was met twice, and a recompile; not in the workspace's own recordings."""
    recording = Made(tmp_path / "20261129-130000", script)
    recording.graph_break("0/0").compile("0/0").compile(
        "1/0", line=6, function="torch_dynamo_resume_in_step_at_7", seconds=0.1
    )
    return recording.recompile("0/1", "1.0", "0.5").graph_break("0/1").compile("0/1").end()


CONFIG = ClientServerConfig(server_command=COMMAND, client_factory=make_client, server_env={**os.environ})


@pytest.fixture
def introduction(workspace, options, capabilities) -> types.InitializeParams:
    """How the client introduces itself."""
    return types.InitializeParams(
        capabilities=capabilities,
        workspace_folders=[types.WorkspaceFolder(workspace.as_uri(), "work")],
        initialization_options=options,
    )


@pytest_lsp.fixture(config=CONFIG)
async def client(lsp_client: LanguageClient, introduction):
    await lsp_client.initialize_session(introduction)
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def another_server(introduction):
    """Starts one more server for the same workspace, as the editor does after a reload. An async context manager."""

    @contextlib.asynccontextmanager
    async def start() -> AsyncIterator[Client]:
        client = await CONFIG.start()
        await client.initialize_session(introduction)
        yield client
        await client.shutdown_session()
        await client.stop()

    return start
