"""MMPC, max-min parents and children: who stays dependent on a target whatever it is conditioned on.

I. Tsamardinos, L. E. Brown, C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65. In the flavour of bnlearn: going forward, only sets with the node that joined last are
new; going backward, each member is tested given all sets of the other members.

Nearness to independence takes the place of the p-value, so that any test will do. Nodes equally near join in the
columns' order.
"""

from __future__ import annotations

import math
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

from paucal.independence.answers import Around
from paucal.search.by_tests.separators import Separators

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paucal.independence.answers import Tried
    from paucal.search.by_tests.limits import Limits
    from paucal.search.run import SearchRun


_CHUNK = 2**15  # pairs between two reports of progress


class Mmpc:
    """One run; what it finds to separate pairs is in `separators`."""

    def __init__(self, run: SearchRun, limits: Limits, max_order: int | None) -> None:
        self.separators = Separators(len(limits.names))
        self._separated: list[tuple[NDArray[np.int64], NDArray[np.int64], Tried]] = []
        self._run = run
        self._limits = limits
        self._max_order = max_order

    def all_neighbours(self) -> NDArray[np.bool_]:
        """Find the parents and children of every node: two nodes are joined if each is found from the other."""
        n = len(self._limits.names)
        kept = np.zeros((n, n), dtype=np.bool_)
        for target, found in enumerate(self.neighbours(list(range(n)), self._given_nothing())):
            kept[target, found] = True
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

    def neighbours(self, targets: list[int], first: NDArray[np.float64]) -> list[list[int]]:
        """Find the parents and children of some nodes, and perhaps some more; `first` has their nearness given nothing.

        All targets take each step together, so that one call of the test serves them all.
        """
        fixed, may_help = self._limits.fixed[targets], self._limits.may_separate[targets]
        members: list[list[int]] = [np.flatnonzero(row).tolist() for row in fixed]
        waiting = (first < np.inf) & ~fixed
        at, node = waiting.nonzero()  # who may still join which target, and how near it came at most
        nearness = first[waiting]
        while len(node) and not self._run.spent:
            helped = np.array([bool(its) and may_help[t, its[-1]] for t, its in enumerate(members)])
            around = [
                Around(targets[t], nodes, [m for m in members[t][:-1] if may_help[t, m]], (members[t][-1],))
                for t, nodes in _by_target(at, node)
                if helped[t]
            ]
            self._run.expect("parents and children", sum(len(a.y) * self._sets(len(a.candidates)) for a in around))
            here = helped[at]
            nearness[here] = np.maximum(nearness[here], self._tried(around))
            left = nearness < np.inf
            at, node, nearness = at[left], node[left], nearness[left]
            joining = np.lexsort((nearness, at))[_first_of_each(at)]  # the first in the columns' order if several are
            for t, one in zip(at[joining].tolist(), node[joining].tolist(), strict=True):
                members[t].append(one)
            left = np.ones(len(at), dtype=np.bool_)
            left[joining] = False
            at, node, nearness = at[left], node[left], nearness[left]
        for t, nodes in _by_target(at, node):  # if the budget was spent before all could be tried
            members[t] += nodes
        around = [
            Around(targets[t], [m for m in its if not fixed[t, m]], [m for m in its if may_help[t, m]])
            for t, its in enumerate(members)
            if len(its) > 1
        ]
        apart = iter((self._tried(around) == np.inf).tolist())
        gone = {(one.x, m) for one in around for m in one.y if next(apart)}
        for from_later in (False, True):  # the set that a pair keeps of two
            for x, y, tried in self._separated:
                self.separators.add_tried(x, y, tried, among=(x > y) == from_later)
        self._separated.clear()
        return [[m for m in its if (t, m) not in gone] for t, its in zip(targets, members, strict=True)]

    def _tried(self, around: list[Around]) -> NDArray[np.float64]:
        """Try all sets but the empty one; give the largest nearness of every pair, infinite where one separates it."""
        sizes = range(1, self._limited(len(self._limits.names)) + 1)
        nearness = [np.zeros(0)]
        for part in _parts(around):
            self._run.progress("parents and children", sum(map(len, nearness)), sum(len(one.y) for one in around))
            tried = self._run.test.grow(part, sizes)
            x = np.repeat([one.x for one in part], [len(one.y) for one in part])
            y = np.array([v for one in part for v in one.y], dtype=np.int64)
            self._separated.append((x, y, tried))
            nearness.append(np.where(tried.found, np.inf, tried.nearness))
        return np.concatenate(nearness)

    def _sets(self, others: int) -> float:
        """Count the sets of a node and some others."""
        return sum(math.comb(others, order) for order in range(self._limited(others + 1)))

    def _limited(self, size: int) -> int:
        return size if self._max_order is None else min(size, self._max_order)


def _first_of_each(at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the places where ascending numbers change."""
    return np.flatnonzero(np.diff(at, prepend=-1))


def _by_target(at: NDArray[np.int64], node: NDArray[np.int64]) -> Iterator[tuple[int, list[int]]]:
    """Give the nodes of each target."""
    first, nodes = _first_of_each(at), node.tolist()
    for t, (begin, end) in zip(at[first].tolist(), pairwise([*first.tolist(), len(at)]), strict=True):
        yield t, nodes[begin:end]


def _parts(around: list[Around]) -> Iterator[list[Around]]:
    """Share questions out into parts of not too many pairs."""
    pairs = accumulate(len(one.y) for one in around)
    for _, part in groupby(zip(pairs, around, strict=True), key=lambda numbered: numbered[0] // _CHUNK):
        yield [one for _, one in part]
