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

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from paucal import _kernel, checks
from paucal.independence.answers import INDEPENDENT
from paucal.independence.subsets import subsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.search.by_tests.limits import Limits
    from paucal.search.by_tests.skeleton import Skeleton
    from paucal.search.run import SearchRun

ColliderRule = Literal["standard", "majority", "conservative", "max-p"]
COLLIDER_RULES: tuple[ColliderRule, ...] = ("standard", "majority", "conservative", "max-p")
Triple = tuple[int, int, int]  # a, c, b of a -> c <- b

_MOST_TRIPLES = 2**22  # some 120 bytes each
_MOST_UNTESTED = 2**18  # of an unfinished skeleton, where most pairs were not tested: shielded ones count too
_AT_ONCE = 2**16  # questions in one call


class Triples(NamedTuple):
    """Unshielded triples: a and b, a < b, are not joined to each other, but both to c."""

    a: NDArray[Any]
    c: NDArray[Any]
    b: NDArray[Any]


class Votes:
    """Sets that separate the ends of triples, counted: in all and with the middle; under `max-p` the nearest alone.

    `pairs` are the ends, each pair once; `nearest` says for each how near to independence its sets come.
    """

    def __init__(self, triples: Triples, columns: int, rule: ColliderRule) -> None:
        ends, self._pair_of = np.unique(triples.a * columns + triples.b, return_inverse=True)
        self.pairs = np.stack(np.divmod(ends, columns), axis=1)
        self.nearest = np.full(len(ends), -np.inf)
        self._columns, self._rule = columns, rule
        self._keys = self._pair_of * columns + triples.c  # ascending, as triples are listed
        self._sets, self._with = np.zeros(len(ends), dtype=np.int64), np.zeros(len(self._keys), dtype=np.int64)

    def add(self, pair: NDArray[Any], given: NDArray[Any], near: NDArray[np.float64]) -> None:
        """Count sets, each of the pair with that number; they may be filled up with -1."""
        before = self.nearest.copy()
        np.maximum.at(self.nearest, pair, near)
        if self._rule == "max-p":
            surpassed = self.nearest > before
            self._sets[surpassed] = self._with[surpassed[self._pair_of]] = 0
            kept = near == self.nearest[pair]
            pair, given = pair[kept], given[kept]
        self._sets += np.bincount(pair, minlength=len(self._sets))
        members = np.where(given < 0, -1, pair[:, None] * self._columns + given).ravel()
        place = np.searchsorted(self._keys, members)
        place = place[self._keys[np.minimum(place, len(self._keys) - 1)] == members]
        self._with += np.bincount(place, minlength=len(self._with))

    def shares(self) -> NDArray[np.float64]:
        """Give for every triple the share of the sets that contain its middle, NaN of no set."""
        sets = self._sets[self._pair_of]
        shares: NDArray[np.float64] = np.divide(self._with, sets, out=np.full(len(sets), np.nan), where=sets > 0)
        return shares

    def nearest_of_triples(self) -> NDArray[np.float64]:
        """Give `nearest` for every triple."""
        return self.nearest[self._pair_of]


def find_colliders(
    run: SearchRun, skeleton: Skeleton, limits: Limits, rule: ColliderRule, rank: Sequence[int]
) -> list[Triple] | None:
    """Give the colliders of a skeleton by the named rule; equal claims are sorted by the rank of their nodes.

    None if there is too much to look through, or the skeleton is unfinished: pairs that nobody has tested look joined,
    and what meets there is no collider.
    """
    checks.choice("colliders", rule, COLLIDER_RULES)
    if run.spent or not may_list_triples(run, skeleton):
        return None
    triples = unshielded_triples(skeleton.adjacency)
    if rule != "standard" and not run.spent:
        found = _by_all_sets(run, skeleton, limits, triples, rule, rank)
        if not run.spent:
            return found
    return _by_recorded_set(skeleton, triples, rank)


def may_list_triples(run: SearchRun, skeleton: Skeleton) -> bool:
    """Say whether a skeleton has few enough unshielded triples to look at; otherwise the run ends here."""
    degrees = skeleton.adjacency.sum(axis=0, dtype=np.float64)
    most = _MOST_UNTESTED if run.spent else _MOST_TRIPLES
    pairs_of_edges = float((degrees**2 if run.spent else degrees * (degrees - 1)).sum()) / 2
    if pairs_of_edges <= most or run.spent:
        return pairs_of_edges <= most
    # Some may be shielded. Libraries for products of matrices wake all cores of the machine: only now.
    joined = skeleton.adjacency.astype(np.float32)
    meeting = np.triu(joined @ joined, 1)
    triples = float(meeting[~skeleton.adjacency].sum(dtype=np.float64))
    if triples > most:
        run.budget.give_up(f"{triples:,.0f} pairs of edges that share a column, too many to look for colliders")
    return triples <= most


def unshielded_triples(adjacency: NDArray[np.bool_]) -> Triples:
    """List the unshielded triples of a skeleton, by a, b and c."""
    return Triples(*_kernel.unshielded_triples(np.ascontiguousarray(adjacency).view(np.uint8)))


def _by_recorded_set(skeleton: Skeleton, triples: Triples, rank: Sequence[int]) -> list[Triple]:
    """Sort by the p-value of the separation, small ones first, as bnlearn does."""
    found = skeleton.separators
    a, c, b = triples
    chosen = np.flatnonzero(found.known(a, b) & ~found.contain(a, c, b))
    return _sorted(triples, chosen, rank, (found.nearness(a[chosen], b[chosen]),))


def _by_all_sets(
    run: SearchRun, skeleton: Skeleton, limits: Limits, triples: Triples, rule: ColliderRule, rank: Sequence[int]
) -> list[Triple]:
    """Sort by the share of separating sets that contain c, then by how near to independence they come."""
    votes = Votes(triples, len(skeleton.adjacency), rule)
    ask_all_sets(run, votes, skeleton.adjacency & limits.may_separate, skeleton.order)
    shares = votes.shares()
    chosen = np.flatnonzero(shares == 0 if rule == "conservative" else shares < 0.5)
    return _sorted(triples, chosen, rank, (-votes.nearest_of_triples()[chosen], shares[chosen]))


def _sorted(
    triples: Triples, chosen: NDArray[np.int64], rank: Sequence[int], claims: tuple[NDArray[np.float64], ...]
) -> list[Triple]:
    """List chosen triples by their claims, the last one first, and equal claims by the rank of their nodes."""
    a, c, b = (part[chosen] for part in triples)
    places = np.asarray(rank)
    ends = places[a], places[b]
    first = np.lexsort((np.maximum(*ends), np.minimum(*ends), places[c], *claims))
    return list(zip(a[first].tolist(), c[first].tolist(), b[first].tolist(), strict=True))


def ask_all_sets(run: SearchRun, votes: Votes, neighbours: NDArray[np.bool_], max_order: int) -> None:
    """Ask about all sets of neighbours of one end of every pair; those that separate it have a vote."""
    pairs = votes.pairs.astype(np.uint32)
    around = np.ascontiguousarray(neighbours).view(np.uint8)
    degrees = neighbours.sum(axis=1)[pairs]
    for order in range(max_order + 1):
        stage, done, more = f"colliders, order {order}", 0, True
        run.expect(stage, subsets(degrees, order).sum())
        sets = _kernel.SetsAround(pairs, around, order)
        while more:
            number, given = sets.next(_AT_ONCE)
            more = len(number) == _AT_ONCE
            run.progress(stage, done, None)
            answers = run.test.ask_many(pairs[number, 0], pairs[number, 1], given)
            if run.spent:
                return
            independent = (answers.decision == INDEPENDENT).nonzero()[0]
            votes.add(number[independent], given[independent], answers.nearness[independent])
            done += len(number)
