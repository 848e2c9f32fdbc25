"""Tests that see the order of levels: reference values, exact moments, numbers, and where they are asked."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from mixed_data import drawn, mixed_data
from paucal import _kernel
from paucal.cli import cli
from paucal.errors import DataError
from paucal.independence.registry import make_test
from twin import trend

# Computed by a prototype: table or strata; S, V, third and fourth cumulant, p-value.
REFERENCE = [
    ([[5, 1, 0], [2, 4, 3], [0, 2, 6]],
     (1.22400756144, 0.129891941885, 5.40255969465e-05, -0.00287230524096, 0.000459129112155)),
    ([[[4, 1], [1, 4]], [[3, 0], [2, 5]]],
     (0.75, 0.0798611111111, 0, -0.000811218584656, 0.00684368694704)),
    ([[3, 0, 1, 0], [0, 2, 0, 1]],
     (0.285714285714, 0.0371720116618, 0.000234277384423, -0.00065621573494, 0.130617130961)),
    ([[[6, 2, 1], [2, 5, 3], [0, 3, 8]], [[2, 1, 0], [1, 3, 1], [0, 0, 4]]],
     (2.12077664399, 0.238049154093, 0.000143766543971, -0.00523362485128, 9.49522486094e-06)),
]  # fmt: skip


@pytest.mark.parametrize(("table", "numbers"), REFERENCE)
def test_reference_values(table, numbers):
    *cumulants, p_value = numbers
    twin = trend.trend(np.array(table).reshape(-1, *np.shape(table)[-2:]))
    assert twin == pytest.approx(cumulants, rel=1e-9, abs=1e-12)
    result = paucal.ci_test(table=table, test="trend")
    assert result.p_value == pytest.approx(p_value, rel=1e-9)
    assert result.statistic == pytest.approx(numbers[0] / math.sqrt(numbers[1]), rel=1e-9)
    assert result.direction == "rising"
    assert paucal.ci_test(table=np.flip(table, -1), test="trend").direction == "falling"


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6).filter(lambda cells: 2 <= sum(cells) <= 7))
@settings(max_examples=40, deadline=None)
def test_the_moments_are_exact(cells):
    tables = np.array(cells).reshape(1, 2, 3)
    ((table, u, v),) = trend.centred(tables)
    assert trend.trend(tables)[1:] == pytest.approx(trend.enumerated(table, u, v), abs=1e-12)


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 60), levels=st.integers(2, 4), strata=st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_native_equals_twin(seed, rows, levels, strata):
    rng = np.random.default_rng(seed)
    tables = rng.multinomial(rows, rng.dirichlet(np.full(strata * levels * 3, 0.5))).reshape(strata, levels, 3)
    twin = trend.trend(tables)
    read = {name: paucal.ci_test(table=tables, test=name) for name in ("trend", "chi2-perm", "chi2-trend")}
    varies = min(np.count_nonzero(tables.sum(axis=axes)) for axes in ((0, 2), (0, 1))) > 1
    if not varies or twin.variance < 1e-15:
        assert read["trend"].p_value == 1
        assert read["chi2-trend"].p_value == read["chi2-perm"].p_value
        return
    assert read["trend"].p_value == pytest.approx(twin.p_value, rel=1e-7, abs=1e-12)
    table = read["chi2-perm"].p_value
    if table == 1 and read["chi2-trend"].p_value == pytest.approx(read["trend"].p_value):
        return  # the table alone says nothing, and the trend decides
    p = trend.combined(table, read["trend"].p_value)
    assert read["chi2-trend"].p_value == pytest.approx(p, rel=1e-6, abs=1e-12)


@given(seed=st.integers(0, 10**6), rows=st.integers(4, 80))
@settings(max_examples=40, deadline=None)
def test_no_table_goes_below_the_smallest_p(seed, rows):
    rng = np.random.default_rng(seed)
    data = mixed_data(
        {"x": rng.integers(0, 4, rows), "y": rng.integers(0, 3, rows), "z": rng.integers(0, 2, rows)},
        {"x": "ordered", "y": "ordered"},
    )
    for name in ("trend", "chi2-trend"):
        test = make_test(data, name)
        assert test.smallest_p_value("x", "y", ["z"]) <= test("x", "y", ["z"]).p_value * (1 + 1e-9)
    x, y = sorted(data.columns[0]), sorted(data.columns[1])
    ends = [mixed_data({"x": x, "y": one}, {"x": "ordered", "y": "ordered"}) for one in (y, y[::-1])]
    p = min(make_test(one, "trend")("x", "y").p_value for one in ends)
    assert make_test(data, "trend").smallest_p_value("x", "y") == pytest.approx(p, rel=1e-9)


def test_combined_p_values_keep_their_digits():
    """Of two small ones it is their harmonic mean, which a difference from 1/2 would know to few digits."""
    tables = {
        name: paucal.ci_test(table=[[25, 5, 0], [5, 12, 5], [0, 5, 25]], test=name).p_value
        for name in ("chi2-perm", "trend", "chi2-trend")
    }
    assert tables["chi2-trend"] < 1e-13
    mean = 2 / (1 / tables["chi2-perm"] + 1 / tables["trend"])
    assert tables["chi2-trend"] == pytest.approx(mean, rel=1e-10, abs=0)


# -- numbers -------------------------------------------------------------------------------------------------------


def twin_of_numbers(data, x, y, given=None):
    """Go through the raw values, the conditioner in nine steps of equal shares."""
    codes = data.columns[data.index(x)], data.columns[data.index(y)]
    stratum = np.zeros(data.n_rows, dtype=int)
    if given is not None:
        ranks = data.columns[data.index(given)]
        stratum = np.searchsorted(np.quantile(ranks, np.arange(1, 9) / 9), ranks)
    tables = np.zeros((9, *(c.max() + 1 for c in codes)), dtype=int)
    np.add.at(tables, (stratum, *codes), 1)
    return trend.trend(tables)


def test_numbers_are_taken_by_their_ranks():
    rng = np.random.default_rng(3)
    z = rng.permutation(324).astype(float)  # 36 rows exactly in each of nine steps: half the square root of the rows
    x, y = z / 100 + rng.normal(size=324), z / 100 + rng.normal(size=324)
    data = mixed_data({"x": x, "y": y, "z": z}, dict.fromkeys("xyz", "number"))
    for given_ in ((), ("z",)):
        result = paucal.ci_test(data, "x", "y", given_, test="trend")
        assert result.p_value == pytest.approx(twin_of_numbers(data, "x", "y", *given_).p_value, rel=1e-8)
    assert result.in_steps == ("z",)
    assert "z (in steps)" in str(result)
    assert (result.strata, result.cells) == (9, 81)
    logs = mixed_data({"x": np.exp(x), "y": y**3, "z": z}, dict.fromkeys("xyz", "number"))
    assert paucal.ci_test(logs, "x", "y", ["z"], test="trend").p_value == result.p_value


def test_the_table_of_chi2_trend_has_five_steps():
    """For the half of chi2-perm a number is cut into equal shares; the trend sees all its values."""
    rng = np.random.default_rng(4)
    x = rng.permutation(200).astype(float)
    y = (np.abs(x - 100) > 50).astype(int)
    data = mixed_data({"x": x, "y": y}, {"x": "number"})
    cut = mixed_data({"x": x // 40, "y": y}, {"x": "ordered"})
    p = [paucal.ci_test(cut, "x", "y", test="chi2-perm").p_value, paucal.ci_test(data, "x", "y", test="trend").p_value]
    assert paucal.ci_test(data, "x", "y", test="chi2-trend").p_value == pytest.approx(trend.combined(*p), rel=1e-9)


def test_auto_takes_the_test_that_suits_a_pair():
    data = drawn(5, 150)
    auto = make_test(data, "auto", alpha=0.05)
    ordinal = [
        n for n in data.names if not n.startswith("levels") or len(set(data.columns[data.index(n)].tolist())) < 3
    ]
    nominal = [n for n in data.names if n not in ordinal]
    assert nominal
    ordered = data.select(ordinal)
    assert auto(ordinal[0], ordinal[1]).p_value == make_test(ordered, "chi2-trend")(ordinal[0], ordinal[1]).p_value
    number = next(n for n in data.names if n.startswith("number"))
    assert auto(number, nominal[0]).direction is None
    other = next(n for n in data.names if n.startswith("ordered"))
    assert auto(other, nominal[0]).p_value == paucal.ci_test(data, other, nominal[0], test="chi2-perm").p_value


def test_without_an_order_auto_is_chi2_perm():
    data = paucal.load_network("survey").sample(100, seed=1)
    assert make_test(data).settings == make_test(data, "chi2-perm").settings
    assert paucal.ci_test(data, "A", "E").test == "chi2-perm"


@given(seed=st.integers(0, 10**6), rows=st.integers(30, 200))
@settings(max_examples=25, deadline=None)
def test_the_same_bits_for_other_names_and_orders(seed, rows):
    data = drawn(seed, rows)
    rng = np.random.default_rng(seed)
    columns, order = rng.permutation(data.n_columns), rng.permutation(data.n_rows)
    other = paucal.Dataset.from_codes(
        [data.columns[v][order] for v in columns],
        [f"c{v}" for v in columns],
        [data.levels[v] for v in columns],
        kinds=[data.kinds[v] for v in columns],
    )
    numbers = [v for v in range(data.n_columns) if data.kinds[v] == "number"]
    x, y, z = numbers[:3]
    for given_ in ((), (z,)):
        here = (data, data.names[x], data.names[y], [data.names[v] for v in given_])
        there = (other, f"c{x}", f"c{y}", [f"c{v}" for v in given_])
        first, second = (paucal.ci_test(*one, test="trend") for one in (here, there))
        assert (first.p_value, first.direction) == (second.p_value, second.direction)
        first, second = (paucal.ci_test(*one) for one in (here, there))
        assert first.p_value == pytest.approx(second.p_value, rel=1e-12)


@pytest.mark.parametrize("rows", [300, 1000])
@pytest.mark.parametrize("given_", [("z",), ("z", "w")])
@pytest.mark.parametrize("test", ["trend", "auto"])
def test_what_depends_on_a_number_alone_is_independent_given_it(test, given_, rows):
    """In three steps nearly every table of 1,000 rows would be called dependent."""
    found = 0
    for seed in range(60):
        rng = np.random.default_rng([rows, seed])
        numbers = {name: rng.normal(size=rows) for name in given_}
        mean = sum(numbers.values())
        columns = {"x": mean + rng.normal(size=rows), "y": mean + rng.normal(size=rows)} | numbers
        data = mixed_data(columns, dict.fromkeys(columns, "number"))
        found += paucal.ci_test(data, "x", "y", given_, test=test).p_value < 0.05
    assert found <= 11  # of 60, three expected: more has a probability of one in 30,000


def test_a_dose_that_is_conditioned_on_has_a_step_for_each_value():
    """Two values in one step would leave what depends on the dose dependent."""
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        dose = rng.integers(0, 11, 300) * 10.0
        columns = {"dose": dose, "x": dose + 5 * rng.normal(size=300), "y": dose + 5 * rng.normal(size=300)}
        data = mixed_data(columns, dict.fromkeys(columns, "number"))
        result = paucal.ci_test(data, "x", "y", ["dose"])
        found += result.p_value < 0.05
    assert result.strata == 11
    assert found <= 8


# -- where they are asked ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", ["pc-stable", "rai", "mmhc", "fci"])
def test_searches_ask_auto_about_numbers(search):
    data = drawn(8, 200)
    options = {"score": "mixed"} if search == "mmhc" else {}
    result = paucal.learn(data, search, **options)
    assert result.test == "auto"
    assert set(result.details["given_in_steps"]) == {n for n in data.names if n.startswith("number")}
    assert "conditioned on in steps: number" in str(result)
    assert paucal.SearchResult.from_json(result.to_json()) == result


def test_blankets_and_planning_ask_auto():
    data = drawn(8, 200)
    assert paucal.blanket(data, data.names[0]).result.test == "auto"
    report = paucal.power(data, max_order=1, sample=3)
    assert report.test == "auto"
    assert all(one.effect is None or 0 < one.effect < 1 for one in report.orders)


def test_why_shows_the_direction():
    rng = np.random.default_rng(0)
    dose = rng.normal(size=100)
    data = mixed_data({"dose": dose, "pain": rng.normal(size=100) - dose}, {"dose": "number", "pain": "number"})
    result = paucal.learn(data, "pc-stable")
    assert ", falling)" in str(result.why("dose", "pain"))
    assert result.why("dose", "pain").to_dict()["tests"][0]["direction"] == "falling"


def test_trends_can_be_permuted():
    data = mixed_data({"x": [*range(30)], "y": [*range(30)]}, {"x": "number", "y": "number"})
    assert paucal.ci_test(data, "x", "y", test="permutation", statistic="trend").p_value == pytest.approx(1 / 2000)


# -- what is refused -----------------------------------------------------------------------------------------------


def test_other_tests_refuse_numbers_at_the_ends_only():
    data = drawn(2, 60)
    number = next(n for n in data.names if n.startswith("number"))
    a, b = (n for n in data.names if n.startswith("ordered"))
    with pytest.raises(
        DataError, match=r"The test 'g' counts levels, and there are numbers: .* Use test='auto', or cut"
    ):
        paucal.ci_test(data, number, a, test="g")
    with pytest.raises(DataError, match="there are numbers"):
        paucal.learn(data, "pc-stable", test="mi-eb")
    assert paucal.ci_test(data, a, b, [number], test="g").in_steps == (number,)


def test_a_trend_needs_an_order():
    columns = {"race": [0, 1, 2] * 20, "sex": [0, 1] * 30, "age": [*range(60)]}
    data = mixed_data(columns, {"age": "number"})
    with pytest.raises(DataError, match="needs an order of the levels, and there is none in 'race'"):
        paucal.ci_test(data, "race", "age", test="trend")
    with pytest.raises(DataError, match="needs an order"):
        paucal.learn(data, "pc-stable", test="chi2-trend")
    assert paucal.ci_test(data, "sex", "age", ["race"], test="trend").p_value is not None


def test_native_columns_check_their_arguments():
    codes = np.array([0, 1, 1], dtype=np.uint8)
    with pytest.raises(IndexError, match="there is no column 1"):
        _kernel.Columns([codes], [2], 3, ordinal=[1])
    with pytest.raises(IndexError, match="there is no column 5"):
        _kernel.Columns([codes], [2], 3, steps=[(5, codes, 2)])
    with pytest.raises(ValueError, match="not below the number of states"):
        _kernel.Columns([codes], [2], 3, steps=[(0, codes, 1)])
    with pytest.raises(ValueError, match="has 2 rows"):
        _kernel.Columns([codes], [2], 3, steps=[(0, codes[:2], 2)])
    with pytest.raises(TypeError):
        _kernel.Columns([codes], [2], 3, steps=[(0, codes.astype(float), 2)])


def table_of_kinds(seed: int, kinds: list[str]) -> dict[str, list[object]]:
    """Columns of all sorts that depend on each other, some with gaps."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 100))
    shared, table = rng.normal(size=n), {}
    for i, kind in enumerate(kinds):
        z = shared / 2 + rng.normal(size=n)
        values: dict[str, list[object]] = {
            "bit": (z > 0).astype(int).tolist(),
            "yes": np.where(z > 0, "yes", "no").tolist(),
            "letter": np.array(list("abcd"))[np.clip(z + 2, 0, 3).astype(int)].tolist(),
            "whole": (15 * z + 50).astype(int).tolist(),
            "number": z.round(3).tolist(),
        }
        column = values[kind]
        if rng.random() < 0.3:
            for row in rng.choice(n, 3, replace=False).tolist():
                column[row] = None
        table[f"c{i}"] = column
    return table


@given(
    seed=st.integers(0, 10**6),
    kinds=st.lists(st.sampled_from(["bit", "yes", "letter", "whole", "number"]), min_size=3, max_size=5),
)
@settings(max_examples=30, deadline=None)
@pytest.mark.filterwarnings("ignore::paucal.errors.PaucalWarning")
def test_auto_is_one_test_for_a_frame_and_its_data_set(seed, kinds):
    table = table_of_kinds(seed, kinds)
    frames = [pd.DataFrame(table), pl.DataFrame(table)]
    data = paucal.Dataset.of(frames[0], missing="keep")
    whole = make_test(data, "auto")
    assert {make_test(frame, "auto").settings for frame in frames} == {whole.settings}
    for asked in (("c0", "c1", []), ("c0", "c1", ["c2"]), ("c2", "c0", ["c1"])):
        want = whole(*asked)
        assert paucal.ci_test(data, *asked) == want
        assert [paucal.ci_test(frame, *asked) for frame in frames] == [want, want]


def test_auto_knows_the_whole_file(tmp_path):
    table = {"x": [0, 1] * 30, "y": [0, 0, 1] * 20, "z": [f"{i / 7:.3f}" for i in range(60)]}
    path = tmp_path / "table.csv"
    lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
    path.write_text("\n".join([",".join(table), *lines]), "utf-8")
    run = CliRunner().invoke(cli, ["test", str(path), "x", "y", "--test", "auto", "--json"])
    assert json.loads(run.stdout)[0]["test"] == "auto"
    assert paucal.ci_test(path, "x", "y", columns=["x", "y"]).test == "chi2-perm"


def test_two_levels_with_gaps_have_an_order():
    data = paucal.Dataset.of({"x": [0, 1, None, 1] * 10, "z": np.arange(40.0)}, missing="keep", kinds={"z": "number"})
    assert make_test(data, "auto")("x", "z").direction is not None


@pytest.mark.parametrize("name", ["chi2-trend", "auto", "chi2-pooled"])
def test_a_statistic_that_is_p_again_is_not_shown(name, tmp_path):
    """The mean of tangents is some 1e49 here, and says no more than p."""
    x = np.repeat(["1", "2", "3"], 40)
    levels = {"x": x, "y": x, "z": np.tile(["1", "2"], 60)}
    result = paucal.ci_test(
        paucal.Dataset.of(levels, kinds={"x": "ordered", "y": "ordered"}), "x", "y", ["z"], test=name
    )
    assert result.statistic > 1e40
    assert result.to_dict()["statistic"] == result.statistic
    assert "statistic" not in str(result)
    assert f"{name}: p {result.p_value:.4g}" in str(result)
    assert "statistic" not in result._repr_html_()
    pd.DataFrame(levels).to_csv(tmp_path / "t.csv", index=False)
    words = ["test", str(tmp_path / "t.csv"), "x", "y", "--given", "z", "--test", name, "--ordered", "x", "y"]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    assert "e+4" not in told.output
    assert f"{result.p_value:.4g}" in told.output


def test_a_statistic_of_its_own_is_shown():
    for name in ("trend", "chi2-perm", "chi2", "mi"):
        assert f"({name}: statistic " in str(paucal.ci_test(table=[[5, 1, 0], [2, 4, 3], [0, 2, 6]], test=name))


def test_a_statistic_that_is_p_in_another_form_is_not_told_however_small_p_is():
    data = paucal.load_network("asia").sample(100, seed=1)
    result = paucal.ci_test(data, "smoke", "lung")
    for statistic in (0.3, 1e4, 933575423.0, 2e15):
        again = replace(result, statistic=statistic, p_value=0.5 - math.atan(statistic) / math.pi)  # loses digits
        assert again.told_statistic is None
    assert replace(result, statistic=80.0, p_value=1e-20).told_statistic == 80.0
