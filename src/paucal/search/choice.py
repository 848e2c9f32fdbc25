"""Which search, if nobody names one: what measured best for the size of the problem.

* The posterior of graphs (`posterior.py`), where it is affordable: it comes nearest to the truth on average, and says
  how sure every edge is (docs/accuracy.md has the measurements).
* Otherwise PC-stable with majority colliders and the permutation-calibrated test `chi2-perm` at a level that grows with
  the order: the best of the searches that ask tests. On many columns the levels begin lower, so that chance gives a
  column two neighbours at most before anything is conditioned on.
* If a test, its level, or options of PC-stable are given, PC-stable with these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from paucal.independence.levels import BY_ORDER
from paucal.independence.protocol import CITest
from paucal.search.by_scores.order import MOST_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paucal.data import Dataset

AFFORDABLE = 60.0  # seconds of CPU
_CHANCE_NEIGHBOURS = 2.0


class Choice(NamedTuple):
    """A search, arguments for `learn`, and why."""

    search: str
    arguments: Mapping[str, Any]
    reason: str


def choose(
    data: Dataset | CITest, *, test_given: bool, options: Iterable[str], known: Iterable[str]
) -> Choice:
    """Choose a search.

    Parameters
    ----------
    data
        The table, or a finished test.
    test_given
        Whether a test, its level or its largest order was named.
    options
        Names of the options that were given.
    known
        Names of the options that the posterior takes.

    Examples
    --------
    >>> import paucal
    >>> data = paucal.Dataset.of({"a": [0, 1, 1], "b": [0, 1, 0]})
    >>> choose(data, test_given=False, options=(), known=()).search
    'posterior'
    """
    if isinstance(data, CITest):
        return Choice("pc-stable", {}, "a finished test was given")
    if test_given:
        return Choice("pc-stable", {}, "a test or its settings were given")
    foreign = [name for name in options if name not in set(known)]
    if foreign:
        return Choice("pc-stable", {}, f"{foreign[0]} was given")
    seconds = expected_seconds(data.n_columns, data.n_rows)
    shape = {"column": data.n_columns, "row": data.n_rows}
    size = " and ".join(f"{n:,} {what}{'' if n == 1 else 's'}" for what, n in shape.items())
    by_tests = fallback(data.n_columns)
    if data.n_rows < 2 or data.n_columns < 2:
        return Choice("pc-stable", by_tests, f"{size} have no posterior of graphs")
    if data.n_columns > MOST_COLUMNS:
        return Choice("pc-stable", by_tests, f"{size} are too many for the posterior of graphs")
    if seconds > AFFORDABLE:
        reason = f"the posterior of graphs on {size} would take about {seconds:,.0f} s"
        return Choice("pc-stable", by_tests, reason)
    return Choice("posterior", {}, f"it comes nearest to the truth and {size} allow it")


def choose_repeated(columns: int, *, test_given: bool, options: Iterable[str]) -> Choice:
    """Choose the search that a bootstrap repeats: the posterior needs no repetition.

    >>> choose_repeated(10, test_given=False, options=()).search
    'pc-stable'
    """
    plain = not test_given and not list(options)
    return Choice("pc-stable", fallback(columns) if plain else {}, "the posterior needs no bootstrap")


def fallback(columns: int) -> dict[str, Any]:
    """Give the test, and levels by order, for so many columns.

    On wide random trees, on noise and on tiled networks lower levels on many columns came nearer to the truth, or
    equally near, in less time.

    >>> fallback(200)["alpha"], fallback(2000)["alpha"][:2]
    ('by-order', (0.001, 0.003))
    """
    first = _CHANCE_NEIGHBOURS / max(columns, 1)
    if first >= BY_ORDER[0]:
        return {"test": "chi2-perm", "alpha": "by-order"}
    levels = [float(f"{first:.2g}")]  # these are printed
    while levels[-1] < BY_ORDER[-1]:
        levels.append(min(BY_ORDER[-1], float(f"{3 * levels[-1]:.2g}")))
    return {"test": "chi2-perm", "alpha": tuple(levels)}


def expected_seconds(columns: int, rows: int) -> float:
    """Estimate the CPU time of the posterior: tables that are counted, then rounds of the chains.

    Fitted to 20 to 441 columns and 500 to 200,000 rows; good to a factor of two.

    >>> expected_seconds(50, 500) < 2 < expected_seconds(400, 500)
    True
    """
    tables = 2500 * columns
    return tables * (1.5e-6 + 0.7e-9 * rows) + 1.8e-4 * columns**2
