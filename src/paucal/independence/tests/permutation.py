"""Tests whose level is right in small samples, because the labels of the data themselves are the reference.

If x and y are independent given the stratum, every assignment of the observed labels of y to the rows of the stratum is
equally likely. `chi2-perm` computes the mean, variance and skewness that a smoothed chi-square has over all of these
assignments, without drawing any; `permutation` draws them. Both condition on all margins, so thin tables need no rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from paucal import _kernel, checks
from paucal.errors import Argument, ParameterError
from paucal.independence.levels import levels
from paucal.independence.native import KernelTest, level

if TYPE_CHECKING:
    from paucal.independence.levels import Alpha
    from paucal.tables import MemoryCounts

Undecidable = Literal["report", "act"]

_MOST_PERMUTATIONS = 2**32 - 1


def chi2_perm_test(
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    guard: bool = False,
    undecidable: Undecidable = "report",
    threads: int = 1,
) -> KernelTest:
    """Build the smoothed chi-square test with exact permutation moments.

    Per stratum with n samples and margins a, b the statistic is n sum (n_ij - a_i b_j / n)^2 / ((a_i + s)(b_j + s))
    with s = sqrt(n / 10). The p-value is that of the gamma distribution (Pearson III) with the exact mean, variance
    and third cumulant that the sum over the strata has when labels are permuted within strata.

    Parameters
    ----------
    counts, alpha, threads
        As for `classical_test`.
    guard
        Let no p-value be smaller than the chance of the observed table given its margins, which is a lower bound of the
        exact permutation p-value.
    undecidable
        What happens when even the most extreme table with these margins would have a p-value above alpha. "report"
        marks the result and decides by the p-value all the same; "act" leaves the question undecidable, which keeps an
        edge.
    """
    return KernelTest(
        "chi2-perm",
        counts,
        _kernel.statistic("chi2-perm", guard=checks.flag("guard", guard)),
        level(alpha),
        act=acts(undecidable),
        parameters={"alpha": alpha, "guard": guard, "undecidable": undecidable},
        threads=threads,
    )


def chi2_pooled_test(
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    guard: bool = False,
    undecidable: Undecidable = "report",
    threads: int = 1,
) -> KernelTest:
    """Build `chi2-perm` combined with a test that adds the strata up before it squares.

    Where x and y depend on each other in the same way in every stratum, small deviations that all point the same way
    show in their sum. With d_ij the sum over the strata of n_ij - a_i b_j / n, the pooled statistic is the sum of
    d_ij^2 / ((A_i + s)(B_j + s)), A and B the margins of the whole table and s = sqrt(N / 10); its p-value is that of
    the gamma distribution with its exact mean and variance under permutation within strata. The two p-values are
    combined as in `chi2-trend`. With one stratum it is `chi2-perm`. Parameters are those of `chi2_perm_test`.
    """
    return KernelTest(
        "chi2-pooled",
        counts,
        _kernel.statistic("chi2-pooled", guard=checks.flag("guard", guard)),
        level(alpha),
        act=acts(undecidable),
        parameters={"alpha": alpha, "guard": guard, "undecidable": undecidable},
        threads=threads,
    )


def permutation_test(
    counts: MemoryCounts,
    *,
    statistic: str | KernelTest = "chi2-perm",
    alpha: Alpha = 0.05,
    permutations: int = 1999,
    exceedances: int = 50,
    seed: int = 0,
    undecidable: Undecidable = "report",
    threads: int = 1,
) -> KernelTest:
    """Build the Monte Carlo permutation test of a statistic.

    Labels are permuted within strata; the p-value is the share of permutations in which the statistic shows at least
    as much dependence as in the data. Drawing stops after `exceedances` such permutations, with p = exceedances /
    drawn, or after all `permutations`, with p = (such + 1) / (permutations + 1). Both are valid p-values (Besag and
    Clifford 1991), and the smallest is 1 / (permutations + 1). The error of drawing is about p / sqrt(exceedances).

    The random numbers follow from the seed and the margins of the table alone. The order of rows and of questions and
    the number of threads change nothing, and of two tables with equal margins the more dependent one never has the
    larger p-value.

    Parameters
    ----------
    counts, alpha, threads
        As for `chi2-perm`.
    statistic
        Name of the test whose statistic is compared, or a finished one with parameters of its own. Its level, its
        degrees of freedom and its threshold do not matter here.
    permutations, exceedances
        The most permutations to draw, and when to stop before.
    seed
        Where the random numbers start.
    undecidable
        As for `chi2-perm`; here the most extreme table is the rarest one with these margins.
    """
    permutations = checks.whole_number("permutations", permutations, 1, _MOST_PERMUTATIONS)
    exceedances = checks.whole_number("exceedances", exceedances, 1, _MOST_PERMUTATIONS)
    seed = checks.seed(seed)
    checked = levels(alpha)
    lowest = checked if isinstance(checked, float) else min(checked)
    if lowest * (permutations + 1) < 1:
        raise ParameterError(
            (
                Argument("permutations", permutations),
                f" give no p-value below {1 / (permutations + 1):.3g}, but alpha is {lowest:g}.",
            ),
            hint=f"Take at least {round(1 / lowest)} permutations.",
            parameter="permutations",
            value=permutations,
        )
    inner = _inner(statistic, counts)
    draws = {"permutations": permutations, "exceedances": exceedances, "seed": seed}
    return KernelTest(
        "permutation",
        counts,
        _kernel.statistic("permutation", of=inner.tester.statistic, **draws),
        level(alpha),
        act=acts(undecidable),
        parameters={"statistic": inner.name, "alpha": alpha, **draws, "undecidable": undecidable},
        threads=threads,
    )


def _inner(statistic: str | KernelTest, counts: MemoryCounts) -> KernelTest:
    from paucal.independence.registry import make_test, test_names

    known = tuple(name for name in test_names() if name != "permutation")
    itself = isinstance(statistic, str) and statistic == "permutation"
    if itself or not isinstance(statistic, (str, KernelTest)):
        foreign = (Argument("statistic", statistic), " is not computed by the kernel, so it cannot be permuted.")
        raise ParameterError(
            "The permutation test cannot permute itself." if itself else foreign,
            hint=f"Choose from {', '.join(known)}.",
            parameter="statistic",
            value=statistic,
            allowed=known,
        )
    test = make_test(counts, statistic)
    if not isinstance(test, KernelTest) or (test.names, test.n_samples) != (counts.names, counts.n_rows):
        raise ParameterError(
            f"The test {test.name!r} given as statistic is a test on other data.", hint="Build it on the same data."
        )
    return test


def acts(undecidable: str) -> bool:
    """Check what happens to questions that no data could answer, and say whether they are left undecided."""
    checks.choice("undecidable", undecidable, ("report", "act"))
    return undecidable == "act"


TESTS = {"chi2-perm": chi2_perm_test, "chi2-pooled": chi2_pooled_test, "permutation": permutation_test}
