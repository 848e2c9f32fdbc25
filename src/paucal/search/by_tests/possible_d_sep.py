"""The second look of FCI at every edge: separating sets that are not neighbours (Spirtes, Glymour and Scheines 2000).

With hidden common causes a pair that is not joined need not be separated by neighbours of either end. But then a set
of nodes that are possibly d-separating does: those to which a path leads on which every inner node is a collider, or
has its two path neighbours joined. Only nodes on paths between the two ends matter, so the sets are cut down to the
block of the edge (Colombo, Maathuis, Kalisch and Richardson 2012).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.bits import bits_of_rows, members
from paucal.independence.subsets import subsets
from paucal.search.by_tests.blocks import blocks
from paucal.search.by_tests.colliders import may_list_triples, unshielded_triples
from paucal.search.by_tests.skeleton import Skeleton, orders

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paucal.search.by_tests.limits import Limits
    from paucal.search.by_tests.separators import Separators
    from paucal.search.run import SearchRun

_MANY = 256  # steps at once: before these, a look at the clock costs nothing in comparison


def second_look(
    run: SearchRun, skeleton: Skeleton, limits: Limits, max_order: int | None, max_path_length: int | None
) -> Skeleton:
    """Take away the edges that sets of possibly d-separating nodes separate.

    These nodes are found once, before any edge goes, so the order of the edges does not matter.
    """
    adjacency = skeleton.adjacency.copy()
    separators = skeleton.separators
    if run.spent or not may_list_triples(run, skeleton):
        return skeleton
    heads = _collider_heads(adjacency, separators)
    reach = possible_d_sep(adjacency, heads, max_path_length, spent=lambda: run.spent)
    open_pairs = _pairs_with_more(adjacency & ~limits.fixed, skeleton.adjacency, reach)
    for order in islice(orders(max_order), 1, None):
        left = [(x, y, nodes) for x, y, nodes in open_pairs if adjacency[x, y] and len(nodes) >= order]
        if not left or run.spent:
            break
        sizes = np.array([len(nodes) for _, _, nodes in left])
        run.expect(f"possible d-separation, order {order}", subsets(sizes, order).sum())
        for done, (x, y, nodes) in enumerate(left):
            run.progress(f"possible d-separation, order {order}", done, len(left))
            if run.spent:
                break
            if not adjacency[x, y]:
                continue
            if separators.add_if_found(x, y, run.test.first_separator(x, y, nodes, order)):
                adjacency[x, y] = adjacency[y, x] = False
    return Skeleton(adjacency, separators, skeleton.order)


def possible_d_sep(
    adjacency: NDArray[np.bool_],
    heads: NDArray[np.bool_],
    max_path_length: int | None = None,
    *,
    spent: Callable[[], bool] = lambda: False,
) -> list[int]:
    """Give for every node the possibly d-separating nodes, as bits.

    `heads[i, j]` says that the edge between i and j has an arrowhead at j. When `spent` says so, the nodes that are
    left get their neighbours alone.
    """
    adjacent = bits_of_rows(adjacency)
    into = bits_of_rows(heads)
    comes_in = bits_of_rows(heads.T)
    found = []
    for x in range(len(adjacent)):
        reached = adjacent[x]
        steps = {(x, v) for v in members(adjacent[x])}
        frontier = [] if spent() else sorted(steps)
        length = 1
        while frontier and (max_path_length is None or length < max_path_length):
            if len(frontier) > _MANY and spent():
                break
            ahead = []
            for u, v in frontier:
                onward = adjacent[u] | (comes_in[v] if into[u] >> v & 1 else 0)
                for w in members(onward & adjacent[v] & ~(1 << u) & ~(1 << x)):
                    if (v, w) not in steps:
                        steps.add((v, w))
                        ahead.append((v, w))
                        reached |= 1 << w
            frontier = ahead
            length += 1
        found.append(reached)
    return found


def _collider_heads(adjacency: NDArray[np.bool_], separators: Separators) -> NDArray[np.bool_]:
    a, c, b = unshielded_triples(adjacency)
    chosen = separators.known(a, b) & ~separators.contain(a, c, b)
    heads = np.zeros_like(adjacency)
    heads[a[chosen], c[chosen]] = heads[b[chosen], c[chosen]] = True
    return heads


def _pairs_with_more(
    pairs: NDArray[np.bool_], adjacency: NDArray[np.bool_], reach: list[int]
) -> list[tuple[int, int, list[int]]]:
    """List joined pairs, from either end, with the nodes that may separate them, where these are not all neighbours.

    The nodes of one end are left out where those of the other end include them.
    """
    adjacent = bits_of_rows(adjacency)
    around: list[list[int]] = [[] for _ in adjacent]
    for block in blocks(adjacent):
        for v in members(block):
            around[v].append(block)
    found = []
    for x, y in np.argwhere(np.triu(pairs)).tolist():
        shared = next(block for block in around[x] if block >> y & 1) & ~(1 << x | 1 << y)  # an edge has one block
        of_x, of_y = reach[x] & shared, reach[y] & shared
        if of_x & ~adjacent[x] and (of_x & ~of_y or of_x == of_y):
            found.append((x, y, list(members(of_x))))
        if of_y & ~adjacent[y] and of_y & ~of_x:
            found.append((y, x, list(members(of_y))))
    return found
