"""The settings of torch that a traced run changes, unless the user set them: only what makes every stage observable.

Graph caches off, since a hit runs no passes (the compiled binaries stay cached), unless caching itself is to be
observed (`KEEP_CACHES`); provenance level 2, which adds comments to the wrapper (torch/_inductor/config.py 2.9 to
2.14).
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

    from compilescope.tracer.session import Session

KEEP_CACHES = "COMPILESCOPE_KEEP_CACHES"
"""The environment variable that leaves the graph caches as they are. `compilescope trace --keep-caches` sets it."""


def install(session: Session) -> None:
    """Change the settings when their modules are imported, or at the start if a standby imported them before."""

    def inductor(config: ModuleType) -> None:
        if not _keeps("TORCHINDUCTOR_FX_GRAPH_CACHE"):
            change(config, "fx_graph_cache", value=False)
        if "INDUCTOR_PROVENANCE" not in os.environ:
            if hasattr(config.trace, "provenance_tracking_level"):
                change(config, "trace.provenance_tracking_level", value=2)
            else:
                session.hooks.report("inductor.config.trace.provenance_tracking_level", "not in this torch", LOST)

    def functorch(config: ModuleType) -> None:
        if not _keeps("TORCHINDUCTOR_AUTOGRAD_CACHE") and hasattr(config, "enable_autograd_cache"):
            change(config, "enable_autograd_cache", value=False)

    def apply() -> None:
        session.hooks.after_import("torch._inductor.config", inductor, loses="passes of graphs that were cached")
        session.hooks.after_import("torch._functorch.config", functorch, loses="passes of graphs that were cached")

    session.at_start.append(apply)


def keeps_caches() -> bool:
    """Whether caching itself is to be observed."""
    return os.environ.get(KEEP_CACHES, "0") not in ("", "0")


def has_turned_off_cache() -> bool:
    """Whether the cache of FX graphs is off because of us."""
    config = sys.modules["torch._inductor.config"]
    return not _keeps("TORCHINDUCTOR_FX_GRAPH_CACHE") and not config.fx_graph_cache


def change(config: ModuleType, name: str, *, value: object) -> None:
    """Set a value for every thread: what is assigned holds in one, what came from the environment in all.

    Relies on `_config` of torch/utils/_config_module.py (2.6 to 2.14); threads have values of their own from 2.13 on.
    """
    owner, _, last = name.rpartition(".")
    setattr(getattr(config, owner) if owner else config, last, value)
    entry: Any = getattr(config, "_config", {}).get(name)
    if hasattr(entry, "env_value_default"):
        entry.env_value_default = value


def _keeps(variable: str) -> bool:
    return variable in os.environ or keeps_caches()


LOST = "which nodes became which kernel"
