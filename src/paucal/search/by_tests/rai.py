"""RAI, recursive autonomy identification: thin, orient, split into ancestors and descendants, and again.

R. Yehezkel, B. Lerner (2009), Bayesian network structure learning by recursive autonomy identification, JMLR 10.
This is the variant of the FixRAI program, which the experiments with small samples were made with:

* At order n the edges from the exogenous causes to the sub-structure are tested first, then those inside it, given sets
  of n neighbours of the child end, anywhere in the graph, and edges go at once: the columns' order matters.
* After each thinning the colliders of the whole graph are oriented anew (`rai_graph.py`); where two claims meet on an
  edge the last one holds (`orientation="last-writer"`, what the program does), or none (`"intended"`, what its text
  says, with Meek's rules after each thinning as well).
* The nodes that no directed edge leaves, and none that undirected edges join to them, are the descendants; the rest
  falls apart into autonomous ancestor structures. Ancestors are learned first, at order n + 1.

Deviations: no limit of ten conditioning variables; rule 3 of Meek with its two witnesses (`rule3="as-coded"` is the
program's, with one). The program's graph may have cycles or fit no DAG, and even with a perfect test it is wrong now
and then: an early, mistaken arrow hides the end of an edge whose neighbours would separate it (about one in 400
random DAGs of 5 to 15 nodes). `style="fixrai"` gives that graph. Otherwise every edge that is left is tested once more,
given neighbours of either end, and oriented as PC does it (`orient.py`); that is exact with a perfect test, and costs
some 7 % more tests.
"""

from __future__ import annotations

from collections import Counter
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from paucal import checks
from paucal.errors import Argument, ParameterError
from paucal.graphs.bits import members
from paucal.graphs.graph import Graph
from paucal.search.by_tests.colliders import ColliderRule, find_colliders
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import oriented
from paucal.search.by_tests.rai_graph import RaiGraph
from paucal.search.by_tests.separators import Separators
from paucal.search.by_tests.skeleton import Skeleton, orders, thinned
from paucal.search.run import Progress, SearchRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.protocol import CITest
    from paucal.search.result import SearchResult

_CHOICES = {
    "style": ("valid", "fixrai"),
    "orientation": ("last-writer", "intended"),
    "rule3": ("correct", "as-coded"),
    "candidates": ("neighbours", "parents"),
}


def rai(
    test: CITest,
    *,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    style: Literal["valid", "fixrai"] = "valid",
    colliders: ColliderRule = "standard",
    orientation: Literal["last-writer", "intended"] = "last-writer",
    rule3: Literal["correct", "as-coded"] = "correct",
    candidates: Literal["neighbours", "parents"] = "neighbours",
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a CPDAG by recursive autonomy identification.

    The result depends on the order of the columns.

    Parameters
    ----------
    test
        Answers the questions.
    knowledge
        What is known beforehand.
    max_order
        Most conditioning variables in a test; None for no limit.
    style
        "valid" gives a CPDAG in any case, "fixrai" the graph as the original program leaves it.
    colliders
        How colliders are found at the end of the valid style: "standard", "majority", "conservative" or "max-p"
        (see `paucal.search.by_tests.colliders`). "majority" makes fewer mistakes, for some 30 % more tests.
    orientation
        Which of two opposite claims on an edge holds while the search runs: the last, or none.
    rule3
        Meek's third rule at the end, as it should be or as the original program has it.
    candidates
        Conditioning variables come from all neighbours of the child end, or from its possible parents only.
    progress
        Called now and then with stage, done, total.

    Returns
    -------
    SearchResult
        `details["paper_tests"]` counts the tests as the original program does: a question that comes twice within one
        thinning counts once, across thinnings it counts again.

    Examples
    --------
    >>> import paucal
    >>> oracle = paucal.Oracle(paucal.Graph.parse("A; B; A -> C <- B; C -> D"))
    >>> rai(oracle).graph
    Graph.cpdag(4 nodes, 3 edges: A -> C; B -> C; C -> D)
    """
    options = {"style": style, "orientation": orientation, "rule3": rule3, "candidates": candidates}
    for name, value in options.items():
        checks.choice(name, value, _CHOICES[name])
    if style == "fixrai" and colliders != "standard":
        raise ParameterError(
            (Argument("colliders", colliders), " has no meaning for ", Argument("style", style), "."),
            hint=("Use ", Argument("style", "valid"), "."),
            parameter="colliders",
            value=colliders,
        )
    orders(max_order)  # refuses what is no order
    settings = {"knowledge": knowledge, "max_order": max_order, "colliders": colliders, **options}
    with SearchRun("rai", test, settings=settings, progress=progress) as run:
        limits = Limits.of(knowledge, test.names)
        search = _Rai(run, limits, max_order, options)
        search.learn(exogenous=0, inside=(1 << len(test.names)) - 1, order=0)
        counts = {str(order): search.asked[order] for order in sorted(search.asked)}
        details: dict[str, object] = {"paper_tests": sum(counts.values()), "paper_tests_by_order": counts}
        if style == "fixrai":
            search.graph.orient_finally(correct_rule3=rule3 == "correct")
            graph = Graph.from_pdag_matrix(test.names, search.graph.pdag(), "pdag", check=False)
        else:
            skeleton = thinned(run, limits, search.skeleton(), max_order)
            rank = range(len(test.names))
            claims = find_colliders(run, skeleton, limits, colliders, rank)
            graph, more = oriented(skeleton.adjacency, claims, limits, rank=rank, trace=run.trace)
            details |= more
        return run.result(graph, search.separators.named(test.names), details=details)


class _Rai:
    """The graph, the separating sets and the counts that the recursion shares."""

    def __init__(
        self, run: SearchRun, limits: Limits, max_order: int | None, options: Mapping[str, str]
    ) -> None:
        self.run = run
        self.limits = limits
        self.max_order = max_order
        self.parents_only = options["candidates"] == "parents"
        self.intended = options["orientation"] == "intended"
        self.correct_rule3 = options["rule3"] == "correct"
        self.graph = RaiGraph(limits)
        self.separators = Separators(len(limits.names))
        self.asked: Counter[int] = Counter()

    def skeleton(self) -> Skeleton:
        """Give what is joined."""
        pdag = self.graph.pdag()
        return Skeleton((pdag | pdag.T) != 0, self.separators, max(self.asked, default=0))

    def learn(self, exogenous: int, inside: int, order: int) -> None:
        """Thin and split one sub-structure; node sets are bits."""
        graph = self.graph
        deepest = max((graph.into[v].bit_count() for v in members(inside)), default=0)
        if deepest <= order or (self.max_order is not None and order > self.max_order):
            return
        self._thin(exogenous, inside, order)
        self._orient()
        self._thin(inside, inside, order)
        self._orient()
        descendants = graph.lowest(inside)
        ancestors = inside & ~descendants
        for component in graph.components(ancestors):
            self.learn(exogenous, component, order + 1)
        self.learn(ancestors | exogenous, descendants, order + 1)

    def _orient(self) -> None:
        if self.intended:
            self.graph.orient_finally(correct_rule3=self.correct_rule3)
        else:
            self.graph.orient_colliders()

    def _thin(self, parents: int, children: int, order: int) -> None:
        """Test the edges from some nodes to others at one order."""
        graph = self.graph
        pairs = [(p, c) for c in members(children) for p in members(graph.into[c] & parents)]
        if order == 0:
            self._thin_at_once(pairs)
            return
        tried: dict[tuple[int, int], int] = {}
        for done, (p, c) in enumerate(pairs, 1):
            if not graph.joined(p, c) or self.limits.fixed[p, c]:
                continue
            around = (graph.into[c] if self.parents_only else graph.around(c)) & ~(1 << p)
            around &= graph.may_separate[c]
            if around.bit_count() < order:
                continue
            key = (min(p, c), max(p, c))
            found = self._separate(p, c, list(members(around)), order)
            self.asked[order] += _new_questions(around, tried.get(key, 0), found, order)
            tried[key] = around
            self.run.progress(f"order {order}", done, len(pairs))

    def _thin_at_once(self, pairs: list[tuple[int, int]]) -> None:
        """Test all pairs given nothing: no deletion can matter, so that one call does it."""
        n = len(self.graph.into)
        ends = np.sort(np.array(pairs, dtype=np.int64).reshape(-1, 2))
        chosen = np.unique(ends @ (n, 1))  # each pair once, as one number
        chosen = chosen[~self.limits.fixed.ravel()[chosen]]
        if not len(chosen):
            return
        self.run.progress("order 0", 0, len(chosen))
        x, y = (part.astype(np.uint32) for part in divmod(chosen, n))
        result = self.run.test.search(x, y, x, self.limits.joinable, 0)
        found = np.flatnonzero(result.found)
        self.separators.add_all(x[found], y[found], result.given[found], result.answers.nearness[found])
        for p, c in zip(x[found].tolist(), y[found].tolist(), strict=True):
            self.graph.separate(p, c, ())
        self.asked[0] += len(chosen)

    def _separate(self, p: int, c: int, candidates: Sequence[int], order: int) -> tuple[int, ...] | None:
        separation = self.run.test.first_separator(p, c, candidates, order)
        if not separation.found or separation.given is None or separation.answer is None:
            return None
        self.separators.add(p, c, separation.given, separation.answer.nearness)
        self.graph.separate(p, c, separation.given)
        return separation.given


def _new_questions(around: int, before: int, found: tuple[int, ...] | None, order: int) -> int:
    """Count the subsets that were looked at, without those that the same thinning had tried on this pair before.

    >>> _new_questions(0b11110, 0b01100, None, 2), _new_questions(0b11110, 0, (2, 3), 2)
    (5, 4)
    """
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
