"""Reads the `command` of a `run.json`: `["train.py", "--fast"]` or `["-m", "pkg.train"]`.

Options of `trace` that decide what runs stand in front: `["--target", "Net", "--inputs", "torch.ones(2)", "net.py"]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Command(NamedTuple):
    """What was run. `script` or `module` is there, unless the command is empty. `options` are (name, value)."""

    script: str | None
    module: str | None
    args: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()

    @property
    def target(self) -> str | None:
        """The function or module that was called, when the program was not run as a whole."""
        return next((value for name, value in self.options if name == "--target"), None)

    @property
    def inputs(self) -> list[str]:
        """What the target was called with, one text for each call."""
        return [value for name, value in self.options if name == "--inputs"]


def read(words: Sequence[str]) -> Command:
    """The parts of a command."""
    at = 0
    while at + 1 < len(words) and words[at].startswith("--"):
        at += 2
    options = tuple(zip(words[:at:2], words[1:at:2], strict=True))
    rest = words[at:]
    if len(rest) > 1 and rest[0] == "-m":
        return Command(None, rest[1], tuple(rest[2:]), options)
    return Command(rest[0] if rest else None, None, tuple(rest[1:]), options)
