"""Likely breaks before any run: shown only when asked for, and only until a run has an answer."""

import pytest

GUESSED = [(6, 7, 20)]
"""`h.max() > 1.0` in SCRIPT: line from 0, first and last column."""


@pytest.fixture
def options():
    return {"client": "vscode", "staticHints": True}


def guesses(client, uri):
    return [one for one in client.diagnostics.get(uri, []) if one.code == "guess"]


def places(client, uri):
    return [(one.range.start.line, one.range.start.character, one.range.end.character) for one in guesses(client, uri)]


async def test_an_open_file_has_its_likely_breaks_marked_as_guesses(client, script):
    uri = client.open(script)
    await client.until(lambda: guesses(client, uri))
    assert places(client, uri) == GUESSED
    (one,) = guesses(client, uri)
    assert one.severity == 4
    assert one.source == "compilescope"
    assert "Likely" in one.message
    assert "guess" in one.message


async def test_guesses_follow_edits_and_go_when_the_file_is_closed(client, script):
    uri = client.open(script)
    await client.until(lambda: guesses(client, uri))
    client.edit(uri, 2, 0, (0, 0), "# a line\n")
    await client.until(lambda: places(client, uri) == [(7, 7, 20)])
    client.edit(uri, 3, 7, (7, 20), "True")
    await client.until(lambda: not guesses(client, uri))


async def test_a_run_on_show_takes_the_place_of_the_guesses(client, script, made):
    uri = client.open(script)
    await client.until(lambda: guesses(client, uri))
    await client.ask("compilescope/openRecording", path=str(made.folder))
    await client.until(lambda: not guesses(client, uri))
    assert any(one.range.start.line == GUESSED[0][0] for one in client.diagnostics[uri])  # the finding itself
    await client.ask("compilescope/clear")
    await client.until(lambda: places(client, uri) == GUESSED)


async def test_a_file_that_is_no_python_has_none(client, workspace):
    broken = workspace / "broken.py"
    broken.write_text("import torch\n@torch.compile\ndef f(x:\n")
    uri = client.open(broken)
    good = client.open(workspace / "script.py")
    await client.until(lambda: guesses(client, good))
    assert not guesses(client, uri)


async def test_they_can_be_turned_off_and_on(client, script):
    uri = client.open(script)
    await client.until(lambda: guesses(client, uri))
    await client.ask("compilescope/setStaticHints", enabled=False)
    await client.until(lambda: not guesses(client, uri))
    await client.ask("compilescope/setStaticHints", enabled=True)
    await client.until(lambda: places(client, uri) == GUESSED)


class TestOffByDefault:
    @pytest.fixture
    def options(self):
        return {"client": "vscode"}

    async def test_nothing_is_guessed_unless_asked_for(self, client, script):
        uri = client.open(script)
        await client.ask("compilescope/runs")
        await client.ask("compilescope/setStaticHints", enabled=True)
        await client.until(lambda: guesses(client, uri))
        assert len(client.published) == 1  # the first ones came with the request
