"""Appendix H: learned graphs as classifiers of imbalanced data (tables 11 and 12)."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from paucal.paper import methods, published
from paucal.paper.cells import uci
from paucal.paper.cells.classifiers import BINS, FOLDS, ClassifierCell
from paucal.paper.report import Experiment, Report, Results
from paucal.paper.summary import mean_and_sd
from paucal.paper.tables import Column, Stat, Table, beside, rules_by

if TYPE_CHECKING:
    from paucal.paper.design import Scope, Search
    from paucal.paper.tables import Value

_DATA_SET = Column("dataset", "data set", left=True)


def _sizes(scope: Scope, results: Results) -> Report:
    """Count rows, attributes and classes."""
    del scope, results
    counts = [beside(name, name, 0) for name in ("samples", "attributes", "majority", "minority")]
    columns = (_DATA_SET, *chain.from_iterable(counts), Column("missing", "missing values", 0))
    rows: list[tuple[Value, ...]] = []
    for name, theirs in published.UCI_SIZES.items():
        records = uci.load(name)
        rare = int(records.target.sum())
        ours = (len(records.target), len(records.features), len(records.target) - rare, rare)
        rows.append((name, *chain.from_iterable(zip(ours, theirs, strict=True)), int(np.isnan(records.values).sum())))
    return Report(tables=(Table("", "", columns, tuple(rows)),))


def _grid(scope: Scope) -> dict[tuple[str, bool, str], list[ClassifierCell]]:
    """List the cells by data set, whether subjects stay together, and model."""
    models: dict[str, Search | str] = {s.label: s for s in methods.CLASSIFIERS}
    models |= {"naive Bayes": "naive", "majority class": "majority"}
    grid = {}
    for name in uci.DATA_SETS:
        for grouped in (False, True) if name == "parkinsons" else (False,):
            for label, model in models.items():
                grid[name, grouped, label] = [
                    ClassifierCell(name, run, model, scope.seed, grouped) for run in range(scope.runs)
                ]
    return grid


def _classification(scope: Scope, results: Results) -> Report:
    """Lay ours beside the paper's."""
    columns = (
        _DATA_SET,
        Column("split", "split", left=True),
        Column("method", "method", left=True),
        *beside("f1", "F1", 2),
        *beside("auc", "AUC", 2),
        Column("f1_minority", "F1, rarer class", 2),
        Column("accuracy", "accuracy", 2),
        Column("neighbours", "neighbours of the class"),
    )
    rows: list[tuple[Value, ...]] = []
    for (name, grouped, label), cells in _grid(scope).items():
        theirs = None if grouped else published.CLASSIFICATION[name].get(label)
        f1, auc, f1_minority, accuracy, neighbours = (
            mean_and_sd([results[cell][m] for cell in cells])
            for m in ("f1", "auc", "f1_minority", "accuracy", "neighbours")
        )
        f1_paper, auc_paper = theirs or (None, None)
        where = (name, "by subject" if grouped else "plain", label)
        rows.append((*where, f1, f1_paper, auc, auc_paper, f1_minority, accuracy, Stat(neighbours.mean)))
    rules = rules_by(rows, 2) - {len(rows) - 1}
    table = Table("", "", columns, tuple(rows), rules)
    splits = f"{FOLDS}-fold stratified cross-validation, {scope.runs} times with other folds"
    about = (
        f"{splits} (seed {scope.seed}); mean ± standard deviation over these.",
        f"Columns with more than {BINS} values are cut into {BINS} intervals.",
        "Methods: " + "; ".join(f"{s.label}: {s.describe()}" for s in methods.CLASSIFIERS) + ".",
    )
    return Report(about=about, tables=(table,))


TABLES = (
    Experiment("table11", "uci", "Table 11: The UCI data sets", _sizes),
    Experiment(
        "table12",
        "classification",
        "Table 12: Structured classifiers of imbalanced data",
        _classification,
        lambda scope: [cell for cells in _grid(scope).values() for cell in cells],
    ),
)
