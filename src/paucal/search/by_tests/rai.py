"""RAI, recursive autonomy identification: thin, orient, split into ancestors and descendants, and again.

R. Yehezkel, B. Lerner (2009), Bayesian network structure learning by recursive autonomy identification, JMLR 10, in the
form of the FixRAI program:

* At order n the edges from the exogenous causes to the sub-structure are tested first, then those inside it, given sets
  of n neighbours of the child end, anywhere in the graph, and edges go at once: the columns' order matters.
* After each thinning the colliders of the whole graph are oriented anew (`rai_graph.py`); where two claims meet on an
  edge the last one holds.
* The nodes that no directed edge leaves, and none that undirected edges join to them, are the descendants; the rest
  falls apart into autonomous ancestor structures. Ancestors are learned first, at order n + 1.

Deviations: no limit of ten conditioning variables. The program's graph may have cycles or fit no DAG, and even with a
perfect test it is wrong now and then: an early, mistaken arrow hides the end of an edge whose neighbours would
separate it (about one in 400 random DAGs of 5 to 15 nodes). So every edge that is left is tested once more, given
neighbours of either end, and oriented as PC does it (`orient.py`); that is exact with a perfect test, and costs some
7 % more tests.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.bits import matrix_of_bits, members
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.pc import oriented_result
from paucal.search.by_tests.rai_graph import RaiGraph
from paucal.search.by_tests.separators import Separators
from paucal.search.by_tests.skeleton import Skeleton, orders, thinned
from paucal.search.run import Progress, SearchRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.protocol import CITest
    from paucal.search.by_tests.colliders import ColliderRule
    from paucal.search.result import SearchResult


def rai(
    test: CITest,
    *,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    colliders: ColliderRule = "standard",
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a CPDAG by recursive autonomy identification.

    With a finished test the result depends on the order of its columns. Parameters and details are those of
    `pc_stable`; here "majority" for colliders makes fewer mistakes than "standard", for some 30 % more tests.
    """
    orders(max_order)  # refuses what is no order
    settings = {"knowledge": knowledge, "max_order": max_order, "colliders": colliders}
    with SearchRun("rai", test, settings=settings, progress=progress) as run:
        search = Rai(run, Limits.of(knowledge, test.names), max_order)
        search.learn()
        return search.completed(colliders)


class Rai:
    """The graph and the separating sets that the recursion shares."""

    def __init__(self, run: SearchRun, limits: Limits, max_order: int | None = None) -> None:
        self.run = run
        self.limits = limits
        self.max_order = max_order
        self.graph = RaiGraph(limits)
        self.separators = Separators(len(limits.names))
        self._reached = 0

    def learn(self) -> None:
        """Thin and split the whole graph."""
        self._learn(exogenous=0, inside=(1 << len(self.limits.names)) - 1, order=0)

    def completed(self, colliders: ColliderRule, details: Mapping[str, object] | None = None) -> SearchResult:
        """Test what is left from either end, and orient it into a CPDAG."""
        pdag = self.graph.pdag()
        left = Skeleton((pdag | pdag.T) != 0, self.separators, self._reached)
        skeleton = thinned(self.run, self.limits, left, self.max_order)
        return oriented_result(self.run, self.limits, skeleton, colliders, details=details)

    def orient(self) -> None:
        """Direct what can be directed after a thinning."""
        self.graph.orient_colliders()

    def candidates(self, child: int) -> int:
        """Give the nodes that conditioning sets for edges into a node are made of."""
        return self.graph.around(child)

    def _learn(self, exogenous: int, inside: int, order: int) -> None:
        """Thin and split one sub-structure; node sets are bits."""
        graph = self.graph
        deepest = max((graph.into[v].bit_count() for v in members(inside)), default=0)
        if deepest <= order or (self.max_order is not None and order > self.max_order) or self.run.spent:
            return
        for parents in (exogenous, inside):
            self.thin(parents, inside, order)
            self.orient()
        descendants = graph.lowest(inside)
        ancestors = inside & ~descendants
        for component in graph.components(ancestors):
            self._learn(exogenous, component, order + 1)
        self._learn(ancestors | exogenous, descendants, order + 1)

    def thin(self, parents: int, children: int, order: int) -> None:
        """Test the edges from some nodes to others at one order."""
        graph = self.graph
        if order == 0:
            self._thin_at_once(parents, children)
            return
        pairs = [(p, c) for c in members(children) for p in members(graph.into[c] & parents)]
        pairs = [(p, c) for p, c in pairs if not self.limits.fixed[p, c]]
        if not pairs or self.run.spent:
            return
        around = [self.candidates(v) & allowed for v, allowed in enumerate(graph.may_separate)]
        stage = f"order {order}"
        self.run.expect(stage, sum(math.comb(max(around[c].bit_count() - 1, 0), order) for _, c in pairs))
        self.run.progress(stage, 0, len(pairs))
        x, y = np.array(pairs, dtype=np.uint32).T
        tried = self.run.test.thin(x, y, matrix_of_bits(around) != 0, order)
        if tried.asked.any():
            self._reached = max(self._reached, order)
        found = self.separators.add_found(x, y, tried)
        for p, c, given in zip(x[found].tolist(), y[found].tolist(), tried.given[found].tolist(), strict=True):
            graph.separate(p, c, given)

    def _thin_at_once(self, parents: int, children: int) -> None:
        """Test all pairs given nothing: no deletion can matter, so that one call does it."""
        n = len(self.graph.into)
        joined = np.zeros((n, n), dtype=np.bool_)
        for c in members(children):
            joined[list(members(self.graph.into[c] & parents)), c] = True
        chosen = np.flatnonzero(np.triu(joined | joined.T) & ~self.limits.fixed)  # each pair once, as one number
        if not len(chosen):
            return
        self.run.progress("order 0", 0, len(chosen))
        x, y = (part.astype(np.uint32) for part in divmod(chosen, n))
        result = self.run.test.search(x, y, x, self.limits.joinable, 0)
        found = self.separators.add_found(x, y, result)
        for p, c in zip(x[found].tolist(), y[found].tolist(), strict=True):
            self.graph.separate(p, c, ())
