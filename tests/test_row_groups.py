"""Columns that name groups of rows are recognised, whatever the order of the rows; measurements are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import paucal


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def panel(rng, n_people=120):
    """People with two to nine visits each: the sex never changes, all else does."""
    times = rng.integers(2, 10, n_people)
    person = np.repeat(rng.choice(np.arange(1000, 9000, 7), n_people, replace=False), times)
    n = len(person)
    sex = np.repeat(rng.choice(["f", "m"], n_people), times)
    wave = np.concatenate([np.arange(1, k + 1) for k in times])
    table = {
        "person": person,
        "wave": wave,
        "sex": sex,
        "score": rng.normal(size=n),
        "smoke": rng.choice(["y", "n"], n),
    }
    return pd.DataFrame(table)


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("columns", [["person", "sex", "score", "smoke"], ["person", "wave", "score", "smoke"]])
def test_an_unbalanced_panel(rng, columns, as_text):
    frame = panel(rng)[columns].sample(frac=1, random_state=1)
    frame["person"] = [f"p{k}" for k in frame["person"]] if as_text and "wave" in columns else frame["person"]
    how = paucal.prepare(frame)
    assert list(how.leave_out) == ["person"]
    assert how.leave_out["person"].startswith("names groups of rows: 120 groups of 2 to 9 rows, ")
    assert how.why["rows"].startswith("each value of person occurs in 2 to 9 rows; if these are repeated measurements")
    kinds = {one.columns: one.kind for one in paucal.inspect(frame).findings}
    assert kinds[("person",)] == "groups"
    turned = paucal.prepare(frame.iloc[::-1, ::-1])
    assert dict(turned.leave_out) == dict(how.leave_out)


def test_whoever_says_what_it_is_keeps_it(rng):
    how = paucal.prepare(panel(rng), kinds={"person": "levels"})
    assert "person" not in how.leave_out


def test_measurements_of_people_are_no_groups(rng):
    frame = panel(rng)
    # how long each person was followed nearly tells the people apart, and is a number all the same
    follow = dict(zip(frame["person"].unique(), rng.integers(100, 4000, 120), strict=True))
    frame["followed"] = frame["person"].map(follow)
    how = paucal.prepare(frame.rename(columns={"person": "person_id"}))
    assert list(how.leave_out) == ["person_id"]
    assert how.kinds["followed"] == "number"


@pytest.mark.parametrize("seed", range(10))
def test_numbers_that_repeat_are_no_groups(seed):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, 400)
    frame = pd.DataFrame(
        {
            "age": age,
            "old": np.where(age > 60, "yes", "no"),
            "capped": np.minimum(age, 65),
            "squared": (age - 45) ** 2,
            "year": rng.integers(1990, 2020, 400),
            "income": rng.integers(10, 90, 400) * 100,
            "day": rng.integers(1, 8, 400),
            "town": rng.choice([f"town{i}" for i in range(25)], 400),
        }
    )
    frame["region"] = frame["town"].str[-1]
    found = {one.name: one.kind for one in paucal.inspect(frame).columns}
    assert "groups" not in found.values()


def test_years_are_no_names(rng):
    frame = pd.DataFrame(
        {"state": [f"s{i}" for i in range(30) for _ in range(25)], "year": list(range(1980, 2005)) * 30}
    )
    frame["rate"] = rng.normal(size=len(frame))
    assert list(paucal.prepare(frame).leave_out) == ["state"]


def test_round_amounts_are_no_codes(rng):
    salary = rng.integers(3000, 9900, 150) * 10
    assert paucal.prepare({"salary": salary.tolist(), "sex": ["f", "m"] * 75}).kinds["salary"] == "number"


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("ID", range(10)),
        ("subject", [f"S{i:02}" for i in range(10)]),
        ("Patient", range(101, 111)),
        ("participant_id", range(10)),
    ],
)
def test_people_of_a_small_trial(rng, name, ids):
    frame = pd.DataFrame({name: list(ids) * 2, "drug": ["a", "b"] * 10, "y": rng.normal(size=20)})
    how = paucal.prepare(frame)
    assert how.leave_out == {name: "names groups of rows: 10 groups of 2 rows, and called an id"}
    assert how.repeats == name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("subject", ["maths", "physics", "art", "music", "sport"] * 4),  # of teaching
        ("id", [1, 2, 3, 4] * 5),
        ("patient", ["in", "out"] * 10),
        ("arm_id", [1, 2, 3, 4, 5] * 4),
        ("number", [0, 1, 2, 3, 4, 5] * 5),
    ],
)
def test_few_values_are_no_people(rng, name, values):
    frame = pd.DataFrame({name: values, "y": rng.normal(size=len(values))})
    assert name not in paucal.prepare(frame).leave_out


@pytest.mark.parametrize("name", ["Day", "week", "visit_month", "hour"])
def test_days_of_a_month_are_no_groups(rng, name):
    frame = pd.DataFrame({name: np.tile(np.arange(1, 32), 5), "ozone": rng.normal(size=155)})
    assert paucal.prepare(frame).leave_out == {}
    assert list(paucal.prepare(frame.rename(columns={name: "pair"})).leave_out) == ["pair"]
