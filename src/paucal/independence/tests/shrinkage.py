"""Mutual information of shrunk shares (Hausser and Strimmer 2009), as a chi-square test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal import _kernel, checks
from paucal.independence.native import KernelTest, Per, Sparse, level, thin_rule
from paucal.independence.tests.classical import DOF, Dof

if TYPE_CHECKING:
    from paucal.independence.levels import Alpha
    from paucal.tables import MemoryCounts


def shrinkage_test(
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    df: Dof = "adjusted",
    sparse: Sparse = "test",
    min_samples: float = 5,
    per: Per = "cell",
    threads: int = 1,
) -> KernelTest:
    """Build a test of the James-Stein shrinkage estimate of mutual information.

    In a stratum with n samples and K cells, empty ones included, the share t of a cell becomes (1 - w) t + w / K with
    w = (1 - sum t^2) / ((n - 1) sum (t - 1/K)^2), at most 1. The statistic is 2 n times the mutual information of these
    shares, added up over the strata, and is compared with chi-square. Strata with one observed row or column say
    nothing and are left out. bnlearn, whose test of this name it follows, documents the estimator and the comparison,
    but neither how strata are treated nor the degrees of freedom: shrinking each stratum on its own is our reading.
    Parameters are those of `classical_test`.
    """
    checks.choice("df", df, DOF)
    return KernelTest(
        "mi-sh",
        counts,
        _kernel.statistic("mi-sh", df=df),
        level(alpha),
        thin=thin_rule(sparse, min_samples, per),
        parameters={"alpha": alpha, "df": df, "sparse": sparse, "min_samples": min_samples, "per": per},
        threads=threads,
    )


TESTS = {"mi-sh": shrinkage_test}
