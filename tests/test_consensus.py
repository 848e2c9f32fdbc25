"""The consensus: no class of DAGs is nearer to the shares, which five columns allow to check by listing all of them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal import Knowledge, _kernel
from paucal.graphs.equivalence import dag_to_cpdag_matrix
from paucal.search.by_scores.consensus import consensus
from paucal.search.by_tests.limits import Limits
from random_graphs import random_dag
from twin.graphs import all_dags

NAMES = ("a", "b", "c", "d", "e")


def random_dag_matrix(rng: np.random.Generator, n: int, density: float) -> np.ndarray:
    return random_dag(rng, n, density).to_pdag_matrix().astype(np.uint8)


@cache
def every_class(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Arrows and lines of all classes of DAGs over n columns, `[class, i, j]`."""
    found = {_kernel.completed(dag, None).tobytes() for dag in all_dags(n)}
    classes = np.array([np.frombuffer(one, np.uint8).reshape(n, n) for one in sorted(found)]) != 0
    across = classes.transpose(0, 2, 1)
    return classes & ~across, classes & across


def distances(arrows: np.ndarray, lines: np.ndarray, arrow: np.ndarray, line: np.ndarray) -> np.ndarray:
    """The expected distance of many classes: for every pair one less the share that agrees."""
    n = len(arrow)
    absent = 1 - arrow - arrow.T - line
    joined = arrows | arrows.transpose(0, 2, 1) | lines
    agree = (arrows * arrow).sum(axis=(1, 2)) + np.triu(lines * line).sum(axis=(1, 2))
    agree += np.triu(~joined * absent, 1).sum(axis=(1, 2))
    return n * (n - 1) / 2 - agree


def random_shares(rng: np.random.Generator, n: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Shares of any kind, or of a few random classes, as sampled ones are."""
    if kind == "any":
        shares = rng.dirichlet(np.full(4, rng.uniform(0.2, 2)), (n, n))
        arrow, line = np.triu(shares[..., 0], 1) + np.triu(shares[..., 1], 1).T, np.triu(shares[..., 2], 1)
        return arrow, line + line.T
    dags = [random_dag_matrix(rng, n, 0.5) for _ in range(6)]
    classes = np.array([dag_to_cpdag_matrix(dag) != 0 for dag in dags])
    across, weights = classes.transpose(0, 2, 1), rng.dirichlet(np.ones(6))
    return np.tensordot(weights, classes & ~across, 1), np.tensordot(weights, classes & across, 1)


def test_there_are_8782_classes_of_five_columns():
    assert len(every_class(5)[0]) == 8782


@pytest.mark.parametrize("kind", ["any", "sampled"])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 5))
def test_no_class_is_nearer(kind, seed, n):
    arrow, line = random_shares(np.random.default_rng(seed), n, kind)
    found = consensus(arrow, line, Limits.of(None, NAMES[:n]), [])
    every = distances(*every_class(n), arrow, line)
    assert found.proven
    assert found.distance == pytest.approx(every.min(), abs=1e-9)
    pdag = _kernel.completed(found.dag, None) != 0
    own = distances((pdag & ~pdag.T)[None], (pdag & pdag.T)[None], arrow, line)
    assert own[0] == pytest.approx(found.distance, abs=1e-9)


@pytest.mark.parametrize("seed", [*range(30), 2_971_803_865])
def test_without_the_proof_it_is_found_all_the_same(seed):
    rng = np.random.default_rng(seed)
    arrow, line = random_shares(rng, 5, "any")
    allowed, none = 1 - np.eye(5, dtype=np.uint8), np.zeros((5, 5), np.uint8)
    _, losses, proven = _kernel.consensus(arrow, line, allowed, none, None, [none], looks=20_000, nodes=0, slack=0.0)
    joined = np.triu(arrow + arrow.T + line, 1).sum()
    assert not proven
    assert joined + losses[0] == pytest.approx(distances(*every_class(5), arrow, line).min(), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_class_that_knowledge_allows_is_nearer(seed):
    rng = np.random.default_rng(seed)
    arrow, line = random_shares(rng, 4, "any")
    names = NAMES[:4]
    known = Knowledge(tiers=[["b"], ["a", "c"], ["d"]], forbidden=[("a", "c")], required=[("b", "d")])
    limits = Limits.of(known, names)
    forbidden = limits.forbidden.astype(np.uint8)
    fits = [dag for dag in all_dags(4) if not (dag & forbidden).any() and dag[1, 3]]
    classes = np.array([_kernel.completed(dag, forbidden) for dag in fits]) != 0
    across = classes.transpose(0, 2, 1)
    found = consensus(arrow, line, limits, [])
    assert found.proven
    assert found.distance == pytest.approx(distances(classes & ~across, classes & across, arrow, line).min(), abs=1e-9)
    assert found.dag[1, 3]
    assert not (found.dag.astype(bool) & limits.forbidden).any()


def test_one_class_is_its_own_consensus():
    dag = random_dag_matrix(np.random.default_rng(8), 70, 0.05)
    pdag = dag_to_cpdag_matrix(dag) != 0
    arrow, line = (pdag & ~pdag.T).astype(float), (pdag & pdag.T).astype(float)
    found = consensus(arrow, line, Limits.of(None, tuple(map(str, range(70)))), [])
    assert (_kernel.completed(found.dag, None) == pdag).all()
    assert found.distance == 0


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_all_classes_that_are_nearly_as_near_are_told(seed):
    arrow, line = random_shares(np.random.default_rng(seed), 4, "sampled")
    found = consensus(arrow, line, Limits.of(None, NAMES[:4]), [])
    further = distances(*every_class(4), arrow, line) - found.distance
    wanted = np.sort(further[further < 0.1 - 1e-9])
    assert [0.0, *(one for _, one in found.nearly)] == pytest.approx(wanted, abs=1e-9)


def test_ties_are_settled_by_the_score():
    arrow, line = np.zeros((2, 2)), np.zeros((2, 2))
    line[0, 1] = line[1, 0] = 0.5  # as likely as no edge
    limits = Limits.of(None, NAMES[:2])
    assert consensus(arrow, line, limits, [], rate=lambda dag: float(dag.sum())).dag.any()
    assert not consensus(arrow, line, limits, [], rate=lambda dag: -float(dag.sum())).dag.any()
