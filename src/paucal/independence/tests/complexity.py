"""Stochastic complexity: SCI (Marx and Vreeken 2019)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal import _kernel
from paucal.independence.native import KernelTest, Sparse, thin_rule

if TYPE_CHECKING:
    from paucal.tables import MemoryCounts


def complexity_test(
    counts: MemoryCounts, *, sparse: Sparse = "test", min_samples: float = 5, threads: int = 1
) -> KernelTest:
    """Build the test SCI, which asks whether x and y are cheaper to describe together or apart.

    Given z, the values of x cost S(x | z) nats by factorised normalised maximum likelihood: in every stratum their
    entropy and ln C(n, K), the regret of a multinomial with as many cells as x has levels. SCI is the larger of
    S(x | z) - S(x | z, y) and S(y | z) - S(y | z, x); the paper calls x and y independent unless it is positive. The
    statistic is minus SCI, what independence saves, so that it speaks for independence as a log Bayes factor does.
    There is no level: the penalty takes its place, and grows with the logarithm of the samples.
    Parameters are those of `classical_test`.
    """
    return KernelTest(
        "sci",
        counts,
        _kernel.statistic("sci"),
        _kernel.Evidence(least=0.0),
        thin=thin_rule(sparse, min_samples),
        parameters={"sparse": sparse, "min_samples": min_samples},
        threads=threads,
    )


TESTS = {"sci": complexity_test}
