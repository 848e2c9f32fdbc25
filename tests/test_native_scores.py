"""Native scores and classes against their readable twins, and against what they must satisfy."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coded_data import coded, dataset_of, make_coded
from paucal import _kernel
from paucal.search.by_scores.scores import SCORES, Scorer
from random_graphs import random_dag
from twin import scores
from twin.graphs import all_dags, classes


@pytest.mark.parametrize("name", SCORES)
@given(
    data=coded(columns=4, most_rows=300),
    order=st.permutations(range(4)),
    k=st.integers(0, 3),
    ess=st.sampled_from([0.5, 3, 10]),
)
@settings(max_examples=40, deadline=None)
def test_local_scores_equal_the_twins(name, data, order, k, ess):
    child, *parents = order
    native = Scorer(data, name, ess=ess).local(child, parents[:k])
    twin = scores.local(data, child, parents[:k], name, ess=ess)
    scale = abs(scores.of_set(data, order[: k + 1], name, ess=ess)) if name in scores.BY_SETS else abs(twin)
    assert native == pytest.approx(twin, rel=1e-10, abs=1e-11 * (1 + scale))


@pytest.mark.parametrize("name", SCORES)
def test_declared_levels_count_where_they_are_said_to(name):
    data = make_coded(3, 50, [2, 3, 2], 1.0)
    wider = dataset_of(data.columns, [2, 7, 3])
    before, after = (Scorer(d, name).local(0, (1, 2)) for d in (data, wider))
    assert after == pytest.approx(scores.local(wider, 0, (1, 2), name), rel=1e-12)
    assert (after == pytest.approx(before, rel=1e-6)) == (name in {*scores.OBSERVED, "k2", "loglik"})


@pytest.mark.parametrize("name", scores.BY_SETS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_equivalent_dags_have_equal_scores(name, seed):
    # Every DAG with the same class: turn covered arcs of a random DAG at random.
    data = make_coded(seed, 80, [2, 3, 2, 4, 2], 1.0)
    scorer = Scorer(data, name)
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 5, 0.5).to_pdag_matrix().astype(np.uint8)
    before = total(scorer, dag)
    for _ in range(10):
        covered = [
            (a, b)
            for a, b in np.argwhere(dag).tolist()
            if set(np.flatnonzero(dag[:, a])) | {a} == set(np.flatnonzero(dag[:, b]))
        ]
        if covered:
            a, b = covered[rng.integers(len(covered))]
            dag[a, b], dag[b, a] = 0, 1
    assert total(scorer, dag) == pytest.approx(before, rel=1e-12)


def total(scorer, dag) -> float:
    return sum(scorer.local(v, tuple(np.flatnonzero(dag[:, v]).tolist())) for v in range(len(dag)))


def test_bds_is_not_score_equivalent():
    # Not every configuration occurs, so the shares of the sample size differ between the directions.
    data = dataset_of([np.array(c) for c in ([0, 1, 2, 0], [0, 0, 1, 0], [0, 1, 1, 0])], [3, 2, 2])
    scorer = Scorer(data, "bds", ess=3)
    one = scorer.local(0, ()) + scorer.local(1, (0,)) + scorer.local(2, (0, 1))
    other = scorer.local(2, ()) + scorer.local(1, (2,)) + scorer.local(0, (1, 2))
    assert one != pytest.approx(other, rel=1e-6)


@pytest.mark.parametrize("name", SCORES)
def test_rows_columns_and_levels_in_another_order_change_no_bit(name):
    data = make_coded(11, 500, [2, 5, 3, 4], 0.5)
    rng = np.random.default_rng(0)
    rows = rng.permutation(data.n_rows)
    relabel = [rng.permutation(k) for k in data.cardinalities]
    shuffled = [relabel[i][column[rows]] for i, column in enumerate(data.columns)][::-1]
    other = dataset_of(shuffled, data.cardinalities[::-1])
    assert Scorer(data, name).local(0, (1, 3)) == Scorer(other, name).local(3, (2, 0))


def test_the_averaged_evidence_is_the_mean_of_its_parts():
    data = make_coded(5, 200, [3, 2, 4], 5.0)
    assert [len(np.unique(column)) for column in data.columns] == [
        3,
        2,
        4,
    ]  # observed and declared levels agree
    chain = [(0, ()), (1, (0,)), (2, (0, 1))]
    parts = [sum(Scorer(data, "bdeu", ess=size).local(*one) for one in chain) for size in scores.averaged_sizes(data)]
    averaged = sum(Scorer(data, "eb").local(*one) for one in chain)
    assert averaged == pytest.approx(max(parts) + math.log(np.mean(np.exp(np.array(parts) - max(parts)))), rel=1e-13)


@pytest.mark.parametrize("name", scores.BY_SETS)
def test_a_constant_column_changes_no_score(name):
    data = make_coded(5, 100, [3, 2], 1.0)
    scorer = Scorer(dataset_of([*data.columns, np.zeros(100, dtype=int)], [3, 2, 1]), name)
    assert scorer.local(0, (1, 2)) == pytest.approx(scorer.local(0, (1,)), rel=1e-12)
    assert scorer.local(2, (0, 1)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 7, 100, 3000])
@pytest.mark.parametrize("cells", [1, 2, 3, 10, 1000, 1001, 3000])
def test_the_multinomial_regret(rows, cells):
    native = _kernel.log_multinomial_regret(rows, cells)
    assert native == pytest.approx(scores.log_multinomial_regret(rows, cells), rel=1e-11, abs=1e-12)
    assert native == pytest.approx(scores.exact_log_regret(rows, cells), rel=2e-5, abs=1e-12)


def test_the_regret_is_the_sum_it_stands_for():
    # all ways to spread 5 rows over 3 cells
    likelihoods = 0.0
    for codes in product(range(3), repeat=5):
        n = np.bincount(codes, minlength=3)
        likelihoods += math.prod((c / 5) ** c for c in n.tolist() if c)
    assert _kernel.log_multinomial_regret(5, 3) == pytest.approx(math.log(likelihoods), rel=1e-12)


# -- classes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5])
def test_classes_are_what_equivalent_dags_agree_on(nodes):
    dags = all_dags(nodes)
    for dag, agreed in zip(dags, classes(dags), strict=True):
        assert (_kernel.completed(dag, None) == agreed).all()


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_classes_with_knowledge_are_what_the_allowed_dags_agree_on(seed):
    rng = np.random.default_rng(seed)
    forbidden = (rng.random((4, 4)) < 0.3).astype(np.uint8)
    allowed = [dag for dag in all_dags(4) if not (dag & forbidden).any()]
    for dag, agreed in zip(allowed, classes(allowed), strict=True):
        assert (_kernel.completed(dag, forbidden) == agreed).all()
