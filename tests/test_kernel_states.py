"""The kernel hands out the state of a chain as bytes, and takes in none that is damaged."""

from __future__ import annotations

import struct
import threading

import numpy as np
import pytest

from paucal import _kernel

N = 5


def dag_sampler(seed=0, chains=2, columns=N):
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, 2, 60).astype(np.uint8) for _ in range(columns)]
    codes[1] = codes[0] ^ (rng.random(60) < 0.1).astype(np.uint8)
    scorer = _kernel.Scorer.dirichlet(_kernel.Columns(codes, [2] * columns, 60), [2.0] * columns, sizes=[1.0])
    required = np.zeros((columns, columns), np.uint8)
    required[2, 3] = 1
    return _kernel.DagSampler(
        scorer,
        1 - np.eye(columns, dtype=np.uint8),
        required,
        forbidden=None,
        penalty=0.5,
        starts=[(np.arange(columns, dtype=np.uint32), np.zeros((columns, columns), np.uint8))],
        met=[[]],
        groups=[[]] * columns,
        most_candidates=4,
        most_parents=3,
        heats=[1.0, 0.5],
        chains=chains,
        seed=seed,
    )


def gap_sampler(seed=0, chains=2, share=0.2, readings=False):
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, 3, 40).astype(np.uint8) for _ in range(N)]
    for column in codes[1:]:
        column[2:][rng.random(38) < share] = 3
        column[:3] = 0, 1, 2
    sampler = _kernel.GapSampler(
        _kernel.Columns(codes, [3] * N, 40, gaps=True),
        [3.0] * N,
        1 - np.eye(N, dtype=np.uint8),
        np.zeros((N, N), np.uint8),
        forbidden=None,
        penalty=0.5,
        sizes=[1.0, 2.0],
        searched_parents=3,
        most_grown=8,
        search_every=2,
        most_candidates=4,
        most_parents=3,
        heats=[1.0, 0.6],
        settling=2,
        rounds=4,
        sweeps=2,
        kept=3,
        chains=chains,
        seed=seed,
    )
    if readings:
        none = np.zeros(0, np.uint32)
        line = rng.normal(size=40)
        cells = [np.minimum(one, 2).astype(np.uint32) for one in codes]
        sampler.read_as(
            [none, *cells[1:]], [0, *[3] * (N - 1)], [line, *[np.zeros(0)] * (N - 1)], [0.1, *[0.0] * (N - 1)]
        )
    return sampler


SAMPLERS = {
    "DAGs": dag_sampler,
    "gaps": gap_sampler,
    "gaps and numbers": lambda seed=0, chains=2: gap_sampler(seed, chains, readings=True),
}


@pytest.mark.parametrize("kind", SAMPLERS)
def test_a_state_is_all_that_a_chain_needs_to_go_on(kind):
    make = SAMPLERS[kind]
    one, other = make(), make(seed=9)
    fresh = one.state(0)
    one.run(2, record=False, threads=1)
    one.run(3, record=True, threads=1)
    other.take(0, one.state(0))
    other.take(1, one.state(1))
    assert [other.state(c) for c in range(2)] == [one.state(c) for c in range(2)]
    for sampler in (one, other):
        sampler.run(4, record=True, threads=1)
    for chain in range(2):
        assert other.state(chain) == one.state(chain)
        assert other.rates(chain) == one.rates(chain)
        assert (other.dags(chain) == one.dags(chain)).all()
        for mine, own in zip(other.tallies(chain), one.tallies(chain), strict=True):
            assert np.array_equal(mine, own)
    one.take(0, fresh)
    assert one.state(0) == fresh == make().state(0)
    for wrong in (2, 10**9):
        for call in (one.state, lambda chain: one.take(chain, fresh)):
            with pytest.raises(IndexError, match="there is no chain"):
                call(wrong)


def test_a_packed_chain_needs_nothing_else():
    sampler = dag_sampler()
    sampler.run(3, record=True, threads=1)
    alone = _kernel.DagSampler.unpacked(sampler.packed(1))
    assert alone.state(0) == sampler.state(1)
    alone.run(5, record=True, threads=1)
    sampler.run(5, record=True, threads=2)
    assert alone.state(0) == sampler.state(1)
    assert alone.packed(0) == sampler.packed(1)
    assert alone.n_sets == sampler.n_sets
    with pytest.raises(IndexError, match="there is no chain 2"):
        sampler.packed(2)


def test_joined_pairs_are_counted_between_records():
    sampler = dag_sampler()
    sampler.run(4, record=True, threads=1)
    dags = sampler.dags(1)
    joined = dags | dags.transpose(0, 2, 1)
    for begin, end in ((0, 8), (2, 5), (3, 3)):
        assert (sampler.joined_counts(1, begin, end) == joined[begin:end].sum(axis=0)).all()
    for wrong in ((0, 9), (5, 4), (10**12, 10**12)):
        with pytest.raises(IndexError, match="there are no DAGs"):
            sampler.joined_counts(1, *wrong)
    with pytest.raises(IndexError, match="there is no chain 7"):
        sampler.joined_counts(7, 0, 1)


def mixed(h):
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    h = (h ^ h >> 27) * 0x94D049BB133111EB % 2**64
    return h ^ h >> 31


def checksum(content):
    """Compute what `src/kernel/state.hpp` does."""
    value, whole = 0, len(content) // 8
    for (word,) in struct.iter_unpack("<Q", content[: 8 * whole]):
        value = (mixed(value ^ word) + 0x9E3779B97F4A7C15) % 2**64
    rest = len(content) % 8
    for byte in content[8 * whole :]:
        rest = (rest << 8 | byte) % 2**64
    return (mixed(value ^ rest) + 0x9E3779B97F4A7C15) % 2**64


def resealed(content):
    """Give bytes with another content a right length and checksum, so that the content itself is looked at."""
    content = content[:8] + struct.pack("<Q", len(content) + 8) + content[16:]
    return content + struct.pack("<Q", checksum(content))


def readers():
    dag, gaps, numbers = (make() for make in SAMPLERS.values())
    for sampler in (dag, gaps, numbers):
        sampler.run(2, record=True, threads=1)
    yield dag.state(0), lambda state: dag.take(0, state), dag
    yield gaps.state(0), lambda state: gaps.take(0, state), gaps
    yield numbers.state(0), lambda state: numbers.take(0, state), numbers
    yield dag.packed(0), _kernel.DagSampler.unpacked, None


def test_damaged_bytes_are_refused_and_nothing_changes():
    rng = np.random.default_rng(0)
    for good, read, sampler in readers():
        assert resealed(good[:-8]) == good
        read(good)
        cut = [good[:k] for k in (0, 3, 8, 16, 23, 24, len(good) // 2, len(good) - 1)]
        changed = [good + b"x", b"\0" * len(good), b"\xff" * len(good), good[:4] + b"\x09" + good[5:]]
        changed += [
            good[:place] + bytes([good[place] ^ (1 << int(rng.integers(8)))]) + good[place + 1 :]
            for place in rng.integers(0, len(good), 200).tolist()
        ]
        for bad in (*cut, *changed):
            with pytest.raises(ValueError, match=r"these .*bytes are"):
                read(bad)
        if sampler is not None:
            assert sampler.state(0) == good
    with pytest.raises(ValueError, match="version 9; this paucal reads version 1"):
        read(good[:4] + b"\x09" + good[5:])
    with pytest.raises(TypeError):
        read("text")


def test_bytes_with_a_right_checksum_and_a_wrong_content_never_crash():
    """Whatever is taken in can go on."""
    rng = np.random.default_rng(1)
    refused = 0
    for good, read, sampler in readers():
        for place in rng.integers(16, len(good) - 8, 400).tolist():
            wild = int(rng.integers(256))
            bad = resealed(good[:place] + bytes([wild]) + good[place + 1 : -8])
            try:
                taken = read(bad)
            except ValueError:
                refused += 1
                continue
            able = taken if sampler is None else sampler
            able.run(1, record=True, threads=1)
            if sampler is not None:
                sampler.take(0, good)
        for length in (0, 8, 100, len(good) - 20):
            with pytest.raises(ValueError, match="damaged"):
                read(resealed(good[: 16 + length]))
        with pytest.raises(ValueError, match="damaged"):
            read(resealed(good[:-8] + b"more"))
    assert refused > 100


def test_a_state_of_something_else_is_refused():
    dag, gaps = dag_sampler(), gap_sampler()
    for sampler, state, said in (
        (dag, gaps.state(0), "not a state of a chain of DAGs"),
        (gaps, dag.state(0), "not a state of a chain that fills gaps"),
        (dag, dag.packed(0), "not a state of a chain of DAGs"),
        (dag, dag_sampler(columns=N + 1).state(0), "belongs to other tables"),
        (gaps, gap_sampler(share=0.4).state(0), "belongs to other data"),
        (gaps, gap_sampler(readings=True).state(0), "numbers are read in one of the two"),
    ):
        with pytest.raises(ValueError, match=said):
            sampler.take(0, state)
    with pytest.raises(ValueError, match="not a chain of DAGs with its tables"):
        _kernel.DagSampler.unpacked(dag.state(0))


@pytest.mark.parametrize("kind", SAMPLERS)
def test_readers_do_not_hold_up_a_run_that_asks_python(kind):
    """A reader waits for the run, and the run for Python: who waits must let Python go on."""
    sampler = SAMPLERS[kind]()
    sampler.run(1, record=True, threads=1)
    begun, looks = threading.Event(), []

    def look(_done):
        begun.set()
        looks.append(1)
        return len(looks) > 5

    def go_on():
        sampler.run(1 << 20, record=False, threads=2, look=look)

    def read_all():
        begun.wait()
        half = np.full((N, N), 0.25)
        sampler.tallies(0), sampler.causes(0), sampler.dags(0), sampler.rates(0), sampler.central(half, half)
        sampler.take(1, sampler.state(1))
        if kind != "DAGs":
            sampler.filled(0), sampler.evaluated

    for _ in range(2):
        begun.clear()
        looks.clear()
        threads = [threading.Thread(target=one, daemon=True) for one in (go_on, read_all, read_all)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
