"""A table as it stands in a file or frame: nothing refused yet, nothing cut, nothing dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
