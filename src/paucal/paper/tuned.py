"""Table 7: RAI-BF with the threshold that fits best, beside the two tests that need none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paucal.paper import methods, published
from paucal.paper.tables import Column, Stat, Table, beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.paper.design import Scope, Search
    from paucal.paper.summary import Entries
    from paucal.paper.tables import Value


def tuned_searches(scope: Scope) -> tuple[Search, ...]:
    """List two methods without a threshold, then RAI-BF with every one."""
    thresholds = methods.THRESHOLDS[::4] if scope.quick else methods.THRESHOLDS
    return (*methods.called("rI^eB", "rBF_chi2"), *(methods.with_threshold(t) for t in thresholds))


def tuned_tables(entries: Entries, tried: Sequence[str], shd: str = "shd") -> tuple[Table, ...]:
    """Choose the best threshold of each network by a measure, on all runs and on half of them; and list all."""
    columns = (
        Column("network", "network", left=True),
        *(column for method in ("rI^eB", "rBF_chi2", "RAI-BF") for column in beside(method, f"{method} SHD")),
        Column("threshold", "best threshold"),
        Column("cross_fitted", "cross-fitted SHD"),
        Column("default", "SHD at 1"),
        *beside("tests", "tests", 0),
    )
    rows = tuple(_line(entries, network, tried, shd) for network in entries.networks)
    by_threshold = Table(
        "-thresholds",
        "RAI-BF: mean SHD ± standard error by threshold",
        (columns[0], *(Column(f"shd_{_threshold(t)}", _threshold(t), spread="se") for t in tried)),
        tuple(
            (network.upper(), *(entries.over_sizes(shd, network, label) for label in tried))
            for network in entries.networks
        ),
    )
    return Table("-shd", "SHD and tests at the best threshold", columns, rows), by_threshold


def _line(entries: Entries, network: str, tried: Sequence[str], shd: str) -> tuple[Value, ...]:
    same_sizes = entries.sizes(network) == published.SIZES.get(network)
    means = {label: entries.over_sizes(shd, network, label).mean for label in tried}
    best = min(means, key=means.__getitem__)

    def pair(measure: str, label: str, method: str) -> tuple[Value, Value]:
        theirs = published.TUNED.value(measure, network, "mean", method) if same_sizes else None
        ours = Stat(entries.over_sizes(shd if measure == "shd" else measure, network, label).mean)
        return ours, None if theirs is None else Stat(theirs.mean)

    return (
        network.upper(),
        *pair("shd", "rI^eB", "rI^eB"),
        *pair("shd", "rBF_chi2", "rBF_chi2"),
        *pair("shd", best, "RAI-BF"),
        _threshold(best),
        Stat(cross_fitted(entries, network, tried, shd)),
        Stat(means.get("RAI-BF at 1", float("nan"))),
        *pair("tests", best, "RAI-BF"),
    )


def _threshold(label: str) -> str:
    return label.rpartition(" ")[2]


def cross_fitted(entries: Entries, network: str, labels: Sequence[str], shd: str = "shd") -> float:
    """Give the mean SHD of thresholds that were chosen on the other half of the runs; NaN for a single run."""
    runs = np.stack(
        [
            np.mean([entries.values(shd, network, size, label) for size in entries.sizes(network)], axis=0)
            for label in labels
        ]
    )
    n = runs.shape[1]
    if n < 2:
        return float("nan")
    halves = (np.arange(n) % 2 == 0, np.arange(n) % 2 == 1)
    scores = [runs[runs[:, ~half].mean(axis=1).argmin()][half] for half in halves]
    return float(np.concatenate(scores).mean())
