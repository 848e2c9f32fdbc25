"""A relation of DuckDB -> Dataset: the rows are counted where they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, cast

from paucal.data.choice import Choice
from paucal.data.counted_rows import COLLAPSE, count_rows, most_rows
from paucal.data.dataset import Dataset, assemble
from paucal.data.engine import require_engine
from paucal.data.preparation import preparation_of
from paucal.errors import DataError, not_allowed

if TYPE_CHECKING:
    from paucal.data.counted_rows import Result
    from paucal.data.preparation import Preparing


def connect(relation: Any, **said: Unpack[Preparing]) -> Dataset:
    """Take a relation of DuckDB: a table, a view, many files, a query; the rows are counted where they are.

    Only distinct rows come into memory, each with the number of times that it occurs. The memory for counting is that
    of your connection (`SET memory_limit = '2GB'`).

    Parameters
    ----------
    relation
        What `duckdb.sql("SELECT ...")`, `connection.table("t")` or `duckdb.read_parquet("*.parquet")` gives.
    said
        As in `Dataset.from_frame`. Numbers of many values are better cut in the query, before rows are counted.

    Returns
    -------
    Dataset
        Its `weights` say how often each row occurs; every number is that of the table with all rows.

    Examples
    --------
    >>> import duckdb
    >>> import paucal
    >>> patients = duckdb.sql("SELECT i % 2 AS smokes, i % 3 = 0 AS coughs FROM range(6000000) AS t(i)")
    >>> data = paucal.connect(patients)
    >>> data.n_rows, len(data.weights)
    (6000000, 4)
    >>> paucal.ci_test(data, "smokes", "coughs").independent
    True
    """
    how = preparation_of(said)
    require_engine("A relation is a table of DuckDB.")
    import duckdb

    if not isinstance(relation, duckdb.DuckDBPyRelation):
        hint = "Dataset.of takes frames, arrays and dicts."
        raise not_allowed("relation", relation, "a relation of DuckDB", hint=hint)
    if how.weights is not None:
        hint = "A table of counts is small: give it as a frame, Dataset.of(relation.df(), weights=...)."
        raise not_allowed("weights", how.weights, "needed where the rows are counted", hint=hint)
    if how.repeats is not None:
        hint = "Rows that belong together are not counted: give a frame, Dataset.of(relation.df(), repeats=...)."
        raise not_allowed("repeats", how.repeats, "possible where the rows are counted", hint=hint)
    names = [str(name) for name in relation.columns]
    how.check(names)
    chosen = Choice(how.columns, tuple(how.leave_out)).positions(names)
    # by position, because DuckDB's names do not tell capital letters from small ones
    body = relation.project(", ".join(f"#{i + 1} AS c{i}" for i in chosen))
    kinds = [str(kind) for kind in relation.types]

    def run(sql: str) -> Result:
        return cast("Result", body.query("paucal_rows", sql.format(rows="paucal_rows")))

    try:
        columns = count_rows(run, names, kinds, chosen)
    except duckdb.Error as error:
        reason = str(error).strip().partition("\n")[0].removesuffix(".")
        hint = f"If memory is short for so many different rows: {COLLAPSE}"
        raise DataError(f"The rows cannot be counted: {reason}.", hint=hint) from error
    if columns is None:
        problem = f"More than {most_rows(len(chosen)):,} rows of the relation differ from all others."
        raise DataError(problem, hint=COLLAPSE)
    kept = tuple(names[i] for i in chosen)
    return assemble(kept, columns, "file", how if how.columns is None else replace(how, columns=kept))
