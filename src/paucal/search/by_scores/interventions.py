"""Rows in which a column was set from outside: a drug, a knock-out, an arm of a trial.

Such a row says nothing about the causes of that column and everything about its effects (G. Cooper and C. Yoo 1999,
Causal discovery from a mixture of experimental and observational data). So families of the column are scored on the
other rows, and all other families on all rows. An edge of which just one end was set in some row has a direction that
the data can tell: the class of a DAG keeps it (A. Hauser and P. Bühlmann 2012, I-essential graphs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.data import Dataset
from paucal.data.dataset import telling
from paucal.data.steps import NUMBER_STEPS, in_steps
from paucal.errors import (
    InterventionWarning,
    KnowledgeError,
    ParameterError,
    UnknownNameError,
    listing,
    not_allowed,
    unknown_name,
    warn,
)
from paucal.graphs.interventional import told_pairs
from paucal.graphs.language import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paucal.graphs.knowledge import Knowledge

Targets = Mapping[str, "Iterable[str]"]  # what the column that tells may say -> the columns that were set
_FEW_ROWS = 10  # in which a column was not set: what it depends on hangs on these


@dataclass(frozen=True, eq=False)
class Experiment:
    """A table, and in which of its rows which columns were set."""

    data: Dataset  # without the column that tells, and with numbers in steps where one tells
    teller: str | None = None
    sets: tuple[tuple[frozenset[str], NDArray[np.bool_]], ...] = field(
        default=()
    )  # columns set together, in which rows
    uncut: Dataset | None = None  # the table with its numbers, if they were put into steps

    @classmethod
    def of(cls, data: Any, teller: str | None, targets: Targets | None = None) -> Experiment:
        """Take the column that tells out of a table, and read it."""
        if isinstance(data, Experiment):
            return data
        if teller is None:
            if targets is not None:
                raise ParameterError(
                    "targets say what the values of a column mean, and no column was named.",
                    hint='Give interventions="drug" too.',
                    parameter="targets",
                )
            return cls(Dataset.of(data).searched)
        table = data if isinstance(data, Dataset) else Dataset.of(telling(data, teller), missing="keep")
        place = table.index(teller)
        nodes = [name for name in table.names if name != teller]
        labels = [None if label is None else str(label) for label in table.levels[place]]
        meanings = _meanings(teller, labels, nodes, targets)
        codes = table.columns[place]
        rows: dict[frozenset[str], NDArray[np.bool_]] = {}
        for code, columns in enumerate(meanings):
            here = codes == code
            if here.any():
                rows[columns] = rows.get(columns, False) | here
        rest = ~np.logical_or.reduce(list(rows.values())) if rows else np.ones(table.n_rows, dtype=np.bool_)
        if rest.any():  # gaps that were kept: nothing was set
            rows[frozenset()] = rows.get(frozenset(), False) | rest
        # families are scored on other rows each: numbers, whose scores are ranks among all rows, are put into steps
        whole = table.select(nodes).searched
        uncut = whole if "number" in whole.kinds else None
        made = cls(in_steps(whole, NUMBER_STEPS), teller, tuple(rows.items()), uncut)
        made._warn()
        return made

    def __bool__(self) -> bool:
        return bool(self.targets)

    def select(self, names: Iterable[str]) -> Experiment:
        """Give the same with the columns in this order."""
        return replace(self, data=self.data.select(names))

    @cached_property
    def by_content(self) -> Experiment:
        """The same with the columns in an order that their content decides."""
        return self.select(self.data.by_content.names)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """The columns that were set somewhere, in column order."""
        named = frozenset[str]().union(*(columns for columns, _ in self.sets))
        return tuple(name for name in self.data.names if name in named)

    def set_in(self, column: str) -> NDArray[np.bool_]:
        """Say of each row whether the column was set in it."""
        rows = np.zeros(self.data.n_rows, dtype=np.bool_)
        for columns, here in self.sets:
            if column in columns:
                rows |= here
        return rows

    @cached_property
    def always_set(self) -> tuple[str, ...]:
        """The columns that were set in every row: nothing shows what they depend on."""
        return tuple(name for name in self.targets if self.set_in(name).all())

    def tells(self, a: str, b: str) -> bool:
        """Say whether the direction of an edge shows: just one of its ends was set in some row."""
        return any((a in columns) != (b in columns) for columns, _ in self.sets)

    def set_matrix(self) -> NDArray[np.uint8]:
        """Give `[column, row]`: whether the column was set in the row."""
        return np.array([self.set_in(name) for name in self.data.names], dtype=np.uint8)

    def told_matrix(self) -> NDArray[np.bool_]:
        """Give `[i, j]`: whether the direction of an edge between the two shows."""
        return told_pairs(self.data.names, [columns for columns, _ in self.sets])

    def forbid(self, knowledge: Knowledge | None) -> NDArray[np.bool_]:
        """Give the arrows that nothing could tell: into columns that were set in every row."""
        matrix = np.zeros((self.data.n_columns, self.data.n_columns), dtype=np.bool_)
        for name in self.always_set:
            for a, b in () if knowledge is None else knowledge.required:
                if b == name:
                    raise KnowledgeError(
                        f"{quoted(a)} -> {quoted(b)} is required, but {quoted(b)} was set in every row: nothing shows "
                        "what it depends on.",
                        hint="Drop one of the two.",
                    )
            matrix[:, self.data.index(name)] = True
        return matrix

    @property
    def whole(self) -> Dataset:
        """The table with its numbers as they came, for whoever cuts them and says so."""
        return self.data if self.uncut is None else self.uncut

    @property
    def details(self) -> dict[str, Any]:
        """What a result reports: in how many rows each column was set and in how many not, and the steps of numbers."""
        return self._steps | self._sets

    @property
    def _steps(self) -> dict[str, Any]:
        kinds = zip(self.whole.names, self.whole.kinds, strict=True)
        numbers = [] if self.uncut is None else [name for name, kind in kinds if kind == "number"]
        levels = dict(zip(self.data.names, self.data.levels, strict=True))
        return {"in_steps": {name: ", ".join(map(str, levels[name])) for name in numbers}} if numbers else {}

    @property
    def _sets(self) -> dict[str, Any]:
        if not self.targets:
            return {}
        counts = {name: int(self.set_in(name).sum()) for name in sorted(self.targets)}
        rows = [{"column": name, "set": n, "not_set": self.data.n_rows - n} for name, n in counts.items()]
        return {"interventions": rows}

    def _warn(self) -> None:
        for name in self.targets:
            free = int((~self.set_in(name)).sum())
            if 0 < free < _FEW_ROWS:
                warn(
                    InterventionWarning(
                        f"{name!r} was set in all but {free} rows: only these show what it depends on.",
                        hint="Give more rows in which it was not set, or treat arrows into it with caution.",
                    )
                )


def checked_targets(targets: object) -> Mapping[str, tuple[str, ...]] | None:
    """Give targets as a recipe keeps them: a name or several for every value."""
    if targets is None:
        return None
    hint = 'Write targets={"u0126": ["Mek"], "control": []}.'
    if not isinstance(targets, Mapping):
        raise not_allowed("targets", targets, "columns by value", hint=hint)
    clean = {}
    for label, columns in targets.items():
        named = [columns] if isinstance(columns, str) else columns
        if not isinstance(label, str) or not isinstance(named, list | tuple | set | frozenset):
            raise not_allowed("targets", targets, "columns by value", hint=hint)
        clean[label] = tuple(sorted(map(str, named)) if isinstance(named, set | frozenset) else map(str, named))
    return MappingProxyType(clean)


def _meanings(teller: str, labels: list[str | None], nodes: list[str], targets: Targets | None) -> list[frozenset[str]]:
    """Give for every value of the column that tells the columns that were set."""
    clean = checked_targets(targets)
    if clean is None:
        return [frozenset() if label is None else frozenset([_node(teller, label, nodes, label)]) for label in labels]
    for label in clean:
        checks.known(f"value of {teller!r},", label, [one for one in labels if one is not None])
    unsaid = [label for label in labels if label is not None and label not in clean]
    if unsaid:
        raise ParameterError(
            f"targets say nothing about {listing(map(repr, unsaid))} of {teller!r}.",
            hint=f"Name the columns that were set where it says {unsaid[0]!r}; an empty list if none was.",
            parameter="targets",
        )
    return [
        frozenset() if label is None else frozenset(_node(teller, name, nodes, label) for name in clean[label])
        for label in labels
    ]


def _node(teller: str, name: str, nodes: list[str], label: str) -> str:
    if name == teller:
        raise ParameterError(
            f"{name!r} says what was set, so it cannot be set itself.", hint="Name other columns.", parameter="targets"
        )
    if name not in nodes:
        error = unknown_name("column", name, nodes)
        nothing = f" If {label!r} says that nothing was set, give it an empty list among the targets."
        more = nothing if name == label else ""
        raise UnknownNameError(
            f"{teller!r} says that {name!r} was set: {error.message}",
            hint=f"{error.hint}{more}",
            value=name,
            allowed=tuple(nodes),
        )
    return name
