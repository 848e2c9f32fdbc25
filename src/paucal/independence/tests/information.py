"""Mutual information as a test: plug-in, empirical Bayes (the paper's I^eB), fixed prior, full Bayes, adaptive.

The statistic is the estimate in nats; independent means that it is below the threshold. There is no p-value.
`conditional` says how an estimate for two variables becomes one given others, which the paper does not:

- "stratum": the mean over the strata, each with its own estimate and the weight of its samples;
- "joint": one Dirichlet prior over the cells of all strata, observed or not, and the exact posterior mean;
- "pooled": strata on their own, but with one alpha* for all of them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from paucal import _kernel, checks
from paucal.errors import Argument
from paucal.independence.native import KernelTest, Sparse, thin_rule
from paucal.independence.thresholds import Threshold, make_threshold

if TYPE_CHECKING:
    from paucal.independence.levels import Alpha
    from paucal.tables import MemoryCounts

Conditional = Literal["stratum", "joint", "pooled"]
Arrangement = Literal["frequency", "index"]

# Priors with a name: samples in advance per cell, or for the whole table.
NAMED_PRIORS = {"haldane": 0.0, "perks": 1.0, "jeffreys": 0.5, "uniform": 1.0}


def mi_test(
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    threshold: Threshold = "calibrated",
    sparse: Sparse = "test",
    min_samples: float = 5,
    threads: int = 1,
) -> KernelTest:
    """Build a test of the plug-in estimate: the mutual information of the observed shares.

    Parameters
    ----------
    counts, sparse, min_samples, threads
        As for `classical_test`.
    alpha
        Level of the calibrated threshold, between 0.01 and 0.2; a list of levels by number of conditioning columns, or
        "by-order". The other thresholds have none.
    threshold
        "calibrated", "spec" or a number of nats (see `paucal.independence.thresholds`).
    """
    common = (alpha, threshold, sparse, min_samples, threads)
    return _built("mi", counts, _kernel.statistic("mi"), "mi", *common)


def mi_bayes_test(
    name: Literal["mi-eb", "mi-full"],
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    threshold: Threshold = "calibrated",
    conditional: Conditional = "stratum",
    sparse: Sparse = "test",
    min_samples: float = 5,
    threads: int = 1,
) -> KernelTest:
    """Build a test of a posterior mean whose prior follows from the data.

    "mi-eb" is the paper's first test, I^eB, at the prior that makes the data most likely. The estimate is 0 where that
    prior is a boundary case: all samples in one cell, or none more uneven than chance.

    "mi-full" is the full Bayesian estimate, over all symmetric priors. The paper's uniform distribution of alpha has no
    posterior; that of Nemenman, Shafee and Bialek is used, under which the prior mean of the joint entropy is uniform.
    The integral is done to about eleven digits.

    Parameters
    ----------
    counts, alpha, threshold, sparse, min_samples, threads
        As for `mi_test`. Only `conditional="stratum"` is calibrated.
    conditional
        "stratum", "joint" or, of "mi-eb" only, "pooled" (see the module).
    """
    checks.choice("conditional", conditional, ("stratum", "joint", *(("pooled",) if name == "mi-eb" else ())))
    statistic = _kernel.statistic(name, conditional=conditional)
    calibrated = name if conditional == "stratum" else None
    common = (alpha, threshold, sparse, min_samples, threads)
    return _built(name, counts, statistic, calibrated, *common, conditional=conditional)


def mi_fixed_test(
    counts: MemoryCounts,
    *,
    alpha: Alpha = 0.05,
    threshold: Threshold = "calibrated",
    prior: float | str = 0.5,
    conditional: Literal["stratum", "joint"] = "stratum",
    sparse: Sparse = "test",
    min_samples: float = 5,
    threads: int = 1,
) -> KernelTest:
    """Build a test of Hutter's posterior mean with a prior chosen in advance.

    Parameters
    ----------
    counts, alpha, threshold, sparse, min_samples, threads
        As for `mi_test`. Only the priors 0.5 and 1 with `conditional="stratum"` are calibrated.
    prior
        Samples in advance for every cell: a number, "jeffreys" (1/2), "uniform" (1), "haldane" (0), or "perks" (1
        for the whole table).
    conditional
        "stratum" or "joint" (see the module).
    """
    value, shared = _prior(prior)
    checks.choice("conditional", conditional, ("stratum", "joint"))
    known = value in {0.5, 1.0} and not shared and conditional == "stratum"
    calibrated = f"mi-fixed-{value:g}" if known else None
    statistic = _kernel.statistic("mi-fixed", conditional=conditional, prior=value, shared=shared)
    common = (alpha, threshold, sparse, min_samples, threads)
    return _built("mi-fixed", counts, statistic, calibrated, *common, prior=prior, conditional=conditional)


def mi_adaptive_test(
    counts: MemoryCounts,
    *,
    threshold: Literal["spec"] | float = "spec",
    arrange: Arrangement = "frequency",
    split: float = 3.841,
    sparse: Sparse = "test",
    min_samples: float = 5,
    threads: int = 1,
) -> KernelTest:
    """Build a test of the estimate by recursive adaptive partitioning, after Seok and Kang (2015).

    A region of the table is cut in two along both variables, as near to halves as possible, and taken further as long
    as the four parts look dependent. Under independence nearly all estimates are 0: there is nothing to calibrate, and
    no level.

    Parameters
    ----------
    counts, sparse, min_samples, threads
        As for `mi_test`.
    threshold
        "spec" or a number of nats.
    arrange
        Order of the levels, which decides what can be cut: by descending "frequency" in the stratum, equal ones in the
        order of the levels, or by "index", the order of the levels, for variables whose levels have one.
    split
        Chi-square of the four parts above which a cut is made.
    """
    checks.choice("arrange", arrange, ("frequency", "index"))
    cut = checks.positive_number("split", split, hint=("Try ", Argument("split", 0.5), "."))
    statistic = _kernel.statistic("mi-adaptive", by_frequency=arrange == "frequency", split=cut)
    common = (None, threshold, sparse, min_samples, threads)
    return _built("mi-adaptive", counts, statistic, None, *common, arrange=arrange, split=split)


def _prior(prior: float | str) -> tuple[float, bool]:
    """Give a prior as a number, and whether the cells share it."""
    if isinstance(prior, str):
        checks.choice("prior", prior, NAMED_PRIORS)
        return NAMED_PRIORS[prior], prior == "perks"
    return checks.number_from_0("prior", prior, hint=("Try ", Argument("prior", 0.5), ".")), False


def _built(
    name: str,
    counts: MemoryCounts,
    statistic: _kernel.Statistic,
    calibrated: str | None,
    alpha: Alpha | None,
    threshold: Threshold,
    sparse: Sparse,
    min_samples: float,
    threads: int,
    **further: Any,
) -> KernelTest:
    limit = make_threshold(threshold, 0.05 if alpha is None else alpha, calibrated)
    parameters = {"threshold": threshold, **further, "sparse": sparse, "min_samples": min_samples}
    if alpha is not None and threshold == "calibrated":
        parameters = {"alpha": alpha, **parameters}
    thin = thin_rule(sparse, min_samples)
    return KernelTest(name, counts, statistic, limit, thin=thin, parameters=parameters, threads=threads)


TESTS = {
    "mi": mi_test,
    "mi-eb": partial(mi_bayes_test, "mi-eb"),
    "mi-full": partial(mi_bayes_test, "mi-full"),
    "mi-fixed": mi_fixed_test,
    "mi-adaptive": mi_adaptive_test,
}
