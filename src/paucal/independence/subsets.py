"""How many sets there are to try, before anybody tries them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 2**17


def at_most(pairs: int, adjacency: NDArray[np.bool_], order: int) -> int:
    """Give more sets than there can be to try, without a look at every pair; if they are few, not even at a column."""
    of_all = 2 * pairs * math.comb(len(adjacency), order)
    return of_all if of_all <= _FEW else 2 * pairs * math.comb(int(adjacency.sum(axis=1).max(initial=0)), order)


def sets_to_try(
    x: NDArray[Any], y: NDArray[Any], owner: NDArray[Any] | None, adjacency: NDArray[np.bool_], order: int
) -> NDArray[np.float64]:
    """Give for every pair the sets of so many neighbours of its owner, without owners of both ends.

    >>> one, other, full = np.array([0]), np.array([1]), ~np.eye(5, dtype=bool)
    >>> sets_to_try(one, other, None, full, 2).tolist()
    [6.0]
    """
    if order == 0:
        return np.ones(len(x))
    degree = np.count_nonzero(adjacency, axis=1)
    ends = (x, y) if owner is None else (owner,)
    total = np.zeros(len(x))
    for end in ends:
        around = degree[end] - sum((adjacency[end, v] & (v != end)).astype(np.int64) for v in (x, y))
        total += subsets(around, order)
    return total


def subsets(among: NDArray[Any], order: int) -> NDArray[np.float64]:
    """Count the subsets of one size, for several numbers of members.

    >>> subsets(np.array([1, 2, 4]), 2).tolist()
    [0.0, 1.0, 6.0]
    """
    count = np.ones(among.shape)
    for i in range(order):
        count *= np.maximum(among - i, 0) / (i + 1)
    return count
