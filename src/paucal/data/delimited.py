"""CSV and its relatives.

The text is decoded here piece by piece, its separator and names are found, and the kernel numbers its words, so that a
file of any size takes the memory of its codes. A line that does not fit the names is an error, never a shorter table.
"""

from __future__ import annotations

import csv
import io
import threading
from collections import defaultdict
from itertools import chain, count, islice
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from paucal.data.cells import Words, number_cells
from paucal.data.decoding import decode, find_encoding
from paucal.data.dialect import DELIMITERS, Header, find_header, guess_delimiter, told_delimiter
from paucal.data.encode import column
from paucal.data.raw import RawTable
from paucal.data.source import Source
from paucal.data.text import Customs, table_labels
from paucal.errors import DataError, FileError, not_allowed, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from paucal.data.choice import Choice
    from paucal.data.encode import Codes

    Rows = Any  # what csv.reader gives: an iterator of lists that knows its line

__all__ = ["DELIMITERS", "Spelling", "read_delimited"]

_CELLS_AT_ONCE = 10_000  # few enough to stay near the processor
_LIMIT = threading.Lock()


class Spelling(NamedTuple):
    """How a text is written: what its words mean, what separates values, the encoding, whether names come first."""

    customs: Customs
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None


class Body(NamedTuple):
    """What stands below the names: a way to its lines, as often as they are wanted, and how many letters they are."""

    header: Header
    label: str
    lines: Callable[[], Iterable[str]]
    size: int

    def rows(self) -> Rows:
        """Parse the lines."""
        delimiter = self.header.delimiter
        return csv.reader(self.lines(), delimiter=delimiter, strict=True, skipinitialspace=delimiter != " ")


def read_delimited(stream: IO[bytes], label: str, choice: Choice, spelling: Spelling) -> RawTable:
    """Encode the columns of a text, not compressed; messages call the file `label`."""
    delimiter = spelling.delimiter
    if delimiter is not None and not _can_separate(delimiter):
        raise not_allowed("delimiter", delimiter, "a character that can separate values")
    encoding = find_encoding(stream, label, spelling.encoding)
    texts = decode(stream, label, encoding)
    first = next(texts, "")
    while "\n" not in first and (more := next(texts, "")):
        first += more
    header = find_header(first, label, delimiter or told_delimiter(first) or guess_delimiter(first), spelling.header)
    chosen = choice.positions(header.names)
    words = number_cells(chain([first[header.length :]], texts), header.delimiter, len(header.names), chosen)
    if words is None:
        size = stream.seek(0, io.SEEK_END)

        def lines() -> Iterator[str]:
            stream.seek(0)
            return _lines(decode(stream, label, encoding), header.length)

        words = parse(Body(header, label, lines, size), chosen)
    return _labelled(header, chosen, words, spelling.customs, encoding.notes)


def _can_separate(delimiter: object) -> bool:
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0':
        return False
    return not "\ud800" <= delimiter <= "\udfff"  # half a character: no text has it


def _lines(texts: Iterable[str], start: int) -> Iterator[str]:
    """Give the lines of a text from the letter `start` on."""
    rest = ""
    for text in texts:
        *whole, rest = (rest + text[start:]).split("\n")
        start = max(0, start - len(text))
        for line in whole:
            yield line + "\n"
    if rest:
        yield rest


def _labelled(
    header: Header, chosen: Sequence[int], words: Words, customs: Customs, notes: tuple[str, ...]
) -> RawTable:
    """Turn words into labels, and put together what was decided."""
    if words.n_rows == 0:
        raise DataError("There is a line of names and nothing below it.", hint="Give at least one row of values.")
    names = [header.names[i] for i in chosen]
    labels, said = table_labels(names, [one for _, one in words.columns], customs, header.delimiter)
    columns = [column(name, codes, one) for name, (codes, _), one in zip(names, words.columns, labels, strict=True)]
    kept = [i for i, j in enumerate(chosen) if j not in header.unnamed or columns[i].levels]
    if words.n_behind:
        values = "value after the last column is" if words.n_behind == 1 else "values after the last column are"
        said = (*said, f"{words.n_behind:,} empty {values} ignored.")
    if words.n_empty:
        lines = "1 line has" if words.n_empty == 1 else f"{words.n_empty:,} lines have"
        said = (*said, f"{lines} separators but no values, and {'is' if words.n_empty == 1 else 'are'} skipped.")
    notes = (*notes, *header.notes(chosen, kept=[chosen[i] for i in kept]), *said)
    return RawTable(tuple(names[i] for i in kept), [columns[i] for i in kept], Source("a text file", notes))


def parse(body: Body, chosen: Sequence[int]) -> Words:
    """Number the words of the chosen columns."""
    try:
        return _number_words(body, chosen)
    except csv.Error as error:
        if not _allow_values_of(body.size):
            raise _first_bad_line(body, error) from error
    return parse(body, chosen)


def _number_words(body: Body, chosen: Sequence[int]) -> Words:
    numbers: list[defaultdict[str, int]] = [defaultdict(count().__next__) for _ in chosen]
    pieces: list[list[Codes]] = [[np.empty(0, np.uint32)] for _ in chosen]
    n_rows = n_behind = n_empty = 0
    reader, at_once = body.rows(), max(1, _CELLS_AT_ONCE // len(body.header.names))
    while rows := list(islice(reader, at_once)):
        fitting, behind, empty = _fitting(rows, body)
        n_behind, n_empty = n_behind + behind, n_empty + empty
        n_rows += len(fitting)
        columns = list(zip(*fitting, strict=True))
        for i, known, piece in zip(chosen, numbers, pieces, strict=True):
            if fitting:
                piece.append(np.fromiter(map(known.__getitem__, columns[i]), np.uint32, len(fitting)))
    encoded = [(np.concatenate(piece), list(known)) for known, piece in zip(numbers, pieces, strict=True)]
    return Words(encoded, n_rows, n_behind, n_empty)


def _fitting(rows: list[list[str]], body: Body) -> tuple[list[list[str]], int, int]:
    """Skip lines without a value, and forget empty values behind the last column; all else is an error."""
    n = len(body.header.names)
    kept: list[list[str]] = []
    behind = empty = 0
    for row in rows:
        if n == 1 and not row:
            kept.append([""])  # of one column, a blank line is a missing value
        elif n > 1 and row in ([], [""]):
            continue
        elif len(row) < n or any(row[n:]):
            raise _first_bad_line(body, None)
        else:
            behind += len(row) - n
            if n > 1 and not any(row):
                empty += 1
            else:
                kept.append(row[:n])
    return kept, behind, empty


def _first_bad_line(body: Body, error: csv.Error | None) -> FileError:
    """Read again up to the first line that is wrong, and say what is."""
    n = len(body.header.names)
    reader = body.rows()
    start, fitting = 0, False
    try:
        for row in reader:
            if row not in ([], [""]) and len(row) < n:
                hint = "Give every line as many values as there are names."
                return _bad_line(body, start, f"has fewer than {n} values", hint)
            if any(row[n:]):
                hint = "Put a value that contains the separator in quotes."
                if not fitting:  # the line of names may be to blame
                    title, unnamed = (
                        "a title stands above the names, delete it",
                        "the first column has no name, give it one",
                    )
                    hint += f" If {unnamed if len(row) == n + 1 else title}."
                return _bad_line(body, start, f"has more than {n} values", hint)
            start, fitting = reader.line_num, fitting or len(row) >= n
    except csv.Error:
        wrong = "has a quotation mark that is not closed, or text behind a closed one"
        return _bad_line(body, start, wrong, 'Double a quotation mark inside a quoted value: "".')
    return FileError(f"{body.label} cannot be read: {error}.", hint="Is it a text file?")


def _bad_line(body: Body, start: int, wrong: str, hint: str) -> FileError:
    content = next(islice(body.lines(), start, None), "").strip()
    shown = f": {short(content, 60)}" if content else ""
    line, delimiter = body.header.n_lines + start + 1, body.header.delimiter
    return FileError(f"Line {line:,} of {body.label} {wrong}, separated by {delimiter!r}{shown}.", hint=hint)


def _allow_values_of(longest: int) -> bool:
    """Let the csv module take longer values; its limit is one for all threads, so it is only ever raised."""
    with _LIMIT:
        raised = csv.field_size_limit() < longest
        if raised:
            csv.field_size_limit(longest)
    return raised
