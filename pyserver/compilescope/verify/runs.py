"""The runs of a verification, each in a folder of its own, and their comparison."""

from __future__ import annotations

import contextlib
import json
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from compilescope.recording.command import read
from compilescope.runner.job import Comparison, Job, Trial
from compilescope.runner.launch import start
from compilescope.runner.problem import Problem
from compilescope.runner.worker import Streams
from compilescope.verify.model import Compared, Difference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from compilescope.analysis.model import Run
    from compilescope.runner.launch import Outcome
    from compilescope.runner.reaper import Reaper
    from compilescope.runner.standby import Standby
    from compilescope.verify.model import Cancellation, Request

PIECES = 64
"""How much of what the program prints is kept, for its last words."""
SHORTEST_S = 60.0
TIMES = 5


class Stopped(Exception):
    """A run was cancelled, or took too long."""

    def __init__(self, status: Literal["cancelled", "timed-out"]) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Ran:
    """A run that ended by itself, and where it recorded. `printed`: the end of what it printed."""

    outcome: Outcome
    recording: Path
    outputs: Path
    printed: bytes


class Runs:
    """Runs the program of a request in different ways, below `folder`."""

    def __init__(
        self,
        request: Request,
        folder: Path,
        *,
        reaper: Reaper,
        standby: Standby | None,
        cancellation: Cancellation,
        output: Callable[[bytes], None],
    ) -> None:
        self._request = request
        self._folder = folder
        self._reaper = reaper
        self._standby = standby
        self._cancellation = cancellation
        self._output = output
        self._count = 0

    def run(self, texts: Mapping[str, str], *, eager: bool, recording: Path | None = None) -> Ran:
        """Run the program with `texts` in the place of files. Raises Stopped, and Problem when it can't be started."""
        folder = self._new()
        overlay, outputs = folder / "overlay.json", folder / "outputs"
        overlay.write_text(json.dumps(dict(texts)), encoding="utf-8")
        outputs.mkdir()
        if recording is None:
            recording = folder / "recording"
            recording.mkdir()
        trial = Trial(str(overlay), str(outputs), eager=eager)
        job = replace(self._request.job, trial=trial, fusion=False, profile=False, triton_preview=None, logs=None)
        printed: deque[bytes] = deque(maxlen=PIECES)
        outcome = self._start(job, recording, printed.append)
        return Ran(outcome, recording, outputs, b"".join(printed))

    def compare(self, reference: Ran, other: Ran, again: Ran | None = None) -> Compared:
        """Compare what two runs returned. Raises Stopped, and Problem when they can't be compared.

        `again`: the reference's run made once more; what differs in it is not compared.
        """
        folder = self._new()
        out = folder / "compared.json"
        printed: list[bytes] = []
        twice = None if again is None else again.outputs
        self._start(Comparison.of(reference.outputs, other.outputs, out, twice), folder, printed.append)
        try:
            return _compared(json.loads(out.read_bytes()))
        except (OSError, ValueError) as error:
            said = b"".join(printed).decode(errors="replace").strip().splitlines()
            raise Problem("not-compared", "The outputs can't be compared.", said[-1] if said else str(error)) from error

    def _start(self, job: Job, recording: Path, output: Callable[[bytes], None]) -> Outcome:
        if self._cancellation.asked:
            raise Stopped("cancelled")

        def both(piece: bytes) -> None:
            output(piece)
            self._output(piece)

        run = start(
            job,
            python=self._request.python,
            env=self._request.env,
            recording=recording,
            streams=Streams(output=output if isinstance(job, Comparison) else both),
            reaper=self._reaper,
            standby=self._standby,
        )
        self._cancellation.follow(run)
        if self._standby is not None:
            with contextlib.suppress(OSError):  # the next run starts cold then
                self._standby.prepare(self._request.python, self._request.env, self._request.job.cwd)
        try:
            outcome = run.wait(self._timeout_s())
        finally:
            self._cancellation.follow(None)
        if outcome.status in {"cancelled", "timed-out"}:
            raise Stopped("cancelled" if outcome.status == "cancelled" else "timed-out")
        return outcome

    def _timeout_s(self) -> float:
        return self._request.timeout_s or SHORTEST_S + TIMES * (self._request.result.run.wall_s or 0.0)

    def _new(self) -> Path:
        self._count += 1
        folder = self._folder / str(self._count)
        folder.mkdir()
        return folder


def job_of(run: Run) -> Job:
    """The job that a recording is of. Raises Problem when the recording does not say what was run."""
    command = read(run.command)
    if run.cwd is None or (command.script is None and command.module is None):
        raise Problem("no-command", "Can't verify: the recording does not say what was run.")
    ranks = tuple(word for option in command.options if option[0] not in {"--target", "--inputs"} for word in option)
    return Job(
        command.script,
        command.module,
        command.args,
        run.cwd,
        "capture" if run.depth == "capture" else "full",
        target=command.target,
        inputs=tuple(command.inputs),
        ranks=ranks,
    )


def _compared(found: dict[str, Any]) -> Compared:
    first = found["first"]
    return Compared(
        equal=found["equal"],
        delta_max=found["delta_max"],
        calls=found["calls"],
        backwards=found["backwards"],
        tensors=found["tensors"],
        sampled=found["sampled"],
        same_bits=found["same_bits"],
        first=None if first is None else _difference(first),
        differences=found["differences"],
        uncompared=found["uncompared"],
        notes=found["notes"],
        stopped=found["stopped"],
        loose=[_difference(one) for one in found["loose"]],
        unsteady=[_difference(one) for one in found["unsteady"]],
    )


def _difference(first: dict[str, Any]) -> Difference:
    return Difference(
        kind=first["kind"],
        call=first.get("call"),
        backward=first.get("backward"),
        function=first.get("function"),
        place=first["place"],
        delta=first.get("delta"),
        message=first.get("message", ""),
        values=first.get("values", []),
        process=first.get("process", ""),
    )
