"""Tracing changes nothing: each example and each shared case, run plainly and traced.

Output, errors and exit code are the same, the generated kernels byte for byte, and the generated wrappers but for their
comments. Each run has an empty cache of its own, so what is in it afterwards is what the run generated; the C++
compiler's results are lent to it, since they are named after the source that they come from.
"""

from __future__ import annotations

import ast
import difflib
import getpass
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from compilescope.runner.job import Job
from compilescope.runner.worker import BOOT
from triton_wheel import triton_path

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT.parent / "shared/cases"
SCRIPTS = [
    *sorted((ROOT / "examples").glob("*.py")),
    ROOT / "examples/three_files/main.py",
    *sorted(CASES.glob("*.py")),
]
TRANSFORMER, SAMPLER = ROOT / "examples/train_transformer.py", ROOT / "examples/sampler.py"


@dataclass(frozen=True)
class Case:
    """A script and options of the job that traces it."""

    script: Path
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "-".join([self.script.stem, *self.options])


RUNS = [
    *map(Case, SCRIPTS),
    Case(TRANSFORMER, {"fusion": True, "profile": True}),
    Case(SAMPLER, {"fusion": True, "profile": True}),
    Case(SAMPLER, {"triton_preview": "sm_90"}),
]
BINARIES = (".so", ".gch", ".h", ".load_ok")
DEFAULT_CACHE = Path(
    os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    or Path(tempfile.gettempdir(), "torchinductor_" + re.sub(r'[\\/:*?"<>|]', "_", getpass.getuser()))
)
VARYING = (
    (re.compile(r"\b[VIWEF]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ "), "<log> "),
    (re.compile(r"0x[0-9a-f]{6,}"), "<address>"),
    (re.compile(r"(__compiled_fn_\d+)_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}"), r"\1_<uuid>"),
)
"""What differs between two plain runs too: time and process in a line of torch's log, addresses, torch's own uuids."""


@dataclass
class Ran:
    """What a run showed and what it generated, by name."""

    code: int
    out: str
    err: str
    kernels: dict[str, str]
    wrappers: list[str]


@dataclass
class Pair:
    """One case, run both ways."""

    plain: Ran
    traced: Ran


def lend(binaries: Path, cache: Path) -> None:
    """Put links to the compiler's results of one cache into another."""
    for file in binaries.rglob("*"):
        if file.name.endswith(BINARIES) and not (target := cache / file.relative_to(binaries)).exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file.resolve())


def run(command: list[str], script: Path, cache: Path, env: dict[str, str], *lenders: Path) -> Ran:
    for lender in lenders:
        lend(lender, cache)
    ended = subprocess.run(
        command,
        cwd=script.parent,
        env={**os.environ, **env, "TORCHINDUCTOR_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    sources = [file for file in cache.rglob("*") if not file.is_symlink() and "precompiled_headers" not in file.parts]
    return Ran(
        ended.returncode,
        told(ended.stdout, cache),
        told(ended.stderr, cache),
        {str(file.relative_to(cache)): file.read_text() for file in sources if file.suffix == ".cpp"},
        sorted({told(uncommented(file.read_text()), cache) for file in sources if file.suffix == ".py"}),
    )


def told(text: str, cache: Path) -> str:
    text = text.replace(str(cache), "<cache>")
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return text


def uncommented(code: str) -> str:
    return ast.unparse(ast.parse(code))


def both(case: Case, folder: Path) -> Pair:
    plain, traced, recording = folder / "plain", folder / "traced", folder / "recording"
    recording.mkdir(parents=True)
    script = case.script
    job = Job(str(script), None, (), str(script.parent), **case.options)
    env = {"PYTHONPATH": triton_path()} if "triton_preview" in case.options else {}
    return Pair(
        run([sys.executable, str(script)], script, plain, env, DEFAULT_CACHE),
        run([sys.executable, BOOT, job.message(recording)], script, traced, env, DEFAULT_CACHE, plain),
    )


@pytest.fixture(scope="module")
def pairs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Pair]]]:
    """The cases that were asked for, on their way: two at a time if there are so many processors."""
    folder = tmp_path_factory.mktemp("unchanged")
    asked = [item.callspec.params["case"] for item in request.session.items if item.path == request.path]
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        yield {case.name: pool.submit(both, case, folder / case.name) for case in asked}
        pool.shutdown(cancel_futures=True)


@pytest.mark.torch
@pytest.mark.timeout(900)
@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.name)
def test_unchanged(case: Case, pairs: dict[str, Future[Pair]]) -> None:
    pair = pairs[case.name].result()
    plain, traced = pair.plain, pair.traced
    if case.script in (TRANSFORMER, SAMPLER):
        assert plain.kernels, "there is nothing to compare"
        assert plain.wrappers, "there is nothing to compare"
    assert difference(plain.err, traced.err) == ""
    assert (traced.code, traced.out) == (plain.code, plain.out)
    assert sorted(traced.kernels) == sorted(plain.kernels)
    assert traced.kernels == plain.kernels
    assert difference("\n".join(plain.wrappers), "\n".join(traced.wrappers)) == ""


def difference(plain: str, traced: str) -> str:
    return "\n".join(difflib.unified_diff(by_rank(plain), by_rank(traced), "plain", "traced", lineterm="", n=1))


def by_rank(text: str) -> list[str]:
    """The lines; where ranks write at the same time, each rank's together."""
    lines: list[str] = []
    for of_ranks, group in itertools.groupby(text.splitlines(), lambda line: line.startswith("[rank")):
        some = list(group)
        lines += sorted(some, key=lambda line: line.partition(":")[0]) if of_ranks else some
    return lines
