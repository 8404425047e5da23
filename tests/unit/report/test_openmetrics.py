"""The OpenMetrics text follows the specification, and its values are those of the run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from compilescope.analysis.caches import Lookup
from compilescope.report import openmetrics

from tests.unit.analysis.made import Made, frame

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*) (-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)")
_ABOUT = re.compile(r"# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)")


def parse(text: str) -> dict[str, float]:
    """The samples of gauges without labels; whatever the specification (1.0) does not allow of them fails."""
    assert text.endswith("# EOF\n")
    text.encode("utf-8")
    values: dict[str, float] = {}
    about: dict[str, dict[str, str]] = {}
    for line in text.removesuffix("# EOF\n").splitlines():
        if match := _ABOUT.fullmatch(line):
            key, name, said = match.groups()
            assert name not in values, "metadata stands before the sample"
            assert key not in about.setdefault(name, {}), "once each"
            about[name][key] = said
            continue
        sample = _SAMPLE.fullmatch(line)
        assert sample, line
        assert list(about)[-1] == sample[1], "families are not interleaved"
        assert sample[1] not in values
        values[sample[1]] = float(sample[2])
    assert all(one["TYPE"] == "gauge" for one in about.values())
    assert all(name.endswith("_" + one["UNIT"]) for name, one in about.items() if "UNIT" in one)
    return values


def test_figures(tmp_path: Path) -> None:
    made = Made(tmp_path, "def f(x):\n    return x\n")
    made.compiled("0/0", "f", 1, seconds=0.5)
    made.compiled("0/1", "f", 1, seconds=0.25)
    made.recompile("0/1", frame(made.file, 1, "f"), "L['n'] == 1")
    made.graph_break("0/0", [frame(made.file, 2, "f")])
    for outcome in ("hit", "miss", "miss", "miss"):
        made.event(f"fx_graph_cache_{outcome}", {"key": "k"}, "0/0")
    values = parse(openmetrics.render(made.result()))
    assert values["compilescope_compiles"] == 2
    assert values["compilescope_graph_breaks"] == 1
    assert values["compilescope_recompiles"] == 1
    assert values["compilescope_compile_seconds"] == 0.75
    assert values["compilescope_recompile_seconds"] == 0.25
    assert values["compilescope_cache_hit_ratio"] == 0.25
    assert "compilescope_guard_failure_ratio" not in values  # nothing counted look-ups


def test_a_run_that_counted_look_ups_has_all_figures(tmp_path: Path) -> None:
    result = Made(tmp_path).result()
    result.metrics |= {"guard_hits": 6, "guard_misses": 2, "limit_hits": 0, "failures": 1}
    result.caches = [Lookup("0/0", "fx_graph", "hit")]
    text = openmetrics.render(result)
    values = parse(text)
    assert values["compilescope_guard_failure_ratio"] == 0.25
    assert values["compilescope_cache_hit_ratio"] == 1
    names = ("compiles", "graph_breaks", "recompiles", "limit_hits", "failures", "guard_failure_ratio")
    names += ("compile_seconds", "recompile_seconds", "cache_hit_ratio")
    assert set(values) == {f"compilescope_{name}" for name in names}
    units = {name for name in names if f"# UNIT compilescope_{name} " in text}
    assert units == {"guard_failure_ratio", "compile_seconds", "recompile_seconds", "cache_hit_ratio"}


@pytest.mark.parametrize(
    "text",
    [
        "a 1\n",  # no end
        "# TYPE a gauge\na 1\n# EOF",  # the last line has no line feed
        "# TYPE a gauge\na 1\n# TYPE b gauge\na 2\n# EOF\n",  # interleaved
        "# TYPE a gauge\n# TYPE a gauge\na 1\n# EOF\n",  # twice
        "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",  # the unit is no end of the name
        "# TYPE a gauge\na None\n# EOF\n",
        "# TYPE a gauge\n\na 1\n# EOF\n",  # an empty line
    ],
)
def test_the_checker_refuses_what_the_specification_does(text: str) -> None:
    with pytest.raises((AssertionError, KeyError)):
        parse(text)


def test_nothing_compiled(tmp_path: Path) -> None:
    values = parse(openmetrics.render(Made(tmp_path).result()))
    assert values["compilescope_compiles"] == 0
    assert values["compilescope_recompile_seconds"] == 0
    assert "compilescope_cache_hit_ratio" not in values
