"""The table that everything else works on: named columns of small integer codes with their labels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

import numpy as np
import numpy.typing as npt

from paucal import checks
from paucal.data.choice import Choice
from paucal.data.content_order import content_order
from paucal.data.copies import copies_among
from paucal.data.encode import Codes, Column, Label, code_type
from paucal.data.frames import ACCEPTED, FrameKind, build_frame
from paucal.data.kinds import MOST_VALUES, Kind
from paucal.data.preparation import Missing, Preparation, Recoding, preparation_of
from paucal.data.prepare import check_names, prepare
from paucal.data.recode import as_numbers, in_order
from paucal.data.scales import known_order
from paucal.data.steps import numbers_of
from paucal.data.tabular import Tabular, of_frame, of_matrix, tabular
from paucal.data.weights import MOST_REPEATED, Repeated, Weights, checked_weights, merge_rows, n_marked
from paucal.errors import Argument, DataError, ParameterError, listing, not_allowed, short, unknown_name
from paucal.notebook import html_table

if TYPE_CHECKING:
    from paucal.data.discretize import Discretize

_MAKE = "Dataset.of and Dataset.from_codes make a data set."


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table: rows by named columns, every column with its levels.

    Make one with `Dataset.of`, `from_frame`, `from_columns`, `from_numpy`, `from_codes` or `paucal.read`. It cannot be
    changed: `select`, `take` and `drop_unobserved` give new ones.

    Attributes
    ----------
    names
        Names of the columns.
    levels
        Per column its labels, in order; None is the label of missing values under `missing="level"`.
    columns
        Per column the codes 0..K-1 into its K levels, read-only, in the narrowest of uint8, uint16, uint32. Under
        `missing="keep"` the code K stands for a missing value.
    frame_kind
        Where the data came from; `to_frame` gives back the same kind.
    missing
        Per column the number of missing values that were found on the way in.
    preparation
        What was done to the data on the way in.
    kinds
        Per column what it is: `"levels"`, `"ordered"`, `"number"` or `"name"`. Columns that only name the rows stay
        isolated in every graph.
    kind_reasons
        Per column why it was taken as that, in plain words.
    weights
        How often each distinct row occurs, if the rows are counted (`weights=`, `counted()`); None if they are written
        out. `n_rows`, `columns` and everything that is computed are those of the table with every row written out;
        `distinct` has the codes of the distinct rows.
    units
        For every row, the number of the person or place that it belongs to, if `repeats=` named such a column.
    among_ordered
        Whether these columns were taken for one question from a table that has numbers or ordered columns: the test
        `auto` answers as in that table.

    Examples
    --------
    >>> from paucal import Dataset
    >>> data = Dataset.from_columns({"smoke": ["yes", "no", "no"], "age": [30, 9, 30]})
    >>> data
    Dataset: 3 rows, 2 columns
      smoke  2 levels: 'no', 'yes'
      age    2 levels: 9, 30
    >>> data.columns[0]
    array([1, 0, 0], dtype=uint8)
    """

    names: tuple[str, ...]
    levels: tuple[tuple[Label, ...], ...]
    columns: tuple[Codes, ...]
    frame_kind: FrameKind = "dict"
    missing: tuple[int, ...] = field(default=())
    preparation: Preparation = field(default=Preparation())
    kinds: tuple[Kind, ...] = field(default=())
    kind_reasons: tuple[str, ...] = field(default=())
    weights: Weights | None = None
    units: npt.NDArray[np.intp] | None = None
    among_ordered: bool = False

    def __post_init__(self) -> None:
        for part in ("names", "levels", "columns"):
            if not isinstance(getattr(self, part), tuple | Repeated):
                raise not_allowed(part, getattr(self, part), "a tuple", hint=_MAKE)
        self._settle_rows()
        if self.units is not None and (self.weights is not None or len(self.units) != len(self.columns[0])):
            object.__setattr__(self, "units", None)  # rows were counted, or drawn by their numbers
        for codes in self.distinct:
            checks.instance("columns", codes, np.ndarray, "a tuple of arrays", hint=_MAKE)
            codes.flags.writeable = False
        if not self.missing:
            object.__setattr__(self, "missing", (0,) * len(self.names))
        if not self.kinds:
            object.__setattr__(self, "kinds", ("levels",) * len(self.names))
        if not self.kind_reasons:
            object.__setattr__(self, "kind_reasons", ("as you said",) * len(self.names))

    def _settle_rows(self) -> None:
        """Tell distinct rows from rows that somebody has written out: these need no weights any more."""
        if self.weights is None or isinstance(self.columns, Repeated):
            return
        if len(self.columns[0]) == len(self.weights):
            self.weights.flags.writeable = False
            object.__setattr__(self, "columns", Repeated(self.columns, self.weights))
        else:
            object.__setattr__(self, "weights", None)

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        missing: Missing = "error",
        discretize: Discretize = None,
        drop_unobserved: bool = False,
        columns: Iterable[str] | None = None,
        leave_out: Iterable[str] = (),
        **recoding: Unpack[Recoding],
    ) -> Dataset:
        """Make a dataset of anything tabular: a frame, an array, a dict, a path, or a dataset itself.

        Parameters are those of `from_frame`.

        >>> import numpy as np
        >>> Dataset.of(np.array([[0, 1], [1, 1], [1, 0]])).names
        ('x0', 'x1')
        """
        said: dict[str, Any] = {"missing": missing, "discretize": discretize, "drop_unobserved": drop_unobserved}
        said |= {"columns": columns, "leave_out": leave_out, **recoding}
        if isinstance(data, Dataset):
            return _refined(data, preparation_of(said))
        if isinstance(data, str | os.PathLike):
            from paucal.data.files import read

            return read(data, **said)
        return from_tabular(tabular(data), preparation_of(said))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        missing: Missing = "error",
        discretize: Discretize = None,
        drop_unobserved: bool = False,
        columns: Iterable[str] | None = None,
        leave_out: Iterable[str] = (),
        **recoding: Unpack[Recoding],
    ) -> Dataset:
        """Make a dataset of a data frame: pandas, polars, pyarrow, or what else narwhals knows.

        Levels: a categorical or enum keeps its declared levels in their order, observed or not; other columns have the
        values that occur, numbers, booleans and dates sorted by value, text by code point. The index of a pandas frame
        is not data.

        Parameters
        ----------
        frame
            The data frame.
        missing
            What to do with missing values: `"error"` refuses them and says where they are, `"keep"` keeps them and
            leaves it to the searches to allow for them, `"drop"` leaves out the rows that have any, `"level"` makes one
            more level of them, with the label None, at the end.
        discretize
            How to cut numbers into intervals: `"quantile:3"` (equal shares) or `"width:4"` (equal widths) for every
            column of fractional numbers, or of more than 20 whole ones that do not just name the rows; or a dict
            from names to such a rule or to a list of cut points.
        drop_unobserved
            Leave out declared levels that no row has.
        columns, leave_out
            The columns to keep, in this order, and those to leave out.
        recoding
            `kinds`, what columns are, such as `{"age": "number", "q1": "ordered", "zip": "name"}`; `no_answer`,
            `merge` and `order`, as in `paucal.data.preparation.Preparation`; and `weights`, the name of a column that
            says how many equal rows each row stands for. Sampling weights of a survey are no such numbers. `repeats`
            is the name of a column that says which rows belong together, such as visits of one person.

        Notes
        -----
        Refused are data without rows or columns, unnamed columns, names or kinds of values that clash, columns without
        any value, floating-point columns with more than 20 distinct values. Columns with one value only, of more than
        20 whole numbers, with fewer intervals than asked for, or that only name the rows are warned about.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"dose": pd.Categorical(["low", "high"], categories=["low", "mid", "high"])})
        >>> Dataset.from_frame(frame).levels
        (('low', 'mid', 'high'),)
        """
        said: dict[str, Any] = {"missing": missing, "discretize": discretize, "drop_unobserved": drop_unobserved}
        said |= {"columns": columns, "leave_out": leave_out, **recoding}
        return from_tabular(of_frame(frame), preparation_of(said))

    @classmethod
    def from_columns(
        cls,
        data: Mapping[str, Any],
        *,
        missing: Missing = "error",
        discretize: Discretize = None,
        drop_unobserved: bool = False,
        columns: Iterable[str] | None = None,
        leave_out: Iterable[str] = (),
        **recoding: Unpack[Recoding],
    ) -> Dataset:
        """Make a dataset of a dict from names to lists, arrays or series.

        Parameters are those of `from_frame`.

        >>> Dataset.from_columns({"x": [10, 2, None, 2]}, missing="level").levels
        ((2, 10, None),)
        """
        if not isinstance(data, Mapping):
            raise DataError(f"{type(data).__name__} is not a dict of columns.", hint=ACCEPTED)
        said: dict[str, Any] = {"missing": missing, "discretize": discretize, "drop_unobserved": drop_unobserved}
        return cls.of(data, columns=columns, leave_out=leave_out, **said, **recoding)

    @classmethod
    def from_numpy(
        cls,
        array: npt.NDArray[Any],
        names: Sequence[str] | None = None,
        *,
        missing: Missing = "error",
        discretize: Discretize = None,
        drop_unobserved: bool = False,
        columns: Iterable[str] | None = None,
        leave_out: Iterable[str] = (),
        **recoding: Unpack[Recoding],
    ) -> Dataset:
        """Make a dataset of a NumPy array, rows by columns or structured.

        Parameters are those of `from_frame`; columns without a name are called x0, x1, ...

        >>> import numpy as np
        >>> Dataset.from_numpy(np.array([["a", "b"], ["b", "b"], ["a", "c"]]), names=["u", "v"]).levels
        (('a', 'b'), ('b', 'c'))
        """
        said: dict[str, Any] = {"missing": missing, "discretize": discretize, "drop_unobserved": drop_unobserved}
        said |= {"columns": columns, "leave_out": leave_out, **recoding}
        return from_tabular(of_matrix(array, names), preparation_of(said))

    @classmethod
    def from_codes(
        cls,
        columns: Sequence[npt.ArrayLike],
        names: Sequence[str],
        levels: Sequence[Sequence[Label]],
        *,
        kinds: Sequence[Kind] = (),
        missing: Literal["error", "keep"] = "error",
        weights: npt.ArrayLike | None = None,
    ) -> Dataset:
        """Make a dataset of codes 0..K-1 per column and the K labels they stand for; nothing is warned about.

        `kinds` says per column what it is, `"levels"` if nothing is said. With `missing="keep"` the code K stands for a
        missing value. `weights` says how many equal rows each row stands for.

        >>> Dataset.from_codes([[0, 2, 2]], ["dose"], [["low", "mid", "high"]]).to_frame("dict")
        {'dose': ['low', 'high', 'high']}
        """
        names = check_names(names)
        columns = checks.items("columns", columns, "a list of codes by column")
        levels = checks.items("levels", levels, "a list of levels by column")
        if not len(columns) == len(names) == len(levels):
            raise DataError(
                f"{len(columns)} columns of codes, {len(names)} names and {len(levels)} sets of levels do not match.",
                hint="Give one of each per column.",
            )
        keep = checks.choice("missing", missing, ("error", "keep")) == "keep"
        labels = [checks.values("levels", one, "a list of levels by column") for one in levels]
        arrays = tuple(_checked_codes(*one, keep=keep) for one in zip(names, columns, labels, strict=True))
        lengths = {len(codes) for codes in arrays}
        if lengths == {0} or len(lengths) > 1:
            found = f"The columns have {sorted(lengths)} rows."
            raise DataError(found, hint="Give all the same number, at least 1.")
        empty = [repr(name) for name, codes, k in zip(names, arrays, labels, strict=True) if codes.min() == len(k)]
        if empty:
            raise DataError(f"No row has a value in {listing(empty)}.", hint="Leave the columns out.")
        said = tuple(
            checks.choice("kinds", kind, get_args(Kind)) for kind in checks.items("kinds", kinds, "a list of kinds")
        )
        if said and len(said) != len(names):
            raise DataError(f"{len(said)} kinds for {len(names)} columns.", hint="Give one per column, or none.")
        made = cls(names, tuple(labels), arrays, kinds=said)
        if weights is not None:
            numbers = checked_weights(weights, len(arrays[0]))
            made = made.take(np.flatnonzero(numbers)) if not numbers.all() else made
            made = _counted(made, numbers[numbers > 0])
        return replace(made, missing=made.gap_counts, preparation=Preparation(missing="keep")) if keep else made

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.weights is None else int(self.weights.sum(dtype=np.int64))

    @property
    def distinct(self) -> tuple[Codes, ...]:
        """Per column the codes of the rows as they are kept: the distinct ones if they are counted, else all."""
        return self.columns.distinct if isinstance(self.columns, Repeated) else self.columns

    def counted(self) -> Dataset:
        """Give the same data as distinct rows with weights; whatever repeats itself is then counted faster.

        >>> data = Dataset.from_columns({"smoke": ["yes", "no", "no"], "age": [30, 9, 9]}).counted()
        >>> data.n_rows, data.distinct[0], data.weights
        (3, array([1, 0], dtype=uint8), array([1, 2], dtype=uint32))
        """
        return self if self.weights is not None else _counted(self, None)

    def sample(self, n: int, seed: int = 0) -> Dataset:
        """Draw rows at random, each at most once.

        >>> Dataset.from_columns({"a": list("uvw") * 5}).sample(4).n_rows
        4
        """
        n = checks.whole_number("n", n, 1, self.n_rows)
        rng = np.random.default_rng(checks.seed(seed))
        if self.weights is None or self.n_rows <= MOST_REPEATED:
            return self.take(rng.choice(self.n_rows, n, replace=False))
        drawn = rng.multivariate_hypergeometric(self.weights, n, method="marginals")
        return self.times(drawn)

    def times(self, counts: npt.ArrayLike) -> Dataset:
        """Take each distinct row as often as its number says; all levels stay.

        >>> Dataset.from_columns({"a": ["u", "v", "w"]}).times([2, 0, 1]).to_frame("dict")
        {'a': ['u', 'u', 'w']}
        """
        weights = checked_weights(counts, len(self.distinct[0]), "counts")
        rows = weights > 0
        return replace(self, columns=tuple(codes[rows] for codes in self.distinct), weights=weights[rows])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.names)

    @cached_property
    def cardinalities(self) -> tuple[int, ...]:
        """Number of levels of each column."""
        return tuple(map(len, self.levels))

    @cached_property
    def gaps(self) -> tuple[npt.NDArray[np.bool_], ...]:
        """Per column which rows have no value; read-only.

        >>> data = Dataset.from_columns({"x": [1, None, 2], "y": [0, 1, 1]}, missing="keep")
        >>> data.gaps[0], data.gap_counts, data.n_complete
        (array([False,  True, False]), (1, 0), 2)
        """
        gaps = tuple(codes == len(levels) for codes, levels in zip(self.columns, self.levels, strict=True))
        for gap in gaps:
            gap.flags.writeable = False
        return gaps

    @cached_property
    def gap_counts(self) -> tuple[int, ...]:
        """Per column the number of rows without a value; `missing` counts those that were found on the way in."""
        return tuple(n_marked(gap, self.weights) for gap in self._distinct_gaps)

    @cached_property
    def _distinct_gaps(self) -> tuple[npt.NDArray[np.bool_], ...]:
        return tuple(codes == len(levels) for codes, levels in zip(self.distinct, self.levels, strict=True))

    @cached_property
    def has_gaps(self) -> bool:
        """Whether a value is missing anywhere."""
        if self.preparation.missing != "keep":
            return False
        return any(int(codes.max()) == len(levels) for codes, levels in zip(self.distinct, self.levels, strict=True))

    @property
    def n_missing(self) -> int:
        """Number of missing values that were found on the way in."""
        return sum(self.missing)

    @cached_property
    def n_complete(self) -> int:
        """Number of rows without a gap."""
        return n_marked(~np.logical_or.reduce(self._distinct_gaps), self.weights)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @property
    def by_content(self) -> Dataset:
        """The same data with the columns in an order that only their content decides (`data/content_order.py`)."""
        return self if self._reordered is None else self._reordered

    @cached_property
    def _reordered(self) -> Dataset | None:
        ordered = [i for i, kind in enumerate(self.kinds) if kind in ("number", "ordered")]
        order = content_order(self.distinct, self.names, self.cardinalities, self.weights, ordered)
        return None if order == list(range(len(order))) else self.select([self.names[i] for i in order])

    @cached_property
    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Groups of columns that are one-to-one recodings of each other.

        >>> Dataset.from_columns({"sex": ["f", "m", "f"] * 4, "old": [1, 1, 0] * 4, "man": [0, 1, 0] * 4}).copies
        (('sex', 'man'),)
        """
        kinds = enumerate(zip(self.kinds, self.cardinalities, strict=True))
        measured = {i for i, (kind, k) in kinds if kind == "number" and k > MOST_VALUES}
        found = copies_among(self.distinct, self.n_rows, measured)
        return tuple(tuple(self.names[i] for i in group) for group in found)

    def index(self, name: str) -> int:
        """Return the position of the column `name`; an error names the nearest if there is none."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise unknown_name("column", name, self.names) from None

    def __len__(self) -> int:
        return self.n_rows

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        if self.names != other.names or self.levels != other.levels:
            return False
        if self.weights is not None and other.weights is not None and np.array_equal(self.weights, other.weights):
            return all(map(np.array_equal, self.distinct, other.distinct))
        return all(map(np.array_equal, self.columns, other.columns))

    def __hash__(self) -> int:
        return hash((self.names, self.n_rows, self.levels))

    def __reduce__(self) -> tuple[Any, ...]:
        # through the constructor, because NumPy forgets on the way that an array is read-only
        kept = {one.name: getattr(self, one.name) for one in fields(self)}
        return Dataset, tuple((kept | {"columns": self.distinct}).values())

    def _repr_html_(self) -> str:
        absent = f", {sum(self.gap_counts):,} values missing" if self.has_gaps else ""
        rows = [
            (name, kind, len(labels), ", ".join(map(str, labels[:8])) + (", …" if len(labels) > 8 else ""), gaps)
            for name, kind, labels, gaps in zip(self.names, self.kinds, self.levels, self.gap_counts, strict=True)
        ]
        heads = ("column", "kind", "levels", "which", "missing")
        return html_table(f"{self.n_rows:,} rows, {self.n_columns:,} columns{absent}", heads, rows)

    def __repr__(self) -> str:
        shown = 20
        width = min(30, max(map(len, self.names[:shown])))
        absent = f", {sum(self.gap_counts):,} values missing" if self.has_gaps else ""
        lines = [f"Dataset: {self.n_rows:,} rows, {self.n_columns:,} columns{absent}"]
        for name, labels in zip(self.names[:shown], self.levels, strict=False):
            noun = "level" if len(labels) == 1 else "levels"
            words = [short(label, 24) if isinstance(label, str) else str(label) for label in labels[:6]]
            title = name if len(name) <= 2 * width else f"{name[:width]}...{name[-width // 2 :]}"
            lines.append(f"  {title:<{width}}  {len(labels):,} {noun}: {', '.join(words)}{', ...' * (len(labels) > 6)}")
        if self.n_columns > shown:
            lines.append(f"  ... and {self.n_columns - shown:,} more columns")
        return "\n".join(lines)

    def select(self, names: Iterable[str]) -> Dataset:
        """Keep the named columns, in the order given.

        >>> Dataset.from_columns({"a": [0, 1], "b": [1, 0], "c": [0, 1]}).select(["c", "a"]).names
        ('c', 'a')
        """
        chosen = [self.index(name) for name in checks.names("names", names)]
        return replace(
            self,
            names=check_names([self.names[i] for i in chosen]),
            levels=tuple(self.levels[i] for i in chosen),
            columns=tuple(self.distinct[i] for i in chosen),
            missing=tuple(self.missing[i] for i in chosen),
            kinds=tuple(self.kinds[i] for i in chosen),
            kind_reasons=tuple(self.kind_reasons[i] for i in chosen),
        )

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Dataset:
        """Say what columns are; the levels of ordered ones stand in their order, or are put there if it is known.

        >>> Dataset.from_columns({"zip": list("abcdefghij") * 2}).with_kinds({"zip": "name"}).kinds
        ('name',)
        """
        said = checks.settings("kinds", kinds)
        for name in said:
            self.index(name)
        preparation = replace(self.preparation, kinds={**self.preparation.kinds, **said})  # refuses unknown kinds
        told = zip(self.names, self.kinds, self.kind_reasons, strict=True)
        both = [(said[name], "as you said") if name in said else (kind, why) for name, kind, why in told]
        found, reasons = zip(*both, strict=True)
        columns = list(map(self._ready, self.names, found))
        return replace(
            self,
            columns=tuple(one.codes for one in columns),
            levels=tuple(one.levels for one in columns),
            kinds=found,
            kind_reasons=reasons,
            preparation=preparation,
        )

    def _ready(self, name: str, kind: Kind) -> Column:
        """Give a column, its levels put in their order if it becomes an ordered one, read as numbers if a number."""
        at = self.index(name)
        # of an Arrow table, levels that were declared ordered have that kind already
        arrow = self.frame_kind == "pyarrow"
        one = Column(self.distinct[at], self.levels[at], declared=True, unordered=arrow, weights=self.weights)
        if kind == self.kinds[at] or kind not in ("ordered", "number") or name in self.preparation.order:
            return one
        if kind == "number":
            if None not in one.levels:  # a level of missing values is refused where the number is used
                one = as_numbers(name, one)
                numbers_of(name, one.levels)  # refuses what does not increase
            return one
        gaps = (None,) if None in one.levels else ()  # the last level: its code is that of a missing value
        one = replace(one, levels=one.levels[: len(one.levels) - len(gaps)])
        one = in_order(name, one, known_order(name, one)).narrowed()
        return replace(one, levels=(*one.levels, *gaps))

    @property
    def searched(self) -> Dataset:
        """The data as a search looks at them: a column that only names the rows says nothing there.

        It keeps its place with a single level, so that it is isolated in every graph.
        """
        # data that keep themselves among what they remember would not be freed before the next collection of garbage
        return self._without_names if "name" in self.kinds else self

    @cached_property
    def _without_names(self) -> Dataset:
        nothing = np.zeros(len(self.distinct[0]), np.uint8)
        silent = [kind == "name" for kind in self.kinds]
        return replace(
            self,
            levels=tuple(("",) if out else one for out, one in zip(silent, self.levels, strict=True)),
            columns=tuple(nothing if out else one for out, one in zip(silent, self.distinct, strict=True)),
        )

    def take(self, rows: npt.ArrayLike) -> Dataset:
        """Take rows by position, in the order given and as often as given; all levels stay. Counted rows have no order.

        >>> Dataset.from_columns({"a": ["u", "v", "v"]}).take([0, 0]).to_frame("dict")
        {'a': ['u', 'u']}
        """
        rows = checks.array("rows", rows, "a list of positions")
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            hint = "np.flatnonzero(mask) turns a mask into positions."
            raise not_allowed("rows", rows, "a list of positions", hint=hint)
        wrong = rows[(rows < 0) | (rows >= self.n_rows)]
        if len(rows) == 0 or len(wrong):
            hint = f"The data have rows 0 to {self.n_rows - 1}."
            raise not_allowed("rows", wrong.tolist(), "a list of positions in the data", hint=hint)
        if self.weights is not None:
            places = np.searchsorted(np.cumsum(self.weights, dtype=np.int64), rows, side="right")
            return self.times(np.bincount(places, minlength=len(self.weights)))
        units = None if self.units is None else self.units[rows]
        return replace(self, columns=tuple(codes[rows] for codes in self.columns), units=units)

    def drop_unobserved(self) -> Dataset:
        """Leave out the levels that no row has.

        >>> Dataset.from_codes([[0, 2]], ["dose"], [["low", "mid", "high"]]).drop_unobserved().levels
        (('low', 'high'),)
        """
        kept = [column.without_unobserved().narrowed() for column in map(Column, self.distinct, self.levels)]
        return replace(
            self,
            levels=tuple(column.levels for column in kept),
            columns=tuple(column.codes for column in kept),
            preparation=replace(self.preparation, drop_unobserved=True),
        )

    def to_frame(self, kind: FrameKind | None = None) -> Any:
        """Give the labels back as a data frame.

        Parameters
        ----------
        kind
            `"pandas"`, `"polars"`, `"pyarrow"`, `"numpy"` (an array without names) or `"dict"`. By default the kind the
            data came as; for files the first of the frame libraries that is installed.

        Notes
        -----
        A text column with levels that no row has, or in another order than that of the alphabet, comes back as a
        categorical, one of the kind `"ordered"` as an ordered one, every other column as plain values. What is missing
        comes back as missing. The categories of polars (Enum) always have an order: there a column of more than two
        levels without an order comes back as text, without the levels that no row has.
        """
        levels = [(*labels, None) if n else labels for labels, n in zip(self.levels, self.gap_counts, strict=True)]
        ordered = {name for name, what in zip(self.names, self.kinds, strict=True) if what == "ordered"}
        return build_frame(self.frame_kind if kind is None else kind, self.names, levels, self.columns, ordered)


def assemble(
    names: tuple[str, ...], columns: Sequence[Column], kind: FrameKind, how: Preparation, *, told: bool = True
) -> Dataset:
    """Check encoded columns, settle their missing values and make a dataset of them."""
    ready = prepare(names, columns, how, told=told)
    made = Dataset(
        names,
        tuple(column.levels for column in ready.columns),
        tuple(np.ascontiguousarray(column.codes) for column in ready.columns),
        kind,
        ready.missing,
        how,
        ready.kinds,
        ready.kind_reasons,
    )
    weights = ready.columns[0].weights
    if how.repeats is not None:
        if weights is not None:
            raise DataError(
                f"{how.repeats!r} says which rows belong together, but the rows are counted.",
                hint="Write every row out.",
            )
        made = _of_units(made, how.repeats)
    return made if weights is None else _counted(made, weights)


def _counted(data: Dataset, weights: Weights | None) -> Dataset:
    """Merge the rows that are equal."""
    columns, numbers = merge_rows(data.columns, weights)
    return replace(data, columns=tuple(columns), weights=numbers)


def _of_units(data: Dataset, name: str) -> Dataset:
    """Take the column that says which rows belong together out of the data; a row without a value stands alone."""
    place = data.index(name)
    if data.n_columns == 1:
        raise DataError(
            f"{name!r} says which rows belong together, and there is no other column.", hint="Keep another."
        )
    codes = data.columns[place].astype(np.intp)
    if None in data.levels[place]:
        alone = codes == data.levels[place].index(None)
        codes[alone] = len(data.levels[place]) + np.arange(np.count_nonzero(alone))
    units = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return replace(data.select([one for one in data.names if one != name]), units=units)


def from_tabular(data: Tabular, how: Preparation, *, told: bool = True) -> Dataset:
    """Make a dataset of a raw table as a preparation says; `told` is whether to warn of what is of no use in it."""
    chosen = data.chosen(how)
    how = how.spelled_out(data.table.names)
    return assemble(chosen.table.names, chosen.table.columns, data.frame_kind, how, told=told)


def telling(data: Any, column: str | None) -> Any:
    """Read raw data of which one column tells about the rows; without such a column, or a data set, as they are."""
    return data if column is None or isinstance(data, Dataset) else tabular(data).telling(column)


def _refined(data: Dataset, how: Preparation) -> Dataset:
    """Choose columns and say what they are; everything else was settled when the data set was made."""
    for name in ("discretize", "no_answer", "merge", "order", "weights", "repeats"):
        if getattr(how, name):
            what = {"discretize": "discretised", "weights": "weighted", "repeats": "grouped"}.get(name, "recoded")
            raise ParameterError(
                f"A Dataset cannot be {what} any more.",
                hint=("Give ", Argument(name), " where the Dataset is made."),
                parameter=name,
                value=getattr(how, name),
            )
    found, how = data, how.spelled_out(data.names)
    if how.columns is not None or how.leave_out:
        kept = Choice(how.columns, tuple(how.leave_out)).positions(data.names)
        found = data.select([data.names[i] for i in kept])
    found = found.with_kinds(how.kinds) if how.kinds else found
    return found.drop_unobserved() if how.drop_unobserved else found


def _checked_codes(name: str, codes: npt.ArrayLike, levels: Sequence[Label], *, keep: bool) -> Codes:
    """Return a copy of the codes of one column in its final type."""
    array = checks.array("columns", codes, "a list of codes by column")
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise DataError(
            f"The codes of column {name!r} are {array.dtype} of shape {array.shape}.",
            hint="Give a one-dimensional array of integers.",
        )
    if len(set(levels)) != len(levels):
        problem = f"The levels of column {name!r} are not distinct: {short(levels)}."
        raise DataError(problem, hint="Give each once.")
    last = len(levels) - 1 + keep
    if len(array) and not 0 <= array.min() <= array.max() <= last:
        gap = f"; {len(levels)} is a missing value" if keep else ""
        raise DataError(
            f"The codes of column {name!r} run from {array.min()} to {array.max()}, with {len(levels)} levels.",
            hint=f"Codes are positions in the levels: 0 to {len(levels) - 1}{gap}.",
        )
    return Column(array.astype(code_type(last + 1)), tuple(levels)).narrowed().codes
