"""Tables larger than memory: DuckDB counts the distinct rows, and only these come here, with how often each occurs.

Text columns are numbered first, so that the rows are grouped by small numbers. What is kept is one row for each
combination of values that occurs: a hundred million rows of a few answers each are often a hundred thousand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paucal.data.encode import column
from paucal.data.engine import MANY_WORDS, encode_fetched, expression, literal
from paucal.data.weights import MOST_SAMPLES
from paucal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data.encode import Column

_MOST_CELLS = 400_000_000  # of distinct rows that are fetched
COLLAPSE = (
    "Leave out the columns that tell rows apart, such as names and dates, and cut numbers into a few intervals before "
    "the rows are counted; or read a sample."
)


class Result(Protocol):
    """What a query gives: a relation or a connection of DuckDB."""

    def fetchall(self) -> list[Any]:
        """Give all rows."""
        ...

    def fetchnumpy(self) -> dict[str, Any]:
        """Give the columns."""
        ...


class Query(Protocol):
    """A way to run SQL."""

    def __call__(self, sql: str) -> Result:
        """Run SQL in which {rows} stands for the table."""
        ...


def most_rows(n_columns: int) -> int:
    """Say how many distinct rows are fetched at most."""
    return _MOST_CELLS // max(1, n_columns)


def count_rows(run: Query, names: Sequence[str], kinds: Sequence[str], chosen: Sequence[int]) -> list[Column] | None:
    """Encode the distinct rows of columns c0, c1, ... with their numbers; None if there are too many."""
    words: dict[int, list[str]] = {}
    expressions = {i: expression(names[i], f"c{i}", kinds[i]) for i in chosen}
    for i in chosen:
        if kinds[i] != "VARCHAR":
            continue
        distinct = f"SELECT DISTINCT c{i} FROM {{rows}} WHERE c{i} IS NOT NULL LIMIT {MANY_WORDS + 1}"  # noqa: S608
        found = run(distinct).fetchall()
        if len(found) > MANY_WORDS:
            return None
        words[i] = sorted(word for (word,) in found)
        if words[i]:
            listed = ", ".join(literal(word) for word in words[i]).replace("{", "{{").replace("}", "}}")
            expressions[i] = f"enum_code(c{i}::ENUM({listed}))"
    most = most_rows(len(chosen))
    listed = ", ".join(f"{expressions[i]} AS r{i}" for i in chosen)
    grouped = f"SELECT {listed}, count(*) AS n FROM {{rows}} GROUP BY ALL LIMIT {most + 1}"  # noqa: S608
    block = run(grouped).fetchnumpy()
    weights = np.asarray(block.pop("n"))
    if len(weights) > most:
        return None
    if weights.sum() > MOST_SAMPLES:
        problem = f"There are {weights.sum():,} rows; there may be at most {MOST_SAMPLES:,}."
        raise DataError(problem, hint="Read a sample.")
    counted = weights.astype(np.uint32)
    columns = []
    for i in chosen:
        array = block.pop(f"r{i}")
        if i in words:
            codes = np.ma.filled(array.astype(np.int64), -1) if words[i] else np.full(len(counted), -1)
            one = column(names[i], codes, words[i])
        else:
            one = encode_fetched(names[i], kinds[i], array)
        columns.append(replace(one, weights=counted))
    return columns
