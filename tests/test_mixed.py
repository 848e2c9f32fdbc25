"""The score of tables with numbers and ordered columns: reference values, its twin, and what it must satisfy."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from mixed_data import drawn, mixed_data
from paucal import _kernel
from paucal.errors import DataError, ParameterError, PreparationWarning
from paucal.search.by_scores.canonical import canonical_order
from paucal.search.by_scores.design import normal_scores
from paucal.search.by_scores.forms import Form, forms_on_offer, may_have_forms
from paucal.search.by_scores.scores import Scorer, sizes_to
from paucal.search.result import SearchResult
from twin import mixed

SIZES = sizes_to(2048.0)
TABLE = {
    "x": [1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10],
    "y": [2, 1, 3, 3, 5, 4, 6, 6, 8, 7, 10, 9],
    "d": [0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1],
}
KINDS = {"x": "number", "y": "number"}


def scorer_of(data, **forms):
    return Scorer(data, "mixed", largest_ess=2048.0, forms=forms)


# -- values --------------------------------------------------------------------------------------------------------


def test_reference_values():
    """Computed by a prototype of the score, to twelve digits."""
    data = mixed_data(TABLE, KINDS)
    expected = {
        (0,): -1.24245332489,
        (1,): -1.24245332489,
        (2,): -8.6160744151,
        (0, 1): 5.93285103421,
        (0, 2): -6.8485460464,
        (0, 1, 2): -0.882915389641,
    }
    scorer = scorer_of(data)
    assert {members: scorer.kernel.set(members) for members in expected} == pytest.approx(expected, abs=1e-9)
    cut = scorer_of(data, x=[5]).kernel
    assert [cut.set([0]), cut.set([0, 1])] == pytest.approx([-8.6160744151, -5.67324813926], abs=1e-9)


def test_reference_normal_scores():
    z, nugget = normal_scores(mixed_data(TABLE, KINDS).columns[0])
    expected = """-1.840001801 -1.029027940 -1.029027940 -.584514292 -.340574760 -.002451607 -.002451607 .335671545
        .579611077 .859430742 1.218237997 1.835098586"""
    assert z == pytest.approx([float(word) for word in expected.split()], abs=1e-9)
    assert nugget == pytest.approx(0.011146493103, abs=1e-12)


@given(seed=st.integers(0, 10**6), rows=st.integers(5, 120), lines=st.booleans())
@settings(max_examples=40, deadline=None)
def test_native_equals_twin(seed, rows, lines):
    data = drawn(seed, rows)
    rng = np.random.default_rng(seed)
    offers = [forms_on_offer(data, v) for v in range(data.n_columns)]
    forms = [offer[0] if lines else offer[rng.integers(len(offer))] for offer in offers]
    scorer = Scorer(data, "mixed")
    scorer.use(forms)
    order = canonical_order(data)
    for _ in range(5):
        members = rng.choice(data.n_columns, size=rng.integers(1, 6), replace=False).tolist()
        cells, numbers, references = [], [], []
        for v in members:
            codes = data.columns[v]
            if forms[v].line:
                numbers.append(codes)
            elif forms[v].cuts:
                cells.append(np.searchsorted(forms[v].cuts, np.array(data.levels[v])[codes], side="right"))
                references.append(int(np.bincount(cells[-1]).argmax()))
            else:
                cells.append(codes)
                references.append(int(order.levels[v][0] if data.kinds[v] == "levels" else np.bincount(codes).argmax()))
        twin = mixed.of_set(cells, numbers, sizes_to(scorer.largest_ess), references)
        assert scorer.kernel.set(members) == pytest.approx(twin, rel=1e-9, abs=1e-7)


def test_without_numbers_it_is_eb_to_the_last_bit():
    data = paucal.load_network("asia").sample(200, seed=3)
    one, other = (paucal.learn(data, "posterior", score=score, rounds=20, burn_in=5) for score in ("eb", "mixed"))
    assert one.details == other.details
    assert one.evidence.to_plain()["shares"] == other.evidence.to_plain()["shares"]
    assert "forms" not in other.details


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_equivalent_dags_have_the_same_score(seed):
    """A chain in all its directions: the score is one of sets."""
    data = drawn(seed, 60)
    scorer = Scorer(data, "mixed")
    a, b, c = np.random.default_rng(seed).choice(data.n_columns, 3, replace=False).tolist()
    chains = [
        [(a, []), (b, [a]), (c, [b])],
        [(c, []), (b, [c]), (a, [b])],
        [(b, []), (a, [b]), (c, [b])],
    ]
    totals = [math.fsum(scorer.local(*one) for one in chain) for chain in chains]
    assert totals == pytest.approx([totals[0]] * 3, abs=1e-9)


# -- names and orders ----------------------------------------------------------------------------------------------


def shuffled(data, seed):
    """The same content: other names, other order of columns and rows, other order of nominal levels."""
    rng = np.random.default_rng(seed)
    places, rows = rng.permutation(data.n_columns), rng.permutation(data.n_rows)
    codes, levels, kinds = [], [], []
    for v in places:
        k = data.cardinalities[v]
        label = rng.permutation(k) if data.kinds[v] == "levels" else np.arange(k)
        codes.append(label[data.columns[v]][rows])
        levels.append([data.levels[v][i] for i in np.argsort(label)])
        kinds.append(data.kinds[v])
    names = [f"c{i}" for i in rng.permutation(data.n_columns)]
    return paucal.Dataset.from_codes(codes, names, levels, kinds=kinds), places.tolist()


@given(seed=st.integers(0, 10**6), rows=st.integers(30, 200))
@settings(max_examples=30, deadline=None)
def test_the_same_bits_for_other_names_and_orders(seed, rows):
    data = drawn(seed, rows)
    other, places = shuffled(data, seed)
    one, two = (Scorer(table, "mixed") for table in (data, other))
    rng = np.random.default_rng(seed)
    for _ in range(10):
        members = rng.choice(data.n_columns, size=rng.integers(1, 7), replace=False).tolist()
        assert one.kernel.set(members) == two.kernel.set([places.index(v) for v in members])


def test_the_same_forms_for_other_names():
    data = drawn(7, 300, numbers=5)
    other, places = shuffled(data, 1)
    one, two = (paucal.learn(table, "order", starts=30).details for table in (data, other))
    back = {other.names[i]: data.names[v] for i, v in enumerate(places)}
    assert {back[name]: form for name, form in two["forms"].items()} == one["forms"]


def curved(seed, rows=300):
    """A U-shape between b and c, an effect of a on b, and answers on a scale of five and of three about a and b."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=rows)
    b = a / 2 + rng.normal(size=rows)
    five, three = (
        np.digitize(v + rng.normal(size=rows), cuts) for v, cuts in ((b, [-1, -0.2, 0.4, 1.2]), (a, [-0.5, 0.5]))
    )
    return {"a": a, "b": b, "c": b**2 + rng.normal(size=rows), "five": five, "three": three}


@pytest.mark.parametrize("seed", range(6))
def test_how_columns_are_coded_decides_nothing(seed):
    """Answers counted from the other end, numbers with the other sign: the U-shape is found, and so is all else."""
    columns = curved(seed)
    other = columns | {"five": 4 - columns["five"], "b": -columns["b"]}
    kinds = {"five": "ordered", "three": "ordered"}
    joined = []
    for table in (columns, other):
        result = paucal.learn(paucal.Dataset.of(table, kinds=kinds), "posterior")
        joined.append(result.evidence.joined)
    assert joined[0] == pytest.approx(joined[1], abs=0.1)
    names = result.evidence.names
    assert joined[0][names.index("b"), names.index("c")] > 0.9


# -- forms ---------------------------------------------------------------------------------------------------------


def test_forms_on_offer():
    columns = TABLE | {"o": [0, 1, 2] * 4, "one": [1.5] * 12}
    rows = {name: 6 * values for name, values in columns.items()}
    data = mixed_data(rows, KINDS | {"o": "ordered", "one": "number"})
    numbers, ordered, nominal, constant = (forms_on_offer(data, v) for v in (0, 3, 2, 4))
    assert numbers[:3] == (Form(line=True), Form(cuts=(5,)), Form(cuts=(4, 7)))
    assert len({form.cuts for form in numbers}) == len(numbers)
    assert ordered == (Form(), Form(line=True))
    assert nominal == constant == (Form(),)


@pytest.mark.parametrize("rows", [19, 20, 32, 69, 70, 500])
@pytest.mark.parametrize("draw", ["normal", "lognormal", "poisson"])
def test_every_step_has_rows_enough(draw, rows):
    """Ten on average, and no step fewer than eight or a fiftieth: else some cut of many fits noise."""
    values = getattr(np.random.default_rng(1), draw)(size=rows).tolist()
    _, *steps = forms_on_offer(mixed_data({"x": values}, {"x": "number"}), 0)
    assert bool(steps) or rows <= 20
    for form in steps:
        held = np.bincount(np.searchsorted(form.cuts, values, side="right"), minlength=len(form.cuts) + 1)
        assert held.min() >= max(8, rows / 50)
        assert held.mean() >= 10
    parts = {np.searchsorted(form.cuts, sorted(values), side="right").tobytes() for form in steps}
    assert len(parts) == len(steps)


def test_steps_do_not_depend_on_the_unit():
    """Equal gaps in whole numbers are equal in tenths, where floating point knows them apart."""
    whole = [1, 2, 4, 5, 7, 9, 11, 12, 14, 17, 19, 22, 23, 26, 29] * 20
    parts = []
    for unit in (1, 10, 1000):
        values = [v / unit for v in whole]
        offer = forms_on_offer(mixed_data({"x": values}, {"x": "number"}), 0)
        parts.append([np.searchsorted(form.cuts, values, side="right").tolist() for form in offer])
    assert parts[0] == parts[1] == parts[2]


def test_few_values_may_be_a_step_each():
    doses = [0, 2.5, 5, 10, 20] * 30
    offer = forms_on_offer(mixed_data({"x": doses}, {"x": "number"}), 0)
    assert list(range(5)) in [np.searchsorted(form.cuts, doses[:5], side="right").tolist() for form in offer]


@pytest.mark.parametrize(
    ("written", "text", "words"),
    [
        ("levels", "levels", "by its levels"),
        ("line", "line", "as a straight line"),
        ([1, 6], "steps: < 1, [1, 6), >= 6", "in steps < 1, 1 to 5, 6 and more"),
        ([3, 4], "steps: < 3, [3, 4), >= 4", "in steps < 3, 3, 4 and more"),
        ([1.0, 2.5], "steps: < 1, [1, 2.5), >= 2.5", "in steps < 1, 1 to below 2.5, 2.5 and more"),
    ],
)
def test_forms_in_words(written, text, words):
    form = Form.of(written)
    assert (form.written, str(form), form.words) == (written, text, words)


@pytest.mark.parametrize("wrong", ["curve", [], [2, 1], ["a"], 3])
def test_what_is_no_form(wrong):
    with pytest.raises(ParameterError, match="is not a form"):
        Form.of(wrong)


def test_a_form_that_a_column_cannot_have():
    data = mixed_data(TABLE, {"x": "ordered"})
    with pytest.raises(ParameterError, match="'ordered' and cannot be read as steps"):
        Scorer(data, "mixed", forms={"x": [5]})
    with pytest.raises(ParameterError, match="'levels' and cannot be read as line"):
        Scorer(data, "mixed", forms={"d": "line"})


def test_a_threshold_becomes_steps_and_a_slope_stays_a_line():
    rng = np.random.default_rng(0)
    dose, slope = rng.normal(size=(2, 400))
    columns = {
        "dose": np.round(dose, 2),
        "slope": np.round(slope, 2),
        "ill": ((dose > np.quantile(dose, 0.75)) ^ (rng.random(400) < 0.01)).astype(int),
        "weight": np.round(slope + rng.normal(size=400), 2),
        "sex": rng.integers(0, 2, 400),
    }
    data = mixed_data(columns, {"dose": "number", "slope": "number", "weight": "number"})
    result = paucal.learn(data, "order")
    assert result.details["forms"]["dose"].startswith("steps")
    assert (result.details["forms"]["slope"], result.details["forms"]["weight"]) == ("line", "line")
    assert result.graph.has_edge("dose", "ill")


def test_a_u_shape_that_no_line_sees_is_found():
    """Beside what a line does see: harm falls with age, and is large for small and large doses."""
    rng = np.random.default_rng(0)
    dose, age = rng.normal(size=(2, 300))
    columns = {"dose": dose, "age": age, "harm": dose**2 - age + rng.normal(size=300), "weight": rng.normal(size=300)}
    data = mixed_data({name: np.round(values, 2) for name, values in columns.items()}, dict.fromkeys(columns, "number"))
    lines = Scorer(data, "mixed")
    assert lines.local(2, [0, 1]) < lines.local(2, [1]) > lines.local(2, [])
    result = paucal.learn(data, "order")
    assert result.details["forms"]["dose"].startswith("steps")
    assert {frozenset((edge.a, edge.b)) for edge in result.graph.edges()} == {
        frozenset(("dose", "harm")),
        frozenset(("age", "harm")),
    }


def test_an_arrow_that_knowledge_forbids_chooses_no_form():
    rng = np.random.default_rng(0)
    dose = rng.normal(size=300)
    harm = dose**2 + rng.normal(size=300)
    columns = {"dose": np.round(dose, 2), "harm": np.round(harm, 2), "sex": rng.integers(0, 2, 300)}
    data = mixed_data(columns, {"dose": "number", "harm": "number"})
    assert paucal.learn(data, "order").graph.has_edge("dose", "harm")
    apart = paucal.Knowledge(forbidden=[("dose", "harm"), ("harm", "dose")])
    assert paucal.learn(data, "order", knowledge=apart).details["forms"] == {"dose": "line", "harm": "line"}


def test_numbers_that_hang_on_nothing_stay_lines():
    """Fourteen cuts of ten columns, each beside nine others: chance alone must not look like steps."""
    rng = np.random.default_rng(0)
    columns = {f"c{i}": np.round(rng.normal(size=200), 2) for i in range(10)}
    result = paucal.learn(mixed_data(columns, dict.fromkeys(columns, "number")), "order")
    assert set(result.details["forms"].values()) == {"line"}
    assert not result.graph.edges()


def test_an_ordered_column_may_become_a_line():
    rng = np.random.default_rng(1)
    trait = rng.normal(size=400)
    answers = {f"q{i}": np.digitize(trait + rng.normal(size=400), [-1.5, -0.5, 0.5, 1.5]) for i in range(4)}
    result = paucal.learn(mixed_data(answers, dict.fromkeys(answers, "ordered")), "order")
    assert "line" in result.details["forms"].values()


def test_an_ordered_column_among_levels_keeps_its_own():
    """As a line it would gain more, but no neighbour is one: the rule of `choosing.py`."""
    rng = np.random.default_rng(0)
    causes = {f"cause{i}": rng.integers(0, 3, 500) for i in range(3)}
    trait = sum(causes.values()) + rng.normal(size=500)
    answer = np.searchsorted(np.quantile(trait, [0.1, 0.3, 0.7, 0.9]), trait)
    data = mixed_data(causes | {"answer": answer}, {"answer": "ordered"})

    def gain(form):
        kernel = scorer_of(data, answer=form).kernel
        return kernel.set([0, 1, 2, 3]) - kernel.set([0, 1, 2]) - kernel.set([3])

    assert gain("line") > gain("levels") + 3
    result = paucal.learn(data, "order")
    assert result.details["forms"] == {"answer": "levels"}
    beside = causes | {"answer": answer, "weight": answer + rng.normal(size=500)}
    data = mixed_data(beside, {"answer": "ordered", "weight": "number"})
    assert paucal.learn(data, "order").details["forms"]["answer"] == "line"


def test_effects_and_networks_take_the_steps_of_the_score():
    rng = np.random.default_rng(0)
    dose = np.round(rng.normal(size=400), 2)
    columns = {
        "dose": dose,
        "ill": ((dose > np.quantile(dose, 0.75)) ^ (rng.random(400) < 0.01)).astype(int),
        "age": np.round(rng.normal(size=400), 2),
    }
    data = mixed_data(columns, {"dose": "number", "age": "number"})
    result = paucal.learn(data, "posterior", rounds=20, burn_in=5)
    form = result.details["forms"]["dose"]
    assert form.startswith("steps: ")
    effect = result.effect("dose", "ill", data=data)
    assert f"steps: {', '.join(effect.levels)}" == form
    assert effect.steps == ("dose in the steps in which the graphs were learned",)
    assert effect.steps[0] in str(effect)
    assert result.effect("age", "ill", data=data).steps == ("age in 3 steps of equal shares",)
    with pytest.warns(PreparationWarning, match=r"dose into .*were learned\), age into .*3 steps of equal shares"):
        net = result.network(data)
    assert (f"steps: {', '.join(net.levels['dose'])}", len(net.levels["age"])) == (form, 3)


@pytest.mark.parametrize("seed", range(3))
def test_the_search_finds_the_best_dag_of_the_written_out_score(seed):
    """Of six answers on a scale, over all orders: dynamic programming over sets of columns, scored by the twin."""
    rng = np.random.default_rng(seed)
    answers: list[np.ndarray] = []
    for v in range(6):
        above = [answers[p] for p in rng.choice(v, size=min(v, 2), replace=False)]
        trait = sum((rng.uniform(0.4, 0.8) * a for a in above), rng.normal(size=200))
        answers.append(np.searchsorted(np.quantile(trait, [0.1, 0.3, 0.7, 0.9]), trait))
    columns = {f"q{v}": answer for v, answer in enumerate(answers)}
    data = mixed_data(columns, dict.fromkeys(columns, "ordered"))
    result = paucal.learn(data, "order", max_parents=5)
    means = result.evidence.means
    sizes = sizes_to(means.largest_ess)

    @functools.cache
    def of_set(members):
        lines = [v for v in sorted(members) if means.forms[f"q{v}"] == "line"]
        cells = [answers[v] for v in sorted(members - set(lines))]
        largest = [int(np.bincount(codes).argmax()) for codes in cells]
        return mixed.of_set(cells, [answers[v] for v in lines], sizes, largest)

    @functools.cache
    def best_family(child, before):
        sets = (frozenset(some) for n in range(len(before) + 1) for some in itertools.combinations(sorted(before), n))
        return max(of_set(some | {child}) - of_set(some) - result.evidence.penalty * len(some) for some in sets)

    @functools.cache
    def best(columns):
        return max((best(columns - {v}) + best_family(v, columns - {v}) for v in columns), default=0.0)

    assert result.details["score"] == pytest.approx(best(frozenset(range(6))), abs=1e-7)


# -- in results ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learned():
    data = drawn(11, 200)
    return data, paucal.learn(data, rounds=20, burn_in=5)


def test_learn_chooses_it_and_says_so(learned):
    data, result = learned
    assert result.score == "mixed"
    assert "it uses the score mixed because" in result.recipe.reason
    assert "read as a straight line: " in str(result)
    kinds = zip(data.names, data.kinds, data.cardinalities, strict=True)
    wanted = {name for name, kind, k in kinds if kind == "number" or (kind == "ordered" and k > 2)}
    assert set(result.details["forms"]) == wanted


def test_of_two_levels_the_order_says_nothing():
    data = paucal.load_network("asia").sample(200, seed=3)
    ordered = data.with_kinds(dict.fromkeys(data.names, "ordered"))
    one, other = (paucal.learn(table, rounds=20, burn_in=5) for table in (data, ordered))
    assert (one.score, one.evidence.to_plain()) == (other.score, other.evidence.to_plain())


def test_why_tells_the_forms_of_the_two(learned):
    data, result = learned
    number = next(name for name in data.names if name.startswith("number"))
    nominal = next(name for name in data.names if name.startswith("levels"))
    why = result.why(number, nominal, data=data)
    assert why.forms == (f"{number}: {Form.of(result.evidence.means.forms[number]).words}",)
    assert why.forms[0] in str(why)
    assert "score mixed" in str(why)


def test_there_and_back(learned):
    data, result = learned
    again = SearchResult.from_json(result.to_json())
    assert again == result
    edge = result.graph.edges()[0]
    assert str(again.why(edge.a, edge.b, data=data)) == str(result.why(edge.a, edge.b, data=data))


def test_the_recipe_carries_it(learned):
    data, _ = learned
    result = paucal.learn(data, "order", score="mixed", starts=2)
    assert "score='mixed'" in repr(result.recipe)
    assert result.recipe.run(data).graph == result.graph


def test_hill_climbing_and_mmhc_go_by_it(learned):
    data, _ = learned
    climbed = paucal.hill_climb(data, score="mixed")
    assert set(climbed.details["forms"]) == {n for v, n in enumerate(data.names) if may_have_forms(data, v)}
    total = paucal.search.by_scores.scores.Scorer(data, "mixed", forms=climbed.evidence.means.forms)
    dag = climbed.details["dag"]
    parents = {name: [data.index(a) for a, b in dag if b == name] for name in data.names}
    assert math.fsum(total.local(data.index(n), p) for n, p in parents.items()) == climbed.details["score"]


def test_threads_change_nothing(learned):
    data, result = learned
    assert paucal.learn(data, rounds=20, burn_in=5, threads=2).details == result.details


# -- what is refused, and what is hard -----------------------------------------------------------------------------


@pytest.mark.parametrize("score", ["eb", "bdeu", "bic"])
def test_other_scores_refuse_numbers(score):
    with pytest.raises(DataError, match=r"there are numbers: 'x', 'y'\. Use score='mixed', or cut them"):
        paucal.learn(mixed_data(TABLE, KINDS), "order", score=score)


def test_many_numbers_in_few_rows():
    """More columns than rows: the nugget keeps every determinant positive."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=20)
    columns = {f"c{i}": base + 1e-9 * rng.normal(size=20) * (i % 3) for i in range(70)}
    data = mixed_data(columns, dict.fromkeys(columns, "number"))
    scorer = Scorer(data, "mixed")
    assert math.isfinite(scorer.kernel.set(list(range(64))))
    result = paucal.learn(data, "order", starts=1)
    assert math.isfinite(result.details["score"])


def test_infinite_numbers_have_ranks_like_others():
    columns = {"a": [-math.inf, *range(1, 39), math.inf], "b": [*range(40)]}
    result = paucal.learn(mixed_data(columns, {"a": "number", "b": "number"}), "order")
    assert result.graph.has_edge("a", "b")


def test_a_number_with_one_value_stays_alone():
    data = mixed_data(TABLE | {"one": [1.5] * 12}, KINDS | {"one": "number"})
    result = paucal.learn(data, "order")
    assert not any("one" in (edge.a, edge.b) for edge in result.graph.edges())


@pytest.mark.parametrize("levels", [["a", "b"], [1.5, None], [True, False], [2, 1], [1.0, math.nan]])
def test_a_number_whose_levels_are_none(levels):
    data = paucal.Dataset.from_codes([[0, 1, 0, 1]] * 2, ["a", "b"], [levels, [0, 1]], kinds=["number", "levels"])
    with pytest.raises(DataError, match="Column 'a' is"):
        paucal.learn(data, "order")


def test_hundreds_of_levels_cost_little_and_explain_nothing():
    rng = np.random.default_rng(0)
    columns = {"zip": rng.integers(0, 400, 2000), "age": rng.normal(size=2000), "sex": rng.integers(0, 2, 2000)}
    result = paucal.learn(mixed_data(columns, {"age": "number"}), "order")
    assert not result.graph.has_edge("zip", "age")


def test_native_arguments_are_checked():
    columns = _kernel.Columns([np.array([0, 1, 0, 1], dtype=np.uint8)], [2], 4)
    z = np.array([[1.0, -1.0, 1.0, -1.0]])

    def make(lines=z, nuggets=(0.1,), forms=(0, 1)):
        return _kernel.Scorer.mixed(columns, [2.0], sizes=[1.0], lines=lines, nuggets=nuggets, forms=forms)

    assert math.isfinite(make().set([0, 1]))
    for wrong in (
        {"lines": 2 * z},
        {"lines": z[:, :2].copy()},
        {"lines": z * math.nan},
        {"nuggets": ()},
        {"nuggets": (0.0,)},
        {"nuggets": (math.inf,)},
        {"forms": (0, 2)},
        {"forms": (1, 1)},
    ):
        with pytest.raises(ValueError, match=r"must|there|two columns|line"):
            make(**wrong)
    with pytest.raises(ValueError, match="3 forms for 2 columns"):
        make().use([0, 1, 0])
    with pytest.raises(ValueError, match="one form only"):
        _kernel.Scorer.qnml(columns, [2.0]).use([0])
    with pytest.raises(IndexError):
        make().set([2])


def test_of_experiments_numbers_are_in_steps():
    """Families are scored on the rows in which their child was not set, and ranks are those of all rows."""
    data = drawn(3, 120)
    told = np.where(np.arange(120) % 3 == 0, data.names[0], "")
    columns = data.to_frame("dict") | {"told": told.tolist()}
    kinds = dict(zip(data.names, data.kinds, strict=True))
    table = paucal.Dataset.of(columns, kinds=kinds)
    result = paucal.learn(table, "order", interventions="told", targets={data.names[0]: [data.names[0]], "": []})
    assert result.score == "eb"
    with pytest.raises(ParameterError, match="'mixed' cannot leave out the rows in which"):
        paucal.learn(
            table, "order", score="mixed", interventions="told", targets={data.names[0]: [data.names[0]], "": []}
        )


def test_of_experiments_everything_says_that_numbers_were_cut():
    rng = np.random.default_rng(0)
    a = np.round(rng.normal(size=300), 2)
    b = np.round(a + rng.normal(size=300), 2)
    ill = (b + rng.normal(size=300) > 0).astype(int)
    table = {"a": a, "b": b, "ill": ill, "told": ["b"] * 100 + ["nothing"] * 200}
    targets = {"b": ["b"], "nothing": []}
    result = paucal.learn(table, "posterior", rounds=20, burn_in=5, interventions="told", targets=targets)
    assert set(result.details["in_steps"]) == {"a", "b"}
    assert "read in 3 steps of equal shares: a, b" in str(result)
    assert "mixed" not in paucal.learn(table, interventions="told", targets=targets).recipe.reason
    with pytest.warns(PreparationWarning, match=r"cut into steps: a into .*equal shares\), b into"):
        net = result.network(table)
    assert {name: ", ".join(net.levels[name]) for name in "ab"} == result.details["in_steps"]
    effect = result.effect("b", "ill", data=table)
    assert (effect.levels, effect.steps) == (net.levels["b"], ("b in 3 steps of equal shares",))
    assert SearchResult.from_json(result.to_json()) == result


def test_a_result_with_infinite_numbers_can_be_read_back():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = np.abs(x) + rng.normal(size=300) / 4
    x[x > 1.3] = np.inf
    result = paucal.learn({"x": x, "y": y})
    assert result.details["forms"]["x"].startswith("steps")
    assert "inf" not in result.details["forms"]["x"]
    assert SearchResult.from_json(result.to_json()) == result


def test_the_same_bits_for_renamed_measurements():
    """Of which no value repeats: nothing but their order tells them apart."""
    rng = np.random.default_rng(1)
    a = rng.normal(size=100)
    b = 0.4 * a + rng.normal(size=100)
    columns = {"a": a, "b": b, "c": 0.3 * b + rng.normal(size=100)}
    first = None
    for names in ("abc", "cba", "bca"):
        result = paucal.learn(dict(zip(names, columns.values(), strict=True)), "posterior", rounds=50)
        place = [result.evidence.names.index(name) for name in names]
        joined = result.evidence.joined[np.ix_(place, place)].tolist()
        first = first or joined
        assert joined == first
