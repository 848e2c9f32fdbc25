"""Anything tabular -> a raw table: nothing refused that can be read, nothing dropped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.choice import Choice
from paucal.data.encode import Column
from paucal.data.frames import encode_frame, encode_mapping, encode_matrix
from paucal.data.raw import RawTable
from paucal.data.source import Source
from paucal.data.weights import weighted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data.dataset import Dataset
    from paucal.data.frames import FrameKind
    from paucal.data.preparation import Preparation


@dataclass(frozen=True, slots=True, eq=False)
class Tabular:
    """A raw table and the kind of thing it came as."""

    table: RawTable
    frame_kind: FrameKind
    label: str = ""  # the name of a file

    def chosen(self, how: Preparation) -> Tabular:
        """Keep the columns that a preparation chooses, and what tells about the rows."""
        how.check(self.table.names)
        came = self if how.repeats is None else self.telling(how.repeats)
        table = weighted(came.table, how.weights)
        places = list(Choice(how.columns, tuple(how.leave_out)).positions(table.names))
        places += [i for i, column in enumerate(table.columns) if column.tells and i not in places]
        names = tuple(table.names[i] for i in places)
        kept = RawTable(names, [table.columns[i] for i in places], table.source)
        return Tabular(kept, self.frame_kind, self.label)

    def telling(self, name: str) -> Tabular:
        """Take one column as what tells about the rows: no gap of it is a missing value, and nobody prepares it."""
        return replace(self, table=self.table.telling(name))


def tabular(data: Any) -> Tabular:
    """Read a frame, an array, a dict or a file as it is."""
    if isinstance(data, Tabular):
        return data
    if isinstance(data, str | os.PathLike):
        from paucal.data.files import label_of, read_table

        return Tabular(read_table(data), "file", label_of(data))
    if isinstance(data, np.ndarray):
        return of_matrix(data)
    if isinstance(data, Mapping):
        return _tabular(*encode_mapping(data), "dict")
    return of_frame(data)


def of_frame(frame: Any) -> Tabular:
    """Read a data frame."""
    return _tabular(*encode_frame(frame))


def of_matrix(array: Any, names: Sequence[str] | None = None) -> Tabular:
    """Read a NumPy array."""
    return _tabular(*encode_matrix(array, names), "numpy")


def _tabular(names: tuple[str, ...], columns: list[Column], kind: FrameKind) -> Tabular:
    return Tabular(RawTable(names, columns, Source(_WORDS[kind])), kind)


def raw_again(data: Dataset) -> RawTable:
    """Give a data set as a raw table: the label None is a missing value again."""
    columns = []
    for codes, levels, kind in zip(data.distinct, data.levels, data.kinds, strict=True):
        kept = levels[:-1] if None in levels else levels  # always the last, whose code is then that of a missing value
        columns.append(Column(codes, kept, declared=True, ordered=kind == "ordered", weights=data.weights))
    return RawTable(data.names, columns, Source("a data set"))


_WORDS = {
    "pandas": "a pandas frame",
    "polars": "a polars frame",
    "pyarrow": "a pyarrow table",
    "numpy": "an array",
    "dict": "a dict of columns",
}
