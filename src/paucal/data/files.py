"""Any file -> Dataset. What a file is, its first bytes say; its name only has to agree."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Unpack, cast

from paucal import checks
from paucal.data.columnar import read_arrow, read_parquet
from paucal.data.dataset import Dataset, assemble
from paucal.data.delimited import Spelling, read_delimited
from paucal.data.preparation import Missing, Recoding, preparation_of
from paucal.data.prepare import Choice
from paucal.data.raw import RawTable
from paucal.data.source import Source
from paucal.data.text import NA_VALUES
from paucal.errors import DataError, FileError, PaucalError, not_allowed, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paucal.data.discretize import Discretize

_TEXT, _PARQUET, _ARROW = "a text file", "a Parquet file", "a Feather or Arrow file"

# what the end of a name promises
_PROMISES = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), _TEXT),
    **dict.fromkeys((".parquet", ".pq"), _PARQUET),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), _ARROW),
}

# how files begin that people try and that we do not read
_STRANGERS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"$FL2": "an SPSS file",
    b"$FL3": "an SPSS file",
    b"<stata_dta>": "a Stata file",
    b"SQLite format 3": "an SQLite data base",
    b"\x89HDF": "an HDF5 file",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard",
}


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
    encoding: str = "utf-8",
    **recoding: Unpack[Recoding],
) -> Dataset:
    r"""Read a file: CSV, TSV and other delimited text, Parquet, Feather; each also compressed by gzip.

    Parameters
    ----------
    path
        A local file, or `"-"` for standard input.
    missing, discretize, drop_unobserved, recoding
        As in `Dataset.from_frame`; `recoding` stands for `kinds`, `no_answer`, `merge` and `order`.
    columns
        The columns to read, in this order; all by default.
    leave_out
        Columns not to read, such as those that name the rows.
    na_values
        Words that stand for a missing value in a text file, compared exactly.
    delimiter
        What separates the values of a text file. By default a tab in `.tsv` and `.tab` files, else that one of comma,
        tab, semicolon and bar that fits the first lines.
    encoding
        Encoding of a text file.

    Notes
    -----
    A text file begins with a line of names. Blanks around names and values do not belong to them; blank lines are
    skipped, except that in a file of one column they are missing values. A column is of integers, numbers, booleans
    (true, false), dates (2024-05-31) or times if each of its values is, otherwise of text. Words with leading zeros,
    such as 007, are text.

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
    raw = read_table(path, how.columns, how.leave_out, na_values=na_values, delimiter=delimiter, encoding=encoding)
    how = how if columns is None else replace(how, columns=raw.names)
    try:
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
    encoding: str = "utf-8",
) -> RawTable:
    """Read a file as it is; nothing is refused that can be read. Parameters are those of `read`."""
    if not isinstance(path, str | os.PathLike):
        raise not_allowed("path", path, "a path", hint="Dataset.of takes frames, arrays and dicts.")
    label = label_of(path)
    suffix = Path(label.lower().removesuffix(".gz")).suffix if path != "-" else ""
    if delimiter is None and suffix in (".tsv", ".tab"):
        delimiter = "\t"
    choice = Choice(columns, tuple(checks.names("leave_out", leave_out)))
    words = [na_values] if isinstance(na_values, str) else map(str, checks.names("na_values", na_values))
    try:
        with _open(path, label) as stream, tempfile.TemporaryDirectory(prefix="paucal-") as name:
            folder, kind = Path(name), _recognise(stream, label, suffix)
            if kind == _PARQUET:
                names, encoded = read_parquet(stream, folder, label, choice)
            elif kind == _ARROW:
                names, encoded = read_arrow(stream, label, choice)
            else:
                spelling = Spelling(frozenset(words), delimiter, encoding)
                names, encoded = read_delimited(stream, folder, label, choice, spelling)
    except DataError as error:
        raise error.within(label) from error
    return RawTable(names, encoded, Source(kind))


def label_of(path: str | os.PathLike[str]) -> str:
    """Give the name of a file as messages have it."""
    return "standard input" if path == "-" else os.fsdecode(path)


@contextmanager
def _open(path: str | os.PathLike[str], label: str) -> Iterator[IO[bytes]]:
    """Open a file or standard input, decompressed, in a form that can be read from any position."""
    try:
        with ExitStack() as stack:
            if path == "-":
                stream = stack.enter_context(_spool(_standard_input()))
            else:
                stream = stack.enter_context(_open_path(path, label))
                if not stream.seekable():  # a named pipe
                    stream = stack.enter_context(_spool(stream))
            compressed = stream.read(2) == b"\x1f\x8b"
            stream.seek(0)
            if compressed:
                stream = stack.enter_context(_spool(cast("IO[bytes]", gzip.GzipFile(fileobj=stream))))
            elif label.lower().endswith(".gz"):
                raise FileError(f"{label} is not compressed by gzip, as its name says.", hint="Rename it.")
            yield stream
    except PaucalError:
        raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        problem = f"{label} is a damaged gzip file: {error}."
        raise FileError(problem, hint="Copy or compress it again.") from error
    except OSError as error:
        raise _unreadable(label, error) from error


def _open_path(path: str | os.PathLike[str], label: str) -> IO[bytes]:
    try:
        return Path(path).expanduser().open("rb")
    except (ValueError, RuntimeError) as error:  # a NUL in it; the home of somebody unknown
        problem = f"{label!r} is no path: {str(error).rstrip('.')}."
        raise FileError(problem, hint="Give the path of a file.") from error


@contextmanager
def _spool(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Copy what can be read only once to a file that goes away when it is closed."""
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy


def _standard_input() -> IO[bytes]:
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        raise FileError("There is no standard input to read from.", hint="Give the path of a file.")
    return cast("IO[bytes]", buffer)


def _unreadable(label: str, error: OSError) -> FileError:
    if "://" in label:
        problem, hint = f"{label} is not on this machine.", "Download it first: paucal reads local files."
    elif isinstance(error, FileNotFoundError):
        folder = Path(label).expanduser().absolute().parent
        problem, hint = f"There is no file {label}.", f"Looked in {folder}."
    elif isinstance(error, IsADirectoryError):
        problem, hint = f"{label} is a folder.", "Give the path of one file."
    elif isinstance(error, PermissionError):
        problem, hint = f"{label} may not be read.", "Ask for permission to read it, or copy it."
    else:
        problem = f"{short(label, 100)} cannot be read: {error.strerror or error}."
        hint = "Give the path of a file."
    return FileError(problem, hint=hint)


def _recognise(stream: IO[bytes], label: str, suffix: str) -> str:
    """Tell from its first and last bytes what a file is; its name must not promise anything else."""
    start = stream.read(16)
    stream.seek(max(0, stream.seek(0, os.SEEK_END) - 4))
    end = stream.read(4)
    stream.seek(0)
    if start.startswith(b"PAR1") and end == b"PAR1" and len(start) > 8:
        kind = _PARQUET
    elif start.startswith((b"ARROW1", b"FEA1")) and end in (b"ROW1", b"FEA1"):
        kind = _ARROW
    else:
        hint = "Save it as CSV, or read it with pandas and give the data frame."
        for magic, stranger in _STRANGERS.items():
            if start.startswith(magic):
                raise FileError(f"{label} is {stranger}.", hint=hint)
        kind = _TEXT
    promised = _PROMISES.get(suffix, kind)
    if promised != kind:
        raise FileError(
            f"{label} is named like {promised} and is {kind} by its first and last bytes.",
            hint="Rename it, or copy it again if it is not complete.",
        )
    return kind
