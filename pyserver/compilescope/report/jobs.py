"""One of several jobs in a folder, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.report.counted import counted, size

if TYPE_CHECKING:
    from compilescope.recording.jobs import Job


def job_words(job: Job) -> str:
    """`11-30 09:12:01 to 11-30 09:13:44, ranks 0 to 3, torch 2.13.0, 4 logs, 1,204 KiB`; local times."""
    shown = sorted(job.ranks)
    ranks = f"rank {shown[0]}" if len(shown) == 1 else f"ranks {_spans(shown)}" if shown else ""
    times = f"{job.started:%m-%d %H:%M:%S} to {job.ended:%m-%d %H:%M:%S}"
    torch = f"torch {job.torch}" if job.torch else ""
    return ", ".join(filter(None, [times, ranks, torch, counted(len(job.logs), "log"), size(job.size)]))


def _spans(numbers: list[int]) -> str:
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in spans)
