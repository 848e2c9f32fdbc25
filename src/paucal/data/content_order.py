"""An order of columns that only their content decides: not their names, not where they stand.

Searches meet ties. Settled by the order of the columns, the graph changes when somebody sorts the table; settled by
name, when somebody renames a column. So searches see the columns in the order found here. It does not
depend on names, on the order of columns and rows, or on the labels and the order of levels.

Columns are told apart by refinement: levels by how often they occur, rows by their levels, levels by their rows, and
so on, until nothing new is told apart. Colours are sums of scrambled 64-bit numbers, which no order can change. The
work is a few passes over the table, and none but the counts of levels if these already tell all columns apart.
Measurements of which none repeats are all alike in that; where columns stay tied, the order of the values of numbers
and ordered columns is looked at too.

Columns that are exchangeable, such as exact copies, cannot be told apart by anybody: these stand by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data.weights import level_counts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from paucal.data.encode import Codes
    from paucal.data.weights import Weights

_MOST_PASSES = 6
_LEVEL_PASSES = 3  # that tell levels apart which occur equally often
_ONE, _TWO = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def content_order(
    columns: Sequence[Codes],
    names: Sequence[str],
    declared: Sequence[int],
    weights: Weights | None = None,
    ordered: Collection[int] = (),
) -> list[int]:
    """Give the positions of the columns, sorted by content; names settle what the content leaves tied.

    `declared` are the numbers of levels, observed or not, which some scores and tests count; `weights` how many equal
    rows each row stands for. The levels of `ordered` columns stand in an order that means something.
    """
    colours = column_colours(columns, weights)
    if ordered and len(set(colours)) < len(colours):
        colours = column_colours(columns, weights, ordered)
    sizes = [_sizes(codes, weights) for codes in columns]
    return sorted(range(len(columns)), key=lambda i: (*sizes[i], declared[i], colours[i], names[i]))


def column_colours(
    columns: Sequence[Codes], weights: Weights | None = None, ordered: Collection[int] = ()
) -> list[int]:
    """Give every column a number that is equal for columns that this refinement cannot tell apart."""
    counts = [level_counts(codes, 0, weights).astype(np.uint64) for codes in columns]
    seen = [count > 0 for count in counts]  # levels that no row has are no content
    levels = [_scrambled(count) for count in counts]
    for i in ordered:
        levels[i] = _scrambled(levels[i] + np.cumsum(seen[i]).astype(np.uint64))
    colours = [_of_column(its[those]) for its, those in zip(levels, seen, strict=True)]
    for _ in range(_MOST_PASSES):
        apart = len(set(colours))
        if apart == len(colours):
            break
        rows = np.zeros(len(columns[0]), dtype=np.uint64)
        for codes, its, colour in zip(columns, levels, colours, strict=True):
            rows += _scrambled(its ^ np.uint64(colour))[codes]
        rows = _scrambled(rows) if weights is None else _scrambled(rows) * weights.astype(np.uint64)
        levels = [_scrambled(its + _sums(codes, rows, len(its))) for codes, its in zip(columns, levels, strict=True)]
        colours = [_of_column(its[those]) for its, those in zip(levels, seen, strict=True)]
        if len(set(colours)) == apart:
            break
    return colours


def level_orders(
    columns: Sequence[Codes], levels: Sequence[Sequence[Any]], weights: Weights | None = None
) -> list[list[int]]:
    """Give for every column the positions of its levels, sorted by content; labels settle what that leaves tied."""
    counts = [level_counts(codes, len(own), weights) for codes, own in zip(columns, levels, strict=True)]
    colours = [_scrambled(count.astype(np.uint64)) for count in counts]
    for _ in range(_LEVEL_PASSES):
        rows = np.zeros(len(columns[0]), dtype=np.uint64)
        for codes, its in zip(columns, colours, strict=True):
            rows += _scrambled(its ^ np.uint64(_of_column(its)))[codes]
        rows = _scrambled(rows) if weights is None else _scrambled(rows) * weights.astype(np.uint64)
        colours = [_scrambled(its + _sums(codes, rows, len(its))) for codes, its in zip(columns, colours, strict=True)]
    found = []
    for own, n, its in zip(levels, counts, colours, strict=True):
        keys = [(int(n[k]), int(its[k]), str(label)) for k, label in enumerate(own)]
        found.append(sorted(range(len(own)), key=keys.__getitem__))
    return found


def _sizes(codes: Codes, weights: Weights | None) -> tuple[int, int]:
    """Give the number of observed levels, and how unevenly the rows fall on them."""
    counts = level_counts(codes, 0, weights)
    return int(np.count_nonzero(counts)), int((counts.astype(np.int64) ** 2).sum())


def _of_column(levels: NDArray[np.uint64]) -> int:
    return int(_scrambled(levels).sum(dtype=np.uint64))


def _sums(codes: Codes, values: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    total = np.zeros(size, dtype=np.uint64)
    np.add.at(total, codes, values)
    return total


def _scrambled(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Mix the bits of each number (the finaliser of SplitMix64), so that sums of different numbers differ."""
    mixed: NDArray[np.uint64] = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _ONE
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _TWO
    return mixed ^ (mixed >> np.uint64(31))
