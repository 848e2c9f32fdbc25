"""MMMB (Tsamardinos, Aliferis and Statnikov 2003): MMPC from both ends, then spouses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal.search.by_tests.mmpc import Mmpc
from paucal.search.local.neighbourhood import Candidates, Found, from_both_ends

if TYPE_CHECKING:
    from paucal.search.run import SearchRun


def mmmb(run: SearchRun, target: int, *, max_order: int | None = 3) -> Found:
    """Find the blanket of a target."""
    return from_both_ends(run, mmpc_pc, target, max_order)


def mmpc_pc(run: SearchRun, target: int, max_order: int | None) -> Candidates:
    """Give the candidates for parents and children of a column, by MMPC."""
    names, limits = run.test.names, run.limits
    others = np.flatnonzero(limits.joinable[target] & ~limits.fixed[target])
    here = np.full(len(others), target)
    alone = run.test.search(here, others, here, np.zeros((len(names), len(names)), dtype=np.bool_), 0)
    mmpc = Mmpc(run, limits, max_order)
    mmpc.separators.add_found(here, others, alone)
    nearness = np.full(len(names), np.inf)
    nearness[others] = np.where(alone.found, np.inf, alone.answers.nearness)
    (kept,) = mmpc.neighbours([target], nearness[None])
    sets = {x + y - target: given for x, y, given in mmpc.separators.items()}  # the other one of each pair
    return Candidates(tuple(sorted(kept)), sets)
