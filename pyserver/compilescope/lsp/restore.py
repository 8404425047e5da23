"""Puts back on show what an earlier session found: the newest run of each script in the workspace, and opened logs."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from compilescope.lsp.shown import leaves_open
from compilescope.recording.reader import RecordingError

if TYPE_CHECKING:
    from compilescope.lsp.runs import RunStore
    from compilescope.lsp.session import Session
    from compilescope.lsp.shown import Found

logger = logging.getLogger(__name__)


async def begin(session: Session) -> None:
    """Show what was on show when the client was here last."""
    clears = session.clears
    await restore(session)
    if session.clears == clears:
        await reopen(session)


async def restore(session: Session) -> None:
    """Show the runs of an earlier session, script by script, the newest first; stop when the user clears them."""
    clears = session.clears
    for script, recordings in await asyncio.to_thread(session.runs.by_script):
        if script in session.shown:
            continue
        try:
            found = await asyncio.to_thread(_read, session, recordings)
        except Exception:
            logger.exception("what was found in %s is not shown again", script)
            continue
        if session.clears != clears:
            return
        session.show_earlier(found)


async def reopen(session: Session) -> None:
    """Show what the user opened in an earlier session, the last one opened first; what is gone is left out."""
    clears = session.clears
    for recording in reversed(session.client.recordings):
        try:
            found = await asyncio.to_thread(_read_again, session, recording)
        except (RecordingError, OSError):
            continue
        except Exception:
            logger.exception("%s is not opened again", recording)
            continue
        if session.clears != clears:
            return
        if found is not None:
            session.show_earlier([found])


def _read_again(session: Session, recording: str) -> Found | None:
    """What was found in it; null for one that the workspace has anyway."""
    if session.runs.is_in_workspace(recording):
        return None
    found = session.runs.ask_for_again(recording)
    session.prepare([found])
    return found


def _read(session: Session, recordings: list[str]) -> list[Found]:
    found = read_back(session.runs, recordings)
    session.prepare(found)
    return found


def read_back(runs: RunStore, recordings: list[str]) -> list[Found]:
    """Of one script's recordings, newest first: the last run that ended by itself and those after it, oldest first.

    A run that goes on belongs to whoever started it.
    """
    found: list[Found] = []
    for recording in recordings:
        try:
            one = runs.glance(recording)
        except (RecordingError, OSError):
            continue
        if one.result.run.status == "running" or one.result.run.refused is not None:
            continue
        found.append(one)
        if not leaves_open(one.result):
            break
    return found[::-1]
