"""How many conditioning columns the data can bear.

Searches that allow for hidden causes look at sets far beyond the neighbours of a pair. In small samples such questions
have hardly a row per cell, the tests about them decide by accident, and with a conservative rule they decide nothing.
So, if nobody says how many, as many as leave half of all questions with one row per cell. (With a calibrated test and
conservative colliders that came nearest to the truth: with the five rows that the classical tests ask for, too few sets
have a vote on each triple, and more arrowheads are wrong; without a limit nothing is gained.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.data.steps import NUMBER_STEPS
from paucal.inspection.sufficiency import sufficiency

if TYPE_CHECKING:
    from paucal.independence.protocol import CITest

_ROWS_PER_CELL = 1.0


def bearable_order(test: CITest, rows_per_cell: float = _ROWS_PER_CELL) -> int | None:
    """Give the most columns given which half of the questions have enough rows per cell; None without rows."""
    levels, n = test.cardinalities, test.n_samples
    if levels is None or n is None or len(levels) < 3:
        return None
    # numbers are conditioned on in many steps, whose trends are pooled: as much is asked of the rows as in a few
    columns = zip(test.names, levels, strict=True)
    counted = [min(len(test.steps[name]), NUMBER_STEPS) if name in test.steps else k for name, k in columns]
    order = 0
    while order < len(counted) - 2 and sufficiency(n, counted, order + 1).median >= rows_per_cell:
        order += 1
    return order
