"""Job control on a terminal: the program has it while it runs, as under a shell."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import signal
import time

import pytest
from processes import gone, parent

from .conftest import COMMAND, ENV


class Screen:
    """A command on a terminal of its own."""

    def __init__(self, command, cwd):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            env = {**ENV, "TERM": "xterm-256color", "PS1": "ready> "}
            del env["NO_COLOR"]
            os.execve(command[0], command, env)

    def until(self, pattern, within_s=60):
        """Read until `pattern` was printed, None for the end of the output."""
        deadline = time.monotonic() + within_s
        while pattern is None or not re.search(pattern, self.text):
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern} is not in {self.text!r}"
            if select.select([self.fd], [], [], left)[0]:
                try:
                    piece = os.read(self.fd, 4096)
                except OSError:
                    piece = b""
                if not piece:
                    assert pattern is None, f"{pattern} is not in {self.text!r}"
                    return
                self.text += piece.decode()

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def exit_code(self):
        self.until(None)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def screen(tmp_path):
    screens = []

    def start(text, *words):
        (tmp_path / "program.py").write_text(text)
        screens.append(Screen(words or [*COMMAND, "trace", "program.py"], tmp_path))
        return screens[-1]

    yield start
    for each in screens:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each.pid, signal.SIGKILL)


def test_the_program_reads_from_the_terminal(screen):
    on = screen("import sys\nprint(sys.stdin.isatty(), sys.stdout.isatty())\nprint('got', input('? '))")
    on.until(r"\? ")
    on.type("word\r")
    assert on.exit_code() == 0
    assert "True True" in on.text
    assert "got word" in on.text
    assert "Nothing was compiled" in on.text


def test_ctrl_c_ends_the_program_and_shows_the_findings_so_far(screen, tmp_path):
    on = screen("import time\nprint('running', flush=True)\nwhile True: time.sleep(1)")
    on.until("running")
    on.type("\x03")
    assert on.exit_code() == 130
    assert "KeyboardInterrupt" in on.text
    assert "program.py was cancelled" in on.text
    (run,) = (tmp_path / ".compilescope").glob("*/run.json")
    assert json.loads(run.read_text())["status"] == "cancelled"


def test_a_program_that_handles_ctrl_c_goes_on(screen):
    on = screen(
        "import time\ntry:\n  print('running', flush=True)\n  time.sleep(60)\n"
        "except KeyboardInterrupt: print('handled')"
    )
    on.until("running")
    on.type("\x03")
    assert on.exit_code() == 0
    assert "handled" in on.text
    assert "cancelled" not in on.text


def test_ctrl_z_gives_the_shell_back_and_fg_goes_on(screen):
    on = screen("print('running', flush=True)\nprint('got', input())", "/bin/bash", "--norc", "--noediting", "-i")
    on.until("ready> ")
    on.type(f"{' '.join(COMMAND)} trace program.py\r")
    on.until(r"\nrunning")
    on.type("\x1a")
    on.until(r"(?s)Stopped.*ready> ")
    on.type("fg\r")
    on.until(r"fg\r\n.*program\.py")
    on.type("word\r")
    on.until("got word")
    on.until("Nothing was compiled")
    on.type("exit\r")
    on.exit_code()


def test_nothing_is_left_when_the_shell_dies_while_both_are_stopped(screen):
    on = screen(
        "import os\nprint(f'worker {os.getpid()}.', flush=True)\ninput()", "/bin/bash", "--norc", "--noediting", "-i"
    )
    on.until("ready> ")
    on.type(f"{' '.join(COMMAND)} trace program.py\r")
    on.until(r"worker \d+\.")
    worker = int(re.search(r"worker (\d+)\.", on.text)[1])
    ours = parent(worker)
    on.type("\x1a")
    on.until(r"(?s)Stopped.*ready> ")
    os.kill(on.pid, signal.SIGKILL)
    assert gone(worker, ours)


def test_colour_on_a_terminal(screen):
    on = screen("print(1)")
    assert on.exit_code() == 0
    assert "\x1b[2mrecording: " in on.text
