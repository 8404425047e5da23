"""What a program compiles in threads of its own is traced as what it compiles in its main thread."""

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PROGRAM = """
    import threading
    import torch
    import torch._functorch.config as functorch_config
    import torch._inductor.config as config
    from torch._dynamo.utils import counters

    def settings():
        level = config.trace.provenance_tracking_level
        found.append((config.fx_graph_cache, functorch_config.enable_autograd_cache, level))

    def work():
        settings()
        x = torch.ones(5, requires_grad=True)
        torch.compile(lambda x: (x.sin() * 7.5).sum())(x).backward()

    found = []
    settings()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    print(len(set(found)), counters["inductor"]["fxgraph_cache_hit"], counters["aot_autograd"]["autograd_cache_hit"])
"""


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_thread_has_the_settings_of_a_trace(shared_runner, time):
    shared_runner.write("threads.py", PROGRAM)
    traced = shared_runner.traced("threads.py")
    assert (traced.code, traced.out) == (0, "1 0 0\n"), (time, traced.err)
    assert {body["graph"].rpartition("/")[2] for body in traced.bodies("pass")} >= {"joint", "forward", "backward"}
    assert {body["graph"] for body in traced.bodies("kernels")} == {"0/0/forward", "0/0/backward"}
