"""Processes that PyTorch's own launcher starts: each rank is traced too, with a log of its own in the same recording.

Relies on `SubprocessHandler._popen(args, env)` (torch/distributed/elastic/multiprocessing/subprocess_handler, 2.6 to
2.14), which gets a command like `python -u train.py --fast` or `python -u -m pkg.train`.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from compilescope.tracer.session import Session

LOSES = "the ranks of a distributed run"
HANDLER = "torch.distributed.elastic.multiprocessing.subprocess_handler.subprocess_handler"
WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")


def install(session: Session) -> None:
    """Put the tracer in front of each command that the launcher starts, if it starts a Python program."""
    traced = session.hooks.guarded("torch.distributed.run", lambda args: with_tracer(session, args), loses=LOSES)

    def hook(module: ModuleType) -> None:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def _popen(self: Any, args: Any, *rest: Any, **options: Any) -> Any:
                return original(self, traced(args) or args, *rest, **options)

            return _popen

        session.hooks.wrap(module.SubprocessHandler, "_popen", make, loses=LOSES)

    session.hooks.after_import(HANDLER, hook, loses=LOSES)


def with_tracer(session: Session, command: Sequence[str]) -> tuple[str, ...] | None:
    """`command` with the tracer in front of its script or module; None when it is no Python program."""
    if not os.path.basename(command[0]).startswith("python"):
        return None
    place = 1
    while place < len(command) and command[place].startswith("-") and command[place] not in ("-m", "-c", "-"):
        place += 2 if command[place] in WITH_VALUE else 1
    if place >= len(command) or command[place] in ("-c", "-"):
        return None
    is_module = command[place] == "-m"
    program = command[place + is_module]
    job = {
        "script": None if is_module else os.path.abspath(program),
        "argv0": program,
        "module": program if is_module else None,
        "args": list(command[place + is_module + 1 :]),
        "cwd": os.getcwd(),
        **session.inherited(),
    }
    boot = os.path.join(os.path.dirname(os.path.abspath(__file__)), "boot.py")
    return (*command[:place], boot, json.dumps(job))
