"""What separates the values of a text file, and whether its first line holds names."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from paucal.data.text import text_labels
from paucal.errors import FileError, listing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

DELIMITERS = (",", "\t", ";", "|")

_SAMPLE = 1 << 20
_SAMPLE_LINES = 50
_LINES_FOR_NAMES = 1000


class Header(NamedTuple):
    """The names of the columns, and where the values begin."""

    names: list[str]
    delimiter: str
    length: int  # letters before the values
    n_lines: int  # lines before the values
    unnamed: Collection[int] = ()  # columns to which the file gives no name
    why_none: str = ""  # why the first line was taken for values
    doubt: str = ""  # why it may hold values all the same

    def notes(self, chosen: Collection[int], kept: Collection[int]) -> Iterator[str]:
        """Say what was decided about the names of the chosen columns, of which `kept` are left."""
        if self.why_none:
            called = listing([self.names[i] for i in range(len(self.names))], limit=2)
            yield f"The first line {self.why_none}, so it is read as values; the columns are called {called}."
        if self.doubt:
            yield f"The first line is read as names, although {self.doubt}. If not: --no-header (header=False)."
        for i in sorted(set(self.unnamed) & set(chosen)):
            if i in kept:
                yield f"Column {i + 1} has no name and is called {self.names[i]}."
            else:
                yield f"Column {i + 1} has neither a name nor values and is left out."


def guess_delimiter(text: str) -> str:
    """Choose the separator that gives the first line several values and every line as many."""
    best, best_score = DELIMITERS[0], (False, 1)
    for delimiter in DELIMITERS:
        counts = [len(r) for r in islice(_records(text[:_SAMPLE], delimiter), _SAMPLE_LINES) if r]
        if not counts:
            continue
        # the last of a cut sample may be half a line
        whole = counts[:-1] if len(text) > _SAMPLE and len(counts) < _SAMPLE_LINES else counts
        score = (all(n == counts[0] for n in whole), counts[0])
        decimal = delimiter == ";" and best == "," and score[0] and _only_in_numbers(text[:_SAMPLE])
        if counts[0] > 1 and (score > best_score or decimal):
            best, best_score = delimiter, score
    return best


def told_delimiter(text: str) -> str | None:
    """Give the separator that a first line such as `sep=;` names, as Excel writes it."""
    match = re.match(r"\ufeff?sep=(.)\n", text, re.IGNORECASE)
    return None if match is None else match[1]


def find_header(text: str, label: str, delimiter: str, header: bool | None) -> Header:  # noqa: FBT001 - None: find out
    """Read the line of names, or give names to the columns if it has none."""
    lengths: list[int] = []
    reader = csv.reader(_lines(text, lengths), delimiter=delimiter, strict=True, skipinitialspace=delimiter != " ")
    try:
        if told_delimiter(text) is not None:
            next(reader)
        cells = next((cells for cells in reader if len(cells) > 1 or "".join(cells).strip()), [])
    except csv.Error as error:
        raise FileError(
            f"The column names in line 1 of {label} cannot be read: {error}.", hint="Is a quotation mark not closed?"
        ) from error
    if not cells:
        raise FileError(f"{label} is empty.", hint="It should begin with a line of column names.")
    names = [cell.strip() for cell in cells]
    length = sum(lengths)
    below = [] if header is not None else _first_rows(text[length : length + _SAMPLE], delimiter)
    why = values_not_names(names, below) if header is None else ""
    if header is False or why:
        above = lengths[0] if told_delimiter(text) is not None else 0
        return Header(made_up_names(len(names)), delimiter, above, int(above > 0), (), why)
    filled, unnamed = fill_names(names)
    doubt = doubt_of_names(names) if header is None else ""
    return Header(filled, delimiter, length, reader.line_num, unnamed, doubt=doubt)


def _lines(text: str, lengths: list[int]) -> Iterator[str]:
    """Give line after line, and note how long each was."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        lengths.append(end - start)
        yield text[start:end]
        start = end


def made_up_names(n_columns: int) -> list[str]:
    """Name columns by their places."""
    return [f"column{i + 1}" for i in range(n_columns)]


def fill_names(names: Sequence[str]) -> tuple[list[str], tuple[int, ...]]:
    """Name the columns without a name by their places, and say which they are.

    >>> fill_names(["", "age"])
    (['column1', 'age'], (0,))
    """
    unnamed = tuple(i for i, name in enumerate(names) if not name)
    taken, filled = set(names), list(names)
    for i in unnamed:
        name = f"column{i + 1}"
        while name in taken:
            name += "_"
        filled[i] = name
        taken.add(name)
    return filled, unnamed


def values_not_names(first: Sequence[str], below: Sequence[Sequence[str]]) -> str:
    """Say why the first line of a table holds values rather than names, if it does.

    >>> values_not_names(["1.5", "3"], [])
    'holds numbers only'
    >>> values_not_names(["2019", "2020", "2021"], [])
    ''
    """
    are_numbers = [_is_number(cell) for cell in first]
    if all(are_numbers):
        return "" if _count(first) else "holds numbers only"
    if "" in first:
        return ""
    seen = [[row[i] for row in below if len(row) > i] for i in range(len(first))]
    again = [cell in column for cell, column in zip(first, seen, strict=True)]
    if all(again):
        return "holds values that all stand again below"
    # beside values that stand again, a number above numbers is no name either
    fits = [
        known or (is_number and all(map(_is_number, filter(None, column))))
        for known, is_number, column in zip(again, are_numbers, seen, strict=True)
    ]
    return "holds values such as stand below" if any(again) and all(fits) else ""


def doubt_of_names(names: Sequence[str]) -> str:
    """Say what is odd about a line of names, if anything is.

    >>> doubt_of_names(["1", "2", "3"])
    'it holds numbers only'
    >>> doubt_of_names(["id", "17.5"])
    'it holds the number 17.5'
    >>> doubt_of_names(["id", "2019", "2020"])
    ''
    """
    numbers = [name for name in names if _is_number(name)]
    if len(numbers) == len(names):
        return "it holds numbers only"
    return "" if not numbers or _count(numbers, 1) else f"it holds the number {numbers[0]}"


def _is_number(cell: str) -> bool:
    label = text_labels([cell])[0]
    return label is not None and not isinstance(label, str)


def _count(cells: Sequence[str], least: int = 3) -> bool:
    """Tell whether words are whole numbers that count on, as years and places do."""
    labels = [text_labels([cell])[0] for cell in cells]
    return (
        all(type(one) is int for one in labels)
        and len(labels) >= least
        and all(b - a == 1 for a, b in pairwise(labels))
    )


def _first_rows(rest: str, delimiter: str) -> list[list[str]]:
    """Give the values of the first lines below the names."""
    return [[cell.strip() for cell in row] for row in islice(_records(rest, delimiter), _LINES_FOR_NAMES)]


def _only_in_numbers(text: str) -> bool:
    """Tell whether every comma stands between two digits."""
    return re.search(r"(?<![0-9]),|,(?![0-9])", text) is None


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=delimiter != " ")
    except csv.Error:  # a cell longer than the module takes: what came before is enough to guess from
        return
