"""Runs a script or module as `__main__`, so that it sees what `python script.py` or `python -m module` shows it."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer import children, observers, orphan
from compilescope.tracer.bottom import BOTTOM, compiled
from compilescope.tracer.session import Session
from compilescope.tracer.tracebacks import hide_tracer

if TYPE_CHECKING:
    from collections.abc import Callable


def main(arguments: list[str], startup: frozenset[str]) -> None:
    """Run the job of the command line: `JOB_JSON`, or `--standby` with its options.

    `startup` names the modules that the interpreter itself had loaded.
    """
    session = Session()
    if arguments[:1] == ["--standby"]:
        from compilescope.tracer import standby

        observers.install(session)
        job = standby.wait(arguments[1:])
        if _hidden_by_script(job, startup) or standby.is_too_early_for(job):
            standby.restart(job)
    else:
        job = json.loads(arguments[0])
        orphan.end_without(job.get("launcher"))
        observers.install(session)
        for name in _hidden_by_script(job, startup):
            del sys.modules[name]
    run(session, job)


def run(session: Session, job: dict[str, Any]) -> None:
    """Run the job's program. Raises what it raises; `sys.excepthook` will then show it without our frames."""
    os.chdir(job["cwd"])
    children.install_in_parent(session)
    atexit.register(_close, session)
    session.start(job)
    module = job.get("module")
    namespace = _fresh_main()
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if job.get("compare") is not None:
            from compilescope.tracer import compare

            compare.write(job["compare"])
        elif job.get("target") is not None:
            _run_target(session, job)
        elif module is not None:
            _run_module(module, job["args"])
        else:
            _run_script(job["script"], job.get("argv0") or job["script"], job["args"], namespace)
    except SystemExit as exit_:
        session.ended(_exit_code(exit_.code))
        raise
    except BaseException as error:
        session.ended(1, error)
        _show_without_our_frames()
        raise


def _close(session: Session) -> None:
    """Write the last record, and leave it to the interpreter to end by SIGINT when the program did.

    It remembers an unhandled KeyboardInterrupt until code is next run from text, which imports do (namedtuple).
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    interrupted = session.interrupted
    session.close()
    if interrupted:
        with contextlib.suppress(KeyboardInterrupt):
            exec("raise KeyboardInterrupt")  # noqa: S102


def _fresh_main() -> dict[str, Any]:
    """The namespace of `__main__` as the interpreter makes it, without what our entry left there."""
    namespace = sys.modules["__main__"].__dict__
    kept = ("__name__", "__doc__", "__package__", "__loader__", "__spec__", "__annotations__", "__builtins__")
    for name in [name for name in namespace if name not in kept]:
        del namespace[name]
    namespace["__doc__"] = None
    namespace.get("__annotations__", {}).clear()
    return namespace


def _run_script(script: str, argv0: str, arguments: list[str], namespace: dict[str, Any]) -> None:
    import runpy

    sys.argv[:] = [argv0, *arguments]
    sys.orig_argv[:] = [*_interpreter(), argv0, *arguments]
    if _is_importable(script):  # a folder or an archive with a __main__.py
        sys.path.insert(0, script)
        BOTTOM(runpy._run_module_as_main, "__main__", False)  # type: ignore[attr-defined]  # noqa: FBT003
        return
    _prepend_path(os.path.dirname(os.path.realpath(script)))
    from importlib.machinery import SourceFileLoader

    namespace["__loader__"] = SourceFileLoader("__main__", script)
    namespace["__file__"] = script
    if sys.version_info < (3, 15):
        namespace["__cached__"] = None
    BOTTOM(exec, compiled(script), namespace)


def _run_module(module: str, arguments: list[str]) -> None:
    import runpy

    sys.argv[:] = ["-m", *arguments]
    sys.orig_argv[:] = [*_interpreter(), "-m", module, *arguments]
    _prepend_path(os.getcwd())
    BOTTOM(runpy._run_module_as_main, module)  # type: ignore[attr-defined]


def _run_target(session: Session, job: dict[str, Any]) -> None:
    """Call one function or module of the file; what keeps us from it is recorded, and ends the process with 2."""
    from compilescope.tracer import target

    script, module = job.get("script"), job.get("module")
    argv0 = job.get("argv0") or script or "-m"
    sys.argv[:] = [argv0, *job["args"]]
    sys.orig_argv[:] = [*_interpreter(), *([argv0] if script else ["-m", module]), *job["args"]]
    _prepend_path(_import_folder(job))
    try:
        target.run(script, module, job["target"], job.get("inputs") or [])
    except target.Refused as refused:
        session.emit("refused", {"code": refused.code, "title": refused.title, "detail": refused.detail})
        sys.exit(2)


def _import_folder(job: dict[str, Any]) -> str:
    """The folder from which the program imports what lies beside it."""
    if job.get("module") is not None:
        return str(job["cwd"])
    if job.get("target") is not None:
        from compilescope.tracer import target

        return target.import_folder(str(job["script"]))
    return os.path.dirname(os.path.realpath(str(job["script"])))


def _interpreter() -> list[str]:
    """The interpreter and its options: what stands before our own file in the command line."""
    arguments = sys.orig_argv
    ours = os.path.join(os.path.dirname(os.path.abspath(__file__)), "boot.py")
    for position, argument in enumerate(arguments):
        if position and os.path.abspath(argument) == ours:
            return arguments[:position]
    return arguments[:1]


def _prepend_path(folder: str) -> None:
    if _has_path_of_script():
        sys.path.insert(0, folder)


def _has_path_of_script() -> bool:
    return not (sys.flags.isolated or getattr(sys.flags, "safe_path", False))


def _is_importable(script: str) -> bool:
    if os.path.isdir(script):
        return True
    try:
        with open(script, "rb") as stream:
            if stream.read(4) != b"PK\x03\x04":
                return False
    except OSError:
        return False
    import pkgutil

    return pkgutil.get_importer(script) is not None


def _hidden_by_script(job: dict[str, Any], startup: frozenset[str]) -> list[str]:
    """Modules that we loaded although the program has its own of that name beside the script."""
    folder = _import_folder(job)
    if not _has_path_of_script():
        return []
    try:
        beside = {name.split(".", 1)[0] for name in os.listdir(folder)}
    except OSError:
        return []
    tops = {name.split(".", 1)[0] for name in sys.modules if name not in startup} & beside
    tops = {top for top in tops if top != "compilescope" and _would_import(folder, top)}
    return [name for name in sys.modules if name.split(".", 1)[0] in tops and name not in startup]


def _would_import(folder: str, top: str) -> bool:
    if top in sys.builtin_module_names:
        return False
    paths = (os.path.join(folder, top, "__init__.py"), os.path.join(folder, f"{top}.py"))
    own = getattr(sys.modules.get(top), "__file__", None)
    return any(os.path.exists(path) and path != own for path in paths)


def _show_without_our_frames() -> None:
    """The next call of `sys.excepthook`, by the interpreter, hides our frames and is then the program's hook again."""
    hook: Callable[..., Any] | None = getattr(sys, "excepthook", None)
    if hook is None:
        return
    programs_hook = hook

    def excepthook(kind: type[BaseException], error: BaseException, _traceback: Any) -> None:
        sys.excepthook = programs_hook
        hide_tracer(error)
        sys.last_traceback = error.__traceback__
        programs_hook(kind, error, error.__traceback__)

    sys.excepthook = excepthook


def _exit_code(code: Any) -> int:
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1
