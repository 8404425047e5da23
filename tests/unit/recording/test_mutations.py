"""A short run of the seeded damage that `tests/bench/mutations.py` does ten thousand times."""

from tests.bench.mutations import before_damage, lost, made, mutated, record_start, run, view


def test_damage_raises_nothing_and_leaves_what_is_before_it(tmp_path):
    done, wrong = run(made(), range(120), tmp_path)
    assert wrong == []
    assert done["findings before the damage"] > 20
    assert done["with damage told"] > 20


def test_a_finding_that_changed_would_be_told(tmp_path):
    log = made()[0]
    path = tmp_path / "dedicated_log_torch_trace_4711_ab12.log"
    path.write_bytes(log.data)
    whole = view(path)
    assert whole is not None
    seeds = (seed for seed in range(200) if before_damage(whole, whole, record_start(log, mutated(log, seed)[1])))
    _, at, data = mutated(log, next(seeds))
    path.write_bytes(data)
    after = view(path)
    assert after is not None
    start = record_start(log, at)
    assert list(lost(whole, after, start)) == []
    assert list(lost(whole, after._replace(findings=[]), start)) != []
    assert list(lost(whole, after._replace(events=after.events[1:]), start)) != []
