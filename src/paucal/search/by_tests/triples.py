"""Unshielded triples a - c - b under hidden causes: collider, no collider, or ambiguous.

The sets that separate a and b vote. Under `standard` only the set that the search found has a vote; otherwise all
sets of neighbours of a or of b that separate them vote too, and c is a collider if

* `conservative`  none of the sets contains it (Ramsey, Zhang and Spirtes 2006); no collider if all do
* `majority`      fewer than half of them contain it (Colombo and Maathuis 2014); no collider if more than half do
* `max-p`         the one nearest to independence does not contain it; no collider if it does

Everything else is ambiguous. With a perfect test all sets agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paucal.search.by_tests.colliders import Votes, ask_all_sets, may_list_triples, unshielded_triples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.search.by_tests.colliders import ColliderRule, Triple, Triples
    from paucal.search.by_tests.limits import Limits
    from paucal.search.by_tests.skeleton import Skeleton
    from paucal.search.run import SearchRun


class Judged(NamedTuple):
    """Unshielded triples (a, c, b), a < b: those that collide in c, and those of which one cannot tell."""

    colliders: list[Triple]
    ambiguous: list[Triple]


def judge_triples(run: SearchRun, skeleton: Skeleton, limits: Limits, rule: ColliderRule) -> Judged:
    """Judge every unshielded triple of a skeleton."""
    if not may_list_triples(run, skeleton):
        return Judged([], [])
    triples = unshielded_triples(skeleton.adjacency)
    share = None if rule == "standard" else _share_of_all(run, skeleton, limits, triples, rule)
    if share is None:
        a, c, b = triples
        share = np.where(skeleton.separators.known(a, b), skeleton.separators.contain(a, c, b), np.nan)
    if rule == "majority":
        share = np.where(share == 0.5, share, np.round(share))
    return Judged(_listed(triples, share == 0), _listed(triples, ~np.isin(share, (0, 1))))


def _share_of_all(
    run: SearchRun, skeleton: Skeleton, limits: Limits, triples: Triples, rule: ColliderRule
) -> NDArray[np.float64] | None:
    """Give for every triple the share of separating sets that contain its middle; None if time runs out before."""
    if run.spent:
        return None
    neighbours, own = skeleton.adjacency & limits.may_separate, skeleton.separators
    votes = Votes(triples, len(neighbours), rule)
    ask_all_sets(run, votes, neighbours, skeleton.order)
    if run.spent:
        return None
    number = np.flatnonzero(own.known(*votes.pairs.T))
    given, near = own.sets(*votes.pairs[number].T)
    filled = given < 0
    inside = [(neighbours[v[:, None], given] | filled).all(axis=1) for v in votes.pairs[number].T]
    new = ~(inside[0] | inside[1]) | (np.count_nonzero(~filled, axis=1) > skeleton.order)  # it has not voted yet
    votes.add(number[new], given[new], near[new])
    return votes.shares()


def _listed(triples: Triples, chosen: NDArray[np.bool_]) -> list[Triple]:
    a, c, b = (part[chosen].tolist() for part in triples)
    return list(zip(a, c, b, strict=True))
