"""Bayes factors: against a threshold (Natori et al. 2017), and as a chi-square statistic (the paper's section 3.2).

Both compare the probability of the data under independence with that under dependence, with a symmetric Dirichlet
prior on every distribution, and add up over the strata of the given columns; strata without samples say nothing.
What the paper leaves open is a parameter here, with its faithful reading as the default.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from paucal import _kernel, checks
from paucal.dirichlet import ZERO, Zero
from paucal.errors import Argument
from paucal.independence.native import KernelTest, Per, Sparse, level, thin_rule
from paucal.independence.tests.classical import DOF, Dof

if TYPE_CHECKING:
    from paucal.independence.levels import Alpha
    from paucal.tables import MemoryCounts

BfStyle = Literal["full", "full_strict", "stripped", "stripped_strict"]
Strata = Literal["together", "each"]
Tables = Literal["reduced", "literal"]

NAMED_PRIORS = {"jeffreys": 0.5, "uniform": 1.0}


def bayes_factor_test(
    counts: MemoryCounts,
    *,
    eta: float = 1.0,
    prior: float | str = 0.5,
    bf_style: BfStyle = "full",
    strata: Strata = "together",
    sparse: Sparse = "test",
    min_samples: float = 5,
    threads: int = 1,
) -> KernelTest:
    """Build a test of the Bayes factor of independence against a threshold.

    The statistic is the natural logarithm of the Bayes factor; there is no p-value and no level.

    Parameters
    ----------
    counts, sparse, min_samples, threads
        As for `classical_test`.
    eta
        Threshold: a Bayes factor of at least this much means independence. A factor of exactly this much is no
        evidence, and common: every stratum with one sample has the factor 1.
    prior
        Parameter of the Dirichlet priors: a number, "jeffreys" (1/2) or "uniform" (1).
    bf_style
        "full" uses the whole table of every stratum; "stripped" leaves out the rows and columns that a stratum does
        not have. With "_strict" a tie with `eta` means dependence, as in "stripped_strict".
    strata
        "together" multiplies the factors of all strata; "each" asks every stratum for at least `eta`, so that one
        of them suffices for dependence. The more strata, the easier one falls short by chance; numbers that the
        paper prints for RAI-BF are near those of this reading.
    """
    checks.choice("bf_style", bf_style, ("full", "full_strict", "stripped", "stripped_strict"))
    checks.choice("strata", strata, ("together", "each"))
    eta = checks.positive_number("eta", eta, hint=("No preference is ", Argument("eta", 1), "."))
    a = prior_value(prior)
    own = {"eta": eta, "prior": a, "bf_style": bf_style, "strata": strata}
    return KernelTest(
        "bf",
        counts,
        _kernel.statistic("bf", prior=a, stripped=bf_style.startswith("stripped"), each=strata == "each"),
        _kernel.Evidence(least=math.log(eta), strict=bf_style.endswith("strict")),
        thin=thin_rule(sparse, min_samples),
        parameters={**own, "sparse": sparse, "min_samples": min_samples},
        threads=threads,
    )


def bayes_factor_chi2_test(
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    prior: float | str = 0.5,
    tables: Tables = "reduced",
    zero: Zero = "limit",
    df: Dof | None = None,
    sparse: Sparse = "test",
    min_samples: float = 5,
    per: Per = "cell",
    threads: int = 1,
) -> KernelTest:
    """Build the paper's BF_chi2 test: a G statistic with the modified parameters theta~ instead of shares.

    The statistic can be negative, because the three fits are not margins of one another; its p-value is 1 then.

    Parameters
    ----------
    counts, alpha, sparse, min_samples, per, threads
        As for `classical_test`.
    prior
        As for `bayes_factor_test`.
    tables
        "reduced" leaves out the rows and columns that a stratum does not have, and strata left with one row or
        column; "literal" uses all cells of every observed stratum.
    zero
        What t(0), which the paper's formula leaves open, is: its "limit", left out of the fit ("drop"), or 0
        ("nought").
    df
        Degrees of freedom, as for `classical_test`; by default "adjusted" for reduced tables and "full" for literal
        ones.
    """
    checks.choice("tables", tables, ("reduced", "literal"))
    checks.choice("zero", zero, ZERO)
    dof = df if df is not None else "adjusted" if tables == "reduced" else "full"
    checks.choice("df", dof, DOF)
    a = prior_value(prior)
    own = {"alpha": alpha, "prior": a, "tables": tables, "zero": zero, "df": dof}
    return KernelTest(
        "bf-chi2",
        counts,
        _kernel.statistic("bf-chi2", prior=a, zero=zero, reduced=tables == "reduced", df=dof),
        level(alpha),
        thin=thin_rule(sparse, min_samples, per),
        parameters={**own, "sparse": sparse, "min_samples": min_samples, "per": per},
        threads=threads,
    )


def prior_value(prior: float | str) -> float:
    """Give the parameter of a Dirichlet prior by number or by name."""
    if isinstance(prior, str):
        checks.choice("prior", prior, NAMED_PRIORS)
        return NAMED_PRIORS[prior]
    return checks.positive_number("prior", prior, hint=("Try ", Argument("prior", 0.5), "."))


TESTS = {"bf": bayes_factor_test, "bf-chi2": bayes_factor_chi2_test}
