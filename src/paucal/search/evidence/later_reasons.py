"""Which of Meek's rules, or which knowledge, stands behind an arrow: found afterwards, when somebody asks.

Closing a graph under the rules without noting why is much quicker (see `paucal.graphs.rules.meek`), and almost
nobody asks. The rules are applied again to the noted arrows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.marks import NONE, arcs_of
from paucal.search.by_tests.limits import Limits
from paucal.search.evidence.explain import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from paucal.graphs.graph import Graph
    from paucal.graphs.knowledge import Knowledge

_Rule = tuple[str, tuple[int, ...]]


def with_meek_reasons(graph: Graph, noted: Mapping[tuple[str, str], Reason]) -> dict[tuple[str, str], Reason]:
    """Add to the noted reasons one for every arrow of a CPDAG or PDAG that has none.

    >>> from paucal.graphs import Graph
    >>> graph = Graph.parse("A -> C <- B; C -> D", kind="pdag")
    >>> noted = {("A", "C"): Reason("collider", ("B",)), ("B", "C"): Reason("collider", ("A",))}
    >>> with_meek_reasons(graph, noted)["C", "D"]
    Reason(rule='meek-1', via=('A',))
    """
    reasons = dict(noted)
    if graph.kind not in {"cpdag", "pdag"}:
        return reasons
    names = graph.nodes
    final = arcs_of(graph.marks)
    known = np.zeros_like(final)
    for a, b in noted:
        known[graph.index(a), graph.index(b)] = True
    known &= final
    joined = graph.marks != NONE
    open_edges = [(int(a), int(b)) for a, b in np.argwhere(final & ~known)]
    while open_edges:
        found = [(a, b, rule) for a, b in open_edges if (rule := _rule(known, joined, a, b)) is not None]
        if not found:  # no rule reaches these arrows: they come from completing the class
            found = [(a, b, ("completed", ())) for a, b in open_edges]
        for i, j, (name, via) in found:
            reasons[names[i], names[j]] = Reason(name, tuple(names[v] for v in via))
            known[i, j] = True
        open_edges = [(a, b) for a, b in open_edges if not known[a, b]]
    return reasons


def with_knowledge_reasons(
    graph: Graph, noted: Mapping[tuple[str, str], Reason], knowledge: Knowledge | None
) -> dict[tuple[str, str], Reason]:
    """Put knowledge in place of the noted reason wherever it leaves an arrow no other direction.

    >>> from paucal.graphs import Graph, Knowledge
    >>> graph = Graph.parse("A -> B -> C", kind="pdag")
    >>> noted = dict.fromkeys(graph.arcs(), Reason("score"))
    >>> with_knowledge_reasons(graph, noted, Knowledge(tiers=[["A"], ["B", "C"]]))
    {('A', 'B'): Reason(rule='knowledge', via=()), ('B', 'C'): Reason(rule='score', via=())}
    """
    if knowledge is None:
        return dict(noted)
    limits = Limits.of(knowledge, graph.nodes)
    reasons = dict(noted)
    for a, b in noted:
        i, j = graph.index(a), graph.index(b)
        if limits.forbidden[j, i]:
            reasons[a, b] = Reason("required" if limits.required[i, j] else "knowledge")
    return reasons


def _rule(known: NDArray[np.bool_], joined: NDArray[np.bool_], a: int, b: int) -> _Rule | None:
    return next(_rules(known, joined, a, b), None)


def _rules(known: NDArray[np.bool_], joined: NDArray[np.bool_], a: int, b: int) -> Iterator[_Rule]:
    def nodes(chosen: NDArray[np.bool_]) -> list[int]:
        return [v for v in np.flatnonzero(chosen).tolist() if v not in (a, b)]

    yield from (("meek-1", (c,)) for c in nodes(known[:, a] & ~joined[b]))
    yield from (("meek-2", (c,)) for c in nodes(known[a] & known[:, b]))
    sides = nodes(joined[a] & known[:, b])
    yield from (("meek-3", (c, d)) for c in sides for d in sides if c < d and not joined[c, d])
    for c in sides:
        yield from (("meek-4", (d, c)) for d in nodes(joined[a] & known[:, c] & ~joined[b]))
