"""Local discovery: the Markov blanket of a target, by several algorithms.

* `cmb`                                 causal: parents, children, undetermined neighbours, spouses (`cmb.py`)
* `hiton`, `mmmb`                       neighbours found from both ends, then spouses (`hiton.py`, `mmmb.py`)
* `iamb`, `inter-iamb`, `fast-iamb`     the blanket as a whole (`iamb.py`)
* `stmb`                                neighbours and spouses together (`stmb.py`)

All but `cmb` leave the direction of edges open: their neighbours are undetermined. The first three ask about every
column alone and then only about columns around the target; the others ask about every column once more for every
member they meet.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.data import Dataset
from paucal.errors import Argument, ParameterError
from paucal.independence.protocol import CITest
from paucal.independence.registry import DEFAULT_TEST
from paucal.search.by_tests.skeleton import orders
from paucal.search.evidence.explain import Reason
from paucal.search.evidence.sepsets import Sepsets
from paucal.search.learn import build_test, in_frames_of
from paucal.search.local.cmb import cmb
from paucal.search.local.hiton import hiton
from paucal.search.local.iamb import iamb
from paucal.search.local.mmmb import mmmb
from paucal.search.local.result import BlanketResult
from paucal.search.local.stmb import stmb
from paucal.search.parallel import each
from paucal.search.run import Progress, SearchRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paucal.independence.levels import Alpha
    from paucal.search.local.found import Found
    from paucal.search.result import SearchResult

_FINDERS: dict[str, Callable[..., Found]] = {
    "cmb": cmb,
    "hiton": hiton,
    "mmmb": mmmb,
    "mmpc": mmmb,
    "iamb": iamb,
    "inter-iamb": partial(iamb, growth="inter-iamb"),
    "fast-iamb": partial(iamb, growth="fast-iamb"),
    "stmb": stmb,
}


def blanket(
    data: Any,
    target: str,
    *,
    search: str = "cmb",
    test: str | CITest | Callable[..., Any] = DEFAULT_TEST,
    alpha: Alpha = 0.05,
    test_options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> BlanketResult:
    """Find the Markov blanket of one column.

    Parameters
    ----------
    data
        Anything `Dataset.of` takes, or a finished test such as an `Oracle`.
    target
        The column in the middle.
    search
        `"cmb"` (with directions), `"hiton"`, `"mmmb"` (also `"mmpc"`), `"iamb"`, `"inter-iamb"`, `"fast-iamb"`,
        `"stmb"`.
    test, alpha, test_options, seed, threads
        The independence test, its level, its further parameters, its seed and its threads; as for `learn`.
    progress
        Called now and then with a stage, how much of it is done, and of how much if that is known.
    options
        Options of the search. All take `max_order`, the largest subset tried where an algorithm searches subsets (3;
        None for no limit). `cmb` takes `style` ("repaired" or "reference") and `neighbours`, the algorithm that finds
        parents and children ("hiton", "mmpc", "iamb", "inter-iamb", "fast-iamb", "stmb").

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
    find = _finder(search, options)
    asked, table = build_test(data, test, alpha=alpha, test_options=test_options, seed=seed, threads=threads)
    number = asked.index(target)
    with SearchRun(search, asked, settings=find.keywords, progress=progress) as run:
        found = find(run, number)
        result = run.result(found.graph, Sepsets(asked.names, found.separators), details=found.details)
    return _result(asked.names, number, found, in_frames_of(table, result))


def blankets(
    data: Any,
    targets: Iterable[str] | None = None,
    *,
    search: str = "cmb",
    test: str | CITest | Callable[..., Any] = DEFAULT_TEST,
    alpha: Alpha = 0.05,
    test_options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, BlanketResult]:
    """Find the Markov blankets of several columns, or of all.

    Every target gets a test of its own, so that its ledger tells what it would cost alone, and the results are the
    same for any number of jobs. Only a finished test, which has a memory, is shared, and then there is one job.

    Parameters
    ----------
    data, search, test, alpha, test_options, seed, options
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
    whole = data if isinstance(data, CITest) else Dataset.of(data)
    wanted = whole.names if targets is None else checks.names("targets", targets)
    chosen = [whole.names[number] for number in dict.fromkeys(map(whole.index, wanted))]
    finished = any(isinstance(one, CITest) for one in (whole, test))
    if finished and checks.jobs(jobs) not in (None, 1):
        raise ParameterError(
            (Argument("jobs", jobs), " cannot share a finished test."),
            hint=("Give ", Argument("jobs", 1), ", or the name of a test."),
            parameter="jobs",
            value=jobs,
            allowed=(None, 1),
        )
    one = partial(
        blanket,
        whole,
        search=search,
        test=test,
        alpha=alpha,
        test_options=test_options,
        seed=seed,
        **options,
    )
    found: dict[str, BlanketResult] = {}
    for target, result in zip(chosen, each(one, chosen, 1 if finished else jobs), strict=True):
        found[target] = result
        if progress is not None:
            progress("targets", len(found), len(chosen))
    return found


def blanket_searches() -> tuple[str, ...]:
    """Names of the searches for blankets."""
    return tuple(_FINDERS)


def find_blanket_search(name: str) -> Callable[..., Found]:
    """Give the search of a name."""
    return _FINDERS[checks.known("search for blankets", name, _FINDERS)]


def _finder(name: str, options: Mapping[str, Any]) -> partial[Found]:
    find = find_blanket_search(name)
    known = inspect.signature(find).parameters
    allowed = [
        key for key, p in known.items() if p.kind is inspect.Parameter.KEYWORD_ONLY and key != "growth"
    ]
    for key in options:
        if key not in allowed:
            raise ParameterError(
                f"The search {name!r} has no option {key!r}.",
                hint=f"It has {', '.join(sorted(allowed))}.",
                parameter=key,
                value=options[key],
                allowed=tuple(sorted(allowed)),
            )
    orders(options.get("max_order"))  # refuses what is no number
    return partial(find, **{key: known[key].default for key in allowed} | dict(options))


def _result(names: tuple[str, ...], target: int, found: Found, result: SearchResult) -> BlanketResult:
    graph, middle = found.graph, names[target]
    reasons = dict(found.reasons)
    for x, children in found.spouses.items():
        if children:
            reasons[names[x], middle] = Reason("spouse", tuple(names[y] for y in children))
    return BlanketResult(
        middle,
        graph.parents(middle),
        graph.children(middle),
        graph.neighbours(middle),
        tuple(names[x] for x in found.spouses if not graph.has_edge(names[x], middle)),
        result=replace(result, reasons=reasons),
    )
