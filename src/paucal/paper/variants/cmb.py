"""CMB as published and coded (Gao and Ji 2015, in the form of Causal-Learner), for tables beside the literature's.

It is not sound: with perfect tests more than one target in four comes out wrong in random graphs of eight nodes. For
anything else there is `paucal.blanket`. Kept as they are: no symmetry in the search for parents and children; the
identity of a parent may be lowered again; partners that two parents share become parents; a second search with other
given columns judges all pairs anew; Meek's rules take nodes that were never compared for not joined. Mended, because
they are slips and not steps: pairs are tested once and not in both orders, X and Y never condition on themselves, an
arrow is not overwritten by a later look, and the children implied by a parent found in the recursion are looked up in
the list of the node they belong to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.bits import members, reach
from paucal.graphs.graph import Graph
from paucal.graphs.rules.meek import Pdag, affected, first_rule
from paucal.search.local.blanket import looked
from paucal.search.local.cmb import FINDERS
from paucal.search.local.neighbourhood import Found

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paucal.independence.protocol import CITest
    from paucal.search.local.neighbourhood import Candidates, Finder, Given
    from paucal.search.local.result import BlanketResult
    from paucal.search.run import SearchRun

# identities of a neighbour; UNDETERMINED also means: of this pair at most one is a parent
UNKNOWN, PARENT, CHILD, UNDETERMINED, AGAIN = range(5)
_Pair = tuple[int, int]


def cmb(test: CITest, target: str, *, max_order: int | None = 3, neighbours: str = "hiton") -> BlanketResult:
    """Run CMB on a target; `details["tests"]` counts every question, as if nothing were remembered."""

    def find(run: SearchRun, target: int, *, max_order: int | None, neighbours: str) -> Found:
        return _found(_Reference(run, FINDERS[neighbours], max_order), target)

    return looked(test, target, "cmb-published", partial(find, max_order=max_order, neighbours=neighbours))


def _found(search: _Reference, target: int) -> Found:
    pdag = search.recurse(target)
    kept, spouses = search.blanket(target)
    graph = Graph.from_pdag_matrix(search.test.names, pdag, "pdag", check=False)
    separators: dict[_Pair, Given] = {}
    for node, candidates in sorted(search.looks.items()):
        for other, given in candidates.separators.items():
            separators.setdefault((min(node, other), max(node, other)), given)
    joined = np.flatnonzero(pdag[target] | pdag[:, target]).tolist()
    others = {x: ys for x, ys in spouses.items() if x not in joined and x not in kept}
    tests = search.test.ledger.n_calls + search.repeated
    return Found(graph, others, separators, details={"tests": tests})


@dataclass
class _Identities:
    """What is known about the neighbours of one node."""

    of: dict[int, int]
    one_parent: list[_Pair] = field(default_factory=list)  # pairs of which at most one is a parent
    again: list[_Pair] = field(default_factory=list)  # pairs to be examined again

    def partners(self, x: int, pairs: Iterable[_Pair]) -> list[int]:
        return [b if a == x else a for a, b in pairs if x in (a, b)]


class _Reference:
    """One run. Looks are remembered, but `repeated` counts the tests that code without memory would have made again."""

    def __init__(self, run: SearchRun, find: Finder, max_order: int | None) -> None:
        self.test = run.test
        self.looks: dict[int, Candidates] = {}
        self.repeated = 0
        self._run = run
        self._find = find
        self._max_order = max_order
        self._cost: dict[tuple[str, int], int] = {}
        self._blankets: dict[int, tuple[Given, dict[int, Given]]] = {}
        self._identities: dict[int, _Identities] = {}

    def recurse(self, target: int) -> NDArray[np.int8]:
        """Give the PDAG matrix after identities were found for the target and as many others as needed."""
        n = len(self.test.names)
        pdag = np.zeros((n, n), dtype=np.int8)
        queue, done = [target], set[int]()
        while queue:
            a = queue.pop(0)
            if a in done:
                continue
            done.add(a)
            mine = self.identities(a)
            _write(pdag, a, mine)
            if _settled(pdag, target):
                break
            for x in [v for v, identity in sorted(mine.of.items()) if identity == UNDETERMINED]:
                queue.append(x)
                its = self.identities(x)
                if its.of.get(a) == CHILD:
                    mine.of[x] = PARENT
                    for y in mine.partners(x, mine.one_parent):
                        mine.of[y] = CHILD
                    _write(pdag, a, mine)
                _write(pdag, x, its)
            pdag = _closed(pdag)
            if _settled(pdag, target):
                break
        return pdag

    def identities(self, node: int) -> _Identities:
        """Give the identities of a node's neighbours."""
        if node not in self._identities:
            self._run.progress(f"around {self.test.names[node]}", len(self._identities))
            self._identities[node] = self._identify(node)
        return self._identities[node]

    def _identify(self, node: int) -> _Identities:
        kept = self.look(node).kept
        mine = _Identities(dict.fromkeys(kept, UNKNOWN))
        self._judge(node, kept, (), mine)
        for x, y in mine.again.copy():
            if AGAIN not in mine.of.values():
                break
            pc, spouses = self.blanket(x)
            self._judge(node, kept, tuple(v for v in (*pc, *spouses) if v not in (node, y)), mine)
        parents = [v for v in kept if mine.of[v] == PARENT]
        for x, y in combinations(parents, 2):
            for w in set(mine.partners(x, mine.again)) & set(mine.partners(y, mine.again)):
                mine.of[w] = PARENT
        for v, identity in mine.of.items():
            if identity in (AGAIN, UNKNOWN):
                mine.of[v] = UNDETERMINED
        return mine

    def _judge(self, node: int, kept: Given, others: Given, mine: _Identities) -> None:
        """Ask about every pair of neighbours, without and with the node between them."""
        of = mine.of
        if len(kept) == 1:
            of[kept[0]] = UNDETERMINED
        for x, y in combinations(kept, 2):
            given = tuple(v for v in others if v not in (x, y, node))
            apart = self.test.ask(x, y, given).independent
            apart_by_node = self.test.ask(x, y, (*given, node)).independent
            if apart and not apart_by_node:
                of[x] = of[y] = PARENT
            elif not apart and apart_by_node:
                for one, other in ((x, y), (y, x)):
                    if of[one] == PARENT:
                        of[other] = CHILD
                    elif of[other] != CHILD:
                        of[other] = UNDETERMINED
                mine.one_parent.append((x, y))
            else:
                if of[x] == of[y] and of[x] in (UNKNOWN, AGAIN):
                    of[x] = of[y] = AGAIN
                mine.again.append((x, y))
        for x in [v for v in kept if of[v] == PARENT]:
            for y in mine.partners(x, mine.one_parent):
                of[y] = CHILD

    def blanket(self, node: int) -> tuple[Given, dict[int, Given]]:
        """Give the candidates of a node and its spouses, each with the children they share (HITON-MB)."""
        before, repeated = self.test.ledger.n_calls, self.repeated
        if node in self._blankets:
            self.repeated += self._cost["blanket", node]
            return self._blankets[node]
        mine = self.look(node)
        spouses: dict[int, Given] = {}
        for y in mine.kept:
            for x in self.look(y).kept:
                if x == node or x in mine.kept:
                    continue
                apart = mine.separators[x]
                if y not in apart and not self.test.ask(node, x, (*apart, y)).independent:
                    spouses[x] = (*spouses.get(x, ()), y)
        self._blankets[node] = mine.kept, dict(sorted(spouses.items()))
        self._cost["blanket", node] = self.test.ledger.n_calls - before + self.repeated - repeated
        return self._blankets[node]

    def look(self, node: int) -> Candidates:
        """Give the candidates of a node."""
        if node in self.looks:
            self.repeated += self._cost["look", node]
        else:
            before = self.test.ledger.n_calls
            self.looks[node] = self._find(self._run, node, self._max_order)
            self._cost["look", node] = self.test.ledger.n_calls - before
        return self.looks[node]


def _write(pdag: NDArray[np.int8], node: int, identities: _Identities) -> None:
    for x, identity in identities.of.items():
        if pdag[x, node] == pdag[node, x]:
            pdag[x, node] = identity != CHILD
            pdag[node, x] = identity != PARENT


def _settled(pdag: NDArray[np.int8], node: int) -> bool:
    return not (pdag[node] & pdag[:, node]).any()


def _closed(pdag: NDArray[np.int8]) -> NDArray[np.int8]:
    """Apply Meek's rules, each arrow followed up at once; what would close a cycle stays undirected.

    The identities may contradict each other, so that the order of the rules matters.
    """
    state = Pdag(pdag)
    todo = [(a, b) for a in range(len(pdag)) for b in members(state.neighbours[a])][::-1]
    while todo:
        a, b = todo.pop()
        follows = state.neighbours[a] >> b & 1 and first_rule(state, a, b) is not None
        if follows and not reach(state.children, 1 << b) >> a & 1:
            state.orient(a, b)
            todo += affected(state, a, b)
    return state.matrix()
