"""Which unshielded triples a - c - b are colliders a -> c <- b: what separated a and b decides.

Four rules, by name:

* `standard`      the separating set that the skeleton found does not contain c (Spirtes and Glymour 1991)
* `majority`      of all sets of neighbours of a or of b that separate them, fewer than half contain c
                  (Colombo and Maathuis 2014)
* `conservative`  none of them contains c (Ramsey, Zhang and Spirtes 2006)
* `max-p`         the one nearest to independence does not contain c (Ramsey 2016)

`standard` asks nothing new but takes the first set that was met, so it can depend on the order of the columns; the
other three ask about all sets up to the size that the skeleton reached and cannot. Where they find no separating
set, the triple stays open, which is to say no collider. Colliders come sorted, the first to be believed first. Where
the budget of a search is spent before all sets were asked about, `standard` decides.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from paucal import checks
from paucal.graphs.bits import share_a_neighbour
from paucal.independence.answers import INDEPENDENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from paucal.search.by_tests.limits import Limits
    from paucal.search.by_tests.skeleton import Skeleton
    from paucal.search.run import SearchRun

ColliderRule = Literal["standard", "majority", "conservative", "max-p"]
COLLIDER_RULES: tuple[ColliderRule, ...] = ("standard", "majority", "conservative", "max-p")
Triple = tuple[int, int, int]  # a, c, b of a -> c <- b

_CHUNK = 2**14  # pairs whose common neighbours are looked up at once
_MOST_TRIPLES = 2**22  # some 120 bytes each
_MOST_UNTESTED = 2**18  # of an unfinished skeleton, where most pairs were not tested: shielded ones count too
_AT_ONCE = 2**16  # questions in one call


class Votes:
    """Sets that separate one pair, counted: in all and by member; and of those nearest to independence the same."""

    def __init__(self) -> None:
        self.nearest = -math.inf
        self._all: Counter[int | None] = Counter()  # None counts the sets themselves
        self._near: Counter[int | None] = Counter()

    def add(self, given: Iterable[int], near: float) -> None:
        """Count one set."""
        self._all.update((None, *given))
        if near > self.nearest:
            self.nearest, self._near = near, Counter()
        if near == self.nearest:
            self._near.update((None, *given))

    def share_with(self, c: int, rule: ColliderRule) -> float | None:
        """Give the share of the sets that contain c, under `max-p` of the nearest ones; None of no set."""
        counted = self._near if rule == "max-p" else self._all
        return counted[c] / counted[None] if counted[None] else None


class Triples(NamedTuple):
    """Unshielded triples: a and b, a < b, are not joined to each other, but both to c."""

    a: NDArray[Any]
    c: NDArray[Any]
    b: NDArray[Any]


def find_colliders(
    run: SearchRun, skeleton: Skeleton, limits: Limits, rule: ColliderRule, rank: Sequence[int]
) -> list[Triple] | None:
    """Give the colliders of a skeleton by the named rule; equal claims are sorted by the rank of their nodes.

    None if there is too much to look through.
    """
    checks.choice("colliders", rule, COLLIDER_RULES)
    if not may_list_triples(run, skeleton):
        return None
    triples = unshielded_triples(skeleton.adjacency)
    if rule != "standard" and not run.spent:
        found = _by_all_sets(run, skeleton, limits, triples, rule, rank)
        if not run.spent:
            return found
    return _by_recorded_set(skeleton, triples, rank)


def may_list_triples(run: SearchRun, skeleton: Skeleton) -> bool:
    """Say whether a skeleton has few enough unshielded triples to look at; otherwise the run ends here."""
    joined = skeleton.adjacency.astype(np.float32)
    most = _MOST_UNTESTED if run.spent else _MOST_TRIPLES
    if len(joined) ** 3 <= most:
        return True
    if run.spent:
        return float((joined.sum(axis=0) ** 2).sum(dtype=np.float64)) / 2 <= most
    meeting = np.triu(joined @ joined, 1)
    triples = float(meeting[~skeleton.adjacency].sum(dtype=np.float64))
    if triples > most:
        run.budget.give_up(f"{triples:,.0f} pairs of edges that share a column, too many to look for colliders")
    return triples <= most


def unshielded_triples(adjacency: NDArray[np.bool_]) -> Triples:
    """List the unshielded triples of a skeleton, by a, b and c."""
    a, b = np.nonzero(np.triu(share_a_neighbour(adjacency) & ~adjacency, 1))
    parts = []
    for start in range(0, max(len(a), 1), _CHUNK):
        first, last = a[start : start + _CHUNK], b[start : start + _CHUNK]
        row, middle = np.nonzero(adjacency[first] & adjacency[last])
        parts.append((first[row], middle, last[row]))
    return Triples(*(parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))))


def _by_recorded_set(skeleton: Skeleton, triples: Triples, rank: Sequence[int]) -> list[Triple]:
    """Sort by the p-value of the separation, small ones first, as bnlearn does."""
    found = skeleton.separators
    a, c, b = triples
    chosen = np.flatnonzero(found.known(a, b) & ~found.contain(a, c, b))
    a, c, b = a[chosen], c[chosen], b[chosen]
    places = np.asarray(rank)
    ends = places[a], places[b]
    first = np.lexsort((np.maximum(*ends), np.minimum(*ends), places[c], found.nearness(a, b)))
    return list(zip(a[first].tolist(), c[first].tolist(), b[first].tolist(), strict=True))


def _by_all_sets(
    run: SearchRun, skeleton: Skeleton, limits: Limits, triples: Triples, rule: ColliderRule, rank: Sequence[int]
) -> list[Triple]:
    """Sort by the share of separating sets that contain c, then by how near to independence they come."""
    middles: dict[tuple[int, int], list[int]] = {}
    for a, c, b in zip(*(part.tolist() for part in triples), strict=True):
        middles.setdefault((a, b), []).append(c)
    neighbours = skeleton.adjacency & limits.may_separate
    separating = separating_sets(run, list(middles), neighbours, skeleton.order)
    claims: list[tuple[float, float, Triple]] = []
    for (a, b), votes in separating.items():
        for c in middles[a, b]:
            share = votes.share_with(c, rule)
            if share == 0 or (share is not None and share < 0.5 and rule != "conservative"):
                claims.append((share, -votes.nearest, (a, c, b)))

    def place(claim: tuple[float, float, Triple]) -> tuple[float, ...]:
        share, near, (a, c, b) = claim
        return share, near, rank[c], *sorted((rank[a], rank[b]))

    return [triple for _, _, triple in sorted(claims, key=place)]


def separating_sets(
    run: SearchRun, pairs: list[tuple[int, int]], neighbours: NDArray[np.bool_], max_order: int
) -> dict[tuple[int, int], Votes]:
    """Ask about all sets of neighbours of one end of every pair; count those that separate it."""
    around: list[list[int]] = [[] for _ in neighbours]
    for a, b in zip(*(ends.tolist() for ends in neighbours.nonzero()), strict=True):
        around[a].append(b)
    found = {pair: Votes() for pair in pairs}
    for order in range(max_order + 1):
        stage = f"colliders, order {order}"
        run.expect(stage, sum(math.comb(len(around[v]), order) for pair in pairs for v in pair))
        waiting, done = _questions(pairs, around, order), 0
        while questions := list(islice(waiting, _AT_ONCE)):
            run.progress(stage, done, None)
            numbers = chain.from_iterable((*pair, *given) for pair, given in questions)
            asked = np.fromiter(numbers, dtype=np.uint32).reshape(len(questions), order + 2)
            answers = run.test.ask_many(asked[:, 0], asked[:, 1], asked[:, 2:])
            if run.spent:
                return found
            independent = (answers.decision == INDEPENDENT).nonzero()[0]
            for i, near in zip(independent.tolist(), answers.nearness[independent].tolist(), strict=True):
                pair, given = questions[i]
                found[pair].add(given, near)
            done += len(questions)
    return found


def _questions(
    pairs: list[tuple[int, int]], around: list[list[int]], order: int
) -> Iterator[tuple[tuple[int, int], tuple[int, ...]]]:
    """Yield every pair with every set of so many neighbours of one end, then of the other, each set once."""
    for pair in pairs:
        first, last = (around[v] for v in pair)
        yield from ((pair, given) for given in combinations(first, order))
        known = set(first)
        yield from ((pair, given) for given in combinations(last, order) if not known.issuperset(given))
