"""The level of a test: one number, or one for each number of conditioning columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from paucal.errors import ParameterError
from paucal.independence.parameters import check_level

Alpha: TypeAlias = float | Literal["by-order"] | Sequence[float]
Levels: TypeAlias = float | tuple[float, ...]

# min(0.2, 0.01 * 3^order): strict where every pair is tested, lenient where strata are thin and a missed dependence
# costs an edge.
BY_ORDER = (0.01, 0.03, 0.09, 0.2)


def levels(alpha: Alpha) -> Levels:
    """Check a level; a schedule becomes a tuple whose last entry serves all larger orders.

    >>> levels(0.05), levels("by-order"), levels([0.01, 0.05])
    (0.05, (0.01, 0.03, 0.09, 0.2), (0.01, 0.05))
    """
    if isinstance(alpha, str):
        if alpha == "by-order":
            return BY_ORDER
        raise ParameterError(
            f"alpha={alpha!r} is not known.", hint="Give a number, a list of numbers by order, or 'by-order'."
        )
    if isinstance(alpha, Sequence):
        if not alpha:
            raise ParameterError(
                "alpha=[] has no level.", hint="Give one number for each order, at least one."
            )
        schedule = tuple(map(float, alpha))
        for level in schedule:
            check_level(level)
        return schedule
    check_level(alpha)
    return float(alpha)


def level_at(checked: Levels, order: int) -> float:
    """The level of tests with so many conditioning columns.

    >>> level_at((0.01, 0.03), 0), level_at((0.01, 0.03), 5), level_at(0.05, 2)
    (0.01, 0.03, 0.05)
    """
    return checked if isinstance(checked, float) else checked[min(order, len(checked) - 1)]
