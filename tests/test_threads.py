"""Testers, scorers, searches and samplers that several threads share give the bits that one after the other gives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations

import numpy as np
import pytest

import paucal
from coded_data import make_coded
from paucal import _kernel
from paucal.independence.registry import test_names as names_of_tests
from paucal.tables import counts_of

THREADS = 4
LEVELS = [2, 3, 2, 4, 2, 3, 5, 2, 20]
N = len(LEVELS)
DATA = make_coded(7, 300, LEVELS, 1.0)
ORDERED = DATA.with_kinds(dict.fromkeys(DATA.names, "ordered"))
PAIRS = list(combinations(range(N), 2))
EVERYBODY = np.ones((N, N), dtype=np.uint8) - np.eye(N, dtype=np.uint8)


def in_threads(jobs):
    """Run the jobs in four threads, each job once in every thread, and give all results by job."""
    with ThreadPoolExecutor(THREADS) as pool:
        running = [[pool.submit(job) for job in jobs] for _ in range(THREADS)]
        return [[one[i].result() for one in running] for i in range(len(jobs))]


def plain(value):
    """Nested tuples of numbers, by bits: NaN equals NaN."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, (tuple, list)):
        return tuple(map(plain, value))
    return np.float64(value).tobytes() if isinstance(value, float) else value


def agree(jobs, serial):
    for answers, wanted in zip(in_threads(jobs), serial, strict=True):
        assert {plain(answer) for answer in answers} == {plain(wanted)}


def answers_of(tester):
    """The questions of a search without the tallies, which say who came first."""
    x, y = (np.array(side, dtype=np.uint32) for side in zip(*PAIRS, strict=True))
    one = np.array([[v for v in range(N) if v not in pair][:1] for pair in PAIRS], dtype=np.uint32)

    def search(order, threads):
        return tester.search(x, y, None, EVERYBODY, order, threads)[:4]

    def separate(a, b):
        return tester.first_separator(a, b, [v for v in range(N) if v not in {a, b}], 2)[:3]

    jobs = [partial(search, order, threads) for order in (0, 1, 2) for threads in (1, 2)]
    jobs += [lambda: tester.ask_many(x, y, one, 2)[0], lambda: tester.smallest_p(0, 1, (2,))]
    jobs += [partial(lambda a, b: tester.ask(a, b, ())[0], *pair) for pair in PAIRS]
    return jobs + [partial(separate, *pair) for pair in PAIRS[:6]]


@pytest.mark.parametrize("test", names_of_tests())
def test_one_tester(test):
    options = {"permutations": 19, "alpha": 0.1} if test == "permutation" else {}
    data = ORDERED if "trend" in test else DATA
    alone = paucal.make_test(data, test, **options).tester
    serial = [job() for job in answers_of(alone)]
    agree(answers_of(paucal.make_test(data, test, **options).tester), serial)


def make_scorer():
    return _kernel.Scorer.dirichlet(counts_of(DATA).columns, [float(k) for k in LEVELS], sizes=[0.5, 1.0, 8.0])


def test_one_scorer():
    def jobs(scorer):
        families = [(v, pair) for v in range(N) for pair in PAIRS if v not in pair]
        return [partial(scorer.local, *family) for family in families] + [partial(scorer.set, pair) for pair in PAIRS]

    agree(jobs(make_scorer()), [job() for job in jobs(make_scorer())])


def make_search(scorer):
    return _kernel.OrderSearch(
        scorer, EVERYBODY, np.zeros((N, N), np.uint8), penalty=0.5, most_parents=4, most_candidates=8
    )


def test_one_order_search_and_its_scorer():
    def jobs(scorer):
        search = make_search(scorer)
        return [partial(search.climb, 1, start, 2) for start in range(6)] + [partial(scorer.local, 0, (1, 2))]

    agree(jobs(make_scorer()), [job() for job in jobs(make_scorer())])


def make_sampler(scorer):
    found = [make_search(scorer).climb(1, start, 1)[0] for start in range(2)]
    return _kernel.DagSampler(
        scorer,
        EVERYBODY,
        np.zeros((N, N), np.uint8),
        forbidden=None,
        penalty=0.5,
        starts=[(order, dag) for _, order, dag in found],
        met=[[]],
        groups=[[]] * N,
        most_candidates=6,
        most_parents=4,
        heats=[1.0, 0.5],
        chains=3,
        seed=5,
    )


def read(sampler):
    arrow, line, _, total = sampler.tallies(0)
    half = np.ones((N, N)) / 2
    return [[sampler.tallies(c), sampler.dags(c), sampler.rates(c)] for c in range(3)] + [
        sampler.best(),
        sampler.central(arrow / total, line / total) if total else half,
    ]


def test_one_sampler():
    alone, shared = make_sampler(make_scorer()), make_sampler(make_scorer())
    for _ in range(THREADS):
        alone.run(20, record=True, threads=1)
    # Runs that wait for each other, and readers in between: each sees a state between two runs.
    jobs = [
        partial(shared.run, 20, record=True, threads=2),
        partial(shared.tallies, 1),
        partial(shared.dags, 1),
    ]
    _, tallies, dags = in_threads(jobs)
    assert {total % 40 for *_, total in tallies} == {0}
    assert {len(some) % 40 for some in dags} == {0}
    assert plain(read(shared)) == plain(read(alone))


def test_searches_on_one_shared_test():
    """Graph and books are those of a search on its own."""
    test = paucal.make_test(DATA, "g")
    alone = paucal.learn(test, "pc-stable")
    (results,) = in_threads([lambda: paucal.learn(test, "pc-stable")])
    for result in results:
        assert result.graph == alone.graph
        assert (result.evidence.ledger.n_tests, result.evidence.ledger.n_calls) == (
            alone.evidence.ledger.n_tests,
            alone.evidence.ledger.n_calls,
        )
    assert alone.evidence.ledger.n_tests > 0
