"""CMB (Gao and Ji 2015), the causal Markov blanket: parents, children, undetermined neighbours and spouses.

CMB finds the parents and children of the target, tells apart what it can, and goes on from the neighbours it could
not tell, then from theirs. The procedure as published and coded is not sound. This one keeps its course and its test
for a collider, and rests on three facts:

1. Two nodes that were both looked from are known to be joined or not (each keeps the other, or not), and if they are
   not, something is known that separates them. So on the nodes looked from so far the true skeleton is known, and
   which of its unshielded triples collide: as in CMB, a and b meet in c if they are independent given a set without
   c, and dependent given that set and c.
2. Meek's rules look at nothing but a few nodes and the edges among them. What they derive on a part of the skeleton is
   what they derive on the whole: every arrow found is an arrow of the CPDAG.
3. If every node that undirected edges link to the target has been looked around (from it, and from all its
   neighbours), nothing is missing either. Suppose that arrows of the CPDAG are missing at these nodes, and take the
   one, a -> b, that a derivation of the CPDAG finds first. Both ends were looked around. It is no collider a -> b <- c:
   a, b and c were looked from. Rule 1 (c -> a, c and b not joined) and rule 2 (a -> c -> b) rest on arrows at a or b,
   which are known, being earlier, and would have been applied. So would rule 3 (a -- c -> b, a -- d -> b, c and d not
   joined); where a -- c or a -- d is an arrow by now, rules 1 and 2 give a -> b.

So the search ends when the target has no undirected edge, or when nobody is left to look around; then parents, children
and undetermined neighbours are those of the CPDAG. It never leaves the undirected edges around the target. With tests
on data, colliders may contradict each other: then the more clearly connected ones are believed (`orient.py`).
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.graphs.graph import Graph
from paucal.search.by_tests.orient import oriented
from paucal.search.evidence.explain import Reason, Trace
from paucal.search.local.hiton import hiton_pc
from paucal.search.local.iamb import iamb_pc
from paucal.search.local.mmmb import mmpc_pc
from paucal.search.local.neighbourhood import Finder, Found, Surroundings
from paucal.search.local.stmb import stmb_pc

if TYPE_CHECKING:
    from paucal.search.run import SearchRun

_Oriented = tuple[Graph, dict[tuple[str, str], Reason], dict[str, object]]

# searches for parents and children
FINDERS: dict[str, Finder] = {
    "hiton": hiton_pc,
    "mmpc": mmpc_pc,
    "iamb": iamb_pc,
    "inter-iamb": partial(iamb_pc, growth="inter-iamb"),
    "fast-iamb": partial(iamb_pc, growth="fast-iamb"),
    "stmb": stmb_pc,
}


def cmb(run: SearchRun, target: int, *, max_order: int | None = 3, neighbours: str = "hiton") -> Found:
    """Find parents, children, undetermined neighbours and spouses of a target."""
    checks.known("search for neighbours", neighbours, FINDERS)
    return causal_blanket(Surroundings(run, FINDERS[neighbours], max_order), target)


def causal_blanket(around: Surroundings, target: int) -> Found:
    """Learn the graph around a target, as far as it takes to orient the target's edges."""
    spouses = around.spouses(target)
    done = {target}
    while True:
        graph, reasons, details = _oriented_part(around)
        node = _nearest_open(graph, around, target, done)
        if node is None or around.test.spent:
            break
        around.neighbours(node)
        done.add(node)
    details["looked_from"] = len(around.seen)
    return Found(_over_all(graph, around.test.names), spouses, around.separators(), reasons, details)


def _nearest_open(graph: Graph, around: Surroundings, target: int, done: set[int]) -> int | None:
    """Give the nearest node, along undirected edges, that was not looked around; of equal ones the first column."""
    names = around.test.names
    number = dict(zip(graph.nodes, around.seen, strict=True))
    level, met = [names[target]], {names[target]}
    while level:
        level = sorted({v for u in level for v in graph.neighbours(u)} - met, key=number.__getitem__)
        met.update(level)
        for name in level:
            if number[name] not in done:
                return number[name]
    return None


def _oriented_part(around: Surroundings) -> _Oriented:
    """Orient the skeleton of the nodes looked from: colliders, the more clearly connected first, and Meek's rules."""
    seen = around.seen
    names = tuple(around.test.names[v] for v in seen)
    place = {v: i for i, v in enumerate(seen)}
    adjacency = np.zeros((len(seen), len(seen)), dtype=np.bool_)
    for a, b in combinations(seen, 2):
        adjacency[place[a], place[b]] = adjacency[place[b], place[a]] = around.adjacent(a, b)
    claims = []
    for i, c in enumerate(seen):
        for a, b in combinations(np.flatnonzero(adjacency[i]).tolist(), 2):
            meeting = None if adjacency[a, b] else around.meeting(seen[a], c, seen[b])
            if meeting is not None:
                claims.append((meeting.nearness, i, (a, b), (a, i, b)))
    trace = Trace()
    limits = around.limits.among(seen)
    graph, details = oriented(
        adjacency, [triple for *_, triple in sorted(claims)], limits, rank=range(len(names)), trace=trace
    )
    return graph, trace.named(names), details


def _over_all(part: Graph, names: tuple[str, ...]) -> Graph:
    """Give the same edges in a graph over all columns."""
    where = [names.index(name) for name in part.nodes]
    marks = np.zeros((len(names), len(names)), dtype=np.int8)
    marks[np.ix_(where, where)] = part.marks
    return Graph(names, marks, "pdag", check=False)
