"""How much data do I need? The smallest effects that data detect, and the questions that they cannot decide.

Everything is asked of the data at hand: their strata, and how often each level occurs in them.

An effect is a mixture of independence and of the closest coupling that the frequencies of the levels allow, and its
size is Cramér's V (see `paucal.detectable`). Samples are drawn from such populations, strata as large as in the data,
and tested; the smallest effect is the V at which the wanted share of them is called dependent.

A question is undecidable if no data with its margins could be called dependent. How many rows would make it decidable
is found by drawing larger samples: strata in the proportions of the data, levels within a stratum as often as seen
there, moved towards their frequency in all data with the weight of one sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paucal import checks
from paucal.data import Dataset
from paucal.data.encode import Column
from paucal.data.steps import NUMBER_STEPS, in_steps
from paucal.detectable import Population, smallest_effect
from paucal.errors import ParameterError
from paucal.independence.answers import UNANSWERABLE
from paucal.independence.ledger import Ledger
from paucal.independence.native import KernelTest
from paucal.independence.registry import DEFAULT_TEST, make_test
from paucal.independence.tests.ordinal import chi2_trend_test
from paucal.independence.tests.permutation import chi2_perm_test
from paucal.notebook import Shown
from paucal.tables import counts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from paucal.independence.levels import Alpha
    from paucal.search.result import SearchResult
    from paucal.tables import Table

DECIDABLE = 0.95  # share of the questions that `rows_needed` asks for
_ASKED = 1000  # questions of one order whose decidability is looked at
_MOST_PLANNED = 200_000  # cells of a table that is drawn a few times
_MOST_GROWTH = 2**16  # rows needed beyond so many times the rows at hand are not looked for

_Question: TypeAlias = tuple[int, int, tuple[int, ...]]
_Plan: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64], float]"


@dataclass(frozen=True)
class OrderPower:
    """What the data can say to questions with one number of conditioning columns.

    Attributes
    ----------
    order
        Conditioning columns.
    questions, looked_at, simulated
        How many questions there are; how many of them, drawn at random, `undecidable` and `rows_needed` come from;
        and how many the effects come from. Tables of more than 10,000 cells are not simulated.
    undecidable
        Share of the questions that no data with the same margins could answer with "dependent".
    undetectable
        Share of the questions in which no effect is detected with the wanted power; the undecidable are among them.
    effect
        Median over the questions of the smallest effect (Cramér's V) detected with the wanted power; None if half of
        the questions detect none.
    effect_quartiles
        The quartiles of the same.
    rows_needed
        Rows with which 95 % of the questions between columns that vary would be decidable; None if that is beyond
        reach.
    """

    order: int
    questions: int
    looked_at: int
    simulated: int
    undecidable: float
    undetectable: float
    effect: float | None
    effect_quartiles: tuple[float | None, float | None]
    rows_needed: int | None


@dataclass(frozen=True)
class PowerReport(Shown):
    """What data can detect, by number of conditioning columns."""

    n_rows: int
    test: str
    alpha: Alpha | None
    power: float
    orders: tuple[OrderPower, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**vars(self), "orders": [vars(one) for one in self.orders]}

    def __str__(self) -> str:
        level = "" if self.alpha is None else f" at level {self.alpha}"
        lines = (
            f"{one.order:12d} {one.questions:11d} {one.undecidable:13.0%} {shown(one.effect):>21} "
            f"{shown(one.rows_needed):>21}"
            for one in self.orders
        )
        heads = "adjusting for  questions   undecidable   smallest effect (V)   rows to decide 95 %"
        return "\n".join([f"{self.n_rows} rows, {self.test}{level}, power {self.power:g}", heads, *lines])


def shown(value: float | None) -> str:
    """A number as a table shows it."""
    return "none" if value is None else f"{value:d}" if isinstance(value, int) else f"{value:.2f}"


def power(
    data: Any,
    *,
    test: str = DEFAULT_TEST,
    alpha: Alpha | None = None,
    power: float = 0.8,
    max_order: int = 3,
    questions: SearchResult | Ledger | None = None,
    sample: int = 40,
    seed: int = 0,
    test_options: Mapping[str, Any] | None = None,
) -> PowerReport:
    """Give the smallest effects that data can detect, the questions they cannot decide, and how many rows would do.

    Parameters
    ----------
    data
        Anything `Dataset.of` takes; numbers are looked at in three steps of equal shares.
    test, alpha, test_options
        The test, by name, its level and its further parameters. Only the permutation tests know when a question is
        undecidable; for others that is so where no stratum has two levels of both columns.
    power
        Share of the samples in which the effect is to be detected.
    max_order
        Largest number of conditioning columns to look at.
    questions
        A finished search or its ledger: then the questions it asked and kept are looked at, instead of all questions
        that the columns allow.
    sample
        Questions whose effects are simulated for each number of conditioning columns, drawn at random if there are
        more; for decidability up to 1000 are looked at.
    seed
        Where the random numbers start.

    Examples
    --------
    >>> import paucal
    >>> data = paucal.load_network("survey").sample(100, seed=1)
    >>> report = paucal.power(data, max_order=1, sample=5)
    >>> [one.undecidable for one in report.orders]
    [0.0, 0.0]
    >>> all(0.2 < one.effect < 0.7 for one in report.orders)
    True
    """
    power = checks.share("power", power, hint="The usual power is 0.8.")
    max_order = checks.whole_number("max_order", max_order, 0)
    sample, seed = checks.whole_number("sample", sample, 1), checks.seed(seed)
    dataset = in_steps(Dataset.of(data), NUMBER_STEPS)
    asked = make_test(dataset, test, alpha=alpha, **checks.settings("test_options", test_options))
    if not isinstance(asked, KernelTest):
        raise ParameterError(f"The test {asked.name!r} has no tables to draw.", hint="Name a built-in test.")
    chosen = _questions(dataset, questions, max_order, max(sample, _ASKED), seed)
    orders = tuple(
        _Look(dataset, asked, order, some, sample, np.random.default_rng([seed, order])).report(total, power)
        for order, total, some in chosen
    )
    return PowerReport(dataset.n_rows, asked.name, asked.settings.alpha, power, orders)


def _questions(
    data: Dataset, asked: SearchResult | Ledger | None, max_order: int, sample: int, seed: int
) -> Iterator[tuple[int, int, list[_Question]]]:
    """Choose questions for each order, in random order; also how many there are."""
    p = data.n_columns
    known = None if asked is None else _asked(data, asked, max_order)
    for order in range(min(max_order, p - 2) + 1) if known is None else sorted(known):
        total = math.comb(p, 2) * math.comb(p - 2, order) if known is None else len(known[order])
        rng = np.random.default_rng([seed, order, 1])
        if known is None and total > sample:
            yield order, total, _drawn(p, order, sample, rng)
        else:
            every = list(_every(p, order)) if known is None else known[order]
            yield order, total, [every[i] for i in rng.permutation(total)[:sample]]


def _every(p: int, order: int) -> Iterator[_Question]:
    for x, y in combinations(range(p), 2):
        for given in combinations([v for v in range(p) if v not in (x, y)], order):
            yield x, y, given


def _drawn(p: int, order: int, sample: int, rng: np.random.Generator) -> list[_Question]:
    found: dict[_Question, None] = {}  # a dictionary keeps the order, a set would not
    while len(found) < sample:
        x, y, *given = rng.choice(p, order + 2, replace=False).tolist()
        found[min(x, y), max(x, y), tuple(sorted(given))] = None
    return list(found)


def _asked(data: Dataset, asked: SearchResult | Ledger, max_order: int) -> dict[int, list[_Question]]:
    """The questions of a finished search by order, each once."""
    ledger = checks.instance("questions", getattr(asked, "ledger", asked), Ledger, "a finished search or its ledger")
    if not ledger.n_calls:
        told = "The ledger" if isinstance(asked, Ledger) else f"The result of {asked.search!r}"
        raise ParameterError(
            f"{told} has no tests to look at.",
            hint="Leave questions out, or give the result of a search that asks tests.",
        )
    column = [data.index(name) for name in ledger.names]
    by_order: dict[int, dict[_Question, None]] = {}
    for record in ledger.records():
        x, y = sorted((column[record.x], column[record.y]))
        given = tuple(sorted(column[v] for v in record.given))
        if len(given) <= max_order:
            by_order.setdefault(len(given), {})[x, y, given] = None
    return {order: list(questions) for order, questions in by_order.items()}


@dataclass(frozen=True)
class _Look:
    """Questions of one order in random order, and the test that data answer them with."""

    data: Dataset
    test: KernelTest
    order: int
    questions: Sequence[_Question]
    sample: int
    rng: np.random.Generator

    def report(self, total: int, target: float) -> OrderPower:
        x, y, given = map(np.array, zip(*self.questions, strict=True))
        undecided = (self.test.ask_many(x, y, given).flags & UNANSWERABLE) > 0
        effects = self.effects(undecided, target)
        quartiles = [math.inf] * 3
        if effects:
            quartiles = np.quantile(effects, (0.25, 0.5, 0.75), method="inverted_cdf").tolist()
        low, median, high = (value if math.isfinite(value) else None for value in quartiles)
        return OrderPower(
            order=self.order,
            questions=total,
            looked_at=len(self.questions),
            simulated=len(effects),
            undecidable=float(undecided.mean()),
            undetectable=sum(map(math.isinf, effects)) / len(effects) if effects else 0.0,
            effect=median,
            effect_quartiles=(low, high),
            rows_needed=self.rows_needed(undecided),
        )

    def effects(self, undecided: NDArray[np.bool_], target: float) -> list[float]:
        """The smallest effect of each question; infinite where there is none, nothing where the table is too large."""
        effects = []
        for question, hopeless in list(zip(self.questions, undecided, strict=True))[: self.sample]:
            if hopeless:
                effects.append(math.inf)
                continue
            population = Population.of(counts_of(self.data).table(*question))
            if population is not None:
                reader = self.reader(*question[:2])
                effects.append(smallest_effect(reader, population, self.order, target, self.rng))
        return effects

    def rows_needed(self, undecided: NDArray[np.bool_]) -> int | None:
        """The rows with which few enough questions between columns that vary stay undecided."""
        varies = [
            np.count_nonzero(Column(*one).observed) > 1
            for one in zip(self.data.distinct, self.data.levels, strict=True)
        ]
        fair = [varies[x] and varies[y] for x, y, _ in self.questions]
        hopeless = [q for q, open_, ok in zip(self.questions, undecided, fair, strict=True) if open_ and ok]
        most = (1 - DECIDABLE) * sum(fair)
        n_rows = self.data.n_rows
        if len(hopeless) <= most:
            return n_rows
        plans = [(q, _plan(counts_of(self.data).table(*q), n_rows)) for q in hopeless[: self.sample]]

        def enough(rows: int) -> bool:
            shares = [1.0 if plan is None else self.undecided_at(q, plan, rows) for q, plan in plans]
            return float(np.mean(shares)) * len(hopeless) <= most

        if sum(plan is None for _, plan in plans) / len(plans) * len(hopeless) > most:
            return None
        growth = 2
        while not enough(growth * n_rows):
            growth *= 2
            if growth > _MOST_GROWTH:
                return None
        low, high = growth / 2, float(growth)
        for _ in range(3):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if enough(math.ceil(middle * n_rows)) else (middle, high)
        return _round_up(high * n_rows)

    def reader(self, x: int, y: int) -> KernelTest:
        """The test that reads drawn tables of a pair: they do not say whether their levels have an order."""
        if self.test.name != "auto":
            return self.test
        counts, settings = counts_of(self.data), self.test.settings.all
        both = {x, y} <= counts.ordinal
        return chi2_trend_test(counts, **settings) if both else chi2_perm_test(counts, **settings)

    def undecided_at(self, question: _Question, plan: _Plan, rows: int) -> float:
        """The share of three samples of this size that cannot be answered."""
        strata, cells, share = plan
        flat = cells.reshape(len(cells), -1)
        shares = flat / flat.sum(1, keepdims=True)
        draws = [self.rng.multinomial(self.rng.multinomial(round(share * rows), strata), shares) for _ in range(3)]
        answers = self.reader(*question[:2]).read(np.array(draws).reshape(3, *cells.shape), self.order)
        return float((answers.flags & UNANSWERABLE > 0).mean())


def _plan(table: Table, n_rows: int) -> _Plan | None:
    """Shares of the strata, of the cells within each, and of the rows without a gap; None if there are too many."""
    if not table.total:
        return None
    margins = table.margins()
    if margins is None:
        return None
    rows, columns = margins
    if len(rows) * rows.shape[1] * columns.shape[1] > _MOST_PLANNED:
        return None
    samples = rows.sum(1, keepdims=True)
    p, q = ((m + m.sum(0) / m.sum()) / (samples + 1) for m in (rows, columns))
    return samples[:, 0] / samples.sum(), (p[:, :, None] * q[:, None, :]), table.total / n_rows


def _round_up(value: float) -> int:
    """Round up to two digits; more would promise too much.

    >>> _round_up(1234.5), _round_up(86.2), _round_up(7)
    (1300, 87, 7)
    """
    unit = int(10 ** max(0, math.floor(math.log10(value)) - 1))
    return math.ceil(value / unit) * unit
