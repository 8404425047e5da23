"""What the client at the other end can do and asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from compilescope.lsp.shapes.elsewhere import MappedPath

COMMANDS = frozenset({"showGraph", "showPasses", "showCompile", "fixAndVerify", "applyFix", "explain"})


@dataclass(frozen=True)
class Client:
    """The client, as its capabilities and `initializationOptions` describe it.

    `vscode`: our own extension is there: its commands, its notifications, trusted Markdown with icons and colours.
    `code_lens`: it wants lenses, whose commands (`compilescope.trace`, …) it has to define.
    `static_hints`: it wants guesses about what was not traced yet.
    `python`: the interpreter that runs the user's programs, null for our own choice.
    `commands`: those of the extension's commands that a hover or an action may run, without their `compilescope.`; for
    other clients those of the server's own that they can take part in.
    `action_literals`: code actions may have a kind and an edit; else they are commands.
    `path_mappings`: where files of other machines are here.
    `recordings`: what the user opened in an earlier session, to be on show again.
    `versioned_edits`: edits may say of which version of a document they are.
    """

    vscode: bool = False
    code_lens: bool = False
    notifications: bool = False
    progress: bool = False
    related_information: bool = False
    code_description: bool = False
    markdown: bool = True
    lens_refresh: bool = False
    action_literals: bool = False
    versioned_edits: bool = False
    apply_edit: bool = False
    python: str | None = None
    static_hints: bool = False
    commands: frozenset[str] = frozenset()
    path_mappings: tuple[MappedPath, ...] = ()
    recordings: tuple[str, ...] = ()

    @staticmethod
    def of(params: types.InitializeParams) -> Client:
        """The client that sent `params`. Options of a wrong type count as absent."""
        options = _options(params.initialization_options)
        capabilities = params.capabilities
        vscode = options.get("client") == "vscode"
        published = capabilities.text_document and capabilities.text_document.publish_diagnostics
        hover = capabilities.text_document and capabilities.text_document.hover
        formats = (hover and hover.content_format) or [types.MarkupKind.Markdown]
        workspace = capabilities.workspace
        lenses = workspace and workspace.code_lens
        actions = capabilities.text_document and capabilities.text_document.code_action
        edits = workspace and workspace.workspace_edit
        python = options.get("python")
        return Client(
            vscode=vscode,
            code_lens=options.get("codeLens", vscode) is True,
            static_hints=options.get("staticHints") is True,
            notifications=options.get("notifications", vscode) is True,
            progress=bool(capabilities.window and capabilities.window.work_done_progress),
            related_information=bool(published and published.related_information),
            code_description=bool(published and published.code_description_support),
            markdown=types.MarkupKind.Markdown in formats,
            lens_refresh=bool(lenses and lenses.refresh_support),
            action_literals=bool(actions and actions.code_action_literal_support),
            versioned_edits=bool(edits and edits.document_changes),
            apply_edit=bool(workspace and workspace.apply_edit),
            commands=_commands(options.get("commands")) if vscode else _server_commands(capabilities, options),
            path_mappings=_mappings(options.get("pathMappings")),
            recordings=_texts(options.get("recordings")),
            python=python if isinstance(python, str) and python else None,
        )

    def can(self, name: str) -> bool:
        """Whether there is a command `name` for this client to run."""
        return name in self.commands

    def command(self, name: str, title: str, argument: dict[str, Any]) -> types.Command:
        """A command that `can` be run: the extension's, or the server's own of that name."""
        prefix = "compilescope" if self.vscode else "compilescope.server"
        return types.Command(title=title, command=f"{prefix}.{name}", arguments=[argument])


def _server_commands(capabilities: types.ClientCapabilities, options: dict[str, Any]) -> frozenset[str]:
    """The commands of the server's own that end in something which the client shows or applies."""
    shows = capabilities.window and capabilities.window.show_document and capabilities.window.show_document.support
    applies = capabilities.workspace and capabilities.workspace.apply_edit
    runs = applies and options.get("fixAndVerify") is True  # it runs the user's program: only where that is wanted
    found = {"explain": shows, "applyFix": applies, "fixAndVerify": runs}
    return frozenset(name for name, possible in found.items() if possible)


def _mappings(value: Any) -> tuple[MappedPath, ...]:
    """Those of a list of `{"from", "to"}`; what is none is left out."""
    found = [_options(one) for one in value] if isinstance(value, list) else []
    pairs = [(one.get("from", one.get("from_")), one.get("to")) for one in found]
    return tuple(MappedPath(there, here) for there, here in pairs if isinstance(there, str) and isinstance(here, str))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str) and one) if isinstance(value, list) else ()


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
