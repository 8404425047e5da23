"""Graphs, passes and kernels of a small training step, and the two depths."""

import json
import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.torch

TRAINING = """
    import sys
    import torch
    import torch._inductor.config as config

    def drop_nothing(graph):
        pass

    def double_relu(graph):
        for node in list(graph.nodes):
            if node.target is torch.ops.aten.relu.default:
                with graph.inserting_after(node):
                    again = graph.call_function(torch.ops.aten.neg.default, (node,))
                    again.meta.update(node.meta)
                node.replace_all_uses_with(again, lambda user: user is not again)

    config.post_grad_custom_pre_pass = drop_nothing
    config.post_grad_custom_post_pass = double_relu

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(4, 8)

        def forward(self, x):
            hidden = self.first(x).relu()
            return torch.linalg.inv(
                hidden @ hidden.T + 10 * torch.eye(3)
            ).sum()

    torch.manual_seed(0)
    net = Net()
    step = torch.compile(net)
    for _ in range(2):
        loss = step(torch.ones(3, 4))
        loss.backward()
    print(round(loss.item(), 6), round(net.first.weight.grad.sum().item(), 6))
"""


@pytest.fixture(scope="module")
def trained(shared_runner):
    shared_runner.write("training.py", TRAINING)
    traced = shared_runner.traced("training.py")
    assert traced.code == 0, traced.err
    return traced


def test_results_are_the_same(trained, shared_runner):
    assert shared_runner.plain("training.py").out == trained.out


def test_nothing_is_unavailable(trained):
    assert trained.bodies("unavailable") == []


def test_stages(trained):
    stages = [(body["graph"], body["stage"], body["position"]) for body in trained.bodies("stage")]
    assert stages == [
        ("0/0/dynamo", "dynamo", "after"),
        ("0/0/dynamo", "pre_grad", "before"),
        ("0/0/dynamo", "pre_grad", "after"),
        ("0/0/joint", "aot", "after"),
        ("0/0/joint", "joint", "before"),
        ("0/0/joint", "joint", "after"),
        ("0/0/forward", "aot", "after"),
        ("0/0/backward", "aot", "after"),
        *[
            (f"0/0/{direction}", stage, position)
            for direction in ("forward", "backward")
            for stage in ("post_grad", "scheduler")
            for position in ("before", "after")
        ],
    ]


def test_snapshots_are_written_before_they_are_named(trained):
    known = set()
    for event in trained.events:
        if event.name == "compilescope_snapshot":
            assert event.body["id"] not in known
            known.add(event.body["id"])
        elif event.name == "compilescope_stage":
            assert event.body["snapshot"] in known
        elif event.name == "compilescope_pass":
            assert {event.body["before"], event.body["after"]} <= known


def snapshot(traced, graph, stage, position):
    (id_,) = [
        body["snapshot"]
        for body in traced.bodies("stage")
        if (body["graph"], body["stage"], body["position"]) == (graph, stage, position)
    ]
    return next(body["nodes"] for body in traced.bodies("snapshot") if body["id"] == id_)


def test_nodes(trained, shared_runner):
    nodes = {node["name"]: node for node in snapshot(trained, "0/0/forward", "post_grad", "before")}
    relu = nodes["relu"]
    assert (relu["target"], relu["dtype"], relu["shape"], relu["device"]) == (
        "aten.relu.default",
        "float32",
        ["3", "8"],
        "cpu",
    )
    order = list(nodes)
    assert [order[number] for number in relu["inputs"]] == ["addmm"]
    assert relu["args"] == "(%addmm,)" or relu["args"] == "(%addmm)"
    assert nodes["addmm"]["module"] == ["L['self'].first", "Linear"]
    lines = (shared_runner.folder / "training.py").read_text().splitlines()
    if sys.version_info >= (3, 11):
        frame = relu["frame"]
        assert lines[frame["line"] - 1][frame["col"] : frame["end_col"]] == "self.first(x).relu()"
        inverse = next(node for node in nodes.values() if "inv_ex" in node["target"])["frame"]
        assert lines[inverse["line"] - 1][inverse["col"] :] == "torch.linalg.inv("
        assert lines[inverse["end_line"] - 1][: inverse["end_col"]].strip() == ")"


def test_backward_nodes_have_the_module_of_their_forward_node(trained):
    nodes = snapshot(trained, "0/0/backward", "post_grad", "before")
    assert ["L['self'].first", "Linear"] in [node["module"] for node in nodes if node["op"] == "call_function"]


def test_custom_passes(trained):
    passes = [body for body in trained.bodies("pass") if body["graph"] == "0/0/forward" and body["custom"]]
    assert [body["slot"] for body in passes] == ["post_grad_custom_pre_pass", "post_grad_custom_post_pass"]
    inert, active = passes
    assert (inert["function"], inert["name"], inert["changed"]) == (
        "__main__.drop_nothing",
        "post_grad_custom_pre_pass",
        False,
    )
    assert (active["function"], active["changed"]) == ("__main__.double_relu", True)
    assert active["nodes_after"] == active["nodes_before"] + 1
    assert active["edges_after"] == active["edges_before"] + 1
    assert active["file"].endswith("training.py")


def test_times_lie_in_torchs_own_spans(trained):
    spans, began = [], {}
    for event in trained.events:
        if event.name == "chromium_event":
            body = event.body
            if body["ph"] == "B":
                began[body["name"]] = body["ts"] / 1e6
            elif body["ph"] == "E" and body["name"] in began:
                spans.append((body["name"], began.pop(body["name"]), body["ts"] / 1e6))

    def around(name, start, end):
        """Whether a span of torch's is around; clocks are read one after the other."""
        return any(name in one and first - 0.01 <= start and end <= last + 0.01 for one, first, last in spans)

    passes = [body for body in trained.bodies("pass") if body["kind"] == "pass"]
    inside = [one for one in passes if one["phase"] in {"joint", "post_grad"}]
    assert inside
    assert all(around(f"_recursive_{one['phase']}", one["start"], one["start"] + one["seconds"]) for one in inside)
    named = {body["graph"]: {one["name"] for one in body["kernels"]} for body in trained.bodies("kernels")}
    for body in trained.bodies("times"):
        for what, name in (("lowering", "GraphLowering.run"), ("codegen", "Scheduler.codegen")):
            assert body[what]
            begun = [(body["since"] + one[2] / 1e6, body["since"] + (one[2] + one[3]) / 1e6) for one in body[what]]
            assert all(around(name, start, end) for start, end in begun)
        assert {one[0] for one in body["codegen"]} <= named[body["graph"]]
        nodes = snapshot(trained, body["graph"], "post_grad", "after")
        calls = [node["name"] for node in nodes if node["op"].startswith("call_")]
        assert [one[0] for one in body["lowering"]] == calls


def test_passes_are_in_order(trained):
    orders = sorted(body["order"] for body in trained.bodies("pass"))
    assert orders == list(range(len(orders)))
    phases = {body["phase"] for body in trained.bodies("pass") if body["kind"] == "pass"}
    assert phases == {"pre_grad", "joint", "post_grad"}


def test_kernels(trained):
    kernels = [(body["graph"], kernel) for body in trained.bodies("kernels") for kernel in body["kernels"]]
    fallbacks = {k["operator"]: k for graph, k in kernels if graph == "0/0/forward" and k["kind"] == "fallback"}
    inverse = fallbacks["aten.linalg_inv_ex.default"]
    assert inverse["frames"][0]["file"].endswith("training.py")
    assert "linalg_inv_ex" in inverse["nodes"]
    assert all(k["name"].startswith("cpp_fused") for _, k in kernels if k["kind"] == "cpp")
    externs = {k["operator"] for graph, k in kernels if graph == "0/0/backward" and k["kind"] == "extern"}
    assert "aten.mm.default" in externs


def test_a_recompile_has_all_its_kernels(shared_runner):
    """Torch's own map of each compile is the truth; a recompile's kernels may have the names of the first one's."""
    shared_runner.write(
        "again.py",
        """
        import torch

        @torch.compile(dynamic=False)
        def scale(x):
            return (x * 2).sum() + x.exp().mean()

        for size in (4, 5, 6):
            scale(torch.ones(size))
        """,
    )
    traced = shared_runner.traced("again.py")
    assert traced.code == 0, traced.err
    torchs = {}
    for event in traced.events:
        if event.name == "inductor_provenance_tracking_node_mappings" and event.body.get("cppCodeToPost"):
            torchs[event.envelope["frame_compile_id"]] = sorted(event.body["cppCodeToPost"].values())
    ours = {
        int(body["graph"].split("/")[1]): sorted(kernel["nodes"] for kernel in body["kernels"])
        for body in traced.bodies("kernels")
    }
    assert set(torchs) == {0, 1, 2}
    assert ours == torchs


def test_calls(trained):
    assert trained.bodies("exit")[0]["calls"] == {"0/0/forward": 2, "0/0/backward": 2}


def test_caches_are_off_but_not_against_the_user(trained, shared_runner):
    assert {body["outcome"] for body in trained.bodies("cache")} == {"off"}
    shared_runner.write("cached.py", "import torch\ntorch.compile(torch.sin)(torch.ones(5))\n")
    traced = shared_runner.traced("cached.py", env={"TORCHINDUCTOR_FX_GRAPH_CACHE": "1"})
    answers = {body["outcome"] for body in traced.bodies("cache") if body["cache"] == "fx_graph"}
    assert answers
    assert answers <= {"hit", "miss", "bypass"}


def test_capture_stops_before_the_backend(shared_runner):
    shared_runner.write("training.py", TRAINING.replace("import torch._inductor.config as config", "config = sys"))
    traced = shared_runner.traced("training.py", depth="capture")
    assert traced.code == 0, traced.err
    assert [(body["graph"], body["stage"]) for body in traced.bodies("stage")] == [("0/0/dynamo", "dynamo")]
    assert traced.bodies("guards")
    assert "inductor_output_code" not in {event.name for event in traced.events}


def test_standby(shared_runner, tmp_path, boot):
    shared_runner.write(
        "waits.py",
        """
        import os, sys, torch
        @torch.compile(backend="eager")
        def f(x):
            print("in", end=" ")
            return x + 1
        print(os.environ["FROM_JOB"], sys.argv, __file__, sys.path[0], os.read(0, 1))
        f(torch.ones(2))
        raise SystemExit(5)
        """,
    )
    ready, write_end = os.pipe()
    worker = subprocess.Popen(
        [sys.executable, str(boot), "--standby", "--ready-fd", str(write_end), "--idle-timeout", "300"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(write_end,),
        text=True,
    )
    os.close(write_end)
    with os.fdopen(ready) as pipe:
        assert pipe.read() == "ready\n"
    script = shared_runner.folder / "waits.py"
    job = {
        "script": str(script),
        "argv0": "waits.py",
        "module": None,
        "args": ["a"],
        "recording": str(tmp_path),
        "depth": "full",
        "cwd": str(shared_runner.folder),
        "env": {**os.environ, "FROM_JOB": "here"},
    }
    out, err = worker.communicate(json.dumps(job) + "\n", timeout=120)
    own = [line for line in err.splitlines() if not re.match(r"W\d{4} ", line)]  # torch's are about the machine
    assert (worker.returncode, own) == (5, [])
    assert out == f"here ['waits.py', 'a'] {script} {script.parent} b''\nin "
    assert "compilescope_graph_break" in next(tmp_path.glob("*.log")).read_text()


@pytest.mark.parametrize("options", [[], ["--idle-timeout", "0"]])
def test_standby_without_a_job_ends_quietly(options, boot):
    stdin = subprocess.PIPE if options else subprocess.DEVNULL
    with subprocess.Popen(
        [sys.executable, str(boot), "--standby", *options], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as worker:
        assert worker.wait(120) == 0


FAILURES = """
    import torch
    import torch._inductor.config as config
    import torch._inductor.lowering as lowering

    def refuse(*args, **kwargs):
        raise ValueError("no cos here")

    def bad_pass(graph):
        raise RuntimeError("the pass says no")

    def fine(x):
        return x.exp() + 1

    def backward_needs_cos(x):
        return x.sin().sum()

    def needs_cos(x):
        return (x + 1).cos()

    config.post_grad_custom_post_pass = bad_pass
    try:
        torch.compile(fine)(torch.ones(3))
    except Exception as error:
        print(type(error).__name__)
    config.post_grad_custom_post_pass = None

    lowering.lowerings[torch.ops.aten.cos.default] = refuse
    loss = torch.compile(backward_needs_cos)(torch.ones(3, requires_grad=True))
    try:
        loss.backward()
    except Exception as error:
        print(type(error).__name__)

    torch._dynamo.config.suppress_errors = True
    print(torch.compile(needs_cos)(torch.zeros(1)).shape)
"""


def test_failures(shared_runner):
    shared_runner.write("failures.py", FAILURES)
    plain, traced = shared_runner.plain("failures.py"), shared_runner.traced("failures.py")
    assert (traced.code, traced.out) == (plain.code, plain.out)
    in_pass, in_backward, suppressed = traced.bodies("failure")
    lines = (shared_runner.folder / "failures.py").read_text().splitlines()

    def line_of(body):
        return lines[body["frames"][-1]["line"] - 1].strip()

    assert [body["stage"] for body in (in_pass, in_backward, suppressed)] == ["compile"] * 3
    assert line_of(in_pass) == 'raise RuntimeError("the pass says no")'
    assert [body["error"] for body in traced.bodies("pass") if body["custom"]] == ["RuntimeError"]
    assert line_of(in_backward) == "return x.sin().sum()"
    assert (in_backward["node"]["target"], in_backward["suppressed"]) == ("aten.cos.default", False)
    assert line_of(suppressed) == "return (x + 1).cos()"
    assert suppressed["suppressed"] is True
