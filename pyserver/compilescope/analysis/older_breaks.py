"""What an older torch said of a break in words of its own: torch's name for that kind since, and its debug context.

Torch 2.6 had a free text for each break (`unimplemented(msg)` in torch/_dynamo); 2.7 to 2.9 put names, explanations and
hints in their place one after another (`unimplemented_v2`). The texts are in `data/older_breaks.json`.
"""

from __future__ import annotations

import re

from compilescope.analysis.data import load

PREFIX = "Unsupported: "
"""The exception's name, which torch 2.6 and 2.7 put before its words."""


def known(text: str) -> tuple[str, str]:
    """Return the name of the kind and the context of a text's first line; the line itself where no kind is known."""
    line = text.removeprefix(PREFIX)
    for kind in load("older_breaks")["kinds"]:
        if match := re.match(kind["text"], line):
            return str(kind["type"]), str(kind.get("context", "")).format_map(match.groupdict(default=""))
    return line, ""
