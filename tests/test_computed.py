"""Columns that were computed from others are found and left out, with rounding and gaps; noise is never called so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli
from paucal.errors import PreparationWarning
from paucal.inspection.computed import MOST_COLUMNS

N = 400
KINDS = {"computed", "same scale", "near cut", "near copy", "copy with gaps", "sum", "survey weight", "follow-up"}


@pytest.fixture
def people():
    rng = np.random.default_rng(5)
    height = rng.normal(1.7, 0.1, N).round(2)
    weight = (rng.normal(72, 14, N).clip(40)).round(1)
    age = rng.integers(18, 80, N)
    return pd.DataFrame(
        {"height": height, "weight": weight, "age": age, "school": rng.integers(5, 17, N), "score": rng.normal(size=N)}
    )


def found(frame, *kinds):
    return {one.columns for one in paucal.inspect(frame).findings if one.kind in (kinds or KINDS)}


@pytest.mark.parametrize(
    ("name", "make", "of"),
    [
        ("bmi", lambda t: (t["weight"] / t["height"] ** 2).round(1), {"weight", "height"}),
        ("bmi2", lambda t: t["weight"] / t["height"] ** 2, {"weight", "height"}),
        ("experience", lambda t: t["age"] - t["school"] - 6, {"age", "school"}),
        ("load", lambda t: (t["weight"] * t["age"]).round(), {"weight", "age"}),
        ("mean", lambda t: ((t["weight"] + t["age"]) / 2).round(1), {"weight", "age"}),
        ("ratio", lambda t: (t["age"] / t["height"]).round(2), {"age", "height"}),
        ("three", lambda t: t["age"] + t["weight"] - t["school"] + 10, {"age", "weight", "school"}),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_computed_numbers(people, name, make, of, first):
    frame = people.assign(**{name: make(people)})
    if first:  # it need not stand behind what it was computed from
        frame = frame[[name, *people.columns]]
    frame.loc[5:12, "weight"] = np.nan
    results = found(frame)
    assert {frozenset(columns) for columns in results} == {frozenset({name, *of})}
    (left_out,) = paucal.prepare(frame).leave_out
    assert left_out in {name, *of} - {"age"}
    if not first:
        assert left_out == name
    if name == "experience":
        assert "age - school, up to a constant" in paucal.prepare(frame[["school", "age", name]]).leave_out[name]


def test_a_computed_column_is_kept_if_one_says_what_it_is(people, tmp_path):
    frame = people.assign(bmi=(people["weight"] / people["height"] ** 2).round(1))
    how = paucal.prepare(frame)
    assert how.leave_out == {"bmi": "is computed from height, weight: weight / height^2, up to a constant and rounding"}
    kept = paucal.prepare(frame, kinds={"bmi": "number"})
    assert not kept.leave_out
    assert "Computed from other columns, or nearly copies of them: bmi (height, weight)" in str(kept)
    frame.to_csv(tmp_path / "t.csv", index=False)
    shown = CliRunner().invoke(cli, ["inspect", str(tmp_path / "t.csv")]).output
    assert "bmi is left out unless you say what it is (kinds=, --number, --levels)" in shown
    shown = CliRunner().invoke(cli, ["prepare", str(tmp_path / "t.csv"), "--number", "bmi"]).output
    assert "Left out" not in shown


def test_totals_of_many_columns(people):
    rng = np.random.default_rng(1)
    items = {f"q{i}": rng.integers(1, 6, N) for i in range(8)}
    of = list(items.values())
    mixed = {"q0": of[0], **people, **{f"q{i}": of[i] for i in range(1, 8)}}
    names = [f"q{i}" for i in range(8)]
    for total in (sum(of), np.mean(of, axis=0).round(2), 6 - of[0] + sum(of[1:])):
        frame = pd.DataFrame({**mixed, "scale": total})
        assert {(one[0], frozenset(one[1:])) for one in found(frame)} == {("scale", frozenset(names))}
        assert list(paucal.prepare(frame).leave_out) == ["scale"]
    assert [one[0] for one in found(pd.DataFrame({"scale": sum(of), **mixed}))] == ["scale"]


@pytest.mark.parametrize(
    "make", [lambda x: np.log(x).round(2), lambda x: (x * 2.2046).round(), lambda x: (100 / x).round(2)]
)
def test_the_same_on_another_scale(people, make):
    frame = people.assign(other=make(people["weight"]))
    assert found(frame) == {("other", "weight")}
    assert list(paucal.prepare(frame).leave_out) == ["other"]
    assert list(paucal.prepare(frame, kinds={"other": "number"}).leave_out) == ["weight"]


def test_two_measurements_of_one_thing_are_not_the_same(people):
    rng = np.random.default_rng(1)
    assert not found(people.assign(again=(people["weight"] + rng.normal(0, 0.4, N)).round(1)))


def test_a_cut_before_rounding(people):
    exact = np.random.default_rng(3).normal(26, 4, N)
    values, counts = np.unique(exact.round(1), return_counts=True)
    limit = exact[exact.round(1) == values[counts.argmax()]].min()  # others in the same rounded value are above it
    frame = people.assign(bmi=exact.round(1), obese=exact > limit)
    assert found(frame) == {("obese", "bmi")}
    assert list(paucal.prepare(frame).leave_out) == ["obese"]
    frame.loc[frame["bmi"].idxmax(), "obese"] = False  # no rounding does that
    assert not found(frame)
    spent = np.where(exact > 24, exact.round(1), 0)
    card = (spent > 0) | (np.arange(N) % 60 == 0)  # some who have one spend nothing
    assert not found(people.assign(spent=spent, card=card))


def test_levels_that_agree_where_both_are_known(people):
    rng = np.random.default_rng(2)
    region = rng.choice(["n", "e", "s"], N)
    copy = pd.Series(region).map({"n": "north", "e": "east", "s": "south"})
    gappy = copy.where(rng.random(N) > 0.2)
    frame = people.assign(gappy=gappy, region=region)
    assert found(frame) == {("gappy", "region")}
    assert list(paucal.prepare(frame).leave_out) == ["gappy"]
    assert "says the same as region in all" in paucal.prepare(frame).leave_out["gappy"]
    copy[[7, 90]] = "east"
    frame = people.assign(region=region, copy=copy)
    assert found(frame, "near copy") == {("copy", "region")}  # it may be nature
    assert not paucal.prepare(frame).leave_out
    assert "nearly copies of them: copy (region)" in str(paucal.prepare(frame))


@pytest.mark.parametrize("name", ["pweight", "wt", "survey_weight", "weights", "final.weight"])
def test_weights_of_a_survey(people, name):
    rng = np.random.default_rng(3)
    drawn = rng.gamma(4, 0.25, N)
    frame = people.assign(**{name: (drawn / drawn.mean()).round(4)})
    assert found(frame) == {(name,)}
    assert paucal.prepare(frame).leave_out == {name: "looks like the weights of a survey"}
    assert name not in paucal.prepare(frame, kinds={name: "number"}).leave_out
    assert not found(people)  # kilograms
    assert not found(people.rename(columns={"score": name}))  # below zero


def test_a_follow_up(people):
    rng = np.random.default_rng(3)
    frame = people.assign(futime=rng.integers(1, 3000, N), status=rng.integers(0, 2, N))
    assert found(frame) == {("futime", "status")}
    assert list(paucal.prepare(frame).leave_out) == ["futime"]
    assert "needs methods for survival times" in str(paucal.inspect(frame))
    with pytest.warns(PreparationWarning, match="futime says how long, status whether .*; futime is left out, since"):
        paucal.learn(frame, search="pc")
    assert "Maybe a follow-up: futime says" in str(paucal.prepare(frame))  # no capital letter for the column
    assert "follow-up" not in paucal.prepare(frame, kinds={"futime": "number"}).why
    jobs = np.where(frame["status"] == 1, "employed", "unemployed")
    assert not found(people.assign(time=frame["futime"], status=jobs))
    for what in ("HIV.status", "smoking_status", "marital status"):
        assert not found(frame.rename(columns={"futime": "weeks", "status": what}))
    assert found(frame.rename(columns={"status": "vital_status"})) == {("futime", "vital_status")}
    two = frame.rename(columns={"futime": "stime"}).assign(**{"diag.time": rng.integers(1, 90, N)})
    assert found(two) == {("stime", "status")}


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_not_computed(seed):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(N, 1))
    numbers = common + 0.3 * rng.normal(size=(N, 12))  # all pairs correlate by .9
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(12)])
    for i in range(6):
        frame[f"a{i}"] = np.where(rng.random(N) < 0.9, common[:, 0] > 0, rng.random(N) < 0.5)
    assert not found(frame)


def test_wide_tables_are_not_searched():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, MOST_COLUMNS)).round(2)).rename(columns=str)
    frame["sum"] = frame["0"] * frame["1"]
    assert not found(frame)
    assert f"up to {MOST_COLUMNS} columns of numbers, and there are {MOST_COLUMNS + 1}" in str(paucal.inspect(frame))


def test_a_column_with_many_gaps_is_kept_if_one_says_what_it_is(people, tmp_path):
    rng = np.random.default_rng(4)
    ward = pd.Series(rng.choice(["a", "b"], N)).where(rng.random(N) < 0.3)
    frame = people.assign(ward=ward)
    assert list(paucal.prepare(frame).leave_out) == ["ward"]
    assert "It is left out unless you say what it is (kinds=, --number, --levels)" in str(paucal.inspect(frame))
    assert not paucal.prepare(frame, kinds={"ward": "levels"}).leave_out
    frame.to_csv(tmp_path / "t.csv", index=False)
    learned = CliRunner().invoke(cli, ["learn", str(tmp_path / "t.csv"), "--search", "pc"])
    assert "--number or --levels keeps a column that is left out" in learned.stderr
    assert "5 nodes" in learned.stdout
    learned = CliRunner().invoke(cli, ["learn", str(tmp_path / "t.csv"), "--search", "pc", "--levels", "ward"])
    assert "6 nodes" in learned.stdout


def test_the_year_is_kept_of_what_says_the_same():
    rng = np.random.default_rng(0)
    year = rng.integers(1982, 1989, N)
    frame = pd.DataFrame({"unemployment": np.array([9.7, 9.6, 7.5, 7.2, 7.0, 6.2, 5.5])[year - 1982], "year": year})
    assert list(paucal.prepare(frame.assign(x=rng.integers(0, 2, N))).leave_out) == ["unemployment"]


def test_numbers_of_rows_with_fractions_are_names():
    rng = np.random.default_rng(0)
    names = [float(f"1978.{i}") for i in range(N)]  # 1978.1 and 1978.10 are one number
    frame = pd.DataFrame({"rownames": names, "x": rng.integers(0, 2, N)})
    assert list(paucal.prepare(frame).leave_out) == ["rownames"]
    assert not paucal.prepare(frame, kinds={"rownames": "number"}).leave_out
    assert not paucal.prepare(frame.rename(columns={"rownames": "dose"})).leave_out


def test_a_table_of_counts(people):
    cells = [(a, b, c) for a in ("yes", "no") for b in ("yes", "no") for c in ("f", "m", "x")]
    frame = pd.DataFrame(cells, columns=["smoke", "cough", "sex"]).assign(Freq=[3, 9, 0, 40, 7, 7, 1, 88, 2, 5, 6, 10])
    assert found(frame, "row counts?") == {("Freq", "smoke", "cough", "sex")}
    assert "Freq seems to say how many rows each row stands for" in str(paucal.prepare(frame))
    assert not found(frame.rename(columns={"Freq": "score"}), "row counts?")
    assert not found(people.assign(n=people["age"]), "row counts?")
    assert not found(pd.concat([frame, frame]), "row counts?")  # no combination occurs once
    counted = paucal.inspect(frame, weights="Freq")
    assert counted.n_rows == 178


@pytest.mark.parametrize("odd", [np.inf, -np.inf, 1e300, 1e-300, 10**400, -1e308])
def test_numbers_without_measure(people, odd):
    frame = people.assign(weight=people["score"], wt=people["weight"]).astype({"wt": object})
    frame.loc[3, "wt"] = odd
    frame["obese"] = people["weight"] > 80
    assert not {one for one in found(frame) if "wt" in one}


def test_a_last_row_that_sums_up(people):
    frame = people.assign(town=["north", "south"] * (N // 2))
    assert not found(frame, "total row?")
    frame.loc[N] = [0, 0, frame["age"].sum(), 0, 0, "Total"]
    assert found(frame, "total row?") == {("town",)}
    assert "only the last row is called 'Total'; if it sums the others up, delete it" in str(paucal.prepare(frame))
    assert not found(frame.iloc[::-1], "total row?")


def test_a_last_row_that_is_a_note(people):
    frame = people.assign(town=["north", "south"] * (N // 2))
    assert not found(frame, "note row?")
    frame.loc[N] = [None, None, None, None, None, "Source: registry of towns"]
    assert found(frame, "note row?") == {("town",)}
    assert "the last row has no other value than 'Source: registry of towns'; if so, delete" in str(
        paucal.prepare(frame)
    )
    assert not found(frame.iloc[::-1], "note row?")


def test_codes_with_letters_are_no_numbers(people):
    person = np.repeat(np.array([str(100 + i) for i in range(N // 4)], object), 4)
    person[:16] = np.repeat(["207a", "207b", "208a", "208b"], 4)
    how = paucal.prepare(people.assign(subject=person))
    assert list(how.leave_out) == ["subject"]
    assert not how.no_answer
    months = np.random.default_rng(0).integers(20, 400, N).astype(str).astype(object)
    months[:16] = "18m"  # one letter is a unit
    assert "age" in paucal.prepare(people.assign(age=months)).no_answer
