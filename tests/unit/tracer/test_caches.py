"""What torch's graph caches answer while they are on, against torch's own counters of the same run."""

import ast
import shutil
import sys

import pytest
from compilescope.analysis import analyse
from compilescope.recording.reader import Recording

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="columns need Python 3.11"),
]

PROGRAM = """
    import sys
    import torch
    import torch._inductor.config as config

    width, scale = int(sys.argv[1]), sys.argv[2:]

    @torch.compile
    def product(x, w):
        return torch.relu(x @ w).sum()

    product(torch.ones(3, width), torch.ones(width, width, requires_grad=True)).backward()

    if scale:
        def custom(graph):
            pass

        config.post_grad_custom_post_pass = custom
        torch._dynamo.reset()

        @torch.compile
        def bypassed(x):
            return x.sin() + 1

        bypassed(torch.ones(5))

    from torch._dynamo.utils import counters
    print({name: counters["inductor"][f"fxgraph_cache_{name}"] for name in ("hit", "miss", "bypass")})
    print({name: counters["aot_autograd"][f"autograd_cache_{name}"] for name in ("hit", "miss", "bypass")})
"""


@pytest.fixture(scope="module")
def runs(shared_runner):
    """Four runs that share a cache: a cold one, the same again, another width, and one that can't be cached."""
    shared_runner.write("cached.py", PROGRAM)
    env = {"TORCHINDUCTOR_CACHE_DIR": str(shared_runner.folder / "cache"), "COMPILESCOPE_KEEP_CACHES": "1"}
    kept = shared_runner.folder / ".compilescope"
    kept.mkdir()
    made = []
    for number, words in enumerate((["4"], ["4"], ["6"], ["4", "custom"])):
        traced = shared_runner.traced("cached.py", *words, env=env)
        assert traced.code == 0, traced.err
        shutil.copytree(shared_runner.folder / "recording", kept / f"{number}")
        with Recording.open(kept / f"{number}") as recording:
            made.append((traced, analyse(recording)))
    return made


def counted(lookups, cache):
    answers = [one.outcome for one in lookups if one.cache == cache]
    return {name: answers.count(name) for name in ("hit", "miss", "bypass")}


@pytest.mark.parametrize("number", range(4))
def test_answers_are_as_torch_counts_them(runs, number):
    traced, result = runs[number]
    graphs, aot = map(ast.literal_eval, traced.out.splitlines())
    assert counted(result.caches, "fx_graph") == graphs
    assert counted(result.caches, "aotautograd") == aot
    assert not any(one.outcome == "off" for one in result.caches)
    assert sum(graphs.values()) > 0


def test_each_answer_has_its_graph_and_key(runs):
    cold, again = ([one for one in runs[number][1].caches if one.cache == "fx_graph"] for number in (0, 1))
    assert [one.graph for one in cold] == [one.graph for one in again] == ["0/0/forward", "0/0/backward"]
    assert [one.key for one in cold] == [one.key for one in again]
    assert all(one.saved_s > 0 for one in again)
    assert [one.nearest for one in cold] == [None, None], "a backward is compared with backwards"
    assert all(one.components > 100 for one in [*cold, *again])


def test_a_miss_names_what_differs_from_the_run_before(runs):
    (forward, _) = [one for one in runs[2][1].caches if one.cache == "fx_graph"]
    assert (forward.outcome, forward.reason) == ("miss", "full_miss")
    assert (forward.nearest_id, forward.nearest_recording) == ("0/0", "1")
    assert {part.component: (part.old, part.new) for part in forward.differs} == {
        "example_inputs[0]": ("shape=torch.Size([3, 4]), stride=(4, 1)", "shape=torch.Size([3, 6]), stride=(6, 1)"),
        "example_inputs[1]": ("shape=torch.Size([4, 4]), stride=(4, 1)", "shape=torch.Size([6, 6]), stride=(6, 1)"),
    }


def test_keys_of_autograd_s_cache_have_components_too(runs):
    (answer,) = [one for one in runs[2][1].caches if one.cache == "aotautograd"]
    assert answer.outcome == "miss"
    assert any(part.component.startswith("example_inputs") for part in answer.differs)


def test_a_bypass_has_torch_s_reason(runs):
    traced, result = runs[3]
    (bypass,) = [one for one in result.caches if (one.cache, one.outcome) == ("fx_graph", "bypass")]
    (payload,) = [event.body for event in traced.events if event.name == "fx_graph_cache_bypass"]
    assert bypass.reason == payload["cache_bypass_reason"]
    assert bypass.reason


def test_caches_are_off_without_the_option(shared_runner):
    shared_runner.write("cached.py", PROGRAM)
    env = {"TORCHINDUCTOR_CACHE_DIR": str(shared_runner.folder / "cache")}
    traced = shared_runner.traced("cached.py", "4", env=env)
    graphs, aot = map(ast.literal_eval, traced.out.splitlines())
    assert not any([*graphs.values(), *aot.values()])
    assert {body["outcome"] for body in traced.bodies("cache")} == {"off"}
