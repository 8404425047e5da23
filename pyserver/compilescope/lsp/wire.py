"""How our own messages travel: attrs classes of `shapes` as camelCase JSON beside LSP's."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_type_hints

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from pygls.protocol.json_rpc import RPCRequest

from compilescope.lsp import protocol, shapes
from compilescope.lsp.checking import camel, checked

AT_ONCE = 500
"""So many items of a list are encoded in one go."""


@attrs.frozen
class RequestMessage:
    """A request of ours with its parameters already structured."""

    id: str | int
    method: str
    jsonrpc: str
    params: Any


@dataclass(frozen=True)
class Encoded:
    """A result that was turned into JSON elsewhere, in a thread, so that a large one never holds up the loop."""

    json: bytes


def own_types() -> list[type]:
    """The types of our messages and of all that is inside them: what the modules of `shapes` define."""
    modules = [import_module(f"{shapes.__name__}.{found.name}") for found in iter_modules(shapes.__path__)]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and attrs.has(value) and value.__module__ == module.__name__
    ]


def make_converter() -> cattrs.Converter:
    """The converter of pygls that knows our messages too. A field that may be null may be absent."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    for own in own_types():
        names: dict[str, Any] = {field.name: override(rename=camel(field.name)) for field in attrs.fields(own)}
        converter.register_unstructure_hook(own, make_dict_unstructure_fn(own, converter, **names))
        structure: Callable[[dict[str, Any], type], Any] = make_dict_structure_fn(own, converter, **names)
        converter.register_structure_hook(own, partial(_structure, structure))
    for params, _ in protocol.REQUESTS.values():
        converter.get_structure_hook(params)
    return converter


def _structure(structure: Callable[[dict[str, Any], type], Any], value: Any, own: type) -> Any:
    return structure(checked(value, own), own)


def _explained(error: JsonRpcInvalidParams) -> JsonRpcInvalidParams:
    """`error` with what is wrong at which place, where pygls keeps it to itself."""
    cause = error.__cause__
    if not isinstance(cause, cattrs.ClassValidationError):
        return error
    wrong = [one.rpartition(" @ ") for one in cattrs.transform_error(cause, format_exception=_format)]
    return JsonRpcInvalidParams("; ".join(f"{camel(path)}: {words}" for words, _, path in wrong))


def _format(error: BaseException, expected: type | None) -> str:
    return cattrs.v.format_exception(error, expected) if expected else str(error)


def _dumps(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _dumps_in_parts(value: Any) -> Iterator[bytes]:
    """`value` as JSON, piece by piece: the encoder lets no other thread run while it is at one."""
    if isinstance(value, dict):
        for number, (name, inner) in enumerate(value.items()):
            yield (b"," if number else b"{") + _dumps(name) + b":"
            yield from _dumps_in_parts(inner)
        yield b"}" if value else b"{}"
    elif isinstance(value, list) and len(value) > AT_ONCE:
        for start in range(0, len(value), AT_ONCE):
            yield (b"," if start else b"[") + _dumps(value[start : start + AT_ONCE])[1:-1]
        yield b"]"
    else:
        yield _dumps(value)


class Protocol(LanguageServerProtocol):
    """LSP with our requests. Positions always travel in UTF-16, which every client must understand."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Initialize without the choice of another position encoding: all our ranges count UTF-16."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Turn a JSON object into a message; called by `json.loads` for every object from the innermost outwards."""
        if not {"jsonrpc", "id", "method"} <= data.keys():
            return super().structure_message(data)
        try:
            if data["method"] not in protocol.REQUESTS:
                return super().structure_message(data)
            given = data.get("params")
            params: Any = self._converter.structure(
                {} if given is None else given, protocol.REQUESTS[data["method"]][0]
            )
        except JsonRpcInvalidParams as error:
            params = _explained(error)
        except JsonRpcException as error:
            params = JsonRpcInvalidParams.of(error.__cause__ or error)
        return RequestMessage(id=data["id"], method=data["method"], jsonrpc=data["jsonrpc"], params=params)

    def handle_message(self, message: Any) -> None:
        """Handle a message if it comes at its time and says what it should; a request that does not is refused."""
        if isinstance(message, RPCRequest):
            refusal = self._refusal(message)
            if refusal is not None:
                self._send_response(message.id, error=refusal.to_response_error())
                return
        elif self._workspace is None and getattr(message, "method", types.EXIT) != types.EXIT:
            return
        super().handle_message(message)

    def _refusal(self, message: RPCRequest) -> JsonRpcException | None:
        if self._shutdown:
            return JsonRpcInvalidRequest("The server was shut down; it waits for `exit`.")
        if self._workspace is None and message.method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("The server was not initialized: `initialize` comes first.")
        if self._workspace is not None and message.method == types.INITIALIZE:
            return JsonRpcInvalidRequest("The server was initialized already.")
        return message.params if isinstance(message.params, JsonRpcException) else None

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a command. That is one task with its request, so that `$/cancelRequest` reaches the command."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"There is no command {params.command}.")
        hints = {name: hint for name, hint in get_type_hints(handler).items() if name != "return"}
        given = params.arguments or []
        if len(given) != len(hints):
            takes = "takes one argument" if hints else "takes no argument"
            raise JsonRpcInvalidParams(f"{params.command} {takes}, not {len(given)}.")
        arguments = [self._converter.structure(*pair) for pair in zip(given, hints.values(), strict=True)]
        result = handler(*arguments)
        return await result if inspect.isawaitable(result) else result

    @property
    def is_shut_down(self) -> bool:
        """Whether the client asked for the end, as it must before `exit`."""
        return self._shutdown

    def plain(self, value: Any) -> Any:
        """`value` as what JSON has."""
        return self._converter.unstructure(value)

    def encode(self, result: Any) -> Encoded:
        """`result` as JSON. To be called in a thread for large results."""
        return Encoded(b"".join(_dumps_in_parts(self._converter.unstructure(result))))

    def _send_response(
        self, msg_id: str | int, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        if error is not None or not isinstance(result, Encoded) or self.writer is None:
            super()._send_response(msg_id, result, error)
            return
        self._result_types.pop(msg_id, None)
        body = b'{"jsonrpc":"2.0","id":' + json.dumps(msg_id).encode() + b',"result":' + result.json + b"}"
        self.writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
