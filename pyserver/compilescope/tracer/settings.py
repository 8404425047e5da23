"""The settings of torch that a traced run changes, unless the user set them: only what makes every stage observable.

Graph caches off, since a hit runs no passes (the compiled binaries stay cached); provenance level 2, which adds
comments to the wrapper (torch/_inductor/config.py 2.9 to 2.14).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from compilescope.tracer.session import Session


def install(session: Session) -> None:
    """Change the settings when their modules are imported, or at the start if a standby imported them before."""

    def inductor(config: ModuleType) -> None:
        if "TORCHINDUCTOR_FX_GRAPH_CACHE" not in os.environ:
            config.fx_graph_cache = False  # type: ignore[attr-defined]
        if "INDUCTOR_PROVENANCE" not in os.environ:
            if hasattr(config.trace, "provenance_tracking_level"):
                config.trace.provenance_tracking_level = 2
            else:
                session.hooks.report("inductor.config.trace.provenance_tracking_level", "not in this torch", LOST)

    def functorch(config: ModuleType) -> None:
        if "TORCHINDUCTOR_AUTOGRAD_CACHE" not in os.environ and hasattr(config, "enable_autograd_cache"):
            config.enable_autograd_cache = False  # type: ignore[attr-defined]

    def apply() -> None:
        session.hooks.after_import("torch._inductor.config", inductor, loses="passes of graphs that were cached")
        session.hooks.after_import("torch._functorch.config", functorch, loses="passes of graphs that were cached")

    session.at_start.append(apply)


LOST = "which nodes became which kernel"
