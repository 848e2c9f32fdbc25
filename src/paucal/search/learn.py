"""Names of searches, and `learn`, the one call that runs any of them on anything."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.data import Dataset
from paucal.data.prepare import refuse_data_arguments
from paucal.errors import ParameterError, unknown_name
from paucal.independence.protocol import CITest
from paucal.independence.registry import DEFAULT_TEST, make_test, parameters_of
from paucal.search.choice import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.levels import Alpha
    from paucal.search.result import SearchResult
    from paucal.search.run import Progress

# name -> module and function, imported when the search is run
_SEARCHES = {
    "pc": ("paucal.search.by_tests.pc", "pc"),
    "pc-stable": ("paucal.search.by_tests.pc", "pc_stable"),
    "rai": ("paucal.search.by_tests.rai", "rai"),
    "sc-pc": ("paucal.search.by_tests.sc_pc", "sc_pc"),
    "mmhc": ("paucal.search.by_tests.mmhc", "mmhc"),
    "fci": ("paucal.search.by_tests.fci", "fci"),
    "cfci": ("paucal.search.by_tests.fci", "cfci"),
    "hill-climbing": ("paucal.search.by_scores.hill_climbing", "hill_climb"),
    "order": ("paucal.search.by_scores.order", "order"),
    "posterior": ("paucal.search.by_scores.posterior", "posterior"),
}
_BY_SCORE = ("hill-climbing", "order", "posterior")  # these score the data themselves and ask no test
_FRAMES = ("pandas", "polars", "pyarrow")


def learn(
    data: Any,
    search: str = "auto",
    *,
    test: str | CITest | Callable[..., Any] | None = None,
    alpha: Alpha | None = None,
    test_options: Mapping[str, Any] | None = None,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    seed: int | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> SearchResult:
    """Learn a graph.

    Parameters
    ----------
    data
        A `Dataset`, a data frame (pandas, polars, pyarrow), a dict of columns, a NumPy array or the path of a file; or
        a finished test, such as an `Oracle`.
    search
        Name of the search: "pc-stable", "pc", "rai", "sc-pc", "mmhc", "order", "posterior", ...; `search_names()`
        lists them. With "auto" the size of the problem decides (`paucal.search.choice`), and `details["chosen"]`
        says what and why.
    test
        Name of the test ("chi2-perm" by default), a finished test, or a function `(x, y, given) -> p-value or bool`.
        Searches that go by a score (`"posterior"`, `"order"`, `"hill-climbing"`) take `score` instead.
    alpha
        Level of the test (0.05 by default); a list of levels by number of conditioning columns, or "by-order".
    test_options
        Further parameters of the named test, such as `{"df": "full"}`.
    knowledge
        What is known beforehand: tiers, required and forbidden arrows.
    max_order
        Most conditioning variables in a test; None for no limit.
    seed
        Seed of tests and searches that draw random numbers.
    threads
        Threads for the tests; every number is the same for any value.
    progress
        Called now and then with stage, done, total.
    options
        Further parameters of the search, such as `colliders="majority"`.

    Returns
    -------
    SearchResult
        The graph, what separated the pairs that are not joined, and every test that was made.

    Examples
    --------
    >>> import paucal
    >>> sample = paucal.load_network("cancer").sample(20000, seed=0)
    >>> result = paucal.learn(sample, search="pc-stable", test="g")
    >>> result.graph
    Graph.cpdag(5 nodes, 4 edges: Pollution -> Cancer; Smoker -> Cancer; Cancer -> Xray; Cancer -> Dyspnoea)
    """
    refuse_data_arguments("A search", options)
    if search == "auto":
        return _chosen(
            data,
            test=test,
            alpha=alpha,
            test_options=test_options,
            knowledge=knowledge,
            max_order=max_order,
            seed=seed,
            threads=threads,
            progress=progress,
            **options,
        )
    run = find_search(search)
    known = options_of(search)
    given: dict[str, Any] = {"knowledge": knowledge, "max_order": max_order, "seed": seed}
    given = {name: value for name, value in given.items() if value is not None}
    for name in ("knowledge", "max_order"):
        if name in given and name not in known:
            raise ParameterError(f"The search {search!r} takes no {name}.", hint="Leave it out.")
    if goes_by_score(search):
        _refuse_test(data, search, test, alpha, test_options)
        for name in options:
            if name not in known or name in ("progress", "seed"):
                raise _unknown_option(search, name, known, None)
        given |= {"progress": progress, "threads": threads}
        scored = Dataset.of(data)
        return in_frames_of(scored, run(scored, **{k: v for k, v in given.items() if k in known}, **options))
    asked, table = build_test(
        data,
        DEFAULT_TEST if test is None else test,
        alpha=0.05 if alpha is None else alpha,
        test_options=test_options,
        seed=seed,
        threads=threads,
    )
    for name in options:
        if name not in known or name in ("data", "progress", "seed"):
            raise _unknown_option(search, name, known, asked)
    given |= {"progress": progress, "data": table}
    result: SearchResult = run(asked, **{k: v for k, v in given.items() if k in known}, **options)
    return in_frames_of(table, result)


def _chosen(data: Any, **arguments: Any) -> SearchResult:
    """Learn by the search that fits the problem, and note why."""
    whole = data if isinstance(data, CITest) else Dataset.of(data)
    shared = inspect.signature(learn).parameters
    choice = choose(
        whole,
        test_given=any(
            arguments[name] not in (None, {}) for name in ("test", "alpha", "test_options", "max_order")
        ),
        options=[name for name in arguments if name not in shared],
        known=options_of("posterior"),
    )
    result = learn(whole, choice.search, **arguments | dict(choice.arguments))
    return replace(result, details=dict(result.details) | {"chosen": f"{choice.search}, as {choice.reason}"})


def search_names() -> tuple[str, ...]:
    """Names of all searches.

    >>> "rai" in search_names()
    True
    """
    return tuple(_SEARCHES)


def goes_by_score(search: str) -> bool:
    """Say whether a search scores data and asks no test.

    >>> goes_by_score("order"), goes_by_score("rai")
    (True, False)
    """
    return search in _BY_SCORE


def find_search(search: str) -> Callable[..., SearchResult]:
    """Give the search of a name."""
    module, function = _SEARCHES[checks.known("search", search, _SEARCHES)]
    found: Callable[..., SearchResult] = getattr(import_module(module), function)
    return found


@cache
def options_of(search: str) -> tuple[str, ...]:
    """Names of the parameters that a search takes besides its test.

    >>> options_of("pc")
    ('knowledge', 'max_order', 'colliders', 'progress')
    """
    parameters = inspect.signature(find_search(search)).parameters
    return tuple(name for name, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY)


def build_test(
    data: Any,
    test: str | CITest | Callable[..., Any] = DEFAULT_TEST,
    *,
    alpha: Alpha = 0.05,
    test_options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> tuple[CITest, Dataset | None]:
    """Give the test that answers about some data, and the data as a table; a finished test has no table."""
    if isinstance(data, CITest):
        return _finished(data, test, alpha, test_options, threads), None
    table = Dataset.of(data)
    return _made(test, table, alpha, checks.settings("test_options", test_options), seed, threads), table


def in_frames_of(table: object, result: SearchResult) -> SearchResult:
    """Give a result that answers in frames of the library that the data came in."""
    kind = getattr(table, "frame_kind", None)
    return replace(result, frame_kind=kind) if kind in _FRAMES else result


def _refuse_test(
    data: object, search: str, test: object, alpha: Alpha | None, test_options: Mapping[str, Any] | None
) -> None:
    """A search by score has no use for a test."""
    if isinstance(data, CITest):
        raise ParameterError(
            f"The search {search!r} scores data, and a test was given.",
            hint="Give the data themselves, or another search.",
        )
    given = [name for name, value in (("test", test), ("alpha", alpha)) if value is not None]
    given += list(test_options or ())
    if given:
        raise ParameterError(
            f"The search {search!r} asks no test, so {', '.join(given)} cannot be set.",
            hint="Leave it out, or name another search.",
        )


def _finished(
    data: CITest,
    test: object,
    alpha: Alpha,
    test_options: Mapping[str, Any] | None,
    threads: int,
) -> CITest:
    """Take a finished test in place of data; it cannot be given parameters any more."""
    for name, value, default in (
        ("test", test, DEFAULT_TEST),
        ("alpha", alpha, 0.05),
        ("threads", threads, 1),
    ):
        if value != default:
            raise ParameterError(
                f"A finished test was given, so {name}={value!r} cannot be set.",
                hint="Make the test with it, or give data.",
            )
    if test_options:
        raise ParameterError(
            f"A finished test was given, so {', '.join(test_options)} cannot be set.",
            hint="Make the test with it, or give data.",
        )
    return data


def _made(
    test: str | CITest | Callable[..., Any],
    data: Dataset,
    alpha: Alpha,
    parameters: dict[str, Any],
    seed: int | None,
    threads: int,
) -> CITest:
    threads = checks.threads(threads)
    if isinstance(test, CITest):
        _finished(test, DEFAULT_TEST, alpha, parameters, threads)
    if isinstance(test, str):
        takes = parameters_of(test)
        defaults = {"seed": seed, "threads": threads if threads > 1 else None}
        parameters = {k: v for k, v in defaults.items() if k in takes and v is not None} | parameters
    made = make_test(data, test, alpha=alpha, **parameters)
    if made.names != data.names:
        raise ParameterError(
            f"The test is about the columns {list(made.names)}, the data have {list(data.names)}.",
            hint="Give the test alone: learn(test, ...).",
        )
    return made


def _unknown_option(search: str, name: str, known: tuple[str, ...], test: CITest | None) -> ParameterError:
    hint = unknown_name("option", name, [o for o in known if o not in ("data", "progress")]).hint
    if test is not None and name in getattr(test, "parameters", {}):
        hint = f"It is a parameter of the test {test.name!r}: give it as a test option."
    return ParameterError(f"The search {search!r} has no option {name!r}.", hint=hint)
