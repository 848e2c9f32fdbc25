"""Text -> numbered words, in one pass by the kernel.

It reads as the csv module does in its strict form. Where it stumbles, the csv module reads again and has the verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paucal._kernel import CellReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paucal.data.encode import Codes


class Words(NamedTuple):
    """The chosen columns of a text: for each row the number of its word, and the words."""

    columns: Sequence[tuple[Codes, list[str]]]
    n_rows: int
    n_behind: int = 0  # empty values behind the last column
    n_empty: int = 0  # lines of several values that are all empty


def number_cells(texts: Iterable[str], delimiter: str, n_columns: int, chosen: Sequence[int]) -> Words | None:
    r"""Number the words of the chosen columns; None if a line does not fit, or a quotation mark is out of place.

    >>> number_cells(["a,x\nb", ",x\n"], ",", 2, [1]).columns
    [(array([0, 0], dtype=uint8), ['x'])]
    """
    if not delimiter.isascii():
        return None
    reader = CellReader(delimiter, n_columns, list(chosen), skip_blanks=delimiter != " ")
    if not all(reader.feed(text.encode()) for text in texts) or not reader.finish():
        return None
    return Words(reader.take_columns(), reader.n_rows, reader.n_behind, reader.n_empty)
