"""The ranks of a job beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.report.html.markup import EMPTY, Markup, join, row, section, shortened, table, tag
from compilescope.report.ranks import described, headline, slowest

if TYPE_CHECKING:
    from compilescope.report.html.material import Material


def ranks(material: Material) -> Markup:
    """The section; empty for a run without several ranks."""
    found = material.result.ranks
    if found is None:
        return EMPTY
    rows = [
        row(title, tag("td", *(tag("div", shortened(one, 240)) for one in groups), class_="mono wrap"))
        for title, groups in described(found)
    ]
    parts = [table(["What differs", "Ranks"], rows, None, "Differences between ranks") if rows else EMPTY]
    told = join([tag("p", one, class_="dim") for one in slowest(found)])
    return section("ranks", "Ranks", headline(found).removeprefix("ranks: "), *parts, told)
