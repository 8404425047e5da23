"""The report for programs: schema version 1, see design 4.2 and `docs/`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from compilescope.analysis.to_json import to_json

if TYPE_CHECKING:
    from compilescope.analysis.model import Result


_SEPARATORS = (",\n", ": ")


def render(result: Result) -> str:
    """`result` as JSON that ends in a newline, a value on a line: indented, a large one takes three times as long."""
    return json.dumps(to_json(result), separators=_SEPARATORS) + "\n"
