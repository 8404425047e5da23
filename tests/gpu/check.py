"""What a trace on a machine with a GPU records: `PYTHONPATH=pyserver python tests/gpu/check.py [PAIRS [KEEP]]`.

Runs a training transformer and a matrix product with max-autotune, plainly and traced at full depth, with empty caches.
Prints the Triton kernels with their stages and lines, CUDA graphs, autotuning, the compile's and a step's time against
the plain run's, and whether output and generated kernels are the same. Ends with 1 when something is missing. The
recordings of the first pair are copied to the folder KEEP.
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


@dataclass
class Ran:
    """How a program ended, its own times, and what Inductor generated for it: code without comments, by file."""

    code: int
    out: str
    err: str
    seconds: dict[str, float]
    generated: list[str]


def run(script: Path, folder: Path, recording: Path | None) -> Ran:
    folder.mkdir(parents=True)
    numbers, cache = folder / "numbers.json", folder / "cache"
    command = [sys.executable, str(script), str(numbers)]
    if recording is not None:
        recording.mkdir()
        job = Job(str(script), None, (str(numbers),), str(HERE))
        command = [sys.executable, BOOT, job.message(recording)]
    env = {name: value for name, value in os.environ.items() if name != "TRITON_CACHE_DIR"}
    env |= {"TORCHINDUCTOR_CACHE_DIR": str(cache), "TORCHINDUCTOR_FX_GRAPH_CACHE": "0"}
    env |= {"TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}
    ended = subprocess.run(command, cwd=HERE, env=env, capture_output=True, text=True, check=False)
    seconds = json.loads(numbers.read_text()) if numbers.exists() else {}
    codes = [file.read_text() for file in cache.rglob("*.py")]
    generated = sorted({ast.unparse(ast.parse(code)).replace(str(cache), "<cache>") for code in codes})
    return Ran(ended.returncode, ended.stdout, ended.stderr, seconds, generated)


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
        kernels = triton.table(opened, context)
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


def ratio(pairs: list[tuple[Ran, Ran]], name: str) -> str:
    ratios = sorted(traced.seconds[name] / plain.seconds[name] for plain, traced in pairs)
    return f"{statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"


def compare(report: Report, pairs: list[tuple[Ran, Ran]], *, tuned: bool) -> None:
    plain, traced = pairs[0]
    report.check(f"ends with {plain.code}, traced with {traced.code}", holds=plain.code == traced.code == 0)
    report.check(f"prints the same: {plain.out.strip()!r}", holds=plain.out == traced.out)
    if traced.code:
        report.say(traced.err[-3000:])
    same = plain.generated == traced.generated
    if tuned:
        report.say(
            f"    generated files are {'the same' if same else 'others: what was measured to be fastest may differ'}"
        )
    else:
        report.check(f"{len(plain.generated)} generated files are the same", holds=same and bool(plain.generated))
    if all(one.seconds for pair in pairs for one in pair):
        report.say(f"    first call, traced to plain: {ratio(pairs, 'first')}")
        report.say(f"    later calls, traced to plain: {ratio(pairs, 'later')}")


def main() -> int:
    report = Report()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    keep = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        for script in (HERE / "transformer.py", HERE / "matmul.py"):
            report.say(f"{script.name}")
            pairs = []
            for number in range(count):
                base = Path(folder, script.stem, str(number))
                plain = run(script, base / "plain", None)
                pairs.append((plain, run(script, base / "traced", base / "recording")))
            compare(report, pairs, tuned=script.stem == "matmul")
            recording = Path(folder, script.stem, "0", "recording")
            show(report, recording)
            if keep is not None:
                shutil.copytree(recording, keep / script.stem)
    report.say("everything is there" if not report.missing else f"{report.missing} checks failed")
    return 1 if report.missing else 0


if __name__ == "__main__":
    sys.exit(main())
