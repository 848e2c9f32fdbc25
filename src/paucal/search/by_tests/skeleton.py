"""Which pairs are joined: the first half of PC.

Every pair starts joined. At order k = 0, 1, 2, ... each joined pair is tested given the sets of k neighbours of one
end, then of the other, until one of them separates it.

* `stable_skeleton` removes edges at the end of an order (Colombo and Maathuis 2014), so that what is joined does not
  depend on the order of the columns; each order is one call of the test's `search`, and orders with few sets are all
  done in one (`rounds`).
* `eager_skeleton` removes them at once (Spirtes and Glymour 1991, in the form of BNT), with fewer tests, and the
  columns' order matters.

Both stop when no pair has enough neighbours left, after `max_order`, or when the budget of the run is spent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.graphs.bits import share_a_neighbour
from paucal.independence.subsets import at_most, sets_to_try
from paucal.search.by_tests.separators import Separators
from paucal.search.run import FEW_MILLION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paucal.independence.answers import Separations
    from paucal.independence.protocol import CITest
    from paucal.search.by_tests.limits import Limits
    from paucal.search.run import SearchRun

_CHUNK = 2**15  # pairs between two reports of progress


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The joined pairs, what separated the others, and the largest order that was tested."""

    adjacency: NDArray[np.bool_]
    separators: Separators
    order: int
    given_nothing: NDArray[np.bool_] | None = None  # pairs that no set is needed for, if `separators` leaves some out


def stable_skeleton(run: SearchRun, limits: Limits, max_order: int | None) -> Skeleton:
    """Find the skeleton with edges removed at the end of each order."""
    adjacency = limits.joinable.copy()
    separators = Separators(len(adjacency))
    reached = 0
    x, y = (adjacency & ~limits.fixed if limits.active else adjacency).nonzero()
    upper = x < y
    x, y = x[upper].astype(np.uint32), y[upper].astype(np.uint32)  # as the kernel takes them
    neighbours = adjacency & limits.may_separate if limits.active else adjacency
    run.progress("order 0", 0, len(x))
    done, finished = run.test.rounds(x, y, neighbours, checks.limit("max_order", max_order, 0))
    for reached, (a, b, tried) in enumerate(done):
        _separate(a, b, tried, adjacency, separators)
        run.progress(f"order {reached}", len(a), len(a))
        x, y = a[~tried.found], b[~tried.found]
    for order in islice(orders(max_order), len(done), None):
        if finished or run.spent:
            break
        neighbours = adjacency & limits.may_separate if limits.active else adjacency.copy()
        if at_most(len(x), neighbours, order) > FEW_MILLION:
            run.expect(f"order {order}", sets_to_try(x, y, None, neighbours, order).sum())
        asked, joined = _search(run, x, y, (neighbours, order), adjacency, separators)
        if not asked:
            break
        reached = order
        x, y = x[joined], y[joined]
    separate_unjoinable(run.test, limits, adjacency, separators, max_order)
    return Skeleton(adjacency, separators, reached)


def eager_skeleton(run: SearchRun, limits: Limits, max_order: int | None) -> Skeleton:
    """Find the skeleton with edges removed at once."""
    adjacency = limits.joinable.copy()
    separators = Separators(len(adjacency))
    x, y = np.nonzero(np.triu(adjacency & ~limits.fixed))
    # given nothing, no deletion can matter: all pairs in one call
    _search(run, x, y, (adjacency, 0), adjacency, separators)
    return thinned(run, limits, Skeleton(adjacency, separators, 0), max_order)


def thinned(run: SearchRun, limits: Limits, start: Skeleton, max_order: int | None) -> Skeleton:
    """Test every edge that is left given sets of one neighbour and more of either end; edges go at once."""
    adjacency, separators = start.adjacency.copy(), start.separators
    reached = start.order
    for order in islice(orders(max_order), 1, None):
        y, x = np.nonzero(adjacency & ~limits.fixed)
        if at_most(len(x), adjacency, order) > FEW_MILLION:
            run.expect(f"order {order}", sets_to_try(x, y, y, adjacency & limits.may_separate, order).sum())
        run.progress(f"order {order}", 0, len(x))
        tried = run.test.thin(x, y, adjacency & limits.may_separate, order)
        _separate(x, y, tried, adjacency, separators)
        if not tried.asked.any() or run.spent:
            break
        reached = max(reached, order)
    separate_unjoinable(run.test, limits, adjacency, separators, max_order)
    return Skeleton(adjacency, separators, reached)


def orders(max_order: int | None) -> Iterator[int]:
    """Count the sizes of conditioning sets: 0, 1, ... up to `max_order`."""
    most = checks.limit("max_order", max_order, 0)
    return iter(count() if most is None else range(most + 1))


def _search(
    run: SearchRun,
    x: NDArray[Any],
    y: NDArray[Any],
    level: tuple[NDArray[np.bool_], int],
    adjacency: NDArray[np.bool_],
    separators: Separators,
) -> tuple[bool, NDArray[np.bool_]]:
    """Separate pairs by neighbours of either end; say whether there was anything to ask, and which are still joined."""
    neighbours, order = level
    joined = np.ones(len(x), dtype=np.bool_)
    asked = False
    for start in range(0, len(x), _CHUNK):
        if run.spent:
            break
        run.progress(f"order {order}", start, len(x))
        a, b = x[start : start + _CHUNK], y[start : start + _CHUNK]
        tried = run.test.search(a, b, None, neighbours, order)
        asked |= bool(tried.asked.any())
        _separate(a, b, tried, adjacency, separators)
        joined[start : start + _CHUNK] = ~tried.found
    if asked:
        run.progress(f"order {order}", len(x) if not run.spent else int(np.count_nonzero(~joined)), len(x))
    return asked, joined


def _separate(
    x: NDArray[Any], y: NDArray[Any], tried: Separations, adjacency: NDArray[np.bool_], separators: Separators
) -> None:
    """Keep what separated pairs, and take their edges away."""
    found = separators.add_found(x, y, tried)
    a, b = x[found], y[found]
    adjacency[a, b] = adjacency[b, a] = False


def separate_unjoinable(
    test: CITest, limits: Limits, adjacency: NDArray[np.bool_], separators: Separators, max_order: int | None
) -> None:
    """Find out what separates the pairs that knowledge keeps apart, where a collider may hang on it."""
    if not limits.active:
        return
    apart = ~limits.joinable & share_a_neighbour(adjacency)
    np.fill_diagonal(apart, val=False)
    for a, b in np.argwhere(np.triu(apart)).tolist():
        if test.spent:
            break
        sides = [np.flatnonzero(adjacency[v] & limits.may_separate[v]).tolist() for v in (a, b)]
        for order in orders(max_order):
            tried = [test.first_separator(a, b, side, order) for side in sides if len(side) >= order]
            if not tried or any(separators.add_if_found(a, b, one) for one in tried):
                break
