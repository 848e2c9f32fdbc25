"""How sure is an edge, for any search: learn again and again from rows drawn at random.

The shares of the learned graphs with each kind of edge (Friedman, Goldszmidt and Wyner 1999) answer "would it be found
in another sample?"; they are not probabilities that it is true, as some rows of thin data are thinner still. Where it
is affordable `posterior.py` is the better answer. The graph of the result is the equivalence class with the least
expected distance to the learned graphs (`consensus.py`); for searches that give PAGs, the learned PAG nearest to all
others.

Deviation: every row is drawn at most once, and 63 % of all, which is the share of distinct rows in a sample of the same
size drawn with replacement. Rows that are there twice look like dependence to a test, and like evidence to a score:
with replacement PC-stable found 28 edges in samples of CHILD and 18 in the data themselves, 200 and 31 with HAILFINDER,
where it hardly came to an end. `fraction=None` draws with replacement all the same.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from paucal import checks
from paucal.data import Dataset
from paucal.data.weights import MOST_REPEATED
from paucal.errors import ParameterError, counted
from paucal.graphs.equivalence import pdag_to_dag_matrix
from paucal.graphs.graph import Graph
from paucal.graphs.marks import pdag_matrix_from_marks
from paucal.independence.custom import CallableTest
from paucal.independence.protocol import CITest
from paucal.search.by_scores.consensus import consensus
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import completed
from paucal.search.choice import choose
from paucal.search.evidence.explain import arrow_reasons
from paucal.search.evidence.graphs import Graphs
from paucal.search.evidence.pairs import about
from paucal.search.learn import TestOrFunction, carried_out, nodes_of, recipe_for, taken_in, told_copies
from paucal.search.parallel import each
from paucal.search.recipe import AUTO, FRACTION
from paucal.search.run import ScoreRun

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from paucal.graphs.building import Kind
    from paucal.independence.levels import Alpha
    from paucal.search.recipe import Recipe
    from paucal.search.result import SearchResult
    from paucal.search.run import Progress

_LEAST_REPLICATES = 2
_STARTS = 5  # learned graphs that the consensus is climbed from


def bootstrap(
    data: Any,
    search: str = AUTO,
    *,
    test: str | Callable[..., Any] | None = None,
    alpha: Alpha | None = None,
    test_options: Mapping[str, Any] | None = None,
    replicates: int = 200,
    fraction: float | None = FRACTION,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
    as_is: bool = False,
    **options: Any,
) -> SearchResult:
    """Learn graphs from samples of the rows; give the shares of edges and the graph that agrees with them best.

    Parameters
    ----------
    data, test, alpha, test_options, as_is
        As for `paucal.learn`.
    search
        Any search but "posterior", which has probabilities of its own. With "auto" it is PC-stable; unless a test is
        named, with `chi2-perm` at a level by order.
    replicates
        How many graphs are learned, at least 2.
    fraction
        Share of the rows that each is learned from, drawn without replacement; None for as many rows as there are,
        drawn with replacement.
    seed
        Seed of the drawn rows, and of tests that draw random numbers.
    jobs
        Processes; -1 for all cores. By default one, or what a surrounding `joblib.parallel_config` says, such as a Dask
        or Ray cluster. Every number is the same for any value.
    progress
        Called with "bootstrap", how many graphs are learned, and of how many.
    options
        Further arguments of `paucal.learn`: knowledge, threads, options of the search, what is to be done to the data.

    Returns
    -------
    SearchResult
        `probabilities()` lists the pairs, `blanket_probabilities(target)` who may be in a Markov blanket;
        `evidence.tests_each` is the mean number of tests of a replicate.

    Examples
    --------
    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(2000, seed=1)
    >>> result = paucal.bootstrap(sample, "pc-stable", replicates=20)
    >>> first = result.probabilities()[0]
    >>> first["a"], first["b"], round(1 - first["absent"], 2)
    ('Smoker', 'Cancer', 1.0)
    """
    if isinstance(data, CITest):
        raise ParameterError("A test has no rows to draw from.", hint="Give the data themselves.")
    checks.whole_number("replicates", replicates, 2)
    table, options = taken_in(
        data, options, as_is=as_is, knowledge=options.get("knowledge"), interventions=options.get("interventions")
    )
    recipe, asked = recipe_for(
        table,
        test,
        alpha,
        search=search,
        test_options=test_options,
        replicates=replicates,
        fraction=fraction,
        seed=seed,
        options=options,
    )
    copies = told_copies(table.searched.select(nodes_of(recipe, table)))
    result = repeated(recipe, table, test=asked, jobs=jobs, progress=progress)
    return result.with_details(copies=[list(group) for group in copies]) if copies else result


def repeated(
    recipe: Recipe,
    data: Any,
    *,
    test: TestOrFunction | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Carry out a recipe that has replicates."""
    began = time.perf_counter()
    table, replicates = Dataset.of(data), recipe.replicates or 0
    if recipe.search == AUTO:
        recipe = choose(table, recipe)
    if isinstance(test, CITest):
        what = "A function as a test" if isinstance(test, CallableTest) else "A finished test"
        raise ParameterError(f"{what} has no rows to draw from.", hint="Name the test instead.")
    jobs = checks.jobs(jobs)
    seed = 0 if recipe.seed is None else recipe.seed
    once = replace(recipe, replicates=None, seed=seed)
    # every mistake in the arguments shows here, once
    first = cast("SearchResult", carried_out(once, table, test=test))
    experiment = Experiment.of(table, recipe.interventions, recipe.targets)
    work = partial(_replicate, table, once, test)
    seeds = np.random.SeedSequence(seed).spawn(replicates)
    runs: list[_Run] = []
    with ScoreRun(recipe.max_seconds, progress) as run:
        run.progress("bootstrap", 0, replicates)
        with closing(each(work, seeds, jobs)) as results:
            for one in results:
                runs.append(one)
                run.progress("bootstrap", len(runs), replicates)
                if run.spent and len(runs) >= _LEAST_REPLICATES:
                    break
    evidence = Graphs.of_marks(
        [one.marks for one in runs],
        means=first.evidence.means,
        tests_each=float(np.mean([one.n_tests for one in runs])),
        **about(experiment.data),
    )
    if any(one.kind in ("pag", "mag") for one in runs):
        nearest = runs[_by_distance(runs, evidence)[0]]
        graph = Graph(experiment.data.names, nearest.marks, nearest.kind, check=False)
    else:
        graph = _consensus(runs, evidence, Limits.of_experiment(recipe.knowledge, experiment))
    result = replace(
        first,
        graph=graph,
        evidence=evidence,
        recipe=replace(first.recipe, replicates=replicates, fraction=recipe.fraction, seed=seed),
        details={"whole_sample": first.graph.to_dict()["edges"], **experiment.details},
        reasons=arrow_reasons(graph, "consensus", recipe.knowledge, experiment),
    )
    alone = None if first.unfinished is None else f"with all rows, {first.unfinished}"
    whole = run.ended(result) if len(runs) < replicates else replace(result, unfinished=alone)
    told = [*([] if whole.unfinished is None else [whole.unfinished]), *_cut_short(recipe, runs)]
    return replace(whole, seconds=time.perf_counter() - began, unfinished="; ".join(told) or None)


class _Run(NamedTuple):
    """What is kept of one replicate."""

    marks: NDArray[np.int8]
    kind: Kind
    n_tests: int
    unfinished: bool


def _cut_short(recipe: Recipe, runs: list[_Run]) -> list[str]:
    """Say how many replicates met a limit: every one has the limits of the recipe."""
    cut = sum(one.unfinished for one in runs)
    if not cut:
        return []
    limits = [] if recipe.max_tests is None else [counted(recipe.max_tests, "test")]
    limits += [] if recipe.max_seconds is None else [f"{recipe.max_seconds:g} s"]
    met = f"met its limit of {' or '.join(limits)}" if limits else "did not finish"
    untested = "" if recipe.sort == "scores" else ", where pairs that it had not tested count as joined"
    return [f"the search {met} in {cut} of {counted(len(runs), 'sample')}{untested}"]


def _replicate(data: Dataset, recipe: Recipe, test: Callable[..., Any] | None, seed: np.random.SeedSequence) -> _Run:
    """Learn from one sample of the rows; its seed decides it alone, wherever it runs."""
    rng = np.random.default_rng(seed)
    size = data.n_rows if recipe.fraction is None else max(1, round(recipe.fraction * data.n_rows))
    if data.weights is None or data.n_rows <= MOST_REPEATED:
        drawn = data.take(rng.choice(data.n_rows, size, replace=recipe.fraction is None))
    elif recipe.fraction is None:
        drawn = data.times(rng.multinomial(data.n_rows, data.weights / data.n_rows))
    else:
        drawn = data.sample(size, seed=int(rng.integers(2**31)))
    own = replace(recipe, seed=int(rng.integers(2**31)))
    result = cast("SearchResult", carried_out(own, drawn, test=test))
    return _Run(np.array(result.graph.marks), result.graph.kind, result.ledger.n_tests, result.unfinished is not None)


def _consensus(runs: list[_Run], shares: Graphs, limits: Limits) -> Graph:
    starts: list[NDArray[np.uint8]] = []
    for i in _by_distance(runs, shares):
        start = pdag_to_dag_matrix(pdag_matrix_from_marks(runs[i].marks))
        if start is not None and not (start.astype(np.bool_) & limits.forbidden).any():
            starts.append(np.ascontiguousarray(start, dtype=np.uint8))
        if len(starts) == _STARTS:
            break
    found = consensus(shares.shares["->"], shares.shares["--"], limits, starts)
    return completed(found.dag, limits)


def _by_distance(runs: list[_Run], shares: Graphs) -> list[int]:
    """Order the learned graphs by their mean distance to all; of equal ones the first."""
    return sorted(range(len(runs)), key=lambda i: (-shares.agreement(runs[i].marks), i))
