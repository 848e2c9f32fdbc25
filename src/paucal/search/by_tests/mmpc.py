"""MMPC, max-min parents and children: who stays dependent on a target whatever it is conditioned on.

I. Tsamardinos, L. E. Brown, C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65. In the flavour of bnlearn: going forward, only sets with the node that joined last are
new; going backward, each member is tested given all sets of the other members.

Nearness to independence takes the place of the p-value, so that any test will do. Nodes equally near join in the
columns' order.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal.search.by_tests.separators import Separators

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.search.by_tests.limits import Limits
    from paucal.search.run import SearchRun


class Neighbours(NamedTuple):
    """The pairs that each keep the other, and what separated the rest."""

    adjacency: NDArray[np.bool_]
    separators: Separators


def neighbours_of_all(run: SearchRun, limits: Limits, max_order: int | None) -> Neighbours:
    """Find the parents and children of every node: two nodes are joined if each is found from the other."""
    n = len(limits.names)
    separators = Separators(n)
    nearness = _given_nothing(run, limits, separators)
    kept = np.zeros((n, n), dtype=np.bool_)
    for target in range(n):
        run.progress("parents and children", target, n)
        kept[target, from_one(run, limits, nearness[target], separators, target, max_order)] = True
    return Neighbours(kept & kept.T, separators)


def _given_nothing(run: SearchRun, limits: Limits, separators: Separators) -> NDArray[np.float64]:
    """Ask about all pairs given nothing; nearness where dependent, infinite where not."""
    nearness = np.where(limits.joinable, -np.inf, np.inf)
    x, y = np.nonzero(np.triu(limits.joinable & ~limits.fixed))
    result = run.test.search(x, y, x, limits.joinable, 0)
    near = np.where(result.found, np.inf, result.answers.nearness)
    nearness[x, y] = nearness[y, x] = near
    separators.add_found(x, y, result)
    return nearness


def from_one(
    run: SearchRun,
    limits: Limits,
    first: NDArray[np.float64],
    separators: Separators,
    target: int,
    max_order: int | None,
) -> list[int]:
    """Find the parents and children of one node, and perhaps some more."""
    required = np.flatnonzero(limits.fixed[target]).tolist()
    nearness = {v: near for v, near in enumerate(first.tolist()) if near < np.inf and v not in required}
    members = list(required)
    last = members[-1] if members else None
    while True:
        for v in list(nearness):
            others = [m for m in members if m != last and limits.may_separate[target, m]]
            if last is not None and limits.may_separate[target, last]:
                near = _nearest(run, separators, (target, v), others, last, max_order)
                if near == np.inf:
                    del nearness[v]
                else:
                    nearness[v] = max(nearness[v], near)
        if not nearness:
            break
        last = min(nearness, key=lambda v: (nearness[v], v))
        members.append(last)
        del nearness[last]
    if len(members) < 2:
        return members
    return [
        v
        for v in members
        if v in required or not _removed(run, limits, separators, target, v, members, max_order)
    ]


def _nearest(
    run: SearchRun,
    separators: Separators,
    pair: tuple[int, int],
    others: list[int],
    last: int,
    max_order: int | None,
) -> float:
    """Try all sets of `last` and some others; give the largest nearness, infinite if one of them separates."""
    nearest = -np.inf
    largest = len(others) + 1 if max_order is None else min(len(others) + 1, max_order)
    for given in ((*rest, last) for order in range(largest) for rest in combinations(others, order)):
        answer = run.test.ask(*pair, given)
        if answer.independent:
            separators.add(*pair, given, answer.nearness)
            return np.inf
        nearest = max(nearest, answer.nearness)
    return nearest


def _removed(
    run: SearchRun,
    limits: Limits,
    separators: Separators,
    target: int,
    v: int,
    members: list[int],
    max_order: int | None,
) -> bool:
    """Say whether some set of the other members separates v from the target."""
    others = [m for m in members if m != v and limits.may_separate[target, m]]
    largest = len(others) if max_order is None else min(len(others), max_order)
    tried = (run.test.first_separator(target, v, others, order) for order in range(1, largest + 1))
    return any(separators.add_if_found(target, v, one) for one in tried)
