"""Table 7: RAI-BF with the threshold that fits best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.paper import methods, published
from paucal.paper.grid import about, grid
from paucal.paper.notes import notes_for
from paucal.paper.report import Report
from paucal.paper.summary import Entries
from paucal.paper.tables import Column, Stat, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paucal.paper.design import Cell, Scope, Search
    from paucal.paper.tables import Value


@dataclass(frozen=True)
class TunedTable:
    """RAI-BF with the threshold that fits best, beside the two tests that need none."""

    name: str = "table7"
    alias: str = "tuned"
    needs_data: bool = False

    @property
    def title(self) -> str:
        """The table's number and subject."""
        return f"Table {published.TUNED.number}: {published.TUNED.title}"

    def _searches(self, scope: Scope) -> tuple[Search, ...]:
        thresholds = methods.THRESHOLDS[::4] if scope.quick else methods.THRESHOLDS
        return (methods.R_IEB, methods.R_BF_CHI2, *(methods.with_threshold(t) for t in thresholds))

    def cells(self, scope: Scope) -> list[Cell]:
        """Every threshold on every sample."""
        return list(grid(scope, self._searches(scope)))

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
        """Choose the best threshold of each network, on all runs and on half of them."""
        searches = self._searches(scope)
        entries = Entries((cell, cell.search.label, results[cell]) for cell in grid(scope, searches))
        tried = [search.label for search in searches[2:]]
        columns = (
            Column("network", "network", left=True),
            *(
                column
                for method in ("rI^eB", "rBF_chi2", "RAI-BF")
                for column in (Column(method, f"{method} SHD"), Column(f"{method}_paper", "paper"))
            ),
            Column("threshold", "best threshold"),
            Column("cross_fitted", "cross-fitted SHD"),
            Column("default", "SHD at 1"),
            Column("tests", "tests", 0),
            Column("tests_paper", "paper", 0),
        )
        rows: list[tuple[Value, ...]] = []
        for network in entries.networks:
            printed = published.TUNED if entries.sizes(network) == published.SIZES.get(network) else None
            means = {label: entries.over_sizes("shd", network, label).mean for label in tried}
            best = min(means, key=means.__getitem__)
            row: list[Value] = [network.upper()]
            for method, label in (("rI^eB", "rI^eB"), ("rBF_chi2", "rBF_chi2"), ("RAI-BF", best)):
                theirs = None if printed is None else printed.value("shd", network, "mean", method)
                row += [
                    Stat(entries.over_sizes("shd", network, label).mean),
                    None if theirs is None else Stat(theirs.mean),
                ]
            tests = None if printed is None else printed.value("tests", network, "mean", "RAI-BF")
            row += [
                best.rpartition(" ")[2],
                Stat(_cross_fitted(entries, network, tried)),
                Stat(means.get("RAI-BF at 1", float("nan"))),
                Stat(entries.over_sizes("tests", network, best).mean),
                None if tests is None else Stat(tests.mean),
            ]
            rows.append(tuple(row))
        best_table = Table("table7-shd", "SHD and tests at the best threshold", columns, tuple(rows))
        by_threshold = self._by_threshold(entries, tried)
        return Report(
            self.name,
            self.title,
            about=about(scope, searches[:3]),
            tables=(best_table, by_threshold),
            notes=notes_for(self.name),
        )

    def _by_threshold(self, entries: Entries, tried: Sequence[str]) -> Table:
        columns = (
            Column("network", "network", left=True),
            *(Column(f"shd_{t.rpartition(' ')[2]}", t.rpartition(" ")[2], spread="se") for t in tried),
        )
        rows: list[tuple[Value, ...]] = [
            (network.upper(), *(entries.over_sizes("shd", network, label) for label in tried))
            for network in entries.networks
        ]
        title = "RAI-BF: mean SHD ± standard error by threshold"
        return Table("table7-thresholds", title, columns, tuple(rows))


def _cross_fitted(entries: Entries, network: str, labels: Sequence[str]) -> float:
    """Give the mean SHD of thresholds that were chosen on the other half of the runs; NaN for a single run."""
    runs = np.stack(
        [
            np.mean([entries.values("shd", network, size, label) for size in entries.sizes(network)], axis=0)
            for label in labels
        ]
    )
    n = runs.shape[1]
    if n < 2:
        return float("nan")
    halves = (np.arange(n) % 2 == 0, np.arange(n) % 2 == 1)
    scores = [runs[runs[:, ~half].mean(axis=1).argmin()][half] for half in halves]
    return float(np.concatenate(scores).mean())
