"""The G and chi-square tests, with their rules for degrees of freedom and for thin tables as named parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from paucal import _kernel, checks
from paucal.errors import Argument, ParameterError
from paucal.independence.native import KernelTest, Per, Sparse, level, thin_rule

if TYPE_CHECKING:
    from paucal.independence.levels import Alpha
    from paucal.tables import MemoryCounts

Dof = Literal["full", "nonempty", "adjusted"]

DOF: tuple[Dof, ...] = ("full", "nonempty", "adjusted")


class Convention(NamedTuple):
    """How a program of the field treats degrees of freedom and thin tables."""

    df: Dof
    sparse: Sparse
    min_samples: float
    per: Per


# What the programs do, in our words. "undecidable" keeps the edge, which is what Causal-Learner's NaN p-values do.
CONVENTIONS = {
    "bnlearn": Convention("full", "test", 5, "cell"),
    "bnlearn-adf": Convention("adjusted", "independent", 5, "cell"),
    "pcalg": Convention("full", "independent", 10, "dof"),
    "causal-learner": Convention("adjusted", "undecidable", 5, "cell"),
    "causal-learn": Convention("adjusted", "test", 5, "cell"),
}


def g_test(counts: MemoryCounts, **parameters: Any) -> KernelTest:
    """Likelihood-ratio test; see `classical_test` for the parameters."""
    return classical_test("g", counts, **parameters)


def chi2_test(counts: MemoryCounts, **parameters: Any) -> KernelTest:
    """Pearson's chi-square test; see `classical_test` for the parameters."""
    return classical_test("chi2", counts, **parameters)


def classical_test(
    name: Literal["g", "chi2"],
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    df: Dof = "adjusted",
    sparse: Sparse = "test",
    min_samples: float = 5,
    per: Per = "cell",
    convention: str | None = None,
    threads: int = 1,
) -> KernelTest:
    """Build a G or chi-square test on counts.

    Parameters
    ----------
    name
        "g" or "chi2".
    counts
        Where the tables come from.
    alpha
        Level: p-values up to it mean dependence. A list gives one level for each number of conditioning columns, the
        last for all larger ones; "by-order" is 0.01, 0.03, 0.09, then 0.2.
    df
        Degrees of freedom: "full" counts every configuration, "nonempty" every observed stratum in full, "adjusted"
        only the rows and columns that each stratum has.
    sparse
        What a table with fewer than `min_samples` samples per cell (or per degree of freedom, `per="dof"`) means:
        "test" decides by the p-value all the same, "independent" and "undecidable" decide without it. An undecidable
        pair keeps its edge. Whatever the choice, such results are marked as unreliable.
    convention
        The rules of another program instead of the four parameters above: "bnlearn", "bnlearn-adf", "pcalg",
        "causal-learner", "causal-learn".
    threads
        Threads for searches and batches.
    """
    rules = Convention(df, sparse, min_samples, per)
    if convention is not None:
        checks.choice("convention", convention, CONVENTIONS)
        if rules != Convention("adjusted", "test", 5, "cell"):
            raise ParameterError(
                (Argument("convention", convention), " sets df, sparse, min_samples and per."),
                hint="Give one or the other.",
                parameter="convention",
                value=convention,
            )
        rules = CONVENTIONS[convention]
    checks.choice("df", rules.df, DOF)
    make = _kernel.Statistic.g if name == "g" else _kernel.Statistic.chi2
    return KernelTest(
        name,
        counts,
        make(df=_kernel.DofRule[rules.df]),
        level(alpha),
        thin=thin_rule(rules.sparse, rules.min_samples, rules.per),
        parameters={"alpha": alpha, **rules._asdict()},
        threads=threads,
    )
