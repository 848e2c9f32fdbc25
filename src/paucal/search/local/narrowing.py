"""A graph around some columns of a table with thousands: their blankets first, then one search over these alone.

Given its Markov blanket a column does not depend on any other, so the edges of the targets are those of the whole
table. Edges between other columns are not: one may stand for a path through columns that were left out. A few targets
at a time are looked around, by processes or a cluster if there are any; nothing is kept of it but who was found.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from paucal import checks
from paucal.data import Dataset
from paucal.errors import Argument, ParameterError
from paucal.search.choice import fallback
from paucal.search.learn import build_test
from paucal.search.local.hiton import hiton_pc
from paucal.search.local.neighbourhood import Surroundings
from paucal.search.parallel import each
from paucal.search.recipe import Recipe
from paucal.search.run import SearchRun, told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paucal.search.result import SearchResult
    from paucal.search.run import Progress

_SEARCH = "hiton"  # directions come from the search over the blankets
_MOST_GIVEN = 3  # as in `paucal.blanket`
_TOGETHER = 16  # targets that one process looks around with one memory


def narrowed(
    recipe: Recipe,
    data: object,
    targets: Iterable[str],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Keep the targets, the members of their blankets, and the columns that something is known about."""
    if not isinstance(data, Dataset):
        raise ParameterError(
            (Argument("around"), " chooses columns of a table, and a finished test was given."), hint="Give the data."
        )
    if recipe.interventions is not None:
        raise ParameterError(
            (Argument("around"), " cannot look for blankets in rows of different experiments."),
            hint=("Choose columns yourself: ", Argument("columns"), "."),
            parameter="around",
        )
    names = checks.names("around", targets)
    if not names:
        raise ParameterError(
            (Argument("around", []), " names no column."), hint="Name one at least.", parameter="around"
        )
    for name in names:
        data.index(name)  # refuses what is no column
    test = fallback(data.n_columns)
    local = Recipe(search=_SEARCH, test=test, knowledge=recipe.knowledge, seed=recipe.seed, target=names[0])
    parts = [names[start : start + _TOGETHER] for start in range(0, len(names), _TOGETHER)]
    members = {*names, *(() if recipe.knowledge is None else recipe.knowledge.names)}
    for found in told(each(partial(_members, local, data), parts, jobs), "targets", len(parts), progress):
        members |= found
    kept = tuple(name for name in data.names if name in members)
    chosen = data.select(kept)
    return replace(chosen, preparation=replace(chosen.preparation, columns=kept, leave_out={}))


def _members(recipe: Recipe, data: Dataset, targets: list[str]) -> set[str]:
    """Give the members of the blankets of some targets; what is seen around one need not be looked for again."""
    test = build_test(recipe, data.searched.by_content, None)
    with SearchRun(recipe.search, test, settings={"knowledge": recipe.knowledge}) as run:
        looks = Surroundings(run, hiton_pc, _MOST_GIVEN)
        numbers = [test.index(target) for target in targets]
        found = {v for number in numbers for v in (*looks.neighbours(number), *looks.spouses(number))}
        if run.budget.why == "interrupted":
            raise KeyboardInterrupt
    return {test.names[v] for v in found}


def with_narrowing(result: SearchResult, targets: Iterable[str], n_columns: int) -> SearchResult:
    """Say in a result which columns it is about, and of how many they were chosen."""
    return result.with_details(around=list(targets), chosen_of=n_columns)
