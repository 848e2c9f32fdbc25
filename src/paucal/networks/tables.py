"""Conditional probability tables: what they must be, and how they are made from counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paucal.errors import NetworkError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import ArrayLike

    Names: TypeAlias = Mapping[str, tuple[str, ...]]  # levels or parents of every node

FloatArray: TypeAlias = NDArray[np.float64]

# rows of a table may miss one by this much, as printed tables do; they are then scaled
ROW_TOLERANCE = 1e-6

# a table of this many numbers takes half a gigabyte: no table of a network grows beyond it
MAX_CELLS = 2**26
MAX_ROWS = 2**40  # of a sample; far beyond any memory
MAX_DRAWN = 2**32  # values of a sample, 4 GB and more

_RULE = (
    "Every node needs a name, distinct levels, parents that are nodes, and a table with one axis per parent and "
    "itself last, whose rows add up to one."
)


def checked_tables(
    levels: Names, parents: Names, named_parents: Iterable[str], given: Mapping[str, ArrayLike]
) -> dict[str, FloatArray]:
    """Give the tables as arrays whose rows add up to one, or say what is wrong with the network."""
    _refuse(_structure_problems(levels, parents, named_parents, given))
    tables = {node: _as_table(node, given[node]) for node in levels}
    _refuse(_table_problems(levels, parents, tables))
    return {node: _scaled(table) for node, table in tables.items()}


def _refuse(problems: list[str]) -> None:
    if problems:
        more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
        raise NetworkError(f"This is not a Bayesian network: {'; '.join(problems[:3])}{more}.", hint=_RULE)


def _as_table(node: str, values: ArrayLike) -> FloatArray:
    try:
        return np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        problem = f"The table of {node!r} is not an array of numbers: {error}."
        raise NetworkError(problem, hint=_RULE) from error


def _structure_problems(
    levels: Names, parents: Names, named_parents: Iterable[str], tables: Collection[str]
) -> list[str]:
    """List what is wrong with nodes, levels and parents, and which tables are missing or in excess."""
    problems = [] if levels else ["it has no nodes"]
    for node, labels in levels.items():
        if not isinstance(node, str) or not node.strip():
            problems.append(f"{node!r} is not a name")
        if not labels:
            problems.append(f"{node!r} has no levels")
        if len(set(labels)) < len(labels):
            problems.append(f"{node!r} has the same level twice: {labels}")
        strange = [parent for parent in parents[node] if parent not in levels]
        if strange:
            problems.append(f"parents of {node!r} are not nodes: {strange}")
        if len({*parents[node], node}) <= len(parents[node]):
            problems.append(f"{node!r} has a parent twice or is its own parent: {parents[node]}")
    problems += [f"{node!r} has no table" for node in levels if node not in tables]
    problems += [f"{node!r} has a table and is not a node" for node in tables if node not in levels]
    problems += [f"{node!r} has parents and is not a node" for node in named_parents if node not in levels]
    return problems


def _table_problems(levels: Names, parents: Names, tables: Mapping[str, FloatArray]) -> list[str]:
    """List the tables whose shape or numbers are wrong."""
    problems = []
    for node, table in tables.items():
        shape = tuple(len(levels[v]) for v in (*parents[node], node))
        if table.shape != shape:
            problems.append(f"the table of {node!r} has the shape {table.shape}, its levels ask for {shape}")
        elif problem := row_problem(table):
            problems.append(f"in the table of {node!r} {problem}")
    return problems


def row_problem(table: FloatArray) -> str | None:
    """Say why the last axis of a table does not hold distributions, or give None."""
    wrong = table[~((table >= 0.0) & (table <= 1.0 + ROW_TOLERANCE))]
    if wrong.size:
        return f"{wrong[0]} is not a probability"
    totals = table.sum(axis=-1).ravel()
    off = totals[np.abs(totals - 1.0) > ROW_TOLERANCE]
    return f"the probabilities add up to {off[0]:.9g}, not to 1" if off.size else None


def _scaled(table: FloatArray) -> FloatArray:
    """Scale the rows to one, and leave those alone that are one up to rounding.

    Dividing again would change last digits, and a network would not survive a round trip through a file.
    """
    totals = np.add.accumulate(table, axis=-1)[..., -1:]  # one after the other: the same sum on every machine
    rounding = 2 * table.shape[-1] * np.finfo(np.float64).eps
    result: FloatArray = np.where(np.abs(totals - 1.0) > rounding, table / totals, table)
    result.setflags(write=False)
    return result


def proportions(counts: FloatArray) -> FloatArray:
    """Divide rows by their sums; a row of zeros becomes uniform."""
    totals = counts.sum(axis=-1, keepdims=True)
    return np.where(totals > 0.0, counts / np.where(totals > 0.0, totals, 1.0), 1.0 / counts.shape[-1])
