"""Which guard made a recompile, of those that the versions failed on: what torch prints for `f(x, y)`."""

from compilescope.analysis.causes import cause
from compilescope.analysis.facts import Compiled, Failed, Frame, Recompile

CHECKED = (
    "hasattr(L['x'], '_dynamo_dynamic_indices') == False",
    "L['scale'] == 2",
    "hasattr(L['y'], '_dynamo_dynamic_indices') == False",
)
DTYPE = "tensor 'L['x']' dtype mismatch. expected Half, actual Float"
RANK = "tensor 'L['y']' rank mismatch. expected 1, actual 2"
STATE = "GLOBAL_STATE changed: grad_mode"


def made_by(*parts: str, checked: tuple[str, ...] = CHECKED) -> str:
    """The cause of a compile that no version fitted, where each, newest first, failed on one of `parts`."""
    where = Compiled(0, f"0/{len(parts)}")
    failed = tuple(Failed(part, part, entry=f"0/{len(parts) - 1 - index}") for index, part in enumerate(parts))
    fact = Recompile(where, Frame("a.py", 1, "f"), len(parts), failed)
    return cause(fact, {where: checked}).part


def test_the_version_that_fitted_furthest_tells() -> None:
    assert made_by(DTYPE, DTYPE, RANK) == RANK  # the third was for this dtype of x
    assert made_by(RANK, DTYPE) == RANK
    assert made_by(STATE, STATE, DTYPE) == DTYPE
    assert made_by("L['scale'] == 2", RANK, "L['scale'] == 2") == RANK


def test_one_guard_of_all() -> None:
    assert made_by(DTYPE, DTYPE) == DTYPE
    assert made_by(STATE) == STATE


def test_without_the_order_most_versions_tell() -> None:
    assert made_by(RANK, DTYPE, DTYPE, checked=()) == DTYPE
    assert made_by(RANK, DTYPE, checked=()) == RANK
