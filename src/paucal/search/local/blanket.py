"""Local discovery: the Markov blanket of a target, by several algorithms.

All but `cmb` leave the direction of edges open: their neighbours are undetermined, unless knowledge tells. `cmb`,
`hiton` and `mmmb` ask about every column alone and then only about columns around the target; the others ask about
every column once more for every member they meet.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from paucal import checks
from paucal.data import Dataset
from paucal.errors import Argument, Interrupted, ParameterError
from paucal.independence.custom import CallableTest
from paucal.independence.protocol import CITest
from paucal.search.by_tests.skeleton import orders
from paucal.search.catalogue import find_search, options_of
from paucal.search.evidence.explain import Reason
from paucal.search.evidence.sepsets import Sepsets
from paucal.search.learn import (
    TestOrFunction,
    build_test,
    completed_by,
    recipe_for,
    run,
    sorted_by_content,
    taken_in,
)
from paucal.search.local.lost import lost_members
from paucal.search.local.result import ROLES, BlanketResult
from paucal.search.parallel import each
from paucal.search.run import SearchRun, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.levels import Alpha
    from paucal.search.local.neighbourhood import Found
    from paucal.search.recipe import Recipe
    from paucal.search.result import SearchResult
    from paucal.search.run import Progress


def blanket(
    data: Any,
    target: str,
    *,
    search: str = "cmb",
    test: str | TestOrFunction | None = None,
    alpha: Alpha | None = None,
    test_options: Mapping[str, Any] | None = None,
    knowledge: Knowledge | None = None,
    seed: int | None = None,
    threads: int = 1,
    max_seconds: float | None = None,
    max_tests: int | None = None,
    progress: Progress | None = None,
    as_is: bool = False,
    **options: Any,
) -> BlanketResult:
    """Find the Markov blanket of one column.

    Parameters
    ----------
    data, test, alpha, test_options, knowledge, seed, threads, max_seconds, max_tests, progress, as_is
        As for `learn`.
    target
        The column in the middle.
    search
        `"cmb"` (with directions), `"hiton"`, `"mmmb"` (also `"mmpc"`), `"iamb"`, `"inter-iamb"`, `"fast-iamb"`,
        `"stmb"`.
    options
        Options of the search. All take `max_order`, the largest subset tried where an algorithm searches subsets (3;
        None for no limit). `cmb` takes `neighbours`, the algorithm that finds parents and children ("hiton", "mmpc",
        "iamb", "inter-iamb", "fast-iamb", "stmb"). The arguments of `Knowledge`, such as `outcome=["death"]`; and
        how to prepare the data, as for `learn`.

    Returns
    -------
    BlanketResult
        Parents, children, undetermined neighbours and spouses, with all tests.

    Examples
    --------
    >>> import paucal
    >>> oracle = paucal.Oracle(paucal.load_network("asia").graph)
    >>> found = paucal.blanket(oracle, "either")
    >>> found.parents, found.children, found.spouses
    (('tub', 'lung'), ('xray', 'dysp'), ('bronc',))
    """
    checks.instance("target", target, str, "the name of a column")
    data, options = taken_in(data, options, as_is=as_is, knowledge=knowledge, targets=[target])
    recipe, asked = recipe_for(
        data,
        test,
        alpha,
        search=search,
        test_options=test_options,
        knowledge=knowledge,
        seed=seed,
        threads=threads,
        max_seconds=max_seconds,
        max_tests=max_tests,
        target=target,
        options=options,
    )
    return cast("BlanketResult", run(recipe, data, test=asked, progress=progress))


def found_by(
    recipe: Recipe, data: Any, *, test: TestOrFunction | None = None, progress: Progress | None = None
) -> BlanketResult:
    """Carry out a recipe that has a target."""
    whole = data if isinstance(data, CITest) else Dataset.of(data).searched
    target = str(recipe.target)
    whole.index(target)  # refuses what is no column
    orders(recipe.options.get("max_order"))  # refuses what is no number
    options = {**options_of(recipe.search, local=True), **recipe.options}
    find: Callable[..., Found] = find_search(recipe.search, local=True)
    subject = sorted_by_content(whole, test)
    asked = build_test(recipe, subject, test)
    place = {name: i for i, name in enumerate(whole.names)}

    def complete(found: BlanketResult) -> BlanketResult:
        roles: dict[str, Any] = {role: tuple(sorted(getattr(found, role), key=place.__getitem__)) for role in ROLES}
        done = replace(found, **roles, result=completed_by(recipe, whole, found.result.reordered(whole.names)))
        if isinstance(whole, CITest) or test is not None or asked.spent:
            return done
        columns = cast("Dataset", subject)
        lost = lost_members(build_test(recipe, columns), columns, done)  # asked apart: these are no tests of the search
        return done.with_details(lost=lost) if lost else done

    look = partial(find, **options)
    try:
        return complete(looked(asked, target, recipe.search, look, knowledge=recipe.knowledge, progress=progress))
    except Interrupted as stop:
        raise Interrupted(complete(stop.result)) from None


def looked(
    test: CITest,
    target: str,
    search: str,
    find: partial[Found],
    *,
    knowledge: Knowledge | None = None,
    progress: Progress | None = None,
) -> BlanketResult:
    """Look around a target with a finished test, by a function of the run and the number of the target."""
    number = test.index(target)
    settings = {**find.keywords, "knowledge": knowledge}
    names = test.names

    def tell(found: Found, result: SearchResult) -> BlanketResult:
        graph, reasons = found.graph, dict(found.reasons)
        for x, children in found.spouses.items():
            if children:
                reasons[names[x], target] = Reason("spouse", tuple(names[y] for y in children))
        return BlanketResult(
            target,
            graph.parents(target),
            graph.children(target),
            graph.neighbours(target),
            tuple(names[x] for x in found.spouses if not graph.has_edge(names[x], target)),
            result=replace(result, reasons=reasons),
        )

    try:
        with SearchRun(search, test, settings=settings, target=target, progress=progress) as run:
            found = find(run, number)
            result = run.result(found.graph, Sepsets(names, found.separators), details=found.details)
    except Interrupted as stop:
        raise Interrupted(tell(found, stop.result)) from None
    return tell(found, result)


def blankets(
    data: Any,
    targets: Iterable[str] | None = None,
    *,
    search: str = "cmb",
    test: str | TestOrFunction | None = None,
    alpha: Alpha | None = None,
    test_options: Mapping[str, Any] | None = None,
    knowledge: Knowledge | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    as_is: bool = False,
    **options: Any,
) -> dict[str, BlanketResult]:
    """Find the Markov blankets of several columns, or of all.

    Every target gets a test of its own, so that its ledger tells what it would cost alone, and the results are the
    same for any number of jobs. Only a finished test, which has a memory, is shared, and then there is one job.

    Parameters
    ----------
    data, search, test, alpha, test_options, knowledge, seed, as_is, options
        As for `blanket`.
    targets
        The columns; None for all.
    jobs
        Processes that share the targets; -1 for one per core. By default one, or what a surrounding
        `joblib.parallel_config` says.
    progress
        Called with "targets", how many are done, and how many there are.

    Returns
    -------
    The results by target, in the order of `targets`.

    Examples
    --------
    >>> import paucal
    >>> oracle = paucal.Oracle(paucal.Graph.parse("A -> B -> C"))
    >>> {target: found.mb for target, found in paucal.blankets(oracle).items()}
    {'A': ('B',), 'B': ('A', 'C'), 'C': ('B',)}
    """
    asked_for = () if targets is None else checks.names("targets", targets)
    whole, options = taken_in(data, options, as_is=as_is, knowledge=knowledge, targets=asked_for)
    chosen = list(whole.names if targets is None else asked_for)
    recipe, asked = recipe_for(
        whole,
        test,
        alpha,
        search=search,
        test_options=test_options,
        knowledge=knowledge,
        seed=seed,
        target=chosen[0] if chosen else "",
        options=options,
    )
    return around(recipe, whole, chosen, test=asked, jobs=jobs, progress=progress)


def around(
    recipe: Recipe,
    data: Dataset | CITest,
    targets: Iterable[str],
    *,
    test: TestOrFunction | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[str, BlanketResult]:
    """Carry out a recipe for one target after the other."""
    chosen = [data.names[number] for number in dict.fromkeys(map(data.index, targets))]
    finished = any(isinstance(one, CITest) for one in (data, test))
    if checks.jobs(jobs) not in (None, 1) and finished:
        what = "a function as a test" if isinstance(test, CallableTest) else "a finished test"
        raise ParameterError(
            (Argument("jobs", jobs), f" cannot share {what}."),
            hint=("Give ", Argument("jobs", 1), ", or the name of a test."),
            parameter="jobs",
            value=jobs,
            allowed=(None, 1),
        )
    recipes = [replace(recipe, target=target) for target in chosen]
    results = each(partial(found_by, data=data, test=test), recipes, 1 if finished else jobs)
    found: dict[str, BlanketResult] = {}
    try:
        for one in told(results, "targets", len(chosen), progress):
            found[one.target] = one
    except Interrupted as stop:
        raise Interrupted({**found, stop.result.target: stop.result}) from None
    return found
