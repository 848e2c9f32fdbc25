"""Appendix H: learned graphs as classifiers of imbalanced data (tables 11 and 12)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.errors import FileError
from paucal.paper import methods, published
from paucal.paper.cells import uci
from paucal.paper.cells.classifiers import BINS, FOLDS, ClassifierCell
from paucal.paper.notes import notes_for
from paucal.paper.report import Report
from paucal.paper.tables import Column, Stat, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.paper.design import Cell, Scope, Search
    from paucal.paper.tables import Value

VARIABLE = "PAUCAL_DATA"
_BASELINES = ("naive", "majority")
_NAMES = {"naive": "naive Bayes", "majority": "majority class"}


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


@dataclass(frozen=True)
class UciSizes:
    """The data sets themselves."""

    name: str = "table11"
    alias: str = "uci"
    title: str = "Table 11: The UCI data sets"
    needs_data: bool = True

    def cells(self, scope: Scope) -> list[Cell]:
        """Nothing is computed, but the files must be there."""
        folder = data_folder(scope.data)
        for name in uci.SOURCES:
            uci.find_files(name, folder)
        return []

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
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
        table = Table("table11", self.title, tuple(columns), tuple(rows))
        return Report(self.name, self.title, tables=(table,), notes=notes_for(self.name))


@dataclass(frozen=True)
class Classification:
    """F1 and AUC of structured classifiers, by cross-validation."""

    name: str = "table12"
    alias: str = "classification"
    title: str = "Table 12: Structured classifiers of imbalanced data"
    needs_data: bool = True

    def cells(self, scope: Scope) -> list[Cell]:
        """Every data set, split, run and model."""
        return [cell for cells in self._grid(scope).values() for cell in cells]

    def _grid(self, scope: Scope) -> dict[tuple[str, bool, str], list[ClassifierCell]]:
        folder = data_folder(scope.data)
        grid: dict[tuple[str, bool, str], list[ClassifierCell]] = {}
        for name in uci.SOURCES:
            content = uci.digest(uci.find_files(name, folder))
            for grouped in (False, True) if name == "parkinsons" else (False,):
                models: list[Search | str] = [*methods.CLASSIFIERS, *_BASELINES]
                for model in models:
                    label = _NAMES[model] if isinstance(model, str) else model.label
                    grid[name, grouped, label] = [
                        ClassifierCell(name, run, model, scope.seed, content, grouped, folder)
                        for run in range(scope.runs)
                    ]
        return grid

    def report(self, scope: Scope, results: Mapping[Cell, Mapping[str, Any]]) -> Report:
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
        rules = set()
        previous = None
        for (name, grouped, label), cells in self._grid(scope).items():
            if previous not in (None, (name, grouped)):
                rules.add(len(rows) - 1)
            previous = (name, grouped)
            theirs = None if grouped else published.CLASSIFICATION[name].get(label)
            scores = {m: _stat([results[cell][m] for cell in cells]) for m in _MEASURES}
            rows.append(
                (
                    name,
                    "by subject" if grouped else "plain",
                    label,
                    scores["f1"],
                    None if theirs is None else theirs[0],
                    scores["auc"],
                    None if theirs is None else theirs[1],
                    scores["f1_minority"],
                    scores["accuracy"],
                    Stat(scores["neighbours"].mean),
                )
            )
        table = Table("table12", self.title, columns, tuple(rows), frozenset(rules))
        splits = f"{FOLDS}-fold stratified cross-validation, {scope.runs} times with other folds"
        about = (
            f"{splits} (seed {scope.seed}); mean ± standard deviation over these.",
            f"Columns with more than {BINS} values are cut into {BINS} intervals.",
            "Methods: " + "; ".join(f"{s.label}: {s.describe()}" for s in methods.CLASSIFIERS) + ".",
        )
        return Report(self.name, self.title, about=about, tables=(table,), notes=notes_for(self.name))


_MEASURES = ("f1", "auc", "f1_minority", "accuracy", "neighbours")


def _stat(values: list[float]) -> Stat:
    return Stat(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None)


TABLES = (UciSizes(), Classification())
