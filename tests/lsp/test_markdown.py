"""Text from a recording can never become a link, an image, HTML or a command."""

import json
import re
from urllib.parse import unquote

import pytest
from compilescope.lsp.markdown import Style, block, cell, code, escape, prose, safe_href
from hypothesis import given
from hypothesis import strategies as st

HOSTILE = [
    "[x](command:workbench.action.terminal.sendSequence)",
    "`[x](command:a)`",
    "``` \n[x](command:a)",
    "<a href='command:a'>x</a>",
    "![x](https://example.com/x.png)",
    "\\[x](command:a)",
    "a|b|[x](command:a)",
    "<https://example.com>",
    "x\n\n[x](command:a)",
    "$(zap) &lt;b&gt;",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_has_no_live_markup(text):
    shown = prose(text)
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", shown)
    assert not re.search(r"(?<!\\)[\[\]<>|]", outside)
    assert "\n" not in shown


@given(st.text())
def test_a_code_span_ends_where_it_should(text):
    span = code(text)
    flat = " ".join(text.split())
    if not flat:
        assert span == ""
        return
    fence = re.match(r"`+", span)[0]
    inner = span[len(fence) : -len(fence)]
    assert span.endswith(fence)
    assert all(run != fence for run in re.findall(r"`+", inner))
    assert inner.strip(" ") == flat.strip(" ")


@given(st.text())
def test_a_block_ends_where_it_should(text):
    fence = re.match(r"`+", block(text))[0]
    body = block(text)[len(fence) + len("python\n") : -len(fence)]
    assert all(len(run) < len(fence) for run in re.findall(r"`+", body))


def test_a_pipe_does_not_end_a_cell():
    assert cell(code("a | b")) == r"`a \| b`"


@pytest.mark.parametrize(
    "href", [None, "command:x", "javascript:1", "https://a b", "https://a)(command:x", "file:///x"]
)
def test_unsafe_addresses_are_refused(href):
    assert safe_href(href) is None


def test_a_command_link_carries_its_argument():
    link = Style(trusted=True).command("Graph", "showGraph", {"recording": "/a (b)/c", "compileId": "0/0"})
    query = re.fullmatch(r"\[Graph\]\(command:compilescope\.showGraph\?([^()\s]+)\)", link)[1]
    assert json.loads(unquote(query)) == [{"recording": "/a (b)/c", "compileId": "0/0"}]


def test_other_clients_get_no_commands():
    plain = Style(trusted=False)
    assert plain.command("Graph", "showGraph", {}) == ""
    assert plain.icon("zap") == ""
    assert plain.dim("torch") == "torch"


def test_escape_keeps_the_characters():
    assert escape("a_b *c* x.y (z) - 1") == r"a_b \*c\* x.y (z) - 1"
