"""Every DAG of a few nodes, as matrices `[parent, child]`, the classes they form, and how far apart classes are."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@cache
def all_dags(n: int) -> tuple[NDArray[np.uint8], ...]:
    """Every DAG over n nodes: 543 over four, 29,281 over five."""
    pairs = list(combinations(range(n), 2))
    found = []
    for marks in product(range(3), repeat=len(pairs)):
        dag = np.zeros((n, n), dtype=np.uint8)
        for (a, b), mark in zip(pairs, marks, strict=True):
            if mark:
                dag[(a, b) if mark == 1 else (b, a)] = 1
        if is_acyclic(dag):
            found.append(dag)
    return tuple(found)


def is_acyclic(dag: NDArray[Any]) -> bool:
    """Take away nodes without parents as long as there are any."""
    left = np.arange(len(dag))
    while len(left):
        inside = dag[np.ix_(left, left)]
        if inside.any(axis=0).all():
            return False
        left = left[inside.any(axis=0)]
    return True


def classes(dags: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The class of each DAG among all that are given: what those with its edges and its colliders agree on."""
    keys = [_edges_and_colliders(dag) for dag in dags]
    agreed: dict[bytes, NDArray[np.uint8]] = {}
    for key, dag in zip(keys, dags, strict=True):
        agreed[key] = agreed[key] | dag if key in agreed else dag
    return np.array([agreed[key] for key in keys])


def _edges_and_colliders(dag: NDArray[np.uint8]) -> bytes:
    joined = dag | dag.T
    apart = 1 - (joined | np.eye(len(dag), dtype=np.uint8))
    colliders = dag[:, None, :] & dag[None, :, :] & apart[:, :, None]  # [a, b, child]
    return joined.tobytes() + colliders.tobytes()


def blanket(dag: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Parents, children, and the other parents of the children."""
    found = (dag | dag.T | (dag @ dag.T)) > 0
    np.fill_diagonal(found, val=False)
    return found
