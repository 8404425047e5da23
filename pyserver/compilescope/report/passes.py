"""The program's own passes, for the text report: where each is registered, and what came of it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple

from compilescope.report.clean import cleaned
from compilescope.report.style import COLUMNS

if TYPE_CHECKING:
    from compilescope.analysis.model import Pass, Result, UnrunPass
    from compilescope.report.style import Style

_MOST = 12
_MOST_IDS = 3


class _Own(NamedTuple):
    """A pass of the program's: by function, slot and place, so that one in two slots is two."""

    function: str
    slot: str | None
    file: str | None
    line: int | None


def custom_passes(result: Result, style: Style) -> list[str]:
    """The lines on custom passes, in the order in which they ran, then those that never did; none without any."""
    ran: dict[_Own, list[Pass]] = {}
    unrun: dict[_Own, list[UnrunPass]] = {}
    for step in cleaned([one for one in result.passes if one.custom]):
        ran.setdefault(_Own(step.function or step.name, step.slot, step.file, step.line), []).append(step)
    for one in cleaned(result.unrun):
        unrun.setdefault(_Own(one.function, one.slot, one.file, one.line), []).append(one)
    own = list(dict.fromkeys([*ran, *unrun]))
    if not own:
        return []
    lines = [f"{_name(each, style)}: {_outcome(ran.get(each, []), unrun.get(each, []))}" for each in own[:_MOST]]
    more = [f"  ... {len(own) - _MOST} more in --format json ..."] if len(own) > _MOST else []
    return [style.paint("strong", "Custom passes"), *(part for line in lines for part in _wrapped(line)), *more]


def _name(own: _Own, style: Style) -> str:
    """`fuse (post_grad_custom_post_pass, mine.py:12)`."""
    place = None if own.file is None else style.path(own.file) + ("" if own.line is None else f":{own.line}")
    about = ", ".join(filter(None, [own.slot, place]))
    return own.function.rpartition(".")[2] + (f" ({about})" if about else "")


def _outcome(ran: list[Pass], unrun: list[UnrunPass]) -> str:
    by_reason: dict[str, list[str]] = {}
    for one in unrun:
        by_reason.setdefault(one.reason, []).extend([one.compile_id] if one.compile_id else [])
    if not ran:
        each = "; ".join(f"{_in(ids)}: {reason}" if ids else reason for reason, ids in by_reason.items())
        return f"never ran {each}" if any(by_reason.values()) else f"never ran: {each}"
    left_out = [f"not {_in(ids)}: {reason}" for reason, ids in by_reason.items() if ids]
    return "; ".join([f"ran {_times(len(ran))}", _change(ran), *_failures(ran), *left_out])


def _in(ids: list[str]) -> str:
    """`in 0/0, 0/1`: at most three."""
    unique = list(dict.fromkeys(ids))
    more = f" and {len(unique) - _MOST_IDS} more" if len(unique) > _MOST_IDS else ""
    return f"in {', '.join(unique[:_MOST_IDS])}{more}" if unique else ""


def _change(ran: list[Pass]) -> str:
    changed = sum(one.changed for one in ran)
    if not changed:
        return "never changed the graph" if len(ran) > 1 else "did not change the graph"
    return "changed the graph" if changed == len(ran) == 1 else f"changed the graph {_times(changed)}"


def _failures(ran: list[Pass]) -> list[str]:
    return list(
        dict.fromkeys(
            f"failed with {': '.join(filter(None, [one.error, ' '.join((one.message or '').split())]))}"
            for one in ran
            if one.error is not None
        )
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
