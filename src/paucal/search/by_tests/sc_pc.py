"""SC-PC: PC-stable whose separating sets agree with the graph that they lead to.

H. Li, V. Cabeli, N. Sella, H. Isambert (2019), Constraint-based causal structure learning with consistent separating
sets. A set that separates x and y may only contain nodes next to x or y that lie on a path between them
(`consistency="skeleton"`), and none that is merely a child of the end it was chosen for (`"orientation"`). That can
only be judged in the finished graph: so rounds of PC-stable, from the pairs that are dependent given nothing, each
with the candidates that the graph of the round before allows, until a graph comes again. Of several graphs in such
a circle the union is taken.

Differences from the authors' program: a graph without edges is no obstacle, so that small samples are none either;
candidates are tried in the order of the columns; in either version an edge whose
set is not consistent with the final graph in the same sense is put back and the graph oriented again, until all sets
are consistent. (The program asks of the skeleton version, too, that no member is a mere child, which even a perfect
test does not fulfil: x -> z -> ... -> y is separated by z.)

On small samples the circle often swings between a sparse graph, many of whose sets are not consistent, and a dense one:
the union is then dense, because most absences have no consistent reason. That is how it works; PC-stable is the better
choice there.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from paucal import checks
from paucal.graphs.bits import bits_of, bits_of_rows, matrix_of_bits, members
from paucal.independence.subsets import subsets
from paucal.search.by_tests.blocks import on_paths
from paucal.search.by_tests.colliders import ColliderRule, find_colliders
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import oriented
from paucal.search.by_tests.separators import Separators
from paucal.search.by_tests.skeleton import Skeleton, orders, separate_unjoinable, stable_skeleton
from paucal.search.run import Progress, SearchRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.answers import Separation
    from paucal.independence.protocol import CITest
    from paucal.search.result import SearchResult

Consistency = Literal["skeleton", "orientation"]
Rows = tuple[int, ...]  # a set of nodes for every node, as bits
State = tuple[Rows, Rows]  # neighbours, and children as far as arrows count


def sc_pc(
    test: CITest,
    *,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    consistency: Consistency = "skeleton",
    colliders: ColliderRule = "standard",
    max_rounds: int = 100,
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a CPDAG whose separating sets are consistent with it.

    The result does not depend on the order of the columns. `details["rounds"]` counts the rounds, `details["put_back"]`
    the edges whose set was not consistent.

    Parameters
    ----------
    test, knowledge, max_order, colliders, progress
        As for `pc_stable`.
    consistency
        What a separating set must agree with: the "skeleton", or its "orientation" too.
    max_rounds
        Rounds after which a search that found no circle ends with the graph it has.
    """
    checks.choice("consistency", consistency, ("skeleton", "orientation"))
    max_rounds = checks.whole_number("max_rounds", max_rounds, 1)
    orders(max_order)  # refuses what is no order
    settings = {
        "knowledge": knowledge,
        "max_order": max_order,
        "consistency": consistency,
        "colliders": colliders,
        "max_rounds": max_rounds,
    }
    with SearchRun("sc-pc", test, settings=settings, progress=progress) as run:
        search = _ScPc(run, Limits.of(knowledge, test.names), max_order, consistency, colliders)
        search.settle(max_rounds)
        graph = search.put_back()
        return run.result(graph, search.skeleton.separators.named(test.names), details=search.details)


class _ScPc:
    """Rounds of PC-stable and the graph of the last one."""

    def __init__(
        self, run: SearchRun, limits: Limits, max_order: int | None, consistency: Consistency, colliders: ColliderRule
    ) -> None:
        self.run = run
        self.limits = limits
        self.max_order = max_order
        self.oriented = consistency == "orientation"
        self.colliders: ColliderRule = colliders
        self.rank = range(len(limits.names))
        self.may_separate = bits_of_rows(limits.may_separate)
        self.details: dict[str, object] = {}
        self.start = stable_skeleton(run, limits, 0)
        self.skeleton = self.start

    def settle(self, max_rounds: int) -> None:
        """Repeat rounds until a graph comes again; keep the union of the circle."""
        self.details["rounds"] = 0
        if self.run.spent:
            return
        seen = [_without_arrows(self.skeleton)]
        skeletons = [self.skeleton]
        for number in range(1, max_rounds + 1):
            self.run.progress("round", number, None)
            self.skeleton = self._round(*seen[-1])
            self.details["rounds"] = number
            if self.run.spent:
                return
            state = self._state(self.skeleton)
            if state in seen:
                circle = skeletons[seen.index(state) :]
                together = np.logical_or.reduce([s.adjacency for s in circle])
                self.skeleton = self._without(self.skeleton, together)
                return
            seen.append(state)
            skeletons.append(self.skeleton)

    def put_back(self) -> Graph:
        """Join again the pairs whose set is not consistent with the final graph; give that graph."""
        put_back = 0
        separate_unjoinable(
            self.run.test, self.limits, self.skeleton.adjacency, self.skeleton.separators, self.max_order
        )
        while True:
            graph, details = self._orient(self.skeleton)
            adjacency = self.skeleton.adjacency.copy()
            for x, y in [] if self.run.spent else self._inconsistent(graph):
                adjacency[x, y] = adjacency[y, x] = True
            new = int((adjacency & ~self.skeleton.adjacency).sum()) // 2
            if not new:
                self.details |= {**details, "put_back": put_back}
                return graph
            put_back += new
            self.skeleton = self._without(self.skeleton, adjacency)

    def _round(self, adjacent: Rows, children: Rows) -> Skeleton:
        """Run the levels of PC-stable from order 1 on, with the candidates that the last graph allows."""
        allowed = _allowed(adjacent, children)
        rows = bits_of_rows(self.start.adjacency)
        separators = self.start.separators.copy()
        reached = 0
        for order in islice(orders(self.max_order), 1, None):
            gone, any_room = [], False
            frozen = list(rows)
            pairs = self._open_pairs(frozen)
            sizes = np.array([frozen[v].bit_count() for pair in pairs for v in pair])
            self.run.expect(f"order {order}", subsets(sizes, order).sum())
            for done, (x, y) in enumerate(pairs):
                if self.run.spent:
                    break
                self.run.progress(f"order {order}", done, len(pairs))
                way = allowed[x].get(y, 0)
                sides = [frozen[v] & way & ~children[v] & self.may_separate[v] for v in (x, y)]
                any_room |= any(side.bit_count() >= order for side in sides)
                tried = self._tried(x, y, sides, order)
                if any(separators.add_if_found(x, y, one) for one in tried):
                    gone.append((x, y))
            if not any_room:
                break
            reached = order
            for x, y in gone:
                rows[x] &= ~(1 << y)
                rows[y] &= ~(1 << x)
            if self.run.spent:
                break
        return Skeleton(matrix_of_bits(rows).astype(np.bool_), separators, reached)

    def _open_pairs(self, rows: list[int]) -> list[tuple[int, int]]:
        """List the joined pairs that may be separated, each from the end whose name comes first."""
        pairs = [(x, y) for x, row in enumerate(rows) for y in members(row) if self.rank[x] < self.rank[y]]
        return [(x, y) for x, y in pairs if not self.limits.fixed[x, y]]

    def _tried(self, x: int, y: int, sides: Sequence[int], order: int) -> Iterator[Separation]:
        for side in dict.fromkeys(sides):
            if side.bit_count() >= order:
                candidates = sorted(members(side), key=self.rank.__getitem__)
                yield self.run.test.first_separator(x, y, candidates, order)

    def _state(self, skeleton: Skeleton, graph: Graph | None = None) -> State:
        """Give the neighbours of every node, and its children if arrows count."""
        if not self.oriented:
            return _without_arrows(skeleton)
        pdag = (self._orient(skeleton)[0] if graph is None else graph).to_pdag_matrix()
        return tuple(bits_of_rows((pdag != 0) | (pdag.T != 0))), tuple(bits_of_rows((pdag != 0) & (pdag.T == 0)))

    def _orient(self, skeleton: Skeleton) -> tuple[Graph, dict[str, object]]:
        claims = find_colliders(self.run, skeleton, self.limits, self.colliders, self.rank)
        self.run.trace.clear()
        return oriented(skeleton.adjacency, claims, self.limits, rank=self.rank, trace=self.run.trace)

    def _inconsistent(self, graph: Graph) -> list[tuple[int, int]]:
        """List the separated pairs with a set that does not agree with the graph."""
        allowed = _allowed(*self._state(self.skeleton, graph))
        return [
            (x, y)
            for x, y, given in self.skeleton.separators.items()
            if self.limits.joinable[x, y] and bits_of(given) & ~allowed[x].get(y, 0)
        ]

    def _without(self, skeleton: Skeleton, adjacency: NDArray[np.bool_]) -> Skeleton:
        """Give a skeleton with more pairs joined, and without their separating sets."""
        separators = Separators(len(adjacency))
        for x, y, given in skeleton.separators.items():
            if not adjacency[x, y]:
                separators.add(x, y, given, float(skeleton.separators.nearness(x, y)))
        return Skeleton(adjacency, separators, skeleton.order)


def _without_arrows(skeleton: Skeleton) -> State:
    return tuple(bits_of_rows(skeleton.adjacency)), (0,) * len(skeleton.adjacency)


def _allowed(adjacent: Rows, children: Rows) -> list[dict[int, int]]:
    """Give for every x and y the nodes on a path between them that are next to x or y and no mere child of it."""
    near = [a & ~c for a, c in zip(adjacent, children, strict=True)]
    return [
        {y: way & (near[x] | near[y]) & ~(1 << x | 1 << y) for y, way in ways.items()}
        for x, ways in enumerate(on_paths(list(adjacent)))
    ]
