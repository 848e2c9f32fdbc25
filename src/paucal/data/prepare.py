"""From encoded columns to a usable table: what is refused, what is warned about, what happens to missing values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paucal import checks
from paucal.data.discretize import discretize_columns, is_measured
from paucal.data.encode import HALF_HINT, half_character, plain_label
from paucal.data.kinds import CUT, MOST_VALUES, Taken, decide, rows_alone
from paucal.data.recode import recode_columns
from paucal.data.weights import n_marked
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
    listing,
    short,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from paucal.data.discretize import Discretize
    from paucal.data.encode import Column
    from paucal.data.kinds import Kind
    from paucal.data.preparation import Preparation

MISSING_LABEL = None  # no value can clash with it, and it goes back into a frame as a missing value
MANY_GAPS = 0.5  # a column with a larger share of missing values says little
_CUT = Taken("levels", "cut into intervals")

_LEFT_OUT = ("(", Argument("leave_out", of="paucal.read"), ")")
_CALLS = Calls("Dataset.of and paucal.read")
_KEEP, _DROP, _LEVEL = (Argument("missing", how) for how in ("keep", "drop", "level"))
_THIRDS = Argument("discretize", "quantile:3")


def check_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return the names as text; refuse empty and repeated ones."""
    words = tuple(
        name if isinstance(name, str) else _name_as_text(name)
        for name in checks.items("names", names, "a list of names")
    )
    empty = [str(i + 1) for i, word in enumerate(words) if not word.strip()]
    if empty:
        noun, verb = ("Columns", "have") if len(empty) > 1 else ("Column", "has")
        raise DataError(
            f"{noun} {listing(empty)} of {len(words)} {verb} no name.",
            hint="Name every column or choose columns by name. An unnamed first column is often a row number: write "
            "the file without it (index=False in pandas, row.names=FALSE in R).",
        )
    if (half := half_character(words)) is not None:
        raise DataError(f"The name {half!a} has half a character that stands alone.", hint=HALF_HINT)
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


class Ready(NamedTuple):
    """Columns that can be used; per column the missing values it had, what it is, and why it was taken for that."""

    columns: list[Column]
    missing: tuple[int, ...]
    kinds: tuple[Kind, ...]
    kind_reasons: tuple[str, ...]


def prepare(names: Sequence[str], columns: Sequence[Column], how: Preparation, *, told: bool = True) -> Ready:
    """Recode, discretise, check, and settle missing values; `told` is whether to warn of what is of no use."""
    n_rows = columns[0].n_rows
    if n_rows == 0:
        raise DataError(f"The data have {len(columns)} columns and no rows.", hint="Give at least one row.")
    columns = recode_columns(names, columns, how)
    counts = tuple(column.n_missing for column in columns)
    _refuse_empty(names, counts, n_rows)
    if how.missing == "error":
        _refuse_missing(names, columns, counts)
    taken = [_taken(name, column, how) for name, column in zip(names, columns, strict=True)]
    cut = discretize_columns(names, columns, _rules(names, how), how.kinds)
    taken = [was if one is before else _CUT for was, one, before in zip(taken, cut, columns, strict=True)]
    columns = cut
    if how.missing == "level":  # what is missing has no place among numbers
        gaps = zip(taken, counts, strict=True)
        taken = [Taken("levels", one.why) if one.kind == "number" and n else one for one, n in gaps]
    _refuse_continuous(names, columns, taken)
    if any(counts):
        if told and how.missing == "keep":
            _warn_of_gaps(names, columns)
        settle = {"level": _with_levels, "drop": _without_rows, "keep": _with_gaps}[how.missing]
        columns = settle(names, columns)
    if how.drop_unobserved:
        columns = [column.without_unobserved() for column in columns]
    columns = [column.narrowed() for column in columns]
    if told:
        _warn_of_useless(names, columns, taken, how.kinds)
    return Ready(columns, counts, tuple(one.kind for one in taken), tuple(one.why for one in taken))


def _taken(name: str, column: Column, how: Preparation) -> Taken:
    """Tell what a column is: what was said, else what its values say."""
    if column.tells:
        return Taken("levels", "tells about the rows")
    if name in how.kinds:
        return Taken(how.kinds[name], how.why.get(f"kinds.{name}", "as you said"))
    found = decide(column)
    if found.kind == "number" and CUT is not None:
        # nothing takes numbers yet: where nobody cuts them, every value is a level of its own
        return Taken("levels", found.why)
    return found


def _rules(names: Sequence[str], how: Preparation) -> Discretize:
    """Give the rules for the columns that are there: a recipe may name others that were not chosen."""
    if not isinstance(how.discretize, Mapping):
        return how.discretize
    unchosen = how.columns is not None
    return {
        name: rule
        for name, rule in how.discretize.items()
        if name in names or not (unchosen or name in how.leave_out)  # an unknown name is refused later
    }


def _name_as_text(name: object) -> str:
    if not isinstance(name, Hashable):  # a list or an array
        raise DataError(f"{short(name)} is not the name of a column.", hint="Names are text.")
    return "" if plain_label(name) is None else str(name)


def _refuse_empty(names: Sequence[str], counts: Sequence[int], n_rows: int) -> None:
    empty = [repr(name) for name, n in zip(names, counts, strict=True) if n == n_rows]
    if empty:
        raise DataError(
            f"No row has a value in {len(empty)} of {len(names)} columns: {listing(empty)}.",
            hint=("Leave the columns out ", *_LEFT_OUT, "."),
        )


def _refuse_continuous(names: Sequence[str], columns: Sequence[Column], taken: Sequence[Taken]) -> None:
    found = zip(names, columns, taken, strict=True)
    sizes = {name: len(c.levels) for name, c, what in found if c.floating and what.kind == "levels"}
    wide = {name: n for name, n in sizes.items() if n > MOST_VALUES}
    if wide:
        shown = listing(f"{name!r} ({n:,} distinct values)" for name, n in wide.items())
        one = Argument("discretize", {next(iter(wide)): "width:4"})
        cut = (_THIRDS, " for all of them, ", one, " for one, or give cut points. ")
        whole = "If they are whole numbers that stand for categories, make them integers."
        raise DataError(
            f"Floating-point columns with more than {MOST_VALUES} distinct values are not discrete: {shown}.",
            hint=("Cut them into intervals: ", *cut, whole, _CALLS),
        )


def _refuse_missing(names: Sequence[str], columns: Sequence[Column], counts: Sequence[int]) -> None:
    if not any(counts):
        return
    found = listing(f"{name!r} ({n:,})" for name, n in zip(names, counts, strict=True) if n)
    complete = _complete_rows(columns)
    lost = f"{n_marked(~complete, columns[0].weights):,} of {columns[0].n_rows:,} rows"
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
    """Keep what is missing as it is, in all rows that have any value."""
    del names
    some = _rows_with_values(columns)
    return list(columns) if some.all() else [column.take(some) for column in columns]


def _rows_with_values(columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    some = np.zeros(len(columns[0].codes), bool)
    for column in columns:
        if not column.tells:
            some |= column.codes != len(column.levels)
    return some


def _warn_of_gaps(names: Sequence[str], columns: Sequence[Column]) -> None:
    """Warn of rows without any value, and of columns that mostly have none."""
    some = _rows_with_values(columns)
    empty, n_rows = n_marked(~some, columns[0].weights), columns[0].n_rows
    if empty:
        problem = f"{empty:,} of {n_rows:,} rows have no value at all."
        warn(EmptyRowsWarning(problem, hint="They are left out."))
    shares = {name: (c.n_missing - empty) / (n_rows - empty) for name, c in zip(names, columns, strict=True)}
    many = [f"{name!r} ({share:.0%})" for name, share in shares.items() if share > MANY_GAPS]
    if many:
        problem = f"More than half of the values are missing in {len(many)} of {len(names)} columns: {listing(many)}."
        advice = "What a search says about them is mostly guesswork; leave them out "
        warn(ManyMissingWarning(problem, hint=(advice, *_LEFT_OUT, ".")))


def _without_rows(names: Sequence[str], columns: Sequence[Column]) -> list[Column]:
    """Leave out the rows that have a missing value."""
    complete = _complete_rows(columns)
    if not complete.any():
        every = f"Every one of the {columns[0].n_rows:,} rows has a missing value, so that "
        raise DataError(
            (every, _DROP, " leaves none."),
            hint=("Use ", _KEEP, f", or leave out the columns with most missing values: {_emptiest(names, columns)}."),
        )
    kept = [column.take(complete) for column in columns]
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


def _warn_of_useless(
    names: Sequence[str], columns: Sequence[Column], taken: Sequence[Taken], said: Collection[str]
) -> None:
    """Warn once for all constant columns, for all that name their rows, and for all that look like measurements."""
    nodes = [i for i, column in enumerate(columns) if not column.tells]
    names, columns, taken = [names[i] for i in nodes], [columns[i] for i in nodes], [taken[i] for i in nodes]
    p, kinds = len(names), [one.kind for one in taken]
    observed = {name: np.count_nonzero(c.observed) for name, c in zip(names, columns, strict=True)}
    constant = [repr(name) for name, k in observed.items() if k == 1]
    if constant:
        have = "has" if len(constant) == 1 else "have"
        problem = f"{len(constant)} of {p} columns {have} the same value in every row: {listing(constant)}."
        advice = "A constant is independent of everything; leave it out "
        warn(ConstantColumnWarning(problem, hint=(advice, *_LEFT_OUT, " unless you want it in the graph.")))
    found = zip(names, taken, strict=True)
    naming = [f"{name!r} ({one.why})" for name, one in found if one.kind == "name" and name not in said]
    if naming:
        problem = f"Columns that only name the rows stay out of every search: {listing(naming)}."
        back = Argument("kinds", {names[kinds.index("name")]: "levels"})
        warn(IdentifierColumnWarning(problem, hint=("If one is more than a name, say so: ", back, ".", _CALLS)))
    lonely = [
        (name, f"{name!r} ({alone:,} of {c.n_rows:,})")
        for name, c, kind in zip(names, columns, kinds, strict=True)
        if name in said and kind == "ordered" and (alone := rows_alone(c))
    ]
    if lonely:
        listed = listing([told for _, told in lonely])
        problem = f"Many rows have a value of their own in columns said to be ordered: {listed}. "
        effect = "A score joins such columns to anything, from noise alone."
        number = Argument("kinds", {lonely[0][0]: "number"})
        warn(ManyLevelsWarning(problem + effect, hint=("If one is measured, say so: ", number, ", or cut it.", _CALLS)))
    measured = [
        f"{name!r} ({len(c.levels) - (MISSING_LABEL in c.levels):,})"
        for name, c, kind in zip(names, columns, kinds, strict=True)
        if kind == "levels" and is_measured(c)
    ]
    if measured:
        problem = f"Whole numbers with more than {MOST_VALUES} values, each a level of its own: {listing(measured)}."
        advice = "If they are measurements, cut them into intervals: "
        warn(ManyLevelsWarning(problem, hint=(advice, _THIRDS, " does so for all of them.", _CALLS)))
