"""Rival explanations: pairs with a column in common that graphs join in turn, seldom together.

Three columns may leave it open which of two is the neighbour of the third: half of the graphs have the one, half the
other, and hardly any both or none. Each pair alone then looks like a coin toss, although that there is *one* of them
is all but certain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    # [graph, pair]: whether a graph joins the columns a and b of a pair
    Joined = Callable[[NDArray[np.uint32], NDArray[np.uint32]], NDArray[np.bool_]]

OPEN = (0.2, 0.8)  # pairs that are joined in such a share of the graphs are open
_MOST_PAIRS = 128  # that are looked at: those nearest to one half
_OPPOSED = -0.3  # correlation of two pairs over the graphs, from which on they are rivals


class Rivals(NamedTuple):
    """A column, those that may be joined to it in turn with the share of each, and how often some and several are."""

    target: int
    rivals: tuple[tuple[int, float], ...]
    some: float
    several: float


def find_rivals(shares: NDArray[np.float64], joined: Joined) -> list[Rivals]:
    """Find rivals given the share of graphs that join each pair; those about which most is open come first."""
    low, high = OPEN
    pairs = np.argwhere(np.triu((shares >= low) & (shares <= high), 1))
    if len(pairs) < 2:
        return []
    nearest = np.argsort(np.abs(shares[pairs[:, 0], pairs[:, 1]] - 0.5), kind="stable")
    pairs = pairs[np.sort(nearest[:_MOST_PAIRS])].astype(np.uint32)
    drawn = joined(np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))
    found = []
    for target in sorted(set(pairs.ravel().tolist())):  # np.unique would load the masked arrays of NumPy for it
        own = np.flatnonzero((pairs == target).any(axis=1))
        others = pairs[own].sum(axis=1) - target
        found += _around(target, others.tolist(), shares[target, others], drawn[:, own])
    return sorted(found, key=lambda one: (-sum(min(share, 1 - share) for _, share in one.rivals), one.target))


def _around(target: int, others: list[int], shares: NDArray[np.float64], drawn: NDArray[np.bool_]) -> list[Rivals]:
    """Put together who is joined to a target in turn: the most opposed two, then whoever is opposed to them."""
    left = list(range(len(others)))
    found = []
    while len(left) > 1:
        opposed = _correlations(drawn[:, left])
        i, j = np.unravel_index(int(np.argmin(opposed)), opposed.shape)
        if opposed[i, j] > _OPPOSED:
            break
        group = [left[int(i)], left[int(j)]]
        for k in [one for one in left if one not in group]:
            some = drawn[:, group].any(axis=1)
            if _correlations(np.stack([some, drawn[:, k]], axis=1))[0, 1] <= _OPPOSED:
                group.append(k)
        counts = drawn[:, group].sum(axis=1)
        joined = sorted(((others[k], float(shares[k])) for k in group), key=lambda one: -one[1])
        found.append(Rivals(target, tuple(joined), float((counts > 0).mean()), float((counts > 1).mean())))
        left = [one for one in left if one not in group]
    return found


def _correlations(drawn: NDArray[Any]) -> NDArray[np.float64]:
    """Correlate columns of zeros and ones; those that are constant with nobody."""
    centred = drawn - drawn.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    scale = np.where(spread > 0, spread, np.inf)
    table: NDArray[np.float64] = centred.T @ centred / np.outer(scale, scale)
    np.fill_diagonal(table, 1.0)
    return table
