"""The table of recompiles below a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.analysis.ours import items
from compilescope.analysis.price import told
from compilescope.analysis.rounding import rounded
from compilescope.analysis.shown_values import shown_pair
from compilescope.report.html.figures import NOTHING, number, plain
from compilescope.report.html.markup import Markup, join, prose, right, row, shortened, table, tag
from compilescope.report.recompiles import coming

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding

_MOST = 12
_TEXT = 160


def of_finding(finding: Finding) -> Markup | None:
    """Each recompile of a finding with the check that failed and its values; None when it has none."""
    every = [one for one in items(finding.detail.get("recompiles")) if isinstance(one, dict)]
    if not every:
        return None
    shown = every if len(every) <= _MOST else [*every[: _MOST - 3], *every[-3:]]
    rows = [_recompile(one) for one in shown]
    if len(every) > len(shown):
        gap = tag("td", f"… {len(every) - len(shown)} more …", colspan=5, class_="dim")
        rows.insert(_MOST - 3, tag("tr", gap))
    head = ["Compile", "Check that failed", "Old → new", "Called from", right("Seconds")]
    price = finding.detail.get("price")
    said = " ".join(
        filter(None, [told(price, finding.count) if isinstance(price, dict) else "", _sentence(coming(finding.detail))])
    )
    return join([table(head, rows, "inner", "Recompiles"), tag("p", prose(said)) if said else None])


def _recompile(one: dict[str, Any]) -> Markup:
    caller = one.get("caller")
    place = f"{caller.get('file')}:{caller.get('line')}" if isinstance(caller, dict) else NOTHING
    spent = one.get("seconds")
    return row(
        tag("td", shortened(one.get("compile_id") or "", 40), class_="mono"),
        tag("td", _check(one), class_="mono wrap"),
        tag("td", _change(one), class_="mono wrap"),
        tag("td", shortened(place, 200), class_="mono dim"),
        number(plain(spent) if isinstance(spent, (int, float)) else NOTHING),
    )


def _check(one: dict[str, Any]) -> str:
    said = one.get("check") or one.get("guard") or one.get("expression") or "?"
    return shortened(rounded(" ".join(str(said).replace("`", "").split())), _TEXT)


def _change(one: dict[str, Any]) -> str:
    old, new = (None if one.get(key) is None else str(one[key]) for key in ("old", "new"))
    pair = shown_pair(old, new)
    return " → ".join(shortened(value, _TEXT // 2) for value in pair) if pair else NOTHING


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""
