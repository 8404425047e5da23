"""What Dynamo did, on real torch: breaks, recompiles, guards and failures, each on its exact place.

Expected places are found in the script's own text; expected counts come from torch's counters and messages.
"""

import sys

import pytest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="columns need Python 3.11"),
]

HELPERS = """
    def reduce(t):
        return t.sum().item()  # in the helper
"""
BREAKS = """
    import sys
    import torch
    import helpers

    @torch.compile(backend="eager")
    def two_files(x):
        é = "naïve"; y = helpers.reduce(x + 1)
        return x * y

    @torch.compile(backend="eager")
    def branch(x, flag):
        x = x + 1
        if flag:
            x = x * 2
        return x

    @torch.compile(backend="eager")
    def lost(x):
        for step in range(3):
            x = x + step
            if x.sum() > 0:
                x = x - 1
        return x

    @torch.compile(backend="eager", fullgraph=True)
    def whole(x):
        print("no")
        return x

    two_files(torch.ones(3))
    branch(torch.ones(3), torch.tensor(True))
    lost(torch.ones(3))
    try:
        whole(torch.ones(3))
    except Exception as error:
        print(type(error).__name__)
"""


def place(runner, file, text, line_has=""):
    """(line, end line, column, end column) of the first `text` in a line that has `line_has`, columns in bytes."""
    for number, line in enumerate((runner.folder / file).read_text(encoding="utf-8").splitlines(), 1):
        if text in line and line_has in line:
            start = len(line[: line.index(text)].encode())
            return number, number, start, start + len(text.encode())
    raise LookupError(text)


def at(frame):
    return frame["line"], frame["end_line"], frame["col"], frame["end_col"]


@pytest.fixture(scope="module")
def broken(shared_runner):
    shared_runner.write("helpers.py", HELPERS)
    shared_runner.write("breaks.py", BREAKS)
    traced = shared_runner.traced("breaks.py")
    assert traced.err.count("Traceback") == 0
    assert (traced.code, traced.out) == (0, "Unsupported\n")
    return traced


def breaks_in(traced, function):
    return [b for b in traced.bodies("graph_break") if b["code"]["function"] == function]


def test_nothing_is_unavailable(broken):
    assert broken.bodies("unavailable") == []


def test_break_in_another_file(broken, shared_runner):
    (outer,) = breaks_in(broken, "two_files")
    assert (outer["kind"], outer["gb_id"]) == ("break", "GB0124")
    assert [frame["function"] for frame in outer["frames"]] == ["two_files", "reduce"]
    assert at(outer["frames"][0]) == place(shared_runner, "breaks.py", "helpers.reduce(x + 1)")
    assert at(outer["frames"][1]) == place(shared_runner, "helpers.py", "t.sum().item()")
    assert at(outer["above"][0]) == place(shared_runner, "breaks.py", "two_files(torch.ones(3))")
    assert not any("tracer" in frame["file"] for frame in outer["above"])
    assert "capture_scalar_outputs" in outer["hints"][0]
    (again,) = breaks_in(broken, "reduce")
    assert at(again["frames"][-1]) == at(outer["frames"][1])


def test_branch_on_a_bare_name_is_narrowed_to_the_test(broken, shared_runner):
    (branch,) = breaks_in(broken, "branch")
    assert branch["gb_type"] == "Data-dependent branching"
    assert at(branch["frames"][-1]) == place(shared_runner, "breaks.py", "flag", "if flag")
    assert branch["graph_nodes"] == 1


def test_skipped_frame_names_its_cause(broken, shared_runner):
    (lost,) = breaks_in(broken, "lost")
    assert lost["kind"] == "frame-skipped"
    told = ("Failed to handle graph break gracefully", "Skipping frame because there is a graph break")  # now, in 2.9
    assert lost["reason"].startswith(told)
    assert (lost["gb_type"], lost["follow_up"]) == ("Data-dependent branching", "graph break in loop")
    assert at(lost["frames"][-1]) == place(shared_runner, "breaks.py", "x.sum() > 0")


def test_break_under_fullgraph_is_an_error(broken, shared_runner):
    (whole,) = breaks_in(broken, "whole")
    assert (whole["kind"], whole["fullgraph"]) == ("error", True)
    assert at(whole["frames"][-1]) == place(shared_runner, "breaks.py", 'print("no")')


def test_sources_of_user_files_are_kept(broken, shared_runner):
    texts = {body["file"]: body["text"] for body in broken.bodies("source")}
    assert texts[str(shared_runner.folder / "helpers.py")] == (shared_runner.folder / "helpers.py").read_text()
    assert not any("site-packages" in file for file in texts)


def test_guards_have_lines(broken, shared_runner):
    (guards,) = [body for body in broken.bodies("guards") if body["code"]["function"] == "branch"]
    tensors = {guard["name"]: guard for guard in guards["guards"] if guard["kind"] == "TENSOR_MATCH"}
    assert at(tensors["L['x']"]["frame"]) == place(shared_runner, "breaks.py", "x + 1", "    x = x + 1")


def test_torch_s_own_events_are_there(broken):
    names = {event.name for event in broken.events}
    assert {"dynamo_start", "compilation_metrics", "chromium_event", "dynamo_output_graph", "str"} <= names


RECOMPILES = """
    import math
    import torch

    class Box:
        def __repr__(self):
            raise AssertionError("__repr__ was called")
        kind = 1

    @torch.compile(backend="eager")
    def scale(x, box, sigma):
        return x * math.log(sigma + 1.0)

    @torch.compile(backend="eager", dynamic=False)
    def shapes(x):
        return x + 1

    torch._dynamo.config.recompile_limit = 3
    box = Box()
    scale(torch.ones(2), box, 1.0)
    scale(torch.ones(2), box, 0.5)
    for size in range(2, 7):
        shapes(torch.ones(size))
    print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
"""


@pytest.fixture(scope="module")
def recompiled(shared_runner):
    shared_runner.write("recompiles.py", RECOMPILES)
    traced = shared_runner.traced("recompiles.py")
    assert traced.code == 0
    return traced


def test_value_guard(recompiled, shared_runner):
    (event,) = [body for body in recompiled.bodies("recompile") if body["code"]["function"] == "scale"]
    (failed,) = event["failed"]
    assert failed["values"] == [{"expression": "sigma", "old": "1.0", "new": "0.5"}]
    assert (failed["entry"], event["versions"], event["refused"]) == ("0/0", 1, False)
    assert failed["frames"][-1]["line"] == place(shared_runner, "recompiles.py", "math.log(sigma + 1.0)")[0]
    assert at(event["above"][0]) == place(shared_runner, "recompiles.py", "scale(torch.ones(2), box, 0.5)")


def test_size_guard_and_limit(recompiled):
    events = [body for body in recompiled.bodies("recompile") if body["code"]["function"] == "shapes"]
    assert [body["failed"][0]["values"][0]["new"] for body in events] == ["3", "4", "5", "6"][: len(events)]
    assert [body["refused"] for body in events] == [False, False, True]
    (limit,) = [body for body in recompiled.bodies("graph_break") if body["kind"] == "recompile-limit"]
    assert (limit["gb_id"], limit["code"]["function"]) == ("GB0039", "shapes")


def test_counters(recompiled):
    (end,) = recompiled.bodies("exit")
    assert end["counters"]["stats"]["unique_graphs"] == int(recompiled.out)
    assert end["guard_lookups"]["miss"] > 0


FAILURES = """
    import torch

    def picky(gm, inputs):
        for node in gm.graph.nodes:
            if node.target == "cumsum":
                raise NotImplementedError("no kernel for " + node.target)
        return gm.forward

    @torch.compile(backend=picky)
    def refused(x):
        y = x + 1
        return y.cumsum(0)

    @torch.compile(backend="eager")
    def caught_too_late(x):
        y = x + 1
        try:
            y = y.not_there
        except AttributeError:
            y = y * 2
        return y.sum()

    try:
        refused(torch.ones(3))
    except Exception as error:
        import traceback
        print("tracer" in traceback.format_exc(), type(error).__name__)
    caught_too_late(torch.ones(3))
"""


def test_failures(shared_runner):
    shared_runner.write("failures.py", FAILURES)
    plain, traced = shared_runner.plain("failures.py"), shared_runner.traced("failures.py")
    assert (traced.code, traced.out) == (plain.code, plain.out) == (1, "False BackendCompilerFailed\n")
    assert traced.err == plain.err
    backend, late = traced.bodies("failure")
    assert (backend["stage"], backend["class"], backend["backend"]) == ("compile", "backend-operator", "picky")
    assert (backend["node"]["name"], backend["node"]["target"]) == ("cumsum", "cumsum")
    assert at(backend["frames"][-1]) == place(shared_runner, "failures.py", "y.cumsum(0)")
    assert [link["type"] for link in backend["chain"]][-1] == "NotImplementedError"
    assert late["stage"] == "execute"
    assert at(late["frames"][-1]) == place(shared_runner, "failures.py", "y.not_there")


def test_what_torch_logs_is_the_same(shared_runner, monkeypatch):
    monkeypatch.setenv("TORCH_LOGS", "graph_breaks,recompiles")
    monkeypatch.setenv("TORCH_LOGS_FORMAT", "%(message)s")
    shared_runner.write("breaks.py", BREAKS)
    plain, traced = shared_runner.plain("breaks.py"), shared_runner.traced("breaks.py")
    assert "Graph break in user code" in plain.err
    assert traced.err == plain.err


def test_children_are_traced(shared_runner):
    shared_runner.write(
        "spawned.py",
        """
        import torch
        import torch.multiprocessing as mp

        @torch.compile(backend="eager")
        def f(x):
            print("in", end=" ")
            return x + 1

        def work(rank):
            f(torch.ones(2))

        if __name__ == "__main__":
            mp.spawn(work, nprocs=2)
        """,
    )
    traced = shared_runner.traced("spawned.py")
    assert traced.code == 0
    broken = [event.log for event in traced.events if event.name == "compilescope_graph_break"]
    assert len(broken) == len(set(broken)) == 2


WHERE_GUARDS_ARE = """
    import torch

    class Loud(list):
        def __len__(self):
            print("asked")
            return super().__len__()

    class Scale:
        value = 2

    @torch.compile(backend="eager", dynamic=True)
    def even(x):
        if x.shape[0] % 2 == 0:
            x = x + 1
        return x * 2

    @torch.compile(backend="eager")
    def several(x, items):
        return x + len(list.copy(items))

    @torch.compile(backend="eager")
    def scaled(x, scale):
        return x * scale.value

    for size in (4, 5, 1):
        even(torch.ones(size))
    for length in (1, 2):
        several(torch.ones(2), Loud([1] * length))
    scale = Scale()
    scaled(torch.ones(2), scale)
    Scale.value = 3
    scaled(torch.ones(2), scale)
"""


@pytest.fixture(scope="module")
def guarded(shared_runner):
    shared_runner.write("guarded.py", WHERE_GUARDS_ARE)
    return shared_runner.traced("guarded.py")


def test_a_path_that_torch_shortened_is_a_whole_one(guarded, shared_runner):
    events = [body for body in guarded.bodies("recompile") if body["code"]["function"] == "even"]
    line = place(shared_runner, "guarded.py", "x.shape[0] % 2 == 0")[0]
    places = {(frame["file"], frame["line"]) for event in events for one in event["failed"] for frame in one["frames"]}
    assert places == {(str(shared_runner.folder / "guarded.py"), line)}


def test_checks_do_not_run_the_program_again(guarded, shared_runner):
    assert guarded.out == shared_runner.plain("guarded.py").out


def test_the_value_of_a_class_attribute(guarded):
    (event,) = [body for body in guarded.bodies("recompile") if body["code"]["function"] == "scaled"]
    assert event["failed"][0]["values"] == [{"expression": "scale.value", "old": "2", "new": "3"}]
