"""Write `extension/src/protocol.gen.ts` from `protocol.py` and `shapes/` of `pyserver/compilescope/lsp`.

`python tools/generate_protocol.py` writes the file; with `--check` it only says whether the file is up to date.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import types
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args, get_origin, get_type_hints

import attrs

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "pyserver"))

from compilescope.lsp import protocol, shapes  # noqa: E402  # the path is set above

TARGET = ROOT / "extension" / "src" / "protocol.gen.ts"
HEADER = """\
// Written by tools/generate_protocol.py from protocol.py and shapes/ of pyserver/compilescope/lsp. Do not edit.
"""
PRIMITIVES: dict[Any, str] = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def camel(name: str) -> str:
    """Return `end_line` as `endLine`: the name on the wire."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def type_text(hint: Any) -> str:
    """Return the TypeScript type of a Python annotation; raises TypeError for one that the protocol may not use."""
    if hint in PRIMITIVES:
        return PRIMITIVES[hint]
    if attrs.has(hint):
        return str(hint.__name__)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is types.UnionType:
        return " | ".join(type_text(argument) for argument in arguments)
    if origin is list:
        item = type_text(arguments[0])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if origin is dict and arguments[0] is str:
        return f"Record<string, {type_text(arguments[1])}>"
    raise TypeError(f"no TypeScript type for {hint!r}")


def comment(text: str, indent: str = "") -> str:
    """Return `text` as a documentation comment with its line breaks kept."""
    lines = inspect.cleandoc(text).splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


def interface(shape: type) -> str:
    """Return the TypeScript interface of one attrs class."""
    hints = get_type_hints(shape)
    text = comment(shape.__doc__ or "")
    fields = [f"  {camel(field.name)}: {type_text(hints[field.name])};\n" for field in attrs.fields(shape)]
    if not fields:
        return text + f"export type {shape.__name__} = Record<string, never>;\n"
    return text + f"export interface {shape.__name__} {{\n{''.join(fields)}}}\n"


def all_shapes() -> list[type]:
    """Return the attrs classes of the modules in `shapes`, by module, in the order in which they are written there."""
    modules = [import_module(f"{shapes.__name__}.{one.name}") for one in iter_modules(shapes.__path__)]
    return [
        item
        for module in modules
        for item in vars(module).values()
        if inspect.isclass(item) and attrs.has(item) and item.__module__ == module.__name__
    ]


def generate() -> str:
    """Return the whole text of the TypeScript file."""
    parts = [HEADER, *(interface(shape) for shape in all_shapes())]
    requests = "".join(
        f"  '{method}': {{ params: {params.__name__}; result: {result.__name__} }};\n"
        for method, (params, result) in protocol.REQUESTS.items()
    )
    notifications = "".join(f"  '{method}': {params.__name__};\n" for method, params in protocol.NOTIFICATIONS.items())
    parts += [
        comment("Requests to the server, by method.") + f"export interface ServerRequests {{\n{requests}}}\n",
        comment("Notifications from the server, by method.")
        + f"export interface ServerNotifications {{\n{notifications}}}\n",
    ]
    return "\n".join(parts)


def main() -> int:
    """Write the file, or with `--check` return 1 when it is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only check; exit code 1 when the file is stale")
    arguments = parser.parse_args()
    text = generate()
    if not arguments.check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is stale: run python tools/generate_protocol.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
