"""The values of the options that go on to torchrun, checked before it starts."""

from __future__ import annotations

import re

from compilescope.runner.problem import Problem

PROCESSES = ("auto", "cpu", "gpu", "xpu", "npu", "hpu", "privateuseone")
"""Numbers of processes that torchrun takes by name: its own, and the accelerators that plug in under their names.

See `determine_local_world_size` in torch/distributed/run.py (2.6 to 2.14).
"""


def processes(text: str) -> str:
    """A number of processes for a machine. Raises Problem for what torchrun would not take."""
    if not (_is_count(text) or text in PROCESSES):
        raise Problem("bad-ranks", f"No number of processes: {text!r}.", "Give one from 1 on, or auto, cpu or gpu.")
    return text


def machines(text: str) -> str:
    """A number of machines, or the fewest and the most of them. Raises Problem for anything else."""
    fewest, _, most = text.partition(":")
    if not _is_count(fewest) or (text != fewest and not (_is_count(most) and int(fewest) <= int(most))):
        raise Problem("bad-ranks", f"No number of machines: {text!r}.", "Give one from 1 on, or FEWEST:MOST.")
    return text


def number(text: str) -> str:
    """A number from 0 on. Raises Problem for anything else."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise Problem("bad-ranks", f"No number: {text!r}.")
    return text


def _is_count(text: str) -> bool:
    return re.fullmatch("0{0,9}[1-9][0-9]{0,8}", text) is not None
