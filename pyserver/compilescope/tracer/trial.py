"""A run for `verify`: another text in the place of some files, outputs recorded, on request without compiling.

Numbers that are drawn are those of every such run: the generators of Python, NumPy and torch start with a fixed seed,
and compiled code draws from torch's generator, as eager code does, instead of Inductor's.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer import outputs, overlay
from compilescope.tracer.settings import change

if TYPE_CHECKING:
    from types import ModuleType

    from compilescope.tracer.session import Session

SEED = 0


def install(session: Session, wanted: dict[str, Any]) -> None:
    """Do what `wanted` says: `overlay` (a file), `outputs` (a folder), `eager`."""
    if wanted.get("overlay"):
        overlay.install(session, wanted["overlay"])
    if wanted.get("outputs"):
        outputs.install(session, wanted["outputs"])
    if wanted.get("eager"):
        _compile_nothing(session)
    _fix_random_numbers(session)


def _fix_random_numbers(session: Session) -> None:
    def seed(module: ModuleType) -> None:
        module.seed(SEED)

    def seed_torch(module: ModuleType) -> None:
        module.manual_seed(SEED)

    def inductor(config: ModuleType) -> None:
        change(config, "fallback_random", value=True)

    session.hooks.after_import("random", seed, loses="the same random numbers in every run")
    session.hooks.after_import("numpy.random", seed, loses="the same random numbers in every run")
    session.hooks.after_import("torch", seed_torch, loses="the same random numbers in every run")
    session.hooks.after_import("torch._inductor.config", inductor, loses="the random numbers of eager")


def _compile_nothing(session: Session) -> None:
    """Have compiled functions called as ever, but compiled by nobody, whatever stance the program asks for.

    Relies on `_set_stance` and `DynamoStance` (torch/_dynamo/eval_frame.py, 2.6 to 2.14).
    """

    def fix(module: Any) -> None:
        stance = module.DynamoStance("force_eager")
        module._set_stance(stance)
        module._set_stance = lambda _wanted: stance

    def fix_import(module: Any) -> None:
        eval_frame: Any = sys.modules["torch._dynamo.eval_frame"]
        module._set_stance = eval_frame._set_stance

    session.hooks.after_import("torch._dynamo.eval_frame", fix, loses="the run without compiling")
    session.hooks.after_import("torch._dynamo.decorators", fix_import, loses="the run without compiling")
