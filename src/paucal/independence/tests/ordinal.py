"""Tests that see the order of levels: whether two columns rise together, or one falls as the other rises.

The reference is again every assignment of the labels of y to the rows of a stratum (`permutation.py`), so the level is
right in small samples. Numbers are taken by their ranks, without a cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal import _kernel, checks
from paucal.independence.native import KernelTest, level
from paucal.independence.tests.permutation import Undecidable, acts, chi2_perm_test

if TYPE_CHECKING:
    from paucal.independence.levels import Alpha
    from paucal.tables import MemoryCounts


def trend_test(
    counts: MemoryCounts, *, alpha: Alpha = 0.05, undecidable: Undecidable = "report", threads: int = 1
) -> KernelTest:
    """Build the test of a trend within strata.

    Levels have scores: (rows below them + half of their own) / N - 1/2 in the whole table. With the scores of both
    columns centred in every stratum, S is the sum of their products over the rows. The statistic is S divided by its
    standard deviation under permutation within strata: positive if the two rise together. For the p-value S^2 / V is
    compared with the gamma distribution that has its exact mean and variance under permutation.

    Parameters
    ----------
    counts, alpha, undecidable, threads
        As for `chi2_perm_test`.
    """
    return KernelTest(
        "trend",
        counts,
        _kernel.statistic("trend"),
        level(alpha),
        act=acts(undecidable),
        parameters={"alpha": alpha, "undecidable": undecidable},
        threads=threads,
    )


def chi2_trend_test(
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    guard: bool = False,
    undecidable: Undecidable = "report",
    threads: int = 1,
) -> KernelTest:
    """Build `chi2-perm` and `trend` in one: a trend is seen with the power of the one, all else with that of the other.

    The two p-values are combined by p = 1/2 - atan(t) / pi, the statistic t being the mean of tan(pi (1/2 - p_i))
    (Liu and Xie 2020), with p_i of at most 0.99. Columns of more than ten levels, and so most numbers, are
    cross-tabulated in five steps of equal shares for the half of `chi2-perm`; the trend sees all their values.
    Parameters are those of `chi2_perm_test`.
    """
    return _combined("chi2-trend", counts, alpha, guard, undecidable, threads)


def auto_test(
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    guard: bool = False,
    undecidable: Undecidable = "report",
    threads: int = 1,
) -> KernelTest:
    """Build the test that suits each pair: `chi2-trend` where both ends have an order, `chi2-perm` elsewhere.

    Numbers, ordered columns and columns with two levels have an order. In a table without numbers and ordered columns
    it is `chi2-perm` and nothing else. Parameters are those of `chi2_perm_test`.
    """
    if not counts.has_order:
        return chi2_perm_test(counts, alpha=alpha, guard=guard, undecidable=undecidable, threads=threads)
    return _combined("auto", counts, alpha, guard, undecidable, threads)


def _combined(
    name: str, counts: MemoryCounts, alpha: Alpha, guard: object, undecidable: Undecidable, threads: int
) -> KernelTest:
    guard = checks.flag("guard", guard)
    return KernelTest(
        name,
        counts,
        _kernel.statistic(name, guard=guard),
        level(alpha),
        act=acts(undecidable),
        parameters={"alpha": alpha, "guard": guard, "undecidable": undecidable},
        threads=threads,
    )


TESTS = {"trend": trend_test, "chi2-trend": chi2_trend_test, "auto": auto_test}
