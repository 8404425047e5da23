"""Torch's logs, recorded: the same records as `TORCH_LOGS` prints, while the program prints what it prints anyhow."""

import re
from collections import Counter

import pytest

pytestmark = pytest.mark.torch

SETTINGS = "+dynamo,graph_breaks,output_code"
PROGRAM = """
    import logging
    import torch

    @torch.compile
    def f(x):
        y = x.sin()
        print("a break")
        return y.cos() + 1

    for n in (3, 4):
        f(torch.ones(n))
    dynamo = logging.getLogger("torch._dynamo")
    late = logging.getLogger("torch._dynamo.late.module")
    late.debug("a late logger, %s", "formatted")
    late.error("an error")
    logging.getLogger("torch._inductor.late").debug("nobody asked for this")
    print(dynamo.level, dynamo.getEffectiveLevel(), [type(one).__name__ for one in dynamo.handlers], dynamo.propagate)
"""
LINE = re.compile(r"(.)\d{4} [\d:.]+ \d+ (\S+?):(\d+)\](?: \[([^_\]][^\]]*)\])?(?: \[__(\w+)\])?(?: |$)")
AS_TRACED = {
    "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
    "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
    "INDUCTOR_PROVENANCE": "2",
}
"""What a trace sets, so that both compile the same."""


@pytest.fixture(scope="module")
def runs(shared_runner):
    """The program with its logs recorded; with torch printing them, untraced; and with neither."""
    shared_runner.write("logged.py", PROGRAM)
    recorded = shared_runner.traced("logged.py", more={"logs": SETTINGS})
    printed = shared_runner.plain("logged.py", env={"TORCH_LOGS": SETTINGS, **AS_TRACED})
    return recorded, printed, shared_runner.plain("logged.py")


@pytest.fixture(scope="module")
def logged(runs):
    return [(event.envelope, event.body) for event in runs[0].events if event.name == "compilescope_log"]


def unstamped(line):
    """A line that torch printed, without time, process and numbers that differ from run to run."""
    line = re.sub(r"^(.)\d{4} [\d:.]+ \d+ ", r"\1 ", line)
    return re.sub(r"0x[0-9a-f]+|\b\d{9,}\b|[0-9a-f]{8}[-_][-_0-9a-f]{20,}|[\d.]+ us|[\d.]+s\b", "#", line)


def lines_of(text):
    """How often torch printed a line: letter of its level, file (of ours the name), line, compile, artifact."""
    found = Counter()
    for line in text.splitlines():
        match = LINE.match(line)
        assert match, line
        letter, file, number, compile_, artifact = match.groups()
        name = file.rpartition("/")[2] if file.endswith("logged.py") else file
        found[letter, name, int(number), compile_, artifact] += 1
    return found


def compile_id(envelope):
    if "frame_id" not in envelope:
        return None
    attempt = f"_{envelope['attempt']}" if envelope["attempt"] else ""
    return f"{envelope['frame_id']}/{envelope['frame_compile_id']}{attempt}"


def test_the_program_prints_what_it_prints_without_us(runs):
    recorded, _, plain = runs
    assert (recorded.out, recorded.code) == (plain.out, plain.code)
    assert [unstamped(line) for line in recorded.err.splitlines()] == [
        unstamped(line) for line in plain.err.splitlines()
    ]
    assert plain.err.endswith("an error\n")


def test_every_line_that_torch_prints_is_recorded_with_its_place_level_compile_and_artifact(runs, logged):
    printed, anyhow = lines_of(runs[1].err), lines_of(runs[2].err)
    ours = Counter()
    for envelope, body in logged:
        letter = {"DEBUG": "V"}.get(body["level"], body["level"][0])
        file = body["file"].rpartition("/")[2] if body["file"].endswith("logged.py") else body["file"]
        lines = body["message"].count("\n") + 1
        ours[letter, file, body["line"], compile_id(envelope), body["artifact"]] += lines
    assert not ours - printed
    assert not printed - ours - anyhow  # warnings of other logs, which torch prints without being asked
    assert ours


def test_the_bytes_are_those_that_torch_prints(runs, logged):
    printed = len(runs[1].err.encode())
    assert sum(body["bytes"] for _, body in logged) == pytest.approx(
        printed, abs=0.01 * printed
    )  # ids, times, addresses


def test_loggers_that_are_made_later_are_recorded_too_and_no_others(logged):
    messages = {(body["component"], body["level"], body["message"]) for _, body in logged}
    assert ("dynamo", "DEBUG", "a late logger, formatted") in messages
    assert ("dynamo", "ERROR", "an error") in messages
    assert not any("nobody asked" in message for _, _, message in messages)
    assert {body["component"] for _, body in logged if body["artifact"] == "output_code"} == {"inductor"}


def test_what_was_asked_for_is_recorded(runs):
    (choice,) = runs[0].bodies("log_choice")
    assert choice["settings"] == SETTINGS
    assert {(one["name"], one["kind"], one["level"]) for one in choice["names"]} == {
        ("dynamo", "component", "DEBUG"),
        ("graph_breaks", "artifact", "DEBUG"),
        ("output_code", "artifact", "DEBUG"),
    }


def test_the_users_own_torch_logs_print_the_same_while_traced(runner):
    """Also the stacks of compiles, in which our own frames stand otherwise."""
    runner.write("own.py", PROGRAM)
    env = {"TORCH_LOGS": "+dynamo,-inductor", **AS_TRACED}
    traced = runner.traced("own.py", depth="capture", env=env, more={"logs": "output_code"})
    plain = runner.plain("own.py", env=env)

    def starts(text):
        return [unstamped(line) for line in text.splitlines() if "convert_frame.py" in line]

    assert starts(traced.err) == starts(plain.err)
    assert starts(plain.err)


def test_nothing_is_touched_without_being_asked(runner):
    runner.write("plain.py", "import logging, torch; print('handle' in vars(logging.getLogger('torch._dynamo')))")
    traced = runner.traced("plain.py")
    assert traced.out == "False\n"
    assert not traced.bodies("log_choice")


def test_too_much_is_counted_and_not_kept(runner):
    runner.write(
        "much.py",
        """
        import logging, torch
        log = logging.getLogger("torch._dynamo.much")
        for number in range(300):
            log.debug("x" * 300_000)
        """,
    )
    traced = runner.traced("much.py", more={"logs": "+dynamo"})
    kept = [one for one in traced.bodies("log") if one["logger"] == "torch._dynamo.much"]
    assert all(len(one["message"]) == 1 << 18 and one["cut"] == 300_000 - (1 << 18) for one in kept)
    assert sum(len(one["message"]) for one in kept) <= (1 << 26) + (1 << 18)
    (end,) = traced.bodies("exit")
    dropped = sum(one["records"] for one in end["log_dropped"] if one["component"] == "dynamo")
    assert len(kept) + dropped == 300
