"""Kernels: where their text is, what they compute, what was decided about them."""

import pytest
from compilescope.analysis.kernel_lines import KernelLines
from compilescope.analysis.kernel_source import OutputCode, OutputCodes
from compilescope.analysis.model import Range
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made, frame

MAIN = "/app/main.py"
GRAPH = "0/0/inference"
CODE = """\
from torch._inductor.async_compile import AsyncCompile
async_compile = AsyncCompile()

cpp_fused_add_mul_0 = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
#include "x.h"
void kernel() { auto s = "\\n"; }
''')

class Runner:
    def call(self, args):
        # [Provenance debug handles] cpp_fused_add_mul_0:1
        cpp_fused_add_mul_0(arg0_1, buf0)
        # [Provenance debug handles] extern_kernels.mm:2
        extern_kernels.mm(buf0, arg1_1, out=buf1)
"""
KERNEL = {
    "name": "cpp_fused_add_mul_0",
    "kind": "cpp",
    "nodes": ["add", "mul"],
    "operator": None,
    "frames": [frame(MAIN, 2, "f", 4, 9), frame(MAIN, 3, "f", 4, 11)],
    "parts": [{"nodes": ["add"], "frames": [0]}, {"nodes": ["mul"], "frames": [1, 0]}],
    "handle": 1,
}
MATMUL = {
    "name": "extern_kernels.mm", "kind": "extern", "nodes": ["mm"], "operator": "aten.mm.default",
    "frames": [frame(MAIN, 3, "f", 11, 16)], "parts": [], "handle": 2,
}  # fmt: skip


@pytest.fixture
def made(tmp_path):
    made = Made(tmp_path, "def f(x, w):\n    x + 1\n    x * 2 @ w\n", file=MAIN)
    made.torch_event("inductor_output_code", {"filename": "/cache/ab/code.py"}, "0/0", CODE)
    eliminated = [{"name": "view", "why": "view", "of": "add", "frame": frame(MAIN, 2, "f", 4, 9)}]
    body = {"graph": GRAPH, "code": "code.py", "kernels": [KERNEL, MATMUL], "eliminated": eliminated}
    made.event("compilescope_kernels", body, "0/0")
    return made


def test_where_the_text_is(made):
    generated, matmul = made.result().kernels
    lines = CODE.split("\n")
    assert generated.source.file == "/cache/ab/code.py"
    assert lines[generated.source.start_line - 1 : generated.source.end_line] == [
        '#include "x.h"',
        'void kernel() { auto s = "\\n"; }',
    ]
    assert lines[generated.source.call_line - 1].strip() == "cpp_fused_add_mul_0(arg0_1, buf0)"
    assert (matmul.source.start_line, matmul.source.end_line) == (None, None)
    assert lines[matmul.source.call_line - 1].strip().startswith("extern_kernels.mm(")


def test_the_text_on_demand(made, tmp_path):
    generated, matmul = made.result().kernels
    with Recording.open(tmp_path) as recording:
        codes = OutputCodes(recording)
        assert codes.text(generated) == '#include "x.h"\nvoid kernel() { auto s = "\\n"; }\n'
        assert codes.text(matmul) is None


def test_exact_ranges_of_a_kernel_and_of_its_parts(made):
    generated = made.result().kernels[0]
    spans = [(place.range.start.line, place.range.start.character, place.range.end.character)
             for place in generated.places]  # fmt: skip
    assert spans == [(1, 4, 9), (2, 4, 11)]
    assert [part.nodes for part in generated.parts] == [["add"], ["mul"]]
    assert [len(part.places) for part in generated.parts] == [1, 2]


def test_both_directions(made):
    lines = KernelLines(made.result())
    names = [one.name for one in lines.of_line(MAIN, 3)]
    assert names == ["cpp_fused_add_mul_0", "extern_kernels.mm"]
    assert lines.fused_with(MAIN, 2) == [(MAIN, 3)]
    assert lines.fused_with(MAIN, 1) == []
    assert [one.name for one in lines.of_node("0/0", GRAPH, "mm")] == ["extern_kernels.mm"]
    assert lines.of_node("0/0", GRAPH, "view") == []
    assert lines.why_none("0/0", GRAPH, "view").of == "add"
    assert lines.why_none("0/0", GRAPH, "mm") is None


def test_code_that_is_not_in_the_recording(tmp_path):
    made = Made(tmp_path)
    made.event("compilescope_kernels", {"graph": GRAPH, "code": "gone.py", "kernels": [KERNEL]}, "0/0")
    (kernel,) = made.result().kernels
    assert kernel.source is None
    assert kernel.language == "C++"


def test_a_choice_is_noted_on_its_kernel(made):
    choices = [{"name": "mm", "kind": "extern", "ms": 0.5, "detail": ""}, {"name": "t", "kind": "triton", "ms": None}]
    body = {"graph": GRAPH, "node": "mm", "kernel": None, "name": "mm", "choices": choices, "winner": "mm"}
    made.event("compilescope_autotune", body, "0/0")
    later = {"graph": "0/0/forward", "node": None, "kernel": "cpp_fused_add_mul_0", "name": "k", "winner": "X=1"}
    made.event("compilescope_autotune", later | {"choices": [{"name": "X=1", "kind": "triton", "ms": 1}]})
    generated, matmul = made.result().kernels
    assert (matmul.autotune["winner"], [one["ms"] for one in matmul.autotune["choices"]]) == ("mm", [0.5, None])
    assert generated.autotune["winner"] == "X=1"


def test_a_descent_goes_on_from_what_was_measured(made):
    body = {"graph": GRAPH, "node": None, "kernel": "cpp_fused_add_mul_0", "name": "cpp_fused_add_mul_0"}
    for descent, names in ((False, ("X=1", "X=2")), (True, ("X=2", "X=4"))):
        choices = [{"name": name, "kind": "triton", "ms": 0.5} for name in names]
        made.event("compilescope_autotune", body | {"choices": choices, "winner": names[1], "descent": descent}, "0/0")
    tuned = made.result().kernels[0].autotune
    assert (tuned["winner"], tuned["descent"]) == ("X=4", True)
    assert [one["name"] for one in tuned["choices"]] == ["X=1", "X=2", "X=4"]


def test_why_a_cuda_graph_was_left_out(made):
    reason = f'mutated inputs (1 instances). Found from : \n   File "{MAIN}", line 2, in f\n    x.add_(1)\n'
    made.event("compilescope_cudagraph", {"graph": GRAPH, "what": "skip", "reason": reason}, "0/0")
    (skip,) = made.result().cudagraphs
    assert skip.reason == "mutated inputs (1 instances)"
    assert (skip.place.file, skip.place.range.start.line) == (MAIN, 1)


def test_fusions_cuda_graphs_and_hints(made):
    nodes = {"op0": {"nodes": ["add"], "frame": frame(MAIN, 2, "f", 4, 9)}, "op1": {"nodes": ["mm"], "frame": None}}
    decision = {"first": ["op0"], "second": ["op1", "op7"], "fused": False, "reason": "no shared data", "times": 3}
    made.event("compilescope_fusion", {"graph": GRAPH, "nodes": nodes, "decisions": [decision]}, "0/0")
    made.event("compilescope_cudagraph", {"graph": GRAPH, "what": "skip", "reason": "cpu device (x)"}, "0/0")
    made.event("compilescope_cudagraph", {"graph": GRAPH, "what": "re-record", "reason": None, "recordings": 2})
    made.event("compilescope_hint", {"graph": GRAPH, "text": "t", "node": "add", "frame": frame(MAIN, 2, "f")}, "0/0")
    result = made.result()
    (fusion,) = result.fusion
    assert (fusion.first.nodes, fusion.second.nodes) == (["add"], ["mm"])
    assert (fusion.fused, fusion.reason, fusion.times) == (False, "no shared data", 3)
    assert isinstance(fusion.first.places[0].range, Range)
    assert [(one.compile_id, one.what, one.count) for one in result.cudagraphs] == [
        ("0/0", "skip", None),
        ("0/0", "re-record", 2),
    ]
    assert (result.hints[0].node, result.hints[0].place.range.start.line) == ("add", 1)


def test_triton(request):
    """The text that Inductor 2.13 wrote for a GPU; the decorators and the function are in each kernel."""
    text = (request.path.parent / "fixtures/triton_code.txt").read_text()
    code = OutputCode(text)
    names = ["triton_per_fused_add_mul_relu_sum_0", "triton_per_fused__softmax_add_mul_relu_1"]
    assert list(code.kernels) == names
    for name, kernel in code.kernels.items():
        assert kernel.language == "Triton"
        assert kernel.text.startswith("import triton\n")
        assert f"def {name}(" in kernel.text
        assert "async_compile" not in kernel.text
        assert text.split("\n")[kernel.start_line - 1 : kernel.end_line] == kernel.text.rstrip("\n").split("\n")


USER_TRITON = """\
async_compile.wait(globals())
# Original path: /app/kernels.py
add_kernel_0 = async_compile.triton('add_kernel', '''
import triton
@triton.jit
def add_kernel(x):
    \\'\\'\\'doc\\'\\'\\'
    s = 'a\\\\n'
''', device_str='cuda')

multi_kernel_0 = async_compile.multi_kernel('multi_kernel_0', [
    triton_a,
    triton_b,
])

mps_lib_0 = compile_mps_shader(\"\"\"
    kernel void generated_kernel() {}
\"\"\")
"""


def test_other_kinds_of_definitions():
    code = OutputCode(USER_TRITON)
    assert code.kernels["add_kernel_0"].text == (
        "import triton\n@triton.jit\ndef add_kernel(x):\n    '''doc'''\n    s = 'a\\n'\n"
    )
    assert "triton_b" in code.kernels["multi_kernel_0"].text
    assert code.kernels["mps_lib_0"].language == "Metal"
    assert code.kernels["mps_lib_0"].text == "    kernel void generated_kernel() {}\n"


CPP_WRAPPER = """\
from torch._inductor.codecache import CppWrapperCodeCache
cpp_wrapper_src = (
r'''
extern "C"  void  cpp_fused_add_0(float* in_out_ptr0,
                       const float* in_ptr0);
void inductor_entry_impl(AtenTensorHandle* a) {
    // [Provenance debug handles] cpp_fused_add_0:1
    cpp_fused_add_0((float*)(buf6.data_ptr()));
}
extern "C"  void  cpp_fused_add_0(float* in_out_ptr0,
                       const float* in_ptr0)
{
    for (;;) { }
}
'''
)
"""


def test_a_wrapper_in_cpp():
    code = OutputCode(CPP_WRAPPER)
    (kernel,) = code.kernels.values()
    assert (kernel.name, kernel.start_line, kernel.end_line) == ("cpp_fused_add_0", 10, 14)
    assert kernel.text.endswith("{\n    for (;;) { }\n}\n")
    assert CPP_WRAPPER.split("\n")[code.calls[1] - 1].strip().startswith("cpp_fused_add_0(")


@pytest.mark.parametrize(
    "text",
    ["", "k = async_compile.triton('k', '''", "k = async_compile.cpp(r'''\\", "k = async_compile.x(", "'''" * 99,
     "[Provenance debug handles] k:99999999999999999999", "k = async_compile.triton('k', '''\\x''')"],
)  # fmt: skip
def test_broken_code_is_survived(text):
    OutputCode(text)


def test_cuda_graphs_that_torch_alone_tells_of(tmp_path):
    made = Made(tmp_path, "def f(x):\n    return x.cpu()\n", file=MAIN, ours=False)
    reason = (
        f'skipping cudagraphs due to skipping cudagraphs due to cpu device (arg1_1). Found from : \n   File "{MAIN}", '
        "line 2, in f\n    return x.cpu()\n"
    )
    made.compiled("0/0", "f", 1, cudagraph_skip_reason=reason)
    made.compiled("1/0", "g", 1, cudagraph_skip_reason=None)
    (one,) = made.result().cudagraphs
    assert (one.compile_id, one.what, one.reason) == ("0/0", "skip", "cpu device (arg1_1)")
    assert one.place is not None
    assert (one.place.file, one.place.range.start.line) == (MAIN, 1)
