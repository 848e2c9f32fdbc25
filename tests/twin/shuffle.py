"""The permutation test, with the same random numbers as the kernel, so with the same p-values."""

from __future__ import annotations

import math
from collections import Counter
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from twin.moments import by_permutation, chi2_perm, log_rarest_table
from twin.tables import Cells, Reading, level_at, strata_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

TIE = 1e-9
_WORD = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15


def permutation(
    cells: Cells,
    *,
    statistic: Callable[[Cells], Reading] = chi2_perm,
    alpha: float | str | Sequence[float] = 0.05,
    permutations: int = 1999,
    exceedances: int = 50,
    seed: int = 0,
    undecidable: str = "report",
) -> Reading:
    """The share of shuffled tables in which another statistic shows at least as much dependence."""
    reading = statistic(cells)
    observed = _dependence(reading)
    moves = any(len(s.rows) > 1 and len(s.columns) > 1 for s in strata_of(cells))
    p = 1.0
    if moves:
        shown = (_dependence(statistic(table)) for table in shuffled(cells, seed))
        p = _share(shown, observed - TIE * max(1.0, abs(observed)), permutations, exceedances)
    reachable = permutation_smallest(cells, permutations=permutations) if moves else 1.0
    level, informative = level_at(alpha, cells.order), reading.informative and moves
    return by_permutation(reading.statistic, reading.dof, p, level, reachable, informative, undecidable)


def permutation_smallest(cells: Cells, *, permutations: int = 1999) -> float:
    """A p-value that no table with these margins goes below."""
    rarest = math.exp(sum(log_rarest_table(s.rows, s.columns) for s in strata_of(cells)))
    return max(rarest, 1 / (permutations + 1))


def _dependence(reading: Reading) -> float:
    return -reading.nearness if math.isnan(reading.p_value) else reading.statistic


def _share(shown: Iterator[float], threshold: float, permutations: int, exceedances: int) -> float:
    exceeded = 0
    for m in range(1, permutations + 1):
        exceeded += next(shown) >= threshold
        if exceeded == exceedances:
            return exceeded / m
    return (exceeded + 1) / (permutations + 1)


# -- shuffling ---------------------------------------------------------------------------------------------------


def shuffled(cells: Cells, seed: int) -> Iterator[Cells]:
    """Tables with the same margins, without end."""
    met: Counter[int] = Counter()
    decks = [_deals(cells, s, seed, met) for s in range(cells.n_strata)]
    for dealt in zip(*decks, strict=True):
        keys, n = zip(*sorted(sum(dealt, Counter()).items()), strict=True)
        stratum, x, y = np.array(keys, dtype=np.int64).T
        yield cells._replace(stratum=stratum, x=x, y=y, n=np.array(n, dtype=np.int64))


def _deals(cells: Cells, s: int, seed: int, met: Counter[int]) -> Iterator[Counter[tuple[int, int, int]]]:
    """The cells of one stratum after each shuffle; strata with equal margins (`met`) move differently."""
    here = cells.stratum == s
    x, y, n = (v[here].tolist() for v in (cells.x, cells.y, cells.n))
    rows, columns = Counter(), Counter()
    for i, j, count in zip(x, y, n, strict=True):
        rows[i] += count
        columns[j] += count
    if len(rows) == 1 or len(columns) == 1:
        return repeat(Counter({(s, i, j): count for i, j, count in zip(x, y, n, strict=True)}))
    sizes = [sorted(side.values()) for side in (rows, columns)]
    turned = (len(columns), sizes[1]) < (len(rows), sizes[0])
    if turned:
        rows, columns = columns, rows
    mark = 0
    for side in (rows, columns):
        mark = _mix(mark + 1)
        for count in sorted(side.values()):
            mark = _mix(mark ^ count)
    stream = _mix(mark + met[mark] & _WORD)
    met[mark] += 1
    # the rarest level first; the longest row gets what the others leave
    dealt, labels = (
        [i for _, i in sorted((n, i) for i, n in side.items()) for _ in range(side[i])] for side in (rows, columns)
    )
    drawn = len(dealt) - max(rows.values())
    return _shuffles(s, dealt, labels, drawn, _words(seed, stream), turned=turned)


def _shuffles(
    s: int, rows: list[int], labels: list[int], drawn: int, words: Iterator[int], *, turned: bool
) -> Iterator[Counter[tuple[int, int, int]]]:
    while True:
        for i in range(drawn):
            j = i + (next(words) * (len(labels) - i) >> 64)
            labels[i], labels[j] = labels[j], labels[i]
        yield Counter((s, *((y, x) if turned else (x, y))) for x, y in zip(rows, labels, strict=True))


# -- random numbers ----------------------------------------------------------------------------------------------


def _words(seed: int, stream: int) -> Iterator[int]:
    """xoshiro256++, seeded by splitmix64: whole numbers below 2^64."""
    x = seed ^ _mix(stream + _STEP & _WORD)
    a, b, c, d = (_mix(x + (i + 1) * _STEP & _WORD) for i in range(4))
    while True:
        yield _rotate(a + d & _WORD, 23) + a & _WORD
        t = b << 17 & _WORD
        c, d = c ^ a, d ^ b
        b, a = b ^ c, a ^ d
        c, d = c ^ t, _rotate(d, 45)


def _mix(h: int) -> int:
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    h = (h ^ h >> 27) * 0x94D049BB133111EB & _WORD
    return h ^ h >> 31


def _rotate(x: int, by: int) -> int:
    return (x << by | x >> 64 - by) & _WORD
