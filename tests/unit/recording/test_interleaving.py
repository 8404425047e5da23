"""A short run of what `tests/bench/interleaving.py` does with real logs: two processes that write one log."""

from collections import Counter

from tests.bench.interleaving import WAYS, Seen, invented, run
from tests.bench.mutations import made


def test_nothing_is_found_that_neither_log_has(tmp_path):
    done, wrong = run(made(), range(4 * len(WAYS)), tmp_path)
    assert wrong == []
    assert done["findings kept of lines"] > 10


def test_what_is_invented_would_be_told():
    one, two = (Seen(Counter(), Counter([f'["{name}", "f", "a.py", 3]']), Counter(), []) for name in ("0/0", "0/1"))
    both = Seen(Counter(), one.compiles + two.compiles, Counter(), [{"problem": "lines are mixed"}])
    assert list(invented("lines", one, two, both)) == []
    assert list(invented("lines", one, one, both)) != []
    assert list(invented("lines", one, two, both._replace(damage=[]))) == ["no damage told"]
    finding = '["recompile", "a.py", null, "guard", "guard", "recompile", ["0/1"]]'
    assert list(invented("whole_records", one, two, both._replace(findings=Counter([finding]), damage=[]))) != []
