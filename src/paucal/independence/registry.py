"""Tests by name: what each takes, and how to build it on data."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.data import Dataset
from paucal.data.preparation import about_data, refuse_data_arguments
from paucal.errors import Argument, DataError, ParameterError, listing
from paucal.independence.custom import CallableTest
from paucal.independence.ledger import Unkept
from paucal.independence.levels import levels
from paucal.independence.protocol import CITest
from paucal.independence.settings import CISettings
from paucal.independence.tests import builders
from paucal.inspection.intake import question_data, ready
from paucal.tables import MemoryCounts, Table, counts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from paucal.independence.answers import CIResult
    from paucal.independence.levels import Alpha

DEFAULT_ALPHA = 0.05
DEFAULT_TEST = "auto"  # chi2-perm or chi2-trend: their levels are right in small samples, which this library is for

_OF_ORDER = ("trend", "chi2-trend")  # these need columns whose levels have an order
_OF_NUMBERS = (*_OF_ORDER, "auto")  # these take numbers as they are


def test_names() -> tuple[str, ...]:
    """Names of all built-in tests."""
    return tuple(builders())


@cache
def test_parameters(test: str) -> dict[str, Any]:
    """Give the parameters that a built-in test takes, with their defaults."""
    signature = inspect.signature(builders()[checks.known("test", test, builders())])
    keyword = inspect.Parameter.KEYWORD_ONLY
    return {name: p.default for name, p in signature.parameters.items() if p.kind is keyword}


def settings_of(
    test: str | None = None, alpha: Alpha | None = None, options: Mapping[str, Any] | None = None
) -> CISettings:
    """Check the name, the level and the parameters of a built-in test; None is the default of each."""
    name = DEFAULT_TEST if test is None else test
    checks.instance("test", name, str, "the name of a test, a test or a function")
    allowed, given = test_parameters(name), checks.settings("test_options", options)
    for key, value in given.items():
        if key not in allowed or key == "alpha":
            raise ParameterError(
                f"The test {name!r} has no parameter {key!r}.",
                hint=f"It has {', '.join(sorted(allowed))}.",
                parameter=key,
                value=value,
                allowed=tuple(sorted(allowed)),
            )
    if "alpha" in allowed:
        alpha = DEFAULT_ALPHA if alpha is None else alpha
        levels(alpha)
    elif alpha is not None:
        raise ParameterError(
            (f"The test {name!r} has no level, so ", Argument("alpha", alpha), " cannot be set."),
            hint=f"It has {', '.join(sorted(allowed))}.",
            parameter="alpha",
            value=alpha,
        )
    return CISettings(name, alpha, given)


def make_test(
    data: Any,
    test: str | CITest | Callable[..., Any] = DEFAULT_TEST,
    *,
    alpha: Alpha | None = None,
    as_is: bool = False,
    **parameters: Any,
) -> CITest:
    """Build a test on data.

    Parameters
    ----------
    data
        Anything `Dataset.of` takes; raw data are prepared as for `paucal.learn`.
    test
        A name (`test_names()` lists them), a finished test, or a function `(x, y, given) -> p-value or bool`.
    alpha
        Level of the test, 0.05 by default; a list of levels by number of conditioning columns, or "by-order". Tests
        that compare their statistic with a threshold of another kind ("bf" with `eta`) have none.
    as_is
        Take raw data as they are.
    parameters
        Further parameters of the named test; and what is to be done to the data, as for `paucal.learn`.

    Examples
    --------
    >>> test = make_test({"a": [0, 1, 0, 1], "b": [0, 1, 0, 1]}, "g", df="full")
    >>> round(test("a", "b").statistic, 4)
    5.5452
    """
    said, parameters = about_data(parameters)
    if isinstance(test, str) and test in test_names():  # a word that tests have too, such as `order`, is the test's
        parameters |= {word: said.pop(word) for word in test_parameters(test) if word in said}
    if not isinstance(test, str):
        if parameters or (isinstance(test, CITest) and alpha is not None):
            what = "A finished test" if isinstance(test, CITest) else "A function as a test"
            given = ", ".join([*(["alpha"] if alpha is not None else []), *parameters])
            raise ParameterError(
                f"{what} takes no parameters, but {given} was given.", hint="Make it with them, or leave them out."
            )
        if isinstance(test, CITest):
            return test
        test = checks.function("test", test, 3, "the name of a test, a test or a function of x, y and given")
        names = ready(data, said, as_is=as_is).names
        return CallableTest(test, names, alpha=DEFAULT_ALPHA if alpha is None else alpha)
    settings = settings_of(test, alpha, parameters)
    if isinstance(data, MemoryCounts):
        refuse_data_arguments("Counts in memory", said)
        counts = data
    else:
        counts = counts_of(ready(data, said, as_is=as_is))
    _refuse_ends(settings, counts, counts.names)
    return builders()[test](counts, **settings.all)


_MOST_KEPT = 8  # tests of one data set that `ci_test` keeps: making one takes ten times as long as a question


def _kept_test(
    counts: MemoryCounts, test: str, alpha: Alpha | None, parameters: Mapping[str, Any]
) -> tuple[Callable[..., CIResult], CISettings | None]:
    """Give the test of these settings for a data set, made once, and the settings if it does not take every column."""
    key: Any = test
    if alpha is not None or parameters:
        key = (test, type(alpha), alpha, *[(name, type(v), v) for name, v in parameters.items()])
    kept = counts.kept_tests
    try:
        known: tuple[Callable[..., CIResult], CISettings | None] | None = kept.get(key)
    except TypeError:  # levels in a list
        known, key = None, None
    if known is not None:
        return known
    refuse_data_arguments("A Dataset", about_data(parameters)[0])
    settings = settings_of(test, alpha, parameters)  # refuses a test that nobody knows
    built = builders()[test](counts, **settings.all)
    built.ledger = Unkept(counts.names)  # it lives as long as the data, and nobody sees its books
    made = built.__call__, None if _takes_all(_statistic_name(settings), counts) else built.settings
    if key is not None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[key] = made
    return made


def _statistic_name(settings: CISettings) -> str:
    name = settings.options.get("statistic", settings.name)  # of the permutation test, what it permutes
    return str(getattr(name, "name", name))


def _takes_all(name: str, counts: MemoryCounts) -> bool:
    return name not in _OF_ORDER and (name in _OF_NUMBERS or not counts.numbers)


def _refuse_ends(settings: CISettings, counts: MemoryCounts, ends: Iterable[str]) -> None:
    """Refuse questions about columns that a test cannot read: numbers, or levels without an order."""
    name = _statistic_name(settings)
    if _takes_all(name, counts):
        return
    place = {column: v for v, column in enumerate(counts.names)}
    columns = [place[end] for end in ends if isinstance(end, str) and end in place]  # others are refused later
    if name not in _OF_NUMBERS and (found := [repr(counts.names[v]) for v in columns if v in counts.numbers]):
        raise DataError(
            f"The test {name!r} counts levels, and there are numbers: {listing(found)}.",
            hint=("Use ", Argument("test", "auto"), ", or cut them: ", Argument("discretize", "quantile:3"), "."),
        )
    if name in _OF_ORDER:
        levels = [v for v in columns if v not in counts.ordinal and not counts.is_binary(v)]
        if levels:
            found = [repr(counts.names[v]) for v in levels]
            raise DataError(
                f"The test {name!r} needs an order of the levels, and there is none in {listing(found)}.",
                hint=("Say that they are ordered, or use ", Argument("test", "auto"), "."),
            )


def ci_test(
    data: Any = None,
    x: str = "x",
    y: str = "y",
    given: Iterable[str] = (),
    *,
    table: Table | ArrayLike | None = None,
    test: str | CITest | Callable[..., Any] = DEFAULT_TEST,
    alpha: Alpha | None = None,
    as_is: bool = False,
    **parameters: Any,
) -> CIResult:
    """Test whether x and y are independent given some columns.

    Parameters
    ----------
    data
        A `Dataset`, a data frame (pandas, polars, pyarrow), a dict of columns, a NumPy array or the path of a file.
    x, y, given
        Names of columns. In a data frame or file only these are prepared, as `paucal.prepare` proposes; none is left
        out.
    table
        Instead of data and given columns: their counts, x by y or strata by x by y, or a `Table`.
    test, alpha, as_is, parameters
        As for `make_test`.

    Returns
    -------
    CIResult
        Decision, statistic, degrees of freedom, p-value, and how far the data can answer this question.

    Examples
    --------
    >>> import paucal
    >>> data = {"rain": [0, 0, 0, 1, 1, 1] * 5, "wet": [0, 0, 1, 1, 1, 1] * 5}
    >>> result = paucal.ci_test(data, "rain", "wet", test="chi2")
    >>> result.decision, result.n, result.reliable
    ('dependent', 30, True)
    >>> paucal.ci_test(table=[[10, 5], [0, 15]], test="chi2").statistic == result.statistic
    True
    """
    if not isinstance(given, (list, tuple)):
        given = checks.names("given", given)  # it may be read once only
    if table is not None:
        if data is not None or given:
            raise ParameterError("A table stands for data and given columns.", hint="Give only one of the two.")
        whole = table if isinstance(table, Table) else Table.from_dense(table)
        data = whole.dataset(x, y, ordered=isinstance(test, str) and test in _OF_ORDER)
        given = data.names[2:]
    if not isinstance(data, (Dataset, CITest, MemoryCounts)) and not isinstance(test, CITest):
        said, parameters = about_data(parameters)
        data = question_data(data, x, y, given, said, as_is=as_is)
    if isinstance(test, str) and isinstance(data, Dataset):  # the columns that are not asked about may be of any kind
        counts = counts_of(data)
        ask, limited = _kept_test(counts, test, alpha, parameters)
        if limited is not None:
            _refuse_ends(limited, counts, (x, y))
        return ask(x, y, given)
    return make_test(data, test, alpha=alpha, as_is=as_is, **parameters)(x, y, given)
