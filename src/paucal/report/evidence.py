"""What a page can tell about pairs of columns, as plain values that its script reads.

Columns are numbers in here, places in `nodes`; the script puts the names in.
"""

from __future__ import annotations

from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.graphs.graph import Graph
    from paucal.independence.answers import CIResult
    from paucal.report.behind import Behind
    from paucal.search.evidence.explain import Explanation
    from paucal.search.result import SearchResult

PAIRS_AT_MOST = 10_000  # with more pairs of nodes a page tells of the joined ones only; about 1 MB of text
_SAID_BY_SHARES = ("consensus",)  # rules that say no more than the shares of the sampled graphs do


def evidence(result: SearchResult, graph: Graph, behind: Behind, data: Any = None) -> dict[str, Any]:
    """Collect what is known about the pairs of a graph, which may be a part of the result's; of scores given the data.

    Returns
    -------
    `nodes`, the names; `edges`, a list of `[i, j, symbol]` in the order of `graph.edges()`; `pairs`, from `"i,j"` with
    i < j to what is known about the pair; `others`, the columns beside the nodes that tests name; `complete`, whether
    `pairs` has the pairs without an edge too.
    """
    edges = [[graph.index(e.a), graph.index(e.b), e.symbol] for e in graph.edges()]
    complete = graph.n * (graph.n - 1) // 2 <= PAIRS_AT_MOST
    joined = sorted(sorted((graph.index(e.a), graph.index(e.b))) for e in graph.edges())
    pairs = list(combinations(range(graph.n), 2)) if complete else joined
    names = _Numbers(graph)
    whys = result.whys([(graph.nodes[i], graph.nodes[j]) for i, j in pairs], data=data)
    told = {
        f"{i},{j}": _told(why, names) | behind.of(graph.nodes[i], graph.nodes[j])
        for (i, j), why in zip(pairs, whys, strict=True)
    }
    content = {"nodes": list(graph.nodes), "edges": edges, "pairs": told}
    return {**content, "others": names.others, "complete": complete}


class _Numbers:
    """Numbers of names; columns that the graph does not show get numbers after its nodes."""

    def __init__(self, graph: Graph) -> None:
        self._numbers = {name: i for i, name in enumerate(graph.nodes)}
        self.others: list[str] = []

    def __call__(self, name: str) -> int:
        if name not in self._numbers:
            self._numbers[name] = len(self._numbers)
            self.others.append(name)
        return self._numbers[name]


def _told(why: Explanation, number: _Numbers) -> dict[str, Any]:
    told: dict[str, Any] = {"tests": [_test(test, number) for test in why.tests]}
    reasons = [reason.sentence(a, b) for (a, b), reason in why.reasons.items() if reason.rule not in _SAID_BY_SHARES]
    if reasons or why.known:
        told["why"] = [*reasons, *why.known]
    if why.separating_set is not None:
        told["set"] = [number(z) for z in why.separating_set]
    if why.probabilities is not None:
        told["likely"] = _shares(why.probabilities)
    if why.gain is not None:
        told["gain"] = why.gain.sentence(sampled=why.probabilities is not None)
    if why.forms:
        told["forms"] = list(why.forms)
    return told


def _shares(probabilities: Mapping[str, float]) -> dict[str, float]:
    """Give the kinds of edge that occurred, the most frequent first; what is missing to one is no edge."""
    kinds = [(kind, share) for kind, share in probabilities.items() if kind != "absent" and share > 0]
    return {kind: round(share, 6) for kind, share in sorted(kinds, key=lambda one: -one[1])}


def _test(test: CIResult, number: _Numbers) -> list[Any]:
    """Give a test as a list, since there are many: given, decision, numbers, doubts (see `TEST` in the script)."""
    numbers = (test.p_value, test.told_statistic, test.dof, test.threshold, test.samples_per_cell)
    doubts = [] if test.reliable else list(test.reasons)
    return [[number(z) for z in test.given], test.decision, *map(_rounded, numbers), doubts]


def _rounded(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else float(f"{value:.6g}")
