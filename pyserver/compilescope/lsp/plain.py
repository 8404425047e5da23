"""The cards for clients that show no Markdown: the same words without its signs."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^(?P<fence>`{3,})\w*\n(?P<body>.*?)\n(?P=fence)$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(
    r"\\(?P<escaped>[^a-zA-Z0-9\s])"
    r"|(?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|\[(?P<label>(?:\\.|[^\]\\])*)\]\((?P<href>[^)\s]*)\)"
    r"|\*+(?=\S)|(?<=\S)\*+"
)
_RULE = re.compile(r"\|(?::?-+:?\|)+")
INDENT = "    "
GAP = "  "


def plain_text(markdown: str) -> str:
    """A card of ours, made without trust, as plain text: code indented, tables in columns, addresses after labels."""
    parts, end = [], 0
    for block in _BLOCK.finditer(markdown):
        parts += [_lines(markdown[end : block.start()]), *_indented(block["body"])]
        end = block.end() + 1
    return "\n".join([*parts, _lines(markdown[end:])]).strip()


def _indented(body: str) -> list[str]:
    return [f"{INDENT}{line}".rstrip() for line in body.split("\n")]


def _lines(markdown: str) -> str:
    shown: list[str] = []
    table: list[list[str]] = []
    for line in [*markdown.removesuffix("\n").split("\n"), ""]:
        if line.startswith("|"):
            if not _RULE.fullmatch(line.replace(" ", "")):
                table.append([_inline(cell.strip().replace(r"\|", "|")) for cell in _cells(line)])
            continue
        shown += _columns(table)
        table = []
        shown.append(_inline(line))
    return "\n".join(shown[:-1])


def _cells(row: str) -> list[str]:
    return re.split(r"(?<!\\)\|", row)[1:-1]


def _columns(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    return [GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in rows]


def _inline(markdown: str) -> str:
    return _INLINE.sub(_shown, markdown)


def _shown(found: re.Match[str]) -> str:
    if found["escaped"]:
        return found["escaped"]
    if found["code"]:
        return _unpadded(found["code"])
    if found["href"]:
        return f"{_inline(found['label'])} ({found['href']})"
    return ""


def _unpadded(code: str) -> str:
    padded = code.startswith(" ") and code.endswith(" ") and code.strip(" ")
    return code[1:-1] if padded else code
