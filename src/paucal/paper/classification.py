"""Appendix H: learned graphs as classifiers of imbalanced data (tables 11 and 12)."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paucal.errors import FileError
from paucal.paper import methods, published
from paucal.paper.cells import uci
from paucal.paper.cells.classifiers import BINS, FOLDS, ClassifierCell
from paucal.paper.experiment import Experiment, Results
from paucal.paper.report import Report
from paucal.paper.tables import Column, Stat, Table

if TYPE_CHECKING:
    from paucal.paper.design import Cell, Scope, Search
    from paucal.paper.tables import Value

VARIABLE = "PAUCAL_DATA"


def data_folder(named: Path | None) -> Path:
    """Find the folder with the UCI data sets: as named, or from the environment."""
    folder = named or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    wanted = ", ".join(f"{name}.csv ({source.page})" for name, source in uci.SOURCES.items())
    if folder is None:
        raise FileError(
            "Tables 11 and 12 need four data sets of UCI, which paucal does not carry.",
            hint=f"Fetch {wanted}, and name their folder with --data or in {VARIABLE}. The original files do as well.",
        )
    if not folder.is_dir():
        raise FileError(f"{folder} is no folder.", hint=f"It should hold {wanted}.")
    return folder


def _find_all(scope: Scope) -> list[Cell]:
    """Compute nothing, but the files must be there."""
    for name in uci.SOURCES:
        uci.find_files(name, data_folder(scope.data))
    return []


def _sizes(experiment: Experiment, scope: Scope, results: Results) -> Report:
    """Count rows, attributes and classes."""
    del results
    columns = [Column("dataset", "data set", left=True)]
    for name in ("samples", "attributes", "majority", "minority"):
        columns += [Column(name, name, 0), Column(f"{name}_paper", "paper", 0)]
    columns.append(Column("missing", "missing values", 0))
    rows: list[tuple[Value, ...]] = []
    for name, theirs in published.UCI_SIZES.items():
        records = uci.load(name, data_folder(scope.data))
        rare = int(records.target.sum())
        ours = (len(records.target), len(records.features), len(records.target) - rare, rare)
        pairs = [value for pair in zip(ours, theirs, strict=True) for value in pair]
        rows.append((name, *pairs, records.n_missing))
    table = Table(experiment.name, experiment.title, tuple(columns), tuple(rows))
    return Report(experiment.name, experiment.title, tables=(table,))


def _grid(scope: Scope) -> dict[tuple[str, bool, str], list[ClassifierCell]]:
    """List the cells by data set, whether subjects stay together, and model."""
    folder = data_folder(scope.data)
    models: dict[str, Search | str] = {s.label: s for s in methods.CLASSIFIERS}
    models |= {"naive Bayes": "naive", "majority class": "majority"}
    grid = {}
    for name in uci.SOURCES:
        content = uci.digest(uci.find_files(name, folder))
        for grouped in (False, True) if name == "parkinsons" else (False,):
            for label, model in models.items():
                grid[name, grouped, label] = [
                    ClassifierCell(name, run, model, scope.seed, content, grouped, folder)
                    for run in range(scope.runs)
                ]
    return grid


def _classification(experiment: Experiment, scope: Scope, results: Results) -> Report:
    """Lay ours beside the paper's."""
    columns = (
        Column("dataset", "data set", left=True),
        Column("split", "split", left=True),
        Column("method", "method", left=True),
        Column("f1", "F1", 2),
        Column("f1_paper", "paper", 2),
        Column("auc", "AUC", 2),
        Column("auc_paper", "paper", 2),
        Column("f1_minority", "F1, rarer class", 2),
        Column("accuracy", "accuracy", 2),
        Column("neighbours", "neighbours of the class"),
    )
    rows: list[tuple[Value, ...]] = []
    for (name, grouped, label), cells in _grid(scope).items():
        theirs = None if grouped else published.CLASSIFICATION[name].get(label)
        f1, auc, f1_minority, accuracy, neighbours = (
            _stat([results[cell][m] for cell in cells])
            for m in ("f1", "auc", "f1_minority", "accuracy", "neighbours")
        )
        f1_paper, auc_paper = theirs or (None, None)
        split = "by subject" if grouped else "plain"
        line = (f1, f1_paper, auc, auc_paper, f1_minority, accuracy, Stat(neighbours.mean))
        rows.append((name, split, label, *line))
    rules = {i for i, (row, following) in enumerate(pairwise(rows)) if row[:2] != following[:2]}
    table = Table(experiment.name, experiment.title, columns, tuple(rows), frozenset(rules))
    splits = f"{FOLDS}-fold stratified cross-validation, {scope.runs} times with other folds"
    about = (
        f"{splits} (seed {scope.seed}); mean ± standard deviation over these.",
        f"Columns with more than {BINS} values are cut into {BINS} intervals.",
        "Methods: " + "; ".join(f"{s.label}: {s.describe()}" for s in methods.CLASSIFIERS) + ".",
    )
    return Report(experiment.name, experiment.title, about=about, tables=(table,))


def _stat(values: list[float]) -> Stat:
    return Stat(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None)


TABLES = (
    Experiment("table11", "uci", "Table 11: The UCI data sets", _sizes, _find_all, needs_data=True),
    Experiment(
        "table12",
        "classification",
        "Table 12: Structured classifiers of imbalanced data",
        _classification,
        lambda scope: [cell for cells in _grid(scope).values() for cell in cells],
        needs_data=True,
    ),
)
