"""Workbooks: .xlsx, .xlsm, .xls and .ods, read by calamine, one sheet at a time."""

from __future__ import annotations

import re
import zipfile
import zlib
from datetime import date, datetime
from typing import IO, TYPE_CHECKING, Any

from paucal import checks
from paucal.data.apart import Refused, read_apart
from paucal.data.dialect import (
    Header,
    doubt_of_names,
    fill_names,
    in_line,
    lines_above,
    made_up_names,
    second_names,
    values_not_names,
)
from paucal.data.encode import Column, column, encode_objects, number
from paucal.data.engine import damaged
from paucal.data.raw import RawTable
from paucal.data.source import Source
from paucal.data.text import table_labels
from paucal.errors import DataError, FileError, listing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data.choice import Choice
    from paucal.data.delimited import Spelling
    from paucal.data.text import Customs

_ROWS_FOR_NAMES = 1000
_MOST_CELLS = 50_000_000  # a few gigabytes, if all of them were filled
_PIECE = 1 << 22
_FAR_DOWN = re.compile(rb' r="[A-Z]{1,3}([0-9]{6,7})"')
_FAR_RIGHT = re.compile(rb' r="([A-Z]{2,3})[0-9]')
_EXACT_FLOATS = 2**53  # whole floats below it are exactly one integer


def read_workbook(stream: IO[bytes], label: str, choice: Choice, spelling: Spelling, sheet: str | None) -> RawTable:
    """Encode the columns of one sheet: the named one, or the first that has values."""
    name, rows, notes = _rows(stream, label, sheet)
    if not any(cell != "" for row in rows for cell in row):
        raise DataError(f"The sheet {name!r} is empty.", hint="It should begin with a line of column names.")
    n_above = _n_above(rows, spelling)
    filled = [row for row in rows[n_above:] if any(cell != "" for cell in row)]
    above = [line for row in rows[:n_above] if (line := in_line(list(map(_word, row))))]
    header = _header(filled, spelling)._replace(above=above)
    values = filled[header.n_lines :]
    if not values:
        problem = f"The sheet {name!r} has a line of names and nothing below it."
        raise DataError(problem, hint="Give at least one row of values.")
    chosen = choice.positions(header.names)
    by_column = list(zip(*values, strict=True))
    columns, said = _encoded([header.names[i] for i in chosen], [by_column[i] for i in chosen], spelling.customs)
    kept = [i for i, j in enumerate(chosen) if j not in header.unnamed or columns[i].levels]
    notes = (*notes, *header.notes(chosen, kept=[chosen[i] for i in kept]), *said)
    names = tuple(header.names[chosen[i]] for i in kept)
    return RawTable(names, [columns[i] for i in kept], Source("a workbook", notes))


def _rows(stream: IO[bytes], label: str, sheet: str | None) -> tuple[str, list[list[Any]], tuple[str, ...]]:
    """Read the cells of a sheet; say which it is if there are several."""
    _refuse_far_cells(stream, label)
    try:
        names, name, rows = read_apart("sheet", stream, label, told_apart={"PasswordError"}, sheet=sheet)
    except Refused as error:
        raise FileError(f"{label} is locked by a password.", hint="Save it without one.") from error
    if sheet is not None:
        checks.known("sheet", sheet, names)
        return sheet, rows, ()
    if not rows:
        raise DataError(f"None of the {len(names)} sheets has values.", hint="Give a workbook with a table.")
    others = listing([repr(other) for other in names if other != name])
    return name, rows, (f"Read the sheet {name!r}; there are also {others}.",) if others else ()


def _refuse_far_cells(stream: IO[bytes], label: str) -> None:
    """Refuse a sheet that spans too much: the reader makes room for every cell between the first and the last.

    Only sheets of .xlsx files can be that large. Short addresses need no look: they are in the first 100,000 rows or 26
    columns.
    """
    if stream.read(2) != b"PK":
        stream.seek(0)
        return
    try:
        spans = _spans(stream)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise damaged(label, error) from error
    finally:
        stream.seek(0)
    for rows, columns in spans:
        if rows * columns > _MOST_CELLS:
            raise FileError(
                f"A sheet of {label} reaches to row {rows:,} and column {columns:,}.",
                hint="Is there a stray value far from the table? Delete it, or save the sheet as CSV.",
            )


def _spans(stream: IO[bytes]) -> list[tuple[int, int]]:
    """Find how far the sheets of an .xlsx file may reach."""
    found = []
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            if not info.filename.startswith("xl/worksheets/") or info.is_dir():
                continue
            rows, columns = 99_999, 26
            with archive.open(info) as sheet:
                before = b""
                while piece := sheet.read(_PIECE):
                    rows = max([rows, *map(int, _FAR_DOWN.findall(before + piece))])
                    columns = max([columns, *map(_place, set(_FAR_RIGHT.findall(before + piece)))])
                    before = piece[-20:]
            found.append((rows, columns))
    return found


def _place(letters: bytes) -> int:
    """Turn the letters of a column into its number: A is 1, AA is 27."""
    place = 0
    for letter in letters:
        place = 26 * place + letter - 64
    return place


def _n_above(rows: Sequence[Sequence[Any]], spelling: Spelling) -> int:
    """Count the lines above a table: titles, groups of columns, and lines in which only the first cell is filled."""
    if spelling.header is True:
        return 0
    words = [[_word(cell).strip() for cell in row] for row in rows[:_ROWS_FOR_NAMES]]
    if spelling.header is None and (found := lines_above(words)):
        return found
    if len(words[0]) <= 2:
        return 0
    table = next((i for i, row in enumerate(words) if any(row[1:])), 0)
    titled = any(row[0] for row in words[:table])
    return table if titled and any(map(any, words[table + 1 :])) else 0


def _header(rows: Sequence[Sequence[Any]], spelling: Spelling) -> Header:
    """Take the names from the first row, or make them up."""
    first, *below = [[_word(cell).strip() for cell in row] for row in rows[:_ROWS_FOR_NAMES]]
    why = values_not_names(first, below) if spelling.header is None else ""
    if spelling.header is False or why:
        return Header(made_up_names(len(first)), "", 0, 0, (), why)
    names, unnamed = fill_names(first)
    if spelling.header is not None:
        return Header(names, "", 0, 1, unnamed)
    return Header(names, "", 0, 1, unnamed, doubt=doubt_of_names(first), second=second_names(below))


def _encoded(
    names: Sequence[str], columns: Sequence[Sequence[Any]], customs: Customs
) -> tuple[list[Column], tuple[str, ...]]:
    """Encode cells of one kind as they are; text, and cells of several kinds, as the words of a text file."""
    typed: dict[int, Column] = {}
    words: dict[int, tuple[Any, list[str]]] = {}
    for i, (name, cells) in enumerate(zip(names, columns, strict=True)):
        kinds = {type(cell) for cell in cells if cell != ""}
        if kinds and (kinds <= {int, float} or kinds in ({bool}, {date}, {datetime}, {date, datetime})):
            typed[i] = encode_objects(name, _plain(cells, kinds))
        else:
            codes, distinct = number(name, cells if kinds <= {str} else [_word(cell) for cell in cells])
            words[i] = codes, distinct
    labels, said = table_labels([names[i] for i in words], [one for _, one in words.values()], customs)
    spelled = {i: column(names[i], codes, one) for (i, (codes, _)), one in zip(words.items(), labels, strict=True)}
    return [typed[i] if i in typed else spelled[i] for i in range(len(names))], said


def _plain(cells: Sequence[Any], kinds: set[type]) -> list[Any]:
    """Give the values as they are meant: whole numbers, which a sheet holds as floats, and days among times."""
    values = [None if cell == "" else cell for cell in cells]
    if kinds == {date, datetime}:
        return [datetime(v.year, v.month, v.day) if type(v) is date else v for v in values]  # noqa: DTZ001
    if kinds <= {int, float} and all(v is None or (v == v // 1 and abs(v) < _EXACT_FLOATS) for v in values):
        return [None if v is None else int(v) for v in values]
    return values


def _word(cell: Any) -> str:
    """Write a cell as it would stand in a text file."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, float) and cell == cell // 1 and abs(cell) < _EXACT_FLOATS:
        return str(int(cell))
    return str(cell)
