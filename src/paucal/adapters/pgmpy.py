"""paucal's tests inside pgmpy's searches: `PC(ci_test=ci_test(data, "bf-chi2"))`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from paucal.adapters.answers import as_p_value
from paucal.errors import ParameterError
from paucal.independence.native import KernelTest
from paucal.independence.registry import DEFAULT_TEST, make_test

if TYPE_CHECKING:
    from collections.abc import Iterable


class PgmpyTest:
    """A test of paucal that answers as pgmpy's own do; `ci_test` makes one.

    After each question `statistic_`, `p_value_` and `effect_size_` hold its numbers. Tests without a p-value have the
    p-value 1 or 0, and keep their own threshold whatever `significance_level` is.
    """

    def __init__(self, test: KernelTest) -> None:
        self.test = test
        self.statistic_ = self.p_value_ = self.effect_size_ = math.nan

    def __call__(
        self,
        X: str,  # noqa: N803 - pgmpy's names
        Y: str,  # noqa: N803
        Z: Iterable[str] = (),  # noqa: N803
        significance_level: float = 0.05,
    ) -> bool:
        """Tell whether X and Y are independent given Z."""
        self.run_test(X, Y, Z)
        return self.p_value_ > significance_level

    is_independent = __call__

    def run_test(self, X: str, Y: str, Z: Iterable[str]) -> tuple[float, float]:  # noqa: N803
        """Give statistic and p-value."""
        x, y, given = self.test.index(X), self.test.index(Y), tuple(self.test.index(z) for z in Z)
        answer = self.test.ask(x, y, given)
        self.statistic_, self.p_value_ = answer.statistic, as_p_value(self.test, answer)
        self.effect_size_ = -answer.nearness  # larger is more dependent, which is all that pgmpy compares
        return self.statistic_, self.p_value_

    def __deepcopy__(self, memo: dict[int, Any]) -> PgmpyTest:
        return self  # estimators copy their parameters; the data need not come along


def ci_test(data: Any, test: str = DEFAULT_TEST, **parameters: Any) -> PgmpyTest:
    """Make a test for pgmpy's `PC`.

    Parameters
    ----------
    data
        The data that `PC` is fitted to, or a `Dataset` of them with all levels declared; names must agree.
    test
        Name of a test of paucal.
    parameters
        Parameters of the test.

    Examples
    --------
    >>> test = ci_test({"a": [0, 1] * 20, "b": [0, 1] * 19 + [1, 0], "c": [0, 0, 1, 1] * 10})
    >>> test("a", "b", [], significance_level=0.05), test("a", "c", ["b"])
    (False, True)
    """
    made = make_test(data, test, as_is=True, **parameters)  # whoever asks about a column wants it kept
    if not isinstance(made, KernelTest):
        raise ParameterError(f"{test!r} is not a test on data.")
    return PgmpyTest(made)
