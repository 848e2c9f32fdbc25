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

from paucal.search.by_tests.colliders import Votes, may_list_triples, separating_sets, unshielded_triples

if TYPE_CHECKING:
    from paucal.search.by_tests.colliders import ColliderRule, Triple
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
    triples = list(zip(*(part.tolist() for part in unshielded_triples(skeleton.adjacency)), strict=True))
    pairs = list(dict.fromkeys((a, b) for a, _, b in triples))
    neighbours = skeleton.adjacency & limits.may_separate
    votes: dict[tuple[int, int], Votes] = {}
    if rule != "standard" and not run.spent:
        votes = separating_sets(run, pairs, neighbours, skeleton.order)
    alone = not votes or run.spent  # then no set but the recorded one has a vote
    if alone:
        votes = {pair: Votes() for pair in pairs}
    for a, b in pairs:
        own = skeleton.separators.get(a, b)
        if own is None:
            continue
        voted = len(own) <= skeleton.order and any(neighbours[v, list(own)].all() for v in (a, b))
        if alone or not voted:
            votes[a, b].add(own, float(skeleton.separators.nearness(a, b)))
    judged = Judged([], [])
    for a, c, b in triples:
        share = votes[a, b].share_with(c, rule)
        if share is not None and rule == "majority":
            share = share if share == 0.5 else round(share)
        if share == 0:
            judged.colliders.append((a, c, b))
        elif share != 1:
            judged.ambiguous.append((a, c, b))
    return judged
