"""What many runs say together: means, spreads, and differences between methods on the same data."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.paper.tables import Stat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.paper.cells.graphs import NetworkCell
    from paucal.paper.published import Size


class Entries:
    """Results by network, size and label of the method; the runs of an entry are in order, so that entries pair up."""

    def __init__(self, results: Iterable[tuple[NetworkCell, str, Mapping[str, Any]]]) -> None:
        found: dict[tuple[str, int, str], dict[int, Mapping[str, Any]]] = defaultdict(dict)
        for cell, label, result in results:
            found[cell.network, cell.size, label][cell.run] = result
        self._runs = {key: [runs[i] for i in sorted(runs)] for key, runs in found.items()}

    @property
    def networks(self) -> tuple[str, ...]:
        """Networks, in the order they came."""
        return tuple(dict.fromkeys(network for network, _, _ in self._runs))

    def has(self, measure: str) -> bool:
        """Whether all results have a measure."""
        return all(measure in run for runs in self._runs.values() for run in runs)

    def sizes(self, network: str) -> tuple[int, ...]:
        """Sizes of a network, ascending."""
        return tuple(sorted({size for name, size, _ in self._runs if name == network}))

    def values(self, measure: str, network: str, size: int, label: str) -> NDArray[np.float64]:
        """One number for each run."""
        return np.array([run[measure] for run in self._runs[network, size, label]], dtype=np.float64)

    def stat(self, measure: str, network: str, size: int, label: str) -> Stat:
        """Mean and standard deviation over the runs."""
        return mean_and_sd(self.values(measure, network, size, label))

    def over_sizes(self, measure: str, network: str, label: str) -> Stat:
        """Mean of the sizes' means, with its standard error."""
        return _pooled([self.values(measure, network, size, label) for size in self.sizes(network)])

    def difference(self, measure: str, network: str, size: Size, label: str, reference: str) -> Stat:
        """How much more a method has than another on the same data: mean and paired standard error."""
        sizes = self.sizes(network) if size == "mean" else (size,)
        ours, others = ([self.values(measure, network, s, m) for s in sizes] for m in (label, reference))
        return _pooled([a - b for a, b in zip(ours, others, strict=True)])


def mean_and_sd(values: Sequence[float] | NDArray[np.float64]) -> Stat:
    """Give mean and standard deviation; one value tells no spread."""
    return Stat(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None)


def _pooled(groups: Sequence[NDArray[np.float64]]) -> Stat:
    """Mean of group means and its standard error; None where one run tells no spread."""
    mean = float(np.mean([group.mean() for group in groups]))
    if any(len(group) < 2 for group in groups):
        return Stat(mean)
    variance = sum(float(group.var(ddof=1)) / len(group) for group in groups)
    return Stat(mean, math.sqrt(variance) / len(groups))


def deviation(ours: Stat, n: int, printed: Stat, printed_runs: int) -> float | None:
    """Give how many standard errors our mean lies from the printed one; None where a spread is unknown.

    >>> round(deviation(Stat(26.0, 2.0), 10, Stat(24.2, 2.3), 10), 2)
    1.87
    """
    if ours.spread is None or printed.spread is None:
        return None
    error = math.sqrt(ours.spread**2 / n + printed.spread**2 / printed_runs)
    return (ours.mean - printed.mean) / error if error > 0 else None


def correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Give Pearson's correlation; None if one side does not vary.

    >>> round(correlation([1, 2, 3], [2, 4, 7]), 3)
    0.993
    """
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])
