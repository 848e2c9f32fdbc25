"""A table as it stands in a file or frame: nothing refused yet, nothing cut, nothing dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from paucal import checks

if TYPE_CHECKING:
    from paucal.data.encode import Column
    from paucal.data.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """Named columns of codes and levels, and where they came from."""

    names: tuple[str, ...]
    columns: list[Column]
    source: Source

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.columns[0].n_rows if self.columns else 0

    def telling(self, name: str) -> RawTable:
        """Take one column as what tells about the rows: no gap of it is a missing value, and nobody prepares it."""
        checks.known("column", name, self.names)
        pairs = zip(self.names, self.columns, strict=True)
        return replace(self, columns=[column.telling() if one == name else column for one, column in pairs])
