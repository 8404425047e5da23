"""Compile coverage in the formats of test coverage: LCOV and Cobertura."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from compilescope.analysis.coverage_model import CoveredLine, FunctionCoverage
from compilescope.analysis.model import Result, Run
from compilescope.report import cobertura, lcov

CWD = Path("/project")
RATES = {"line-rate", "branch-rate", "complexity"}
WHOLE = {"lines-covered", "lines-valid", "branches-covered", "branches-valid", "version", "timestamp"}
DTD = {
    "coverage": (["sources", "packages"], {*RATES, *WHOLE}),
    "sources": ("source", set()),
    "source": ([], set()),
    "packages": ("package", set()),
    "package": (["classes"], {"name", *RATES}),
    "classes": ("class", set()),
    "class": (["methods", "lines"], {"name", "filename", *RATES}),
    "methods": ("method", set()),
    "method": (["lines"], {"name", "signature", *RATES}),
    "lines": ("line", set()),
    "line": ([], {"number", "hits"}),
}
"""What coverage-04.dtd asks for: the children in order, or the name of any number of them, and the attributes."""


def function(name, line, *lines, file="/project/pkg/net.py"):
    return FunctionCoverage(file, name, line, line + 9, recorded=True, lines=list(lines))


def result(*functions):
    run = Run([], None, None, None, 0, 1.0, "/rec", "full", [], [], started="2026-01-02T03:04:05+00:00")
    return Result(run, [], [], [], [], {}, coverage=list(functions))


@pytest.fixture
def shown():
    lines = [
        CoveredLine(2, 4, "captured", "", ("0/0",), None, 7),
        CoveredLine(5, 5, "eager", "break"),
        CoveredLine(6, 6, "not_run"),
        CoveredLine(7, 7, "captured", "", ("1/0",), None, 0),
    ]
    return result(
        function("Net.forward", 1, *lines),
        function("run", 20, CoveredLine(21, 21, "skipped", "disabled")),
        function("idle", 30, CoveredLine(31, 31, "not_run")),
        function("other", 1, CoveredLine(2, 2, "captured", "", ("2/0",), None, 1), file="/elsewhere/a <b>&.py"),
    )


def test_lcov(shown):
    assert lcov.render(shown, CWD).splitlines() == [
        *("TN:compilescope", "SF:pkg/net.py", "FN:1,Net.forward", "FN:20,run", "FNDA:7,Net.forward", "FNDA:0,run"),
        *("FNF:2", "FNH:1", "DA:2,7", "DA:5,0", "DA:7,1", "DA:21,0", "LF:4", "LH:2", "end_of_record"),
        *("TN:compilescope", "SF:/elsewhere/a <b>&.py", "FN:1,other", "FNDA:1,other", "FNF:1", "FNH:1", "DA:2,1"),
        *("LF:1", "LH:1", "end_of_record"),
    ]


def test_cobertura_is_as_its_dtd_says(shown):
    text = cobertura.render(shown, CWD)
    assert text.splitlines()[1] == ('<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">')
    root = ET.fromstring(text)
    for one in root.iter():
        children, attributes = DTD[one.tag]
        names = [child.tag for child in one]
        assert set(names) <= {children} if isinstance(children, str) else names == children, one.tag
        assert set(one.attrib) == attributes, one.tag


def test_cobertura(shown):
    root = ET.fromstring(cobertura.render(shown, CWD))
    assert (root.get("lines-covered"), root.get("lines-valid"), root.get("line-rate")) == ("3", "5", "0.6")
    assert root.get("timestamp") == "1767323045000"
    assert [one.text for one in root.iter("source")] == ["/project"]
    assert [one.get("filename") for one in root.iter("class")] == ["pkg/net.py", "/elsewhere/a <b>&.py"]
    assert [one.get("name") for one in root.iter("package")] == ["pkg", ".elsewhere"]
    first = root.find(".//class")
    assert first is not None
    assert [(one.get("number"), one.get("hits")) for one in first.findall("lines/line")] == [
        *(("2", "7"), ("5", "0"), ("7", "1"), ("21", "0")),
    ]


def test_two_functions_of_one_name_are_told_apart():
    line = CoveredLine(2, 2, "captured")
    text = lcov.render(result(function("f", 1, line), function("f", 9, CoveredLine(10, 10, "eager"))), CWD)
    assert "FN:1,f:1\nFN:9,f:9\n" in text


@pytest.mark.parametrize(
    "file", ["/project/a\nSF:b.py", "/project/\x00\x1b.py", "/project/\ud800.py", "/project/]]>.py"]
)
def test_hostile_names_break_no_format(file):
    hostile = result(function("f", 1, CoveredLine(2, 2, "captured"), file=file))
    assert sum(line.startswith("SF:") for line in lcov.render(hostile, CWD).split("\n")) == 1
    assert len(list(ET.fromstring(cobertura.render(hostile, CWD)).iter("class"))) == 1


def test_nothing_compiled():
    assert not lcov.render(result(), CWD)
    assert ET.fromstring(cobertura.render(result(), CWD)).get("lines-valid") == "0"
