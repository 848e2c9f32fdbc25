"""Which search, if nobody names one: what measured best for the size of the problem.

* The posterior of graphs (`posterior.py`), where it is affordable: its graphs were the most accurate on average, and
  it says how sure every edge is (docs/accuracy.md has the measurements).
* Otherwise PC-stable with majority colliders and the permutation-calibrated test `chi2-perm` at a level that grows with
  the order: the best of the searches that ask tests. On many columns the levels begin lower, so that chance gives a
  column two neighbours at most before anything is conditioned on.
* With rows in which columns were set from outside, a search by scores: the order search where the posterior cannot be.
* Where so many columns depend on so many others that PC-stable could not come to an end, the order search; beyond the
  columns that it takes, PC-stable with a limit of tests.
* If a test, its level, or options of PC-stable are given, PC-stable with these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paucal.graphs.language import quoted
from paucal.independence.levels import BY_ORDER
from paucal.independence.protocol import CITest
from paucal.independence.registry import DEFAULT_TEST
from paucal.independence.settings import CISettings
from paucal.search.by_scores.forms import may_have_forms
from paucal.search.catalogue import MOST_SCORED_COLUMNS, options_of

if TYPE_CHECKING:
    from paucal.data import Dataset
    from paucal.search.recipe import Recipe

AFFORDABLE = 60.0  # seconds of CPU
_CHANCE_NEIGHBOURS = 2.0
_LOOKED_AT = 20  # columns, to see how densely a table is joined
_MOST_TESTS = 50_000_000  # of one conditioning column: minutes; of two it would be days
_MOST_FOR_TRIPLES = 10.0  # seconds, as in `src/kernel/graphs/interactions.cpp`


def choose(data: Dataset | CITest, recipe: Recipe) -> Recipe:
    """Give the recipe with a search in it, and the reason for it."""
    search, test = "pc-stable", recipe.test
    if not isinstance(data, CITest) and recipe.interventions in data.names:  # that column is no node
        data = data.select([name for name in data.names if name != recipe.interventions])
    if isinstance(data, CITest):
        reason = "a finished test was given"
    elif recipe.interventions is not None and (recipe.replicates is not None or _against_the_posterior(data)):
        search, reason = "order", "a score is needed for rows in which columns were set"
    elif recipe.replicates is not None:
        reason = "the posterior needs no bootstrap"
        test = fallback(data.n_columns) if test is None and not recipe.options else test
    elif test is not None:
        reason = "a test or its settings were given"
    elif foreign := [name for name in recipe.options if name not in options_of("posterior")]:
        reason = f"{foreign[0]} was given"
    elif against := _against_the_posterior(data):
        reason, test = against, fallback(data.n_columns)
        if too_dense(data, test):
            reason = f"{against}, and so many columns depend on each other that PC-stable could not come to an end"
            if data.n_columns > MOST_SCORED_COLUMNS:
                recipe = replace(recipe, max_tests=recipe.max_tests or _MOST_TESTS)
            else:
                search, test = "order", None
    else:
        missing = "fills in missing values while it samples, and " if data.has_gaps else ""
        allowed = f"it {missing}is the most accurate search measured and quick enough for {_size(data)}"
        search, reason = "posterior", f"{allowed}{_by_mixed(data, recipe)}"
    return replace(recipe, search=search, test=test, reason=reason)


def _against_the_posterior(data: Dataset) -> str | None:
    """Say what speaks against sampling graphs, if anything."""
    if data.n_rows < 2 or data.n_columns < 2:
        return f"{_size(data)} are too few for a posterior of graphs"
    if data.n_columns > MOST_SCORED_COLUMNS:
        return f"{_size(data)} are too many for the posterior of graphs"
    seconds = (seconds_with_gaps if data.has_gaps else expected_seconds)(data.n_columns, data.n_rows)
    if seconds > AFFORDABLE:
        return f"the posterior of graphs on {_size(data)} would take about {seconds:,.0f} s"
    return None


def too_dense(data: Dataset, settings: CISettings) -> bool:
    """Say whether PC-stable would have too many sets of one column to test: by the neighbours that a few columns have.

    Some columns, evenly spaced in the order of their content, are tested against all others given nothing.
    """
    from paucal.independence.registry import make_test

    columns = data.by_content
    test = make_test(columns, settings.name, **settings.all)
    chosen = np.unique(np.linspace(0, columns.n_columns - 1, _LOOKED_AT).astype(np.int64))
    nothing = np.zeros((columns.n_columns, columns.n_columns), dtype=np.bool_)
    sets = 0.0
    for column in chosen:
        others = np.delete(np.arange(columns.n_columns), column)
        here = np.full(len(others), column)
        degree = int(np.count_nonzero(~test.search(here, others, here, nothing, 0).found))
        sets += degree * max(degree - 1, 0)
    return bool(sets / len(chosen) * columns.n_columns > _MOST_TESTS)


def _by_mixed(data: Dataset, recipe: Recipe) -> str:
    """Say that the score is "mixed", and for the sake of which column."""
    if recipe.interventions is not None:  # the score is "eb" then, and numbers are in steps
        return ""
    for v, (name, kind) in enumerate(zip(data.names, data.kinds, strict=True)):
        if may_have_forms(data, v) and recipe.options.get("score") is None:
            what = "a number" if kind == "number" else "ordered"
            return f"; it uses the score mixed because {quoted(name)} is {what}"
    return ""


def _size(data: Dataset) -> str:
    shape = {"column": data.n_columns, "row": data.n_rows}
    return " and ".join(f"{n:,} {what}{'' if n == 1 else 's'}" for what, n in shape.items())


def fallback(columns: int) -> CISettings:
    """Give the test, and levels by order, for so many columns.

    On wide random trees, on noise and on tiled networks lower levels on many columns came nearer to the truth, or
    equally near, in less time.
    """
    first = _CHANCE_NEIGHBOURS / max(columns, 1)
    if first >= BY_ORDER[0]:
        return CISettings(DEFAULT_TEST, "by-order")
    levels = [float(f"{first:.2g}")]  # these are printed
    while levels[-1] < BY_ORDER[-1]:
        levels.append(min(BY_ORDER[-1], float(f"{3 * levels[-1]:.2g}")))
    return CISettings(DEFAULT_TEST, tuple(levels))


def expected_seconds(columns: int, rows: int) -> float:
    """Estimate the CPU time of the posterior: tables that are counted, then a hundred climbs and rounds of the chains.

    All triples of columns are tabulated where that takes no longer than ten seconds. Compared with runs on 20 to 200
    columns and 500 rows; good to a factor of three, as chains that disagree go on for up to three times as long.
    """
    each = 1.5e-6 + 0.7e-9 * rows
    triples = each * columns * (columns - 1) * (columns - 2) / 6
    return each * 2000 * columns + (triples if triples <= _MOST_FOR_TRIPLES else 0.0) + 3e-4 * columns**2


def seconds_with_gaps(columns: int, rows: int) -> float:
    """Estimate the CPU time of the posterior where values are missing: three chains of thirty fillings.

    Fitted to 20 to 37 columns and 300 to 500 rows, with chains that agree; up to twice as much where they do not.
    """
    return 90 * (60 * columns * (1.5e-6 + 0.7e-9 * rows) + 1.5e-5 * columns**2)
