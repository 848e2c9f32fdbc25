"""Columns as people write them: numbers with words among them, levels in several spellings, answers that are none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import paucal
from paucal import Dataset
from paucal.cli import cli
from paucal.data.encode import encode_objects
from paucal.errors import DataError
from paucal.inspection.answers import is_no_answer, no_answers
from paucal.inspection.spelling import spellings

N = 200


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def found_in(table, kind):
    return [one.what for one in paucal.inspect(table).findings if one.kind == kind]


def data_of(table):
    return Dataset.of(table, **paucal.prepare(table).said)


@pytest.mark.parametrize(
    "word",
    [
        *("Refused", "Don't know", "Don’t know", "DK/NA", "NA_NA", "N/A - not asked", "Prefer not to say", "missing"),
        *("unknown", ".", "-", "-9 = no answer", "9: Refused", "refused (9)", "Don't know / refused", "'NA'", "<NA>"),
        *("(missing)", "[no answer]", "99) not stated"),
    ],
)
def test_no_answers(word):
    assert is_no_answer(word)
    column = encode_objects("q", ["often", "never", word, "sometimes"] * 5)
    assert no_answers(column).clear == (word,)
    assert found_in({"q": ["often", "never", word, "sometimes"] * 15, "x": [1, 2] * 30}, "no answer")


@pytest.mark.parametrize(
    "word", ["none", "not applicable", "no", "0 - none", "not sure - maybe", "Nathan", "9", "unknown to me"]
)
def test_answers(word):
    assert not is_no_answer(word)


@pytest.mark.parametrize("odd", ["<0.1", "12 kg", "none", "see note", "007"])
def test_a_number_but_for_a_few_words(rng, odd):
    values = [f"{x:.2f}" for x in rng.normal(5, 1, N)]
    values[3] = values[77] = odd
    values[50] = "n/a"
    table = {"lab": values, "sex": ["f", "m"] * (N // 2)}
    how = paucal.prepare(table)
    assert how.kinds["lab"] == "number"
    assert set(how.no_answer["lab"]) == {odd, "n/a"}
    (what,) = found_in(table, "no number")
    assert what == f"lab: numbers, except for {odd!r} (2 rows)."
    assert f"entries that are not numbers made missing: lab ({odd!r} (2 rows))" in str(paucal.inspect(table))
    data = data_of(table)
    assert (data.kinds[0], data.gap_counts[0]) == ("number", 3)
    assert all(isinstance(level, float) for level in data.levels[0])


@pytest.mark.parametrize(
    ("written", "odd"),
    [
        (lambda x: f"{x:.1f}".replace(".", ","), "<0,1"),
        (lambda x: f"{x:.2f}".replace(".", ","), "12 kg"),
        (lambda x: f"{1000 * x:,.2f}".translate(str.maketrans(",.", ".,")), "<0,1"),
        (lambda x: f"{1000 * x:,.2f}", "<0.1"),
        (lambda x: f"{1000 * x:,.2f}".translate(str.maketrans(",.", " ,")), "see note"),
    ],
)
def test_a_number_but_for_a_few_words_in_every_country(tmp_path, rng, written, odd):
    values = [written(x) for x in rng.normal(5, 1, N)]
    values[3] = values[77] = odd
    table = {"lab": values, "sex": ["f", "m"] * (N // 2)}
    assert found_in(table, "no number") == [f"lab: numbers, except for {odd!r} (2 rows)."]
    data = data_of(table)
    assert (data.kinds[0], data.gap_counts[0]) == ("number", 2)
    assert all(isinstance(level, float) for level in data.levels[0])
    pd.DataFrame(table).to_csv(tmp_path / "lab.csv", index=False, sep=";")
    assert "lab ('" + odd in str(paucal.inspect(tmp_path / "lab.csv"))


def test_thousands_or_decimals_among_words_are_not_guessed(rng):
    values = [f"{x:,}" for x in rng.integers(1000, 9999, N)]
    table = {"cases": [*values[2:], "<5", "<5"], "sex": ["f", "m"] * (N // 2)}
    assert found_in(table, "no number") == []
    assert paucal.prepare(table).kinds.get("cases") != "number"


def test_many_words_make_no_number(rng):
    values = [f"{x:.2f}" if i % 3 else f"word{i % 7}" for i, x in enumerate(rng.normal(5, 1, N))]
    how = paucal.prepare({"lab": values, "sex": ["f", "m"] * (N // 2)})
    assert how.kinds.get("lab") != "number"
    how = paucal.prepare({"few": ["1", "2", "3", "none"] * 50, "sex": ["f", "m"] * (N // 2)})
    assert (dict(how.no_answer), how.kinds.get("few")) == ({}, None)


def test_codes_with_a_leading_zero_make_no_number(rng):
    towns = [f"{x:05}" for x in rng.integers(1000, 99999, 60)]  # about one in eleven has a leading zero
    table = {"zip": rng.choice(towns, N).tolist(), "sex": ["f", "m"] * (N // 2)}
    how = paucal.prepare(table)
    assert how.kinds.get("zip") != "number"
    assert dict(how.no_answer) == {}
    assert found_in(table, "no number") == []


def test_thousands_among_numbers(rng):
    values = [f"{x:.2f}" for x in rng.normal(5, 1, N - 1)]
    data = data_of({"lab": [*values, "1,200"], "sex": ["f", "m"] * (N // 2)})
    assert data.levels[0][-1] == 1200


def test_a_number_in_a_file(tmp_path, rng):
    path = tmp_path / "lab.csv"
    values = [f"{x:.2f}" for x in rng.normal(5, 1, N)]
    values[5] = "<0.1"
    pd.DataFrame({"lab": values, "x": rng.choice(["a", "b"], N)}).to_csv(path, index=False)
    done = CliRunner().invoke(cli, ["learn", str(path)])
    assert done.exit_code == 0
    assert "entries that are not numbers made missing: lab ('<0.1' (1 row))" in done.output


@pytest.mark.parametrize(
    ("levels", "merged"),
    [
        (["Yes", "yes", "yes", "YES ", "no"], {"yes": ("YES ", "Yes", "yes")}),
        (["No", "no", "no", "yes"], {"no": ("No", "no")}),
        (["'yes'", "'no'"], {"no": ("'no'",), "yes": ("'yes'",)}),
        (["x\u00a0y", "x y", "x y", "z"], {"x y": ("x y", "x\u00a0y")}),
        (["\ufeffmale", "male", "male", "female"], {"male": ("male", "\ufeffmale")}),
        (["a", "b", "c"], {}),
    ],
)
def test_spellings(levels, merged):
    column = encode_objects("q", levels * 20)
    assert spellings(column).merge == merged
    table = {"q": levels * 20, "x": ([1, 2] * 10 * len(levels))}
    assert dict(paucal.prepare(table).merge) == ({"q": merged} if merged else {})
    assert len(found_in(table, "spelling")) == bool(merged)
    rest = [level for level in levels if level not in {m for of in merged.values() for m in of}]
    assert set(data_of(table).levels[0]) == {*merged, *rest}


def test_capital_letters_of_codes_are_only_pointed_out():
    table = {"gene": ["AA", "Aa", "aa"] * 20, "x": [1, 2] * 30}
    assert paucal.prepare(table).merge == {}
    assert found_in(table, "spelling?") == ["gene: 'AA' and 'Aa' and 'aa' differ in capital letters only."]


def test_rare_levels_with_spellings(rng):
    towns = [f"town {i}" for i in range(30) for _ in range(10)] + ["Rome", "rome", "Oslo", "Bern"]
    table = {"town": towns, "x": rng.choice(["a", "b"], len(towns)).tolist()}
    assert paucal.prepare(table).merge == {"town": {"other": ("Bern", "Oslo", "Rome", "rome")}}
    assert data_of(table).cardinalities[0] == 31


def test_quoted_numbers(rng):
    table = {"age": [f"'{x}'" for x in rng.integers(18, 80, N)], "sex": ["f", "m"] * (N // 2)}
    data = data_of(table)
    assert data.kinds[0] == "number"
    assert isinstance(data.levels[0][0], int)


def test_a_mark_at_the_beginning_of_a_file(tmp_path):
    path = tmp_path / "marked.csv"
    path.write_bytes("\ufeffsmoke,age\nyes,1\nno,2\n".encode())
    assert paucal.read(str(path)).names == ("smoke", "age")


@pytest.mark.parametrize("odd", [np.inf, -np.inf])
def test_infinite_numbers_are_pointed_out_and_can_be_made_missing(rng, odd):
    values = rng.normal(5, 1, N)
    values[[3, 77]] = odd
    table = {"log": values, "sex": ["f", "m"] * (N // 2)}
    assert found_in(table, "infinite") == [f"log: {odd} is no measurement; it may come from dividing by 0."]
    data = Dataset.of(table, no_answer={"log": [odd]}, missing="keep")
    assert (data.kinds[0], data.gap_counts[0]) == ("number", 2)
    assert np.isfinite(data.levels[0]).all()


@pytest.mark.parametrize("start", [9 * 10**17, 10**30])
def test_numbers_too_long_for_measurements(rng, start):
    long = [start + int(x) for x in rng.integers(0, 150, N)]
    table = {"account": long, "sex": ["f", "m"] * (N // 2)}
    assert "too long for measurements, like codes" in paucal.prepare(table).leave_out["account"]
    with pytest.raises(DataError, match=r"'account' is said to be a number, and floating point cannot tell .* from"):
        paucal.learn(paucal.Dataset.of(table, kinds={"account": "number"}))
    assert paucal.prepare({"x": [float(x) for x in long], "sex": table["sex"]}).leave_out.get("x") is None


def test_one_row_is_one_row():
    assert "1 rows" not in str(paucal.inspect({"a": [1], "b": [2]}))


def test_errors_of_spreadsheets_are_no_answers():
    table = {"x": ["u", "v", "#DIV/0!", "u", "#REF!"] * 10, "y": ["a", "b"] * 25}
    assert set(paucal.prepare(table).no_answer["x"]) == {"#DIV/0!", "#REF!"}


@pytest.mark.parametrize("values", [[b"yes", b"no"], [b"1", b"2"], [f"p{i}".encode() for i in range(60)]])
def test_bytes_are_described_and_learned_from(rng, values):
    table = {"a": (values * 60)[:60], "b": rng.integers(0, 2, 60), "c": rng.integers(0, 2, 60)}
    assert paucal.inspect(table).columns[0].observed == len(values)
    assert paucal.prepare(table).merge == {}
    assert set(data_of(table).names) >= {"b", "c"}


@pytest.mark.parametrize("kinds", [{}, {"crp": "number"}])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_values_below_a_limit_of_detection(share, kinds):
    """However many they are the column is a number, and they are told to be low, not missing by chance."""
    values = np.exp(np.random.default_rng(1).normal(size=200)).round(2)
    limit = np.quantile(values, share).round(2)
    told = [f"<{limit}" if value < limit else str(value) for value in values.tolist()]
    table = {"crp": told, "y": values[::-1].tolist()}
    proposal = paucal.prepare(table, kinds=kinds)
    assert Dataset.of(table, **{"missing": "keep"} | proposal.said).kinds == ("number", "number")
    assert proposal.no_answer["crp"] == (f"<{limit}",)
    finding = next(one for one in paucal.inspect(table, kinds=kinds).findings if one.kind == "no number")
    assert "known to be low or high, and not missing by chance" in finding.advice
