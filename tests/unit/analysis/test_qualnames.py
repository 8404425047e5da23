"""What a function is called in full. The expected names are Python's own `__qualname__`, without its `<locals>`."""

import pytest
from compilescope.analysis.sources import Sources

TEXT = """\
def forward(x):
    return x

class Energy:
    def forward(self, x):
        def inner(y):
            return y
        return inner(x)

    class Part:
        @staticmethod
        def forward(x):
            return x

        async def later(self): ...

def make():
    class Local:
        def forward(self): ...
    return Local
"""
NAMES = {
    (1, "forward"): "forward",
    (5, "forward"): "Energy.forward",
    (8, "forward"): "Energy.forward",
    (6, "inner"): "inner",
    (11, "forward"): "Energy.Part.forward",
    (12, "forward"): "Energy.Part.forward",
    (15, "later"): "Energy.Part.later",
    (19, "forward"): "Local.forward",
    (5, "other"): "other",
    (99, "forward"): "forward",
}


@pytest.mark.parametrize(("place", "expected"), NAMES.items())
def test_names(place, expected):
    assert Sources({"a.py": TEXT}).qualified("a.py", *place) == expected


def test_a_file_that_nobody_has_or_that_is_no_python():
    assert Sources({}).qualified("/no/such/file.py", 1, "forward") == "forward"
    assert Sources({"a.py": "class A: def"}).qualified("a.py", 1, "forward") == "forward"
