"""What separates the values of a text file, and whether its first line holds names."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from paucal.data.text import text_labels
from paucal.errors import FileError, counted, listing, short

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

DELIMITERS = (",", "\t", ";", "|")

_SAMPLE = 1 << 20
_SAMPLE_LINES = 50
_LINES_FOR_NAMES = 1000
_MOST_ABOVE = 20  # lines above a table
_PROSE = 3  # words, from which on a cell reads like a title
_ENOUGH_BELOW = 10  # lines, to tell a second line of names from values


class Header(NamedTuple):
    """The names of the columns, and where the values begin."""

    names: list[str]
    delimiter: str
    length: int  # letters before the values
    n_lines: int  # lines before the values
    unnamed: Collection[int] = ()  # columns to which the file gives no name
    why_none: str = ""  # why the first line was taken for values
    doubt: str = ""  # why it may hold values all the same
    above: Sequence[str] = ()  # what stands above the names, line by line
    second: Sequence[str] = ()  # the line below, if it looks like names too
    blanks: bool = False  # the only column may be several, with blanks between

    def notes(self, chosen: Collection[int], kept: Collection[int]) -> Iterator[str]:
        """Say what was decided about the names of the chosen columns, of which `kept` are left."""
        if self.above:
            lines = f"{counted(len(self.above), 'line')} above the table {'is' if len(self.above) == 1 else 'are'}"
            said = listing([short(line, 50) for line in self.above], limit=3)
            yield f"{lines} passed over: {said}. If the first line holds the names: --header (header=True)."
        if self.why_none:
            called = listing([self.names[i] for i in range(len(self.names))], limit=2)
            yield f"The first line {self.why_none}, so it is read as values; the columns are called {called}."
        if self.doubt:
            yield f"The first line is read as names, although {self.doubt}. If not: --no-header (header=False)."
        if self.second:
            said = listing([short(cell) for cell in self.second], limit=2)
            yield (
                f"The line below the names ({said}) looks like names too, and is read as values. If it holds names, "
                "keep one of the two lines in the file."
            )
        if self.blanks:
            yield "Every line has equally many words. If blanks separate the values: --delimiter ' ' (delimiter=' ')."
        for i in sorted(set(self.unnamed) & set(chosen)):
            if i in kept:
                yield f"Column {i + 1} has no name and is called {self.names[i]}."
            else:
                yield f"Column {i + 1} has neither a name nor values and is left out."


def guess_delimiter(text: str) -> str:
    """Choose the separator that gives the first line several values and every line as many."""
    best, best_score = DELIMITERS[0], (False, True, 1)
    for delimiter in DELIMITERS:
        records = _first_rows(text, delimiter, _SAMPLE_LINES)
        above = lines_above(records)
        counts = [len(record) for record in records[above:] if record]
        if not counts:
            continue
        score = (all(n == counts[0] for n in counts), above == 0, counts[0])
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
    above: list[str] = []
    try:
        if told_delimiter(text) is not None:
            next(reader)
        if header is None:
            n_above = lines_above(_first_rows(text[sum(lengths) :], delimiter, _SAMPLE_LINES))
            above = [said for cells in islice(reader, n_above) if (said := in_line(cells))]
        cells = next((cells for cells in reader if len(cells) > 1 or "".join(cells).strip()), [])
    except csv.Error as error:
        raise FileError(
            f"The column names in line 1 of {label} cannot be read: {error}.", hint="Is a quotation mark not closed?"
        ) from error
    if not cells:
        raise FileError(f"{label} is empty.", hint="It should begin with a line of column names.")
    names = [cell.strip() for cell in cells]
    length = sum(lengths)
    below = [] if header is not None else _first_rows(text[length:], delimiter, _LINES_FOR_NAMES)
    why = values_not_names(names, below) if header is None else ""
    if header is False or why:
        told = lengths[0] if told_delimiter(text) is not None else 0
        return Header(made_up_names(len(names)), delimiter, told, int(told > 0), (), why)
    filled, unnamed = fill_names(names)
    doubt = doubt_of_names(names) if header is None else ""
    second, blanks = second_names(below), header is None and _separated_by_blanks([names, *below])
    return Header(filled, delimiter, length, reader.line_num, unnamed, "", doubt, above, second, blanks)


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


def lines_above(rows: Sequence[Sequence[str]]) -> int:
    """Count the lines above a table: a title, what it is about, the groups of its columns.

    They have fewer values than the names below them, which are as many as every further line has. A first line that
    lacks but one value may be one of names: R leaves out the name of the first column. So it is a title only if it
    reads like one, or if a blank line stands below it.

    >>> lines_above([["Table 3: Results of the trial"], [], ["arm", "age"], ["a", "30"], ["b", "41"]])
    2
    >>> lines_above([["age", "sex"], ["1", "30", "f"], ["2", "41", "m"]])
    0
    """
    for start, line in enumerate(rows[1:_MOST_ABOVE], 1):
        names = _filled_to_the_end(line)
        above = [[cell for cell in row if cell] for row in rows[:start]]
        if not any(above) or not _are_names(names, rows[start + 1 :]):
            continue
        title = not above[-1] or any(len(cell.split()) >= _PROSE for cell in above[0])
        most = len(names) - (1 if title else 2)
        if all(len(cells) <= most for cells in above):
            return start
    return 0


def _are_names(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Tell whether a line can hold the names of the lines below: as wide as they are, and unlike their values."""
    if len(names) < 2 or not all(names) or any(any(row[len(names) :]) for row in below):
        return False
    numbers = [name for name in names if _is_number(name)]
    if len(numbers) == len(names) or (numbers and not _count(numbers)):
        return False
    again = any(name in (row[i] for row in below if len(row) > i) for i, name in enumerate(names))
    return max(map(len, below), default=0) >= len(names) and not again


def second_names(below: Sequence[Sequence[str]]) -> Sequence[str]:
    """Give the first line below the names if it looks like names too: questions, units or a title's second half.

    None of its values is a number or stands again, while the columns below are numbers and dates, or repeat.
    """
    first, *rest = below or [[]]
    rest = [row for row in rest if any(row)]
    if len(first) < 2 or not all(first) or len(rest) < _ENOUGH_BELOW or any(map(_is_number, first)):
        return ()
    columns = [[row[i] for row in rest if len(row) > i and row[i]] for i in range(len(first))]
    if any(cell in column for cell, column in zip(first, columns, strict=True)):
        return ()
    telling = [column for column in columns if 2 * len(set(column)) <= len(column) or _is_typed(column)]
    return first if len(telling) >= 2 else ()


def _separated_by_blanks(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the lines of a table of one column have equally many words, at least two."""
    words = [row[0].split(" ") for row in rows if row and row[0]]
    return all(len(row) < 2 for row in rows) and len(words) > 2 and len(words[0]) > 1 and len({*map(len, words)}) == 1


def _is_typed(column: Sequence[str]) -> bool:
    return bool(column) and not any(isinstance(label, str) for label in text_labels(column))


def _filled_to_the_end(row: Sequence[str]) -> Sequence[str]:
    """Leave out empty values behind the last one."""
    n = len(row)
    while n and not row[n - 1]:
        n -= 1
    return row[:n]


def in_line(cells: Sequence[str]) -> str:
    """Write the values of a line that is passed over as people read them."""
    return " ".join(cell.strip() for cell in cells if cell.strip())


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
    others = [[cell for cell in column if cell not in ("", name)] for name, column in zip(first, seen, strict=True)]
    if any(
        known and not is_number and column and all(map(_is_number, column))
        for known, is_number, column in zip(again, are_numbers, others, strict=True)
    ):
        return ""  # above numbers a word is a name, also where files were joined and it stands among them again
    if all(again):
        return "holds only values that occur again below"
    # beside values that stand again, a number above numbers is no name either
    fits = [
        known or (is_number and all(map(_is_number, filter(None, column))))
        for known, is_number, column in zip(again, are_numbers, seen, strict=True)
    ]
    return "holds values like those below" if any(again) and all(fits) else ""


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


def _first_rows(text: str, delimiter: str, most: int) -> list[list[str]]:
    """Give the values of the first lines; the last of a cut sample may be half a line, and is left out."""
    rows = [[cell.strip() for cell in row] for row in islice(_records(text[:_SAMPLE], delimiter), most)]
    return rows[:-1] if len(text) > _SAMPLE and 1 < len(rows) < most else rows


def _only_in_numbers(text: str) -> bool:
    """Tell whether every comma stands between two digits."""
    return re.search(r"(?<![0-9]),|,(?![0-9])", text) is None


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=delimiter != " ")
    except csv.Error:  # a cell longer than the module takes: what came before is enough to guess from
        return
