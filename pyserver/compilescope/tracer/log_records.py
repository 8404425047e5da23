"""What torch logs, recorded: the loggers that were asked for by names of `TORCH_LOGS`, whether they print or not.

Nothing of logging's configuration changes: levels, handlers, filters and propagation stay the program's and torch's.
Each logger that is asked for gets an `isEnabledFor` of its own, so that its callers make the record, and a `handle`,
which notes it and goes on as it would have without us, with what the logger's own level lets through.

Relies on `logging.Logger`, and on torch/_logging/_internal.py (2.6 to 2.14): `log_registry`, `DEFAULT_FORMATTER` and
the names of artifact loggers, `<module>.__<artifact>`.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.log_settings import LEVELS, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.session import Session

LOSES = "log records"
LONGEST = 1 << 18
"""Characters of one message; the rest is cut."""
MOST = 1 << 26
"""Characters of all messages of a process; later ones are only counted."""


class LogRecords:
    """Records what the loggers that a run was started with get."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._left = MOST
        self._dropped: dict[tuple[str, str | None, str], list[int]] = {}
        session.at_start.append(self._begin)

    def _begin(self) -> None:
        if self._session.logs:
            self._session.hooks.after_import("torch._logging", self._attach, loses=LOSES)
            self._session.at_end.append(self._ended)
            self._session.at_fork.append(self._forked)

    def _attach(self, _module: ModuleType) -> None:
        """Take over the loggers that there are and those to come."""
        registry = sys.modules["torch._logging._internal"].log_registry
        wanted = Wanted(
            self._session.logs or "",
            registry.log_alias_to_log_qnames,
            registry.artifact_names,
            registry.off_by_default_artifact_names,
        )
        self._session.emit("log_choice", {"settings": self._session.logs, "names": wanted.described()})
        adopt = self._session.hooks.guarded(
            "logging.getLogger", lambda logger: self._adopt(wanted, logger), loses=LOSES
        )
        manager = logging.Logger.manager
        for logger in list(manager.loggerDict.values()):
            if isinstance(logger, logging.Logger):
                adopt(logger)

        def make(original: Callable[[str], logging.Logger]) -> Callable[[str], logging.Logger]:
            def getLogger(name: str) -> logging.Logger:  # noqa: N802 - logging's name
                logger = original(name)
                if "handle" not in logger.__dict__:
                    adopt(logger)
                return logger

            return getLogger

        self._session.hooks.wrap(manager, "getLogger", make, loses=LOSES)

    def _adopt(self, wanted: Wanted, logger: Any) -> None:
        threshold, component, artifact = wanted.of(logger.name)
        if threshold is None:
            return
        is_enabled, handle = logger.isEnabledFor, logger.handle
        note = self._session.hooks.guarded("log record", self._note, loses=LOSES)

        def isEnabledFor(level: int) -> bool:  # noqa: N802 - logging's name
            return level >= threshold or is_enabled(level)

        def handle_and_note(record: logging.LogRecord) -> None:
            if record.levelno >= threshold:
                note(record, component, artifact)
            if is_enabled(record.levelno):
                handle(record)

        logger.isEnabledFor, logger.handle = isEnabledFor, handle_and_note

    def _note(self, record: logging.LogRecord, component: str, artifact: str | None) -> None:
        copy = logging.makeLogRecord(record.__dict__)  # formatting leaves its traces on a record
        printed = sys.modules["torch._logging._internal"].DEFAULT_FORMATTER.format(copy)
        size = len(printed.encode(errors="backslashreplace")) + 1
        message = copy.message + (f"\n{copy.exc_text}" if copy.exc_text else "")
        level = _level(record.levelno)
        if self._left <= 0:
            counts = self._dropped.setdefault((component, artifact, level), [0, 0])
            counts[0] += 1
            counts[1] += size
            return
        text = message[:LONGEST]
        self._left -= len(text)
        path = record.pathname
        position = path.rfind("/torch/")
        self._session.emit(
            "log",
            {
                "component": component,
                "artifact": artifact,
                "level": level,
                "logger": record.name,
                "file": path[position + 1 :] if position >= 0 else path,
                "line": record.lineno,
                "time": record.created,
                "bytes": size,
                "message": text,
                "cut": len(message) - len(text),
            },
        )

    def _ended(self) -> dict[str, Any]:
        """What was only counted; for the last record of the process."""
        return {
            "log_dropped": [
                {"component": component, "artifact": artifact, "level": level, "records": records, "bytes": size}
                for (component, artifact, level), (records, size) in self._dropped.items()
            ]
        }

    def _forked(self) -> None:
        self._left, self._dropped = MOST, {}


def _level(number: int) -> str:
    """The name of the highest of logging's levels that is not above `number`."""
    return next((name for name, lowest in reversed(LEVELS.items()) if number >= lowest), "DEBUG")
