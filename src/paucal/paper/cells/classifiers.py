"""A Bayesian network as a classifier: learned, fitted and judged inside the folds of a cross-validation.

In every fold the test rows are seen by nothing but the final prediction: missing values are filled with medians of the
training rows, cut points are their terciles, graph and tables are learned from them. The class posterior given all
other columns is exact: it needs the tables of the class and of its children only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from paucal.data import Dataset
from paucal.graphs import Graph, pdag_to_dag
from paucal.networks import BayesNet
from paucal.paper.cells import uci
from paucal.paper.cells.graphs import learned
from paucal.paper.cells.seeds import seed_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paucal.paper.design import Plain, Search

CLASS = "class"
FOLDS = 3
BINS = 3
PRIOR = 1.0  # added to every cell of a table: the posterior mean under a uniform Dirichlet


@dataclass(frozen=True)
class ClassifierCell:
    """One cross-validation of a classifier: a search, "naive" (class joined to all columns) or "majority" (to none)."""

    kind: ClassVar[str] = "classifier"
    dataset: str
    run: int
    model: Search | str
    seed: int
    grouped: bool = False

    @property
    def cost(self) -> float:
        """All are quick."""
        return 1.0

    def settings(self) -> dict[str, Plain]:
        """Everything that the result depends on."""
        return vars(self) | {"model": self.model if isinstance(self.model, str) else self.model.settings()}

    def compute(self) -> dict[str, Plain]:
        """Cross-validate; scores are means over the folds."""
        records = uci.load(self.dataset)
        rng = np.random.default_rng(seed_at(self.seed, "folds", self.dataset, int(self.grouped), self.run))
        folds = folds_of(records.target, records.groups if self.grouped else None, rng)
        scores: list[dict[str, float]] = []
        for train, test in folds:
            data, rows = encoded(records, train, test)
            graph = self._graph(data)
            posterior = class_posterior(BayesNet.fit(graph, data, prior=PRIOR), rows)
            rare = records.target[test] == 1
            said = posterior > 0.5
            scores.append(
                {
                    "f1": (f1_score(said, rare) + f1_score(~said, ~rare)) / 2,
                    "f1_minority": f1_score(said, rare),
                    "auc": auc(posterior, rare),
                    "accuracy": float((said == rare).mean()),
                    "neighbours": float(len(graph.adjacent(CLASS))),
                }
            )
        return {name: float(np.mean([fold[name] for fold in scores])) for name in scores[0]}

    def _graph(self, data: Dataset) -> Graph:
        if isinstance(self.model, str):
            joined = data.names[:-1] if self.model == "naive" else ()
            return Graph.dag(data.names, [(CLASS, name) for name in joined])
        return pdag_to_dag(learned(data, self.model.recipe).graph)


def folds_of(
    target: NDArray[np.intp], groups: NDArray[np.intp] | None, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Deal the rows of each class to the folds in turn, or whole groups, whose rows share a class: train, test."""
    unit = np.arange(len(target)) if groups is None else groups
    fold_of_unit: dict[int, int] = {}
    for label in (0, 1):
        members = np.unique(unit[target == label])
        for place, member in enumerate(rng.permutation(members).tolist()):
            fold_of_unit[member] = place % FOLDS
    fold = np.array([fold_of_unit[u] for u in unit.tolist()])
    for k in range(FOLDS):
        yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


def encoded(
    records: uci.Records, train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[Dataset, dict[str, NDArray[np.intp]]]:
    """Give the training rows as a dataset, and the codes of the test rows, cut where the training rows say."""
    columns, levels, rows = [], [], {}
    for i, name in enumerate(records.features):
        column = records.values[:, i]
        filled = np.where(np.isnan(column), np.nanmedian(column[train]), column)
        cuts = cut_points(filled[train])
        codes = np.searchsorted(cuts, filled, side="right")
        columns.append(codes[train])
        levels.append([str(k) for k in range(len(cuts) + 1)])
        rows[name] = codes[test]
    columns.append(records.target[train])
    levels.append(["common", "rare"])
    return Dataset.from_codes(columns, [*records.features, CLASS], levels), rows


def cut_points(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut into terciles, or between the values where there are no more than three; no interval is left empty."""
    distinct = np.unique(values)
    terciles = np.quantile(values, np.arange(1, BINS) / BINS, method="higher")
    cuts = distinct[1:] if len(distinct) <= BINS else terciles
    # a cut at the smallest value would leave nothing below it: move it up to the next value
    cuts = np.unique(np.where(cuts <= distinct[0], distinct[min(1, len(distinct) - 1)], cuts))
    return np.array(cuts[cuts > distinct[0]], dtype=np.float64)


def class_posterior(net: BayesNet, rows: dict[str, NDArray[np.intp]]) -> NDArray[np.float64]:
    """Give the probability of the rarer class in each row, given all other columns."""
    n = len(next(iter(rows.values())))
    logs = np.zeros((n, 2))
    for label in (0, 1):
        known = {**rows, CLASS: np.full(n, label)}
        for node in (CLASS, *net.graph.children(CLASS)):
            table = net.cpts[node]
            logs[:, label] += np.log(table[tuple(known[v] for v in (*net.parents(node), node))])
    odds: NDArray[np.float64] = 1.0 / (1.0 + np.exp(np.clip(logs[:, 0] - logs[:, 1], -700, 700)))
    return odds


def f1_score(said: NDArray[np.bool_], true: NDArray[np.bool_]) -> float:
    """Give the harmonic mean of precision and recall; 0 if nothing is right."""
    right = int((said & true).sum())
    return 2 * right / (int(said.sum()) + int(true.sum())) if right else 0.0


def auc(score: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    """Give the probability that a rare row scores above a common one; a tie counts half."""
    a, b = score[true][:, None], score[~true][None, :]
    return float((a > b).mean() + (a == b).mean() / 2)
