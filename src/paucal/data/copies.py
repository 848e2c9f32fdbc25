"""Columns that are copies of each other: the same values under other labels.

Which of two copies another column depends on is not in the data; a search that joins one of them has thrown a coin.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data.encode import Codes


_FEWEST_ROWS = 10


def copies_among(columns: Sequence[Codes]) -> list[list[int]]:
    """Group the columns that are one-to-one functions of each other; columns with one value only are left out.

    In fewer than ten rows, columns are easily equal by chance, and none is called a copy.

    >>> import numpy as np
    >>> copies_among([np.array(4 * one) for one in ([0, 1, 2], [0, 0, 1], [2, 0, 1])])
    [[0, 2]]
    """
    if not columns or len(columns[0]) < _FEWEST_ROWS:
        return []
    groups: dict[bytes, list[int]] = {}
    for i, codes in enumerate(columns):
        if codes.min() != codes.max():
            groups.setdefault(_digest(codes), []).append(i)
    return [group for group in groups.values() if len(group) > 1]


def _digest(codes: Codes) -> bytes:
    """Give a digest of the codes, numbered anew by their first row: copies, and only they, have the same."""
    _, first, place = np.unique(codes, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.uint32)
    numbers[np.argsort(first)] = np.arange(len(first), dtype=np.uint32)
    return hashlib.blake2b(numbers[place.reshape(-1)].tobytes(), digest_size=16).digest()
