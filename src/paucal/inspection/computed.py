"""Numbers that were computed from others: ratios and products, sums and differences, logarithms and other scales.

A column is called computed only if rounding explains all that is left: in 98 of 100 rows the formula must hold up to
half the last digit of each column in it, and that must be little (a fifth) beside what the column varies by if one of
the others is not known. Nature leaves more. Three kinds of formula are tried:

* a number that another gives by a rising or falling curve (`_same`);
* a line through two others, or through their logarithms, with powers 1/2, 1, 2 or 3 (`_from_two`);
* a line through all numbers that stand before it (`_from_many`), where there are three times as many rows as numbers.

All are looked for in up to 2,000 rows of up to 100 numbers, and at most 5,000 formulas of two columns are checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np

from paucal.data.kinds import observed_counts, sort_of
from paucal.data.prepare import MANY_GAPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from paucal.data.encode import Column
    from paucal.inspection.describe import Examined

    Floats = npt.NDArray[np.float64]

MOST_COLUMNS = 100
_MOST_FORMULAS = 5000
_ROWS = 2000
FEWEST_ROWS = 30
_FEWEST_VALUES = 10
_FEWEST_OF_TOTAL = 5
_MOST_EXCEPTIONS = 0.02
_LEFT = 0.03  # share of the variance given one column that may be left given two: above that nothing is checked
_LITTLE = 0.2  # what rounding may blur, beside the spread that a column has if one of the others is not known
_ALIKE = 0.98  # correlation of ranks below which no curve is looked for
_LARGEST = 1e100
_POWERS = (0.5, 1.0, 2.0, 3.0)
GIVEN = re.compile(r"(?:.*[^a-z])?(?:age|year|birth|born|date)(?:[^a-z].*)?", re.IGNORECASE)  # nobody computes them


@dataclass(frozen=True, slots=True)
class Computed:
    """The first column was computed from the others; `formula` says how, and is empty for a curve through one."""

    columns: tuple[str, ...]
    formula: str = ""


@dataclass(frozen=True, slots=True)
class _Number:
    """A column in the rows that are looked at; `unit` is what it was rounded to, 0 if to nothing."""

    name: str
    values: Floats
    unit: float
    different: int


def computed(columns: Sequence[Examined]) -> Iterator[Computed]:
    """Find them among columns that can enter a search, each once; what was computed is not used for other formulas."""
    numbers = _numbers(columns)
    gone: set[str] = set()
    for find in (_same, _from_two, _from_many):
        for one in find([number for number in numbers if number.name not in gone]):
            if gone.isdisjoint(one.columns):
                gone.add(one.columns[0])
                yield one


def _numbers(columns: Sequence[Examined]) -> list[_Number]:
    """Take the numbers in rows that have all of them, but for the columns with the most gaps if these leave too few."""
    useful = [one for one in columns if one.taken.kind != "name" and sort_of(one.clean) in ("whole", "fraction")]
    useful = [one for one in useful if _n_different(one) > 1 and _gaps(one).mean() <= MANY_GAPS]
    if not 2 <= len(useful) <= MOST_COLUMNS:
        return []
    by_gaps = sorted(useful, key=lambda one: int(_gaps(one).sum()))
    complete = np.ones(len(useful[0].clean.codes), bool)
    taken: list[str] = []
    for one in by_gaps:
        if np.count_nonzero(complete & ~_gaps(one)) >= FEWEST_ROWS:
            complete &= ~_gaps(one)
            taken.append(one.name)
    rows = np.flatnonzero(complete)
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), _ROWS)).astype(np.intp)] if len(rows) else rows
    found = []
    for one in useful:
        levels = values_of(one.clean)
        if one.name not in taken or levels is None:
            continue
        values = levels[one.clean.codes[rows]]
        if values.std() > 0:
            found.append(_Number(one.name, values, unit_of(levels), _n_different(one)))
    return found


def _n_different(one: Examined) -> int:
    return int(np.count_nonzero(observed_counts(one.clean)))


def _gaps(one: Examined) -> npt.NDArray[np.bool_]:
    return np.asarray(one.clean.codes == len(one.clean.levels))


def values_of(column: Column) -> Floats | None:
    """Give the levels as numbers to compute with; None if one is none, or so large that squares would be infinite."""
    if sort_of(column) not in ("whole", "fraction") or any(abs(level) > _LARGEST for level in column.levels):
        return None
    return np.array([float(level) for level in column.levels])


def unit_of(values: Floats) -> float:
    """Find the power of ten that all values are multiples of.

    >>> unit_of(np.array([1.25, 3.5, 2.0])), unit_of(np.array([1200.0, 300.0])), unit_of(np.array([1 / 3, 2.0]))
    (0.01, 100.0, 0.0)
    """
    for digits in range(-3, 7):
        scaled = values * 10.0**digits
        if (np.abs(scaled - np.round(scaled)) <= 1e-9 * (1 + np.abs(scaled))).all():
            return float(10.0**-digits)
    return 0.0


def _same(numbers: Sequence[_Number]) -> Iterator[Computed]:
    """Numbers that say the same on another scale, which rounding keeps from being exact: the coarser is the copy."""
    fine = [one for one in numbers if one.different >= _FEWEST_VALUES]
    if len(fine) < 2:
        return
    ranks = [_ranks(one.values) for one in fine]
    r = _correlations(ranks)
    for i, j in zip(*np.nonzero(np.triu(np.abs(r) > _ALIKE, 1)), strict=True):
        x, y = sorted((fine[i], fine[j]), key=lambda one: -one.different)
        if _is_curve(x.values, np.sign(r[i, j]) * y.values, y.unit):
            yield Computed((y.name, x.name))


def _ranks(values: Floats) -> Floats:
    """Give the mean rank of equal values to each of them."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes])


def _correlations(values: Floats | Sequence[Floats]) -> Floats:
    return np.atleast_2d(np.corrcoef(values))


def _is_curve(x: Floats, y: Floats, unit: float) -> bool:
    """Tell whether y never falls along x by more than one unit, which must be little."""
    blur = unit if unit <= _LITTLE / 4 * y.std() else 0.0
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    tied = np.append(False, x[1:] == x[:-1])
    if tied.any():  # rows with equal x must have equal y, or differ by no more than it was rounded
        first = np.maximum.accumulate(np.where(tied, 0, np.arange(len(x))))
        spread = y - y[first]
    else:
        spread = np.zeros(len(y))
    falls = np.maximum.accumulate(y) - y
    wrong = (falls > 1.001 * blur) | (spread > 1.001 * blur)
    return bool(np.count_nonzero(wrong) <= (_MOST_EXCEPTIONS * len(y) if blur else 0))


def _from_two(numbers: Sequence[_Number]) -> Iterator[Computed]:
    fine = [one for one in numbers if one.different >= _FEWEST_VALUES]
    for logarithms in (False, True):
        fit = [one for one in fine if not logarithms or one.values.min() > 0]
        if len(fit) < 3:
            continue
        triples = _triples(_correlations([np.log(one.values) if logarithms else one.values for one in fit]))
        gone: set[str] = set()
        for places in islice(triples, _MOST_FORMULAS):
            three = [fit[k] for k in places]
            if gone.isdisjoint(one.name for one in three):
                found = _best(
                    [_Formula.of(three[k], [*three[:k], *three[k + 1 :]], logarithms=logarithms) for k in range(3)]
                )
                if found is not None:
                    gone.add(found.columns[0])
                    yield found


def _triples(r: Floats) -> Iterator[tuple[int, ...]]:
    """Find three columns of which two give the third much better than one does."""
    told: set[tuple[int, ...]] = set()
    alone = 1 - r**2
    for a, b in combinations(range(len(r)), 2):
        if alone[a, b] < 1e-9:
            continue
        left = 1 - (r[a] ** 2 + r[b] ** 2 - 2 * r[a] * r[b] * r[a, b]) / alone[a, b]
        for y in np.flatnonzero(left < _LEFT * np.minimum(alone[a], alone[b])).tolist():
            triple = tuple(sorted((y, a, b)))
            if y not in (a, b) and triple not in told:
                told.add(triple)
                yield triple


@dataclass(frozen=True, slots=True)
class _Formula:
    """How a column is computed from others.

    It is `strict` if it needs no digits but its own, and `plain` if it is a sum, or a product without roots.
    """

    result: str
    parts: tuple[str, ...]
    text: str
    strict: bool
    plain: bool

    @classmethod
    def of(cls, y: _Number, parts: Sequence[_Number], *, logarithms: bool = False) -> _Formula | None:
        """Fit it, and tell whether rounding explains what it leaves."""
        target = np.log(y.values) if logarithms else y.values
        inputs = np.array([np.log(one.values) if logarithms else one.values for one in parts]).T
        weights = _simple(_slopes(inputs, target), logarithms=logarithms)
        if weights is None:
            return None
        left = target - inputs @ weights
        own = _blur(y, logarithms=logarithms)
        others = [abs(w) * _blur(one, logarithms=logarithms) for w, one in zip(weights, parts, strict=True)]
        little = _LITTLE * min(_spread(np.delete(inputs, k, 1), target) for k in range(len(parts)))
        allowed = next((one for one in (own + np.sum(others, axis=0), own) if one.mean() <= little), np.zeros(1))
        exact = 1e-9 * (float(np.abs(target).max()) + 1)
        if _share(left, allowed + exact) < 1 - _MOST_EXCEPTIONS:
            return None
        names = tuple(one.name for one in parts)
        is_plain = not (weights % 1).any() if logarithms else bool((weights > 0).all())
        strict = _share(left, own + exact) >= 1 - _MOST_EXCEPTIONS
        return cls(y.name, names, _in_words(names, weights, logarithms=logarithms), strict, bool(is_plain))


def _share(left: Floats, allowed: Floats) -> float:
    """Give the share of rows that are one constant, up to what is allowed; the constant is where most are."""
    constant = (np.quantile(left - allowed, 0.99) + np.quantile(left + allowed, 0.01)) / 2
    return float(np.mean(np.abs(left - constant) <= 1.05 * allowed))


def _slopes(inputs: Floats, target: Floats) -> Floats:
    """Fit a line, and give its slopes."""
    centred = inputs - inputs.mean(axis=0)
    return np.asarray(np.linalg.lstsq(centred, target - target.mean(), rcond=None)[0])


def _spread(inputs: Floats, target: Floats) -> float:
    """Give the standard deviation of what a line leaves."""
    return float((target - inputs @ _slopes(inputs, target)).std())


def _simple(slopes: Floats, *, logarithms: bool) -> Floats | None:
    """Take slopes as the short numbers that they probably are, such as 1 or -0.5; powers must be such."""
    if logarithms:
        powers = np.array([min((s * p for p in _POWERS for s in (-1, 1)), key=lambda p: abs(p - w)) for w in slopes])
        return powers if np.abs(powers - slopes).max() <= 0.05 else None
    size = np.abs(slopes)
    if np.ptp(size) <= 0.02 * size.max():  # a sum or a mean, where only the signs differ
        one = next((n for n in (1.0, 1 / len(slopes)) if abs(n - size.mean()) <= 0.01 * n), float(size.mean()))
        return np.sign(slopes) * one
    short = np.array([float(f"{w:.2g}") for w in slopes])
    return np.where(np.abs(short - slopes) <= 2e-3 * size, short, slopes)


def _blur(one: _Number, *, logarithms: bool) -> Floats:
    """Give half of what a column was rounded to, in each row."""
    return one.unit / 2 / one.values if logarithms else np.full(len(one.values), one.unit / 2)


def _best(formulas: Sequence[_Formula | None]) -> Computed | None:
    """Choose what was computed: what needs no digits but its own; no age or year; a sum or product; what comes last."""
    fit = [one for one in formulas if one is not None]
    if not fit:
        return None
    ranked = sorted(fit, key=lambda one: (one.strict, not GIVEN.fullmatch(one.result), one.plain))
    best = ranked[-1]  # the sort is stable: of equals, the last column
    return Computed((best.result, *best.parts), best.text)


def _in_words(names: Sequence[str], weights: Floats, *, logarithms: bool) -> str:
    if not logarithms:
        order = np.argsort(weights < 0, kind="stable").tolist()  # what is added, then what is taken away
        names, weights = [names[i] for i in order], weights[order]
        parts = [name if abs(w) == 1 else f"{abs(w):.3g} {name}" for name, w in zip(names, weights, strict=True)]
        signs = ["-" if w < 0 else "+" for w in weights]
        first = "-" if signs[0] == "-" else ""
        return first + parts[0] + "".join(f" {sign} {part}" for sign, part in zip(signs[1:], parts[1:], strict=True))
    by_power = sorted(zip(weights, names, strict=True), key=lambda one: -one[0])
    above = [name + _power(w) for w, name in by_power if w > 0]
    below = [name + _power(-w) for w, name in by_power if w < 0]
    return " / ".join([" x ".join(above) or "1", *below])


def _power(power: float) -> str:
    return "" if power == 1 else f"^{power:g}"


def _from_many(numbers: Sequence[_Number]) -> Iterator[Computed]:
    """Totals, means and other lines through at least three columns that stand before them."""
    if len(numbers) < 4 or len(numbers[0].values) < max(FEWEST_ROWS, 3 * len(numbers)):
        return
    r = _correlations([one.values for one in numbers])
    basis: list[int] = []
    for k, y in enumerate(numbers):
        if len(basis) < 3:
            basis.append(k)
            continue
        inside = r[np.ix_(basis, basis)]
        slopes = np.linalg.solve(inside, r[basis, k])
        left = 1 - float(r[basis, k] @ slopes)
        if left < _LEFT * _LITTLE:
            weighty = np.abs(slopes) > 0.02 * np.abs(slopes).max()
            three = [numbers[basis[i]] for i in np.flatnonzero(weighty)]
            found = _total(y, three) if len(three) > 2 and y.different >= _FEWEST_OF_TOTAL else None
            if found is not None:
                yield found
        if left > 1e-8:
            basis.append(k)


def _total(y: _Number, parts: Sequence[_Number]) -> Computed | None:
    """Find the total among the columns, or else what the last was computed from, but for its own rounding."""
    widest = max(parts, key=lambda one: one.values.std())  # if the total stands first, the last column is but a part
    of_widest = [*(one for one in parts if one is not widest), y]
    found = [_Formula.of(y, parts), _Formula.of(widest, of_widest)]
    exact = [one for one in found if one is not None and one.strict]
    best = next((one for one in exact if one.plain), next(iter(exact), None))
    return None if best is None else Computed((best.result, *best.parts), best.text)
