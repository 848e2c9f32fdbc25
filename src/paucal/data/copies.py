"""Columns that are copies of each other: the same values under other labels.

Which of two copies another column depends on is not in the data; a search that joins one of them has thrown a coin.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.data.encode import Codes


_FEWEST_ROWS = 10
_NATS = 20.0  # chance agrees with a column in who has the same value with a probability of e^-20 at most


def copies_among(columns: Sequence[Codes], n_rows: int | None = None) -> list[list[int]]:
    """Group the columns that are one-to-one functions of each other; columns with one value only are left out.

    In fewer than ten rows, columns are easily equal by chance, and none is called a copy. `n_rows` is how many rows
    these ones stand for, if some stand for more than one.

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
        counts = np.bincount(codes)
        if np.count_nonzero(counts) > 1:
            alike.setdefault(np.sort(counts[counts > 0]).tobytes(), []).append(i)
    groups: dict[bytes, list[int]] = {}
    for i in sorted(i for some in alike.values() if len(some) > 1 for i in some):
        groups.setdefault(_digest(columns[i], n_rows), []).append(i)
    return [group for group in groups.values() if len(group) > 1]


def _digest(codes: Codes, n_rows: int) -> bytes:
    """Give a digest of the codes, each replaced by its first row: copies, and only they, have the same.

    Where hardly any value repeats, as in measurements, any two columns are functions of each other; copies then have
    their values in the same order too, or in the opposite one.
    """
    counts = np.bincount(codes)
    if 2 * np.count_nonzero(counts) > n_rows and _ways(counts[counts > 0]) < _NATS:
        ranks = np.unique(codes, return_inverse=True)[1].astype(np.uint32)
        both = (ranks, ranks.max() - ranks)
        return b"by order" + min(hashlib.blake2b(one.tobytes(), digest_size=16).digest() for one in both)
    rows = np.arange(len(codes), dtype=np.uint32)
    appeared = np.zeros(int(codes.max()) + 1, np.uint32)
    appeared[codes[::-1]] = rows[::-1]
    return hashlib.blake2b(appeared[codes].tobytes(), digest_size=16).digest()


def _ways(counts: NDArray[np.intp]) -> float:
    """Give the logarithm of the number of ways to arrange values that occur so often, but for renaming them."""
    ways = math.lgamma(int(counts.sum()) + 1) - sum(math.lgamma(n + 1) for n in counts[counts > 1].tolist())
    return ways - math.lgamma(len(counts) + 1)
