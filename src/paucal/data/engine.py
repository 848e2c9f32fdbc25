"""DuckDB as a reader of files: one connection per file, in memory, shut off from everything but that file."""

from __future__ import annotations

import contextlib
import importlib.util
from contextlib import contextmanager
from datetime import datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.encode import Codes, column, encode_array, in_universal_time, number
from paucal.errors import DataError, FileError, MissingDependencyError, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb
    import numpy.typing as npt

    from paucal.data.encode import Column

_CELLS_AT_ONCE = 4_000_000  # bounds the memory for values that are Python objects on their way
_MEMORY = "1GB"
_MANY_ROWS = 50_000
MANY_WORDS = 50_000
# the types that NumPy can hold; of the others, the words in which DuckDB writes them
_WITH_ZONE = "TIMESTAMP WITH TIME ZONE"
_CLOCK = {"TIME", "TIME WITH TIME ZONE"}
_SUMS = {"HUGEINT": "BIGINT", "UHUGEINT": "UBIGINT"}  # the types of sums, though their values hardly ever need the room
_HELD = {
    *("BOOLEAN", "FLOAT", "DOUBLE"),
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", _WITH_ZONE, "INTERVAL"),
}


def require_engine(problem: str) -> None:
    """Say which extra is wanted if DuckDB is not there; `problem` says what for."""
    if importlib.util.find_spec("duckdb") is None:
        raise MissingDependencyError(problem, hint="Install it: pip install 'paucal[big]'.")


@contextmanager
def engine(paths: Sequence[str], label: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection that can read these files and nothing else; its errors become ours, about the file `label`.

    It holds a gigabyte at most, and never writes to disk.
    """
    import duckdb

    try:
        with _connect(paths) as connection:
            yield connection
    except (duckdb.Error, UnicodeDecodeError) as error:
        raise damaged(label, error) from error


def _connect(paths: Sequence[str]) -> duckdb.DuckDBPyConnection:
    import duckdb

    shut = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}  # no network
    private = {"allow_persistent_secrets": "false", "temp_directory": "", "memory_limit": _MEMORY}
    connection = duckdb.connect(":memory:", config={**shut, **private})
    connection.execute(f"SET allowed_paths = {listed(paths)}")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def listed(paths: Sequence[str]) -> str:
    """Write paths as an SQL list."""
    return f"[{', '.join(map(literal, paths))}]"


def damaged(label: str, error: Exception) -> FileError:
    """Say of a file that a library could not read it, and why."""
    reason = str(error).strip().partition("\n")[0].removesuffix(".")
    return FileError(f"{label} cannot be read: {reason}.", hint="Is it damaged, or of another format?")


def literal(text: str) -> str:
    """Write a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def fetch_columns(
    connection: duckdb.DuckDBPyConnection, expressions: Sequence[str], source: str, n_rows: int
) -> Iterator[npt.NDArray[Any]]:
    """Evaluate each expression for all rows of `source`, a few columns at a time."""
    step = max(1, _CELLS_AT_ONCE // max(1, n_rows))
    for start in range(0, len(expressions), step):
        listed = ", ".join(f"{one} AS r{i}" for i, one in enumerate(expressions[start : start + step]))
        block = connection.execute(f"SELECT {listed} FROM {source}").fetchnumpy()  # noqa: S608 - our own words
        for i in range(len(block)):
            yield block.pop(f"r{i}")


def fetch_words(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], source: str, n_rows: int
) -> Iterator[tuple[Codes, list[str | None]]]:
    """Number the distinct words of text columns, as `encode.number` does; -1 or None is missing."""
    if n_rows < _MANY_ROWS:
        for name, words in zip(names, fetch_columns(connection, names, source, n_rows), strict=True):
            yield number(name, words.tolist())
        return
    for name in names:
        # millions of Python objects are slow: let DuckDB number the words, unless the words themselves are many
        query = f"SELECT DISTINCT {name} FROM {source} LIMIT {MANY_WORDS + 1}"  # noqa: S608
        distinct = [word for (word,) in connection.execute(query).fetchall() if word is not None]
        if 0 < len(distinct) <= MANY_WORDS:
            numbered = f"enum_code({name}::ENUM({', '.join(map(literal, distinct))}))"
            (codes,) = fetch_columns(connection, [numbered], source, n_rows)
            yield np.ma.filled(codes.astype(np.intp), -1), distinct
        else:
            (words,) = fetch_columns(connection, [name], source, n_rows)
            yield number(name, words.tolist())


def expression(name: str, reference: str, kind: str) -> str:
    """Write the SQL that fetches a column in a form that NumPy can hold without loss."""
    if kind in _HELD:
        return reference
    if kind in _SUMS:
        return f"{reference}::{_SUMS[kind]}"
    if kind in _CLOCK:
        return f"{reference}::TIME::VARCHAR"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")):
        raise DataError(
            f"Column {name!r} holds values of type {short(kind)}.",
            hint="Every cell must be one value: a text, a number, a boolean or a date. "
            "Leave the column out, or choose others with columns=.",
        )
    return f"{reference}::VARCHAR"


def encode_fetched(name: str, kind: str, array: npt.NDArray[Any]) -> Column:
    """Encode one column; give its labels what NumPy cannot hold: the time zone, a day without time, exact decimals."""
    encoded = encode_array(name, array)
    if kind == _WITH_ZONE:
        return in_universal_time(name, encoded)
    if kind.startswith("DECIMAL"):
        return column(name, encoded.codes, map(Decimal, encoded.levels))
    if kind == "DATE" and all(isinstance(label, datetime) for label in encoded.levels):
        return column(name, encoded.codes, [label.date() for label in encoded.levels])
    if kind in _CLOCK:
        padded = [label.ljust(15, "0") if "." in label else label for label in encoded.levels]
        with contextlib.suppress(ValueError):  # 24:00:00 stays text
            return column(name, encoded.codes, [time.fromisoformat(label) for label in padded])
    return encoded
