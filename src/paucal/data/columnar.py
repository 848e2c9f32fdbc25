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
from typing import IO, TYPE_CHECKING

from paucal.data.counted_rows import COLLAPSE, count_rows
from paucal.data.encode import column
from paucal.data.engine import (
    damaged,
    encode_fetched,
    engine,
    expression,
    fetch_columns,
    fetch_words,
    listed,
    literal,
    require_engine,
)
from paucal.data.frames import Encoded, encode_frame
from paucal.data.opening import path_of
from paucal.errors import FileError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    import pyarrow as pa

    from paucal.data.choice import Choice
    from paucal.data.encode import Column

_MANY_ROWS = 1_000_000  # beyond, distinct rows are counted first
_MOST_CELLS = 2_000_000_000  # that are read where the rows hardly repeat


def read_parquet(stream: IO[bytes], label: str, choice: Choice) -> Encoded:
    """Encode the columns of a Parquet file."""
    require_engine(f"{label} is a Parquet file: such files are read by DuckDB.")
    path = path_of(stream)
    with engine([path], label) as connection:
        if _declares_levels(connection, stream, path):
            return read_arrow(stream, label, choice, parquet=True)
        return _read_files(connection, [path], label, choice)


def read_parquet_files(paths: Sequence[str], label: str, choice: Choice) -> Encoded:
    """Encode the columns of many Parquet files that are one table; levels that somebody declared are not seen."""
    require_engine(f"{label} are Parquet files: such files are read by DuckDB.")
    with engine(paths, label) as connection:
        return _read_files(connection, paths, label, choice)


def _read_files(connection: duckdb.DuckDBPyConnection, paths: Sequence[str], label: str, choice: Choice) -> Encoded:
    names = _top_names(connection, paths[0])
    chosen = choice.positions(names)
    # by position, because DuckDB's names do not tell capital letters from small ones
    positions = ", ".join(f"c{i}" for i in range(len(names)))
    source = f"read_parquet({listed(paths)}) AS body({positions})"
    kinds = [row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]  # noqa: S608
    wanted = {i: expression(names[i], f"c{i}", kinds[i]) for i in chosen}
    (n_rows,) = connection.execute(f"SELECT count(*) FROM {source}").fetchone() or (0,)  # noqa: S608
    kept = tuple(names[i] for i in chosen)
    if n_rows > _MANY_ROWS:
        counted = _counted(connection, source, names, kinds, chosen)
        if counted is not None and 2 * len(counted[0].codes) < n_rows:
            return kept, counted
        if n_rows * len(chosen) > _MOST_CELLS:
            needed = f"{n_rows * len(chosen) * 2 / 1e9:,.0f} GB"
            problem = f"{label} has {n_rows:,} rows that hardly repeat; to hold them all takes about {needed}."
            raise FileError(problem, hint=COLLAPSE)
    texts = [i for i in chosen if kinds[i] == "VARCHAR"]
    others = [i for i in chosen if kinds[i] != "VARCHAR"]
    words = fetch_words(connection, [f"c{i}" for i in texts], source, n_rows)
    arrays = fetch_columns(connection, [wanted[i] for i in others], source, n_rows)
    encoded = {i: column(names[i], *one) for i, one in zip(texts, words, strict=True)}
    encoded |= {i: encode_fetched(names[i], kinds[i], one) for i, one in zip(others, arrays, strict=True)}
    return kept, [encoded[i] for i in chosen]


def _counted(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    names: Sequence[str],
    kinds: Sequence[str],
    chosen: Sequence[int],
) -> list[Column] | None:
    """Count the distinct rows; None if there are more than memory holds."""
    import duckdb

    try:
        return count_rows(lambda sql: connection.execute(sql.format(rows=source)), names, kinds, chosen)
    except duckdb.OutOfMemoryException:
        return None


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
