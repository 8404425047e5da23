"""Every node after the last pass has a kernel or a reason, and the kernels are those of the code that torch wrote."""

import json
import re
from pathlib import Path

import pytest
from compilescope.analysis.kernel_source import OutputCode

pytestmark = pytest.mark.torch

EXAMPLES = Path(__file__).parents[3] / "examples"
GENERATED = {"cpp", "triton", "template"}
DEFINED = re.compile(r"^(\w+) = async_compile\.", re.MULTILINE)
CALLED = re.compile(r"^ *(?:\w+ = )?(?:extern_kernels\.\w+|torch\.ops\.[\w.]+)\(", re.MULTILINE)

FORMS = """
    import json
    import torch
    from torch._inductor.async_compile import AsyncCompile

    compiled = []
    original = AsyncCompile.cpp_pybinding

    def cpp_pybinding(self, argtypes, source_code):
        compiled.append(source_code)
        return original(self, argtypes, source_code)

    AsyncCompile.cpp_pybinding = cpp_pybinding

    @torch.library.custom_op("forms::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_fake
    def _(x):
        return torch.empty_like(x)

    conv = torch.nn.Conv2d(3, 4, 3)

    def dynamic(x):
        return (x * 2).sum(0) + x.shape[0]

    def branches(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos(), (x,)) * 2

    def custom(x):
        return torch.ops.forms.twice(x + 1) * 3

    def convolve(image):
        return conv(image).relu()

    def constant(x):
        return x + torch.ones(4, 4) * 2

    def views(x):
        return x.t(), x.view(16)[3:]

    def mutate(x, y):
        x.add_(1)
        y.copy_(x * 2)
        return x.view(-1)

    def unchanged(x):
        scores = (x * x.exp().sum()).softmax(-1)
        return scores.expand(4, 4) @ x, scores.contiguous().clone().detach()

    def pieces(x):
        first, second = x.split(2)
        return torch.cat([first + 1, second]), x.sort(0)

    x, image = torch.randn(4, 4), torch.randn(1, 3, 8, 8)
    for function in (branches, custom, constant, views, unchanged, pieces):
        with torch.no_grad():
            torch.compile(function)(x)
    torch.compile(dynamic, dynamic=True)(x)
    torch.compile(mutate)(x.clone(), x.clone())
    torch.compile(convolve)(image).sum().backward()
    with open("compiled.json", "w") as file:
        json.dump(compiled, file)
"""


def nodes_and_kernels(traced):
    """Of each graph: its call nodes after the last pass, and what is recorded of its kernels."""
    snapshots = {body["id"]: body["nodes"] for body in traced.bodies("snapshot")}
    nodes = {
        body["graph"]: [node for node in snapshots[body["snapshot"]] if node["op"].startswith("call_")]
        for body in traced.bodies("stage")
        if (body["stage"], body["position"]) == ("post_grad", "after")
    }
    kernels = {body["graph"]: body for body in traced.bodies("kernels")}
    assert kernels.keys() <= nodes.keys()
    return {graph: (calls, kernels.get(graph, {"kernels": [], "eliminated": []})) for graph, calls in nodes.items()}


def check_coverage(traced):
    found = nodes_and_kernels(traced)
    codes = [event for event in traced.events if event.name == "inductor_output_code"]
    assert len({graph for graph in found if "#" not in graph}) <= len(codes)
    assert bool(found) == bool(codes)
    for graph, (calls, body) in found.items():
        computed = {name for kernel in body["kernels"] for name in kernel["nodes"]}
        eliminated = {one["name"]: one["why"] for one in body["eliminated"]}
        names = {node["name"] for node in calls}
        assert names <= computed | eliminated.keys(), graph
        assert not computed & eliminated.keys(), graph
        assert eliminated.keys() <= names, graph
        assert not {"not-lowered", "unknown"} & set(eliminated.values()), graph


def check_names(traced):
    """The code that torch wrote, over all graphs: which kernels it defines, how often it calls libraries."""
    kernels = [kernel for body in traced.bodies("kernels") for kernel in body["kernels"]]
    codes = [event.payload for event in traced.events if event.name == "inductor_output_code"]
    defined = {name for code in codes for name in DEFINED.findall(code)}
    assert defined == {kernel["name"] for kernel in kernels if kernel["kind"] in GENERATED}
    called = sum(len(CALLED.findall(code)) for code in codes)
    assert called == sum(kernel["kind"] in ("extern", "fallback") for kernel in kernels)


@pytest.mark.parametrize("script", ["train_transformer.py", "sampler.py", "odd_batch.py", "three_files/main.py"])
def test_examples(shared_runner, script):
    traced = shared_runner.traced(str(EXAMPLES / script))
    assert traced.code == 0, traced.err
    check_coverage(traced)
    check_names(traced)
    whys = {one["why"] for body in traced.bodies("kernels") for one in body["eliminated"]}
    assert "dead" not in whys, "everything in the examples is used"


@pytest.fixture(scope="module")
def forms(shared_runner):
    shared_runner.write("forms.py", FORMS)
    traced = shared_runner.traced("forms.py")
    assert traced.code == 0, traced.err
    assert traced.bodies("unavailable") == []
    return traced


def graphs_of(forms, shared_runner, function):
    """What is recorded of the graphs of `function` in the script: by the line of its definition."""
    lines = (shared_runner.folder / "forms.py").read_text().splitlines()
    start = next(number for number, line in enumerate(lines, 1) if line.startswith(f"def {function}("))
    end = next((number for number in range(start + 1, len(lines)) if not lines[number - 1].strip()), len(lines))
    inside = range(start, end)
    found = []
    for calls, body in nodes_and_kernels(forms).values():
        frames = [node["frame"] for node in calls if node["frame"]]
        places = [frame["line"] for frame in frames if frame["file"].endswith("forms.py")]
        if places and all(line in inside for line in places):
            found.append((calls, body))
    return found


def test_forms_are_covered(forms):
    check_coverage(forms)
    check_names(forms)


def test_source_is_what_torch_compiled(forms, shared_runner):
    compiled = json.loads((shared_runner.folder / "compiled.json").read_text())
    codes = [OutputCode(event.payload) for event in forms.events if event.name == "inductor_output_code"]
    cut = [source.text for code in codes for source in code.kernels.values()]
    assert sorted(cut) == sorted(source.removeprefix("\n") for source in compiled)


def test_calls_are_where_the_code_has_them(forms):
    texts = {Path(event.envelope["inductor_output_code"]["filename"]).name: event.payload
             for event in forms.events if event.name == "inductor_output_code"}  # fmt: skip
    for body in forms.bodies("kernels"):
        code = OutputCode(texts[body["code"]])
        lines = texts[body["code"]].split("\n")
        for kernel in body["kernels"]:
            if kernel["handle"] is not None:
                assert f"{kernel['name']}(" in lines[code.calls[kernel["handle"]] - 1]


def test_views_need_no_kernel(forms, shared_runner):
    ((calls, body),) = graphs_of(forms, shared_runner, "views")
    assert body["kernels"] == []
    assert {(one["why"], one["of"]) for one in body["eliminated"]} == {("view", "arg0_1")}
    assert len(body["eliminated"]) == len(calls)


def test_branches_have_their_own_kernels(forms, shared_runner):
    graphs = graphs_of(forms, shared_runner, "branches")
    kernels = [{(one["kind"], tuple(one["nodes"][:1])) for one in body["kernels"]} for _, body in graphs]
    assert {("cpp", ("add",))} in kernels or {("cpp", ("sin",))} in kernels
    assert {("cpp", ("cos",))} in kernels
    (line,) = [one for _, body in graphs for one in body["kernels"] if one["kind"] == "wrapper"]
    assert line["operator"].endswith("cond")


def test_a_custom_operator_is_a_fallback(forms, shared_runner):
    ((_, body),) = graphs_of(forms, shared_runner, "custom")
    kernels = [(one["kind"], one["operator"]) for one in body["kernels"]]
    assert sorted(kernels, key=str) == [("cpp", None), ("cpp", None), ("fallback", "forms.twice.default")]


def test_results_of_one_call_are_items_of_it(forms, shared_runner):
    ((_, body),) = graphs_of(forms, shared_runner, "pieces")
    assert {"split", "sort"} == {one["of"] for one in body["eliminated"] if one["why"] == "item"}


def test_nothing_that_is_used_is_called_dead(forms, shared_runner):
    ((_, body),) = graphs_of(forms, shared_runner, "unchanged")
    assert "dead" not in {one["why"] for one in body["eliminated"]}


def test_in_place_changes_are_in_a_kernel(forms, shared_runner):
    ((calls, body),) = graphs_of(forms, shared_runner, "mutate")
    copies = {node["name"] for node in calls if node["target"] == "aten.copy_.default"}
    assert len(copies) == 2
    computed = {name for kernel in body["kernels"] for name in kernel["nodes"]}
    mutations = {one["name"] for one in body["eliminated"] if one["why"] == "mutation"}
    assert copies <= computed | mutations


def test_what_was_put_into_one_kernel(forms, shared_runner):
    """`(x * 2).sum(0) + n`: the multiplication is in the loop of the sum, the addition is a loop of its own."""
    ((_, body),) = graphs_of(forms, shared_runner, "dynamic")
    (kernel,) = body["kernels"]
    assert [set(part["nodes"]) & {"mul", "sum_1"} for part in kernel["parts"]] == [{"mul", "sum_1"}, set()]
