"""Rows that stand in a table twice, as when files were joined that overlap.

Equal rows are no wonder among a few categories. Where measurements are among the columns, chance makes hardly any, and
whoever is in the table twice makes everything look more certain than it is: of pure noise, pasted twice, a search draws
edges that are called certain.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from paucal import _kernel
from paucal.data.kinds import MOST_VALUES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.inspection.describe import Examined

_FEWEST, _SHARE = 3, 0.01  # rows that are copies, and their share of all: fewer say little
_MOST_COPIES = 2  # of a row, on average
_TIMES = 10.0  # as many as chance would make


def pasted_rows(columns: Sequence[Examined]) -> int:
    """Count the rows that are equal to an earlier one in every column, if measurements are among these.

    0 if there are few, if rows stand in the table more than three times on average, as in tables of counts, or if
    chance may have made them. It makes N^2/2 times the probability that two rows agree: here in the number with the
    most values, and in the others, which count half, as they may depend on it. Rows without any number say nothing.
    """
    used = [one.column for one in columns if one.taken.kind != "name"]
    numbers = [one.column for one in columns if one.taken.kind == "number" and len(one.column.levels) > MOST_VALUES]
    if not numbers or used[0].weights is not None:
        return 0
    told = np.flatnonzero(np.any([column.codes < len(column.levels) for column in numbers], axis=0))
    if len(told) < 2:
        return 0
    first, _ = _kernel.distinct_rows([np.ascontiguousarray(column.codes[told]) for column in used])
    n, copies = len(first), len(told) - len(first)
    if n < 2 or not max(_FEWEST, _SHARE * len(told)) <= copies <= _MOST_COPIES * n:
        return 0
    counts = [np.bincount(column.codes[told[first]]).astype(float) for column in numbers]
    agree = sorted(float((c * (c - 1)).sum()) / (n * (n - 1)) for c in counts)
    chance = n**2 / 2 * agree[0] * math.prod(agree[1:]) ** 0.5
    return copies if copies > _TIMES * chance else 0
