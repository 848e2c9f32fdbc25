"""From encoded columns to a usable table: what is refused, what is warned about, what happens to missing values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from paucal import checks
from paucal.data.discretize import MOST_VALUES, discretize_columns, is_measured
from paucal.errors import (
    Argument,
    Calls,
    ConstantColumnWarning,
    DataError,
    IdentifierColumnWarning,
    ManyLevelsWarning,
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

Missing: TypeAlias = Literal["error", "drop", "level"]

MISSING_LABEL = None  # no value can clash with it, and it goes back into a frame as a missing value
FEWEST_IDENTIFIERS = 10  # below that, a column that differs in every row is no surprise

_LEFT_OUT = ("(", Argument("leave_out", of="paucal.read"), ")")
_CALLS = Calls("Dataset.of and paucal.read")
_DROP, _LEVEL = Argument("missing", "drop"), Argument("missing", "level")
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
        columns = _with_levels(columns, counts) if how.missing == "level" else _without_rows(columns)
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
    drop = (_DROP, f" leaves out the {lost} that have any; ")
    level = (_LEVEL, ' counts "missing" as one more level; or keep ')
    fill = (Argument("missing", "error"), " and fill them in yourself.")
    raise MissingValuesError(
        f"Values are missing in {sum(map(bool, counts))} of {len(names)} columns: {found}.",
        hint=("Choose what to do: ", *drop, *level, *fill, _CALLS),
    )


def _complete_rows(columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    complete = np.ones(len(columns[0].codes), bool)
    for column in columns:
        complete &= column.codes != len(column.levels)
    return complete


def _without_rows(columns: Sequence[Column]) -> list[Column]:
    """Leave out the rows that have a missing value."""
    complete = _complete_rows(columns)
    if not complete.any():
        every = f"Every one of the {len(complete):,} rows has a missing value, so that "
        raise DataError(
            (every, _DROP, " leaves none."),
            hint=("Use ", _LEVEL, ", or leave out the columns with most missing values."),
        )
    kept = [replace(column, codes=column.codes[complete]) for column in columns]
    # a level that only dropped rows had was never declared by anybody: it goes with them
    return [column if column.declared else column.without_unobserved() for column in kept]


def _with_levels(columns: Sequence[Column], counts: Sequence[int]) -> list[Column]:
    """Count the code for missing values as a level; the codes can stay."""
    return [
        replace(column, levels=(*column.levels, MISSING_LABEL)) if n else column
        for column, n in zip(columns, counts, strict=True)
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
