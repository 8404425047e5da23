"""How the program's own code is entered: compiled as the interpreter compiles a script, called from one frame."""

from __future__ import annotations

import io
import os
import sys
from types import FunctionType
from typing import TYPE_CHECKING

from compilescope.tracer.frames import TOP_FILE, TOP_LINE

if TYPE_CHECKING:
    from types import CodeType

BOTTOM = FunctionType(
    (lambda run, *arguments: run(*arguments)).__code__.replace(co_filename=TOP_FILE, co_firstlineno=TOP_LINE),
    sys.__dict__,
)
"""Calls the program. A warning whose stack level reaches above the program is given to `sys`; this frame stands in."""


def compiled(script: str) -> CodeType:
    """The code of a script. Ends the process as the interpreter does when it can't be read; raises SyntaxError."""
    try:
        with io.open_code(script) as stream:
            source = stream.read()
    except OSError as error:
        sys.stderr.write(
            f"{sys.executable}: can't open file {script!r}: [Errno {error.errno}] {os.strerror(error.errno or 0)}\n"
        )
        sys.exit(2)
    return compile(source, script, "exec", dont_inherit=True)
