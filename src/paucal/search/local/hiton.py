"""HITON-PC (Aliferis, Tsamardinos and Statnikov 2003; interleaved, as in Aliferis et al. 2010).

Candidates enter by the strength of their association with the target. After each entry every member leaves that
some set of the other members separates from the target. Only sets with the newcomer are new: the others were
tried before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal.search.local.neighbourhood import (
    Candidates,
    Found,
    Given,
    by_association,
    from_both_ends,
    helpful,
    separator_among,
    separator_with,
)

if TYPE_CHECKING:
    from paucal.search.run import SearchRun


def hiton(run: SearchRun, target: int, *, max_order: int | None = 3) -> Found:
    """Find the blanket of a target: HITON-PC from both ends, then spouses (HITON-MB)."""
    return from_both_ends(run, hiton_pc, target, max_order)


def hiton_pc(run: SearchRun, target: int, max_order: int | None) -> Candidates:
    """Give the candidates for parents and children of a column."""
    test, limits = run.test, run.limits
    required = np.flatnonzero(limits.fixed[target]).tolist()
    ranked, apart = by_association(test, target, limits.joinable[target] & ~limits.fixed[target])
    separators: dict[int, Given] = dict.fromkeys(apart, ())
    kept: list[int] = list(required)
    for place, newcomer in enumerate(ranked):
        if run.spent:
            kept += ranked[place:]
            break
        given = separator_among(test, target, newcomer, helpful(limits, target, kept), max_order)
        if given is not None:
            separators[newcomer] = given
            continue
        for member in reversed(kept.copy()) if limits.may_separate[target, newcomer] else ():
            if member in required:
                continue
            others = [v for v in helpful(limits, target, kept) if v != member]
            given = separator_with(test, target, member, others, newcomer, max_order)
            if given is not None:
                separators[member] = given
                kept.remove(member)
        kept.append(newcomer)
    return Candidates(tuple(sorted(kept)), separators)
