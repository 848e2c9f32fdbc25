"""A user's own function as a test."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.errors import ParameterError
from paucal.independence.answers import DEPENDENT, INDEPENDENT, Answer
from paucal.independence.levels import level_at, levels
from paucal.independence.protocol import RememberingTest
from paucal.independence.settings import CISettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paucal.independence.levels import Alpha


class CallableTest(RememberingTest):
    """Wraps a function `(x, y, given) -> p-value or bool`; names go in, True means independent.

    It is called with two column names and a tuple of names. A number is read as a p-value and compared with `alpha`; a
    bool is the decision itself, True for independent. `names` are the columns that questions may name.
    """

    def __init__(
        self, function: Callable[[str, str, tuple[str, ...]], Any], names: Iterable[str], *, alpha: Alpha = 0.05
    ) -> None:
        # no test of ours has a name like that, whatever the function is called
        super().__init__(f"function {getattr(function, '__name__', type(function).__name__)}", names)
        self._function = function
        self._alpha = alpha
        self._levels = levels(alpha)

    @property
    def settings(self) -> CISettings:
        """The function's name, and the level that its p-values are compared with."""
        return CISettings(self.name, self._alpha)

    def decide(self, x: int, y: int, given: tuple[int, ...]) -> Answer:
        """Call the function and read what it says."""
        name = self.names.__getitem__
        value = self._function(name(x), name(y), tuple(map(name, given)))
        nan = math.nan
        if isinstance(value, (bool, np.bool_)):
            decision = INDEPENDENT if value else DEPENDENT
            return Answer(nan, nan, nan, nan, float(value), 0, decision, 0)
        p = float(value) if isinstance(value, (int, float, np.number)) else nan
        if not 0 <= p <= 1:
            raise ParameterError(
                f"{self.name} returned {value!r} for {name(x)!r}, {name(y)!r} given {list(map(name, given))}.",
                hint="It must return a p-value between 0 and 1, or True for independent.",
                parameter="test",
                value=value,
            )
        level = level_at(self._levels, len(given))
        return Answer(nan, nan, p, level, p, 0, INDEPENDENT if p > level else DEPENDENT, 0)
