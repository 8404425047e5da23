"""Search: hits beside a plain look through the raw log; what is told twice or not at all; hostile patterns and logs."""

from __future__ import annotations

import contextlib
import lzma
import re
import shutil
from pathlib import Path

import pytest
from compilescope.analysis.search import KINDS, MOST, BadPattern, Ended, Known, Query, grouped, search, to_json
from compilescope.analysis.search.deadline import deadlines
from compilescope.recording.reader import Recording
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.recording.made import artifact, in_compile, record

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LOG = "dedicated_log_torch_trace_x.log"


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """A log of torch 2.9.1 alone."""
    path = tmp_path_factory.mktemp("foreign") / LOG
    path.write_bytes(lzma.decompress((FIXTURES / "tlparse" / "mixed-torch-2.9.1.log.xz").read_bytes()))
    return path


@pytest.fixture(scope="module")
def known(foreign):
    with Recording.open(foreign) as recording:
        yield Known(recording)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """A recording of ours, made on a GPU."""
    folder = tmp_path_factory.mktemp("ours") / "h200"
    shutil.copytree(FIXTURES / "h200", folder)
    with Recording.open(folder) as recording:
        yield Known(recording)


def hits(known, text, **options):
    options = {"limit": 0, **options}
    *found, end = search(known, Query(text, **options))
    assert isinstance(end, Ended)
    assert end.hits == len(found)
    return found


def payload_lines(log):
    """Each line of each payload of a whole log: offset of the event's JSON, number from 1, text."""
    offset, event, number = 0, 0, 0
    for raw in log.read_bytes().split(b"\n"):
        if raw.startswith(b"\t"):
            number += 1
            yield event, number, raw[1:].decode()
        else:
            event, number = offset + raw.find(b"] ") + 2, 0
        offset += len(raw) + 1


@pytest.mark.parametrize("text", ["aten.add", "F32[", "relu", "graph_break", "async_compile", "no such text", "é"])
def test_payload_lines_are_those_that_a_plain_look_finds(known, foreign, text):
    expected = [(event, number) for event, number, line in payload_lines(foreign) if text.lower() in line.lower()]
    found = hits(known, text, kinds=["text"])
    assert [(hit.offset, hit.payload_line) for hit in found] == expected
    for hit in found:
        assert hit.text[hit.start : hit.end].lower() == text.lower()
        assert len(hit.text) <= 242


@pytest.mark.parametrize("pattern", [r"aten\.(add|mul)\.\w+", r"^\s*return ", r"\bL\['\w+'\]"])
def test_regular_expressions_are_matched_line_by_line(known, foreign, pattern):
    expected = [
        (event, number) for event, number, line in payload_lines(foreign) if re.search(pattern, line, re.IGNORECASE)
    ]
    assert expected
    assert [(hit.offset, hit.payload_line) for hit in hits(known, pattern, regex=True, kinds=["text"])] == expected


def test_case_counts_only_when_it_is_asked_for(known, foreign):
    lines = [line for _, _, line in payload_lines(foreign)]
    assert len(hits(known, "GraphModule", kinds=["text"], case=True)) == sum("GraphModule" in line for line in lines)
    assert hits(known, "GRAPHMODULE", kinds=["text"], case=True) == []
    assert hits(known, "GRAPHMODULE", kinds=["text"])


def test_guards_are_the_lines_of_torchs_trees(known, foreign):
    text = foreign.read_text()
    lines = [line for line in text.split("\n") if re.match(r"\t(\| )*\+- ", line) and "TENSOR_MATCH" in line]
    found = [hit for hit in hits(known, "tensor_match", kinds=["guard"]) if hit.event]
    assert sorted(hit.text[: hit.text.find("(")] for hit in found) == sorted(
        line.strip("\t|+- ")[: line.strip("\t|+- ").find("(")] for line in lines
    )
    assert {hit.name for hit in found} == {"TENSOR_MATCH"}
    assert all(hit.compile_id for hit in found)


def test_guards_that_failed_come_first_with_their_line(known):
    found = hits(known, "==", kinds=["guard"])
    failed = [hit for hit in found if hit.name == "failed guard"]
    assert failed
    assert found[: len(failed)] == failed


def test_nodes_of_printed_graphs_are_found_by_operator_and_by_shape(known, foreign):
    lines = [line for _, _, line in payload_lines(foreign)]
    printed = [found for line in lines if (found := re.match(r"\s+(\w+): \".*\" = torch\.ops\.(aten\.\w+)\.", line))]
    operator = printed[0][2]
    assigned = {found[1] for found in printed if found[2] == operator}
    assert {hit.node for hit in hits(known, f"ops.{operator}.", kinds=["node"])} == assigned
    shape = next(found[0] for line in lines if (found := re.search(r"f32\[\d+, \d+\]", line)))
    found = hits(known, shape, kinds=["node"])
    assert found
    assert all(shape in hit.text and hit.snapshot and hit.stage for hit in found)
    assert len({(hit.compile_id, hit.text) for hit in found}) == len(found), "once in each compile"


def test_nodes_of_snapshots_lead_to_where_they_are(ours):
    found = hits(ours, "aten.mm.default", kinds=["node"])
    assert found
    for hit in found:
        event = next(
            one
            for one in ours.recording.events("compilescope_snapshot")
            if ours.recording.json(one)["id"] == hit.snapshot
        )
        nodes = {node["name"]: node for node in ours.recording.json(event)["nodes"]}
        assert "aten.mm.default" in {nodes[hit.node]["target"], *hit.text.split()} or "aten.mm" in hit.text


def test_kernels_passes_functions_and_source_of_a_recording_of_ours(ours):
    result = ours.result
    kernel = next(one.name for one in result.kernels if one.name.startswith("triton_"))
    expected = {(one.compile_id, one.name) for one in result.kernels if kernel in one.name}
    assert {(hit.compile_id, hit.name) for hit in hits(ours, kernel.upper(), kinds=["kernel"])} >= expected
    ran = result.passes[0]
    assert (ran.compile_id, ran.name) in {(hit.compile_id, hit.name) for hit in hits(ours, ran.name, kinds=["pass"])}
    function = result.compiles[0]
    found = hits(ours, function.function, kinds=["function"])
    assert (function.file, function.line) in {(hit.file, hit.line) for hit in found}
    sources = [ours.recording.json(event) for event in ours.recording.events("compilescope_source")]
    expected = [
        (one["file"], number)
        for one in sources
        for number, line in enumerate(one["text"].splitlines(), 1)
        if "torch.compile" in line
    ]
    found = hits(ours, "TORCH.compile", kinds=["source"])
    assert [(hit.file, hit.line) for hit in found] == expected
    texts = {one["file"]: one["text"].splitlines() for one in sources}
    assert all(texts[hit.file][hit.line - 1][hit.column - 1 :].startswith("torch.compile") for hit in found)


def test_events_spans_and_files(known, foreign):
    envelopes = [line for line in foreign.read_text().split("\n") if line and not line.startswith("\t")]
    named = hits(known, "compilation_metrics", kinds=["event"])
    metrics = [line for line in envelopes if '{"compilation_metrics": ' in line]
    assert ("compilation_metrics", len(metrics)) in {(hit.text, hit.count) for hit in named}
    span = hits(known, "entire_frame_compile", kinds=["event"])
    spans = [line for _, _, line in payload_lines(foreign) if re.search(r'^\{?\s*"name": "entire_frame_compile"', line)]
    assert sum(hit.count for hit in span if hit.event == "chromium_event") == len(spans)
    interned = {line.partition('"str": ["')[2].partition('"')[0] for line in envelopes if '{"str": ' in line}
    wanted = {name for name in interned if name.endswith("mixed.py")}
    assert wanted
    assert {hit.file for hit in hits(known, "mixed.py", kinds=["file"])} == wanted


def test_findings_are_found_by_their_own_words_and_by_torchs(known):
    finding = known.result.findings[0]
    for text in (finding.rule, finding.title, finding.reason.splitlines()[0]):
        found = hits(known, text, kinds=["finding"])
        assert (finding.rule, finding.file, finding.range.start.line + 1) in {
            (hit.name, hit.file, hit.line) for hit in found
        }
        assert finding.title in {hit.title for hit in found}


def test_kinds_come_in_their_order_and_a_limit_is_said(known):
    found = hits(known, "a")
    order = [KINDS.index(hit.kind) for hit in found]
    assert order == sorted(order)
    *few, end = search(known, Query("a", limit=7))
    assert few == found[:7]
    assert (end.stopped, end.hits) == ("limit", 7)
    *all_, end = search(known, Query("a", limit=len(found)))
    assert (all_, end.stopped) == (found, None), "there are no more than the limit"
    *some, end = search(known, Query("a", limit=0, per_kind=2))
    assert all([hit.kind for hit in some].count(kind) <= 2 for kind in KINDS)
    assert set(end.cut) == {kind for kind in KINDS if [hit.kind for hit in found].count(kind) > 2}


@pytest.mark.parametrize("text", ["add", "torch", "triton"])
def test_hits_that_are_alike_are_one_and_none_is_lost(known, text):
    *found, end = grouped(known, Query(text, limit=0))
    assert (end.hits, end.stopped, end.left_out) == (len(found), None, {})
    single = hits(known, text)
    assert len(found) < len(single)
    for kind in KINDS:
        of_kind = [hit for hit in single if hit.kind == kind]
        assert sum(hit.count for hit in found if hit.kind == kind) == sum(hit.count for hit in of_kind)
        assert {hit.text for hit in found if hit.kind == kind} == {hit.text for hit in of_kind}
    *some, end = grouped(known, Query(text, limit=0, per_kind=3))
    assert {hit.kind for hit in some} == {hit.kind for hit in single}
    lost = {kind: sum(hit.count for hit in single if hit.kind == kind) for kind in end.left_out}
    assert all(0 < end.left_out[kind] < lost[kind] for kind in end.left_out)


def test_hits_over_the_limit_are_counted_up_to_a_number(tmp_path):
    with Recording.open(made(tmp_path, "\n".join(f"needle {number}" for number in range(MOST + 20)))) as recording:
        *found, end = grouped(Known(recording), Query("needle", limit=5))
    assert len(found) == 5
    assert (end.stopped, end.at, end.cut, end.left_out) == ("limit", "text", ("text",), {"text": MOST})


def test_payloads_are_read_one_at_a_time_and_a_search_can_be_ended(known, monkeypatch):
    read = []
    raw = Recording.raw_payload
    monkeypatch.setattr(
        Recording, "raw_payload", lambda self, event, most=None: read.append(event.id) or raw(self, event, most)
    )
    found = search(known, Query("torch", kinds=["text"]))
    next(found)
    assert len(read) < known.recording.counts()["chromium_event"]
    found.close()

    class Enough(Exception):
        pass

    def check():
        if len(read) > 20:
            raise Enough

    with pytest.raises(Enough):
        list(search(known, Query("no such text", kinds=["text"]), check))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (Query(""), "empty"),
        (Query("a\nb"), "several"),
        (Query("a" * 20_000), "longer"),
        (Query("(a", regex=True), "no regular expression: missing )"),
        (Query("a{99999999999}", regex=True), "no regular expression"),
        (Query("(?i", regex=True), "no regular expression"),
    ],
)
def test_a_text_that_can_not_be_looked_for_is_refused_in_words(known, query, words):
    with pytest.raises(BadPattern, match=re.escape(words)):
        list(search(known, query))


def made(tmp_path, *payloads):
    path = tmp_path / LOG
    path.write_bytes(record("dynamo_start", {}, **in_compile()) + b"".join(artifact("x", one) for one in payloads))
    return path


def test_a_pattern_that_would_never_end_is_ended_and_hits_before_stay(tmp_path, monkeypatch):
    monkeypatch.setattr("compilescope.analysis.search.searching.deadlines", _soon())
    with Recording.open(made(tmp_path, "aaab", "a" * 5000 + "!", "aaab")) as recording:
        *found, end = search(Known(recording), Query("(a|aa)+b?$", regex=True, kinds=["text"]))
    assert [hit.text for hit in found] == ["aaab"]
    assert (end.stopped, end.at) == ("too-slow", "text")


def _soon():
    return lambda: deadlines(0.3)


def test_long_lines_are_shown_around_the_match(tmp_path):
    line = "x" * 100_000 + "needle" + "y" * 100_000 + "needle"
    with Recording.open(made(tmp_path, line)) as recording:
        (hit,) = hits(Known(recording), "Needle", kinds=["text"])
    assert hit.text[hit.start : hit.end] == "needle"
    assert hit.text.startswith("…x")
    assert hit.text.endswith("y…")
    assert len(hit.text) <= 242
    assert hit.column == 100_001


def test_ranges_are_utf16_and_bad_bytes_are_shown(tmp_path):
    path = made(tmp_path, "second", "😀 nëedle")
    path.write_bytes(path.read_bytes().replace(b"second", b"\xff bad needle"))
    with Recording.open(path) as recording:
        (first,) = hits(Known(recording), "NËEDLE", kinds=["text"])
        (second,) = hits(Known(recording), "needle", kinds=["text"])
    assert to_json.hit(first)["range"] == [3, 9]
    assert first.column == 4
    assert second.text == "\ufffd bad needle"


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, lines=st.lists(TEXTS, max_size=6), case=st.booleans())
def test_plain_texts_are_no_patterns(tmp_path_factory, text, lines, case):
    written = [*lines, f"a{text}b"]
    folder = tmp_path_factory.mktemp("plain")
    with Recording.open(made(folder, "\n".join(written))) as recording:
        found = hits(Known(recording), text, kinds=["text"], case=case)
    numbers = [hit.payload_line for hit in found]
    exact = [number for number, line in enumerate(written, 1) if text in line]
    assert set(exact) <= set(numbers)
    if case:
        assert numbers == exact
    shutil.rmtree(folder)


@settings(max_examples=60, deadline=None)
@given(pattern=st.text("ab()[]{}|*+?.\\^$1,-", max_size=12))
def test_patterns_give_hits_or_a_word(known_small, pattern):
    found = [Ended(0)]
    with contextlib.suppress(BadPattern):
        found = list(search(known_small, Query(pattern, regex=True)))
    assert isinstance(found[-1], Ended)
    for hit in found[:-1]:
        assert 0 <= hit.start <= hit.end <= len(hit.text)


@pytest.fixture(scope="module")
def known_small(tmp_path_factory):
    with Recording.open(made(tmp_path_factory.mktemp("small"), "aab(1)", "b\n\nba-1,a")) as recording:
        yield Known(recording)
