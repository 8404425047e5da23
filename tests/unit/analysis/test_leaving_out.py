import pytest
from compilescope.analysis.facts import Frame
from compilescope.analysis.leaving_out import may_be_left_out
from compilescope.analysis.sources import Source


def left_out(line: str, call: str) -> bool:
    start = line.index(call)
    source = Source(f"def run(x, c):\n    {line}\n")
    return may_be_left_out(source, Frame("a.py", 2, "run", 2, start + 4, start + 4 + len(call)))


@pytest.mark.parametrize(
    "line",
    [
        'print("a", x.shape)',
        "print(f'{x.sum().item():.2f}', len(c), sep='')",
        'log.info("norm %s", x.norm())',
        'logging.getLogger("a").warning("x")',
        "warnings.warn(str(x[0] + 1))",
    ],
)
def test_a_call_that_only_writes_can_be_left_out(line):
    assert left_out(line, line)


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("print(x.add_(1))", "print(x.add_(1))"),
        ('print("next", next(c))', 'print("next", next(c))'),
        ('log.info("pop %s", c.pop())', 'log.info("pop %s", c.pop())'),
        ("r = print(y := x + 1)", "print(y := x + 1)"),
        ("print(y := x + 1)", "print(y := x + 1)"),
        ('msg = print("x") or "none"', 'print("x")'),
        ('print("a") if c else None', 'print("a")'),
        ('y = x + (0 if print("q") is None else 1)', 'print("q")'),
        ('if c: print("a")', 'print("a")'),
        ("print((yield x))", "print((yield x))"),
        ("print(step(x))", "print(step(x))"),
        ("print(self.layers[0](x))", "print(self.layers[0](x))"),
    ],
)
def test_a_call_that_is_needed_or_does_more_can_not(line, call):
    assert not left_out(line, call)


def test_without_a_column_or_a_source_it_is_not_known():
    assert not may_be_left_out(Source("print(1)\n"), Frame("a.py", 1))
    assert not may_be_left_out(None, Frame("a.py", 1, "", 1, 0, 8))
