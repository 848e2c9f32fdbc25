"""Two columns side by side: the table of one by the other, and what it says in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal.data.discretize import relation
from paucal.data.weights import level_counts
from paucal.graphs.language import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.data import Dataset

_MOST_LEVELS = 8  # of a column in a table; the rarest others are taken together
_FEWEST_ROWS = 10  # of a level that a sentence compares
OTHERS = "others"
_YES = ("yes", "true", "1", "present", "positive")  # levels that a sentence speaks of rather than of their opposite
_WORDS = ((0.1, "hardly related"), (0.3, "weakly related"), (0.5, "clearly related"))  # Cramér's V below, in words


class Contrast(NamedTuple):
    """Two levels of a column between which another one differs most, in one of its levels: the shares there."""

    level: int
    instead_of: int
    outcome: int
    here: float
    there: float


@dataclass(frozen=True, eq=False)
class Crossed:
    """The counts of two columns, and how far the second differs between levels of the first."""

    a: str
    b: str
    counts: NDArray[np.int64]
    levels: tuple[str, ...]
    outcomes: tuple[str, ...]
    ordered: bool  # whether both have an order
    n_rows: int

    @classmethod
    def of(cls, data: Dataset, a: str, b: str) -> Crossed:
        """Count the rows that have both values; numbers must be in steps."""
        i, j = data.index(a), data.index(b)
        k, m = len(data.levels[i]), len(data.levels[j])
        x, y = data.distinct[i].astype(np.int64), data.distinct[j].astype(np.int64)
        there = (x < k) & (y < m)
        weights = None if data.weights is None else data.weights[there]
        counts = level_counts(x[there] * m + y[there], k * m, weights).reshape(k, m)
        first, levels = _largest(counts, list(map(str, data.levels[i])), keep=data.kinds[i] == "ordered")
        turned, outcomes = _largest(first.T, list(map(str, data.levels[j])), keep=data.kinds[j] == "ordered")
        ordered = all(data.kinds[v] == "ordered" for v in (i, j))
        return cls(a, b, turned.T, tuple(levels), tuple(outcomes), ordered, data.n_rows)

    @property
    def used(self) -> int:
        """Rows that have both values."""
        return int(self.counts.sum())

    def size(self) -> float | None:
        """Cramér's V: 0 if the two have nothing to do with each other, 1 if one tells the other."""
        table = self.counts[self.counts.sum(axis=1) > 0][:, self.counts.sum(axis=0) > 0]
        n, smaller = table.sum(), min(table.shape) - 1
        if smaller < 1:
            return None
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
        return float(np.sqrt(((table - expected) ** 2 / expected).sum() / n / smaller))

    def sign(self) -> float | None:
        """Kendall's tau-b of two columns that both have an order: above 0 if they go up together."""
        if not self.ordered:
            return None
        n = self.counts.astype(np.float64)
        after = np.cumsum(np.cumsum(n[::-1, ::-1], axis=0), axis=1)[::-1, ::-1]  # rows at or beyond, in both
        before = np.cumsum(np.cumsum(n[::-1], axis=0), axis=1)[
            ::-1
        ]  # at or beyond in the first, at or below in the other
        alike = (n[:-1, :-1] * after[1:, 1:]).sum()
        opposed = (n[:-1, 1:] * before[1:, :-1]).sum()
        total = n.sum()
        pairs = [(total**2 - (n.sum(axis=axis) ** 2).sum()) / 2 for axis in (0, 1)]
        return float((alike - opposed) / np.sqrt(pairs[0] * pairs[1])) if min(pairs) > 0 else None

    def contrast(self) -> Contrast | None:
        """Find the two levels with enough rows, and the outcome, with the largest difference; None if there is none."""
        rows = self.counts.sum(axis=1)
        usable = [i for i, level in enumerate(self.levels) if rows[i] >= _FEWEST_ROWS and level != OTHERS]
        if len(usable) < 2:
            return None
        shares = self.counts[usable] / rows[usable, None]
        apart = shares[:, None, :] - shares[None, :, :]
        yes = [k for k, outcome in enumerate(self.outcomes) if outcome.lower() in _YES]
        looked = yes if len(yes) == 1 else [1] if len(self.outcomes) == 2 else list(range(len(self.outcomes)))
        i, j, k = (int(v) for v in np.unravel_index(int(np.argmax(apart[:, :, looked])), apart[:, :, looked].shape))
        k = looked[k]
        if self.outcomes[k] == OTHERS or not shares[i, k] > shares[j, k]:
            return None
        return Contrast(usable[i], usable[j], k, float(shares[i, k]), float(shares[j, k]))

    def words(self) -> str | None:
        """Say how closely the two go together, and where the second differs most."""
        size, found = self.size(), self.contrast()
        if size is None:
            return None
        a, b = quoted(self.a), quoted(self.b)
        how = next((words for below, words in _WORDS if size < below), "closely related")
        told = f"{a} and {b} are {how} (Cramér's V {size:.2f})"
        if found is None:
            return told
        return (
            f"{told}: {b} is {self.outcomes[found.outcome]} in {found.here:.0%} of the rows with "
            f"{a} {self.relation(found.level)}{self.levels[found.level]}, and in {found.there:.0%} of those with "
            f"{a} {self.relation(found.instead_of)}{self.levels[found.instead_of]}"
        )

    def relation(self, level: int) -> str:
        """Give what belongs between the first column and one of its levels."""
        return relation(self.levels[level], self.levels)

    def lines(self) -> list[str]:
        """Give the table as lines of text: of every level of the first the shares of the second, and its rows."""
        rows = self.counts.sum(axis=1)
        head = [f"{quoted(self.b)} given {quoted(self.a)}", *self.outcomes, "rows"]
        body = [
            [
                level,
                *(f"{n / rows[i]:.0%} ({n:,})" if rows[i] else "-" for n in self.counts[i].tolist()),
                f"{rows[i]:,}",
            ]
            for i, level in enumerate(self.levels)
        ]
        widths = [max(len(line[k]) for line in (head, *body)) for k in range(len(head))]
        told = [
            "  ".join(
                part.ljust(width) if not k else part.rjust(width)
                for k, (part, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in (head, *body)
        ]
        left = self.n_rows - self.used
        return told + ([f"{left:,} rows lack one of the two values"] if left else [])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "x": self.a,
            "y": self.b,
            "levels": list(self.levels),
            "outcomes": list(self.outcomes),
            "counts": self.counts.tolist(),
            "rows": self.n_rows,
            "size": self.size(),
            "sign": self.sign(),
            "words": self.words(),
        }


def _largest(counts: NDArray[np.int64], labels: list[str], *, keep: bool) -> tuple[NDArray[np.int64], list[str]]:
    """Keep the levels that occur, and of many the largest; the others, unless all are to be kept, become one."""
    rows = counts.sum(axis=1)
    there = [i for i in range(len(labels)) if rows[i]]
    if len(there) <= _MOST_LEVELS or keep:
        kept = there if len(there) > 1 else list(range(len(labels)))
        return counts[kept], [labels[i] for i in kept]
    kept = sorted(sorted(there, key=lambda i: (-rows[i], i))[: _MOST_LEVELS - 1])
    rest = [i for i in there if i not in kept]
    return np.vstack([counts[kept], counts[rest].sum(axis=0)]), [*(labels[i] for i in kept), OTHERS]
