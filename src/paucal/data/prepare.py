"""From encoded columns to a usable table: what is refused, what is warned about, what happens to missing values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from paucal import checks
from paucal.data.discretize import MOST_VALUES, discretize_columns, is_measured
from paucal.errors import (
    Argument,
    Calls,
    ConstantColumnWarning,
    DataError,
    EmptyRowsWarning,
    IdentifierColumnWarning,
    ManyLevelsWarning,
    ManyMissingWarning,
    MissingValuesError,
    ParameterError,
    listing,
    short,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import numpy.typing as npt

    from paucal.data.discretize import Discretize
    from paucal.data.encode import Column

Missing: TypeAlias = Literal["error", "keep", "drop", "level"]

MISSING_LABEL = None  # no value can clash with it, and it goes back into a frame as a missing value
FEWEST_IDENTIFIERS = 10  # below that, a column that differs in every row is no surprise

_LEFT_OUT = ("(", Argument("leave_out", of="paucal.read"), ")")
_CALLS = Calls("Dataset.of and paucal.read")
_KEEP, _DROP, _LEVEL = (Argument("missing", how) for how in ("keep", "drop", "level"))
_THIRDS = Argument("discretize", "quantile:3")


def check_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return the names as text; refuse empty and repeated ones."""
    words = tuple(name if isinstance(name, str) else _name_as_text(name) for name in names)
    empty = [str(i + 1) for i, word in enumerate(words) if not word.strip()]
    if empty:
        noun, verb = ("Columns", "have") if len(empty) > 1 else ("Column", "has")
        raise DataError(
            f"{noun} {listing(empty)} of {len(words)} {verb} no name.",
            hint="Name every column or choose columns by name. An unnamed first column is often a row number: write "
            "the file without it (index=False in pandas, row.names=FALSE in R).",
        )
    if len(set(words)) < len(words):
        twice = Counter(words).most_common(1)[0][0]
        places = [str(i + 1) for i, word in enumerate(words) if word == twice]
        raise DataError(
            f"{len(places)} columns are named {short(twice)}: columns {listing(places)}.",
            hint="Rename all but one. A file must begin with a line of names.",
        )
    if not words:
        raise DataError("The data have no columns.", hint="Give at least one column.")
    return words


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """What a reader was told that shapes the data, kept with them so that a result can say it; see `paucal.read`.

    >>> Preparation(missing="drop", leave_out=("id",)).said
    {'missing': 'drop', 'leave_out': ['id']}
    """

    missing: Missing = "error"
    discretize: Discretize = None
    drop_unobserved: bool = False
    columns: tuple[str, ...] | None = None
    leave_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.choice("missing", self.missing, get_args(Missing))
        checks.flag("drop_unobserved", self.drop_unobserved)
        object.__setattr__(self, "discretize", checks.native(self.discretize))
        for name in ("columns", "leave_out"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, tuple(checks.names(name, getattr(self, name))))

    @property
    def said(self) -> dict[str, Any]:
        """What differs from the defaults, as arguments of `paucal.read`."""
        defaults = {field.name: field.default for field in fields(self)}
        changed = {name: value for name, value in vars(self).items() if value != defaults[name]}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in changed.items()}


class Choice(NamedTuple):
    """Which columns of a file are data: those that are named, or all; without those that are left out."""

    columns: Iterable[str] | None = None
    leave_out: Iterable[str] = ()

    def positions(self, names: Sequence[str]) -> list[int]:
        """Return where the chosen columns are; names may be empty or repeated only where nobody wants them."""
        places: dict[str, list[int]] = {}
        for i, name in enumerate(names):
            places.setdefault(name, []).append(i)
        wanted = list(places) if self.columns is None else checks.names("columns", self.columns)
        out = checks.names("leave_out", self.leave_out)
        for name in (*wanted, *out):
            checks.known("column", name, places)
        unwanted = dict.fromkeys(out)
        kept = [i for name in wanted if name not in unwanted for i in places[name]]
        if self.columns is None:
            kept.sort()
        elif both := unwanted.keys() & wanted:
            raise ParameterError(
                f"Column {min(both)!r} is both chosen and left out.",
                hint="Name it in one of the two.",
                parameter="leave_out",
                value=min(both),
            )
        check_names([names[i] for i in kept])
        return kept


def refuse_data_arguments(caller: str, given: Iterable[str], *, of_read: Collection[str] = ()) -> None:
    """Say where arguments belong that are about making a dataset, or reading one, if somebody else got any of them."""
    for name in given:
        if name in ("missing", "discretize", "drop_unobserved", *of_read):
            maker = "paucal.read(file" if name in of_read else "Dataset.of(data"
            raise ParameterError(
                f"{caller} takes no {name}=, which is about how the data are made.",
                hint=f"Give {maker}, {name}=...) as the data.",
                parameter=name,
            )


def prepare(names: Sequence[str], columns: Sequence[Column], how: Preparation) -> tuple[list[Column], tuple[int, ...]]:
    """Discretise, check, and settle missing values; return also how many each column had."""
    n_rows = len(columns[0].codes)
    if n_rows == 0:
        raise DataError(f"The data have {len(columns)} columns and no rows.", hint="Give at least one row.")
    counts = tuple(column.n_missing for column in columns)
    _refuse_empty(names, counts, n_rows)
    if how.missing == "error":
        _refuse_missing(names, columns, counts)
    columns = discretize_columns(names, columns, how.discretize)
    _refuse_continuous(names, columns)
    if any(counts):
        settle = {"level": _with_levels, "drop": _without_rows, "keep": _with_gaps}[how.missing]
        columns = settle(names, columns)
    if how.drop_unobserved:
        columns = [column.without_unobserved() for column in columns]
    columns = [column.narrowed() for column in columns]
    _warn_of_useless(names, columns)
    return columns, counts


def _name_as_text(name: object) -> str:
    return "" if name is None or name != name else str(name)  # noqa: PLR0124 - NaN is no name


def _refuse_empty(names: Sequence[str], counts: Sequence[int], n_rows: int) -> None:
    empty = [repr(name) for name, n in zip(names, counts, strict=True) if n == n_rows]
    if empty:
        raise DataError(
            f"No row has a value in {len(empty)} of {len(names)} columns: {listing(empty)}.",
            hint=("Leave the columns out ", *_LEFT_OUT, "."),
        )


def _refuse_continuous(names: Sequence[str], columns: Sequence[Column]) -> None:
    sizes = {name: len(c.levels) for name, c in zip(names, columns, strict=True) if c.floating}
    wide = {name: n for name, n in sizes.items() if n > MOST_VALUES}
    if wide:
        found = listing(f"{name!r} ({n:,} distinct values)" for name, n in wide.items())
        one = Argument("discretize", {next(iter(wide)): "width:4"})
        cut = (_THIRDS, " for all of them, ", one, " for one, or give cut points. ")
        whole = "If they are whole numbers that stand for categories, make them integers."
        raise DataError(
            f"Floating-point columns with more than {MOST_VALUES} distinct values are not discrete: {found}.",
            hint=("Cut them into intervals: ", *cut, whole, _CALLS),
        )


def _refuse_missing(names: Sequence[str], columns: Sequence[Column], counts: Sequence[int]) -> None:
    if not any(counts):
        return
    found = listing(f"{name!r} ({n:,})" for name, n in zip(names, counts, strict=True) if n)
    complete = _complete_rows(columns)
    lost = f"{np.count_nonzero(~complete):,} of {len(complete):,} rows"
    keep = (_KEEP, " keeps all rows and lets the search allow for what is missing; ")
    drop = (_DROP, f" leaves out the {lost} that have any; ")
    level = (_LEVEL, ' counts "missing" as one more level, which invents edges ')
    risk = "if values are missing more often at some levels of another column."
    raise MissingValuesError(
        f"Values are missing in {sum(map(bool, counts))} of {len(names)} columns: {found}.",
        hint=("Choose what to do: ", *keep, *drop, *level, risk, _CALLS),
    )


def _complete_rows(columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    complete = np.ones(len(columns[0].codes), bool)
    for column in columns:
        complete &= column.codes != len(column.levels)
    return complete


def _with_gaps(names: Sequence[str], columns: Sequence[Column]) -> list[Column]:
    """Keep what is missing as it is, in all rows that have any value; warn of columns that mostly have none."""
    some = np.zeros(len(columns[0].codes), bool)
    for column in columns:
        some |= column.codes != len(column.levels)
    if not some.all():
        problem = f"{np.count_nonzero(~some):,} of {len(some):,} rows have no value at all."
        warn(EmptyRowsWarning(problem, hint="They are left out."))
        columns = [replace(column, codes=column.codes[some]) for column in columns]
    n_rows = np.count_nonzero(some)
    many = [(name, c.n_missing / n_rows) for name, c in zip(names, columns, strict=True) if 2 * c.n_missing > n_rows]
    if many:
        found = listing(f"{name!r} ({share:.0%})" for name, share in many)
        problem = f"More than half of the values are missing in {len(many)} of {len(names)} columns: {found}."
        warn(
            ManyMissingWarning(
                problem, hint=("What is said of them is mostly guessed; leave them out ", *_LEFT_OUT, ".")
            )
        )
    return list(columns)


def _without_rows(names: Sequence[str], columns: Sequence[Column]) -> list[Column]:
    """Leave out the rows that have a missing value."""
    complete = _complete_rows(columns)
    if not complete.any():
        every = f"Every one of the {len(complete):,} rows has a missing value, so that "
        raise DataError(
            (every, _DROP, " leaves none."),
            hint=("Use ", _KEEP, f", or leave out the columns with most missing values: {_emptiest(names, columns)}."),
        )
    kept = [replace(column, codes=column.codes[complete]) for column in columns]
    # a level that only dropped rows had was never declared by anybody: it goes with them
    return [column if column.declared else column.without_unobserved() for column in kept]


def _emptiest(names: Sequence[str], columns: Sequence[Column]) -> str:
    counts = sorted(
        ((column.n_missing, name) for name, column in zip(names, columns, strict=True)), key=lambda c: -c[0]
    )
    return listing((f"{name!r} ({n:,})" for n, name in counts if n), limit=3)


def _with_levels(names: Sequence[str], columns: Sequence[Column]) -> list[Column]:
    """Count the code for missing values as a level; the codes can stay."""
    del names
    return [
        replace(column, levels=(*column.levels, MISSING_LABEL)) if column.n_missing else column for column in columns
    ]


def _warn_of_useless(names: Sequence[str], columns: Sequence[Column]) -> None:
    """Warn once for all constant columns, for all that name their rows, and for all that look like measurements."""
    n_rows, p = len(columns[0].codes), len(names)
    observed = {name: np.count_nonzero(c.observed) for name, c in zip(names, columns, strict=True)}
    constant = [repr(name) for name, k in observed.items() if k == 1]
    if constant:
        problem = f"All rows are equal in {len(constant)} of {p} columns: {listing(constant)}."
        advice = "A constant is independent of everything; leave the column out "
        warn(ConstantColumnWarning(problem, hint=(advice, *_LEFT_OUT, " if that is not meant.")))
    identifiers = [repr(name) for name, k in observed.items() if k == n_rows >= FEWEST_IDENTIFIERS]
    if identifiers:
        problem = f"All {n_rows:,} rows differ in {len(identifiers)} of {p} columns: {listing(identifiers)}."
        advice = "Such a column names the rows and says nothing about them: leave the column out "
        cut = (", or cut its numbers into intervals with ", Argument("discretize"), ".", _CALLS)
        warn(IdentifierColumnWarning(problem, hint=(advice, *_LEFT_OUT, *cut)))
    measured = [
        f"{name!r} ({len(c.levels) - (MISSING_LABEL in c.levels):,})"
        for name, c in zip(names, columns, strict=True)
        if is_measured(c)
    ]
    if measured:
        problem = f"Whole numbers with more than {MOST_VALUES} values, each a level of its own: {listing(measured)}."
        advice = "If they are measurements, cut them into intervals: "
        warn(ManyLevelsWarning(problem, hint=(advice, _THIRDS, " does so for all of them.", _CALLS)))
