"""Native scores, classes and consensus against their readable twins, and against what they must satisfy."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coded_data import Coded, coded, make_coded
from paucal import _kernel, _reference, _reference_graphs, _reference_scores
from paucal.graphs.equivalence import dag_to_cpdag_matrix
from random_graphs import random_dag

EB = [0.5 * 2**k for k in range(13)]
SETS = {
    "eb": lambda scorer, *on: scorer.dirichlet(*on, EB),
    "bdeu": lambda scorer, *on: scorer.dirichlet(*on, [7.0]),
    "bic": lambda scorer, *on: scorer.fit(*on, 2.5),
    "loglik": lambda scorer, *on: scorer.fit(*on, 0.0),
    "qnml": lambda scorer, *on: scorer.qnml(*on),
}
FAMILIES = {
    "bds": lambda scorer, *on: scorer.family(*on, True, 3.0),
    "k2": lambda scorer, *on: scorer.family(*on, False, 1.0),
}
SCORES = SETS | FAMILIES


def random_dag_matrix(rng: np.random.Generator, n: int, density: float) -> np.ndarray:
    return random_dag(rng, n, density).to_pdag_matrix().astype(np.uint8)


@cache
def dags_of_four() -> list[tuple[np.ndarray, np.ndarray]]:
    """Every DAG over four nodes, with its class."""
    return [(dag, dag_to_cpdag_matrix(dag)) for dag in _reference_graphs.all_dags(4)]


def observed(data: Coded) -> list[int]:
    return [len(np.unique(column)) for column in data.columns]


def both(name: str, data: Coded, levels: list[int] | None = None):
    made = []
    for kernel in (_kernel, _reference):
        columns = kernel.Columns(data.columns, data.states, data.rows)
        made.append(SCORES[name](kernel.Scorer, columns, levels or observed(data)))
    return made


@pytest.mark.parametrize("name", SCORES)
@given(data=coded(columns=4, most_rows=300), order=st.permutations(range(4)), k=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_local_scores_equal_the_twins(name, data, order, k):
    native, reference = both(name, data)
    child, *parents = order
    a, b = (scorer.local(child, tuple(parents[:k])) for scorer in (native, reference))
    scale = abs(reference.set(tuple(order[: k + 1]))) if name in SETS else abs(b)
    assert a == pytest.approx(b, rel=1e-10, abs=1e-11 * (1 + scale))


def test_declared_levels_count_where_they_are_asked_for():
    data = make_coded(3, 50, [2, 3, 2], 1.0)
    native, reference = both("bdeu", data, [2, 7, 3])
    assert native.local(0, (1, 2)) == pytest.approx(reference.local(0, (1, 2)), rel=1e-12)
    assert native.local(0, (1, 2)) != pytest.approx(both("bdeu", data)[0].local(0, (1, 2)), rel=1e-6)


@pytest.mark.parametrize("name", SETS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_equivalent_dags_have_equal_scores(name, seed):
    # Every DAG with the same class: turn covered arcs of a random DAG at random.
    data = make_coded(seed, 80, [2, 3, 2, 4, 2], 1.0)
    scorer = both(name, data)[0]
    rng = np.random.default_rng(seed)
    dag = random_dag_matrix(rng, 5, 0.5)
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
    data = Coded(
        [
            np.array([0, 1, 2, 0], np.uint8),
            np.array([0, 0, 1, 0], np.uint8),
            np.array([0, 1, 1, 0], np.uint8),
        ],
        [3, 2, 2],
        4,
    )
    scorer = both("bds", data)[0]
    one = scorer.local(0, ()) + scorer.local(1, (0,)) + scorer.local(2, (0, 1))
    other = scorer.local(2, ()) + scorer.local(1, (2,)) + scorer.local(0, (1, 2))
    assert one != pytest.approx(other, rel=1e-6)


@pytest.mark.parametrize("name", SCORES)
def test_rows_columns_and_levels_in_another_order_change_no_bit(name):
    data = make_coded(11, 500, [2, 5, 3, 4], 0.5)
    rng = np.random.default_rng(0)
    rows = rng.permutation(data.rows)
    relabel = [rng.permutation(k).astype(np.uint8) for k in data.states]
    shuffled = [relabel[i][column[rows]] for i, column in enumerate(data.columns)][::-1]
    other = Coded(shuffled, data.states[::-1], data.rows)
    assert both(name, data)[0].local(0, (1, 3)) == both(name, other)[0].local(3, (2, 0))


def test_the_averaged_evidence_is_the_mean_of_its_parts():
    data = make_coded(5, 200, [3, 2, 4], 1.0)
    columns = _kernel.Columns(data.columns, data.states, data.rows)
    parts = [_kernel.Scorer.dirichlet(columns, observed(data), [size]).set((0, 1, 2)) for size in EB]
    averaged = _kernel.Scorer.dirichlet(columns, observed(data), EB).set((0, 1, 2))
    assert averaged == pytest.approx(
        max(parts) + math.log(np.mean(np.exp(np.array(parts) - max(parts)))), rel=1e-13
    )


def test_a_constant_column_changes_no_score():
    data = make_coded(5, 100, [3, 2], 1.0)
    wider = Coded([*data.columns, np.zeros(100, np.uint8)], [*data.states, 1], 100)
    for name in SETS:
        scorer = both(name, wider)[0]
        assert scorer.local(0, (1, 2)) == pytest.approx(scorer.local(0, (1,)), rel=1e-12)
        assert scorer.local(2, (0, 1)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 7, 100, 3000])
@pytest.mark.parametrize("cells", [1, 2, 3, 10, 1000, 1001, 3000])
def test_the_multinomial_regret(rows, cells):
    native = _kernel.log_multinomial_regret(rows, cells)
    assert native == pytest.approx(
        _reference_scores.log_multinomial_regret(rows, cells), rel=1e-11, abs=1e-12
    )
    assert native == pytest.approx(_reference_scores.exact_log_regret(rows, cells), rel=2e-5, abs=1e-12)


def test_the_regret_is_the_sum_it_stands_for():
    # all ways to spread 5 rows over 3 cells
    from itertools import product

    likelihoods = 0.0
    for codes in product(range(3), repeat=5):
        n = np.bincount(codes, minlength=3)
        likelihoods += math.prod((c / 5) ** c for c in n.tolist() if c)
    assert _kernel.log_multinomial_regret(5, 3) == pytest.approx(math.log(likelihoods), rel=1e-12)


def test_bad_questions_are_refused():
    data = make_coded(1, 20, [2, 2], 1.0)
    columns = _kernel.Columns(data.columns, data.states, data.rows)
    scorer = _kernel.Scorer.dirichlet(columns, [2, 2], [1.0])
    with pytest.raises(IndexError):
        scorer.local(2, ())
    with pytest.raises(IndexError):
        scorer.set((0, 5))
    with pytest.raises(ValueError, match="levels"):
        _kernel.Scorer.dirichlet(columns, [2], [1.0])
    with pytest.raises(TypeError):
        _kernel.Scorer.family(columns, [2, 2], True, 1.0).set((0,))
    with pytest.raises(ValueError, match="one size"):
        _kernel.OrderSearch(scorer, np.ones((3, 3), np.uint8), np.zeros((3, 2), np.uint8), 1.0, 5, 64)


# -- classes and consensus -----------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10_000), n=st.integers(1, 9), density=st.floats(0.1, 0.9))
@settings(max_examples=100, deadline=None)
def test_classes_equal_the_twins_and_the_graphs_own(seed, n, density):
    dag = random_dag_matrix(np.random.default_rng(seed), n, density)
    native = _kernel.completed(dag, None)
    assert (native == dag_to_cpdag_matrix(dag)).all()
    assert (native == _reference_graphs.completed(dag, None)).all()


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_classes_with_knowledge_are_what_the_allowed_dags_agree_on(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag_matrix(rng, 4, 0.6)
    forbidden = ((rng.random((4, 4)) < 0.3) & (dag == 0)).astype(np.uint8)
    here = dag_to_cpdag_matrix(dag)
    same = [other for other, its in dags_of_four() if (its == here).all() and not (other & forbidden).any()]
    agreed = np.any(same, axis=0).astype(np.uint8)
    assert (_kernel.completed(dag, forbidden) == agreed).all()
    assert (_reference_graphs.completed(dag, forbidden) == agreed).all()


def test_classes_of_more_than_64_nodes():
    dag = random_dag_matrix(np.random.default_rng(4), 150, 0.02)
    assert (_kernel.completed(dag, None) == dag_to_cpdag_matrix(dag)).all()


def random_mixture(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Frequencies of arrows and lines among a few random classes, and DAGs of these classes."""
    dags = [random_dag_matrix(rng, n, 0.5) for _ in range(6)]
    classes = np.array([dag_to_cpdag_matrix(dag) != 0 for dag in dags])
    across, weights = classes.transpose(0, 2, 1), rng.dirichlet(np.ones(6))
    return np.tensordot(weights, classes & ~across, 1), np.tensordot(weights, classes & across, 1), dags


def test_consensus_equals_the_twins_and_is_nearly_always_the_best():
    rng = np.random.default_rng(1)
    allowed, none = 1 - np.eye(4, dtype=np.uint8), np.zeros((4, 4), np.uint8)
    missed = 0
    for _ in range(25):
        arrow, line, dags = random_mixture(rng, 4)
        dag, loss = _kernel.consensus(arrow, line, allowed, none, None, dags[:2])
        assert loss == pytest.approx(
            _reference_graphs.consensus(arrow, line, allowed, none, None, dags[:2])[1], abs=1e-9
        )
        found = _kernel.completed(dag, None)
        assert _reference_graphs.expected_loss(found, arrow, line) == pytest.approx(loss, abs=1e-9)
        best = min(_reference_graphs.expected_loss(its, arrow, line) for _, its in dags_of_four())
        assert loss >= best - 1e-9
        loss = _kernel.consensus(arrow, line, allowed, none, None, dags)[1]
        missed += loss > best + 1e-9
    assert missed <= 2  # it is a hill climb


def test_consensus_of_one_class_is_that_class():
    dag = random_dag_matrix(np.random.default_rng(8), 12, 0.3)
    pdag = dag_to_cpdag_matrix(dag) != 0
    arrow, line = (pdag & ~pdag.T).astype(float), (pdag & pdag.T).astype(float)
    allowed, none = 1 - np.eye(12, dtype=np.uint8), np.zeros((12, 12), np.uint8)
    found, loss = _kernel.consensus(arrow, line, allowed, none, None, [dag])
    assert (_kernel.completed(found, None) == pdag).all()
    assert loss == -np.triu(pdag | pdag.T).sum()


def test_consensus_keeps_to_knowledge():
    arrow, line = np.zeros((3, 3)), np.zeros((3, 3))
    arrow[1, 0] = arrow[2, 0] = 0.9  # what the samples say, against what is known
    allowed = 1 - np.eye(3, dtype=np.uint8)
    allowed[2, 0] = 0
    required = np.zeros((3, 3), np.uint8)
    required[0, 1] = 1
    forbidden = (1 - allowed) | required.T
    dag, _ = _kernel.consensus(arrow, line, allowed, required, forbidden.astype(np.uint8), [required])
    assert dag[0, 1] and not dag[1, 0] and not dag[2, 0]
