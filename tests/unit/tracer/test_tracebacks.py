"""Stacks and tracebacks that the program prints are those that it would print without us."""

import pytest

pytestmark = pytest.mark.torch

# The graph caches off and provenance on, as in a full trace: torch takes another way through its own code with them.
PROGRAM = """
    import sys
    import traceback

    import torch
    import torch._functorch.config as functorch
    import torch._inductor.config as inductor

    inductor.fx_graph_cache = functorch.enable_autograd_cache = False
    if hasattr(inductor.trace, "provenance_tracking_level"):
        inductor.trace.provenance_tracking_level = 2

    def where(what):
        print(what, [frame.name for frame in traceback.extract_stack()])

    class Pass:
        def __call__(self, graph):
            where("pass")
        def uuid(self):
            return b"1"

    inductor.post_grad_custom_post_pass = Pass()

    @torch.library.custom_op("bench::shows", mutates_args=())
    def shows(x: torch.Tensor) -> torch.Tensor:
        where("running")
        return x.clone()

    @shows.register_fake
    def _(x):
        where("tracing")
        return torch.empty_like(x)

    @torch.library.custom_op("bench::fails", mutates_args=())
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("when it runs")

    fails.register_fake(torch.empty_like)

    def backend(gm, inputs):
        where("backend")
        return gm.forward

    where("top")
    traceback.print_stack(file=sys.stdout)
    torch.compile(lambda x: shows(x + 1))(torch.ones(3))
    torch.compile(lambda x: x + 1, backend=backend)(torch.ones(3))
    torch.compile(lambda x: (x + 1).sin().sum())(torch.ones(3, requires_grad=True)).backward()
    for name in ("eager", "inductor"):
        torch._dynamo.reset()
        try:
            torch.compile(lambda x: fails(x), backend=name)(torch.ones(3))
        except RuntimeError as error:
            print(name, [frame.name for frame in traceback.extract_tb(error.__traceback__)])
    print(traceback.StackSummary.extract(traceback.walk_stack(None))[0].name)
"""


def test_stacks_are_the_program_s(shared_runner):
    shared_runner.write("stacks.py", PROGRAM)
    plain, traced = shared_runner.plain("stacks.py"), shared_runner.traced("stacks.py")
    assert plain.code == 0, plain.err
    assert plain.out.count("pass [") == 4
    assert traced.out == plain.out
