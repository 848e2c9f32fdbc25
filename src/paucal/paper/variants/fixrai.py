"""RAI as the FixRAI program runs it: the graph that the program leaves, and its count of tests.

The recursion is that of `paucal.search.by_tests.rai`. The program orients the final graph in place, by colliders and
Meek's first three rules, so that it may have cycles or fit no DAG. Its text says that of two opposite claims on an edge
neither holds, and that Meek's rules run after each thinning as well (`orientation="intended"`); its code lets the last
claim hold (`"last-writer"`). Its third rule has one witness (`rule3="as-coded"`) instead of two.
"""

from __future__ import annotations

from collections import Counter
from math import comb
from typing import TYPE_CHECKING, Literal

from paucal.graphs.bits import members
from paucal.graphs.graph import Graph
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.rai import Rai
from paucal.search.by_tests.rai_graph import RaiGraph
from paucal.search.run import SearchRun

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paucal.independence.protocol import CITest
    from paucal.search.result import SearchResult


def fixrai(
    test: CITest,
    *,
    valid: bool = False,
    orientation: Literal["last-writer", "intended"] = "last-writer",
    rule3: Literal["correct", "as-coded"] = "correct",
    candidates: Literal["neighbours", "parents"] = "neighbours",
) -> SearchResult:
    """Learn a graph as the program does; a `valid` one is made from its thinned graph as `paucal.learn` makes it.

    `details["tests"]` counts as the program does: a question that comes twice within one thinning counts once, across
    thinnings it counts again.
    """
    settings = {"valid": valid, "orientation": orientation, "rule3": rule3, "candidates": candidates}
    with SearchRun("fixrai", test, settings=settings) as run:
        search = _FixRai(run, settings)
        search.learn()
        counts = search.counts()
        details = {"tests": sum(counts.values()), "tests_by_order": counts}
        if valid:
            return search.completed("standard", details)
        search.graph.orient_finally(correct_rule3=rule3 == "correct")
        graph = Graph.from_pdag_matrix(test.names, search.graph.pdag(), "pdag", check=False)
        return run.result(graph, search.separators.named(test.names), details=details)


class _FixRai(Rai):
    """The recursion with the program's choices and its count of tests."""

    graph: _FixRaiGraph

    def __init__(self, run: SearchRun, settings: Mapping[str, object]) -> None:
        super().__init__(run, Limits.of(None, run.test.names))
        self.graph = _FixRaiGraph(self.limits)
        self._settings = settings
        self._asked: Counter[int] = Counter()

    def counts(self) -> dict[str, int]:
        """Tests by order; given nothing, every pair counts once."""
        alone = self.run.test.ledger.by_order.get(0)
        counts = ({0: alone.calls} if alone else {}) | self._asked
        return {str(order): n for order, n in sorted(counts.items())}

    def orient(self) -> None:
        if self._settings["orientation"] == "intended":
            self.graph.orient_finally(correct_rule3=self._settings["rule3"] == "correct")
        else:
            super().orient()

    def candidates(self, child: int) -> int:
        parents_only = self._settings["candidates"] == "parents"
        return self.graph.into[child] if parents_only else super().candidates(child)

    def thin(self, parents: int, children: int, order: int) -> None:
        """Thin pair by pair, as the program counts what each pair was asked."""
        if order == 0:
            super().thin(parents, children, order)
            return
        graph = self.graph
        tried: dict[tuple[int, int], int] = {}
        pairs = [(p, c) for c in members(children) for p in members(graph.into[c] & parents)]
        for p, c in pairs:
            candidates = self.candidates(c) & graph.may_separate[c] & ~(1 << p)
            if self.run.spent or not graph.joined(p, c) or candidates.bit_count() < order:
                continue
            self._reached = max(self._reached, order)
            one = self.run.test.first_separator(p, c, list(members(candidates)), order)
            found = one.given if self.separators.add_if_found(p, c, one) else None
            if found is not None:
                graph.separate(p, c, found)
            pair = (min(p, c), max(p, c))
            self._asked[order] += _new_questions(candidates, tried.get(pair, 0), found, order)
            tried[pair] = candidates


class _FixRaiGraph(RaiGraph):
    """The program's final orientation."""

    def orient_finally(self, *, correct_rule3: bool) -> None:
        """Orient colliders, an edge with two claims not at all, and apply Meek's first three rules."""
        self.unorient()
        claims = self.claims()
        for y, claimed in enumerate(claims):
            for x in members(claimed):
                if not claims[x] >> y & 1:
                    self.arrow(x, y)
        rule3 = self._two_parents if correct_rule3 else self._one_parent
        while self._rule1() | self._close(self._path) | self._close(rule3):
            pass

    def _rule1(self) -> bool:
        """With a -> b -- c, a and c apart: b -> c."""
        changed = False
        for a, b in self._edges(directed=True):
            for c in members(self._neighbours(b) & ~self.around(a)):
                self.arrow(b, c)
                changed = True
        return changed

    def _close(self, follows: Callable[[int, int], int | bool]) -> bool:
        """Make a -- b an arrow a -> b where this follows."""
        changed = False
        for a, b in self._edges(directed=False):
            if self._neighbours(a) >> b & 1 and follows(a, b):
                self.arrow(a, b)
                changed = True
        return changed

    def _path(self, a: int, b: int) -> int:
        """With a -> c -> b (rule 2)."""
        return self._parents(b) & self.out[a] & ~self.into[a]

    def _one_parent(self, a: int, b: int) -> int:
        """With a -- c -> b (rule 3 as coded)."""
        return self._neighbours(a) & self._parents(b)

    def _two_parents(self, a: int, b: int) -> bool:
        """With a -- c -> b and a -- d -> b, c and d apart (rule 3)."""
        witnesses = self._one_parent(a, b)
        return any(witnesses & ~self.around(c) & ~(1 << c) for c in members(witnesses))

    def _edges(self, *, directed: bool) -> list[tuple[int, int]]:
        """List the edges a -> b, or all a -- b from both ends, by b."""
        return [
            (a, b)
            for b in range(len(self.into))
            for a in members(self._parents(b) if directed else self._neighbours(b))
        ]

    def _neighbours(self, v: int) -> int:
        return self.into[v] & self.out[v]

    def _parents(self, v: int) -> int:
        return self.into[v] & ~self.out[v]


def _new_questions(around: int, before: int, found: tuple[int, ...] | None, order: int) -> int:
    """Count the subsets that were looked at, without those that the same thinning had tried on this pair before."""
    seen = around & before
    if found is None:
        return comb(around.bit_count(), order) - comb(seen.bit_count(), order)
    return _sets_before(found, around) + 1 - _sets_before(found, seen)


def _sets_before(subset: tuple[int, ...], among: int) -> int:
    """Count the sets of the same size, out of `among`, that come before `subset` in lexicographic order."""
    count, last = 0, -1
    for place, v in enumerate(subset):
        left = len(subset) - place - 1
        between = among & (1 << v) - 1 & ~((1 << last + 1) - 1)
        count += sum(comb((among >> u + 1).bit_count(), left) for u in members(between))
        if not among >> v & 1:
            break
        last = v
    return count
