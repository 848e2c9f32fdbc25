"""Readable twin of the kernel's permutation test: the same random numbers, so the same p-values."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal._reference_bayes import strata_of
from paucal._reference_permutation import calibrated, log_rarest_table
from paucal._reference_tables import Cells, Reading, level_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

TIE = 1e-9


class Permutation:
    """The share of shuffled tables in which another statistic shows at least as much dependence."""

    def __init__(
        self,
        inner: Callable[[Cells], Reading],
        alpha: float | Sequence[float],
        permutations: int,
        exceedances: int,
        seed: int,
        *,
        act: bool,
    ) -> None:
        self.inner, self.alpha = inner, alpha
        self.permutations, self.exceedances, self.seed, self.act = permutations, exceedances, seed, act

    def __call__(self, cells: Cells) -> Reading:
        """Read one table."""
        level = level_at(self.alpha, cells.order)
        reading = self.inner(cells)
        observed = _dependence(reading)
        threshold = observed - TIE * max(1.0, abs(observed))
        tables = shuffled(cells, self.seed)
        p = 1.0 if tables is None else self._share(tables, threshold)
        powerless = p > level and (tables is None or self.smallest_p(cells) > level)
        informative = reading.informative and tables is not None
        return calibrated(
            reading.statistic, reading.dof, p, level, informative, powerless=powerless, act=self.act
        )

    def smallest_p(self, cells: Cells) -> float:
        """A p-value that no table with these margins goes below."""
        rarest = math.exp(sum(log_rarest_table(s.rows, s.columns) for s in strata_of(cells)))
        return max(rarest, 1 / (self.permutations + 1))

    def _share(self, tables: Iterator[Cells], threshold: float) -> float:
        exceeded = 0
        for m in range(1, self.permutations + 1):
            exceeded += _dependence(self.inner(next(tables))) >= threshold
            if exceeded == self.exceedances:
                return exceeded / m
        return (exceeded + 1) / (self.permutations + 1)


def _dependence(reading: Reading) -> float:
    return -reading.nearness if math.isnan(reading.p_value) else reading.statistic


# -- shuffling ---------------------------------------------------------------------------------------------------

_WORD = 2**64 - 1


def _mix(h: int) -> int:
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    h = (h ^ h >> 27) * 0x94D049BB133111EB & _WORD
    return h ^ h >> 31


class Random:
    """xoshiro256++, seeded by splitmix64."""

    def __init__(self, seed: int, stream: int) -> None:
        x = seed ^ _mix(stream + 0x9E3779B97F4A7C15 & _WORD)
        self.state = [_mix(x + (i + 1) * 0x9E3779B97F4A7C15 & _WORD) for i in range(4)]

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        s = self.state
        out = _rotate(s[0] + s[3] & _WORD, 23) + s[0] & _WORD
        t = s[1] << 17 & _WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = _rotate(s[3], 45)
        return out * n >> 64


def _rotate(x: int, by: int) -> int:
    return (x << by | x >> 64 - by) & _WORD


class _Deck:
    """The labels of one stratum and the random numbers that shuffle them."""

    def __init__(
        self, x: NDArray[Any], y: NDArray[Any], n: NDArray[Any], seed: int, met: Counter[int]
    ) -> None:
        rows, columns = ([(v, int(n[of == v].sum())) for v in np.unique(of).tolist()] for of in (x, y))
        self.labels = [v for v, count in columns for _ in range(count)]
        mark = 0
        for side in (rows, columns):
            mark = _mix(mark + 1)
            for level, count in side:
                mark = _mix(mark ^ (level << 32 | count))
        last = max(range(len(rows)), key=lambda i: rows[i][1])
        rows.append(rows.pop(last))
        self.rows = [v for v, count in rows for _ in range(count)]
        self.drawn = len(self.labels) - rows[-1][1]
        self.moves = len(rows) > 1 and len(columns) > 1
        if self.moves:
            self.random = Random(seed, _mix(mark + met[mark] & _WORD))
            met[mark] += 1

    def shuffle(self) -> None:
        """Give new labels to all rows but the last, which gets the rest."""
        labels = self.labels
        for i in range(self.drawn if self.moves else 0):
            j = i + self.random.below(len(labels) - i)
            labels[i], labels[j] = labels[j], labels[i]


def shuffled(cells: Cells, seed: int) -> Iterator[Cells] | None:
    """Tables with the same margins, without end; None if there is no other such table."""
    met: Counter[int] = Counter()
    decks = []
    for s in range(cells.n_strata):
        here = cells.stratum == s
        decks.append(_Deck(cells.x[here], cells.y[here], cells.n[here], seed, met))
    if not any(deck.moves for deck in decks):
        return None
    return _deal(cells, decks)


def _deal(cells: Cells, decks: list[_Deck]) -> Iterator[Cells]:
    still = {s: cells.stratum == s for s, deck in enumerate(decks) if not deck.moves}
    while True:
        counts: Counter[tuple[int, int, int]] = Counter()
        for s, deck in enumerate(decks):
            if deck.moves:
                deck.shuffle()
                counts.update((s, x, y) for x, y in zip(deck.rows, deck.labels, strict=True))
            else:
                here = still[s]
                for x, y, n in zip(cells.x[here], cells.y[here], cells.n[here], strict=True):
                    counts[s, int(x), int(y)] = int(n)
        keys = sorted(counts)
        stratum, x, y = (np.array(v, dtype=np.int64) for v in zip(*keys, strict=True))
        n = np.array([counts[key] for key in keys], dtype=np.int64)
        yield cells._replace(stratum=stratum, x=x, y=y, n=n)
