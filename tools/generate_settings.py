"""Write docs/settings.md, the tables of settings and commands, from the extension's manifest."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "settings.md"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def page() -> str:
    """The text of docs/settings.md."""
    manifest = json.loads((ROOT / "package.json").read_text())
    words = json.loads((ROOT / "package.nls.json").read_text())

    def text(value: Any) -> str:
        return str(words.get(str(value).strip("%"), value))

    contributes = manifest["contributes"]
    lines = ["# Settings and commands", "", "<!-- Written by tools/generate_settings.py. -->", "", "## Settings"]
    for section in contributes["configuration"]:
        lines += ["", f"### {text(section['title'])}", "", "| setting | default | what |", "|---|---|---|"]
        for name, setting in section["properties"].items():
            what = text(setting.get("markdownDescription") or setting.get("description"))
            explained = setting.get("markdownEnumDescriptions") or setting.get("enumDescriptions") or []
            what += "".join(
                f" `{choice}`: {text(why).rstrip('.')}."
                for choice, why in zip(setting.get("enum", []), explained, strict=False)
            )
            lines.append(f"| `{name}` | `{json.dumps(setting['default'])}` | {_cell(what)} |")
    hidden = {item["command"] for item in contributes["menus"].get("commandPalette", []) if item.get("when") == "false"}
    lines += ["", "## Commands", "", "| in the palette | id |", "|---|---|"]
    for command in contributes["commands"]:
        if command["command"] not in hidden:
            title = f"{text(command.get('category', ''))}: {text(command['title'])}"
            lines.append(f"| {_cell(title)} | `{command['command']}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(page())
    sys.stdout.write(f"wrote {TARGET.relative_to(ROOT)}\n")
