"""Columns that are copies of each other: the same values under other labels.

Which of two copies another column depends on is not in the data; a search that joins one of them has thrown a coin.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np

from paucal.data.weights import level_counts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from paucal.data.encode import Codes


_FEWEST_ROWS = 10
_NATS = 20.0  # chance agrees with a column in who has the same value with a probability of e^-20 at most


def copies_among(
    columns: Sequence[Codes], n_rows: int | None = None, measured: Collection[int] = ()
) -> list[list[int]]:
    """Group the columns that are one-to-one functions of each other; columns with one value only are left out.

    In fewer than ten rows, columns are easily equal by chance, and none is called a copy. `n_rows` is how many rows
    these ones stand for, if some stand for more than one. Those that are `measured`, numbers with many values, are
    copies only in the same order, or the opposite one: rows that were pasted twice would make copies of any two.

    >>> import numpy as np
    >>> copies_among([np.array(4 * one) for one in ([0, 1, 2], [0, 0, 1], [2, 0, 1])])
    [[0, 2]]
    """
    if not columns:
        return []
    n_rows = len(columns[0]) if n_rows is None else n_rows
    if n_rows < _FEWEST_ROWS:
        return []
    alike: dict[bytes, list[int]] = {}  # copies have their values equally often: a look at that saves most of the work
    for i, codes in enumerate(columns):
        counts = level_counts(codes, 0, None)
        counts.sort()
        if counts[-1] < len(codes):  # values that no row has are zeros, which stand first
            alike.setdefault(counts.tobytes().lstrip(b"\0"), []).append(i)
    groups: dict[bytes, list[int]] = {}
    for i in sorted(i for some in alike.values() if len(some) > 1 for i in some):
        groups.setdefault(likeness(columns[i], n_rows, in_order=i in measured), []).append(i)
    return [group for group in groups.values() if len(group) > 1]


def likeness(codes: Codes, n_rows: int, least: float = _NATS, *, in_order: bool = False) -> bytes:
    """Give a digest of the codes, each replaced by its first row: copies, and only they, have the same.

    Where hardly any value repeats, as in measurements, any two columns are functions of each other; copies then have
    their values in the same order too, or in the opposite one. That two columns share their most frequent value and
    their gaps says little: whoever did not work has neither hours nor wages. So these two are set aside, and the others
    must repeat so often that chance agrees with them with a probability of e^-least at most, or have the same order.
    """
    firsts = np.zeros(int(codes.max()) + 1, np.uint32)
    firsts[codes[::-1]] = np.arange(len(codes), dtype=np.uint32)[::-1]
    appeared = firsts[codes]
    counts = np.bincount(appeared)
    common = [value for value in np.lexsort((np.arange(len(counts)), -counts))[:2].tolist() if counts[value] > 1]
    counts[common] = 0
    others = counts[counts > 0]
    rows = int(others.sum())
    repeat = rows < _FEWEST_ROWS or 2 * len(others) * len(codes) <= rows * n_rows or _ways(others) >= least
    if repeat and not in_order:
        return _digest(appeared)
    ranks = np.unique(codes[~np.isin(appeared, common)], return_inverse=True)[1].astype(np.uint32)
    return b"by order" + _digest(appeared) + min(_digest(ranks), _digest(ranks.max() - ranks))


def _digest(numbers: NDArray[np.uint32]) -> bytes:
    return hashlib.blake2b(numbers.tobytes(), digest_size=16).digest()


def _ways(counts: NDArray[np.intp]) -> float:
    """Give the logarithm of the number of ways to arrange values that occur so often, but for renaming them."""
    ways = math.lgamma(int(counts.sum()) + 1) - sum(math.lgamma(n + 1) for n in counts[counts > 1].tolist())
    return ways - math.lgamma(len(counts) + 1)
