"""Dataset from frames, arrays and dicts: codes, levels, missing values, warnings, and back."""

# ruff: noqa: DTZ001 - times without a zone are part of what is tested

from __future__ import annotations

import datetime as dt
import pickle
import subprocess
import sys
import warnings
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal.data import Dataset
from paucal.errors import (
    ConstantColumnWarning,
    DataError,
    IdentifierColumnWarning,
    ManyLevelsWarning,
    MissingValuesError,
    ParameterError,
    UnknownNameError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Columns = dict[str, list[Any]]

SOURCES: dict[str, Callable[[Columns], Any]] = {
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": pa.table,
    "dict": dict,
    "dict of arrays": lambda columns: {name: np.array(values, dtype=object) for name, values in columns.items()},
}


def naive(columns: Columns, *, missing: str = "error") -> Dataset:
    """Encode the slow and obvious way: distinct values, sorted; None is missing."""
    rows = list(zip(*columns.values(), strict=True))
    if missing == "drop":
        rows = [row for row in rows if None not in row]
    levels, codes = [], []
    for values in zip(*rows, strict=True):
        known = sorted({value for value in values if value is not None})
        known += [None] if None in values else []
        levels.append(known)
        codes.append([known.index(value) for value in values])
    return Dataset.from_codes(codes, list(columns), levels)


def quiet(make: Callable[[], Dataset]) -> Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


KINDS = {
    "text": st.text("ab ,é", max_size=3),
    "integers": st.integers(-3, 12),
    "booleans": st.booleans(),
    "dates": st.dates(dt.date(2019, 12, 30), dt.date(2020, 1, 2)),
    "times": st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 2)),
    "halves": st.sampled_from([-0.5, 0.5, 1.0, 2.5]),
}


@st.composite
def tables(draw: st.DrawFn, *, holes: bool = True) -> Columns:
    n_rows = draw(st.integers(2, 8))
    columns = {}
    for i in range(draw(st.integers(1, 3))):
        values = KINDS[draw(st.sampled_from(sorted(KINDS)))]
        full = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
        if holes:
            hidden = draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows))
            hidden[draw(st.integers(0, n_rows - 1))] = False  # a column of nothing is an error
            full = [None if hide else value for value, hide in zip(full, hidden, strict=True)]
        columns[f"c{i}"] = full
    return columns


# ------------------------------------------------------------------ codes and levels


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=40, deadline=None)
@given(columns=tables())
def test_every_source_gives_what_the_obvious_way_gives(source: str, columns: Columns) -> None:
    made = quiet(lambda: Dataset.of(SOURCES[source](columns), missing="level"))
    assert made == naive(columns)
    assert made.missing == tuple(values.count(None) for values in columns.values())


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=25, deadline=None)
@given(columns=tables(), data=st.data())
def test_order_of_rows_does_not_matter(source: str, columns: Columns, data: st.DataObject) -> None:
    n_rows = len(columns["c0"])
    order = data.draw(st.permutations(range(n_rows)))
    shuffled = {name: [values[i] for i in order] for name, values in columns.items()}
    first = quiet(lambda: Dataset.of(SOURCES[source](columns), missing="level"))
    second = quiet(lambda: Dataset.of(SOURCES[source](shuffled), missing="level"))
    assert second == first.take(order)


@pytest.mark.parametrize("source", SOURCES)
def test_levels_are_in_order_of_value(source: str) -> None:
    columns = {
        "number": [10, 2, 2],
        "text": ["b", "B", "a"],
        "boolean": [True, False, True],
        "date": [dt.date(2020, 1, 1), dt.date(1999, 1, 1), dt.date(2020, 1, 1)],
    }
    assert Dataset.of(SOURCES[source](columns)).levels == (
        (2, 10),
        ("B", "a", "b"),
        (False, True),
        (dt.date(1999, 1, 1), dt.date(2020, 1, 1)),
    )


@pytest.mark.parametrize(
    ("n_levels", "kind"),
    [(2, np.uint8), (256, np.uint8), (257, np.uint16), (65536, np.uint16), (65537, np.uint32)],
)
def test_codes_take_the_narrowest_type(n_levels: int, kind: type) -> None:
    values = np.repeat(np.arange(n_levels), 2)
    data = Dataset.from_columns({"x": [f"{value:05d}" for value in values]})
    assert data.columns[0].dtype == kind
    assert data.columns[0].flags.c_contiguous
    assert np.array_equal(data.columns[0], values)


def test_room_for_missing_values_is_given_back() -> None:
    values = [*map(str, range(256)), *map(str, range(256)), None]
    assert Dataset.from_columns({"x": values}, missing="drop").columns[0].dtype == np.uint8
    assert Dataset.from_columns({"x": values}, missing="level").columns[0].dtype == np.uint16


def test_a_hundred_thousand_levels() -> None:
    words = [f"w{i:06d}" for i in range(100_000)]
    data = Dataset.of(pl.DataFrame({"x": words * 2}))
    assert data.cardinalities == (100_000,)
    assert np.array_equal(data.columns[0], np.tile(np.arange(100_000), 2))


def test_ten_thousand_columns() -> None:
    array = np.random.default_rng(1).integers(0, 3, (30, 10_000))
    assert Dataset.of(array).names[-1] == "x9999"


def test_codes_cannot_be_changed() -> None:
    data = Dataset.from_columns({"x": [1, 2]})
    for copy in (data, pickle.loads(pickle.dumps(data)), data.take([1, 0]), data.drop_unobserved()):  # noqa: S301
        with pytest.raises(ValueError, match="read-only"):
            copy.columns[0][0] = 1
    mine = np.array([0, 1], np.uint8)
    theirs = Dataset.from_codes([mine], ["x"], [["a", "b"]])
    mine[0] = 1
    assert theirs.columns[0].tolist() == [0, 1]


def test_whole_floats_become_integers() -> None:
    (levels,) = Dataset.from_columns({"x": [2.0, 1.0, float("nan"), 10.0]}, missing="drop").levels
    assert levels == (1, 2, 10)
    assert all(type(level) is int for level in levels)
    assert Dataset.from_columns({"x": [2.0, 1.5]}).levels == ((1.5, 2.0),)
    mixed = Dataset.from_columns({"x": [2, 1.5]})
    assert [type(level) for level in mixed.levels[0]] == [float, float]
    assert mixed.to_frame("pandas")["x"].dtype == float


def test_decimals_and_large_numbers_keep_their_value() -> None:
    data = Dataset.from_columns({"a": [Decimal("1.50"), Decimal("0.25")], "b": [10**30, -1], "c": [1e300, 2.0]})
    assert data.levels == ((Decimal("0.25"), Decimal("1.50")), (-1, 10**30), (2.0, 1e300))


def test_times_finer_than_pythons_stay_apart() -> None:
    times = np.array([2, 1], "M8[ns]")
    expected = (("1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000000002"),)
    for frame in ({"t": times}, pd.DataFrame({"t": times}), pl.DataFrame({"t": times})):
        assert Dataset.of(frame).levels == expected


def test_times_with_a_zone_are_in_universal_time() -> None:
    times = pl.Series([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2)]).dt.replace_time_zone("Europe/Berlin")
    expected = tuple(
        dt.datetime(year, month, day, 23, tzinfo=dt.UTC) for year, month, day in [(2019, 12, 31), (2020, 1, 1)]
    )
    for frame in (
        pl.DataFrame({"t": times}),
        pl.DataFrame({"t": times}).to_pandas(),
        pl.DataFrame({"t": times}).to_arrow(),
    ):
        assert Dataset.of(frame).levels == (expected,)


# ------------------------------------------------------------------ declared levels

DECLARED = {
    "pandas": pd.DataFrame({"d": pd.Categorical(["hi", "lo", "hi"], ["lo", "mid", "hi"])}),
    "pandas ordered": pd.DataFrame({"d": pd.Categorical(["hi", "lo", "hi"], ["lo", "mid", "hi"], ordered=True)}),
    "polars": pl.DataFrame({"d": pl.Series(["hi", "lo", "hi"], dtype=pl.Enum(["lo", "mid", "hi"]))}),
    "pyarrow": pa.table({"d": pa.DictionaryArray.from_arrays([2, 0, 2], ["lo", "mid", "hi"])}),
    "series": {"d": pd.Series(pd.Categorical(["hi", "lo", "hi"], ["lo", "mid", "hi"]))},
}


@pytest.mark.parametrize("frame", DECLARED.values(), ids=DECLARED)
def test_declared_levels_stay_in_their_order(frame: Any) -> None:
    data = Dataset.of(frame)
    assert data == Dataset.from_codes([[2, 0, 2]], ["d"], [["lo", "mid", "hi"]])
    assert Dataset.of(frame, drop_unobserved=True) == data.drop_unobserved()
    assert data.drop_unobserved().levels == (("lo", "hi"),)


def test_categories_of_other_kinds() -> None:
    frame = pd.DataFrame(
        {
            "cut": pd.cut([1, 5, 9], [0, 3, 6, 10]),
            "number": pd.Categorical([30, 4, 4], [30, 4]),
            "mixed": pd.Categorical([1, "a", "a"], [1, "a"]),
        }
    )
    assert Dataset.of(frame).levels == (("(0, 3]", "(3, 6]", "(6, 10]"), (30, 4), (1, "a"))


def test_polars_categoricals_declare_nothing() -> None:
    other = pl.Series(["zebra"], dtype=pl.Categorical)
    frame = pl.DataFrame({"x": pl.Series(["b", None, "a"], dtype=pl.Categorical)})
    assert len(other) == 1
    assert Dataset.of(frame, missing="level").levels == (("a", "b", None),)


def test_pieces_of_an_arrow_column_may_number_differently() -> None:
    pieces = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", None, "a"]).dictionary_encode()]
    data = Dataset.of(pa.table({"x": pa.chunked_array(pieces)}), missing="level")
    assert data.to_frame("dict") == {"x": ["a", "b", "b", None, "a"]}


def test_an_arrow_dictionary_declares_an_order_only_if_its_type_says_so() -> None:
    words = pa.array(["red", "blue", "green", None, "blue"]).dictionary_encode()
    numbers = pa.array([10, 2, 30, 2, 10]).dictionary_encode()
    found = Dataset.of(pa.table({"x": words, "n": numbers}), missing="level")
    for ask in (
        lambda: Dataset.of(pa.table({"x": words}), missing="level", kinds={"x": "ordered"}),
        lambda: found.with_kinds({"x": "ordered"}),
    ):
        with pytest.raises(DataError, match="nothing gives the order of its levels: 'red', 'blue', 'green'"):
            ask()
    ordered = words.cast(pa.dictionary(pa.int32(), pa.string(), ordered=True))
    told = Dataset.of(pa.table({"x": ordered}), missing="level")
    assert (told.kinds, told.levels) == (("ordered",), (("red", "blue", "green", None),))
    for said in (Dataset.of(pa.table({"n": numbers}), kinds={"n": "ordered"}), found.with_kinds({"n": "ordered"})):
        assert said.select(["n"]).levels == ((2, 10, 30),)
        assert said.select(["n"]).to_frame("dict") == {"n": numbers.to_pylist()}


# ------------------------------------------------------------------ missing values


@pytest.mark.parametrize("source", SOURCES)
def test_missing_values_are_refused_with_the_choices(source: str) -> None:
    frame = SOURCES[source]({"a": ["x", None, "y", None], "b": [1, 2, 1, 1], "c": [1, None, 2, 1]})
    with pytest.raises(MissingValuesError) as caught:
        Dataset.of(frame)
    text = str(caught.value)
    assert "2 of 3 columns: 'a' (2), 'c' (1)" in text
    assert "2 of 4 rows" in text
    assert all(f"missing='{choice}'" in text for choice in ("keep", "drop", "level"))


@settings(max_examples=100, deadline=None)
@given(columns=tables())
def test_dropping_rows_is_the_same_before_and_after(columns: Columns) -> None:
    complete = [i for i in range(len(columns["c0"])) if all(values[i] is not None for values in columns.values())]
    if not complete:
        with pytest.raises(DataError, match="leaves none"):
            Dataset.of(columns, missing="drop")
        return
    assert quiet(lambda: Dataset.of(columns, missing="drop")) == naive(columns, missing="drop")


def test_every_sign_for_missing_is_one() -> None:
    signs = [
        None,
        float("nan"),
        np.float64("nan"),
        pd.NA,
        pd.NaT,
        Decimal("NaN"),
        np.datetime64("NaT", "s"),
    ]
    data = Dataset.from_columns({"x": [*signs, "a", "b"]}, missing="level")
    assert data.levels == (("a", "b", None),)
    assert data.missing == (len(signs),)
    masked = np.ma.array([1, 2, 3], mask=[False, True, False])
    assert Dataset.from_columns({"x": masked}, missing="level").levels == ((1, 3, None),)


def test_declared_levels_survive_dropped_rows() -> None:
    frame = pd.DataFrame({"d": pd.Categorical(["a", "b"]), "t": ["u", "v"], "x": [1, None]})
    with pytest.warns(ConstantColumnWarning):
        data = Dataset.of(frame, missing="drop")
    assert data.levels == (("a", "b"), ("u",), (1,))
    assert data.missing == (0, 0, 1)


@pytest.mark.parametrize("missing", ["error", "drop", "level"])
def test_column_without_any_value(missing: Any) -> None:
    with pytest.raises(DataError, match=r"No row has a value in 1 of 2 columns: 'b'"):
        Dataset.of(pd.DataFrame({"a": [1, 2], "b": [None, None]}), missing=missing)


def test_unknown_choice_for_missing() -> None:
    with pytest.raises(ParameterError, match="missing='skip' is not known"):
        Dataset.from_columns({"a": [1, 2]}, missing="skip")  # type: ignore[arg-type]


# ------------------------------------------------------------------ what is refused or warned about


def test_one_warning_names_all_constant_columns() -> None:
    with pytest.warns(ConstantColumnWarning) as caught:
        data = Dataset.from_columns({f"c{i}": [i] for i in range(8)})
    assert len(caught) == 1
    told = "8 of 8 columns have the same value in every row: 'c0', 'c1', 'c2', 'c3', 'c4' and 3 more"
    assert told in str(caught[0].message)
    assert caught[0].filename == __file__
    assert data.n_rows == 1


def test_constant_in_the_data_though_more_was_declared() -> None:
    with pytest.warns(ConstantColumnWarning, match="'d'"):
        Dataset.of(pd.DataFrame({"d": pd.Categorical(["a", "a"], ["a", "b"])}))


def test_columns_that_name_the_rows() -> None:
    columns = {"id": list(range(10)), "name": [f"p{i}" for i in range(10)], "x": [0, 1] * 5}
    with pytest.warns(IdentifierColumnWarning, match=r"search: 'id' \(10 .*'name' \(10 of 10 rows") as caught:
        data = Dataset.from_columns(columns)
    assert "kinds={'id': 'levels'}" in str(caught[0].message)
    assert data.kinds == ("name", "name", "levels")
    assert data.searched.cardinalities == (1, 1, 2)
    assert data.with_kinds({"id": "levels"}).searched.cardinalities == (10, 1, 2)
    assert Dataset.from_columns(columns, kinds={"id": "levels", "name": "name"}).kinds == ("levels", "name", "levels")
    Dataset.from_columns({name: values[:9] for name, values in columns.items()})  # too few to tell


def test_many_floats_need_a_decision() -> None:
    twenty = [i / 2 for i in range(20)] * 2
    assert Dataset.from_columns({"x": twenty}).cardinalities == (20,)
    columns = {"y": [1, 2] * 21, "x": [*twenty, 99.5, 99.5]}
    assert Dataset.from_columns(columns).kinds == ("levels", "number")
    gaps = {"y": [1, 2] * 21, "x": [*twenty, 99.5, None]}  # a gap has no place among numbers
    with pytest.raises(DataError, match=r"'x' \(21 distinct values\).*discretize=") as caught:
        Dataset.from_columns(gaps, missing="level")
    assert "discretize={'x': 'width:4'}" in str(caught.value)
    with pytest.raises(DataError, match="make them integers"):
        Dataset.from_columns({"x": [None, *(float(i) for i in range(30))] * 2}, missing="level")


def test_many_whole_numbers_are_levels_but_not_in_silence() -> None:
    columns = {
        "age": list(range(30)) * 2,
        "few": list(range(20)) * 3,
        "word": [f"w{i}" for i in range(30)] * 2,
        "id": list(range(60)),
        "income": [i / 2 for i in range(60)],
    }
    chosen = {name: columns[name] for name in ("age", "few", "word", "id")}
    with pytest.warns(IdentifierColumnWarning), pytest.warns(ManyLevelsWarning) as caught:
        data = Dataset.from_columns(chosen, kinds={"age": "levels"})
    assert data.cardinalities == (30, 20, 30, 60)
    told = [str(w.message) for w in caught if w.category is ManyLevelsWarning]
    assert len(told) == 1
    assert "more than 20 values, each a level of its own: 'age' (30)." in told[0]
    # a rule alone cuts what looks like measurements, and leaves numbers that name the rows for somebody to decide
    with pytest.warns(IdentifierColumnWarning, match="'id'"):
        cut = Dataset.from_columns(columns, discretize="quantile:3")
    assert cut.cardinalities == (3, 20, 30, 60, 3)
    # missing values change nothing about it
    some = {"age": [*columns["age"], None, None], "id": [*columns["id"], None, None]}
    with pytest.warns(ManyLevelsWarning, match=r"own: 'age' \(30\)\."), pytest.warns(IdentifierColumnWarning):
        assert Dataset.from_columns(some, missing="level").cardinalities == (31, 61)
    with pytest.warns(IdentifierColumnWarning):
        assert Dataset.from_columns(some, missing="drop", discretize="quantile:3").cardinalities == (3, 60)
    declared = pd.DataFrame({"dose": pd.Categorical(list(range(30)) * 2)})
    assert Dataset.of(declared, discretize="quantile:3").cardinalities == (30,)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "a"], r"mixes kinds of values: text \('a'\) and number \(1\)"),
        ([True, 1], "mixes kinds of values: boolean"),
        ([dt.date(2020, 1, 1), dt.datetime(2020, 1, 1)], "date and time"),
        (
            [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)],
            "cannot be put in order",
        ),
        ([[1], [2]], r"type list, such as \[1\]"),
        ([{"a": 1}], "type dict"),
        ([object(), object()], "have no text"),
    ],
)
def test_values_that_are_no_levels(values: list[Any], message: str) -> None:
    for frame in ({"x": values}, pd.DataFrame({"x": pd.Series(values, dtype=object)})):
        with pytest.raises(DataError, match=message):
            Dataset.of(frame)


def test_other_values_are_known_by_their_text() -> None:
    assert Dataset.from_columns({"x": [(1, 2), (0, 5), (1, 2)]}).levels == (("(0, 5)", "(1, 2)"),)
    periods = pd.DataFrame({"x": pd.period_range("2020", periods=2, freq="M")})
    assert Dataset.of(periods).levels == (("2020-01", "2020-02"),)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([[1, 2], [2, 1]], columns=["a", "a"]), "2 columns are named 'a': columns 1, 2"),
        (pa.table([[1], [2]], names=["a", "a"]), "2 columns are named 'a'"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "2 columns are named '1'"),
        (pd.DataFrame([[1, 2]], columns=["a", " "]), "Column 2 of 2 has no name"),
        (pd.DataFrame([[1, 2, 3]], columns=[None, "a", float("nan")]), "Columns 1, 3 of 3 have no name"),
        ({}, "no columns"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"a": [], "b": []}), "2 columns and no rows"),
        (pl.DataFrame({"a": []}), "no rows"),
        (np.zeros((0, 3)), "no rows"),
        (np.zeros((3, 0)), "no columns"),
        (np.zeros(3), r"shape \(3,\)"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        ({"a": [1, 2], "b": [1]}, r"'a' \(2\), 'b' \(1\)"),
        ({"a": "text"}, "'text', of type str"),
        ({"a": 3}, "of type int"),
        ({"a": np.zeros((2, 2))}, "2 dimensions"),
        (pl.LazyFrame({"a": [1]}).select("b"), "query of polars.LazyFrame fails"),
        (pd.Series([1, 2]), "Series is not a table"),
        ([[1, 2]], "list is not a table"),
        (None, "NoneType is not a table"),
    ],
)
def test_what_is_no_table(frame: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.of(frame)


# ------------------------------------------------------------------ arrays, names, codes


def test_names_of_arrays_and_frames() -> None:
    array = np.array([[1, 5], [2, 6]])
    assert Dataset.from_numpy(array).names == ("x0", "x1")
    assert Dataset.from_numpy(array, ["a", "b"]).names == ("a", "b")
    assert Dataset.of(pd.DataFrame(array)).names == ("0", "1")
    assert Dataset.of(pd.DataFrame(array, columns=[" a", "ß"])).names == (" a", "ß")
    records = np.array([(1, "u"), (2, "v")], [("n", int), ("t", "U1")])
    assert Dataset.of(records) == Dataset.from_columns({"n": [1, 2], "t": ["u", "v"]})
    for wrong in (["a"], "ab"):
        with pytest.raises(ParameterError, match="a list of 2 names"):
            Dataset.from_numpy(array, wrong)
    with pytest.raises(DataError, match="named 'a'"):
        Dataset.from_numpy(array, ["a", "a"])
    with pytest.raises(DataError, match="not a NumPy array"):
        Dataset.from_numpy([[1]])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="not a dict of columns"):
        Dataset.from_columns([1])  # type: ignore[arg-type]


def test_index_of_a_frame_is_no_data() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([7, 7], name="id"))
    assert Dataset.of(frame).names == ("a",)


@pytest.mark.parametrize(
    ("columns", "names", "levels", "message"),
    [
        ([[0, 2]], ["a"], [["u", "v"]], "run from 0 to 2, with 2 levels"),
        ([[0, -1]], ["a"], [["u", "v"]], "run from -1 to 0"),
        ([[0.0, 1.0]], ["a"], [["u", "v"]], "float64"),
        ([[[0], [1]]], ["a"], [["u", "v"]], "shape"),
        ([[0, 1]], ["a"], [["u", "u"]], "not distinct"),
        ([[0, 1], [0]], ["a", "b"], [["u", "v"]] * 2, r"\[1, 2\] rows"),
        ([[]], ["a"], [["u", "v"]], "are float64"),
        ([np.array([], int)], ["a"], [["u", "v"]], r"\[0\] rows"),
        ([[0, 1]], ["a", "b"], [["u", "v"]], "1 columns of codes, 2 names and 1 sets"),
        ([[0, 1]], [""], [["u", "v"]], "no name"),
    ],
)
def test_codes_are_checked(columns: Any, names: Any, levels: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_codes(columns, names, levels)


# ------------------------------------------------------------------ what a dataset can do


def small() -> Dataset:
    return Dataset.from_columns({"smoke": ["yes", "no", "no"], "age": [30, 9, 30], "sex": ["m", "f", "f"]})


def test_sizes_and_positions() -> None:
    data = small()
    assert (len(data), data.n_rows, data.n_columns, data.cardinalities) == (3, 3, 3, (2, 2, 2))
    assert data.index("age") == 1
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        data.index("smok")
    with pytest.raises(UnknownNameError):
        data.index(["smoke"])  # type: ignore[arg-type]


def test_select_keeps_order_and_shares_codes() -> None:
    data = small()
    part = data.select(["sex", "smoke"])
    assert part.names == ("sex", "smoke")
    assert part.columns[1] is data.columns[0]
    with pytest.raises(UnknownNameError):
        data.select(["nothing"])
    with pytest.raises(DataError, match="named 'sex'"):
        data.select(["sex", "sex"])
    with pytest.raises(DataError, match="no columns"):
        data.select([])
    with pytest.raises(ParameterError, match=r"names=\['sex'\]"):
        data.select("sex")


def test_take_repeats_rows_and_keeps_levels() -> None:
    data = small()
    again = data.take(np.array([0, 0, 0, 0]))
    assert again.levels == data.levels
    assert again.to_frame("dict")["smoke"] == ["yes"] * 4
    for wrong in ([], [3], [-1], [0.0], [True, False, True], [[0]]):
        with pytest.raises(ParameterError):
            data.take(wrong)


def test_equal_by_content() -> None:
    data = small()
    assert data == small()
    assert hash(data) == hash(small())
    assert data != data.take([0, 1, 1])
    assert data != data.take([0, 1])
    assert data != data.select(["smoke", "age"])
    assert data != "data"
    assert pickle.loads(pickle.dumps(data)) == data  # noqa: S301


def test_of_gives_a_dataset_back() -> None:
    data = Dataset.from_codes([[0, 2]], ["d"], [["a", "b", "c"]])
    assert Dataset.of(data) is data
    assert Dataset.of(data, drop_unobserved=True).cardinalities == (2,)
    with pytest.raises(ParameterError, match="where the Dataset is made"):
        Dataset.of(data, discretize="quantile:3")


def test_repr_stays_short() -> None:
    assert repr(small()) == (
        "Dataset: 3 rows, 3 columns\n"
        "  smoke  2 levels: 'no', 'yes'\n"
        "  age    2 levels: 9, 30\n"
        "  sex    2 levels: 'f', 'm'"
    )
    wide = Dataset.from_codes([[0, 1]] * 3000, [f"column {i}" for i in range(3000)], [["a" * 10**6, "b"]] * 3000)
    assert len(repr(wide)) < 2000
    assert "and 2,980 more columns" in repr(wide)
    assert len(repr(Dataset.from_codes([[0, 1]], ["x" * 10**6], [["a", "b"]]))) < 200
    many = Dataset.from_codes([np.arange(1000)], ["x"], [range(1000)])
    assert "1,000 levels: 0, 1, 2, 3, 4, 5, ..." in repr(many)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "dict"])
@settings(max_examples=60, deadline=None)
@given(columns=tables())
def test_frames_come_back(kind: Any, columns: Columns) -> None:
    data = quiet(lambda: Dataset.of(columns, missing="level"))
    again = quiet(lambda: Dataset.of(data.to_frame(kind), missing="level"))
    assert again == data


@pytest.mark.parametrize("frame", DECLARED.values(), ids=DECLARED)
def test_declared_levels_come_back(frame: Any) -> None:
    data = Dataset.of(frame)
    for kind in ("pandas", "polars", "pyarrow"):
        assert Dataset.of(data.to_frame(kind)) == data


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (pd.DataFrame({"a": [1, 2]}), pd.DataFrame),
        (pl.DataFrame({"a": [1, 2]}), pl.DataFrame),
        (pa.table({"a": [1, 2]}), pa.Table),
        ({"a": [1, 2]}, dict),
        (np.array([[1], [2]]), np.ndarray),
    ],
)
def test_the_users_own_kind_of_frame_comes_back(frame: Any, kind: type) -> None:
    assert type(Dataset.of(frame).to_frame()) is kind


def test_arrays_come_back() -> None:
    whole = np.array([[1, 5], [2, 5], [2, 6]])
    assert np.array_equal(Dataset.of(whole).to_frame(), whole)
    mixed = Dataset.from_columns({"a": [1, 2], "b": ["u", "v"]}).to_frame("numpy")
    assert mixed.tolist() == [[1, "u"], [2, "v"]]
    with pytest.raises(ParameterError, match="kind='excel' is not known"):
        small().to_frame("excel")  # type: ignore[arg-type]


def test_mixed_labels_come_back_as_text() -> None:
    data = Dataset.from_codes([[0, 1, 2]], ["x"], [[1, "a", None]])
    for kind in ("pandas", "polars", "pyarrow"):
        assert Dataset.of(data.to_frame(kind), missing="level").levels == (("1", "a", None),)


def test_data_layer_loads_no_frame_library() -> None:
    code = (
        "import sys, paucal.data; from paucal.data import Dataset; Dataset.from_codes([[0, 1]], ['a'], [[0, 1]]);"
        "print([m for m in ('pandas', 'polars', 'pyarrow', 'duckdb', 'narwhals', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
