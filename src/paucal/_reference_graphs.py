"""The readable twin of the kernel's classes of DAGs, consensus, order search and sampler.

Graphs are small matrices `[parent, child]`, and the sampler is replaced by what it approximates: the sum over all
DAGs, which limits it to five columns. Nothing here is meant to be fast.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paucal._reference_scores import Scorer

MOST_ENUMERATED = 5  # columns: 29,281 DAGs
_SHARES = 2**30  # exact probabilities are handed over as counts of so many
_SAME = 1e-9


# -- graphs ------------------------------------------------------------------------------------------------------


def all_dags(n: int) -> Iterator[NDArray[np.uint8]]:
    """Every DAG over n nodes."""
    pairs = list(combinations(range(n), 2))
    for marks in product(range(3), repeat=len(pairs)):
        dag = np.zeros((n, n), dtype=np.uint8)
        for (a, b), mark in zip(pairs, marks, strict=True):
            if mark:
                dag[(a, b) if mark == 1 else (b, a)] = 1
        if is_acyclic(dag):
            yield dag


def is_acyclic(dag: NDArray[Any]) -> bool:
    """Take away nodes without parents as long as there are any."""
    left = np.arange(len(dag))
    while len(left):
        inside = dag[np.ix_(left, left)]
        if inside.any(axis=0).all():
            return False
        left = left[inside.any(axis=0)]
    return True


def completed(dag: NDArray[Any], forbidden: NDArray[Any] | None) -> NDArray[np.uint8]:
    """Give what the equivalent DAGs that knowledge allows agree on: v-structures, knowledge, Meek's rules."""
    arcs = np.asarray(dag) != 0
    joined = arcs | arcs.T
    pdag: NDArray[np.bool_] = joined.copy()
    n = len(arcs)
    for c in range(n):
        for a, b in combinations(np.flatnonzero(arcs[:, c]).tolist(), 2):
            if not joined[a, b]:
                pdag[c, a] = pdag[c, b] = False
    if forbidden is not None:
        pdag &= ~((np.asarray(forbidden) != 0) & pdag & pdag.T)
    while True:
        arrow, line = pdag & ~pdag.T, pdag & pdag.T
        follows = [(a, b) for a, b in np.argwhere(line).tolist() if _follows(a, b, arrow, line, joined)]
        if not follows:
            return np.asarray(pdag, dtype=np.uint8)
        a, b = follows[0]
        pdag[b, a] = False


def _follows(
    a: int, b: int, arrow: NDArray[np.bool_], line: NDArray[np.bool_], joined: NDArray[np.bool_]
) -> bool:
    nodes = range(len(arrow))
    if any(arrow[c, a] and not joined[c, b] and c != b for c in nodes):
        return True
    if any(arrow[a, c] and arrow[c, b] for c in nodes):
        return True
    middle = [c for c in nodes if line[a, c] and arrow[c, b]]
    if any(not joined[c, d] for c, d in combinations(middle, 2)):
        return True
    return any(
        line[a, d] and not joined[d, b] and d != b and arrow[d, c] and arrow[c, b] and joined[a, c]
        for c in nodes
        for d in nodes
    )


def expected_loss(pdag: NDArray[Any], arrow: NDArray[Any], line: NDArray[Any]) -> float:
    """Tell by how much the expected number of differing pairs is above that of the empty graph."""
    absent = 1 - arrow - arrow.T - line
    arrows = (pdag != 0) & (pdag.T == 0)
    lines = np.triu((pdag != 0) & (pdag.T != 0))
    return float((absent - arrow)[arrows].sum() + (absent - line)[lines].sum())


def consensus(
    arrow: NDArray[Any],
    line: NDArray[Any],
    allowed: NDArray[Any],
    required: NDArray[Any],
    forbidden: NDArray[Any] | None,
    starts: Sequence[NDArray[Any]],
) -> tuple[NDArray[np.uint8], float]:
    """Change single arcs of each start as long as its class loses less by it; give the best DAG and its loss."""
    best, least = None, math.inf
    for start in starts:
        dag = np.array(start, dtype=np.uint8)
        loss = expected_loss(completed(dag, forbidden), arrow, line)
        while True:
            changed = [
                (expected_loss(completed(other, forbidden), arrow, line), k, other)
                for k, other in enumerate(_neighbours(dag, allowed, required))
            ]
            nearest = min(changed, key=lambda c: c[:2], default=None)
            if nearest is None or nearest[0] >= loss - 1e-12:
                break
            loss, _, dag = nearest
        if loss < least - 1e-12:
            best, least = dag, loss
    if best is None:
        raise ValueError("no starts")
    return best, least


def _neighbours(
    dag: NDArray[np.uint8], allowed: NDArray[Any], required: NDArray[Any]
) -> Iterator[NDArray[np.uint8]]:
    for a, b in product(range(len(dag)), repeat=2):
        if a == b or (dag[a, b] and required[a, b]):
            continue
        moves = [((a, b), 0)] if dag[a, b] else []
        if dag[a, b] and allowed[b, a]:
            moves.append(((a, b), 2))
        if not dag[a, b] and not dag[b, a] and allowed[a, b]:
            moves.append(((a, b), 1))
        for (i, j), what in moves:
            other = dag.copy()
            other[i, j] = what == 1
            if what == 2:
                other[j, i] = 1
            if is_acyclic(other):
                yield other


# -- searching and summing over graphs -----------------------------------------------------------------------------


class OrderSearch:
    """Move nodes within an order as long as it helps; each takes its parents by growing and shrinking."""

    def __init__(
        self,
        scorer: Scorer,
        allowed: NDArray[Any],
        required: NDArray[Any],
        penalty: float,
        most_parents: int,
        most_candidates: int,
    ) -> None:
        self._scorer, self._penalty, self._most = scorer, penalty, most_parents
        self._required = np.asarray(required) != 0
        self._allowed = (np.asarray(allowed) != 0) & ~self._required & ~np.eye(len(allowed), dtype=np.bool_)
        for v in range(len(allowed)):
            some = np.flatnonzero(self._allowed[:, v]).tolist()
            base = self._must(v)
            ranked = (
                sorted(some, key=lambda u: -self._score(v, (*base, u)))
                if len(some) > most_candidates
                else some
            )
            self._allowed[ranked[most_candidates:], v] = False

    def climb(self, seed: int, start: int) -> tuple[float, NDArray[np.uint32], NDArray[np.uint8]]:
        """From a random order to one that no move of a single node improves: score, order, DAG."""
        rng = np.random.default_rng([seed, start])
        order = [int(v) for v in _random_order(self._required, rng)]
        best = self._value(order)
        moved = True
        while moved:
            moved = False
            for x in rng.permutation(len(order)).tolist():
                rest = [v for v in order if v != x]
                tried = [[*rest[:i], x, *rest[i:]] for i in range(len(order))]
                value, i = max((self._value(other), -i) for i, other in enumerate(tried))
                if value > best + _SAME:
                    best, order, moved = value, tried[-i], True
        dag = np.zeros((len(order), len(order)), dtype=np.uint8)
        for i, v in enumerate(order):
            dag[list(self._parents(v, order[:i])), v] = 1
        return best, np.array(order, dtype=np.uint32), dag

    def _must(self, v: int) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self._required[:, v]).tolist())

    def _score(self, v: int, parents: tuple[int, ...]) -> float:
        return self._scorer.local(v, parents) - self._penalty * len(parents)

    def _value(self, order: list[int]) -> float:
        if any(self._required[w, v] for i, v in enumerate(order) for w in order[i:]):
            return -math.inf
        return sum(self._score(v, self._parents(v, order[:i])) for i, v in enumerate(order))

    def _parents(self, v: int, before: list[int]) -> tuple[int, ...]:
        must = self._must(v)
        parents, now = must, self._score(v, must)
        while len(parents) < len(must) + self._most:
            more = [u for u in sorted(before) if self._allowed[u, v] and u not in parents]
            gain, u = max(((self._score(v, (*parents, u)), -u) for u in more), default=(-math.inf, 0))
            if gain <= now + _SAME:
                break
            parents, now = (*parents, -u), gain
        while True:
            fewer = [tuple(w for w in parents if w != u) for u in parents if u not in must]
            gain, rest = max(((self._score(v, rest), rest) for rest in fewer), default=(-math.inf, ()))
            if gain <= now + _SAME:
                return tuple(sorted(parents))
            parents, now = rest, gain


def _random_order(required: NDArray[np.bool_], rng: np.random.Generator) -> Iterator[int]:
    left = list(range(len(required)))
    while left:
        ready = [v for v in left if not required[left, v].any()]
        v = int(rng.choice(ready))
        left.remove(v)
        yield v


class DagSampler:
    """The distribution that the kernel's sampler draws from, by summing over all DAGs; `run` has nothing to do."""

    def __init__(
        self,
        scorer: Scorer,
        allowed: NDArray[Any],
        required: NDArray[Any],
        forbidden: NDArray[Any] | None,
        penalty: float,
        starts: Sequence[tuple[NDArray[Any], NDArray[Any]]],
        most_candidates: int,
        most_parents: int,
        heats: Sequence[float],
        chains: int,
        seed: int,
    ) -> None:
        n = len(allowed)
        if n > MOST_ENUMERATED:
            raise ValueError(f"the readable twin sums over all DAGs, for at most {MOST_ENUMERATED} columns")
        del starts, most_candidates, chains, seed
        must = np.asarray(required) != 0
        may = (np.asarray(allowed) != 0) | must
        free = ~must
        self._dags = [
            dag
            for dag in all_dags(n)
            if may[dag != 0].all() and dag[must].all() and ((dag * free).sum(axis=0) <= most_parents).all()
        ]
        parents = [[tuple(np.flatnonzero(dag[:, v]).tolist()) for v in range(n)] for dag in self._dags]
        self._scores = np.array(
            [sum(scorer.local(v, p) - penalty * len(p) for v, p in enumerate(sets)) for sets in parents]
        )
        weights = np.exp(heats[0] * (self._scores - self._scores.max()))
        self.weights = weights / weights.sum()
        self._classes = np.array([completed(dag, forbidden) for dag in self._dags], dtype=np.bool_)
        self.n_sets = len({(v, p) for sets in parents for v, p in enumerate(sets)})

    def run(self, rounds: int, record: bool, threads: int) -> None:
        """Do nothing: the sums are there already."""

    def tallies(self, chain: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], int]:
        """Give arrows, lines and blankets, as counts out of 2^30."""
        del chain
        across = self._classes.transpose(0, 2, 1)
        parts = (self._classes & ~across, self._classes & across, np.array([_blanket(d) for d in self._dags]))
        arrow, line, blanket = (
            np.round(np.tensordot(self.weights, part, 1) * _SHARES).astype(np.uint32) for part in parts
        )
        return arrow, line, blanket, _SHARES

    def best(self) -> tuple[float, NDArray[np.uint8]]:
        """Give the score and the DAG of the largest weight."""
        top = int(np.argmax(self._scores))
        return float(self._scores[top]), self._dags[top]

    def central(self, arrow: NDArray[Any], line: NDArray[Any]) -> NDArray[np.uint8]:
        """Give the DAG whose class is expected to differ in the fewest pairs."""
        losses = [expected_loss(pdag.astype(np.uint8), arrow, line) for pdag in self._classes]
        return self._dags[int(np.argmin(losses))]

    def rates(self, chain: int) -> tuple[float, float]:
        """Say that every move was accepted."""
        del chain
        return 1.0, 1.0


def _blanket(dag: NDArray[np.uint8]) -> NDArray[np.bool_]:
    married = (dag @ dag.T) > 0
    found: NDArray[np.bool_] = (dag + dag.T > 0) | married
    np.fill_diagonal(found, val=False)
    return found
