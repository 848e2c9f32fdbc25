"""What is found in columns and between them, and that chance is never taken for a relation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal.data.encode import encode_objects
from paucal.data.scales import natural_order
from paucal.inspection.answers import no_answers
from paucal.inspection.describe import examine
from paucal.inspection.relations import decides, relations
from paucal.inspection.sums import sums

N = 300


def columns_of(table):
    return [examine(name, encode_objects(name, list(values))) for name, values in table.items()]


def found_in(table):
    return {(one.kind, one.columns) for one in relations(columns_of(table))}


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def table(rng):
    weight = rng.normal(3000, 500, N).round().astype(int)
    return {
        "weight": weight.tolist(),
        "sex": rng.choice(["f", "m"], N).tolist(),
        "smoke": rng.choice(["no", "yes"], N, p=[0.7, 0.3]).tolist(),
        "town": rng.choice(list("abcdef"), N).tolist(),
        "x": rng.integers(0, 40, N).tolist(),
        "y": rng.integers(0, 60, N).tolist(),
    }


def test_nothing_is_found_where_nothing_is(table):
    assert found_in(table) == set()
    assert list(sums(columns_of(table))) == []


def test_copies_recodings_and_functions(table):
    female = [1 if s == "f" else 0 for s in table["sex"]]
    pounds = [w / 453.6 for w in table["weight"]]
    low = [int(w < 2500) for w in table["weight"]]
    region = ["north" if t in "abc" else "south" for t in table["town"]]
    found = found_in(table | {"again": table["town"], "female": female, "pounds": pounds, "low": low, "region": region})
    assert found == {
        ("copy", ("again", "town")),
        ("recoding", ("female", "sex")),
        ("recoding", ("pounds", "weight")),
        ("coarser copy", ("low", "weight")),
        ("function", ("region", "town")),
    }
    falling = {"weight": table["weight"], "minus": [-w for w in table["weight"]]}
    assert found_in(falling) == {("recoding", ("minus", "weight"))}


def test_a_relation_must_hold_in_every_row(table):
    low = [int(w < 2500) for w in table["weight"]]
    region = ["north" if t in "abc" else "south" for t in table["town"]]
    region[17] = "north" if region[17] == "south" else "south"
    low[23] = 1 - low[23]
    assert found_in(table | {"low": low, "region": region}) == set()


def test_functions_of_two_columns(table):
    both = [f"{s == 'f' and k == 'yes'}" for s, k in zip(table["sex"], table["smoke"], strict=True)]
    assert found_in(table | {"both": both}) == {("function of two", ("both", "sex", "smoke"))}


def test_skipped_questions(table, rng):
    packs = [None if s == "no" else int(rng.integers(1, 4)) for s in table["smoke"]]
    told = paucal.inspect(table | {"packs": packs}).findings
    skip = next(one for one in told if one.kind == "skip")
    assert skip.columns == ("packs", "smoke")
    assert "missing exactly where smoke is no" in skip.what
    packs[table["smoke"].index("yes")] = None
    assert not any(one.kind == "skip" for one in paucal.inspect(table | {"packs": packs}).findings)


def test_sums(table, rng):
    items = {f"q{i}": rng.integers(0, 5, N).tolist() for i in range(5)}
    total = np.sum(list(items.values()), axis=0).tolist()
    x_y = (np.array(table["x"]) + table["y"]).tolist()
    found = dict(sums(columns_of({"x": table["x"], "y": table["y"], "x_y": x_y, **items, "total": total})))
    assert found == {"x_y": ("x", "y"), "total": ("q0", "q1", "q2", "q3", "q4")}
    total[5] += 1
    assert list(sums(columns_of({**items, "total": total}))) == []


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=30))
def test_deciding_equals_its_definition(rows):
    x, y = np.array(rows).T
    plain = all(len({b for a, b in rows if a == value}) == 1 for value in x.tolist())
    assert decides(x, y, 5) == plain


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 60))
def test_small_tables_of_noise_have_no_relations(seed, n):
    rng = np.random.default_rng(seed)
    noise = {f"c{i}": rng.integers(0, k, n).tolist() for i, k in enumerate((2, 2, 3, 4, 30, 30))}
    assert found_in(noise) == set()


ANSWERS = {
    "codes far out": ([1, 2, 3, 4, 5, 9, 9], (9,), ()),
    "two codes": ([1, 2, 3, 4, 5, 8, 8, 9, 9], (8, 9), ()),
    "a code that occurs once": ([1, 2, 3, 4, 5, 9], (), (9,)),
    "counts": ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], (), ()),
    "ages and 999": ([*range(18, 60), 999, 999], (999,), ()),
    "ages and 99": ([*range(18, 91), 99, 99], (), (99,)),
    "below zero": ([0, 1, 2, 3, -9, -9, -8, -8], (-9, -8), ()),
    "differences": ([-9, -9, -3, 0, 2, 5], (), ()),
    "two values": ([1, 9, 1, 9], (), ()),
    "words": (
        ["yes", "Don't know", "REFUSED", "no", "Prefer not to say"],
        ("Don't know", "Prefer not to say", "REFUSED"),
        (),
    ),
    "none is an answer": (["none", "not applicable", "beer"], (), ()),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_values_that_stand_for_no_answer(name):
    values, clear, suspected = ANSWERS[name]
    found = no_answers(encode_objects("x", values))
    assert (found.clear, found.suspected) == (clear, suspected)


@pytest.mark.parametrize(
    ("levels", "order"),
    [
        (["Strongly agree", "disagree", "Neutral"], ("disagree", "Neutral", "Strongly agree")),
        (["25-34", "18-24", "under 18", "65+"], ("under 18", "18-24", "25-34", "65+")),
        (["$10,000 - 19,999", "< $10,000", "over 20,000"], ("< $10,000", "$10,000 - 19,999", "over 20,000")),
        (["red", "green", "blue"], None),
        (["low", "high"], None),
        (["low", "high", "blue"], None),
    ],
)
def test_scales_are_known(levels, order):
    assert natural_order(encode_objects("x", levels)) == order


def test_describing_never_refuses():
    odd = {
        "empty": [None] * 40,
        "constant": ["x"] * 40,
        "floats": [i / 7 for i in range(40)],
        "infinite": [float("inf"), 1.5] * 20,
        "gaps": [None, 1, 2, None] * 10,
        "ids": [f"p{i}" for i in range(40)],
    }
    found = paucal.inspect(odd)
    assert [c.kind for c in found.columns] == ["empty", "constant", "number", "number", "category", "identifier"]
    assert found.n_rows == 40
    assert {one.kind for one in found.findings} >= {"empty", "constant", "identifier"}
    for face in (found.to_dict(), found._repr_html_()):
        assert "names the rows" in str(face)
    nothing = paucal.inspect({"ids": odd["ids"]})
    assert nothing.sufficiency == () and "No column is left to learn from" in nothing.refusal
    assert paucal.inspect({"a": []}).refusal == "The table has no rows."


def test_a_data_set_is_described_as_it_is():
    data = paucal.load_network("asia").sample(300, seed=1)
    found = paucal.inspect(data)
    assert found.proposal is None
    assert {c.kind for c in found.columns} == {"yes/no"}
    assert len(found.sufficiency) == 4


def test_every_finding_says_what_it_does_and_what_to_do(table):
    told = paucal.inspect(table | {"id": [f"p{i}" for i in range(N)], "low": [int(w < 2500) for w in table["weight"]]})
    assert {one.kind for one in told.findings} == {"identifier", "coarser copy"}
    for one in told.findings:
        assert all(text.endswith(".") for text in (one.what, one.effect, one.advice))
        assert str(one) == f"{one.what} {one.effect} {one.advice}"


def test_a_limit_is_a_short_number_between_two_values(table):
    table = table | {"low": [int(w < 2500) for w in table["weight"]]}
    (found,) = [one for one in relations(columns_of(table)) if one.kind == "coarser copy"]
    assert found.detail == "low = 1 below weight = 2500, 0 from 2500 on"


def test_a_count_of_eight_is_an_answer():
    column = encode_objects("password", [0] * 40 + [1] * 5 + [8] * 2)
    assert no_answers(column).clear == ()
    assert no_answers(encode_objects("q", [1, 2, 3, 4, 5, 8, 8, 9, 9])).clear == (8, 9)
    assert no_answers(encode_objects("dose", [0.5, 1.0, 1.5, 2.0, 9.0, 9.0])) == ((), ())


def test_names_of_pairs_do_not_become_one_level(rng):
    couple = [f"N{i // 2}A{i % 3}" for i in range(N)]
    proposal = paucal.prepare({"couple": rng.permutation(couple * 2)[:N].tolist(), "sex": ["f", "m"] * (N // 2)})
    assert "nearly names the rows" in proposal.leave_out["couple"] and not proposal.merge


def test_what_is_mostly_gaps_replaces_nothing(rng):
    attempts = rng.choice([1, 2], N, p=[0.9, 0.1])
    second = [None if n == 1 else "failed" for n in attempts]
    age = rng.integers(20, 80, N).tolist()
    found = paucal.inspect({"second": second, "attempts": attempts.tolist(), "age": age})
    assert set(found.proposal.leave_out) == {"second"}
    assert not [one for one in found.findings if one.kind in ("recoding", "function")]


def test_skipping_answers_are_counted_not_listed(rng):
    status = rng.choice(list("abcdefgh"), N)
    wind = [None if s in "abcdef" else int(rng.integers(0, 50)) for s in status]
    (found,) = [one for one in relations(columns_of({"wind": wind, "status": status.tolist()})) if one.kind == "skip"]
    assert found.detail == "a or b or c or one of 3 others"


def test_the_same_of_several_columns_is_told_once(rng):
    table = {f"id{i}": rng.permutation(N).tolist() for i in range(3)} | {"q": [1, 2, 3] * (N // 3)}
    told = str(paucal.inspect(table))
    assert told.startswith("300 rows, 4 columns\nid0  identifier")
    assert told.count("names the rows (") == 1 and "id0, id1, id2, each: names the rows" in told
    assert "* q: whole numbers with few values" in told and "--ordered)." in told


def test_measurements_without_repeats_are_recodings_of_each_other():
    rng = np.random.default_rng(3)
    grams = rng.normal(3000, 500, 200)
    assert found_in({"grams": grams.tolist(), "pounds": (grams / 453.6).tolist()}) == {
        ("recoding", ("pounds", "grams"))
    }
    assert found_in({"grams": grams.tolist(), "other": rng.permutation(grams).tolist()}) == set()


def test_other_cuts_of_the_number_behind_a_target_are_left_out():
    rng = np.random.default_rng(4)
    smoke = rng.integers(0, 2, 400)
    weight = np.round(rng.normal(3000, 500, 400) - 400 * smoke)
    table = {"smoke": smoke, "weight": weight, "low": weight < 2500, "lowest": weight < 2000, "pounds": weight / 453.6}
    with pytest.warns(paucal.errors.PreparationWarning, match="left out: weight, pounds, lowest"):
        found = paucal.blanket(table, "low")
    assert found.mb == ("smoke",)


def test_a_copy_of_a_copy_is_one_of_the_column_that_is_kept(rng):
    year = rng.integers(0, 7, 200)
    rate, share = (
        np.array([6.1, 5.5, 7.2, 9.6, 9.7, 5.3, 7.0])[year],
        np.array([61.1, 62, 59.9, 57.8, 57.9, 63, 60])[year],
    )
    table = {"wave": year, "rate": rate, "share": share}
    found = {one.columns: one for one in paucal.inspect(table).findings if one.kind == "recoding"}
    assert list(found) == [("rate", "wave"), ("share", "wave")]
    assert all(one.advice == "Only wave is kept." for one in found.values())


# -- rows that stand in a table twice ------------------------------------------------------------------------------


def about_equal_rows(table):
    return [one for one in paucal.inspect(table).findings if one.kind == "repeated rows?"]


@pytest.mark.parametrize("twice", [4, 30, N])
def test_rows_that_were_pasted_twice_are_told(table, rng, twice):
    table = table | {"height": rng.normal(170, 9, N).round(1).tolist()}
    again = {name: [*values, *values[:twice]] for name, values in table.items()}
    found = about_equal_rows(again)
    assert len(found) == 1
    assert found[0].what.startswith(f"{twice} rows of {N + twice} are equal to an earlier row")
    assert "pasted twice" in str(paucal.prepare(again))
    assert not about_equal_rows(table)


def test_equal_rows_of_a_few_categories_are_no_wonder(table, rng):
    few = {name: table[name] for name in ("sex", "smoke", "town")}
    assert not about_equal_rows(few)
    ages = few | {"age": rng.integers(20, 60, N).tolist()}  # some 50 of 300 rows have their like by chance
    assert not about_equal_rows({name: 3 * values for name, values in few.items()})
    assert not about_equal_rows(ages)


def test_pasting_twice_makes_no_copies(rng):
    """Every value of one column then goes with one of the other, twice, as in a recoding."""
    columns = {name: rng.normal(size=100).round(3) for name in "abc"}
    twice = {name: np.tile(values, 2) for name, values in columns.items()}
    assert paucal.Dataset.of(twice).copies == ()
    assert not [one for one in paucal.inspect(twice).findings if one.kind in ("recoding", "duplicate")]
    pounds = twice | {"d": (twice["a"] * 2.2).round(9), "e": -twice["b"]}
    assert {frozenset(group) for group in paucal.Dataset.of(pounds).copies} == {frozenset("ad"), frozenset("be")}
    counted = paucal.Dataset.of(columns | {"n": rng.integers(1, 4, 100)}, weights="n")
    assert counted.copies == ()
