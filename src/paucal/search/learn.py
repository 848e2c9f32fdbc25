"""`learn`, the one call that runs any search on anything; and `run`, which carries out a recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from paucal import checks
from paucal.data import Dataset
from paucal.data.dataset import telling
from paucal.data.preparation import about_data, refuse_data_arguments
from paucal.errors import (
    Argument,
    CopiedColumnWarning,
    Interrupted,
    ParameterError,
    UnsharedWorkWarning,
    listing,
    warn,
)
from paucal.graphs.knowledge import WORDS, Knowledge
from paucal.independence.protocol import CITest
from paucal.independence.registry import DEFAULT_TEST, make_test, test_names, test_parameters
from paucal.independence.settings import CISettings
from paucal.inspection.intake import ready
from paucal.search.catalogue import SHARED, find_search, parameters_of, sort_of
from paucal.search.choice import choose
from paucal.search.parallel import processes
from paucal.search.recipe import AUTO, Recipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paucal.data.preparation import Preparation
    from paucal.independence.levels import Alpha
    from paucal.search.by_scores.interventions import Targets
    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult
    from paucal.search.run import Progress

TestOrFunction: TypeAlias = "CITest | Callable[..., Any]"  # a finished test, or a function `(x, y, given)` in its place
_OF_OTHERS = {"target": "blanket", "replicates": "bootstrap", "fraction": "bootstrap"}
_FRAMES = ("pandas", "polars", "pyarrow")


def learn(
    data: Any,
    search: str = AUTO,
    *,
    test: str | TestOrFunction | None = None,
    alpha: Alpha | None = None,
    test_options: Mapping[str, Any] | None = None,
    knowledge: Knowledge | None = None,
    interventions: str | None = None,
    targets: Targets | None = None,
    max_order: int | None = None,
    around: Iterable[str] | None = None,
    seed: int | None = None,
    threads: int = 1,
    jobs: int | None = None,
    max_seconds: float | None = None,
    max_tests: int | None = None,
    progress: Progress | None = None,
    as_is: bool = False,
    **options: Any,
) -> SearchResult:
    """Learn a graph.

    Parameters
    ----------
    data
        A data frame (pandas, polars, pyarrow), a dict of columns, a NumPy array or the path of a file, all of which
        are prepared as `paucal.prepare` proposes; a `Dataset`, which is taken as it is; or a finished test, such as
        an `Oracle`.
    search
        Name of the search: "pc-stable", "pc", "rai", "sc-pc", "mmhc", "order", "posterior", ...; `search_names()`
        lists them. With "auto" the size of the problem decides, and `recipe.reason` says why.
    test
        Name of the test, a finished test, or a function `(x, y, given) -> p-value or bool`. The default, "auto", is
        "chi2-perm" unless the table has numbers or ordered columns.
        Searches that go by a score (`"posterior"`, `"order"`, `"hill-climbing"`) take `score` instead.
    alpha
        Level of the test (0.05 by default); a list of levels by number of conditioning columns, or "by-order".
    test_options
        Further parameters of the named test, such as `{"df": "full"}`.
    knowledge
        What you know already, as a `Knowledge`, or as its arguments: `outcome=["death"]`.
    interventions
        The column that says which column was set from outside in each row; where it has no value, nothing was set.
        It does not become a node of the graph.
    targets
        What the values of that column mean, if they are not names of columns: `{"u0126": ["Mek"], "control": []}`.
    max_order
        Most conditioning columns in a test; None for no limit.
    around
        The columns that matter in a wide table. The graph has these, their Markov blankets, which are found first (by
        `hiton`; on a cluster inside a `joblib.parallel_config`), and columns that knowledge names. An edge between
        two others may stand for a path through columns that were left out.
    seed
        Seed of tests and searches that draw random numbers.
    threads
        Threads for the tests; every number is the same for any value.
    jobs
        Processes that share the chains of "posterior", the columns of "mmpc" and the blankets of `around`, -1 for all
        cores; every number is the same for any value. By default what a surrounding `joblib.parallel_config` says (a
        cluster of Dask or Ray, for example), and this process alone without one.
    max_seconds, max_tests
        Stop the search after so many seconds, or tests, and return what it has by then; `result.unfinished` says so.
        With `max_tests` the result is the same on every machine. Searches by scores use no tests.
    progress
        Called from time to time with stage, done, total.
    as_is
        Take data frames and files as they are, too: do only what other arguments say.
    options
        Further parameters of the search, such as `colliders="majority"`; what you know, as arguments of `Knowledge`:
        `outcome`, `exogenous`, `randomised`, `time`, `same`, `tiers`, `required`, `forbidden`; and how to prepare the
        data, in place of what is proposed: `columns`, `leave_out`, `kinds`, `discretize`, `missing`, `no_answer`,
        `merge`, `order`, as in `Dataset.of`.

    Returns
    -------
    SearchResult
        The graph, the evidence for it (`evidence`), and what was run (`recipe`), including how the data were prepared.

    Warns
    -----
    LongSearchWarning
        A stage of the search has millions of sets to test: it says how many, and how long that may take.
    UnsharedWorkWarning
        `jobs` were given, and "auto" has chosen a search that runs in one process.

    Raises
    ------
    Interrupted
        Somebody pressed Ctrl-C: a `KeyboardInterrupt` whose `result` is what the search had by then.

    Examples
    --------
    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(20000, seed=0)
    >>> result = paucal.learn(sample, search="pc-stable", test="g")
    >>> result.graph
    Graph.cpdag(5 nodes, 4 edges: Pollution -> Cancer; Smoker -> Cancer; Cancer -> Xray; Cancer -> Dyspnoea)
    >>> result.recipe
    paucal.learn(data, search='pc-stable', test='g')
    """
    around = None if around is None else checks.names("around", around)
    data, options = taken_in(
        data, options, as_is=as_is, knowledge=knowledge, interventions=interventions, targets=around or ()
    )
    recipe, asked = recipe_for(
        data,
        test,
        alpha,
        search=search,
        test_options=test_options,
        knowledge=knowledge,
        interventions=interventions,
        targets=targets,
        seed=seed,
        threads=threads,
        max_seconds=max_seconds,
        max_tests=max_tests,
        options=options if max_order is None else options | {"max_order": max_order},
    )
    if around is None:
        _refuse_jobs(search, jobs)
        with processes(jobs):
            result = cast("SearchResult", run(recipe, data, test=asked, progress=progress))
        told_unshared(result, jobs=jobs)
        return result
    from paucal.search.local.narrowing import narrowed, with_narrowing

    if asked is not None:
        raise ParameterError(
            "A finished test or a function knows all columns, and around= chooses some.", hint="Name the test instead."
        )
    chosen = narrowed(recipe, data, around, jobs=jobs, progress=progress)
    with processes(jobs):
        result = cast("SearchResult", run(recipe, chosen, progress=progress))
    return with_narrowing(result, around, data.n_columns)


def run(
    recipe: Recipe, data: Any, *, test: TestOrFunction | None = None, progress: Progress | None = None
) -> SearchResult | BlanketResult:
    """Carry out a recipe on data, or on a finished test; `test` is one that has no name, if the recipe asks such.

    The search sees the columns in an order that their content decides, so that ties cannot be settled by names or by
    where a column stands; the result has them as they came. A finished test keeps the order of its own columns.
    """
    if isinstance(data, CITest):
        return carried_out(recipe, data, test=test, progress=progress)
    whole = data if isinstance(data, Dataset) else Dataset.of(data)
    copies = told_copies(
        whole.searched if recipe.interventions is None else whole.searched.select(nodes_of(recipe, whole))
    )

    def complete(result: Any) -> Any:
        told: dict[str, Any] = {"copies": [list(group) for group in copies]} if copies else {}
        groups = compared_groups(recipe, whole, getattr(result, "cuts", None))
        told |= {"groups": groups} if groups else {}
        return result.with_details(**told) if told else result

    try:
        return cast("SearchResult | BlanketResult", complete(carried_out(recipe, whole, test=test, progress=progress)))
    except Interrupted as stop:
        raise Interrupted(complete(stop.result)) from None


def compared_groups(recipe: Recipe, data: Dataset, cuts: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Compare the groups of every randomised column in every outcome that was named: the plain answer of a trial."""
    known = recipe.knowledge
    if known is None or not known.randomised or recipe.interventions is not None or recipe.target is not None:
        return []
    from paucal.effects.ask import LEVEL
    from paucal.effects.groups import compare, repeats_in

    about: dict[str, Any] = {"level": LEVEL, "cuts": cuts, "dependent": repeats_in(data)}
    pairs = [(x, y) for y in known.outcome for x in known.randomised if x in data.names and y in data.names]
    return [compare(data, x, y, **about).to_dict() for x, y in pairs]


def told_copies(data: Dataset) -> tuple[tuple[str, ...], ...]:
    """Give the columns that are copies of each other; the first time that a data set is asked, warn of them."""
    first = "copies" not in vars(data)
    if data.copies and first:
        groups = listing((" and ".join(map(repr, group)) for group in data.copies), limit=5)
        warn(
            CopiedColumnWarning(
                f"These columns are one-to-one recodings of each other: {groups}. The data cannot tell them apart: "
                "an edge to one of them could just as well be an edge to the other.",
                hint="Keep one of them.",
            )
        )
    return data.copies


def carried_out(
    recipe: Recipe, data: Any, *, test: TestOrFunction | None = None, progress: Progress | None = None
) -> SearchResult | BlanketResult:
    """Carry out a recipe and say nothing about the data."""
    if recipe.replicates is not None:
        from paucal.search.bootstrap import repeated

        return repeated(recipe, data, test=test, progress=progress)
    if recipe.target is not None:
        from paucal.search.local.blanket import found_by

        return found_by(recipe, data, test=test, progress=progress)
    whole = data if isinstance(data, CITest) else Dataset.of(data).searched
    if recipe.search == AUTO:
        recipe = choose(whole, recipe)
    names, whole = nodes_of(recipe, whole), sorted_by_content(whole, test)
    work = recipe.arguments() | {"progress": progress}
    if isinstance(whole, CITest):
        _refuse_scoring(recipe.search)
    elif "data" in parameters_of(recipe.search):
        work["data"] = whole
    subject = whole if recipe.sort == "scores" else build_test(recipe, whole, test)
    try:
        result: SearchResult = find_search(recipe.search)(subject, **work)
    except Interrupted as stop:
        raise Interrupted(completed_by(recipe, whole, stop.result.reordered(names))) from None
    return completed_by(recipe, whole, result.reordered(names))


def sorted_by_content(data: Dataset | CITest, test: TestOrFunction | None) -> Dataset | CITest:
    """Give the data as searches see them: by content, unless a finished test says how its columns stand."""
    return data if isinstance(data, CITest) or isinstance(test, CITest) else data.by_content


def nodes_of(recipe: Recipe, data: Dataset | CITest) -> tuple[str, ...]:
    """Give the columns that are nodes: the one that tells of interventions is none."""
    return tuple(name for name in data.names if name != recipe.interventions)


def completed_by(recipe: Recipe, data: Dataset | CITest, result: SearchResult) -> SearchResult:
    """Add to a result what its search could not know: seed, threads, the data's preparation, and why this search."""
    told = result.recipe.with_checked(
        seed=recipe.seed if result.recipe.seed is None else result.recipe.seed,
        threads=recipe.threads,
        max_seconds=recipe.max_seconds,
        max_tests=recipe.max_tests,
        preparation=data.preparation if isinstance(data, Dataset) else recipe.preparation,
        reason=recipe.reason,
    )
    kind = data.frame_kind if isinstance(data, Dataset) and data.frame_kind in _FRAMES else None
    return result.with_recipe(told, frame_kind=kind)


def recipe_for(
    data: Any,
    test: str | TestOrFunction | None,
    alpha: Alpha | None,
    *,
    test_options: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    **rest: Any,
) -> tuple[Recipe, TestOrFunction | None]:
    """Make the recipe of a call, and give the test apart if it is more than a name."""
    for name in options:
        if name in _OF_OTHERS:
            raise ParameterError(f"A search has no option {name!r}.", hint=f"It belongs to paucal.{_OF_OTHERS[name]}.")
    rest |= options
    if isinstance(data, CITest) and rest.get("search", AUTO) != AUTO and rest.get("target") is None:
        _refuse_scoring(rest["search"])
    if isinstance(data, CITest) or isinstance(test, CITest):
        said = {"test": test if isinstance(data, CITest) else None, "alpha": alpha}
        said |= {"threads": rest["threads"] if rest.get("threads", 1) != 1 else None, **(test_options or {})}
        for name, value in said.items():
            if value is not None:
                raise ParameterError(
                    f"A finished test was given, so {name}={value!r} cannot be set.",
                    hint="Make the test with it, or give data.",
                )
        finished = data if isinstance(data, CITest) else cast("CITest", test)
    elif test is None or isinstance(test, str):
        return Recipe.of(test=test, alpha=alpha, test_options=test_options, **rest), None
    else:
        finished = make_test(data, test, alpha=alpha, **dict(test_options or {}))
    return Recipe.of(test=finished.settings, **rest), finished


_ALONE = "runs in one process"


def _refuse_jobs(search: str, jobs: int | None) -> None:
    """Other searches run in one process, whatever somebody hopes."""
    if checks.jobs(jobs) not in (None, 1) and search not in (AUTO, *SHARED):
        raise ParameterError(
            (Argument("jobs", jobs), f" has no effect on the search {search!r}, which {_ALONE}."),
            hint=("Use ", Argument("threads"), " instead, or `paucal.bootstrap`, which processes can share."),
            parameter="jobs",
            value=jobs,
        )


def told_unshared(result: SearchResult, **offered: object) -> None:
    """Warn if "auto" has chosen a search that one process does, and somebody had offered more."""
    for name, value in offered.items():
        if value not in (None, 1) and result.search not in SHARED:
            warn(
                UnsharedWorkWarning(
                    (Argument(name, value), f" changed nothing: {result.search!r}, which was chosen, {_ALONE}."),
                    hint=("Use ", Argument("threads"), " instead, or a bootstrap, whose samples processes can share."),
                    parameter=name,
                    value=value,
                )
            )


def _refuse_scoring(search: str) -> None:
    """A search by scores has no use for a test in place of data."""
    if sort_of(search) == "scores":
        raise ParameterError(
            f"The search {search!r} scores data, and a test was given.",
            hint="Give the data themselves, or another search.",
        )


def taken_in(
    data: Any,
    options: Mapping[str, Any],
    *,
    as_is: bool,
    knowledge: Knowledge | None = None,
    interventions: str | None = None,
    targets: Iterable[str] = (),
) -> tuple[Any, dict[str, Any]]:
    """Make a data set of whatever was given, as the options say that are about data; give back the other options.

    A target is never left out, and neither is a column that somebody knows something about. One that tells of
    interventions is taken as it is, and may have gaps. A finished test is given back as it is.
    """
    said, rest = about_data(options)
    if isinstance(data, CITest):
        refuse_data_arguments("A finished test", said)
        return data, rest
    words = {name: value for name, value in rest.items() if name in WORDS}
    known = knowledge.names if isinstance(knowledge, Knowledge) else ()
    kept = (*known, *(Knowledge(**words).names if words else ()))
    named = [target for target in targets if isinstance(target, str)]
    plain = checks.flag("as_is", as_is)
    teller = interventions if isinstance(interventions, str) else None  # the recipe refuses what is no name
    return ready(telling(data, teller), said, as_is=plain, named=named, kept=kept), rest


def prepared(data: Any, preparation: Preparation, interventions: str | None = None) -> Dataset | CITest:
    """Make a data set of a file or a frame as a recipe says; a data set or a finished test is one already.

    A recipe that says nothing about data leaves it to what is proposed.
    """
    if isinstance(data, (Dataset, CITest)):
        return data
    said = preparation.said
    if not said:
        return cast("Dataset | CITest", taken_in(data, {}, as_is=False, interventions=interventions)[0])
    return Dataset.of(telling(data, interventions), **said)


def build_test(recipe: Recipe, data: Dataset | CITest, test: TestOrFunction | None = None) -> CITest:
    """Give the test that a recipe asks about data, with what it may spend."""
    made = _built(recipe, data, test)
    if recipe.max_seconds is None and recipe.max_tests is None:
        return made
    return made.limited(max_seconds=recipe.max_seconds, max_tests=recipe.max_tests)


def _built(recipe: Recipe, data: Dataset | CITest, test: TestOrFunction | None) -> CITest:
    if isinstance(data, CITest):
        return data
    settings = CISettings(DEFAULT_TEST) if recipe.test is None else recipe.test
    if test is not None:
        made = make_test(data, test)
    elif settings.name in test_names():
        made = make_test(data, settings.name, **settings.all | _drawn(recipe, settings))
    else:
        raise ParameterError(
            f"The recipe uses the test {settings.name!r}, which is not one of ours.",
            hint="Run it with that test in place of the data.",
        )
    if made.names != data.names:
        raise ParameterError(
            f"The test is about the columns {list(made.names)}, the data have {list(data.names)}.",
            hint="Give the test alone: learn(test, ...).",
        )
    return made


def _drawn(recipe: Recipe, settings: CISettings) -> dict[str, Any]:
    """Give the seed and the threads of a recipe to a test that takes them and has none of its own."""
    takes, own = test_parameters(settings.name), settings.options
    shared = {"seed": recipe.seed, "threads": recipe.threads if recipe.threads > 1 else None}
    return {name: v for name, v in shared.items() if v is not None and name in takes and name not in own}
