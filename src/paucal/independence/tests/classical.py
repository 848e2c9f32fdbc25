"""The G and chi-square tests, with their rules for degrees of freedom and for thin tables as named parameters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

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
    """Build a test on counts.

    Parameters
    ----------
    name
        "g", the likelihood-ratio test, or "chi2", Pearson's.
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
    return KernelTest(
        name,
        counts,
        _kernel.statistic(name, df=rules.df),
        level(alpha),
        thin=thin_rule(rules.sparse, rules.min_samples, rules.per),
        parameters={"alpha": alpha, **rules._asdict()},
        threads=threads,
    )


TESTS = {"g": partial(classical_test, "g"), "chi2": partial(classical_test, "chi2")}
