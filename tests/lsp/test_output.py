"""A program's output is passed on whole when it is slow, and bounded when it floods."""

import time

from compilescope.lsp.output import BURST, PER_SECOND, TAIL, OutputGate


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_ordinary_output_passes_unchanged():
    gate = OutputGate(clock=Clock())
    gate.write("grüße ".encode()[:4])
    gate.write("grüße ".encode()[4:])
    assert gate.take() + gate.take(final=True) == "grüße "


def test_a_character_cut_in_two_is_put_together():
    gate = OutputGate(clock=Clock())
    gate.write("ü".encode()[:1])
    assert gate.take() == ""
    gate.write("ü".encode()[1:])
    assert gate.take() == "ü"


def test_a_flood_is_bounded_and_its_end_comes():
    gate = OutputGate(clock=Clock())
    began = time.monotonic()
    sent = 0
    for _ in range(1600):
        gate.write(b"x" * (1 << 16))
        sent += len(gate.take())
    gate.write(b"the end")
    rest = gate.take(final=True)
    assert rest.endswith("the end")
    assert "left out 10" in rest  # MB of the 104.9 that were written
    assert sent + len(rest) <= BURST + TAIL + 100
    assert time.monotonic() - began < 2


def test_a_long_quiet_program_is_never_cut():
    clock, gate, received = Clock(), None, []
    gate = OutputGate(clock=clock)
    for step in range(100):
        gate.write(f"{step:06}".encode() * (PER_SECOND // 12))
        clock.now += 1
        received.append(gate.take())
    assert "".join(received) == "".join(f"{step:06}" * (PER_SECOND // 12) for step in range(100))


def test_after_a_flood_output_flows_again():
    clock = Clock()
    gate = OutputGate(clock=clock)
    gate.write(b"x" * (BURST * 3))
    gate.take()
    clock.now += 10
    assert "left out" in gate.take()
    gate.write(b"again")
    assert gate.take() == "again"
