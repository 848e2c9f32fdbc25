"""Where a table came from, and what its reader had to decide."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """The kind of a file or frame in words, and as plain sentences what reading it took for granted.

    >>> Source("a text file", ("Read as Windows-1252: Süd.",)).notes
    ('Read as Windows-1252: Süd.',)
    """

    kind: str
    notes: tuple[str, ...] = ()
