"""Random numbers by position in the grid, the same on every machine and for any order of work."""

from __future__ import annotations

import zlib

import numpy as np


def seed_at(root: int, *position: str | int) -> np.random.SeedSequence:
    """Give the random numbers of a position in the grid."""
    numbers = [zlib.crc32(word.encode()) if isinstance(word, str) else word for word in position]
    return np.random.SeedSequence(root, spawn_key=tuple(numbers))
