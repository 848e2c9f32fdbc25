"""What is in the data, and what they can decide at all.

A test of x against y given k columns has a table of K_x K_y prod K_z cells. How many samples a cell has on average is
known before anything is tested, and says how deep a search can go before its answers are guesses.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.data import Dataset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ENOUGH = 5.0  # samples per cell that the classical tests ask for (Cochran's rule)
_MOST_PRODUCTS = 20_000  # distinct table sizes that are still counted one by one
_SAMPLED_QUESTIONS = 20_000


@dataclass(frozen=True)
class ColumnSummary:
    """One column: its levels, how many occur, what is missing, and the share of the most frequent level."""

    name: str
    levels: int
    observed: int
    missing: int
    mode: Any
    mode_share: float


@dataclass(frozen=True)
class Sufficiency:
    """Samples per cell over all questions with a given number of conditioning columns.

    `exact` is false where the numbers of levels are so varied that the questions were sampled.
    """

    order: int
    questions: int
    median: float
    worst: float
    enough: float
    exact: bool


@dataclass(frozen=True)
class Inspection:
    """The summary of a data set."""

    n_rows: int
    columns: tuple[ColumnSummary, ...]
    sufficiency: tuple[Sufficiency, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "n_rows": self.n_rows,
            "n_columns": len(self.columns),
            "columns": [{**vars(c), "mode": str(c.mode)} for c in self.columns],
            "samples_per_cell": [vars(s) for s in self.sufficiency],
        }

    def _repr_html_(self) -> str:
        columns = [(c.name, c.mode, f"{c.mode_share:.1%}", c.levels, c.observed, c.missing) for c in self.columns]
        cells = [
            (s.order, f"{s.questions:,}", f"{s.median:.3g}", f"{s.worst:.3g}", f"{s.enough:.0%}")
            for s in self.sufficiency
        ]
        return (
            f"<div><p>{self.n_rows} rows, {len(self.columns)} columns</p>"
            f"{_html_table(('column', 'most frequent', 'share', 'levels', 'observed', 'missing'), columns)}"
            "<p>Samples per cell of a test, over all questions</p>"
            f"{_html_table(('conditioners', 'questions', 'median', 'worst', '5 or more'), cells)}</div>"
        )


def inspect(data: Any, *, max_order: int = 3) -> Inspection:
    """Summarise data: columns, levels, and the samples per cell that tests of each order would have.

    Parameters
    ----------
    data
        Anything `Dataset.of` takes.
    max_order
        Largest number of conditioning columns to look at.

    Examples
    --------
    >>> import paucal
    >>> found = paucal.inspect({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10, "c": [0, 1, 2, 3] * 10})
    >>> [(s.order, s.median, s.worst) for s in found.sufficiency]
    [(0, 5.0, 5.0), (1, 2.5, 2.5)]
    """
    dataset, max_order = Dataset.of(data), checks.whole_number("max_order", max_order, 0)
    n_rows, orders = dataset.n_rows, range(min(max_order, dataset.n_columns - 2) + 1)
    columns = (_summary(dataset, i) for i in range(dataset.n_columns))
    cells = (sufficiency(n_rows, dataset.cardinalities, order) for order in orders)
    return Inspection(n_rows, tuple(columns), tuple(cells))


def sufficiency(n_rows: int, cardinalities: Sequence[int], order: int) -> Sufficiency:
    """Samples per cell over all questions with `order` conditioners.

    The cells of a question depend only on the set of its order + 2 columns, and each such set is asked about in the
    same number of ways, so it is enough to look at the products of cardinalities over all sets of that size.
    """
    size = order + 2
    questions = math.comb(len(cardinalities), size) * math.comb(size, 2)
    products, exact = _table_sizes(tuple(cardinalities), size)
    largest = float(math.prod(sorted(cardinalities)[-size:]))
    ordered = sorted(products)
    weights = np.cumsum([float(products[cells]) for cells in ordered])
    middle = ordered[int(np.searchsorted(weights, weights[-1] / 2))]
    enough = sum(products[cells] for cells in ordered if n_rows >= ENOUGH * cells) / sum(products.values())
    return Sufficiency(order, questions, n_rows / middle, n_rows / largest, float(enough), exact)


@lru_cache(maxsize=16)
def _table_sizes(cardinalities: tuple[int, ...], size: int) -> tuple[Counter[float], bool]:
    """How many sets of `size` columns have tables of each size, and whether all sets were looked at."""
    # by_size[j]: products of sets of j columns among the cardinalities seen so far
    by_size: list[Counter[float]] = [Counter({1.0: 1}), *(Counter() for _ in range(size))]
    for levels, columns in sorted(Counter(cardinalities).items()):
        for j in range(size, 0, -1):
            for taken in range(1, min(j, columns) + 1):
                ways = math.comb(columns, taken)
                for product, count in by_size[j - taken].items():
                    by_size[j][product * float(levels) ** taken] += count * ways
        if sum(map(len, by_size)) > _MOST_PRODUCTS:
            rng = np.random.default_rng(0)
            factors = np.array(cardinalities, dtype=float)
            drawn = (factors[rng.choice(len(factors), size, replace=False)] for _ in range(_SAMPLED_QUESTIONS))
            return Counter(float(np.prod(chosen)) for chosen in drawn), False
    return by_size[size], True


def _html_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{head}</th>" for head in heads)
    lines = ("".join(f"<td>{html.escape(str(value))}</td>" for value in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _summary(data: Dataset, i: int) -> ColumnSummary:
    counts = np.bincount(data.columns[i], minlength=data.cardinalities[i])[: data.cardinalities[i]]
    mode = int(counts.argmax())
    return ColumnSummary(
        name=data.names[i],
        levels=data.cardinalities[i],
        observed=int(np.count_nonzero(counts)),
        missing=data.missing[i],
        mode=data.levels[i][mode],
        mode_share=float(counts[mode] / counts.sum()),
    )
