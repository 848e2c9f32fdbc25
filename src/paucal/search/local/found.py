"""What a search around a target found, before it becomes a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.graphs.graph import Graph
from paucal.graphs.marks import TAIL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.search.evidence.explain import Reason
    from paucal.search.local.neighbourhood import Candidates, Given


class Found(NamedTuple):
    """The graph around a target, as far as it was looked at."""

    graph: Graph  # the edges that are known, over all columns
    spouses: Mapping[
        int, Given
    ]  # other parents of the target's children, with the shared ones if these are known
    separators: Mapping[tuple[int, int], Given]  # what separates pairs, the smaller number first
    reasons: Mapping[tuple[str, str], Reason] = {}
    details: Mapping[str, Any] = {}


def undirected(
    names: tuple[str, ...],
    target: int,
    neighbours: Given,
    spouses: Mapping[int, Given],
    separators: Mapping[tuple[int, int], Given],
) -> Found:
    """Join the target to its neighbours, and spouses to the shared children, without directions."""
    marks = np.zeros((len(names), len(names)), dtype=np.int8)
    for a, b in [(target, y) for y in neighbours] + [(x, y) for x, ys in spouses.items() for y in ys]:
        marks[a, b] = marks[b, a] = TAIL
    return Found(Graph(names, marks, "pdag", check=False), spouses, separators)


def whole_blanket(names: tuple[str, ...], target: int, candidates: Candidates, blanket: list[int]) -> Found:
    """Take the members of a blanket that are no neighbours for spouses, of children that are not known."""
    spouses: dict[int, Given] = {v: () for v in blanket if v not in candidates.kept}
    separators = {(min(v, target), max(v, target)): given for v, given in candidates.separators.items()}
    return undirected(names, target, candidates.kept, spouses, separators)
