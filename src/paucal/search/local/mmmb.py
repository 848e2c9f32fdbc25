"""MMMB (Tsamardinos, Aliferis and Statnikov 2003): MMPC from both ends, then spouses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal.search.by_tests.mmpc import Mmpc
from paucal.search.local.neighbourhood import Candidates, Found, Together, from_both_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.search.run import SearchRun


def mmmb(run: SearchRun, target: int, *, max_order: int | None = 3) -> Found:
    """Find the blanket of a target."""
    return from_both_ends(run, mmpc_pc, target, max_order)


def mmpc_from(run: SearchRun, targets: Sequence[int], max_order: int | None) -> list[Candidates]:
    """Give the candidates for parents and children of some columns, by MMPC."""
    n, limits = len(run.test.names), run.limits
    mmpc = Mmpc(run, limits, max_order)
    nearness, nobody = np.full((len(targets), n), np.inf), np.zeros((n, n), dtype=np.bool_)
    for row, target in zip(nearness, targets, strict=True):
        others = np.flatnonzero(limits.joinable[target] & ~limits.fixed[target])
        here = np.full(len(others), target)
        alone = run.test.search(here, others, here, nobody, 0)
        mmpc.separators.add_found(here, others, alone)
        row[others] = np.where(alone.found, np.inf, alone.answers.nearness)
    kept = mmpc.neighbours(list(targets), nearness)
    sets = mmpc.separators.from_each()
    return [Candidates(tuple(sorted(its)), sets.get(t, {})) for t, its in zip(targets, kept, strict=True)]


mmpc_pc = Together(mmpc_from)
