"""The level of a test: one number, or one for each number of conditioning columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from paucal import checks
from paucal.errors import Argument, ParameterError, not_allowed

Alpha: TypeAlias = float | Literal["by-order"] | Sequence[float]
Levels: TypeAlias = float | tuple[float, ...]

# min(0.2, 0.01 * 3^order): strict where every pair is tested, lenient where strata are thin and a missed dependence
# costs an edge.
BY_ORDER = (0.01, 0.03, 0.09, 0.2)

_FORMS = "Give a number, a list of numbers by order, or 'by-order'."


def levels(alpha: Alpha) -> Levels:
    """Check a level; a schedule becomes a tuple whose last entry serves all larger orders.

    >>> levels(0.05), levels("by-order"), levels([0.01, 0.05])
    (0.05, (0.01, 0.03, 0.09, 0.2), (0.01, 0.05))
    """
    alpha = checks.native(alpha)
    if isinstance(alpha, float):
        return checks.level(alpha)
    if isinstance(alpha, str):
        if alpha == "by-order":
            return BY_ORDER
        raise not_allowed("alpha", alpha, ("by-order",), hint=_FORMS)
    if isinstance(alpha, Sequence):
        if len(alpha) == 0:
            raise ParameterError(
                (Argument("alpha", alpha), " has no level."), hint=_FORMS, parameter="alpha", value=alpha
            )
        return tuple(map(checks.level, alpha))
    return checks.level(alpha)


def level_at(checked: Levels, order: int) -> float:
    """The level of tests with so many conditioning columns.

    >>> level_at((0.01, 0.03), 0), level_at((0.01, 0.03), 5), level_at(0.05, 2)
    (0.01, 0.03, 0.05)
    """
    return checked if isinstance(checked, float) else checked[min(order, len(checked) - 1)]
