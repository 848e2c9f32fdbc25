"""What columns have to do with each other by construction: copies, recodings, functions, skipped questions.

A relation is exact in every row, and so many rows confirm it that chance is no explanation: shuffling a column would
bring it about with a probability below e^-20 or so. Pairs are first looked at in 512 rows, which rule out nearly all;
only what is left is checked in all rows. Pairs of up to 250 columns are looked at, functions of two columns among up to
24.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from paucal.data.copies import likeness
from paucal.data.discretize import short_number
from paucal.data.kinds import MOST_VALUES, observed_counts
from paucal.data.prepare import MANY_GAPS
from paucal.inspection.computed import GIVEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from paucal.inspection.describe import Examined

Relation_: TypeAlias = Literal["copy", "recoding", "coarser copy", "function", "skip", "function of two"]

MOST_COLUMNS = 250  # whose pairs are looked at
MOST_IN_TRIPLES = 24  # columns that functions of two are looked for among
_MOST_LEVELS = 50  # of a column that another is a function of
_SAMPLE = 512
_SHOWN = 3  # answers that are named
_NATS = 20.0
_NATS_OF_ONE = 7.0  # where somebody asks about one pair, and not one of many is picked


@dataclass(frozen=True, slots=True)
class Relation:
    """The first column is what the kind says of the others; `detail` says how."""

    kind: Relation_
    columns: tuple[str, ...]
    detail: str = ""


class Side:
    """One column as relations look at it: codes in which a missing value is one more level."""

    def __init__(self, found: Examined, places: npt.NDArray[np.intp]) -> None:
        self.found, self.name = found, found.name
        self.codes = found.clean.codes
        self.size = len(found.clean.levels) + 1
        self.sample = self.codes[places]
        self.counts = found.clean.counts
        self.n_rows = found.clean.n_rows
        self.n_missing = int(self.counts[-1])
        self.gap_sample = (self.sample == self.size - 1).view(np.uint8)

    @cached_property
    def n_seen(self) -> int:
        """How many different values occur, a missing one among them."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def agreement(self) -> float:
        """The logarithm of the probability that two random rows agree, as a positive number."""
        shares = self.counts / self.n_rows
        return -math.log(float((shares**2).sum()))

    @cached_property
    def ways(self) -> float:
        """The logarithm of the number of ways to arrange its values, but for renaming them."""
        seen = self.counts[self.counts > 0]
        return self.ways_in_order - math.lgamma(len(seen) + 1)

    @cached_property
    def ways_in_order(self) -> float:
        """The logarithm of the number of ways to arrange its values."""
        seen = self.counts[self.counts > 0]
        return math.lgamma(self.n_rows + 1) - sum(math.lgamma(n + 1) for n in seen.tolist())

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """The rows in order of the values."""
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def sample_order(self) -> npt.NDArray[np.intp]:
        """The rows of the sample in order of the values."""
        return np.argsort(self.sample, kind="stable")


def relations(columns: Sequence[Examined]) -> list[Relation]:
    """Find the relations among the columns that can enter a search."""
    sides = _sides(columns)
    if not sides:
        return []
    n_rows = sides[0].n_rows
    # what is mostly gaps is left out anyway, and what its gaps decide is told as a skipped question
    full = [side for side in sides if side.n_missing <= MANY_GAPS * n_rows]
    found = list(_copies(full)) if full else []
    copies = {one.columns[0] for one in found}
    gappy = [side for side in sides if side.n_missing > MANY_GAPS * n_rows]
    sides = [side for side in full if side.name not in copies]
    if not sides:
        return found
    found += _coarser(sides)
    found += _functions(sides)
    found += _skips([*sides, *gappy], sides)
    known = {one.columns[0] for one in found if one.kind in ("function", "coarser copy")}
    return found + list(_functions_of_two([side for side in sides if side.name not in known]))


def same_in_a_pair(columns: Sequence[Examined]) -> Relation | None:
    """Tell whether one of two columns is a copy or a cut of the other; for one pair, fewer rows are enough."""
    sides = _sides(columns)
    return next(chain(_copies(sides, _NATS_OF_ONE), _coarser(sides, _NATS_OF_ONE)), None) if sides else None


def _sides(columns: Sequence[Examined]) -> list[Side]:
    """Take the columns that can have relations; none if they are too few or too many."""
    useful = [one for one in columns if one.taken.kind != "name" and np.count_nonzero(observed_counts(one.clean)) > 1]
    if not 2 <= len(useful) <= MOST_COLUMNS:
        return []
    n_rows, weights = useful[0].clean.n_rows, useful[0].clean.weights
    places = np.linspace(0, n_rows - 1, min(n_rows, _SAMPLE)).astype(np.intp)
    if weights is not None:
        places = np.searchsorted(np.cumsum(weights, dtype=np.int64), places, side="right")
    return [Side(one, places) for one in useful]


def _copies(sides: Sequence[Side], nats: float = _NATS) -> Iterator[Relation]:
    """Columns that say the same: the later one is the copy, unless it is an age or a date, which nobody computes."""
    least = nats + 2 * math.log(len(sides))
    first: dict[bytes, Side] = {}
    of: dict[str, Side] = {}  # what a copy is a copy of
    for side in sorted(sides, key=lambda side: GIVEN.fullmatch(side.name) is None):
        for key in _keys(side, least):
            other = first.setdefault(key, side)
            other = of.get(other.name, other)  # it may be one in its turn
            if other is not side:
                of[side.name] = other
                same = side.found.clean.levels == other.found.clean.levels and np.array_equal(side.codes, other.codes)
                yield Relation("copy" if same else "recoding", (side.name, other.name))
                break


def _keys(side: Side, least: float) -> Iterator[bytes]:
    """Digest what columns share that say the same: who agrees with whom; numbers also their order, up or down.

    Only what chance does not bring about: values that hardly repeat always agree with those of any such column. So do
    measurements of which rows were pasted twice, and numbers of many values must have the same order.
    """
    codes = side.codes.astype(np.uint32)
    if side.found.taken.kind == "number" and side.ways_in_order - math.log(2) >= least:
        turned = np.where(codes < side.size - 1, side.size - 2 - codes, codes).astype(np.uint32)
        yield min(_digest(b"number", one) for one in (codes, turned))
    if side.ways >= least:
        measured = side.found.taken.kind == "number" and side.n_seen > MOST_VALUES
        yield b"levels" + likeness(side.codes, side.n_rows, least, in_order=measured)


def _digest(kind: bytes, codes: npt.NDArray[np.uint32]) -> bytes:
    return hashlib.blake2b(kind + codes.tobytes()).digest()


def _coarser(sides: Sequence[Side], nats: float = _NATS) -> Iterator[Relation]:
    """Levels that a number decides by limits, such as low = weight < 2500."""
    least = nats + 2 * math.log(len(sides))
    numbers = [side for side in sides if side.found.taken.kind == "number"]
    for y in sides:
        if y.found.taken.kind == "number" or y.ways < least or y.n_seen > _MOST_LEVELS:
            continue
        for x in numbers:
            if _steps(x.sample[x.sample_order], y.sample[x.sample_order], x, y) is None:
                continue
            ends = _steps(x.codes[x.order], y.codes[x.order], x, y)
            if ends is None or len(ends) < 2:
                continue
            if len(ends) == x.n_seen - (x.n_missing > 0):
                yield Relation("recoding", (y.name, x.name))
            else:
                yield Relation("coarser copy", (y.name, x.name), _limits(x, y, ends))
            break


def _steps(x: npt.NDArray[Any], y: npt.NDArray[Any], of_x: Side, of_y: Side) -> list[tuple[int, int]] | None:
    """Give the value of x at which each level of y begins, if every level is one interval of x; rows in order of x."""
    present = (x < of_x.size - 1) & (y < of_y.size - 1)
    if present.sum() < min(len(present), _SAMPLE) / 4:
        return None
    x, y = x[present], y[present]
    begins = np.flatnonzero(np.append(True, y[1:] != y[:-1]))
    levels = y[begins].tolist()
    inside = begins[1:]
    if len(set(levels)) < len(levels) or (x[inside] == x[inside - 1]).any():
        return None
    return list(zip(x[begins].tolist(), levels, strict=True))


def _limits(x: Side, y: Side, ends: Sequence[tuple[int, int]]) -> str:
    """Say where the levels begin."""
    values, levels = x.found.clean.levels, y.found.clean.levels
    limits = [_limit(values[start - 1], values[start]) for start, _ in ends[1:4]]
    parts = [f"{y.name} = {levels[ends[0][1]]} below {x.name} = {limits[0]}"]
    parts += [f"{levels[code]} from {limit} on" for limit, (_, code) in zip(limits, ends[1:4], strict=True)]
    return ", ".join(parts) + (" and so on" if len(ends) > 4 else "")


def _limit(below: Any, start: Any) -> str:
    """Give a short number that tells the two apart, as whoever cut there may have had in mind; of dates, the later."""
    if isinstance(start, int | float) and isinstance(below, int | float) and math.isfinite(start - below):
        return f"{short_number(float(start), float(below), float(start), 2):.12g}"
    return str(start)


def _functions(sides: Sequence[Side]) -> Iterator[Relation]:
    """Levels that other levels decide, such as the region of a town."""
    least, n_rows = _NATS + 2 * math.log(len(sides)), sides[0].n_rows if sides else 0
    levels = [side for side in sides if side.found.taken.kind != "number"]
    for y in levels:
        for x in levels:
            if x is y or not y.n_seen < x.n_seen <= max(_MOST_LEVELS, n_rows // 10):
                continue
            if (n_rows - x.n_seen) * y.agreement < least:
                continue
            if decides(x.sample, y.sample, x.size) and decides(x.codes, y.codes, x.size):
                yield Relation("function", (y.name, x.name))
                break


def decides(x: npt.NDArray[Any], y: npt.NDArray[Any], size: int) -> bool:
    """Tell whether rows with equal x have equal y."""
    of = np.zeros(size, y.dtype)
    of[x] = y
    return bool((of[x] == y).all())


def _skips(sides: Sequence[Side], askers: Sequence[Side]) -> Iterator[Relation]:
    """Questions that are skipped after an answer to one of `askers`: missing exactly there."""
    least = _NATS + 2 * math.log(max(2, len(sides)))
    seen: dict[bytes, tuple[str, str] | None] = {}
    for y in sides:
        if not y.n_missing:
            continue
        gap = (y.codes == y.size - 1).view(np.uint8)
        key = hashlib.blake2b(gap.tobytes()).digest()
        if key not in seen:
            seen[key] = _asked_before(y, gap, askers, least)
        before = seen[key]
        if before is not None and before[0] != y.name:
            yield Relation("skip", (y.name, before[0]), before[1])


def _asked_before(y: Side, gap: npt.NDArray[np.uint8], sides: Sequence[Side], least: float) -> tuple[str, str] | None:
    """Find the question whose answer decides whether another is asked."""
    share = y.n_missing / len(gap)
    agreement = -math.log(share**2 + (1 - share) ** 2)
    for x in sides:
        usable = x is not y and x.found.taken.kind != "number" and x.n_seen <= 20
        if not usable or (len(gap) - x.n_seen) * agreement < least:
            continue
        if not decides(x.sample, y.gap_sample, x.size) or not decides(x.codes, gap, x.size):
            continue
        of = np.zeros(x.size, np.uint8)
        of[x.codes] = gap
        answers = [str(level) for level, skipped in zip(x.found.clean.levels, of, strict=False) if skipped]
        if answers:
            others = [f"one of {len(answers) - _SHOWN} others"] if len(answers) > _SHOWN + 1 else answers[_SHOWN:]
            return x.name, " or ".join([*answers[:_SHOWN], *others])
    return None


def _functions_of_two(sides: Sequence[Side]) -> Iterator[Relation]:
    """Levels that two columns decide together, such as "any of the two"."""
    levels = [side for side in sides if side.found.taken.kind != "number" and side.size <= 21]
    if not 3 <= len(levels) <= MOST_IN_TRIPLES:
        return
    least, n_rows = _NATS + 3 * math.log(len(levels)), levels[0].n_rows
    samples = np.stack([side.sample.astype(np.uint8) for side in levels], axis=1)
    deciders: list[list[tuple[Side, Side]]] = [[] for _ in levels]  # by column, those that decide it in the sample
    for a, b in combinations(levels, 2):
        cells = _cells(a.sample, b.sample, b)
        order = np.argsort(cells, kind="stable")
        alike = np.diff(cells[order]) == 0
        rows = samples[order]
        differ = ((rows[1:] != rows[:-1]) & alike[:, np.newaxis]).any(axis=0)
        for i in np.flatnonzero(~differ).tolist():
            if levels[i] is not a and levels[i] is not b:
                deciders[i].append((a, b))
    for y, pairs in zip(levels, deciders, strict=True):
        for a, b in pairs:
            if (n_rows - a.n_seen * b.n_seen) * y.agreement < least:
                continue
            if decides(_cells(a.codes, b.codes, b), y.codes, a.size * b.size):
                yield Relation("function of two", (y.name, a.name, b.name))
                break


def _cells(a: npt.NDArray[Any], b: npt.NDArray[Any], of_b: Side) -> npt.NDArray[np.uint16]:
    """Number the cells of two columns of at most 21 values each."""
    return a.astype(np.uint16) * np.uint16(of_b.size) + b.astype(np.uint16)
