"""The best DAG and the posterior of DAGs, by going through all of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from twin.graphs import all_dags, blanket, classes
from twin.scores import local

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paucal import Dataset


class Posterior(NamedTuple):
    """Every allowed DAG with its class, its score, and its share of the posterior."""

    dags: NDArray[np.uint8]
    classes: NDArray[np.uint8]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64]

    def shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Probabilities of arrows, of lines, and of being in each other's blanket."""
        there, back = self.classes != 0, self.classes.transpose(0, 2, 1) != 0
        blankets = np.array([blanket(dag) for dag in self.dags])
        arrow, line, near = (np.tensordot(self.weights, part, 1) for part in (there & ~back, there & back, blankets))
        return arrow, line, near


def posterior(
    data: Dataset,
    *,
    edge_penalty: float,
    temper: float = 1.0,
    score: str = "eb",
    max_parents: int = 5,
    required: Iterable[tuple[int, int]] = (),
    forbidden: Iterable[tuple[int, int]] = (),
) -> Posterior:
    """Score every DAG that is allowed: the weight is the exponential of its score, less a penalty for each arc."""
    n = data.n_columns
    must, may_not = np.zeros((n, n), np.uint8), np.zeros((n, n), np.uint8)
    for a, b in required:
        must[a, b] = 1
    for a, b in forbidden:
        may_not[a, b] = 1
    constant = [len(np.unique(codes)) == 1 for codes in data.columns]
    may_not[constant] = may_not[:, constant] = 1
    allowed = [dag for dag in all_dags(n) if not (dag & may_not).any() and (dag & must == must).all()]
    few = [((dag & ~must & 1).sum(axis=0) <= max_parents).all() for dag in allowed]
    dags, its = np.array(allowed)[few], classes(allowed)[few]  # classes keep to knowledge, not to the number

    @cache
    def family(child: int, parents: tuple[int, ...]) -> float:
        return local(data, child, parents, score) - edge_penalty * len(parents)

    scores = np.array([sum(family(v, tuple(np.flatnonzero(dag[:, v]).tolist())) for v in range(n)) for dag in dags])
    weights = np.exp(temper * (scores - scores.max()))
    return Posterior(dags, its, scores, weights / weights.sum())
