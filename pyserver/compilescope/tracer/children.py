"""Child processes of `multiprocessing`: traced too, each with a log of its own in the same recording.

Forked children go on with the parent's hooks (`Session` sees to their log). Spawned ones and the fork server are new
interpreters started with `-c`; the tracer is put in front of their command.
"""

from __future__ import annotations

import atexit
import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.session import Session

LOSES = "child processes"
COMMANDS = ("from multiprocessing.spawn import spawn_main", "from multiprocessing.forkserver import main")


def install(job: dict[str, Any]) -> None:
    """In a child: trace what it will run into the recording of its parent."""
    from compilescope.tracer import observers
    from compilescope.tracer.session import Session

    session = Session()
    observers.install(session)
    install_in_parent(session)
    atexit.register(session.close)
    session.start(job)


def install_in_parent(session: Session) -> None:
    """Have the children of this process traced."""
    _install_commands(session)
    _install_ends(session)


def _install_commands(session: Session) -> None:
    """Children that are new interpreters start with the tracer."""
    traced = session.hooks.guarded(
        "multiprocessing children", lambda command: _with_tracer(session, command), loses=LOSES
    )

    def make_spawn(original: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        def get_command_line(**kwargs: Any) -> list[Any]:
            command = original(**kwargs)
            return traced(command) or command

        return get_command_line

    def make_server(original: Callable[..., int]) -> Callable[..., int]:
        def spawnv_passfds(path: Any, args: Any, passfds: Any) -> int:
            return original(path, traced(list(args)) or args, passfds)

        return spawnv_passfds

    def hook_spawn(module: ModuleType) -> None:
        session.hooks.wrap(module, "get_command_line", make_spawn, loses=LOSES)

    def hook_util(module: ModuleType) -> None:
        session.hooks.wrap(module, "spawnv_passfds", make_server, loses=LOSES)

    session.hooks.after_import("multiprocessing.spawn", hook_spawn, loses=LOSES)
    session.hooks.after_import("multiprocessing.util", hook_util, loses=LOSES)


def _install_ends(session: Session) -> None:
    """Note the exit code of a child; a forked one ends without the interpreter's shutdown."""

    def make_bootstrap(original: Callable[..., int]) -> Callable[..., int]:
        def _bootstrap(*args: Any, **kwargs: Any) -> int:
            code = original(*args, **kwargs)
            session.ended(code)
            if session.is_forked:
                session.close()
            return code

        return _bootstrap

    def hook_process(module: ModuleType) -> None:
        session.hooks.wrap(module.BaseProcess, "_bootstrap", make_bootstrap, loses="exit codes of child processes")

    session.hooks.after_import("multiprocessing.process", hook_process, loses=LOSES)


def _with_tracer(session: Session, command: list[Any]) -> list[Any]:
    """The command with the tracer in front of its `-c` code, if it is one that starts a child."""
    if "-c" not in command:
        return command
    place = command.index("-c") + 1
    code = command[place]
    if not isinstance(code, str) or not code.startswith(COMMANDS):
        return command
    return [*command[:place], _prefix(session) + code, *command[place + 1 :]]


def _prefix(session: Session) -> str:
    boot = os.path.join(os.path.dirname(os.path.abspath(__file__)), "boot.py")
    job = json.dumps(session.inherited())
    names = f"{{'__name__': 'compilescope.tracer.boot', '__file__': {boot!r}}}"
    run = f"exec(compile(open({boot!r}, 'rb').read(), {boot!r}, 'exec'), names)"
    return f"(lambda names: ({run}, names['child']({boot!r}, __import__('json').loads({job!r}))))({names}); "
