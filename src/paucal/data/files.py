"""Any file -> RawTable -> Dataset."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from paucal import checks
from paucal.data import formats
from paucal.data.choice import Choice
from paucal.data.dataset import Dataset, assemble
from paucal.data.delimited import Spelling, read_delimited
from paucal.data.opening import matching, opened, without_packing
from paucal.data.preparation import Missing, Recoding, preparation_of
from paucal.data.raw import RawTable
from paucal.data.source import Source
from paucal.data.text import NA_VALUES, Customs
from paucal.data.weights import weighted
from paucal.errors import DataError, FileWarning, ParameterError, UnknownNameError, not_allowed, warn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

    from paucal.data.calendars import DayOrder
    from paucal.data.discretize import Discretize
    from paucal.data.numerals import Mark


def read(
    path: str | os.PathLike[str],
    *,
    missing: Missing = "error",
    discretize: Discretize = None,
    drop_unobserved: bool = False,
    columns: Iterable[str] | None = None,
    leave_out: Iterable[str] = (),
    na_values: Iterable[str] = NA_VALUES,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    decimal: Mark | None = None,
    dates: DayOrder | None = None,
    sheet: str | None = None,
    **recoding: Unpack[Recoding],
) -> Dataset:
    r"""Read a file: delimited text, Excel, OpenDocument, SPSS, Stata, SAS, R, Parquet or Feather.

    Each may be compressed by gzip, bzip2 or xz. Some need an extra of paucal; an error names it if it is missing.

    Parameters
    ----------
    path
        A local file, `"-"` for standard input, or a pattern such as `"visits/*.parquet"` for Parquet files that are
        one table.
    missing, discretize, drop_unobserved, recoding
        As in `Dataset.from_frame`; `recoding` stands for `kinds`, `no_answer`, `merge`, `order` and
        `weights`.
    columns
        The columns to read, in this order; all by default. `"age:income"` is a range in the order of the file, `"q*"` a
        pattern.
    leave_out
        Columns not to read, such as those that name the rows; ranges and patterns too.
    na_values
        Words that stand for a missing value in a text file, compared exactly.
    delimiter
        What separates the values of a text file. By default a tab in `.tsv` and `.tab` files, else whichever of
        comma, tab, semicolon and bar fits the first lines.
    encoding
        Encoding of a text or survey file. By default a text is UTF-16 or UTF-8 if its bytes say so, else Windows-1252.
    header
        Whether the first line of a text file or sheet holds names; detected by default. Without names the columns are
        called column1, column2, ...
    decimal
        `","` or `"."`, the decimal mark of a text file, where its numbers can be read both ways.
    dates
        `"day-first"` or `"month-first"`, for dates such as 3/4/2024 that can be read both ways.
    sheet
        The sheet of a workbook, the first one with values by default; the object of an R workspace.

    Notes
    -----
    A `FileWarning` says what had to be detected. Blanks around names and values are removed; blank lines are skipped,
    except that in a file of one column they are missing values. A column holds integers, numbers,
    booleans (true, false), dates (2024-05-31, 31.5.2024) or times if each of its values is one, otherwise text. Words
    with leading zeros, such as 007, are text. In survey files value labels are the levels, in the order of their codes.
    A Parquet table of more than a million rows is read as distinct rows with their counts (`Dataset.weights`), so that
    it may be larger than memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from paucal import read
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "survey.csv")
    >>> _ = path.write_text("zip,smoke,age\n01067,yes,9\n80331,no,30\n01067,NA,30\n")
    >>> read(path, missing="drop")
    Dataset: 2 rows, 3 columns
      zip    2 levels: '01067', '80331'
      smoke  2 levels: 'no', 'yes'
      age    2 levels: 9, 30
    >>> folder.cleanup()
    """
    said: dict[str, Any] = {"missing": missing, "discretize": discretize, "drop_unobserved": drop_unobserved}
    how = preparation_of(said | {"columns": columns, "leave_out": leave_out, **recoding})
    raw = read_table(
        path,
        None if how.columns is None else [*how.columns, *(one for one in how.about_rows if one not in how.columns)],
        [name for name in how.leave_out if name not in how.about_rows],
        na_values=na_values,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        decimal=decimal,
        dates=dates,
        sheet=sheet,
    )
    if raw.source.notes:
        warn(FileWarning(f"{label_of(path)}: {' '.join(raw.source.notes)}"))
    try:
        raw = weighted(raw if how.repeats is None else raw.telling(how.repeats), how.weights)
        how = how if columns is None else replace(how, columns=raw.names)
        return assemble(raw.names, raw.columns, "file", how)
    except DataError as error:
        raise error.within(label_of(path)) from error


def read_table(
    path: str | os.PathLike[str],
    columns: Iterable[str] | None = None,
    leave_out: Iterable[str] = (),
    *,
    na_values: Iterable[str] = NA_VALUES,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    decimal: Mark | None = None,
    dates: DayOrder | None = None,
    sheet: str | None = None,
) -> RawTable:
    """Read a file as it is; nothing is refused that can be read. Parameters are those of `read`."""
    if not isinstance(path, str | os.PathLike):
        raise not_allowed("path", path, "a path", hint="Dataset.of takes frames, arrays and dicts.")
    label = label_of(path)
    suffix = Path(without_packing(label.lower())).suffix if path != "-" else ""
    if delimiter is None and suffix in (".tsv", ".tab"):
        delimiter = "\t"
    choice = Choice(columns, tuple(checks.names("leave_out", leave_out)))
    words = [na_values] if isinstance(na_values, str) else map(str, checks.names("na_values", na_values))
    customs = Customs(frozenset(words), decimal, dates)
    spelling = Spelling(customs, delimiter, encoding, None if header is None else checks.flag("header", header))
    try:
        if (paths := matching(path)) is not None:
            from paucal.data.columnar import read_parquet_files

            return RawTable(*read_parquet_files(paths, label, choice), Source(f"{len(paths):,} Parquet files"))
        with opened(path, label) as stream:
            kind = formats.recognise(stream, label, suffix)
            return _read(kind, stream, label, choice, spelling, sheet)
    except (DataError, UnknownNameError) as error:
        raise error.within(label) from error


def _read(kind: str, stream: IO[bytes], label: str, choice: Choice, spelling: Spelling, sheet: str | None) -> RawTable:
    """Give a file to the reader of its kind."""
    if kind == formats.TEXT:
        _refuse_sheet(sheet, label, kind)
        return read_delimited(stream, label, choice, spelling)
    if kind == formats.WORKBOOK:
        from paucal.data.workbooks import read_workbook

        return read_workbook(stream, label, choice, spelling, sheet)
    if kind in (formats.R_OBJECT, formats.R_WORKSPACE):
        from paucal.data.r_objects import read_r

        return read_r(stream, label, choice, kind, sheet)
    _refuse_sheet(sheet, label, kind)
    if kind in (formats.PARQUET, formats.ARROW):
        from paucal.data.columnar import read_arrow, read_parquet

        reader = read_parquet if kind == formats.PARQUET else read_arrow
        return RawTable(*reader(stream, label, choice), Source(kind))
    from paucal.data.surveys import read_survey

    return read_survey(stream, label, choice, kind, spelling.encoding)


def _refuse_sheet(sheet: str | None, label: str, kind: str) -> None:
    if sheet is not None:
        raise ParameterError(
            f"{label} is {kind}: it has no sheets.", hint="Leave the sheet out.", parameter="sheet", value=sheet
        )


def label_of(path: str | os.PathLike[str]) -> str:
    """Give the name of a file as messages have it."""
    return "standard input" if path == "-" else os.fsdecode(path)
