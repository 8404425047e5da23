"""Every process that a program starts has a log of its own, with what torch says happened in that process."""

import os

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.skipif(os.name != "posix", reason="start methods")]

PROGRAM = """
    import os, subprocess, sys
    from concurrent.futures import ProcessPoolExecutor
    import multiprocessing
    import torch
    from torch._dynamo.utils import counters

    torch.set_num_threads(1)

    @torch.compile(backend="eager")
    def scale(x):
        y = x * 2
        print(end="")
        return y + 1

    def work(size):
        counters.clear()
        assert scale(torch.ones(size)).sum() == 3 * size
        return os.getpid(), sum(counters["graph_break"].values())

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return 2

        def __getitem__(self, index):
            return index

    def collate(batch):
        return work(batch[0] + 3)

    def pool(method):
        with multiprocessing.get_context(method).Pool(2) as workers:
            return workers.map(work, [3, 4], chunksize=1)

    def executor(method):
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as workers:
            return list(workers.map(work, [3, 4]))

    def loader(method):
        options = {"num_workers": 2, "collate_fn": collate, "multiprocessing_context": method}
        return list(torch.utils.data.DataLoader(Data(), **options))

    def plain_fork(_):
        rows = []
        for size in (3, 4):
            reader, writer = os.pipe()
            if os.fork() == 0:
                os.write(writer, repr(work(size)).encode())
                os._exit(0)
            os.wait()
            rows.append(eval(os.read(reader, 100)))
        return rows

    if __name__ == "__main__":
        kind, method = sys.argv[1:]
        own = work(2)
        for row in [own, *globals()[kind](method)]:
            print(*row)
"""


def rows(traced):
    """Breaks by process, in all that it did: one worker may do the work of two."""
    assert (traced.code, traced.err) == (0, "")
    found = {}
    for pid, number in map(str.split, traced.out.splitlines()):
        found[int(pid)] = found.get(int(pid), 0) + int(number)
    return found


def breaks(traced):
    """Breaks by process, of every process that has a log."""
    logs = {event.log: event.body["pid"] for event in traced.events if event.name == "compilescope_environment"}
    assert len(set(logs.values())) == len(logs), "one log for each process"
    found = dict.fromkeys(logs.values(), 0)
    for event in traced.events:
        if event.name == "compilescope_graph_break":
            found[logs[event.log]] += 1
    return found


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("pool", "fork"),
        ("pool", "spawn"),
        ("pool", "forkserver"),
        ("executor", "spawn"),
        ("loader", "fork"),
        ("loader", "spawn"),
        ("plain_fork", "-"),
    ],
)
def test_children(runner, kind, method):
    """Each says its own number and torch's count of the breaks in it; its log has as many."""
    runner.write("program.py", PROGRAM)
    traced = runner.traced("program.py", kind, method, depth="capture")
    said, found = rows(traced), breaks(traced)
    assert len(said) >= 2
    assert all(said.values())
    assert {pid: found.get(pid) for pid in said} == said
    assert sum(found.values()) == sum(said.values())


def test_a_program_that_is_started_anew_is_not_traced(runner):
    """What `subprocess` starts is another program; it sees the command line and the environment that it was given."""
    source = "import subprocess, sys\nsubprocess.run([sys.executable, 'other.py', 'x'], check=True)\n"
    runner.write("main.py", source)
    runner.write("other.py", "import os, sys\nprint(sys.argv, sys.orig_argv[1:], sorted(os.environ))\n")
    plain, traced = runner.plain("main.py"), runner.traced("main.py")
    assert (traced.code, traced.out, traced.err) == (plain.code, plain.out, plain.err)
    assert len({event.log for event in traced.events}) == 1
