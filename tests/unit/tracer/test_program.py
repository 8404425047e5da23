"""A traced program sees and shows what `python script.py` does. The expected values come from plain Python."""

import os
import signal
import sys

import pytest

PROBE = """
    import atexit, os, pickle, sys, threading, warnings

    class Local:
        pass

    def deep():
        warnings.warn("from two above", stacklevel=3)

    def fail():
        try:
            1 / 0
        except ZeroDivisionError as error:
            raise ValueError("naïve") from error

    print(sys.argv, sys.orig_argv[1:], sys.path, os.getcwd())
    print(__name__, __file__, getattr(__spec__, "name", None), __package__, __doc__, __builtins__)
    print(sorted(name for name in globals() if name.startswith("__")), type(__loader__).__name__)
    print(len(threading.enumerate()), pickle.loads(pickle.dumps(Local)) is sys.modules["__main__"].Local is Local)
    print(warnings.filters, sys.excepthook, sys.flags)
    print(os.read(0, 10))
    atexit.register(print, "registered first")
    atexit.register(print, "registered second")
    warnings.warn("here")
    deep()
    action = sys.argv[1] if len(sys.argv) > 1 else ""
    if action == "raise":
        fail()
    elif action == "exit":
        sys.exit(3)
    elif action == "exit with text":
        sys.exit("told you so")
    elif action == "exit with nothing":
        sys.exit()
    elif action == "exit at once":
        os._exit(4)
    elif action == "interrupt":
        raise KeyboardInterrupt
    elif action == "own hook":
        sys.excepthook = lambda kind, error, trace: print(kind, error, trace.tb_lineno, sys.excepthook.__name__)
        fail()
    elif action == "group" and sys.version_info >= (3, 11):
        try:
            fail()
        except ValueError as error:
            raise ExceptionGroup("both", [error, OSError("x")])
    elif action == "thread":
        threading.Thread(target=lambda: print("thread ends")).start()
        fail()
    elif action == "bad code":
        exec("x ==")
"""
ACTIONS = (
    "", "raise", "exit", "exit with text", "exit with nothing", "exit at once", "interrupt", "own hook", "group",
    "thread", "bad code",
)  # fmt: skip


@pytest.mark.parametrize("action", ACTIONS)
def test_script(runner, action):
    runner.write("probe.py", PROBE)
    arguments = [action] if action else []
    plain, traced = runner.plain("probe.py", *arguments), runner.traced("probe.py", *arguments)
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)


@pytest.mark.parametrize("action", ["", "raise", "exit"])
def test_module(runner, action):
    runner.write("pkg/__init__.py", "print('package', __name__)")
    runner.write("pkg/probe.py", PROBE)
    arguments = [action] if action else []
    plain = runner.plain("-m", "pkg.probe", *arguments)
    traced = runner.traced(None, *arguments, module="pkg.probe")
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)


@pytest.mark.parametrize("options", [["-I"], ["-W", "error", "-X", "utf8"], ["-u", "-O"]])
def test_interpreter_options(runner, options):
    runner.write("probe.py", PROBE)
    plain, traced = runner.plain("probe.py", options=options), runner.traced("probe.py", options=options)
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("nothing.py", None),
        ("broken.py", "x = = 3\n"),
        ("imports.py", "import surely_not_there.either\n"),
    ],
)
def test_scripts_that_can_not_start(runner, name, source):
    if source is not None:
        runner.write(name, source)
    plain, traced = runner.plain(name), runner.traced(name)
    assert plain.code != 0
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)


def test_missing_module(runner):
    plain, traced = runner.plain("-m", "surely.not"), runner.traced(None, module="surely.not")
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)


def test_folder_with_main(runner):
    runner.write("app/__main__.py", "import sys; print(__name__, __file__, sys.argv, sys.path[0]); raise KeyError('x')")
    plain, traced = runner.plain("app", "1"), runner.traced("app", "1")
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)


def test_own_modules_named_as_ours_and_the_standard_library_s(runner):
    for name in ("json", "ast", "traceback", "hooks", "session", "frames"):
        runner.write(f"{name}.py", f"WHO = 'mine: {name}'")
    runner.write("main.py", "import json, ast, traceback, hooks, session, frames as f; print(json.WHO, ast.WHO, f.WHO)")
    plain, traced = runner.plain("main.py"), runner.traced("main.py")
    assert plain.out == "mine: json mine: ast mine: frames\n"
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_killed(runner):
    runner.write("killed.py", "import os, signal; print('so far', flush=True); os.kill(os.getpid(), signal.SIGKILL)")
    traced = runner.traced("killed.py")
    assert (traced.code, traced.out) == (-signal.SIGKILL, "so far\n")


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("module", ["program", "session", "observers", "environment"])
def test_interrupted_before_the_program_runs(runner, module):
    runner.write(
        "early/sitecustomize.py",
        f"""
        import signal, sys
        class Finder:
            def find_spec(self, name, path=None, target=None):
                if name == "compilescope.tracer.{module}":
                    signal.raise_signal(signal.SIGINT)
        sys.meta_path.insert(0, Finder())
        """,
    )
    runner.write("main.py", "print('ran')")
    traced = runner.traced("main.py", env={"PYTHONPATH": str(runner.folder / "early")})
    assert (traced.code, traced.out, traced.err) == (-signal.SIGINT, "", "")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_interrupts_are_the_program_s_own(runner):
    source = """
        import signal
        print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            print("caught")
        signal.raise_signal(signal.SIGINT)
    """
    runner.write("main.py", source)
    plain, traced = runner.plain("main.py"), runner.traced("main.py")
    assert plain.out == "True\ncaught\n"
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)


def test_exit_record(runner):
    runner.write("ends.py", "def f():\n    raise LookupError('gone')\nf()\n")
    environment, end = runner.traced("ends.py").bodies("environment")[0], runner.traced("ends.py").bodies("exit")[0]
    assert environment["torch"] is None
    assert environment["main_file"] == str(runner.folder / "ends.py")
    assert environment["python"] == ".".join(map(str, sys.version_info[:3]))
    assert end["exit_code"] == 1
    assert end["exception"]["type"] == "LookupError"
    assert [(frame["line"], frame["function"]) for frame in end["exception"]["frames"]] == [(3, "<module>"), (2, "f")]


@pytest.mark.parametrize("action", ["close", "remove"])
def test_program_that_breaks_the_recording(runner, action):
    runner.write(
        "breaks.py",
        """
        import os, shutil, sys
        if sys.argv[1] == "close":
            os.closerange(3, 4096)
            mine = os.open("mine.txt", os.O_CREAT | os.O_WRONLY)
            for _ in range(300):
                os.dup(mine)
        else:
            shutil.rmtree(os.path.join(os.getcwd(), "recording"))
        print("goes on")
        """,
    )
    traced = runner.traced("breaks.py", action)
    assert (traced.code, traced.out, traced.err) == (0, "goes on\n", "")
    if action == "close":
        assert (runner.folder / "mine.txt").read_bytes() == b""
        assert traced.bodies("exit")


CHILDREN = """
    import multiprocessing, os, sys

    class Item:
        pass

    def work(number):
        return number * 2, Item().__class__.__module__

    def fails():
        raise ValueError("in the child")

    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        with context.Pool(1) as pool:
            print(pool.map(work, [1, 2]))
        for target, arguments in ((fails, ()), (sys.exit, (7,))):
            process = context.Process(target=target, args=arguments)
            process.start()
            process.join()
            print(process.exitcode)
"""


@pytest.mark.skipif(os.name != "posix", reason="start methods")
@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_children(runner, method):
    runner.write("children.py", CHILDREN)
    plain, traced = runner.plain("children.py", method), runner.traced("children.py", method)
    assert (traced.code, traced.out) == (plain.code, plain.out)
    assert traced.err.replace("<frozen runpy>", "") == plain.err.replace("<frozen runpy>", "")
    ends = sorted(end["exit_code"] for end in traced.bodies("exit"))
    assert ends.count(7) == 1
    assert ends.count(1) == 1
    assert ends.count(0) >= 1
    assert len({event.log for event in traced.events}) >= 3
