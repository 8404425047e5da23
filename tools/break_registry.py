"""Make `analysis/data/registry.json` out of the registry of graph breaks that ships with torch.

    python tools/break_registry.py …/torch/_dynamo/graph_break_registry.json

Prefer the newest torch: kinds are added, and old ones stay in the list.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "pyserver/compilescope/analysis/data/registry.json"
ABOUT = "Torch's registry of graph breaks; made by tools/break_registry.py."
FIELD = re.compile(r"\{[^{}]*\}")


def plain(text: str) -> str:
    """A text of torch's on one line, with `…` for the values of the moment."""
    text = re.sub(r"^(?:str\(.*\)|[a-z_]\w*)$", "", text.strip())  # a variable's name: torch fills all of it in
    return " ".join(FIELD.sub("…", text).split())


def main(source: Path) -> None:
    """Write the registry."""
    kinds = {}
    for number, versions in sorted(json.loads(source.read_text(encoding="utf-8")).items()):
        newest = versions[0]
        hints = [plain(hint) for hint in newest["Hints"] if isinstance(hint, str)]
        explanation = plain(newest["Explanation"])
        kinds[number] = {"type": newest["Gb_type"], "explanation": explanation, "hints": [one for one in hints if one]}
    rows = ",\n".join(f"{json.dumps(number)}:{json.dumps(kind, ensure_ascii=False)}" for number, kind in kinds.items())
    TARGET.write_text(f'{{"about":{json.dumps(ABOUT)},"kinds":{{\n{rows}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
