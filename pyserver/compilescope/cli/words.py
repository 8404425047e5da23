"""The words of `compilescope trace` before the program, as argparse can take them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WITHOUT_VALUE = (
    "--fusion",
    "--profile",
    "--keep-caches",
    "--check-eager",
    "--fix-preview",
    "--fix-verify",
    "-h",
    "--help",
)
"""Options of `trace` that have no value."""
INPUTS = "--inputs"


def joined(words: Sequence[str]) -> list[str]:
    """`words` with `--inputs -x` as `--inputs=-x`: argparse takes what begins with a minus for another option.

    The program and its own arguments stay as they are.
    """
    if words[:1] != ["trace"]:
        return list(words)
    done, left = ["trace"], list(words[1:])
    while left and left[0].startswith("-") and left[0] not in ("-", "--", "-m"):
        word = left.pop(0)
        has_value = not (word in WITHOUT_VALUE or "=" in word or (word[1] != "-" and len(word) > len("-o")))
        if word == INPUTS and left and re.match(r"-(?![hmo]$|-[a-z][a-z-]*(=|$))", left[0]):
            word, has_value = f"{word}={left.pop(0)}", False
        done.append(word)
        if has_value and left:
            done.append(left.pop(0))
    return done + left
