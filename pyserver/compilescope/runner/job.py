"""What to run and how: the message to the tracer (`tracer/boot.py`)."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from compilescope.runner.problem import Problem

Depth = Literal["capture", "full"]


LAUNCHER = "torch.distributed.run"


@dataclass(frozen=True)
class Trial:
    """What makes a run one for `verify`, see `tracer/trial.py`: two paths, and whether nothing is compiled.

    `overlay`: a JSON file with texts by path that take the place of those files. `outputs`: a folder for the record of
    what compiled functions returned. Either may be empty: no file is replaced, nothing is recorded.
    """

    overlay: str
    outputs: str
    eager: bool = False


@dataclass(frozen=True)
class Job:
    """Run `script` or `module` (one of them) with `args` in `cwd`.

    `target`: import it instead, and call this expression of it, compiled, once for each of `inputs` (argument lists).
    `fusion`: also collect why nodes were fused or not. `profile`: count operators in eager and in compiled graphs.
    `logs`: which of torch's logs to record, as in `TORCH_LOGS`.
    `triton_preview`: a GPU, as `sm_90`, for which a machine without one shows the Triton code.
    `trial`: run it for `verify`.
    `ranks`: options, each a pair of words, with which PyTorch's own launcher runs it in several processes.
    """

    script: str | None
    module: str | None
    args: tuple[str, ...]
    cwd: str
    depth: Depth = "full"
    target: str | None = None
    inputs: tuple[str, ...] = ()
    ranks: tuple[str, ...] = ()
    fusion: bool = False
    profile: bool = False
    triton_preview: str | None = None
    logs: str | None = None
    trial: Trial | None = None

    @property
    def command(self) -> list[str]:
        """What was asked for, as `run.json` keeps it (docs/recording.md)."""
        target = [] if self.target is None else ["--target", self.target]
        inputs = [word for one in self.inputs for word in ("--inputs", one)]
        return [*target, *inputs, *self.ranks, *self._program]

    @property
    def _program(self) -> list[str]:
        what = ["-m", self.module] if self.module is not None else [self.script or ""]
        return [*what, *self.args]

    def check(self) -> None:
        """Raise Problem when there is no such script, working directory, or module name, or options don't fit."""
        self._check_target()
        if not Path(self.cwd).is_dir():
            raise Problem("no-cwd", f"Can't run in {self.cwd}: no such directory.")
        if self.script is None:
            if not self.module:
                raise Problem("no-script", "Nothing to run: give a script, or -m and a module.")
            return
        if self.script == "-":
            raise Problem("bad-script", "Can't trace a script on stdin.", "Save it to a file and trace that.")
        path = self.script_path()
        try:
            path.stat()
        except FileNotFoundError:
            raise Problem("no-script", f"Can't run {self.script}: no such file.") from None
        except OSError as error:
            raise Problem("bad-script", f"Can't run {self.script[:200]}: {error.strerror}.") from error
        if path.is_dir() and not (path / "__main__.py").is_file():
            why = "it is a directory without a __main__.py."
            raise Problem("bad-script", f"Can't run {self.script}: {why}", "Give a script, or -m and a module.")
        if not os.access(path, os.R_OK):
            raise Problem("bad-script", f"Can't run {self.script}: it can't be read.")

    def _check_target(self) -> None:
        if self.inputs and self.target is None:
            raise Problem("no-target", "There are inputs but no target.", "Name the function or module that gets them.")
        if self.target is not None and self.ranks:
            raise Problem("bad-target", "A target is called in one process.", "Run a script to have several.")
        if self.target is not None and self.script is not None and self.script_path().is_dir():
            raise Problem("bad-script", f"Can't import {self.script}: it is a directory.", "Name the file.")

    def script_path(self) -> Path:
        """The script's absolute path, as Python keeps it in `__file__`: symbolic links stay."""
        return Path(self.cwd, self.script or "")

    def message(self, recording: Path, env: dict[str, str] | None = None) -> str:
        """One line of JSON for the tracer, which this process must start itself.

        `env`: for a worker that was started before the job was known.
        """
        values: dict[str, object] = {
            "script": None if self.script is None else str(self.script_path()),
            "argv0": self.script,
            "module": self.module,
            "args": list(self.args),
            "recording": str(recording),
            "depth": self.depth,
            "cwd": self.cwd,
            "launcher": os.getpid(),
        }
        if self.fusion:
            values["fusion"] = True
        if self.profile:
            values["profile"] = True
        if self.triton_preview is not None:
            values["triton_preview"] = self.triton_preview
        if self.trial is not None:
            values["trial"] = asdict(self.trial)
        if self.logs is not None:
            values["logs"] = self.logs
        if self.target is not None:
            values |= {"target": self.target, "inputs": list(self.inputs)}
        if self.ranks:
            alone = ["--standalone"] if self.ranks[::2] == ("--nproc-per-node",) else []  # or two jobs share a port
            values |= {"script": None, "module": LAUNCHER, "args": [*alone, *self.ranks, *self._program]}
        return json.dumps(values if env is None else {**values, "env": env})


@dataclass(frozen=True)
class Comparison(Job):
    """Compare two records of outputs, `reference` and `other` (folders), into the file `out` (`tracer/compare.py`).

    `again`: one more record of what gave the reference, null for none.
    """

    reference: str = ""
    other: str = ""
    again: str | None = None
    out: str = ""

    @classmethod
    def of(cls, reference: Path, other: Path, out: Path, again: Path | None = None) -> Comparison:
        """The job that compares these."""
        return cls(
            None,
            "compare",
            (),
            str(out.parent),
            "capture",
            reference=str(reference),
            other=str(other),
            again=None if again is None else str(again),
            out=str(out),
        )

    def message(self, recording: Path, env: dict[str, str] | None = None) -> str:
        """One line of JSON for the tracer, which compares instead of running a program."""
        values = json.loads(super().message(recording, env))
        compared = {"reference": self.reference, "other": self.other, "again": self.again, "out": self.out}
        return json.dumps({**values, "compare": compared})
