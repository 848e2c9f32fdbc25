"""Columns that are parts of a whole: one answer in several 0/1 columns, and shares that add up to a constant."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import paucal

N = 120
COLOURS = ("red", "green", "blue", "black")


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def wholes(table):
    return {one.columns: one.what for one in paucal.inspect(table).findings if one.kind in ("one-hot", "shares")}


def dummies(rng, n=N, colours=COLOURS):
    colour = pd.Series(rng.choice(colours, n))
    return {name: (colour == name).astype(int) for name in colours}


@pytest.mark.parametrize("colours", [COLOURS[:3], COLOURS])
@pytest.mark.parametrize("kind", [int, bool, float])
def test_one_answer_in_several_columns(rng, colours, kind):
    table = pd.DataFrame({"sick": rng.choice(["yes", "no"], N), **dummies(rng, colours=colours)})
    table = table.astype(dict.fromkeys(colours, kind))
    table.insert(3, "age", rng.integers(20, 80, N))  # other kinds of columns may stand between them
    said = f"{', '.join(colours)}: exactly one of these {len(colours)} columns is 1 in each row; they are one answer."
    assert wholes(table) == {colours: said}
    assert not [one for one in paucal.inspect(table).findings if one.kind == "function"]
    assert "one is 1 in each row: red, green, blue" in str(paucal.prepare(table))


def test_two_answers_and_other_columns_of_zero_and_one(rng):
    first, second = dummies(rng), {f"to {name}": one for name, one in dummies(rng).items()}
    smoke = rng.integers(0, 2, N)
    table = {"smoke": smoke, **first, **second, "drink": rng.integers(0, 2, N)}
    assert set(wholes(table)) == {tuple(first), tuple(second)}
    assert wholes({**first, "other": rng.integers(0, 2, N)}).keys() == {tuple(first)}
    twice = {"smoke": smoke, "no smoke": 1 - smoke, "a": first["red"], "not a": 1 - first["red"]}
    assert wholes(twice) == {}


def test_an_exception_or_a_choice_of_several_is_no_whole(rng):
    table = dummies(rng)
    table["red"] = table["red"].where(np.arange(N) != 7, 1 - table["red"])
    assert wholes(table) == {}
    assert wholes({name: rng.integers(0, 2, N) for name in COLOURS}) == {}


def test_rows_without_an_answer_say_nothing(rng):
    table = pd.DataFrame(dummies(rng)).astype(float)
    table.loc[3:9, :] = np.nan
    table.loc[20, "red"] = np.nan
    assert set(wholes(table)) == {COLOURS}


@pytest.mark.parametrize(("total", "digits"), [(100, 0), (100, 1), (1, 2), (1, 3), (100, 12), (24, 12)])
@pytest.mark.parametrize("n", [3, 4, 6])
def test_shares(rng, total, digits, n):
    shares = np.round(rng.dirichlet(np.ones(n), N) * total, digits)
    names = [f"p{i}" for i in range(n)]
    table = pd.DataFrame(shares, columns=names).assign(sick=rng.choice(["yes", "no"], N))
    rounded = ", but for rounding" if digits < 12 else ""
    assert wholes(table) == {
        tuple(names): f"{', '.join(names)}: these {n} columns add up to {total} in each row{rounded}."
    }
    assert set(paucal.prepare(table).leave_out) == {names[-1]}
    assert paucal.prepare(table, kinds={names[-1]: "number"}).leave_out == {}


def test_numbers_that_only_seem_to_be_shares(rng):
    marks = {f"q{i}": rng.integers(0, 60, N) for i in range(5)}
    assert wholes(marks) == {}
    assert wholes({f"x{i}": np.round(rng.normal(25, 1, N), 0) for i in range(4)}) == {}
    assert wholes({f"r{i}": rng.integers(1, 6, N) for i in range(4)}) == {}


@pytest.mark.parametrize("seed", range(20))
def test_chance_makes_no_whole(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    assert wholes({f"c{i}": rng.random(n) < rng.choice([0.05, 0.2, 0.5]) for i in range(12)}) == {}


def test_no_effect_among_parts_of_a_whole(rng):
    table = {**dummies(rng), "sick": rng.choice(["yes", "no"], N)}
    data = paucal.Dataset.of(table)
    result = paucal.learn(data, search="posterior")
    said = str(result.effect("red", "green", data=data))
    assert said.startswith(
        "red, green, blue, black: exactly one of these 4 columns is 1 in each row; they are one answer"
    )
    assert "so this is not an effect of one on the other" in said.splitlines()[0]
    assert "ask again without green, blue, black" in str(result.effect("red", "sick", data=data))
