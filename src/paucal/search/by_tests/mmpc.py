"""MMPC, max-min parents and children: who stays dependent on a target whatever it is conditioned on.

I. Tsamardinos, L. E. Brown, C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65. In the flavour of bnlearn: going forward, only sets with the node that joined last are
new; going backward, each member is tested given all sets of the other members.

Nearness to independence takes the place of the p-value, so that any test will do. Nodes equally near join in the
columns' order.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from paucal.search.by_tests.separators import Separators

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.search.by_tests.limits import Limits
    from paucal.search.run import SearchRun


class Mmpc:
    """One run; what it finds to separate pairs is in `separators`."""

    def __init__(self, run: SearchRun, limits: Limits, max_order: int | None) -> None:
        self.separators = Separators(len(limits.names))
        self._run = run
        self._limits = limits
        self._max_order = max_order

    def all_neighbours(self) -> NDArray[np.bool_]:
        """Find the parents and children of every node: two nodes are joined if each is found from the other."""
        n = len(self._limits.names)
        nearness = self._given_nothing()
        kept = np.zeros((n, n), dtype=np.bool_)
        for target in range(n):
            if self._run.spent:  # who was not looked from keeps whoever keeps it
                kept[target:] = kept[:, target:].T
                break
            self._run.progress("parents and children", target, n)
            kept[target, self.neighbours(target, nearness[target])] = True
        return kept & kept.T

    def _given_nothing(self) -> NDArray[np.float64]:
        """Ask about all pairs given nothing; nearness where dependent, infinite where not."""
        joinable = self._limits.joinable
        nearness = np.where(joinable, -np.inf, np.inf)
        x, y = np.nonzero(np.triu(joinable & ~self._limits.fixed))
        result = self._run.test.search(x, y, x, joinable, 0)
        nearness[x, y] = nearness[y, x] = np.where(result.found, np.inf, result.answers.nearness)
        self.separators.add_found(x, y, result)
        return nearness

    def neighbours(self, target: int, first: NDArray[np.float64]) -> list[int]:
        """Find the parents and children of one node, and perhaps some more; `first` is the nearness given nothing."""
        may_help = self._limits.may_separate[target]
        required = np.flatnonzero(self._limits.fixed[target]).tolist()
        nearness = {v: near for v, near in enumerate(first.tolist()) if near < np.inf and v not in required}
        members = list(required)
        last = members[-1] if members else None
        while not self._run.spent:
            if last is not None and may_help[last]:
                others = [m for m in members if m != last and may_help[m]]
                self._run.expect("parents and children", len(nearness) * self._sets(len(others)))
                tried = {v: self._nearest(target, v, others, last) for v in nearness}
                nearness = {v: max(nearness[v], near) for v, near in tried.items() if near < np.inf}
            if not nearness:
                break
            last = min(nearness, key=lambda v: (nearness[v], v))
            members.append(last)
            del nearness[last]
        members += nearness  # if the budget was spent before all could be tried
        if len(members) < 2:
            return members
        helpers = [m for m in members if may_help[m]]
        return [v for v in members if v in required or not self._removed(target, v, helpers)]

    def _nearest(self, target: int, v: int, others: list[int], last: int) -> float:
        """Try all sets of `last` and some others; give the largest nearness, infinite if one of them separates."""
        nearest = -np.inf
        largest = self._limited(len(others) + 1)
        for given in ((*rest, last) for order in range(largest) for rest in combinations(others, order)):
            if self._run.spent:
                break
            answer = self._run.test.ask(target, v, given)
            if answer.independent:
                self.separators.add(target, v, given, answer.nearness)
                return np.inf
            nearest = max(nearest, answer.nearness)
        return nearest

    def _removed(self, target: int, v: int, members: list[int]) -> bool:
        """Say whether some set of the other members separates v from the target."""
        others = [m for m in members if m != v]
        sizes = range(1, self._limited(len(others)) + 1)
        tried = (self._run.test.first_separator(target, v, others, order) for order in sizes)
        return any(self.separators.add_if_found(target, v, one) for one in tried)

    def _sets(self, others: int) -> float:
        """Count the sets of a node and some others."""
        return sum(math.comb(others, order) for order in range(self._limited(others + 1)))

    def _limited(self, size: int) -> int:
        return size if self._max_order is None else min(size, self._max_order)
