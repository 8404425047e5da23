"""Texts of torch's own log: which graph each is of, where DDP split one into buckets and a cache answered for some."""

from __future__ import annotations

import pytest
from compilescope.analysis import output_code
from compilescope.analysis.analyse import context_of
from compilescope.analysis.graphs import Graphs
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made


class Buckets:
    """A compile as torch writes it: `bucket` what comes before Inductor, `code` what Inductor writes of one graph."""

    def __init__(self, folder):
        self.made = Made(folder, ours=False)
        self.made.compiled("0/0", "step", 1)

    def bucket(self, number, *, training=True):
        self._text("aot_joint_graph" if training else "aot_inference_graph", f"joint_{number}")
        if training:
            self._text("aot_forward_graph", f"forward_{number}")
            self._text("aot_backward_graph", f"backward_{number}")

    def code(self, name, aot_id, *, cached=False):
        if not cached:
            self._text("before_post_grad_graph", name, artifact=True)
        self._text("inductor_post_grad_graph", name, artifact=True)
        text = f"# AOT ID: ['{aot_id}']\n"
        self.made.torch_event("inductor_output_code", {"filename": f"/tmp/{name}.py"}, "0/0", text)

    def stages(self):
        self.made.result()
        with Recording.open(self.made.folder) as recording:
            context = context_of(recording)
            graphs = Graphs(recording, context)
            of = {(one.stage, one.position, one.graph): one.snapshot for one in graphs.stages() if one.snapshot}
            names = {key: graphs.nodes(snapshot)[0].name for key, snapshot in of.items()}
            missing = {one.cause for one in graphs.stages() if one.stage == "scheduler"}
            return names, [one.graph for one in output_code.table(recording, context)], missing

    def _text(self, event, name, *, artifact=False):
        text = f"def forward(self):\n    {name} = torch.ops.aten.relu.default(x)\n    return {name}\n"
        if artifact:
            self.made.torch_event("artifact", {"name": event, "encoding": "string"}, "0/0", text)
        else:
            self.made.torch_event(event, {}, "0/0", text)


@pytest.fixture
def log(tmp_path):
    return Buckets(tmp_path)


def test_forward_and_backward(log):
    log.bucket(0)
    log.code("forward", "7_forward")
    log.code("backward", "7_backward")
    names, codes, missing = log.stages()
    assert codes == ["0/0/forward", "0/0/backward"]
    assert names["post_grad", "after", "0/0/forward"] == "forward"
    assert names["post_grad", "before", "0/0/backward"] == "backward"
    assert names["aot", "after", "0/0/backward"] == "backward_0"
    assert missing == {"foreign"}


def test_inference(log):
    log.bucket(0, training=False)
    log.code("only", "3_inference")
    names, codes, _ = log.stages()
    assert codes == ["0/0/inference"]
    assert {key[2] for key in names} == {"0/0/inference"}


def test_buckets_of_ddp_of_which_a_cache_had_some(log):
    for number, (aot_id, cached) in enumerate([("4", False), ("5", False), ("5", True), ("7", False)]):
        log.bucket(number)
        log.code(f"forward_{number}", f"{aot_id}_forward", cached=cached)
    for number, aot_id, cached in [(3, "7", False), (2, "6", False), (1, "6", True), (0, "4", False)]:
        log.code(f"backward_{number}", f"{aot_id}_backward", cached=cached)
    names, codes, _ = log.stages()
    of = ["", "#1", "#2", "#3"]
    assert codes == [f"0/0/{way}{part}" for way, parts in (("forward", of), ("backward", of[::-1])) for part in parts]
    for way in ("forward", "backward"):
        for number, part in enumerate(of):
            assert names["aot", "after", f"0/0/{way}{part}"] == f"{way}_{number}"
            assert names["post_grad", "after", f"0/0/{way}{part}"] == f"{way}_{number}"
    assert {graph for stage, position, graph in names if (stage, position) == ("post_grad", "before")} == {
        "0/0/forward", "0/0/forward#1", "0/0/forward#3", "0/0/backward#3", "0/0/backward#2", "0/0/backward",
    }  # fmt: skip


def test_a_compile_that_a_cache_answered_says_so(log):
    log.bucket(0)
    log.made.event("fx_graph_cache_hit", {"key": "k"}, "0/0")
    log.code("forward", "0_forward", cached=True)
    assert log.stages()[2] == {"cache"}
