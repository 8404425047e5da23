"""Names of `TORCH_LOGS` with their levels, and which logger they mean; as torch reads them. No imports.

Relies on `_parse_log_settings` and `configure_artifact_log` of torch/_logging/_internal.py (2.6 to 2.14).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
STRUCTURED = "torch.__trace"
"""The logger of `TORCH_TRACE`, which is no log for people."""
SIGNS = {"+": 10, "-": 40}
"""What stands before a component's name, and its level then; without it is INFO."""


def parsed(settings: str) -> list[tuple[str, int]]:
    """The names of `+dynamo,graph_breaks` with their levels, in order. `all` is `torch`."""
    found = []
    for word in "".join(settings.split()).split(","):
        name = word.replace("+", "").replace("-", "")
        if name:
            found.append(("torch" if name == "all" else name, SIGNS.get(word[0], LEVELS["INFO"])))
    return found


class Wanted:
    """What was asked for: levels of loggers with all below them, and artifacts.

    `aliases`: torch's components with their loggers. An artifact that is not asked for goes with its component, unless
    it is off by default: those never did, and are only known by their name.
    """

    def __init__(
        self, settings: str, aliases: Mapping[str, Any], artifacts: Iterable[str], off: Iterable[str] = ()
    ) -> None:
        self._levels: dict[str, tuple[int, str]] = {}
        self._artifacts: set[str] = set()
        self._aliases = {alias: [names] if isinstance(names, str) else list(names) for alias, names in aliases.items()}
        self._off = frozenset(off)
        known = frozenset(artifacts)
        for name, level in parsed(settings):
            if name not in self._aliases and name in known:
                self._artifacts.add(name)
                continue
            for qualified in self._aliases.get(name, [name]):
                self._levels[qualified] = (level, name)

    def described(self) -> list[dict[str, Any]]:
        """Each name with its kind and, unless it is an artifact, the level from which on it is recorded."""
        names = {name: level for level, name in self._levels.values()}
        words = {number: word for word, number in LEVELS.items()}
        found: list[dict[str, Any]] = [
            {"name": name, "kind": "component" if name in self._aliases else "module", "level": words[level]}
            for name, level in names.items()
        ]
        return found + [{"name": name, "kind": "artifact", "level": "DEBUG"} for name in sorted(self._artifacts)]

    def of(self, logger: str) -> tuple[int | None, str, str | None]:
        """Of a logger: the level from which on it is wanted (None: not at all), its component, and its artifact."""
        module, _, artifact = logger.rpartition(".__")
        if module and artifact in self._artifacts:
            return LEVELS["DEBUG"], self._component(module), artifact
        if (module and artifact in self._off) or logger == STRUCTURED:
            return None, "", artifact
        level, component = self._level(module or logger)
        return level, component, (artifact if module else None)

    def _level(self, logger: str) -> tuple[int | None, str]:
        """The level of the nearest logger at or above this one that has one."""
        while logger:
            if logger in self._levels:
                return self._levels[logger]
            logger = logger.rpartition(".")[0]
        return None, ""

    def _component(self, module: str) -> str:
        """The component that a module is of: that with the nearest logger, the most special one of several."""
        while module:
            fitting = [alias for alias, names in self._aliases.items() if module in names]
            if fitting:
                return min(fitting, key=lambda alias: (len(self._aliases[alias]), alias))
            module = module.rpartition(".")[0]
        return "torch"
