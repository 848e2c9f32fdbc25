"""Columns that a blanket lost: they depend on the target although the whole blanket is given.

A blanket separates its target from everything else; that is what it is for. Searches take a column out as soon as some
set separates it from the target. If one of two columns nearly decides the other, as a copy does, either is taken out
given the other, and in the end neither is left. So what was taken out is asked about once more, given the blanket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.weights import merge_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data import Dataset
    from paucal.independence.protocol import CITest
    from paucal.search.local.result import BlanketResult

_CLEARLY = 0.01  # p-value, times the number of columns
_NEARLY = 0.2  # of the rows that are not in the largest level, those that others may leave undecided


def lost_members(test: CITest, data: Dataset, found: BlanketResult) -> list[dict[str, Any]]:
    """Give the columns that were taken out, and clearly depend on the target given the blanket.

    The clearest first; the others must depend on the target given that one, too.
    """
    target, sets = found.target, found.result.sepsets
    given = list(found.mb)
    others = [name for name in data.names if name != target and name not in given and sets.get((target, name))]
    lost = []
    while others:
        clear = [(p, name) for name in others if (p := _clear(test, data, target, name, given)) is not None]
        if not clear:
            break
        p, name = min(clear, key=lambda one: one[0])
        others = [other for _, other in clear if other != name]
        given.append(name)
        by = sets[target, name]
        nearly = nearly_decided(data, name, by)
        lost.append({"column": name, "target": target, "p_value": p, "given": list(by), "decided": nearly})
    return lost


def _clear(test: CITest, data: Dataset, target: str, name: str, given: Sequence[str]) -> float | None:
    """Give the p-value of a column that clearly depends on the target, or None."""
    answer = test(target, name, given)
    p = answer.p_value
    clearly = p is not None and answer.reliable and p * (data.n_columns - 1) < _CLEARLY
    return p if clearly else None


def nearly_decided(data: Dataset, name: str, by: Sequence[str]) -> bool:
    """Say whether other columns leave hardly anything of a column undecided."""
    codes = [data.distinct[data.index(one)] for one in (*by, name)]
    rows, n = merge_rows(codes, data.weights)
    counts = n.astype(np.float64)
    _, strata = np.unique(np.array(rows[:-1]), axis=1, return_inverse=True)
    most = np.zeros(int(strata.max()) + 1)
    np.maximum.at(most, strata.reshape(-1), counts)
    largest = np.bincount(rows[-1], weights=counts).max()
    left, before = counts.sum() - most.sum(), counts.sum() - largest
    distinct = len(most) < counts.sum() / 2  # else every row is a stratum of its own
    return bool(distinct and left <= _NEARLY * before)
