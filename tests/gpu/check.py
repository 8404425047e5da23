"""What a trace on a machine with a GPU records: `PYTHONPATH=pyserver python tests/gpu/check.py [PAIRS [KEEP]]`.

Runs a training transformer and a matrix product with max-autotune, plainly and traced at full depth, with empty caches.
Prints the Triton kernels with their stages and lines, CUDA graphs, autotuning, and whether output and generated kernels
are the same. Ends with 1 when something is missing. Prints the first call's time against the plain run's, with either
program first in turn, and a later call's: both programs wait, and run blocks of steps in turn. The recordings of the
first pair are copied to the folder KEEP.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from compilescope.analysis import analyse, triton
from compilescope.analysis.analyse import context_of
from compilescope.recording.reader import Recording
from compilescope.runner.job import Job
from compilescope.runner.worker import BOOT

HERE = Path(__file__).parent
STAGES = {"source", "ttir", "ttgir", "llir", "ptx"}
BLOCKS = 40


@dataclass
class Ran:
    """How a program ended, what it said, its first call's and its blocks' seconds, and what Inductor wrote for it."""

    code: int
    out: list[str]
    err: str
    first: float
    blocks: list[float]
    generated: list[str]


class Process:
    """One of the programs: it has made its first call, and then waits for blocks to run."""

    def __init__(self, script: Path, folder: Path, recording: Path | None) -> None:
        folder.mkdir(parents=True)
        self._cache, self._err = folder / "cache", folder / "err.txt"
        command = [sys.executable, str(script)]
        if recording is not None:
            recording.mkdir()
            command = [sys.executable, BOOT, Job(str(script), None, (), str(HERE)).message(recording)]
        env = {name: value for name, value in os.environ.items() if name != "TRITON_CACHE_DIR"}
        env |= {"TORCHINDUCTOR_CACHE_DIR": str(self._cache), "TORCHINDUCTOR_FX_GRAPH_CACHE": "0"}
        env |= {"TORCHINDUCTOR_AUTOGRAD_CACHE": "0", "PYTHONUNBUFFERED": "1"}
        with self._err.open("w") as err:
            self._process = subprocess.Popen(
                command, cwd=HERE, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err
            )
        self._out: list[str] = []
        self._first = self._seconds()
        self._blocks: list[float] = []

    def block(self) -> None:
        """Run a block of steps and note a step's time."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._blocks.append(self._seconds())

    def end(self) -> Ran:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.stdout is not None
        self._out += self._process.stdout.read().splitlines()
        code = self._process.wait()
        codes = [file.read_text() for file in self._cache.rglob("*.py")]
        generated = sorted({ast.unparse(ast.parse(text)).replace(str(self._cache), "<cache>") for text in codes})
        return Ran(code, self._out, self._err.read_text(), self._first, self._blocks, generated)

    def _seconds(self) -> float:
        """What the program's next line of that kind says; those before it are kept."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("seconds "):
                return float(line.split()[1])
            self._out.append(line.rstrip())
        raise RuntimeError(self._err.read_text()[-3000:])


def pair(script: Path, base: Path, *, traced_first: bool) -> tuple[Ran, Ran]:
    """A plain and a traced run of `script`, whose blocks of steps alternate."""
    places: list[Path | None] = [None, base / "recording"]
    order = places[::-1] if traced_first else places
    processes = [Process(script, base / ("traced" if one else "plain"), one) for one in order]
    if traced_first:
        processes.reverse()
    for number in range(BLOCKS):
        for process in processes if number % 2 else processes[::-1]:
            process.block()
    plain, traced = (process.end() for process in processes)
    return plain, traced


class Report:
    """Prints, and remembers what was missing."""

    def __init__(self) -> None:
        self.missing = 0

    def say(self, text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def check(self, what: str, *, holds: bool) -> None:
        self.missing += not holds
        self.say(f"  {'ok     ' if holds else 'MISSING'} {what}")


def show(report: Report, recording: Path) -> None:
    with Recording.open(recording) as opened:
        result, context = analyse(opened), context_of(opened)
        kernels = [one for one in triton.table(opened, context) if not one.trial]
        codes = {id(one): triton.code(opened, one) for one in kernels}
        graphs = [opened.json(event) for event in opened.events("compilescope_cudagraph")]
        choices = [opened.json(event) for event in opened.events("compilescope_autotune")]
    lines = {kernel.name: kernel.lines for kernel in result.kernels}
    for one in kernels:
        code = codes[id(one)]
        stages = {stage: len(text) for stage, text in code.texts.items()} if code else {}
        places = ", ".join(f"{Path(line['file']).name}:{line['line']}" for line in lines.get(one.kernel or "", []))
        report.say(f"    {one.graph} {one.kernel} [{places}]")
        report.say(
            f"      {one.target}: {one.registers} registers, {one.spills} spills, {one.shared} B shared, "
            f"{one.num_warps} warps, {one.config}, of {one.candidates}; {stages} {one.error or ''}"
        )
    generated = {kernel.name for kernel in result.kernels if kernel.kind in {"triton", "template"}}
    recorded = {one.kernel for one in kernels}
    report.check(f"{len(generated)} generated kernels in the graphs", holds=bool(generated))
    report.check(f"each has its Triton record; without: {sorted(generated - recorded)}", holds=generated <= recorded)
    whole = [one for one in kernels if (code := codes[id(one)]) and set(code.texts) >= STAGES]
    report.check(f"{len(whole)} of {len(kernels)} have all stages", holds=len(whole) == len(kernels))
    known = [one for one in kernels if one.registers is not None and one.shared is not None]
    report.check(f"{len(known)} have registers and shared memory", holds=len(known) == len(kernels))
    report.check("none is a preview", holds=not any(one.preview for one in kernels))
    placed = {name for name in generated if lines.get(name)}
    report.check(f"{len(placed)} kernels have lines", holds=placed == generated)
    report.say(f"    {len(graphs)} events of CUDA graphs: {json.dumps(graphs)[:1500]}")
    report.say(f"    {len(choices)} choices of autotuning: {json.dumps(choices)[:1500]}")
    report.say(f"    unavailable: {result.run.unavailable}")
    report.say(f"    {sum(log.stat().st_size for log in recording.glob('*.log')) >> 10} KiB of log")


def eta(report: Report, recording: Path, first: float) -> None:
    """The tracer's own time against the rest of the first call: nearly all of it is there."""
    with Recording.open(recording) as opened:
        own = sum(opened.json(event)["seconds"]["overhead"] for event in opened.events("compilescope_exit"))
    report.say(f"    tracing overhead: {own:.3f} s in hooks, {own / (first - own):.2%} of the first call without them")


def ratio(ratios: list[float]) -> str:
    """The one in the middle, and between which the middle half is."""
    ordered = sorted(ratios)
    quarter = len(ordered) // 4
    return f"{statistics.median(ordered):.3f} ({ordered[quarter]:.3f} to {ordered[-1 - quarter]:.3f})"


def times(report: Report, pairs: list[tuple[Ran, Ran]]) -> None:
    firsts = "; ".join(f"T_on {traced.first:.2f} s, T_off {plain.first:.2f} s" for plain, traced in pairs)
    report.say(f"    first call, traced to plain: {ratio([on.first / off.first for off, on in pairs])}; {firsts}")
    blocks = [one for off, on in pairs for one in zip(on.blocks, off.blocks, strict=True)]
    best = min(on for on, _off in blocks) / min(off for _on, off in blocks)
    us = statistics.median(off for _on, off in blocks) * 1e6
    report.say(
        f"    later calls, traced to plain: {ratio([on / off for on, off in blocks])}, the best blocks {best:.3f}; "
        f"{us:.1f} us plain, {len(blocks)} pairs of blocks"
    )


def compare(report: Report, pairs: list[tuple[Ran, Ran]], *, tuned: bool) -> None:
    plain, traced = pairs[0]
    report.check(f"ends with {plain.code}, traced with {traced.code}", holds=plain.code == traced.code == 0)
    report.check(f"prints the same: {plain.out}", holds=plain.out == traced.out)
    if traced.code:
        report.say(traced.err[-3000:])
    same = plain.generated == traced.generated
    if tuned:
        report.say(
            f"    generated files are {'the same' if same else 'others: what was measured to be fastest may differ'}"
        )
    else:
        report.check(f"{len(plain.generated)} generated files are the same", holds=same and bool(plain.generated))
    times(report, pairs)


def main() -> int:
    report = Report()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    keep = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        for script in (HERE / "transformer.py", HERE / "matmul.py"):
            report.say(f"{script.name}")
            base = Path(folder, script.stem)
            pairs = [pair(script, base / str(number), traced_first=number % 2 == 1) for number in range(count)]
            compare(report, pairs, tuned=script.stem == "matmul")
            recording = Path(folder, script.stem, "0", "recording")
            show(report, recording)
            eta(report, recording, pairs[0][1].first)
            if keep is not None:
                shutil.copytree(recording, keep / script.stem)
    report.say("everything is there" if not report.missing else f"{report.missing} checks failed")
    return 1 if report.missing else 0


if __name__ == "__main__":
    sys.exit(main())
