"""Entry of the traced process: `python boot.py JOB_JSON`, or `python boot.py --standby`.

Run as a bare file by whatever interpreter the user has. This file stays parsable by Python 3.6 so that an interpreter
that is too old gets one clear line. It makes `compilescope.tracer` importable without leaving our folder on `sys.path`.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036
    sys.stderr.write(
        "compilescope: Python %d.%d is too old: torch.compile is traced from Python 3.10 on.\n"  # noqa: UP031
        % tuple(sys.version_info[:2])
    )
    sys.exit(2)


def load(boot_file: str) -> str:
    """Register `compilescope` and `compilescope.tracer` by explicit path, and return the package's folder."""
    import os
    import types

    tracer = os.path.dirname(os.path.abspath(boot_file))
    package = os.path.dirname(tracer)
    for name, folder in (
        ("compilescope", package),
        ("compilescope.tracer", tracer),
        ("compilescope.recording", os.path.join(package, "recording")),
    ):
        if name not in sys.modules:
            module = types.ModuleType(name)
            module.__path__ = [folder]
            module.__file__ = os.path.join(folder, "__init__.py")
            sys.modules[name] = module
    return package


def child(boot_file: str, job: dict) -> None:  # type: ignore[type-arg]
    """Install the tracer in a child process of `multiprocessing`, before it runs anything of the program."""
    load(boot_file)
    from compilescope.tracer import children

    children.install(job)


if __name__ == "__main__":
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the program runs: an interrupt ends us without a word
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        del sys.path[0]  # our own folder: its module names must not hide the program's
    startup = frozenset(sys.modules)
    load(__file__)
    from compilescope.tracer import program

    program.main(sys.argv[1:], startup)
