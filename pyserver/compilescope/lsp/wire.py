"""How our own messages travel: attrs classes of `protocol` as camelCase JSON beside LSP's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, get_type_hints

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from compilescope.lsp import protocol

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


def camel(name: str) -> str:
    """`wall_s` as it is written on the wire: `wallS`."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def own_types() -> list[type]:
    """The message types that `protocol` defines."""
    return [value for value in vars(protocol).values() if isinstance(value, type) and attrs.has(value)]


def make_converter() -> cattrs.Converter:
    """The converter of pygls that knows our messages too. A field that may be null may be absent."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    for own in own_types():
        names: dict[str, Any] = {field.name: override(rename=camel(field.name)) for field in attrs.fields(own)}
        converter.register_unstructure_hook(own, make_dict_unstructure_fn(own, converter, **names))
        structure: Callable[[dict[str, Any], type], Any] = make_dict_structure_fn(own, converter, **names)
        converter.register_structure_hook(own, partial(_structure, structure, _absent(own)))
    for params, _ in protocol.REQUESTS.values():
        converter.get_structure_hook(params)
    return converter


def _absent(own: type) -> dict[str, Any]:
    """What stands for a field that the client left out, for the fields where that is clear."""
    hints = get_type_hints(own)
    return {camel(name): None for name, hint in hints.items() if type(None) in getattr(hint, "__args__", ())}


def _structure(
    structure: Callable[[dict[str, Any], type], Any], absent: dict[str, Any], value: dict[str, Any] | None, own: type
) -> Any:
    return structure({**absent, **(value or {})}, own)


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
        if "jsonrpc" in data and "id" in data and data.get("method") in protocol.REQUESTS:
            params, _ = protocol.REQUESTS[data["method"]]
            return RequestMessage(
                id=data["id"],
                method=data["method"],
                jsonrpc=data["jsonrpc"],
                params=self._converter.structure(data.get("params") or {}, params),
            )
        return super().structure_message(data)

    @property
    def is_shut_down(self) -> bool:
        """Whether the client asked for the end, as it must before `exit`."""
        return self._shutdown

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
