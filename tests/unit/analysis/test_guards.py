"""Guard trees, symbols, versions and cache keys read from made recordings; how torch writes each was copied from it."""

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.guards import words
from compilescope.recording.reader import Recording
from compilescope.report.caches import caches
from compilescope.report.style import Style

from tests.unit.analysis.whole import Entry, artifact, ours, torchs_own

TENSOR = (
    "TensorMetadata(dtype=torch.float32, shape=torch.Size([{0}, 4]), stride=({0}, 1), device=device(type='cpu'), "
    "storage_offset=0)"
)


@pytest.fixture
def analysed(tmp_path):
    """The result of a recording of given events; the folder is one of a row."""

    def run(entries, name="2"):
        folder = tmp_path / ".compilescope" / name
        folder.mkdir(parents=True)
        (folder / "dedicated_log_torch_trace_4711_ab12.log").write_bytes(b"".join(one.record() for one in entries))
        with Recording.open(folder) as recording:
            return analyse(recording)

    return run


@pytest.mark.parametrize(
    ("source", "expression"),
    [
        ("L['self']._modules['lin']._parameters['weight']", "self.lin.weight"),
        ("L['self']._modules['blocks']._modules['0'].weight", "self.blocks[0].weight"),
        ("L['self'].__dict__['rate']", "self.rate"),
        ("L['x'].size()[1]", "x.shape[1]"),
        ("G['__builtins_dict___6']['len']", "len"),
        ("G['__import_torch_dot_nn_dot_modules_dot_linear'].F", "torch.nn.modules.linear.F"),
        ("G['SCALE']", "SCALE"),
        ("dict(type(L['c']).__dict__)['scale']", "c.scale"),
        ("L['d']['a b'][0]", "d['a b'][0]"),
    ],
)
def test_sources_in_the_program_s_words(source, expression):
    assert words(source) == expression


def test_a_tree_nests(analysed):
    (tree,) = analysed(ours()).guards
    assert (tree.compile_id, tree.latency_us, tree.count) == ("0/0", 12.5, 3)
    assert [guard.code for guard in tree.root.guards] == ["2 <= x.shape[0]"]
    tensor, table = tree.root.children
    assert (tensor.expression, tensor.type, tensor.accessor) == ("x", "torch.Tensor", "FrameLocals")
    assert tensor.guards[0].place.range.start.line == 4
    (item,) = table.children
    assert (item.expression, item.accessor, item.guards[0].kind) == ("d['a']", "Value", "EQUALS_MATCH")


def test_without_our_events_a_guard_has_the_line_of_torch_s_comment(analysed):
    (tree,) = analysed(torchs_own()).guards
    assert [guard.place.range.start.line for guard in tree.root.children[0].guards] == [4]


def test_symbols_of_torch_alone_have_their_first_range(analysed):
    (first, unbacked) = analysed(torchs_own()).symbols
    assert (first.expression, first.value, first.lower, first.upper) == ("x.shape[0]", "4", "2", "int_oo")
    assert (first.why, first.place.range.start.line, unbacked.kind) == (None, 4, "unbacked")


def test_versions_left_and_dead(analysed):
    (frame,) = analysed(ours()).versions
    assert (frame.limit, frame.accumulated_limit) == (8, 256)
    assert [(entry.id, entry.dead) for entry in frame.entries] == [("0/0", None), ("0/1", "x got deallocated")]


def key(*components, outcome="miss", compile_id="0/0"):
    return artifact(f"fx_graph_cache_{outcome}", {"key": "k", "components": list(components)}, compile_id)


def started(*compile_ids):
    metrics = {"co_name": "run", "co_filename": "/app/main.py", "co_firstlineno": 3}
    return [Entry("compilation_metrics", metrics, None, one) for one in compile_ids]


def test_the_most_similar_key_counts(analysed):
    far = key("[a] gm: f", "[b] config[x]: 1", f"[c] example_inputs[0]: {TENSOR.format(2)}")
    near = key("[g] gm: g", "[b] config[x]: 1", f"[d] example_inputs[0]: {TENSOR.format(3)}", compile_id="0/1")
    new = key("[g] gm: g", "[b] config[x]: 1", f"[e] example_inputs[0]: {TENSOR.format(8)}", compile_id="0/2")
    *_, last = analysed([*started("0/0", "0/1", "0/2"), far, near, new]).caches
    assert (last.nearest_id, last.nearest_recording, last.differing) == ("0/1", None, 1)
    (part,) = last.differs
    assert part.component == "example_inputs[0]"
    assert (part.old, part.new) == (
        "shape=torch.Size([3, 4]), stride=(3, 1)",
        "shape=torch.Size([8, 4]), stride=(8, 1)",
    )


def test_a_key_of_the_recording_before(analysed):
    analysed([*started("0/0"), key("[a] gm: def f():\n    x = 1\n    return x")], "1")
    (one,) = analysed([*started("0/0"), key("[b] gm: def f():\n    x = 2\n    return x")]).caches
    assert (one.nearest_id, one.nearest_recording) == ("0/0", "1")
    assert [(part.old, part.new) for part in one.differs] == [("x = 1", "x = 2")]


def test_a_component_that_came_or_went(analysed):
    first, second = key("[a] gm: f", "[b] old: 1"), key("[a] gm: f", "[c] new: 2", compile_id="0/1")
    *_, last = analysed([*started("0/0", "0/1"), first, second]).caches
    assert {(part.component, part.old, part.new) for part in last.differs} == {("old", "1", None), ("new", None, "2")}


def test_the_report_has_a_line_for_each_miss_and_bypass(analysed, tmp_path):
    bypass = artifact("fx_graph_cache_bypass", {"cache_bypass_reason": "custom pass"}, "0/1")
    hit = key("[a] gm: f", outcome="hit", compile_id="0/2")
    result = analysed([*started("0/0", "0/1", "0/2"), key("[a] gm: f"), bypass, hit])
    head, *lines = caches(result.caches, Style(tmp_path))
    assert head == "graph caches: 1 hit, 1 miss, 1 bypass"
    assert lines == ["  FX graph miss: 0/0, the first key", "  FX graph bypass: 0/1, custom pass"]


def test_caches_that_are_off_are_no_news(analysed, tmp_path):
    off = artifact("compilescope_cache", {"graph": "0/0/forward", "cache": "fx_graph", "outcome": "off"}, "0/0")
    result = analysed([*started("0/0"), off])
    assert [one.outcome for one in result.caches] == ["off"]
    assert caches(result.caches, Style(tmp_path)) == []
