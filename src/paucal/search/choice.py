"""Which search, if nobody names one: what measured best for the size of the problem.

* The posterior of graphs (`posterior.py`), where it is affordable: it comes nearest to the truth on average, and says
  how sure every edge is (docs/accuracy.md has the measurements).
* Otherwise PC-stable with majority colliders and the permutation-calibrated test `chi2-perm` at a level that grows with
  the order: the best of the searches that ask tests, at any number of columns.
* If a test, its level, or options of PC-stable are given, PC-stable with these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from paucal.independence.protocol import CITest
from paucal.search.order import MOST_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paucal.data import Dataset

AFFORDABLE = 60.0  # seconds of CPU
_FALLBACK = {"test": "chi2-perm", "alpha": "by-order"}


class Choice(NamedTuple):
    """A search, arguments for `learn`, and why."""

    method: str
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
    >>> choose(data, test_given=False, options=(), known=()).method
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
    size = f"{data.n_columns:,} columns and {data.n_rows:,} rows"
    if data.n_rows < 2 or data.n_columns < 2:
        return Choice("pc-stable", _FALLBACK, f"{size} have no posterior of graphs")
    if data.n_columns > MOST_COLUMNS:
        return Choice("pc-stable", _FALLBACK, f"{size} are too many for the posterior of graphs")
    if seconds > AFFORDABLE:
        reason = f"the posterior of graphs on {size} would take about {seconds:,.0f} s"
        return Choice("pc-stable", _FALLBACK, reason)
    return Choice("posterior", {}, f"{size} allow it")


def choose_repeated(*, test_given: bool, options: Iterable[str]) -> Choice:
    """Choose the search that a bootstrap repeats: the posterior needs no repetition.

    >>> choose_repeated(test_given=False, options=()).method
    'pc-stable'
    """
    plain = not test_given and not list(options)
    return Choice("pc-stable", _FALLBACK if plain else {}, "the posterior needs no bootstrap")


def expected_seconds(columns: int, rows: int) -> float:
    """Estimate the CPU time of the posterior: tables that are counted, then rounds of the chains.

    Fitted to 20 to 441 columns and 500 to 200,000 rows; good to a factor of two.

    >>> expected_seconds(50, 500) < 2 < expected_seconds(400, 500)
    True
    """
    tables = 2500 * columns
    return tables * (1.5e-6 + 0.7e-9 * rows) + 1.8e-4 * columns**2
