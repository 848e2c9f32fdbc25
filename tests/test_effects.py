"""Effects under sampled graphs: exact answers where they are known, averages over graphs, words, refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import BayesNet, Dataset
from paucal.effects.ask import Effects
from paucal.effects.causes import Paths, adjacency, all_causes
from paucal.effects.filling import filled
from paucal.errors import DataError, ParameterError, PreparationWarning, QuestionError, UnknownNameError
from paucal.report.behind import _effect_sentences
from paucal.report.effects import _sentences
from paucal.report.text import Name

CHAIN = ((), (0,), (1,))  # x -> m -> y
NAMES = ("x", "m", "y")


def as_numbers(net: BayesNet) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(net.names.index(p) for p in net.parents(v)) for v in net.names)


@st.composite
def dags(draw: st.DrawFn) -> list[tuple[tuple[int, ...], ...]]:
    p = draw(st.integers(2, 6))
    found = []
    for _ in range(draw(st.integers(1, 4))):
        order = draw(st.permutations(range(p)))
        parents: list[tuple[int, ...]] = [()] * p
        for place, node in enumerate(order):
            parents[node] = tuple(v for v in order[:place] if draw(st.booleans()))
        found.append(tuple(parents))
    return found


def reach(arrows: np.ndarray) -> np.ndarray:
    """Say which columns a directed path leads to: powers of the matrix of arrows."""
    p = arrows.shape[-1]
    return sum(np.linalg.matrix_power(arrows.astype(int), k) for k in range(1, max(p, 2))) > 0


@given(dags())
@settings(max_examples=60, deadline=None)
def test_paths_lead_to_all_that_is_caused(sampled: list[tuple[tuple[int, ...], ...]]):
    reached = reach(adjacency(sampled))
    paths = Paths([f"c{i}" for i in range(len(sampled[0]))], sampled)
    for x in range(len(sampled[0])):
        for s, came in enumerate(paths.from_(x)):
            assert sorted(came) == np.flatnonzero(reached[s, x]).tolist()


@given(dags())
@settings(max_examples=60, deadline=None)
def test_a_claim_hangs_on_an_arrow_of_a_path(sampled: list[tuple[tuple[int, ...], ...]]):
    names = [f"c{i}" for i in range(len(sampled[0]))]
    arrows = adjacency(sampled)
    shares = reach(arrows).mean(axis=0)
    claims = all_causes(names, sampled, shares, least=0.01)
    assert len(claims) == np.count_nonzero(shares)
    assert [c.probability for c in claims] == sorted((c.probability for c in claims), reverse=True)
    for claim in claims:
        x, y = names.index(claim.cause), names.index(claim.effect)
        a, b = (names.index(v) for v in claim.arrow)
        assert claim.probability == shares[x, y]
        assert 0 < claim.direction <= 1
        assert arrows[:, a, b].any()
        assert len(all_causes(names, sampled, shares, least=claim.probability)) <= len(claims)


def test_many_rows_give_the_true_distribution_under_do():
    asia = paucal.load_network("asia")
    data = asia.sample(200_000, seed=1)
    asked = Effects(asia.names, [as_numbers(asia)] * 5, data)
    for x, y in (("smoke", "dysp"), ("lung", "smoke"), ("lung", "dysp"), ("bronc", "dysp"), ("xray", "either")):
        effect = asked.effect(x, y)
        for level in ("yes", "no"):
            truth = asia.do({x: level}).marginal(y)
            assert effect.draws[:, effect.levels.index(level)] == pytest.approx(np.tile(truth, (5, 1)), abs=0.03)


def test_no_path_changes_nothing():
    data = Dataset.from_columns({"x": [0, 1] * 30, "m": [0, 0, 1] * 20, "y": [1, 0, 0, 1, 1] * 12})
    effect = Effects(NAMES, [((), (2,), ())] * 7, data).effect("x", "y")
    assert effect.probability == 0
    assert effect.claim is None
    assert effect.strength == 0
    assert (effect.draws[:, 0] == effect.draws[:, 1]).all()
    assert effect.difference(1, 0) == (0, 0, 0)


def test_graphs_that_disagree_are_averaged():
    data = Dataset.from_columns({"x": [0] * 50 + [1] * 50, "m": [0, 1] * 50, "y": [0] * 45 + [1] * 50 + [0] * 5})
    effect = Effects(NAMES, [((), (), (0,)), ((2,), (), ())] * 40, data).effect("x", "y")
    assert effect.probability == 0.5
    low, high = effect.difference(1, 0).low, effect.difference(1, 0).high
    assert low == 0
    assert high > 0.6
    assert 0.3 < effect.difference(1, 0).mean < 0.5
    assert effect.seen.tolist() == [[0.9, 0.1], [0.1, 0.9]]
    assert effect.claim is not None
    assert effect.claim.direction == 0.5


def test_the_words():
    data = Dataset.from_columns({"x": ["no"] * 50 + ["yes"] * 50, "y": [0] * 45 + [1] * 50 + [0] * 5})
    text = str(Effects(("x", "y"), [((), (0,))] * 20, data).effect("x", "y"))
    first, low, high, difference, seen, hangs, *_ = text.splitlines()
    assert first == "x causes y in 20 of 20 graphs"
    assert low.startswith("do(x = no) : y = 1 0.1")
    assert low.endswith("50 rows")
    assert high.startswith("do(x = yes): y = 1 0.8")
    assert difference.startswith("difference, yes instead of no: 0.")
    assert seen == "seen without intervention: y = 1 0.10 and 0.90 (no, yes)"
    assert hangs == "this rests on x -> y, which is 100% likely"


def test_ordered_outcomes_have_a_direction():
    codes = [[0] * 50 + [1] * 50, [0] * 40 + [1] * 10 + [1] * 10 + [2] * 40]
    data = Dataset.from_codes(codes, ["x", "y"], [["no", "yes"], ["low", "mid", "high"]], kinds=["levels", "ordered"])
    effect = Effects(("x", "y"), [((), (0,))] * 50, data).effect("x", "y")
    assert effect.difference("yes", "no").mean > 0.7
    assert effect.difference("no", "yes").mean == pytest.approx(-effect.difference("yes", "no").mean)
    assert "chance of a higher y" in str(effect)


def test_strongest_first_and_json():
    data = Dataset.from_columns({"x": [0] * 50 + [1] * 50, "m": [0, 1] * 50, "y": [0] * 45 + [1] * 50 + [0] * 5})
    found = Effects(NAMES, [((), (), (0, 1))] * 20, data).effects("y")
    assert [one.cause for one in found] == ["x", "m"]
    assert json.loads(json.dumps(found[0].to_dict()))["probability"] == 1.0
    assert len(found[0].distribution) == 4


def test_a_level_with_few_rows_ranks_nothing():
    data = Dataset.from_columns({"x": [0] * 95 + [1] * 5, "y": [0] * 50 + [1] * 50})
    effect = Effects(("x", "y"), [((), (0,))] * 5, data).effect("x", "y")
    assert effect.strength == 0
    assert "5 rows, too few to compare" in str(effect)


def test_what_if_for_a_group():
    asia = paucal.load_network("asia")
    asked = Effects(asia.names, [as_numbers(asia)] * 3, asia.sample(100_000, seed=2))
    answer = asked.what_if("dysp", do={"smoke": "no"}, given={"tub": "yes"})
    truth = asia.do({"smoke": "no"}).joint(["dysp"], given={"tub": "yes"})
    assert [part.mean for part in answer.values()] == pytest.approx(truth, abs=0.03)
    assert list(answer) == list(asia.levels["dysp"])
    assert asked.what_if("dysp")["yes"].mean == pytest.approx(asia.marginal("dysp")[0], abs=0.03)


def test_the_same_numbers_whatever_was_asked_before():
    asia = paucal.load_network("asia")
    data = asia.sample(300, seed=2)
    first = Effects(asia.names, [as_numbers(asia)] * 4, data)
    second = Effects(asia.names, [as_numbers(asia)] * 4, data)
    second.effects("dysp")
    assert np.array_equal(first.effect("smoke", "xray").draws, second.effect("smoke", "xray").draws)


def test_refusals():
    data = Dataset.from_columns({"x": [0, 1] * 30, "m": [0, 0, 1] * 20, "y": [1, 0, 0, 1, 1] * 12})
    asked = Effects(NAMES, [CHAIN] * 3, data)
    with pytest.raises(ParameterError, match="both cause and effect"):
        asked.effect("x", "x")
    with pytest.raises(UnknownNameError, match="no column 'z'"):
        asked.effect("x", "z")
    with pytest.raises(UnknownNameError, match="level of 'x'"):
        asked.effect("x", "y").difference("2", "0")
    with pytest.raises(UnknownNameError, match="level of 'x'"):
        asked.what_if("y", do={"x": "2"})
    with pytest.raises(ParameterError, match="twice"):
        asked.what_if("y", do={"x": 1}, given={"x": 0})
    with pytest.raises(ParameterError, match="level"):
        asked.effect("x", "y", level=1.5)
    with pytest.raises(DataError, match="no column 'y'"):
        Effects(NAMES, [CHAIN], data.select(["x", "m"]))


# ---- from a result


def asia_result() -> tuple[Dataset, paucal.SearchResult]:
    data = paucal.load_network("asia").sample(400, seed=7)
    return data, paucal.learn(data, search="posterior", rounds=60)


def test_a_result_answers():
    data, result = asia_result()
    effect = result.effect("smoke", "bronc", data=data)
    assert 0 < effect.probability <= 1
    claims = {(one["cause"], one["effect"]): one["probability"] for one in result.causes()}
    assert claims["smoke", "bronc"] == pytest.approx(effect.probability, abs=0.15)  # of all sampled graphs, and of 100
    assert result.effects("dysp", data=data)[0].cause in ("bronc", "either", "lung", "tub", "smoke")
    answer = result.what_if("dysp", data=data, do={"smoke": "no"}, given={"asia": "no"})
    assert sum(part.mean for part in answer.values()) == pytest.approx(1)


def test_answers_survive_json():
    data, result = asia_result()
    again = paucal.SearchResult.from_json(result.to_json())
    assert again.causes() == result.causes()
    assert np.array_equal(
        again.effect("smoke", "dysp", data=data).draws, result.effect("smoke", "dysp", data=data).draws
    )


def test_a_dag_of_the_class_and_a_sampled_one():
    data, result = asia_result()
    assert result.dag().kind == "dag"
    assert result.dag().skeleton() == result.graph.skeleton()
    assert result.dag(3) == result.graphs[3]
    assert result.network(data).graph == result.dag()
    with pytest.raises(ParameterError, match="draw"):
        result.dag(10_000)


def test_results_without_sampled_graphs_say_so():
    data = paucal.load_network("asia").sample(400, seed=7)
    result = paucal.learn(data, search="pc-stable")
    with pytest.raises(paucal.errors.GraphError, match="sampled graphs"):
        result.effect("smoke", "dysp", data=data)
    with pytest.raises(paucal.errors.GraphError, match="sampled graphs"):
        result.causes()
    latent = paucal.learn(data, search="fci", max_order=1)
    with pytest.raises(paucal.errors.GraphError, match="hidden causes"):
        latent.dag()


# ---- numbers, order, gaps, interventions, frames


def dose_result(n: int = 400) -> tuple[dict[str, list[object]], paucal.SearchResult, Dataset]:
    rng = np.random.default_rng(3)
    drug = rng.integers(0, 2, n)
    weight = 2.0 * drug + rng.normal(size=n)
    columns = {
        "drug": ["yes" if d else "no" for d in drug.tolist()],
        "weight": weight.tolist(),
        "noise": rng.integers(0, 2, n).tolist(),
    }
    data = Dataset.of(columns, kinds={"weight": "number"})
    return columns, paucal.learn(data, "posterior", rounds=60, outcome=["weight"]), data


def test_a_number_answers_in_its_own_unit():
    _, result, data = dose_result()
    effect = result.effect("drug", "weight", data=data)
    assert effect.probability == 1
    change = effect.mean_difference("yes", "no")
    assert change.low < 2 < change.high
    assert 1.6 < change.mean < 2.2
    assert effect.mean("no").mean == pytest.approx(0, abs=0.25)
    assert effect.ordered
    assert effect.direction == "up"
    assert effect.contrast == ("yes", "no")
    assert "difference in the mean of weight, yes instead of no: 1." in str(effect) or "no: 2." in str(effect)
    assert json.loads(json.dumps(effect.to_dict()))["difference"]["mean"]["mean"] == change.mean
    nothing = result.effect("noise", "weight", data=data)
    assert abs(nothing.mean_difference("1", "0").mean) < 0.2
    with pytest.raises(QuestionError, match="is not a number"):
        result.effect("noise", "drug", data=data).mean("0")


def test_means_through_others_are_those_of_the_truth():
    # x -> m -> y: the mean of y is that of m's levels, weighed by how likely x makes them
    rng = np.random.default_rng(5)
    n = 20_000
    x = rng.integers(0, 2, n)
    m = (rng.random(n) < np.where(x, 0.9, 0.2)).astype(int)
    y = 10.0 * m + rng.normal(size=n)
    data = Dataset.of({"x": x.tolist(), "m": m.tolist(), "y": y.tolist()}, kinds={"y": "number"})
    change = Effects(NAMES, [CHAIN] * 40, data).effect("x", "y").mean_difference(1, 0)
    assert change.mean == pytest.approx(7, abs=0.3)


@pytest.mark.filterwarnings("ignore:Numbers are cut into steps")
def test_kept_gaps_leave_the_answer_where_it_is():
    columns, _, _ = dose_result()
    rng = np.random.default_rng(4)
    for name in ("drug", "weight"):
        for i in np.flatnonzero(rng.random(400) < 0.1).tolist():
            columns[name][i] = None
    data = Dataset.of(columns, kinds={"weight": "number"}, missing="keep")
    result = paucal.learn(data, outcome=["weight"], fillings=5)
    effect = result.effect("drug", "weight", data=data)
    assert effect.probability > 0.9
    assert 1.2 < effect.mean_difference("yes", "no").mean < 2.3
    assert sum(effect.rows) == 400 - data.gap_counts[data.index("drug")]
    with pytest.warns(PreparationWarning, match="weight into .*3 steps of equal shares"):
        assert result.network(data).marginal("drug") == pytest.approx([0.5, 0.5], abs=0.08)


def test_filled_tables_follow_the_graph():
    # y copies x; where y is missing, a graph with x -> y fills in x, one without an arrow does not
    x = [0, 1] * 200
    y: list[int | None] = [*x[:300], *[None] * 100]
    data = Dataset.of({"x": x, "y": y}, missing="keep")
    joined = filled(data, [((), (0,))] * 5, seed=1)
    apart = filled(data, [((), ())] * 5, seed=1)
    assert not any(one.has_gaps for one in joined)
    agree = [np.mean([one.columns[1][300:] == one.columns[0][300:] for one in some]) for some in (joined, apart)]
    assert agree[0] > 0.95
    assert 0.3 < agree[1] < 0.7
    assert all((one.columns[1][:300] == data.columns[1][:300]).all() for one in joined)


def test_answers_come_in_frames_of_the_users_kind():
    pandas = pytest.importorskip("pandas")
    frame = paucal.load_network("asia").sample(400, seed=7).to_frame("pandas")
    result = paucal.learn(frame, "posterior", rounds=60)
    effect = result.effect("smoke", "bronc", data=frame)
    assert isinstance(effect.distribution, pandas.DataFrame)
    ranked = result.effects("dysp", data=frame)
    table = ranked.frame()
    assert isinstance(table, pandas.DataFrame)
    assert list(table["strength"]) == sorted(table["strength"], reverse=True)
    assert str(ranked).splitlines()[0].startswith(f"{ranked[0].cause} causes dysp in")
    assert isinstance(result.causes(), pandas.DataFrame)


def test_a_direction_that_is_open_is_said():
    data, result = asia_result()
    effect = result.effect("smoke", "bronc", data=data)
    assert 0 < effect.reverse < 1
    assert "that causes smoke" in str(effect)
    known = paucal.learn(data, "posterior", rounds=60, exogenous=["smoke"]).effect("smoke", "bronc", data=data)
    assert known.reverse == 0
    assert "that causes smoke" not in str(known)
    assert "contained it for" in str(effect)


def test_rows_in_which_a_column_was_set_say_nothing_about_its_table():
    net = paucal.load_network("asia")
    seen, set_ = net.sample(300, seed=1), net.do({"bronc": "yes"}).sample(300, seed=2)
    columns = {
        name: [*map(str, a), *map(str, b)]
        for (name, a), b in zip(seen.to_frame("dict").items(), set_.to_frame("dict").values(), strict=True)
    }
    columns["who"] = [None] * 300 + ["bronc"] * 300
    result = paucal.learn(columns, "posterior", interventions="who", rounds=60)
    effect = result.effect("smoke", "bronc", data=columns)
    # were the set rows counted, bronc = yes would come out far more often
    assert effect.draws[:, :, effect.outcomes.index("yes")].mean() < 0.55
    assert result.effect("bronc", "dysp", data=columns).difference("yes", "no", outcome="yes").mean > 0.4


def test_data_that_are_not_those_of_the_graphs():
    data, result = asia_result()
    columns = {name: list(map(str, values)) for name, values in data.to_frame("dict").items()}
    columns["smoke"][0] = "often"
    with pytest.raises(DataError, match="'smoke' has 3 levels"):
        result.effect("smoke", "bronc", data=Dataset.of(columns))
    with pytest.raises(DataError, match="400 rows"):
        result.effect("smoke", "bronc", data=data.take(range(100)))


def test_causes_are_shares_of_all_sampled_graphs():
    _, result = asia_result()
    assert result.evidence.causes is not None
    kept = reach(adjacency(result.evidence.sampled)).mean(axis=0)
    assert np.abs(kept - result.evidence.causes).max() < 0.25
    assert (np.diag(result.evidence.causes) == 0).all()
    assert (result.evidence.causes + result.evidence.causes.T <= 1 + 1e-9).all()
    turned = result.evidence.reordered(result.evidence.names[::-1])
    assert (turned.causes == result.evidence.causes[::-1, ::-1]).all()


def test_the_first_number_of_a_scale_is_not_yes():
    rng = np.random.default_rng(0)
    stage = rng.integers(1, 4, 600)
    death = np.where(rng.random(600) < stage / 4, "yes", "no")
    table = {"stage": stage, "death": death}
    result = paucal.learn(table, "posterior", outcome=["death"])
    contrast = result.effect("stage", "death", data=table).contrast
    assert (contrast.to, contrast.instead_of) == ("3", "1")


def test_a_claim_quotes_the_arrow_over_all_graphs():
    """Where only some graphs join the two, the arrow is no likelier than that, whichever way these agree."""
    data = Dataset.from_columns({"x": [0, 1] * 30, "m": [0, 0, 1] * 20, "y": [1, 0, 0, 1, 1] * 12})
    claim = Effects(NAMES, [CHAIN, ((), (), ()), ((), (), ()), ((), (), ())], data).effect("x", "y").claim
    assert claim is not None
    assert claim.direction == 0.25
    assert str(claim) == "x causes y: 25%; this rests on x -> m, which is 25% likely"


def test_a_claim_that_is_likelier_than_an_arrow_does_not_rest_on_it():
    """Some graphs have x cause y through m, the others directly."""
    data = Dataset.from_columns({"x": [0, 1] * 30, "m": [0, 0, 1] * 20, "y": [1, 0, 0, 1, 1] * 12})
    direct = ((), (), (0,))
    claim = Effects(NAMES, [CHAIN, CHAIN, CHAIN, direct, direct], data).effect("x", "y").claim
    assert str(claim) == "x causes y: 100%; most often through x -> m, which is 60% likely"
    claim = Effects(NAMES, [CHAIN, direct, direct, direct], data).effect("x", "y").claim
    assert str(claim) == "x causes y: 100%; most often through x -> y, which is 75% likely"


def test_one_probability_for_one_arrow():
    data = paucal.load_network("asia").sample(500, seed=1)
    result = paucal.learn(data, "posterior")
    numbers = result.edge_numbers()
    assert numbers is not None
    beside = {f"{a} -> {b}": one["probability_of_marks"] for (a, b), one in numbers.items()}
    arrows = {f"{e.a} -> {e.b}" for e in result.graph.edges() if e.symbol == "->"}
    drawn = [claim for claim in result.causes() if claim["hangs_on"] in arrows]
    assert drawn
    for claim in drawn:
        assert claim["direction"] == pytest.approx(beside[claim["hangs_on"]], abs=1e-9)
        found = result.effect(claim["cause"], claim["effect"], data=data).claim
        assert found is not None
        assert f"{found.arrow[0]} -> {found.arrow[1]}" == claim["hangs_on"]
        assert found.direction == claim["direction"]


@given(st.permutations(range(4)), st.lists(st.permutations(range(3)), min_size=4, max_size=4), st.booleans())
@settings(max_examples=25, deadline=None)
def test_effects_do_not_depend_on_the_order_of_columns_and_levels(
    order: list[int], turned: list[list[int]], gaps: bool
):
    rng = np.random.default_rng(8)
    x = rng.choice(3, 200, p=[0.5, 0.3, 0.2])
    columns = [x, (x + (rng.random(200) < 0.4)) % 3, rng.choice(3, 200, p=[0.6, 0.25, 0.15])]
    columns.append((columns[1] + (rng.random(200) < 0.3) * columns[2]) % 3)
    if gaps:
        columns[1] = np.where(np.arange(200) % 9 == 0, 3, columns[1])
    names = ["x", "m", "z", "y"]
    dags = [((), (0,), (), (1, 2)), ((1,), (), (), (1,)), ((), (0,), (3,), (1, 0))] * 3
    labels = [[f"{name}{k}" for k in range(3)] for name in names]
    data = Dataset.from_codes(columns, names, labels, missing="keep")
    other_codes = [np.append(np.argsort(turned[i]), 3)[columns[i]] for i in order]
    other_labels = [[f"{9 - turned[i][k]}{names[i]}" for k in range(3)] for i in order]
    other = Dataset.from_codes(other_codes, [names[i] for i in order], other_labels, missing="keep")
    place = np.argsort(order)
    moved = [tuple(tuple(sorted(int(place[p]) for p in dag[i])) for i in order) for dag in dags]
    one = Effects(names, dags, data, seed=5).effect("x", "y")
    two = Effects(other.names, moved, other, seed=5).effect("x", "y")
    for a in range(3):
        for b in range(3):
            assert two.do(f"{9 - a}x", f"{9 - b}y") == pytest.approx(one.do(f"x{a}", f"y{b}"), abs=1e-12)
    assert one.claim is not None
    assert two.claim == one.claim


def test_learned_effects_do_not_depend_on_order_and_labels():
    data = paucal.load_network("asia").sample(300, seed=4)
    table = {name: [data.levels[i][k] for k in data.columns[i]] for i, name in enumerate(data.names)}
    turned = {name: ["0" if one == "yes" else "1" for one in table[name]] for name in reversed(table)}
    one = paucal.learn(table, "posterior", as_is=True).effect("smoke", "dysp", data=Dataset.of(table))
    two = paucal.learn(turned, "posterior", as_is=True).effect("smoke", "dysp", data=Dataset.of(turned))
    assert two.do("0", "0") == pytest.approx(one.do("yes", "yes"), abs=1e-9)


def test_a_mean_outside_its_interval_is_told():
    data = Dataset.from_columns({"x": [0] * 50 + [1] * 50, "m": [0, 1] * 50, "y": [0] * 45 + [1] * 50 + [0] * 5})
    effect = Effects(NAMES, [((), (), (0,))] + [((), (), ())] * 24, data).effect("x", "y")
    change = effect.difference(1, 0)
    assert not change.low <= change.mean <= change.high
    assert "a mean lies outside its interval: only 1 of 25 graphs have an effect" in str(effect)
    assert "outside its interval" not in str(Effects(NAMES, [((), (), (0,))] * 25, data).effect("x", "y"))


def test_copies_beside_an_effect_are_named():
    x = [0, 1, 1, 0, 1] * 12
    data = Dataset.from_columns({"x": x, "m": ["no" if one == 0 else "yes" for one in x], "y": [1, 0, 0, 1, 1, 0] * 10})
    asked = Effects(NAMES, [CHAIN] * 4, data)
    assert "x and m are the same except for their labels, so this is not an effect" in str(asked.effect("x", "m"))
    assert "m and x are the same except for their labels: keep one of them" in str(asked.effect("x", "y"))


def made_columns() -> Dataset:
    rng = np.random.default_rng(5)
    smoke = rng.integers(0, 2, 300)
    weight = np.round(rng.normal(3000, 500, 300) - 300 * smoke)
    kinds = {"weight": "number", "extra": "number", "total": "number"}
    extra = rng.integers(0, 900, 300)
    columns = {"smoke": smoke, "weight": weight, "low": weight < 2500, "lowest": weight < 2000, "extra": extra}
    return Dataset.of(columns | {"total": weight + extra}, kinds=kinds)


def test_between_a_number_and_its_cuts_and_sums_there_is_no_effect():
    data = made_columns()
    asked = Effects(data.names, [((), (0,), (1,), (2,), (), (1, 4))] * 4, data)
    cut = asked.effect("weight", "low")
    assert str(cut).startswith("low is weight cut into groups: low = True below weight = 2500, False from 2500 on, so")
    assert cut.by_definition is not None
    assert cut.by_definition.endswith("so this is not an effect of one on the other")
    assert cut.to_dict()["by_definition"] == cut.by_definition
    assert asked.effect("low", "lowest").by_definition == (
        "low and lowest are both made from weight, so this is not an effect of one on the other"
    )
    summed = asked.effect("weight", "total").by_definition
    assert summed == (
        "total is the sum of weight, extra: if it was computed so, this is not an effect of one on the other"
    )
    assert asked.effect("smoke", "extra").by_definition is None
    assert "so this is not an effect of one on the other" in str(asked.effects("low"))


def test_cuts_and_sums_beside_an_effect_are_named():
    data = made_columns()
    asked = Effects(data.names, [((), (0,), (1,), (2,), (), (1, 4))] * 4, data)
    low = asked.effect("smoke", "low")
    assert len(low.beside) == 1
    assert "lowest is weight cut into groups" in low.beside[0]
    assert low.beside[0].endswith(": leave out weight, lowest, and ask again")
    assert low.to_dict()["beside"] == list(low.beside)
    assert low.beside[0] in str(low)
    said = _sentences(low)[0]
    assert said == (f"{low.beside[0]}.",) and not isinstance(said[0], Name)  # a remark on the page, not a name
    assert _effect_sentences(low, None)[-1] == f"{low.beside[0]}."  # beside the edge, too
    assert asked.effect("smoke", "extra").beside == (
        "total is the sum of weight, extra: ask again without total, weight",
    )


def test_the_page_names_what_stands_beside_an_effect(tmp_path):
    data = made_columns().select(["smoke", "weight", "low"])
    result = paucal.learn(data, "posterior", outcome=["low"], exogenous=["smoke"])
    page = result.report(tmp_path / "page.html", data=data).read_text("utf-8")
    assert "low is weight cut into groups" in page
    assert "leave out weight, and ask again" in page


def test_of_scores_the_mean_comes_first():
    rng = np.random.default_rng(7)
    x = rng.integers(0, 2, 400)
    score = rng.binomial(14, 0.4 + 0.2 * x)
    data = Dataset.of({"x": x, "score": score, "z": rng.integers(0, 2, 400)})
    asked = Effects(("x", "score", "z"), [((), (0,), ())] * 20, data)
    effect = asked.effect("x", "score")
    lines = str(effect).splitlines()
    assert lines[1].startswith("do(x = 0): mean ")
    assert lines[3].startswith("difference in the mean of score, 1 instead of 0: 2.")
    assert f"and {len(effect.outcomes) - 10} more levels of score" in lines
    assert sum("difference in the mean" in line for line in lines) == 1
    assert "; as a score, its mean changes by 2." in str(asked.effects("score")).splitlines()[0]
    assert not asked.effect("score", "x").scored


def test_near_copies_and_formulas_are_named_too():
    rng = np.random.default_rng(8)
    height, weight = rng.normal(1.7, 0.1, 300).round(2), rng.normal(75, 12, 300).round(1)
    smoke = rng.choice(["no", "yes"], 300)
    again = np.where(rng.random(300) < 0.1, None, smoke)
    table = {"height": height, "weight": weight, "bmi": (weight / height**2).round(2)}
    kinds = dict.fromkeys(("height", "weight", "bmi"), "number")
    data = Dataset.of(table | {"smoke": smoke, "again": again.tolist()}, kinds=kinds, missing="keep")
    asked = Effects(data.names, [((), (), (0, 1), (), (3,))] * 4, data)
    said = {pair: asked.effect(*pair).by_definition or "" for pair in (("weight", "bmi"), ("smoke", "again"))}
    assert "bmi is computed from" in said["weight", "bmi"]
    assert said["weight", "bmi"].endswith("if it was computed so, this is not an effect of one on the other")
    assert said["smoke", "again"].startswith("again says the same as smoke in all ")
    assert any("again says the same as smoke" in one for one in asked.effect("smoke", "height").beside)


def test_a_cut_in_few_rows_is_pointed_out_and_may_be_chance():
    rng = np.random.default_rng(3)
    age = rng.permutation(np.arange(20, 60, 2))
    data = paucal.Dataset.of({"age": age, "old": age >= 44, "sex": rng.choice(["f", "m"], 20)}, kinds={"age": "number"})
    result = paucal.learn(data, search="posterior")
    said = result.effect("age", "old", data=data).by_definition
    assert said is not None
    assert said.startswith("old is age cut into groups: old = False below age = 44, True from 44 on: if one was made")
    assert said.endswith("in so few rows it may be chance")
    assert result.effect("age", "sex", data=data).by_definition is None


def test_groups_that_a_strong_treatment_tells_apart_are_no_cut():
    rng = np.random.default_rng(4)
    trial = {"arm": ["drug", "placebo"] * 20, "y": np.round(rng.normal(0, 1, 40) + [9, 0] * 20, 2)}
    data = paucal.Dataset.of(trial, kinds={"y": "number"})
    known = paucal.learn(data, search="posterior", randomised=["arm"]).effect("arm", "y", data=data)
    assert known.by_definition is None
    assert str(known).startswith("arm was randomised")
    plain = paucal.learn(data, search="posterior").effect("arm", "y", data=data)
    assert "arm is y cut into groups" in (plain.by_definition or "")
