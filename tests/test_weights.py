"""Rows that stand for many: every number is that of the table with all rows written out."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Dataset
from paucal.cli import cli
from paucal.data import weights as weights_module
from paucal.data.weights import merge_rows
from paucal.errors import DataError, ParameterError, UnknownNameError
from paucal.independence.registry import test_names as names_of_tests
from paucal.tables import counts_of, in_few_rows


def asia(n=3000, seed=3):
    """Give a table with all rows written out, in no order, and the same table counted."""
    whole = paucal.load_network("asia").sample(n, seed=seed)
    return whole, whole.counted()


def gappy(n=400):
    whole = paucal.load_network("asia").sample(n, seed=5)
    frame = whole.to_frame("pandas").astype(object)
    rng = np.random.default_rng(2)
    for name in ("smoke", "xray"):
        frame.loc[rng.random(n) < 0.15, name] = None
    data = Dataset.of(frame, missing="keep")
    return data, data.counted()


def told(result):
    """Give all of a result that does not depend on the clock."""
    return json.dumps({name: part for name, part in result.to_dict().items() if name != "seconds"}, sort_keys=True)


def test_the_same_table():
    whole, counted = asia()
    assert (counted.n_rows, len(counted), counted.names) == (3000, 3000, whole.names)
    assert len(counted.distinct[0]) == len(counted.weights) < 300
    assert counted.weights.sum() == 3000
    assert sorted(zip(*whole.columns, strict=True)) == sorted(zip(*counted.columns, strict=True))
    assert counted.counted() is counted
    assert (counted == counted.select(counted.names)) is True
    back = pickle.loads(pickle.dumps(counted))  # noqa: S301 - our own
    assert back == counted
    assert not back.weights.flags.writeable
    assert not back.distinct[0].flags.writeable
    assert counted.by_content.names == whole.by_content.names
    assert counted.copies == whole.copies
    assert counted.drop_unobserved().levels == whole.drop_unobserved().levels


@pytest.mark.parametrize("test", sorted(set(names_of_tests()) - {"permutation", "trend", "chi2-trend"}))
@pytest.mark.parametrize("make", [asia, gappy])
def test_every_test_gives_the_same_bits(test, make):
    whole, counted = make()
    questions = [("smoke", "lung", []), ("tub", "bronc", ["dysp"]), ("asia", "xray", ["either", "smoke", "bronc"])]
    for x, y, given_columns in questions:
        expected = paucal.ci_test(whole, x, y, given=given_columns, test=test)
        found = paucal.ci_test(counted, x, y, given=given_columns, test=test)
        assert found == expected


def test_permutation_draws_from_the_same_distribution():
    whole, counted = asia(300)
    asked = {"given": ["bronc"], "test": "permutation", "seed": 1}
    assert paucal.ci_test(counted, "smoke", "xray", **asked) == paucal.ci_test(whole, "smoke", "xray", **asked)


@pytest.mark.parametrize("search", ["pc-stable", "rai", "sc-pc", "mmhc", "fci", "hill-climbing", "order", "posterior"])
def test_every_search_gives_the_same_result(search):
    whole, counted = asia(1000)
    assert told(paucal.learn(counted, search=search)) == told(paucal.learn(whole, search=search))


@pytest.mark.parametrize("score", ["bdeu", "bds", "k2", "bic", "aic", "eb", "qnml"])
def test_every_score_gives_the_same_bits(score):
    whole, counted = asia(1000)
    found, expected = (paucal.learn(one, search="hill-climbing", score=score) for one in (counted, whole))
    assert told(found) == told(expected)


def test_parities_are_found_in_counted_rows_too():
    rng = np.random.default_rng(4)
    a, b, c = rng.integers(2, size=(3, 3000))
    noise = (rng.random(3000) < 0.05).astype(int)
    names = ("a", "b", "c", "d")
    whole = Dataset.from_codes([a, b, c, a ^ b ^ c ^ noise], names, [[0, 1]] * 4)
    found, expected = (paucal.learn(one, search="posterior") for one in (whole.counted(), whole))
    assert told(found) == told(expected)
    assert found.details["map"] == expected.details["map"]
    assert len(found.details["map"]) == 3


def test_gaps_are_allowed_for():
    whole, counted = gappy(200)
    assert (counted.gap_counts, counted.n_complete, counted.has_gaps) == (whole.gap_counts, whole.n_complete, True)
    assert told(paucal.learn(counted, search="pc-stable")) == told(paucal.learn(whole, search="pc-stable"))
    expanded = Dataset.from_codes(
        list(counted.columns), counted.names, counted.levels, missing="keep"
    )  # gaps are filled row by row, so the order of the rows shows in what is drawn
    settings_ = {"search": "posterior", "fillings": 5}
    shares, expected = (paucal.learn(one, **settings_).evidence.shares for one in (counted, expanded))
    assert all(np.array_equal(shares[mark], expected[mark]) for mark in shares)


def test_blankets_bootstrap_fit_and_explanations():
    whole, counted = asia(1000)
    in_order = Dataset.from_codes(list(counted.columns), counted.names, counted.levels)
    assert told(paucal.blanket(counted, "either").result) == told(paucal.blanket(whole, "either").result)
    found, expected = (paucal.bootstrap(one, "pc-stable", replicates=10) for one in (counted, in_order))
    assert found.probabilities() == expected.probabilities()
    one, other = (paucal.learn(data, search="pc-stable") for data in (counted, whole))
    assert str(one.why("lung", "either", data=counted)) == str(other.why("lung", "either", data=whole))
    assert str(one.network(counted)) == str(other.network(whole))


def test_numbers_and_ordered_columns():
    rng = np.random.default_rng(8)
    age = rng.integers(20, 60, 400)
    table = {"age": age, "old": (age + rng.normal(0, 8, 400) > 40).astype(int), "q": rng.integers(1, 5, 400)}
    whole = Dataset.of(table, kinds={"age": "number", "q": "ordered"})
    counted = whole.counted()
    in_order = Dataset.from_codes(list(counted.columns), counted.names, counted.levels, kinds=counted.kinds)
    for test in ("trend", "chi2-trend", "auto"):
        assert paucal.ci_test(counted, "q", "old", given=["age"], test=test) == paucal.ci_test(
            whole, "q", "old", given=["age"], test=test
        )
    found, expected = (paucal.learn(data, search="order") for data in (counted, in_order))
    assert (found.graph, found.details) == (expected.graph, expected.details)


def test_inspection_says_the_same():
    for make in (asia, gappy):
        whole, counted = make()
        assert paucal.inspect(counted).to_dict() == paucal.inspect(whole).to_dict()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 300), st.integers(0, 1)), min_size=1, max_size=60))
def test_tables_of_merged_rows_are_those_of_all(rows):
    codes = [np.array(column) for column in zip(*rows, strict=True)]
    levels = [range(3), range(301), range(2)]
    whole = Dataset.from_codes(codes, ("x", "y", "z"), levels)
    counted = whole.counted()
    columns, weights = merge_rows(whole.columns)
    assert sorted(zip(*map(np.ndarray.tolist, columns), weights.tolist(), strict=True)) == sorted(
        (*row, rows.count(row)) for row in set(rows)
    )
    for question in ((0, 1, ()), (0, 2, (1,)), (1, 2, (0,))):
        one, other = (counts_of(data).table(*question) for data in (counted, whole))
        assert one.total == other.total == len(rows)
        for part in ("stratum", "x", "y", "n", "strata"):
            assert np.array_equal(getattr(one, part), getattr(other, part))


def test_many_columns_do_not_overflow_the_numbers_of_rows():
    rng = np.random.default_rng(1)
    codes = [rng.integers(250, size=50).astype(np.uint8) for _ in range(30)]
    twice = [np.concatenate([one, one[::-1]]) for one in codes]
    columns, weights = merge_rows(twice)
    assert weights.tolist() == [2] * 50
    assert all(map(np.array_equal, columns, codes))


# ------------------------------------------------------------------------------------------ weights on the way in


def table_of_counts():
    frame = paucal.load_network("cancer").sample(600, seed=1).to_frame("pandas").astype(str)
    counted = frame.value_counts(sort=False).reset_index(name="n")
    return frame, counted


def test_a_column_counts_the_rows(tmp_path):
    frame, counted = table_of_counts()
    path = tmp_path / "cancer.csv"
    counted.to_csv(path, index=False)
    whole = Dataset.of(frame)
    made = (
        Dataset.of(counted, weights="n"),
        Dataset.of(counted.to_dict("list"), weights="n"),
        Dataset.of(counted.assign(n=counted["n"].astype(float)), weights="n"),
        paucal.read(path, weights="n"),
        paucal.read(path, weights="n", columns=list(frame.columns)),
        Dataset.from_codes(whole.counted().distinct, whole.names, whole.levels, weights=whole.counted().weights),
    )
    for data in made:
        assert (data.n_rows, data.names, data.cardinalities) == (600, whole.names, whole.cardinalities)
        assert paucal.ci_test(data, "Smoker", "Cancer") == paucal.ci_test(whole, "Smoker", "Cancer")
    found, expected = paucal.learn(counted, weights="n"), paucal.learn(frame)
    assert found.graph == expected.graph
    assert found.probabilities().equals(expected.probabilities())
    assert found.recipe.preparation.weights == "n"
    assert paucal.inspect(counted, weights="n").n_rows == 600


def test_cuts_and_proposals_count_the_rows():
    rng = np.random.default_rng(3)
    values, n = np.arange(40), rng.integers(1, 50, 40)
    table = {"age": values * 1.5, "sex": values % 2, "n": n}
    whole = {name: np.repeat(table[name], n) for name in ("age", "sex")}
    for how in ({"discretize": "quantile:3"}, {"discretize": "width:4"}):
        one, other = Dataset.of(table, weights="n", **how), Dataset.of(whole, **how)
        assert (one.levels, one.n_rows) == (other.levels, other.n_rows)
        assert sorted(zip(*one.columns, strict=True)) == sorted(zip(*other.columns, strict=True))
    assert str(paucal.prepare(whole)) in str(paucal.prepare(table, weights="n"))
    assert "n says how many rows each row stands for" in str(paucal.prepare(table, weights="n"))


def test_missing_values_are_counted_in_rows():
    table = {"x": [1, 2, None, None], "y": [0, 1, 1, 0], "n": [9, 8, 3, 4]}
    assert Dataset.of(table, weights="n", missing="drop").n_rows == 17
    assert Dataset.of(table, weights="n", missing="keep").gap_counts == (7, 0)
    with pytest.raises(DataError, match=r"7 of 24 rows"):
        Dataset.of(table, weights="n")


def test_rows_that_do_not_occur_are_no_rows():
    data = Dataset.of({"x": ["a", "b", "c"], "n": [2, 0, 1]}, weights="n")
    assert data.to_frame("dict") == {"x": ["a", "a", "c"]}
    assert Dataset.from_codes([[0, 1, 0]], ["x"], [["a", "b"]], weights=[0, 2, 1]).n_rows == 3


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([0.5, 1.5, 2], "holds 0.5, which is not a number of rows.*population"),
        ([1, -1, 2], "holds -1.0, which is not a number of rows"),
        (["a", "b", "a"], "holds 'a', which is not a number of rows"),
        ([1, None, 2], "1 rows have no value in 'n'"),
        ([0, 0, 0], "stand for 0 rows"),
        ([2**31, 2**31, 2**31], "6,442,450,944 rows"),
    ],
)
def test_what_is_no_count_of_rows(weights, said):
    with pytest.raises(DataError, match=f"(?s){said}"):
        Dataset.of({"x": [1, 2, 1], "n": weights}, weights="n")


def test_other_refusals():
    with pytest.raises(UnknownNameError, match="'m'"):
        Dataset.of({"x": [1, 2], "n": [1, 2]}, weights="m")
    with pytest.raises(ParameterError, match="cannot be weighted any more"):
        Dataset.of(Dataset.of({"x": [1, 2], "n": [1, 2]}), weights="n")
    with pytest.raises(ParameterError, match="the name of a column"):
        Dataset.of({"x": [1, 2], "n": [1, 2]}, weights=[1, 1])
    with pytest.raises(DataError, match="3 weights for 2 rows"):
        Dataset.from_codes([[0, 1]], ["x"], [["a", "b"]], weights=[1, 1, 1])


def test_so_many_rows_are_not_written_out(monkeypatch):
    monkeypatch.setattr(weights_module, "MOST_REPEATED", 1000)
    whole, counted = asia()
    assert paucal.learn(counted, search="pc-stable").graph == paucal.learn(whole, search="pc-stable").graph
    with pytest.raises(DataError, match=r"needs 3,000 rows one by one.*data\.sample"):
        counted.to_frame("dict")
    assert counted.sample(100, seed=1).n_rows == 100


def test_samples_of_counted_rows(monkeypatch):
    whole, counted = asia()
    assert counted.sample(500, seed=2).n_rows == 500
    assert whole.sample(500, seed=2).n_rows == 500
    monkeypatch.setattr("paucal.data.dataset.MOST_REPEATED", 1000)
    drawn = counted.sample(500, seed=2)
    assert drawn.n_rows == 500
    taken = dict(zip(zip(*drawn.distinct, strict=True), drawn.weights.tolist(), strict=True))
    there = dict(zip(zip(*counted.distinct, strict=True), counted.weights.tolist(), strict=True))
    assert all(n <= there[row] for row, n in taken.items())


def test_the_command_line(tmp_path):
    frame, counted = table_of_counts()
    frame.to_csv(tmp_path / "rows.csv", index=False)
    counted.to_csv(tmp_path / "counts.csv", index=False)

    def run(*words):
        result = CliRunner().invoke(cli, list(map(str, words)))
        assert result.exit_code == 0, result.output
        return result.stdout

    for words in (["test", "Smoker", "Cancer"], ["inspect"], ["learn", "--search", "pc-stable"]):
        command, *rest = words
        one = run(command, tmp_path / "counts.csv", *rest, "--weights", "n")
        assert without_time(one) == without_time(run(command, tmp_path / "rows.csv", *rest))
    recipe = tmp_path / "recipe.toml"
    run("learn", tmp_path / "counts.csv", "--weights", "n", "--save-recipe", recipe)
    assert 'weights = "n"' in recipe.read_text(encoding="utf-8")
    again = run("learn", tmp_path / "counts.csv", "--recipe", recipe)
    assert without_time(again) == without_time(run("learn", tmp_path / "counts.csv", "--weights", "n"))


def without_time(text):
    return re.sub(r"[0-9.]+ m?s\b|^chosen.*\n", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("n_levels", "expected"), [(4, True), (40, False)])
def test_a_table_that_repeats_itself_is_counted_as_distinct_rows(n_levels, expected):
    rng = np.random.default_rng(6)
    codes = [rng.integers(n_levels, size=24_000).astype(np.uint8) for _ in range(4)]
    data = Dataset.from_codes(codes, "abcd", [range(n_levels)] * 4)
    assert (in_few_rows(data) is not data) is expected
    assert in_few_rows(data.counted()).weights is not None
    counted = counts_of(data)
    assert (counted.n_rows, counted.columns.samples) == (24_000, 24_000)
    assert len(counted._codes[0]) == (len(data.counted().weights) if expected else 24_000)
    asked = paucal.ci_test(data, "a", "b", given=["c"])
    few = data.take(np.arange(20_000))
    assert in_few_rows(few) is few
    assert asked == paucal.ci_test(data.counted(), "a", "b", given=["c"])


def test_levels_that_only_rows_of_weight_0_have_are_forgotten():
    frame = {"x": ["a", "b", "RARE", "a"], "y": ["u", "v", "w", "v"], "n": [2, 3, 0, 1]}
    data = paucal.Dataset.of(frame, weights="n")
    assert data.levels == (("a", "b"), ("u", "v")) and data.n_rows == 6
    expanded = paucal.Dataset.of({"x": ["a"] * 2 + ["b"] * 3 + ["a"], "y": ["u"] * 2 + ["v"] * 4})
    one, other = (paucal.ci_test(d, "x", "y", test="chi2", df="full") for d in (data, expanded))
    assert (one.statistic, one.dof, one.p_value) == (other.statistic, other.dof, other.p_value)


def test_relations_are_read_by_place_and_sums_are_numbers():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        rows = connection.sql(
            'select range % 2 as "Sex", range % 3 as sex, (range % 12)::hugeint as total from range(144)'
        )
        data = paucal.connect(rows)
    assert data.names == ("Sex", "sex", "total")
    assert data.levels == ((0, 1), (0, 1, 2), tuple(range(12)))


def test_a_bootstrap_of_more_rows_than_can_be_written_out():
    frame = {"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "n": [40_000_000, 10_000_000, 10_000_000, 40_000_000]}
    data = paucal.Dataset.of(frame, weights="n")
    for fraction in (None, 0.5):
        result = paucal.bootstrap(data, "pc-stable", replicates=2, test="g", fraction=fraction)
        assert [str(edge) for edge in result.graph.edges()] == ["x -- y"]


def test_the_column_of_weights_may_be_named_among_those_to_read_or_not(tmp_path):
    (tmp_path / "w.csv").write_text("a,b,n\nu,x,2\nv,y,3\n")
    for more in ({"columns": ["a", "b", "n"]}, {"columns": ["a", "b"]}, {"leave_out": ["n"]}):
        data = paucal.read(tmp_path / "w.csv", weights="n", **more)
        assert data.names == ("a", "b") and data.n_rows == 5
        frame = {"a": ["u", "v"], "b": ["x", "y"], "n": [2, 3]}
        assert paucal.Dataset.of(frame, weights="n", **more).n_rows == 5
    call = ["test", str(tmp_path / "w.csv"), "a", "b", "--weights", "n", "--columns", "a", "b", "n"]
    assert CliRunner().invoke(cli, call).exit_code == 0


def test_rows_are_taken_a_number_of_times():
    data = paucal.Dataset.of({"a": ["u", "v", "w"]})
    for wrong in ([1, 2], [1, -1, 1], [0.5, 1, 1], "abc", [0, 0, 0]):
        with pytest.raises(paucal.errors.DataError):
            data.times(wrong)
