"""What Inductor tells its own artifact logs (`TORCH_LOGS=perf_hints`, `fusion`), heard without turning them on.

Relies on `torch._logging.getArtifactLogger(module_qname, artifact_name)`, which each module calls when it is imported
(2.6 to 2.14). Only a method of the logger that it gave is covered, so nothing more is printed than the user asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.session import Session


class ArtifactLogs:
    """Gives listeners what is logged, as (message, arguments), whether or not the log is on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._loggers: dict[str, list[logging.Logger]] = {}
        self._listeners: dict[str, tuple[str, Callable[[Any, tuple[Any, ...]], None]]] = {}

    def install(self) -> None:
        """Watch for loggers when torch's logging is imported."""
        hooks = self._session.hooks
        loses = "performance hints and fusion decisions"
        note = hooks.guarded("getArtifactLogger", self._made, loses=loses)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def getArtifactLogger(module_qname: Any, artifact_name: Any) -> Any:  # noqa: N802 - torch's name
                logger = original(module_qname, artifact_name)
                note(artifact_name, logger)
                return logger

            return getArtifactLogger

        def hook(module: ModuleType) -> None:
            hooks.wrap(module, "getArtifactLogger", make, loses=loses)

        hooks.after_import("torch._logging", hook, loses=loses)

    def listen(self, artifact: str, method: str, listener: Callable[[Any, tuple[Any, ...]], None]) -> None:
        """Call `listener` for what the loggers of `artifact` get by `method` (`info`, `debug`), those to come too."""
        heard = self._session.hooks.guarded(f"log {artifact}", listener, loses=artifact)
        self._listeners[artifact] = (method, heard)
        for logger in self._loggers.get(artifact, ()):
            _cover(logger, method, heard)

    def _made(self, artifact: str, logger: logging.Logger) -> None:
        if artifact in ("perf_hints", "fusion"):
            self._loggers.setdefault(artifact, []).append(logger)
            if artifact in self._listeners:
                _cover(logger, *self._listeners[artifact])


def _cover(logger: logging.Logger, method: str, listener: Callable[[Any, tuple[Any, ...]], None]) -> None:
    original = getattr(logger, method)

    def log(msg: Any, *args: Any, **kwargs: Any) -> None:
        listener(msg, args)
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1  # the caller, not we, is who logs
        original(msg, *args, **kwargs)

    setattr(logger, method, log)
