"""Conservative FCI as in S. Triantafillou's causal-graphs toolbox, the program behind the published tables.

Skeleton: after all pairs alone, edges are taken weakest association first, and of each the conditioning sets whose
first member is most strongly associated with the end it is a neighbour of (heuristic 3 of Spirtes, Glymour and
Scheines); an edge that is separated goes at once. The number of tests reported there begins after the pairs alone and
ends with the skeleton.

Conservative colliders: what the separating set says of a triple stands unless a set of neighbours that says
otherwise separates the pair too; the empty set is not tried. There is no second look, and only R1 to R4 are run.
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np

from paucal.search.by_tests.colliders import Triple, unshielded_triples
from paucal.search.by_tests.fci import FciOptions, LatentLimits, directed
from paucal.search.by_tests.separators import Separators
from paucal.search.by_tests.skeleton import Skeleton, orders
from paucal.search.by_tests.triples import Judged
from paucal.search.run import SearchRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.answers import Answers
    from paucal.independence.protocol import CITest
    from paucal.search.by_tests.limits import Limits
    from paucal.search.result import SearchResult


def cfci(test: CITest, *, knowledge: Knowledge | None = None, max_order: int = 4) -> SearchResult:
    """Learn a partial ancestral graph; `details["tests"]` is the program's count of tests."""
    options = FciOptions(max_order=max_order, tail_rules=False)
    told = ("max_order", "tail_rules", "selection", "max_path_length", "strict_conservative")
    settings = {"knowledge": knowledge, **{name: getattr(options, name) for name in told}}
    with SearchRun("cfci-published", test, settings=settings) as run:
        limits = LatentLimits.of(knowledge, test.names)
        skeleton = _skeleton_weakest_first(run, limits, max_order)
        tests = sum(tally.calls for order, tally in run.test.ledger.by_order.items() if order > 0)
        judged = _judge_by_contradiction(run, skeleton, max_order)
        return directed(run, skeleton, limits, judged, options, {"tests": tests})


def _skeleton_weakest_first(run: SearchRun, limits: Limits, max_order: int) -> Skeleton:
    """Find the skeleton with edges removed at once, the weakest first."""
    test = run.test
    adjacency = limits.joinable.copy()
    n = len(adjacency)
    separators = Separators(n)
    x, y = np.nonzero(np.triu(adjacency & ~limits.fixed))
    alone = test.search(x, y, x, adjacency, 0)
    gone = np.flatnonzero(alone.found)
    separators.add_all(x[gone], y[gone], alone.given[gone], alone.answers.nearness[gone])
    adjacency[x[gone], y[gone]] = adjacency[y[gone], x[gone]] = False
    strength = _strengths(n, x, y, alone.answers)
    deepest = 0
    for order in islice(orders(max_order), 1, None):
        # column by column of the lower triangle
        edges = np.argwhere(np.triu(adjacency & ~limits.fixed)).tolist()
        edges.sort(key=lambda edge: strength[edge[0]][edge[1]], reverse=True)
        asked = False
        for done, (b, a) in enumerate(edges):
            run.progress(f"order {order}", done, len(edges))
            for given in _strongest_first(adjacency, strength, a, b, order):
                asked = True
                answer = test.ask(a, b, given)
                if answer.independent:
                    adjacency[a, b] = adjacency[b, a] = False
                    separators.add(a, b, given, answer.nearness)
                    break
        if not asked:
            break
        deepest = order
    return Skeleton(adjacency, separators, deepest)


def _judge_by_contradiction(run: SearchRun, skeleton: Skeleton, max_order: int) -> Judged:
    """Judge triples by the separating set, unless another set contradicts it: then they are ambiguous."""
    around = [np.flatnonzero(row).tolist() for row in skeleton.adjacency]
    colliders: list[Triple] = []
    ambiguous: list[Triple] = []
    triples = list(zip(*(part.tolist() for part in unshielded_triples(skeleton.adjacency)), strict=True))
    for done, (a, c, b) in enumerate(sorted(triples)):
        run.progress("colliders", done, len(triples))
        apart = skeleton.separators.get(a, b)
        if apart is None:  # kept apart by knowledge alone
            ambiguous.append((a, c, b))
            continue
        inside = c in apart
        others = (given for given in _neighbour_sets(around, a, b, max_order) if (c in given) != inside)
        if any(run.test.ask(a, b, given).independent for given in others):
            ambiguous.append((a, c, b))
        elif not inside:
            colliders.append((a, c, b))
    return Judged(colliders, ambiguous)


def _strengths(n: int, x: NDArray[np.int64], y: NDArray[np.int64], answers: Answers) -> list[list[tuple[float, float]]]:
    """Give for pairs how weak their association is: nearness to independence, and minus the statistic."""
    weakness = [[(0.0, 0.0)] * n for _ in range(n)]
    for i, j, near, statistic in zip(
        x.tolist(), y.tolist(), answers.nearness.tolist(), answers.statistic.tolist(), strict=True
    ):
        weakness[i][j] = weakness[j][i] = (near, -statistic)
    return weakness


def _strongest_first(
    adjacency: NDArray[np.bool_], weakness: list[list[tuple[float, float]]], a: int, b: int, order: int
) -> list[tuple[int, ...]]:
    """List the sets of neighbours of a, then of b, sorted by how weak the first member's tie to that end is."""
    sets = []
    for end, other in ((a, b), (b, a)):
        around = [v for v in np.flatnonzero(adjacency[end]).tolist() if v != other]
        sets += [(weakness[end][given[0]], given) for given in combinations(around, order)]
    sets.sort(key=lambda entry: entry[0])
    return list(dict.fromkeys(given for _, given in sets))


def _neighbour_sets(around: list[list[int]], a: int, b: int, max_order: int) -> Iterator[tuple[int, ...]]:
    for end in (a, b):
        for order in range(1, min(max_order, len(around[end])) + 1):
            yield from combinations(around[end], order)
