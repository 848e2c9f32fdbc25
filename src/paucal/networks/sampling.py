"""Ancestral sampling: every node after its parents, many rows at a time.

A row takes one uniform number per node, in the order of the nodes, so that the first rows of a long sample are the
short sample of the same seed, and hiding columns does not change the others. A level is found by halving the cumulated
probabilities of its row of the table, in as many steps as the number of levels has bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from paucal import checks
from paucal.data.encode import code_type
from paucal.networks.inference import ancestors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.networks.tables import FloatArray

Seed: TypeAlias = "int | np.random.SeedSequence | np.random.Generator"
Codes: TypeAlias = "NDArray[np.uint8 | np.uint16 | np.uint32]"

# rows are drawn in blocks: few enough numbers for the cache, enough rows to hide the cost of a call
_BLOCK_CELLS = 2**18
_BLOCK_ROWS = 2**10


def generator(seed: Seed) -> np.random.Generator:
    """Make the random numbers of a seed: the same on every platform."""
    if isinstance(seed, np.random.Generator):
        return seed
    if not isinstance(seed, np.random.SeedSequence):
        hint = "NumPy's SeedSequence and Generator are seeds too."
        seed = checks.seed(seed, hint=hint)
    return np.random.Generator(np.random.PCG64(seed))


def ancestral_sample(
    order: Sequence[str],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, FloatArray],
    n: int,
    *,
    rng: np.random.Generator,
    observed: Sequence[str],
) -> tuple[Codes, ...]:
    """Draw `n` rows and give the codes of the observed nodes.

    `order` lists all nodes, parents first; `parents` has them in the order in which rows take their random numbers.
    """
    names = list(parents)
    place = {name: i for i, name in enumerate(names)}
    needed = set(ancestors(observed, parents))
    draws = [
        _Draw.prepare(place[node], tuple(place[parent] for parent in parents[node]), tables[node])
        for node in order
        if node in needed
    ]
    kept = [place[name] for name in observed]
    columns = [np.empty(n, dtype=code_type(tables[name].shape[-1])) for name in observed]

    block = max(_BLOCK_ROWS, _BLOCK_CELLS // len(names))
    codes = np.empty((len(names), min(block, n)), dtype=np.intp)
    for start in range(0, n, block):
        rows = min(block, n - start)
        uniforms = np.ascontiguousarray(rng.random((rows, len(names))).T)
        for draw in draws:
            draw.fill(codes[:, :rows], uniforms)
        for column, i in zip(columns, kept, strict=True):
            column[start : start + rows] = codes[i, :rows]
    return tuple(columns)


@dataclass(frozen=True, slots=True)
class _Draw:
    """One node: where its parents are, and the thresholds of its levels, padded to a power of two per row."""

    node: int
    parents: tuple[int, ...]
    strides: tuple[int, ...]
    thresholds: FloatArray
    width: int

    @classmethod
    def prepare(cls, node: int, parents: tuple[int, ...], table: FloatArray) -> _Draw:
        levels = table.shape[-1]
        width = 1 << (levels - 1).bit_length()
        rows = table.reshape(-1, levels)
        thresholds = np.full((len(rows), width), np.inf)
        thresholds[:, :levels] = np.cumsum(rows, axis=1)
        # from the last possible level on, rounding must not leave room for an impossible one
        last = levels - 1 - np.argmax(rows[:, ::-1] > 0.0, axis=1)
        thresholds[np.arange(width) >= last[:, None]] = np.inf
        strides = tuple(width * math.prod(table.shape[i + 1 : -1]) for i in range(len(parents)))
        return cls(node, parents, strides, thresholds.ravel(), width)

    def fill(self, codes: NDArray[np.intp], uniforms: FloatArray) -> None:
        where = codes[self.node]
        where[:] = 0
        for parent, stride in zip(self.parents, self.strides, strict=True):
            where += codes[parent] * stride
        half = self.width // 2
        while half:
            # `where` points at the first level still possible; step over `half` of them if u lies beyond
            beyond = uniforms[self.node] >= self.thresholds[half - 1 :].take(where)
            where += np.multiply(beyond, half, dtype=np.intp)
            half //= 2
        where &= self.width - 1
