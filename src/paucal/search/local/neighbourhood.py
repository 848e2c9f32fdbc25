"""Around one node: candidates for its parents and children, their symmetry, and the spouses behind them.

A finder such as `hiton_pc` looks from one node and keeps all its parents and children, but sometimes also a
descendant that no set of kept nodes separates from it. Such a descendant, looking back, does not keep the node:
so two nodes are joined exactly if each keeps the other (Tsamardinos, Brown and Aliferis 2006). `Surroundings`
remembers every look, and with it what separated the nodes that were not kept; nothing is looked up twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from paucal.graphs.graph import Graph
from paucal.graphs.marks import marks_from_pdag_matrix
from paucal.independence.answers import INDEPENDENT
from paucal.search.evidence.explain import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.independence.answers import Answer
    from paucal.independence.protocol import CITest
    from paucal.search.by_tests.limits import Limits
    from paucal.search.evidence.explain import Reason
    from paucal.search.run import SearchRun

Given: TypeAlias = tuple[int, ...]


class Candidates(NamedTuple):
    """What a look from one node kept, ascending, and what separated each of the other nodes from it."""

    kept: tuple[int, ...]
    separators: dict[int, Given]


class Found(NamedTuple):
    """The graph around a target, as far as it was looked at."""

    graph: Graph  # the edges that are known, over all columns
    spouses: Mapping[int, Given]  # other parents of the target's children, with the shared ones if these are known
    separators: Mapping[tuple[int, int], Given]  # what separates pairs, the smaller number first
    reasons: Mapping[tuple[str, str], Reason] = {}
    details: Mapping[str, Any] = {}


Finder: TypeAlias = Callable[["SearchRun", int, "int | None"], Candidates]


@dataclass(frozen=True)
class Together:
    """A finder that looks from several nodes in less time than from one after the other."""

    find: Callable[[SearchRun, Sequence[int], int | None], list[Candidates]]

    def __call__(self, run: SearchRun, target: int, max_order: int | None) -> Candidates:
        """Look from one node."""
        return self.find(run, [target], max_order)[0]


class Surroundings:
    """Looks around nodes with one finder, each node once."""

    def __init__(self, run: SearchRun, find: Finder, max_order: int | None) -> None:
        self.test = run.test
        self._run = run
        self._find = find
        self._max_order = max_order
        self.limits = run.limits
        self._looks: dict[int, Candidates] = {}
        self._kept_apart: dict[tuple[int, int], Given | None] = {}
        self._meetings: dict[tuple[int, int, int], Answer | None] = {}

    @property
    def seen(self) -> tuple[int, ...]:
        """The nodes that were looked from, ascending."""
        return tuple(sorted(self._looks))

    def look(self, node: int) -> Candidates:
        """Give the candidates of a node."""
        if node not in self._looks:
            if self._run.spent:  # nobody can look any more: it keeps who keeps it
                return Candidates(tuple(sorted(v for v, look in self._looks.items() if node in look.kept)), {})
            self._run.progress(f"around {self.test.names[node]}", len(self._looks))
            self._looks[node] = self._find(self._run, node, self._max_order)
        return self._looks[node]

    def neighbours(self, node: int) -> Given:
        """Give the parents and children of a node: the candidates that have it among theirs."""
        new = [v for v in self.look(node).kept if v not in self._looks]
        if isinstance(self._find, Together) and new and not self._run.spent:
            self._run.progress(f"around {self.test.names[node]}", len(self._looks))
            self._looks |= dict(zip(new, self._find.find(self._run, new, self._max_order), strict=True))
        return tuple(v for v in self.look(node).kept if node in self.look(v).kept)

    def adjacent(self, x: int, y: int) -> bool:
        """Say whether x and y are joined; both are looked from."""
        return y in self.look(x).kept and x in self.look(y).kept

    def separator(self, x: int, y: int) -> Given | None:
        """Give what separated two nodes that are not joined; None if knowledge alone keeps them apart."""
        if not self.limits.joinable[x, y]:
            return self._separator_of_kept_apart(min(x, y), max(x, y))
        found = self.look(x).separators.get(y)
        return self.look(y).separators.get(x) if found is None else found

    def _separator_of_kept_apart(self, x: int, y: int) -> Given | None:
        """Look among the possible parents of either, as nobody asked about a pair that must not be joined."""
        if (x, y) not in self._kept_apart:
            found: Given | None = () if self.test.ask(x, y).independent else None
            for node in (x, y):
                if found is None:
                    helpers = helpful(self.limits, node, self.look(node).kept)
                    found = separator_among(self.test, x, y, helpers, self._max_order)
            self._kept_apart[x, y] = found
        return self._kept_apart[x, y]

    def separators(self) -> dict[tuple[int, int], Given]:
        """Give everything that was found to separate two nodes, of two sets of a pair the first node's."""
        found: dict[tuple[int, int], Given] = {}
        for node in self.seen:
            for other, given in self._looks[node].separators.items():
                found.setdefault((min(node, other), max(node, other)), given)
        return found | {pair: given for pair, given in self._kept_apart.items() if given is not None}

    def spouses(self, node: int) -> dict[int, Given]:
        """Give the other parents of the node's children, each with these children."""
        mine = self.neighbours(node)
        forbidden = self.limits.forbidden
        found: dict[int, Given] = {}
        for y in mine:
            if forbidden[node, y]:
                continue
            for x in self.look(y).kept:
                if x == node or x in mine or forbidden[x, y] or self.limits.same[x, node]:
                    continue
                known = forbidden[y, node] and forbidden[y, x]  # then knowledge alone makes them meet
                if (known or self.meeting(node, y, x) is not None) and y in self.look(x).kept:
                    found[x] = (*found.get(x, ()), y)
        return dict(sorted(found.items()))

    def meeting(self, a: int, c: int, b: int) -> Answer | None:
        """Give the answer that shows a and b, which are not joined, to meet in c; None if they do not.

        They meet if c is not in what separates them, and connects them when it is added.
        """
        key = (min(a, b), c, max(a, b))
        if key not in self._meetings:
            apart = self.separator(a, b)
            answer = None if apart is None or c in apart else self.test.ask(a, b, (*apart, c))
            self._meetings[key] = None if answer is None or answer.independent else answer
        return self._meetings[key]


def from_both_ends(run: SearchRun, find: Finder, target: int, max_order: int | None) -> Found:
    """Find the neighbours of a target, then the spouses behind them."""
    around = Surroundings(run, find, max_order)
    spouses = around.spouses(target)
    return undirected(run.limits, target, around.neighbours(target), spouses, around.separators())


def by_association(
    test: CITest, target: int, among: NDArray[np.bool_], given: Given = ()
) -> tuple[list[int], list[int]]:
    """Ask about some columns one by one, all given the same set: the dependent ones, strongest first, and the others.

    Strength is nearness to independence, then the statistic, then the order of the columns.
    """
    n = len(test.names)
    rest = np.setdiff1d(np.flatnonzero(among), [target, *given])
    adjacency = np.zeros((n, n), dtype=np.bool_)
    adjacency[target, list(given)] = True
    here = np.full(len(rest), target)
    answers = test.search(here, rest, here, adjacency, len(given)).answers
    order = np.lexsort((rest, -answers.statistic, answers.nearness))
    apart = answers.decision[order] == INDEPENDENT
    return rest[order][~apart].tolist(), sorted(rest[order][apart].tolist())


def separator_among(test: CITest, x: int, y: int, candidates: Sequence[int], max_order: int | None) -> Given | None:
    """Give the first subset of the candidates, small ones first and none empty, that separates x and y."""
    top = len(candidates) if max_order is None else min(max_order, len(candidates))
    tried = (test.first_separator(x, y, candidates, order) for order in range(1, top + 1))
    return next((one.given for one in tried if one.found), None)


def separator_with(
    test: CITest, x: int, y: int, candidates: Sequence[int], newcomer: int, max_order: int | None
) -> Given | None:
    """Give the first set of `newcomer` and some of the candidates that separates x and y, small ones first."""
    top = len(candidates) + 1 if max_order is None else min(max_order, len(candidates) + 1)
    sets = ((newcomer, *rest) for order in range(top) for rest in combinations(candidates, order))
    tried = takewhile(lambda _: not test.spent, sets)
    return next((given for given in tried if test.ask(x, y, given).independent), None)


def helpful(limits: Limits, node: int, candidates: Iterable[int]) -> list[int]:
    """Give those of the candidates that may be parents of a node: nobody else helps to separate it from others."""
    return [v for v in candidates if limits.may_separate[node, v]]


def undirected(
    limits: Limits,
    target: int,
    neighbours: Given,
    spouses: Mapping[int, Given],
    separators: Mapping[tuple[int, int], Given],
) -> Found:
    """Join the target to its neighbours, and spouses to the shared children; only knowledge gives directions."""
    names, trace = limits.names, Trace()
    pdag = np.zeros((len(names), len(names)), dtype=np.int8)
    for a, b in [(target, y) for y in neighbours] + [(x, y) for x, ys in spouses.items() for y in ys]:
        pdag[a, b] = pdag[b, a] = 1
    limits.orient(pdag, trace)
    graph = Graph(names, marks_from_pdag_matrix(pdag), "pdag", check=False)
    return Found(graph, spouses, separators, trace.named(names))


def whole_blanket(limits: Limits, target: int, candidates: Candidates, blanket: list[int]) -> Found:
    """Take the members of a blanket that are no neighbours for spouses, of children that are not known.

    A spouse must be separable from the target, and knowledge must allow the two a child among the neighbours.
    """
    may_cause, apart = ~limits.forbidden, candidates.separators
    children = [y for y in candidates.kept if may_cause[target, y]]
    spouses: dict[int, Given] = {}
    for v in blanket:
        if v not in candidates.kept and v in apart and any(may_cause[v, y] for y in children):
            spouses[v] = ()
    separators = {(min(v, target), max(v, target)): given for v, given in apart.items()}
    return undirected(limits, target, candidates.kept, spouses, separators)
