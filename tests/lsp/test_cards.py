"""The cards: what stands in them and in which order."""

from __future__ import annotations

import re

from compilescope.analysis.model import Finding, Position, Range
from compilescope.lsp.cards import Cards
from compilescope.lsp.client import COMMANDS
from compilescope.lsp.markdown import Style
from compilescope.lsp.wording import message

PLACE = Range(Position(14, 11), Position(14, 32))
TRUSTED = Cards(Style(trusted=True), COMMANDS)
PLAIN = Cards(Style(trusted=False))


def finding(rule="graph-break", **changes):
    values = {
        "rule": rule,
        "severity": "warning",
        "file": "/project/demo.py",
        "range": PLACE,
        "title": "`print` can't be part of a graph",
        "explanation": "Printing is a side effect; a graph holds tensor operations only.",
        "reason": "Failed to trace builtin operator",
        "class_": "python-feature",
        "stage": "capture",
        "code": "GB0059",
        "href": "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0059.html",
        "compile_ids": ["1/0"],
        "cost_s": 0.31,
        "detail": {"gb_type": "Failed to trace builtin operator", "resumed": ["2/0"], "write": "pass  # 1 | 2"},
    }
    return Finding(**{**values, **changes})


def recompiles(count):
    rows = [
        {
            "compile_id": f"0/{number}",
            "guard": f"sigma == {1 / number}",
            "expression": "sigma",
            "old": str(1 / number),
            "new": str(1 / (number + 1)),
            "caller": {"file": __file__, "line": 39, "function": "<module>"},
            "seconds": 0.5,
        }
        for number in range(1, count + 1)
    ]
    detail = {"function": "denoise", "recompiles": rows, "versions": count + 1, "limit": 8, "label": "`sigma` changed"}
    return finding("recompile", title="`denoise` was recompiled", count=count, cost_s=0.5 * count, detail=detail)


def table(card):
    return [line for line in card.splitlines() if line.startswith("| ")]


def test_what_cost_write_why_torch_in_this_order():
    card = TRUSTED.card(finding(), "/rec")
    parts = ["$(warning) **The graph ends here", "**Cost.**", "**Write**", "Graph](", "**Why.**", "torch: Failed"]
    assert [card.index(part) for part in parts] == sorted(card.index(part) for part in parts)
    assert "```python\npass  # 1 | 2\n```" in card
    assert "0.31 s more compiling · one more graph: [`2/0`](command:" in card
    assert '<span style="color:var(--vscode-descriptionForeground);">torch: ' in card


def test_the_same_text_for_other_editors():
    plain = PLAIN.card(finding(), "/rec")
    assert not re.search(r"command:|\$\(|<span|&nbsp;", plain)
    trusted = TRUSTED.card(finding(), "/rec")
    for words in ("The graph ends here, and a new one starts after it", "0.31 s more compiling", "Printing is a side"):
        assert words in plain
        assert words in trusted
    assert "[GB0059](https://" in plain


def test_torchs_page_comes_before_ours():
    assert "$(book) GB0059](https://" in TRUSTED.card(finding(), "/rec")
    own = "$(book) fallback-op](file://"
    odd = finding("fallback-op", code="fallback-op", href="javascript:alert(1)")
    for one in (odd, finding("fallback-op", code="fallback-op", href=None)):
        assert own in TRUSTED.card(one, "/rec")
        assert "fallback-op.md" not in PLAIN.card(one, "/rec")


def test_only_commands_that_the_extension_has():
    card = Cards(Style(trusted=True), frozenset({"showGraph"})).card(finding(), "/rec")
    assert set(re.findall(r"command:(\S+?)\?", card)) == {"compilescope.showGraph"}


def test_the_recompile_table():
    card = TRUSTED.card(recompiles(4), "/rec")
    assert card.startswith("$(refresh) **denoise was compiled 5 times for 5 values of** `sigma` · 2.00 s")
    head, *rows, total = table(card)
    assert head.startswith("| # | Guard that failed | Old → new | Caller |")
    assert len(rows) == 4
    assert "`sigma == 0.3333` | `0.3333` → `0.25` | [line 39](file://" in rows[2]
    assert "**2.00**" in total
    assert "**Next.** 3 more versions fit." in card


def test_a_long_table_is_cut_in_the_middle():
    rows = table(PLAIN.card(recompiles(12), "/rec"))
    numbers = [row.split("|")[1].strip() for row in rows]
    assert numbers == ["#", "1", "2", "3", "4", "", "11", "12", ""]
    assert "… 6 more …" in rows[5]


def test_messages():
    assert message(finding(detail={"label": "runs in Python, between two graphs"})) == (
        "Graph break: `print` can't be part of a graph. Runs in Python, between two graphs."
    )
    assert message(recompiles(4)) == "Recompiled 4 times, 2.00 s: `sigma` changed."
    assert message(recompiles(1)) == "Recompiled once, 0.50 s: `sigma` changed."
    inert = finding(rule="pass-inert", title="the custom pass `balance` never ran", detail={"label": "never ran"})
    assert message(inert) == "Pass without effect: the custom pass `balance` never ran."


def test_a_stale_card_says_so():
    card = PLAIN.card(finding(), "/rec", stale="from the run at 14:02")
    assert card.startswith("From the run at 14:02, before this line was edited.")


def test_odd_details_do_no_harm():
    odd = {"recompiles": [None, {"caller": {"line": "x"}, "seconds": "y"}], "versions": "?", "skipped": 3, "chain": [1]}
    for rule in ("recompile", "recompile-limit", "frame-skipped", "compile-error", "fallback-op", "graph-break-error"):
        assert PLAIN.card(finding(rule, detail=odd, href=None, explanation="", reason=""), "/rec")
