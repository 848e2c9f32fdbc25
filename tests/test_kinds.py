"""What a column is taken for, by its values alone."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Dataset
from paucal.data.encode import encode_objects
from paucal.data.kinds import decide
from paucal.data.write import write
from paucal.errors import (
    ConstantColumnWarning,
    DataError,
    IdentifierColumnWarning,
    ManyLevelsWarning,
    ParameterError,
    UnknownNameError,
)
from paucal.inspection.describe import examine, summarise
from paucal.inspection.intake import take_in

RNG = np.random.default_rng(0)
N = 300

COLUMNS = {
    "fractions": (RNG.normal(size=N).round(3).tolist(), "number", "number"),
    "few fractions": (RNG.choice([0.5, 1.0, 2.0], N).tolist(), "number", "number"),
    "age": (RNG.integers(18, 80, N).tolist(), "number", "number"),
    "grams": (RNG.normal(3000, 500, N).round().astype(int).tolist(), "number", "number"),
    "income": (RNG.lognormal(10, 0.7, N).round().astype(int).tolist(), "number", "number"),
    "dates": (
        [dt.date(2020, 1, 1) + dt.timedelta(days=int(d)) for d in RNG.integers(0, 500, N)],
        "number",
        "date/time",
    ),
    "rows": (list(range(1, N + 1)), "name", "identifier"),
    "rows with holes": (sorted(RNG.permutation(N + 60)[:N].tolist()), "name", "identifier"),
    "case numbers": (RNG.permutation(2000)[:N].tolist(), "name", "identifier"),
    "ids": ([f"p{i}" for i in range(N)], "name", "identifier"),
    "postal codes": ([f"{i:05d}" for i in RNG.integers(0, 99999, N)], "name", "near-identifier"),
    "postal numbers": ([*RNG.integers(10000, 99999, N - 2).tolist(), 80331, 80331], "name", "near-identifier"),
    "comments": ([f"no pain since day {i} of the new dose" for i in range(N)], "name", "free text"),
    "likert": (RNG.integers(1, 6, N).tolist(), "levels", "category"),
    "words": (RNG.choice(["red", "green", "blue"], N).tolist(), "levels", "category"),
    "towns": (RNG.choice([f"town {i}" for i in range(40)], N).tolist(), "levels", "category"),
    "answers": (RNG.choice(["never", "often", "always"], N).tolist(), "levels", "ordered"),
    "truth": (RNG.choice([True, False], N).tolist(), "levels", "yes/no"),
    "bits": (RNG.choice([0, 1], N).tolist(), "levels", "yes/no"),
    "constant": (["x"] * N, "levels", "constant"),
    "decimal commas": ([f"{x:.2f}".replace(".", ",") for x in RNG.lognormal(3, 1, N)], "number", "number"),
    "days": ([f"{d}.3.2021" for d in RNG.integers(1, 31, N)], "number", "date/time"),
    "refused incomes": ([str(i) if i % 9 else "refused" for i in RNG.integers(100, 999, N)], "number", "number"),
}
READ_AS_TEXT = ("decimal commas", "days", "refused incomes")  # in a frame; files are read as numbers at once


@pytest.mark.parametrize("name", COLUMNS)
def test_what_columns_are_taken_for(name):
    values, kind, word = COLUMNS[name]
    found = examine(name, encode_objects(name, values))
    assert (found.taken.kind, summarise(found).kind) == (kind, word), found.taken.why
    if name not in READ_AS_TEXT:
        assert decide(encode_objects(name, values)).kind == kind


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.lists(st.integers(-5, 60), min_size=1, max_size=60),
        st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=40),
        st.lists(st.floats(-5, 5).map(lambda x: round(x, 1)), min_size=1, max_size=40),
    ),
    st.randoms(use_true_random=False),
)
def test_neither_the_order_of_rows_nor_the_name_matters(values, random):
    turned = list(values)
    random.shuffle(turned)
    first, second = examine("a", encode_objects("a", values)), examine("b", encode_objects("b", turned))
    assert first.taken == second.taken
    assert first.no_answer == second.no_answer and first.suspected == second.suspected


def test_measurements_are_hardly_ever_taken_for_names():
    rng = np.random.default_rng(5)
    draws = {
        "years": lambda n: rng.integers(20, 80, n),
        "grams": lambda n: rng.normal(3000, 500, n).round().astype(int),
        "up to a thousand": lambda n: rng.integers(0, 1000, n),
    }
    for n in (12, 30, 100, 1000):
        for draw in draws.values():
            kinds = [decide(encode_objects("x", draw(n).tolist())).kind for _ in range(20)]
            assert kinds.count("number") >= 19


def test_numbers_of_groups_are_names_in_a_raw_table():
    groups = np.repeat(np.arange(1, 81), 3).tolist()
    assert examine("pair", encode_objects("pair", groups)).taken.kind == "name"
    assert decide(encode_objects("pair", groups)).kind == "number"  # a table made by hand is taken at its word


def test_declared_orders_are_kept():
    answers = pd.Categorical(["low", "mid", "high"] * 20, categories=["low", "mid", "high"], ordered=True)
    data = Dataset.of(pd.DataFrame({"q": answers, "b": [0, 1, 1] * 20}))
    assert data.kinds == ("ordered", "levels")
    assert data.kind_reasons == ("3 levels with a declared order", "2 different values in 60 rows")


def test_what_is_said_comes_first():
    columns = {"zip": [f"{i:05d}" for i in range(60)], "b": [0, 1, 1] * 20, "q": [1, 2, 3, 4] * 15}
    with pytest.warns(IdentifierColumnWarning):
        assert Dataset.of(columns).kinds == ("name", "levels", "levels")
    said = Dataset.of(columns, kinds={"zip": "levels", "q": "ordered", "b": "name"})
    assert said.kinds == ("levels", "name", "ordered")
    assert said.kind_reasons == ("as you said",) * 3
    assert said.select(["q", "zip"]).kinds == ("ordered", "levels")
    assert said.take([0, 1]).kinds == said.kinds
    with pytest.raises(ParameterError, match=r"kinds.*'colour'.*is not known"):
        Dataset.of(columns, kinds={"b": "colour"})
    with pytest.raises(UnknownNameError, match=r"no column 'zap'. Did you mean 'zip'"):
        Dataset.of(columns, kinds={"zap": "name"})
    with pytest.raises(UnknownNameError, match="no column 'zap'"):
        said.with_kinds({"zap": "name"})


def test_text_said_to_be_numbers_is_read():
    columns = {"x": ["1,5", "2,25", "10,0"] * 10, "b": [0, 1, 1] * 10}
    assert Dataset.of(columns, kinds={"x": "number"}).levels[0] == (1.5, 2.25, 10.0)
    with pytest.raises(DataError, match=r"'x' cannot be numbers: 'ten' is not one.*no_answer="):
        Dataset.of(columns | {"x": ["1,5", "2,25", "ten"] * 10}, kinds={"x": "number"})
    made = Dataset.of(
        columns | {"x": ["1,5", "2,25", "ten"] * 10}, kinds={"x": "number"}, no_answer={"x": ["ten"]}, missing="drop"
    )
    assert (made.n_rows, made.levels[0]) == (20, (1.5, 2.25))


def test_names_never_enter_a_search_unless_somebody_says_what_they_are():
    rng = np.random.default_rng(3)
    n = 200
    a = rng.integers(0, 2, n)
    columns = {
        "id": [f"p{i}" for i in rng.permutation(n)],
        "a": a.tolist(),
        "b": np.where(rng.random(n) < 0.9, a, 1 - a).tolist(),
        "zip": [f"{i:05d}" for i in rng.integers(0, 4000, n)],
    }
    with pytest.warns(IdentifierColumnWarning, match=r"'id' .*'zip' "):
        data = Dataset.from_columns(columns)
    for search in ("posterior", "order", "hill-climbing", "pc-stable", "rai", "mmhc", "fci"):
        graph = paucal.learn(data, search).graph
        assert graph.nodes == tuple(columns)
        assert [{e.a, e.b} for e in graph.edges()] == [{"a", "b"}], search
    assert paucal.blanket(data, "a").mb == ("b",)
    assert [{e.a, e.b} for e in paucal.hill_climb(data).graph.edges()] == [{"a", "b"}]
    back = paucal.learn(data, "hill-climbing", kinds={"id": "levels", "zip": "levels"})
    assert any("id" in (e.a, e.b) for e in back.graph.edges())  # which is why they are left out
    assert back.recipe.preparation.kinds == {"id": "levels", "zip": "levels"}


# -- orders --------------------------------------------------------------------------------------------------------

MOODS = {"mood": ["calm", "angry", "blue"] * 20, "b": [0, 1, 1, 0] * 15}


def test_ordered_text_without_an_order_is_refused():
    said = {"kinds": {"mood": "ordered"}}
    problem = r"'mood' is said to be ordered, but nothing gives the order of its levels: 'angry', 'blue', 'calm'\."
    for make in (Dataset.of, paucal.learn, paucal.inspect):
        if make is paucal.inspect:
            assert "nothing gives the order" in paucal.inspect(MOODS, **said).refusal
            continue
        with pytest.raises(DataError, match=problem + r".*order=\{'mood': \['angry', 'blue', 'calm'\]\}"):
            make(MOODS, **said)
    with pytest.raises(DataError, match=problem):
        Dataset.of(MOODS).with_kinds({"mood": "ordered"})
    made = Dataset.of(MOODS, **said, order={"mood": ["blue", "calm", "angry"]})
    assert (made.kinds[0], made.levels[0]) == ("ordered", ("blue", "calm", "angry"))
    assert paucal.learn(MOODS, "order", **said, order={"mood": ["blue", "calm", "angry"]}).score == "mixed"


@pytest.mark.parametrize(
    "levels",
    [
        ("never", "sometimes", "often"),
        ("low", "medium", "high"),
        ("<18", "18-64", "65+"),
        ("2", "9", "10"),
        ("stage 1", "stage 2", "stage 10"),
        ("1 - yes", "2 - perhaps", "3 - no"),
        (2, 9, 10),
        ("no", "yes"),  # of two levels the order says nothing
    ],
)
def test_orders_that_are_plain(levels):
    values = [levels[i % len(levels)] for i in range(60)]
    for order in (values, values[::-1]):
        made = Dataset.of({"q": order, "b": [0, 1] * 30}, kinds={"q": "ordered"})
        assert (made.kinds[0], made.levels[0]) == ("ordered", levels)
        later = Dataset.of({"q": order, "b": [0, 1] * 30}).with_kinds({"q": "ordered"})
        assert later.to_frame("dict") == made.to_frame("dict")
        assert (later.kinds[0], later.levels[0]) == ("ordered", levels)


def test_declared_levels_have_an_order_unless_it_is_that_of_the_alphabet():
    words = ["mid", "low", "top"] * 20
    put = pd.DataFrame({"q": pd.Categorical(words, ["mid", "low", "top"]), "b": [0, 1] * 30})
    assert Dataset.of(put, kinds={"q": "ordered"}).levels[0] == ("mid", "low", "top")
    with pytest.raises(DataError, match="nothing gives the order"):
        Dataset.of(put.assign(q=pd.Categorical(words)), kinds={"q": "ordered"})  # sorted by pandas


@pytest.mark.parametrize("order", [["a", "b", "c"], ["b", "c", "a"], ["often", "sometimes", "never"]])
def test_an_order_that_was_said_stays(order):
    """Also one that is that of the alphabet, or the other way round than usual."""
    columns = {"q": [order[i % 3] for i in range(60)], "b": [0, 1] * 30}
    data = Dataset.of(columns, kinds={"q": "ordered"}, order={"q": order})
    assert data.levels[0] == tuple(order)
    assert data.with_kinds({"b": "ordered", "q": "ordered"}).levels[0] == tuple(order)
    assert paucal.prepare(data).kinds["q"] == "ordered"
    assert paucal.inspect(data).refusal is None
    assert take_in(data, {}).dataset().levels[0] == tuple(order)
    categories = pd.DataFrame({"q": pd.Categorical(columns["q"], order, ordered=True)})
    assert Dataset.of(categories, kinds={"q": "ordered"}).levels[0] == tuple(order)


def test_gaps_as_a_level_have_no_place_in_an_order():
    columns = {"q": ["often", "never", "always", None] * 15, "b": [0, 1] * 30}
    made = Dataset.of(columns, missing="level").with_kinds({"q": "ordered"})
    assert made.levels[0] == ("never", "often", "always", None)
    assert made.to_frame("dict") == columns


def test_levels_put_together_stay_in_a_declared_order():
    answers = pd.Categorical(["never", "rarely", "often"] * 20, ["never", "rarely", "often"], ordered=True)
    made = Dataset.of(pd.DataFrame({"q": answers}), merge={"q": {"seldom": ["never", "rarely"]}})
    assert made.levels[0] == ("seldom", "often")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_kinds_come_back_from_frames_and_files(kind, tmp_path):
    """Text that has an order, also that of the alphabet, and text that has none."""
    words = ["lo", "hi", "mid", "hi"] * 15
    frame = pd.DataFrame(
        {
            "q": pd.Categorical(words, ["lo", "mid", "hi", "top"], ordered=True),
            "abc": pd.Categorical(list("abcb") * 15, ordered=True),
            "free": pd.Categorical(words, ["lo", "mid", "hi"]),
            "text": list("xyzz") * 15,
        }
    )
    data = Dataset.of(frame)
    assert data.kinds == ("ordered", "ordered", "levels", "levels")
    again = Dataset.of(data.to_frame(kind))
    assert again.kinds == data.kinds
    assert again.to_frame("dict") == data.to_frame("dict")
    assert again.levels[:2] == data.levels[:2]
    for name in ("x.parquet", "x.feather"):
        write(data, tmp_path / name)
        assert (paucal.read(tmp_path / name), paucal.read(tmp_path / name).kinds) == (data, data.kinds)


# -- numbers that are hard -----------------------------------------------------------------------------------------


def test_infinite_numbers_are_the_largest():
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    columns = {"x": [*x[:78], np.inf, -np.inf], "y": np.round(x + 0.3 * rng.normal(size=80), 2)}
    data = Dataset.of(columns)
    assert data.kinds == ("number", "number")
    assert (data.levels[0][0], data.levels[0][-1]) == (-np.inf, np.inf)
    for search in ("posterior", "order", "pc-stable"):
        assert paucal.learn(columns, search).graph.n_edges == 1


def test_a_number_with_one_value_is_isolated():
    rng = np.random.default_rng(1)
    columns = {"x": [2.5] * 60, "a": rng.integers(0, 2, 60), "b": rng.integers(0, 2, 60)}
    with pytest.warns(ConstantColumnWarning, match="1 of 3 columns has the same value in every row: 'x'"):
        data = Dataset.of(columns, kinds={"x": "number"})
    for search in ("posterior", "order", "pc-stable"):
        result = paucal.learn(data, search)
        assert not any("x" in (edge.a, edge.b) for edge in result.graph.edges())


def test_more_numbers_than_rows():
    rng = np.random.default_rng(1)
    columns = {f"x{i:02d}": rng.normal(size=12) for i in range(70)}
    result = paucal.learn(columns, "order", starts=1)
    assert (len(result.graph.nodes), result.score) == (70, "mixed")


def test_a_kind_that_contradicts_the_values_is_refused_at_once():
    with pytest.raises(DataError, match="'g' cannot be numbers: 'u' is not one"):
        paucal.Dataset.of({"g": ["u", "v", "w"] * 10}).with_kinds({"g": "number"})
    with pytest.raises(DataError, match="levels do not increase"):
        paucal.Dataset.from_codes([[0, 1, 2] * 5], ["v"], [[0, 7, 6]]).with_kinds({"v": "number"})
    data = paucal.Dataset.of({"v": ["1", "2", "10"] * 15}).with_kinds({"v": "number"})
    assert data.levels == ((1, 2, 10),)
    assert data.columns[0].tolist() == [0, 1, 2] * 15


@pytest.mark.parametrize("kinds", [{"v": "number"}, {}])
def test_numbers_take_no_other_order(kinds):
    values = [0.5, 7, 6, 1] * 10
    with pytest.raises(DataError, match="'v' is a number, and numbers stand in an order of their own"):
        paucal.Dataset.of({"v": values}, kinds=kinds, order={"v": [0.5, 7, 6, 1]})
    assert paucal.Dataset.of({"v": values}, kinds={"v": "ordered"}, order={"v": [0.5, 7, 6, 1]}).kinds == ("ordered",)


def test_an_order_names_every_level_once():
    with pytest.raises(DataError, match="order of column 'r' has 'a' twice"):
        paucal.Dataset.of({"r": ["a", "b", "c"] * 5}, kinds={"r": "ordered"}, order={"r": ["a", "b", "a", "c"]})


def test_measurements_said_to_be_ordered_are_told():
    """Each row would be a level of its own, and a score joins it to anything."""
    ages = np.random.default_rng(0).normal(50, 9, 120).round(2).tolist()
    with pytest.warns(ManyLevelsWarning, match=r"said to be ordered: 'age' \(1\d\d of 120\).*kinds={'age': 'number'}"):
        paucal.Dataset.of({"age": ages, "sex": ["f", "m"] * 60}, kinds={"age": "ordered"})
