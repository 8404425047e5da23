"""What the client at the other end can do and asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types

COMMANDS = frozenset({"showGraph", "showPasses", "showCompile"})


@dataclass(frozen=True)
class Client:
    """The client, as its capabilities and `initializationOptions` describe it.

    `vscode`: our own extension is there: its commands, its notifications, trusted Markdown with icons and colours.
    `code_lens`: it wants lenses, whose commands (`compilescope.trace`, …) it has to define.
    `python`: the interpreter that runs the user's programs, null for our own choice.
    `commands`: those of the extension's commands that a hover may link to, without their `compilescope.`.
    """

    vscode: bool = False
    code_lens: bool = False
    notifications: bool = False
    progress: bool = False
    related_information: bool = False
    code_description: bool = False
    markdown: bool = True
    lens_refresh: bool = False
    python: str | None = None
    commands: frozenset[str] = frozenset()

    @staticmethod
    def of(params: types.InitializeParams) -> Client:
        """The client that sent `params`. Options of a wrong type count as absent."""
        options = _options(params.initialization_options)
        capabilities = params.capabilities
        vscode = options.get("client") == "vscode"
        published = capabilities.text_document and capabilities.text_document.publish_diagnostics
        hover = capabilities.text_document and capabilities.text_document.hover
        formats = (hover and hover.content_format) or [types.MarkupKind.Markdown]
        lenses = capabilities.workspace and capabilities.workspace.code_lens
        python = options.get("python")
        return Client(
            vscode=vscode,
            code_lens=options.get("codeLens", vscode) is True,
            notifications=options.get("notifications", vscode) is True,
            progress=bool(capabilities.window and capabilities.window.work_done_progress),
            related_information=bool(published and published.related_information),
            code_description=bool(published and published.code_description_support),
            markdown=types.MarkupKind.Markdown in formats,
            lens_refresh=bool(lenses and lenses.refresh_support),
            commands=_commands(options.get("commands")) if vscode else frozenset(),
            python=python if isinstance(python, str) and python else None,
        )


def _commands(value: Any) -> frozenset[str]:
    if not isinstance(value, list):
        return COMMANDS
    return frozenset(name.removeprefix("compilescope.") for name in value if isinstance(name, str))


def _options(value: Any) -> dict[str, Any]:
    """`initializationOptions` as a dict, whatever the JSON layer made of it."""
    if isinstance(value, dict):
        return value
    if hasattr(value, "_asdict"):
        return dict(value._asdict())
    return {}
