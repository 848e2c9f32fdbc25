"""A preparation as a value: what it says, that it goes to TOML and back, and what it does to columns."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Dataset, Recipe
from paucal.data.preparation import Preparation
from paucal.data.preparation_words import in_short
from paucal.errors import DataError, ParameterError, UnknownNameError

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=8)
labels = st.lists(st.one_of(st.integers(-99, 99), st.text(max_size=5), st.booleans()), min_size=1, max_size=4)
preparations = st.builds(
    Preparation,
    missing=st.sampled_from(["error", "drop", "level"]),
    discretize=st.one_of(
        st.none(),
        st.just("quantile:3"),
        st.dictionaries(
            names, st.lists(st.integers(-9, 9), min_size=1, max_size=3, unique=True).map(sorted), max_size=3
        ),
    ),
    drop_unobserved=st.booleans(),
    columns=st.one_of(st.none(), st.lists(names, min_size=1, max_size=3, unique=True)),
    leave_out=st.one_of(st.lists(names, max_size=2), st.dictionaries(names, st.text(max_size=20), max_size=2)),
    no_answer=st.dictionaries(names, labels, max_size=2),
    merge=st.dictionaries(names, st.dictionaries(names, labels, min_size=1, max_size=2), max_size=2),
    order=st.dictionaries(names, labels, max_size=2),
    kinds=st.dictionaries(names, st.sampled_from(["levels", "ordered", "number", "name"]), max_size=3),
    why=st.dictionaries(names.map("kinds.{}".format), st.text(max_size=20), max_size=2),
)


@settings(max_examples=80, deadline=None)
@given(preparations)
def test_toml_there_and_back(how):
    again = Recipe.from_toml(how.to_toml()).preparation
    assert again == how
    assert Recipe.from_dict(Recipe(preparation=how).to_dict()).preparation == how
    assert str(how)


def test_in_plain_words():
    how = Preparation(
        leave_out={"id": "names the rows"},
        no_answer={"q": [9]},
        merge={"town": {"other": ["a", "b"]}},
        discretize={"age": [18, 65]},
        kinds={"age": "number", "q": "ordered"},
        missing="drop",
        why={"kinds.age": "60 different whole numbers in 90 rows", "table": "90 rows come in."},
    )
    assert str(how).splitlines() == [
        "90 rows come in.",
        "Left out:",
        "  id  names the rows",
        "Made missing:",
        "  q  9",
        "Levels put together:",
        "  town  'other' from 'a', 'b'",
        "Numbers cut:",
        "  age  into < 18, [18, 65), >= 65 (60 different whole numbers in 90 rows)",
        "Taken as:",
        "  q  ordered",
        "Missing values: rows with a missing value are left out.",
    ]
    assert str(Preparation()) == "Nothing is done to the table."
    assert 'age = "number"  # 60 different whole numbers in 90 rows' in how.to_toml()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"missing": "keep it"}, "missing='keep it' is not known"),
        ({"kinds": {"a": "colour"}}, "'colour' is not known"),
        ({"kinds": ["a"]}, "not a dict of values by name"),
        ({"no_answer": {"a": 9}}, r"Write no_answer=\{'age': \[99\]\}"),
        ({"order": {"a": "low"}}, "a list of values by column"),
        ({"merge": {"a": ["x"]}}, "lists of levels by new level"),
        ({"discretize": "thirds"}, "is not a rule"),
        ({"discretize": {"a": [3, 2]}}, "increasing order"),
        ({"leave_out": "id"}, r"Write leave_out=\['id'\]"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_said(wrong, message):
    with pytest.raises(ParameterError, match=message):
        Preparation(**wrong)


def test_unknown_arguments_are_refused():
    with pytest.raises(UnknownNameError, match=r"no argument 'kind'. Did you mean 'kinds'"):
        Dataset.of({"a": [0, 1]}, kind={"a": "name"})


TABLE = {"q": [1, 2, 3, 9] * 10, "town": ["a", "b", "c", "d"] * 10, "b": [0, 1] * 20}


def test_values_that_are_no_answers_become_missing():
    data = Dataset.of(TABLE, no_answer={"q": [9, 99], "town": ["nowhere"]}, missing="drop")
    assert (data.n_rows, data.levels[0], data.missing) == (30, (1, 2, 3), (10, 0, 0))
    assert Dataset.of(TABLE, no_answer={"q": ["9"]}, missing="level").levels[0] == (1, 2, 3, None)


def test_levels_are_put_together():
    data = Dataset.of(TABLE, merge={"town": {"other": ["b", "d", "elsewhere"]}, "q": {"high": [3, 9]}})
    assert data.levels[:2] == (("1", "2", "high"), ("a", "c", "other"))
    assert data.to_frame("dict")["town"][:4] == ["a", "other", "c", "other"]
    assert data.to_frame("dict")["q"][:4] == ["1", "2", "high", "high"]
    with pytest.raises(DataError, match="'town' cannot be put together as 'a': there is such a level"):
        Dataset.of(TABLE, merge={"town": {"a": ["b", "c"]}})


def test_levels_are_put_in_order():
    data = Dataset.of(TABLE, order={"town": ["d", "c", "x", "b", "a"]}, kinds={"town": "ordered"})
    assert data.levels[1] == ("d", "c", "b", "a")
    assert data.to_frame("dict")["town"][:4] == ["a", "b", "c", "d"]
    with pytest.raises(DataError, match="The order of column 'town' lacks 'c', 'd'"):
        Dataset.of(TABLE, order={"town": ["a", "b"]})


def test_a_result_does_not_depend_on_the_order_of_levels():
    table = paucal.load_network("cancer").sample(2000, seed=1).to_frame("dict")
    turned = {name: sorted(set(values), reverse=True) for name, values in table.items()}
    assert paucal.learn(Dataset.of(table, order=turned)).graph == paucal.learn(Dataset.of(table)).graph


def test_dates_are_cut():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(90)]
    data = Dataset.of({"day": days, "b": [0, 1] * 45}, discretize={"day": "quantile:3"})
    assert data.levels[0] == ("< 2020-01-31", "[2020-01-31, 2020-03-01)", ">= 2020-03-01")
    assert Dataset.of({"day": days, "b": [0, 1] * 45}, discretize={"day": ["2020-02-01"]}).levels[0] == (
        "< 2020-02-01",
        ">= 2020-02-01",
    )
    times = [dt.datetime(2020, 1, 1, hour % 24, tzinfo=dt.UTC) for hour in range(90)]
    assert Dataset.of({"t": times}, discretize={"t": "width:2"}).levels[0][0] == "< 2020-01-01 12:00:00+00:00"
    with pytest.raises(DataError, match=r"'day' holds dates or times and cannot be cut at 3.0"):
        Dataset.of({"day": days}, discretize={"day": [3]})
    with pytest.raises(DataError, match="'b' holds numbers and cannot be cut at"):
        Dataset.of({"b": [0, 1] * 45}, discretize={"b": [dt.date(2020, 1, 1)]})


def test_a_recipe_for_another_table_says_so():
    how = Preparation(kinds={"age": "number", "sex": "levels", "q": "ordered", "b": "levels"})
    how.check(["age", "sex", "q", "b", "x"])
    with pytest.raises(UnknownNameError, match=r"for another table: of the 4 columns it names, 3 are not here: 'age'"):
        how.check(["b", "c"])
    with pytest.raises(UnknownNameError, match=r"There is no column 'age'. Did you mean 'ages'"):
        how.check(["ages", "sex", "q", "b"])


def test_a_data_set_can_only_be_narrowed():
    data = Dataset.of(TABLE)
    assert Dataset.of(data, columns=["b", "q"]).names == ("b", "q")
    assert Dataset.of(data, leave_out=["t*"]).names == ("q", "b")
    assert Dataset.of(data, kinds={"q": "ordered"}).kinds == ("ordered", "levels", "levels")
    for name, value in {
        "no_answer": {"q": [9]},
        "order": {"q": [9]},
        "merge": {"q": {"x": [9]}},
        "discretize": "width:2",
    }.items():
        with pytest.raises(ParameterError, match=f"Give {name}= where the Dataset is made"):
            Dataset.of(data, **{name: value})


def test_what_may_be_read_wrongly_is_told_where_it_is_used():
    rng = np.random.default_rng(5)
    person = np.repeat(np.arange(1, 61), 3)
    cigarettes = rng.integers(0, 15, 180)
    told = in_short(paucal.prepare({"person": person, "cigarettes": cigarettes, "ill": rng.integers(0, 2, 180)}))
    assert "each value of person occurs in 3 rows; if these are repeated measurements of one person" in told
    assert "whole numbers taken as levels without an order: cigarettes; if larger means more" in told
    said = paucal.prepare({"cigarettes": cigarettes, "ill": rng.integers(0, 2, 180)}, kinds={"cigarettes": "number"})
    assert "without an order" not in (in_short(said) or "")
