"""STMB (Gao and Ji 2017): spouses are sought together with the parents and children, without a look from elsewhere.

A first round keeps every column that no set of the other kept columns separates from the target; among them may be
descendants that are no children. Then each pair of a kept column y and an outside column x is tried: if x becomes
dependent when y is given, either x is a spouse behind y, or it gives y away: together with x, some set separates y
from the target, and y leaves. What remains is shrunk as a whole.

Deviations, without which even perfect tests lead to wrong blankets (17 of 421 targets in random graphs): a column that
leaves is itself tried as a spouse; shrinking conditions on all spouses, not only on those behind the same child; and
in the end a kept column leaves that a set of other members, several spouses among them, separates.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from paucal.search.local.iamb import shrunk, tell_apart
from paucal.search.local.neighbourhood import Candidates, Found, Given, by_association, separator_with, whole_blanket

if TYPE_CHECKING:
    from paucal.search.run import SearchRun


def stmb(run: SearchRun, target: int, *, max_order: int | None = 3) -> Found:
    """Find the blanket of a target."""
    return whole_blanket(run.limits, target, *stmb_blanket(run, target, max_order))


def stmb_pc(run: SearchRun, target: int, max_order: int | None) -> Candidates:
    """Give the parents and children of a column."""
    return stmb_blanket(run, target, max_order)[0]


def stmb_blanket(run: SearchRun, target: int, max_order: int | None) -> tuple[Candidates, list[int]]:
    """Give the parents and children of a column, and its whole blanket."""
    test, limits = run.test, run.limits
    required = np.flatnonzero(limits.fixed[target]).tolist()
    kept, separators = _kept_in_turn(run, target, max_order, required)
    behind: dict[int, list[int]] = {y: [] for y in kept}
    outside = [v for v in np.flatnonzero(limits.may_meet[target]).tolist() if v not in behind]
    pairs = deque((y, x) for y in kept for x in outside)
    while pairs and not run.spent:
        y, x = pairs.popleft()
        apart = separators[x]
        if y not in behind or y in apart or test.ask(target, x, (*apart, y)).independent:
            continue
        others = [v for v in behind if v != y]
        given = None if y in required else separator_with(test, target, y, others, x, max_order)
        if given is None:
            behind[y].append(x)
        else:
            separators[y] = given
            del behind[y]
            pairs.extend((z, y) for z in behind)
    spouses = sorted({x for found in behind.values() for x in found})
    blanket = sorted(shrunk(test, target, [*behind, *spouses], required))
    found = tell_apart(run, target, blanket, max_order)
    kept = [v for v in found.kept if v not in separators]  # who left does not come back, except as a spouse
    return Candidates(tuple(kept), {**found.separators, **separators}), blanket


def _kept_in_turn(
    run: SearchRun, target: int, max_order: int | None, required: list[int]
) -> tuple[list[int], dict[int, Given]]:
    """Keep what no subset of the kept separates from the target, subsets by size, the weakest columns first."""
    test = run.test
    ranked, apart = by_association(test, target, run.limits.may_meet[target] & ~run.limits.fixed[target])
    separators: dict[int, Given] = dict.fromkeys(apart, ())
    kept = [*ranked[::-1], *required]
    order = 1
    while order < len(kept) and (max_order is None or order <= max_order):
        for member in [] if run.spent else [v for v in kept if v not in required]:
            found = test.first_separator(target, member, [v for v in kept if v != member], order)
            if found.found and found.given is not None:
                separators[member] = found.given
                kept.remove(member)
        order += 1
    return kept, separators
