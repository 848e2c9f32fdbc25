"""How many samples a cell has: what the data can decide at all.

A test of x against y given k columns has a table of K_x K_y prod K_z cells. How many samples a cell has on average is
known before anything is tested, and says how deep a search can go before its answers are guesses.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from paucal import checks
from paucal.errors import not_allowed

if TYPE_CHECKING:
    from collections.abc import Sequence

ENOUGH = 5.0  # samples per cell that the classical tests ask for (Cochran's rule)
_MOST_PRODUCTS = 20_000  # distinct table sizes that are still counted one by one
_SAMPLED_QUESTIONS = 20_000


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


def sufficiency(n_rows: int, cardinalities: Sequence[int], order: int) -> Sufficiency:
    """Samples per cell over all questions with `order` conditioning columns.

    The cells of a question depend only on the set of its order + 2 columns, and each such set is asked about in the
    same number of ways, so it is enough to look at the products of cardinalities over all sets of that size.
    """
    n_rows = checks.whole_number("n_rows", n_rows, 0)
    listed = checks.items("cardinalities", cardinalities, "a list of numbers of levels")
    cardinalities = [checks.whole_number("cardinalities", one, 1) for one in listed]
    if len(cardinalities) < 2:
        raise not_allowed("cardinalities", cardinalities, "a list of two numbers of levels or more")
    size = checks.whole_number("order", order, 0, len(cardinalities) - 2) + 2
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
