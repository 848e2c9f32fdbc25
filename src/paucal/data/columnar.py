"""Parquet and Feather: files that know the types of their columns.

Parquet is read by DuckDB, which does not see the levels that pandas or polars declared for a categorical column; files
that carry such levels are read by pyarrow, as Feather files are.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import importlib.util
import re
from datetime import datetime, time
from decimal import Decimal
from typing import IO, TYPE_CHECKING, Any

from paucal.data.encode import column, encode_array, in_universal_time
from paucal.data.engine import damaged, engine, fetch_columns, fetch_words, literal, require_engine
from paucal.data.frames import Encoded, encode_frame
from paucal.data.opening import path_of
from paucal.errors import DataError, MissingDependencyError, short

if TYPE_CHECKING:
    import duckdb
    import numpy.typing as npt
    import pyarrow as pa

    from paucal.data.choice import Choice
    from paucal.data.encode import Column

# the types that NumPy can hold; of the others, the words in which DuckDB writes them
_WITH_ZONE = "TIMESTAMP WITH TIME ZONE"
_CLOCK = {"TIME", "TIME WITH TIME ZONE"}
_HELD = {
    *("BOOLEAN", "FLOAT", "DOUBLE"),
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", _WITH_ZONE, "INTERVAL"),
}


def read_parquet(stream: IO[bytes], label: str, choice: Choice) -> Encoded:
    """Encode the columns of a Parquet file."""
    require_engine(f"{label} is a Parquet file: such files are read by DuckDB.")
    path = path_of(stream)
    with engine(path, label) as connection:
        if _declares_levels(connection, stream, path):
            return read_arrow(stream, label, choice, parquet=True)
        names = _top_names(connection, path)
        chosen = choice.positions(names)
        # by position, because DuckDB's names do not tell capital letters from small ones
        positions = ", ".join(f"c{i}" for i in range(len(names)))
        source = f"read_parquet({literal(path)}) AS body({positions})"
        kinds = [row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]  # noqa: S608
        wanted = {i: _expression(names[i], f"c{i}", kinds[i]) for i in chosen}
        (n_rows,) = connection.execute(f"SELECT count(*) FROM {source}").fetchone() or (0,)  # noqa: S608
        texts = [i for i in chosen if kinds[i] == "VARCHAR"]
        others = [i for i in chosen if kinds[i] != "VARCHAR"]
        words = fetch_words(connection, [f"c{i}" for i in texts], source, n_rows)
        arrays = fetch_columns(connection, [wanted[i] for i in others], source, n_rows)
        encoded = {i: column(names[i], *one) for i, one in zip(texts, words, strict=True)}
        encoded |= {i: _encode(names[i], kinds[i], one) for i, one in zip(others, arrays, strict=True)}
    return tuple(names[i] for i in chosen), [encoded[i] for i in chosen]


def read_arrow(stream: IO[bytes], label: str, choice: Choice, *, parquet: bool = False) -> Encoded:
    """Encode the columns of a Feather or Arrow file, or of a Parquet file with declared levels."""
    if importlib.util.find_spec("pyarrow") is None:
        what = "The declared levels of a Parquet file" if parquet else "An Arrow or Feather file"
        problem = f"{what} can only be read with pyarrow: {label}."
        raise MissingDependencyError(problem, hint="Install it: pip install 'paucal[arrow]'.")
    import pyarrow as pa
    from pyarrow import feather
    from pyarrow import parquet as parquet_files

    try:
        table = parquet_files.read_table(stream) if parquet else feather.read_table(stream)
        table.validate(full=True)
        chosen = table.select(choice.positions(table.column_names))
        names, encoded, _ = encode_frame(_without_chance_order(chosen))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(label, error) from error
    return names, encoded


def _without_chance_order(table: pa.Table) -> pa.Table:
    """Turn what was a Categorical in polars into text, because that declares nothing; so it is as from the frame."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if any(key.startswith(b"_PL_CATEGORICAL") for key in field.metadata or ()):
            table = table.set_column(i, field.name, pa.array(table.column(i).to_pylist(), pa.string()))
    return table


def _declares_levels(connection: duckdb.DuckDBPyConnection, stream: IO[bytes], path: str) -> bool:
    """Tell whether a program wrote categorical columns and noted that in the file."""
    query = f"SELECT key, value FROM parquet_kv_metadata({literal(path)})"  # noqa: S608 - our own path
    notes = dict(connection.execute(query).fetchall())
    if b"ARROW:schema" in notes and importlib.util.find_spec("pyarrow") is not None:
        from pyarrow import ArrowException, parquet, types

        with contextlib.suppress(ArrowException):
            return any(types.is_dictionary(kind) for kind in parquet.read_schema(stream).types)
    # without pyarrow, or one that is too old, only what pandas and polars say in plain words can be understood
    by_pandas, by_polars = notes.get(b"pandas", b""), notes.get(b"ARROW:schema", b"")
    if re.search(rb'"pandas_type":\s*"categorical"', by_pandas):
        return True
    try:
        return b"_PL_ENUM_VALUES" in base64.b64decode(by_polars)
    except binascii.Error:  # a note by somebody else
        return False


def _top_names(connection: duckdb.DuckDBPyConnection, path: str) -> list[str]:
    """Return the names of the columns as they stand in the file: DuckDB would make repeated ones different."""
    query = f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({literal(path)})"  # noqa: S608
    names, inside = [], 0
    for name, n_children in connection.execute(query).fetchall()[1:]:
        if inside == 0:
            names.append(name)
        else:
            inside -= 1
        inside += n_children
    return names


def _expression(name: str, reference: str, kind: str) -> str:
    """Write the SQL that fetches a column in a form that NumPy can hold without loss."""
    if kind in _HELD:
        return reference
    if kind in _CLOCK:
        return f"{reference}::TIME::VARCHAR"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")):
        raise DataError(
            f"Column {name!r} holds values of type {short(kind)}.",
            hint="Every cell must be one value: a text, a number, a boolean or a date. "
            "Leave the column out, or choose others with columns=.",
        )
    return f"{reference}::VARCHAR"


def _encode(name: str, kind: str, array: npt.NDArray[Any]) -> Column:
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
