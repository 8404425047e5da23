import pytest
from compilescope.analysis.drawn import drawn
from compilescope.analysis.facts import Frame
from compilescope.analysis.sources import Source


def drew(setting: str, text: str) -> str | None:
    source = Source(f"k = random.random()\n\ndef run(x, c):\n    {setting}\n    y = {text}\n    k = random.gauss()\n")
    return drawn(source, Frame("a.py", 5, "run", 5, 8, 8 + len(text)))


@pytest.mark.parametrize("text", ["x.roll(k)", "x.roll(shifts=k)", "k", "k > 1", "range(0, k)"])
def test_a_number_is_known_by_what_it_was_set_to(text):
    assert drew("k = random.randint(0, 3)", text) == "random.randint"
    assert drew("k = np.random.randint(3)", text) == "np.random.randint"


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("k = x.sum()", "x.roll(k)"),
        ("k = random.randint(0, 3); k = x.sum()", "x.roll(k)"),
        ("k = random.randint(0, 3)", "(x * k).sum().item()"),
        ("k = random.randint(0, 3)", "x.sum() > k"),
        ("k = random.randint(0, 3)", "x.roll(c)"),
        ("pass", "x.roll(k)"),
    ],
)
def test_what_comes_from_elsewhere_is_not_drawn(setting, text):
    assert drew(setting, text) is None
