"""Hovers for clients that show no Markdown."""

from __future__ import annotations

import pytest
from compilescope.lsp.markdown import Style, block, cell, code, prose
from compilescope.lsp.plain import plain_text
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from .made import CONDITION
from .test_cards import PLAIN, finding, recompiles
from .test_markdown import HOSTILE

WORDS = st.text(st.sampled_from("ab3 `*_\\|[]()<>$#~&@.:/-"))


@given(WORDS)
def test_code_comes_back_as_it_was(text):
    flat = " ".join(text.split())
    assert plain_text(f"torch: {code(text)}") == f"torch: {flat}".strip()


@given(WORDS.filter(lambda text: "`" not in text))
def test_prose_comes_back_as_it_was(text):
    assert plain_text(f"**Why.** {prose(text)}").split() == ["Why.", *text.split()]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_prose_comes_back_as_words(text):
    if "`" not in text:
        assert plain_text(prose(text)) == " ".join(text.split())


def test_a_block_is_indented_and_stays_as_it_is():
    text = "if **x**:\n\n    y = `1`  # [a](b)\n```"
    expected = "Write\n    if **x**:\n\n        y = `1`  # [a](b)\n    ```\nThen this."
    assert plain_text(f"**Write**\n{block(text)}\nThen *this*.") == expected


def test_a_link_is_its_label_and_address():
    link = Style(trusted=False).link(prose("GB0059 [x]"), "https://example.com/gb.html")
    assert plain_text(link) == "GB0059 [x] (https://example.com/gb.html)"


def test_a_table_has_columns():
    rows = [f"| {cell(code('a | b'))} | `1` → `0.5` |", "| **Total** | **2.00** |"]
    assert plain_text("\n".join(["| Guard | Old |", "|:--|--:|", *rows])).splitlines() == [
        "Guard  Old",
        "a | b  1 → 0.5",
        "Total  2.00",
    ]


def test_whole_cards():
    text = plain_text(PLAIN.card(recompiles(4), "/rec"))
    assert text.startswith("denoise was compiled 5 times for 5 values of sigma · 2.00 s")
    (row,) = [line.split() for line in text.splitlines() if line.startswith("3 ")]
    assert row == ["3", "sigma", "==", "0.3333", "0.3333", "→", "0.25", "line", "39", "0/3", "0.50"]
    assert "At the limit of 8 (recompile_limit)" in text
    text = plain_text(PLAIN.card(finding(), "/rec"))
    assert "Write\n    pass  # 1 | 2" in text
    assert "GB0059 (https://meta-pytorch.github.io/" in text


@pytest.fixture
def options():
    return None


@pytest.fixture
def capabilities():
    hover = types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
    return types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(hover=hover))


async def test_a_client_that_asked_for_plain_text(client, made, script):
    uri = client.open(script)
    await client.ask("compilescope/openRecording", path=str(made.folder))
    for line, column in ((CONDITION[0], CONDITION[1]), (5, 10)):
        contents = (await client.hover(uri, line, column)).contents
        assert contents.kind == types.MarkupKind.PlainText
        assert "Why. " in contents.value
        assert not [sign for sign in ("**", "`", "](", "|") if sign in contents.value]
