"""The posterior of DAGs: sampled probabilities equal exact ones, knowledge holds, nothing but the data decides."""

from __future__ import annotations

import math
from functools import cache
from itertools import permutations

import numpy as np
import pytest

import paucal
from paucal import Dataset, Knowledge
from paucal.errors import ConvergenceWarning, DataError, KnowledgeError, ParameterError, QuestionError
from paucal.search.by_scores.posterior import _disagreement
from paucal.search.by_scores.problem import Problem
from small_samples import small_sample
from twin.posterior import posterior

TEMPER = 0.7
CHAINS = 8


def compare(data: Dataset, *, required=(), forbidden=(), max_parents=4, heats=(1.0, 0.6)) -> float:
    """Compare the shares of arrows, lines and blankets with the sums over all DAGs; give the largest standard error."""
    settings = {"edge_penalty": math.log(data.n_columns), "temper": TEMPER, "max_parents": max_parents}
    names = [[(data.names[a], data.names[b]) for a, b in pairs] for pairs in (required, forbidden)]
    known = Knowledge(required=names[0], forbidden=names[1]) if required or forbidden else None
    chains = [
        paucal.learn(
            data,
            "posterior",
            knowledge=known,
            heats=heats,
            chains=1,
            starts=2,
            burn_in=50,
            rounds=3000,
            seed=seed,
            **settings,
        )
        for seed in range(CHAINS)
    ]
    exact = posterior(data, required=required, forbidden=forbidden, **settings).shares()
    worst = 0.0
    for drawn, wanted in zip(
        zip(*((*sampled_shares(one), one.evidence.blanket) for one in chains), strict=True),
        exact,
        strict=True,
    ):
        error = np.std(drawn, axis=0, ddof=1) / math.sqrt(CHAINS)
        difference = np.abs(np.mean(drawn, axis=0) - wanted)
        assert (difference <= 6 * error + 0.003).all(), (difference.max(), error.max())
        worst = max(worst, float(error.max()))
    return worst


def sampled_shares(result) -> tuple[np.ndarray, np.ndarray]:
    """Shares of arrows and of lines as they were sampled, before directions were moderated."""
    names = result.graph.nodes
    arrow, line = np.zeros((2, len(names), len(names)))
    for pair in result.details["sampled"]:
        i, j = names.index(pair["a"]), names.index(pair["b"])
        arrow[i, j], arrow[j, i], line[i, j], line[j, i] = pair["->"], pair["<-"], pair["--"], pair["--"]
    return arrow, line


@pytest.mark.parametrize("seed", range(4))
def test_sampled_probabilities_equal_those_of_all_dags_of_four_columns(seed):
    assert compare(small_sample(seed, 4, 40)) < 0.01


def test_sampled_probabilities_equal_those_of_all_29281_dags_of_five_columns():
    assert compare(small_sample(21, 5, 60)) < 0.01


@pytest.mark.parametrize(
    "rules",
    [
        {"required": [(0, 1), (2, 1)]},
        {"forbidden": [(0, 1), (1, 0), (3, 2)]},
        {"required": [(3, 0)], "forbidden": [(0, 1), (2, 1), (2, 0)]},
        {"max_parents": 1},
        {"heats": (1.0,)},
        {"heats": (1.0, 0.8, 0.6, 0.4)},
    ],
)
def test_the_same_under_knowledge_and_other_settings(rules):
    assert compare(small_sample(5, 4, 40), **rules) < 0.012


def test_counting_orders_instead_would_have_been_noticed():
    # Weight every DAG by the number of orders it fits, as sampling orders does: far outside the error allowed above.
    exact = posterior(small_sample(0, 4, 40), edge_penalty=math.log(4), temper=TEMPER)
    orders = list(permutations(range(4)))
    fits = np.array(
        [sum(all(o.index(a) < o.index(b) for a, b in np.argwhere(dag).tolist()) for o in orders) for dag in exact.dags]
    )
    biased = exact.weights * fits / (exact.weights * fits).sum()
    joined = exact.classes | exact.classes.transpose(0, 2, 1)
    assert np.abs(np.tensordot(biased - exact.weights, joined, 1)).max() > 0.05


@cache
def learned(threads: int = 1, seed: int = 0):
    return paucal.learn(asia(), "posterior", threads=threads, seed=seed, rounds=150)


@cache
def asia() -> Dataset:
    return paucal.load_network("asia").sample(400, seed=2)


def numbers(result) -> dict:
    return {k: v for k, v in result.to_dict().items() if k not in ("seconds", "recipe")}


def test_threads_change_nothing_and_seeds_do():
    assert numbers(learned(1)) == numbers(learned(2))
    assert learned(seed=1).probabilities() != learned().probabilities()


def test_neither_columns_nor_rows_nor_labels_have_an_order():
    rng = np.random.default_rng(1)
    data = asia()
    other = data.select([data.names[i] for i in rng.permutation(8)]).take(rng.permutation(data.n_rows))
    swapped = Dataset.from_codes(
        [len(lv) - 1 - codes.astype(np.int64) for codes, lv in zip(other.columns, other.levels, strict=True)],
        other.names,
        [levels[::-1] for levels in other.levels],
    )
    again = paucal.learn(swapped, "posterior", rounds=150)
    assert again.graph == learned().graph
    for a in data.names:
        for b in data.names:
            if a != b:
                assert again.evidence.of_pair(a, b) == learned().evidence.of_pair(a, b)


def test_probabilities_add_up_and_are_sorted():
    result = learned()
    pairs = result.probabilities(least=0)
    assert len(pairs) <= 28
    for pair in pairs:
        assert list(pair) == ["a", "b", "absent", "->", "<-", "--"]
        assert sum(pair[kind] for kind in ("absent", "->", "<-", "--")) == pytest.approx(1)
    joined = [1 - pair["absent"] for pair in pairs]
    assert joined == pytest.approx(sorted(joined, reverse=True), abs=1e-12)
    assert all(1 - pair["absent"] >= 0.5 for pair in result.probabilities(least=0.5))
    assert result.evidence.n_graphs == 2 * 2 * 150


def test_the_graph_is_a_class_of_dags_and_fits_the_probabilities():
    result = learned()
    assert result.graph.as_kind("cpdag").kind == "cpdag"
    for edge in result.edges():
        assert edge["probability"] > 0.3
        assert 0 <= edge["probability_of_marks"] <= edge["probability"]
    for pair in result.probabilities():
        if pair["absent"] < 0.1:
            assert result.graph.has_edge(pair["a"], pair["b"])


def test_blanket_probabilities():
    result = learned()
    members = result.blanket_probabilities("either")
    assert [m["blanket"] for m in members] == sorted((m["blanket"] for m in members), reverse=True)
    for m in members:
        parts = sum(m[role] for role in ("parent", "child", "undetermined", "spouse"))
        assert parts == pytest.approx(m["blanket"])
        pair = result.evidence.of_pair("either", m["node"])
        assert m["child"] == pytest.approx(pair["->"])
        assert m["blanket"] >= 1 - pair["absent"] - 1e-9
    with pytest.raises(paucal.errors.PaucalError, match="nobody"):
        result.blanket_probabilities("nobody")


def test_clear_data_leave_little_doubt():
    rng = np.random.default_rng(0)
    a, b = (rng.random(3000) < 0.15).astype(int), (rng.random(3000) < 0.3).astype(int)
    noise = rng.random(3000) < 0.1
    data = {"a": a, "b": b, "c": (a | b) ^ noise}
    result = paucal.learn(data, "posterior")
    assert result.graph == paucal.Graph.parse("a -> c <- b")
    assert result.evidence.of_edge("a", "->", "c") > 0.5
    assert result.evidence.of_pair("a", "c")["absent"] < 1e-3


def test_knowledge_holds_in_every_dag():
    known = Knowledge(
        tiers=[["asia", "smoke"], ["bronc", "either", "lung", "tub"], ["dysp", "xray"]],
        required=[("asia", "lung")],
        forbidden=[("smoke", "bronc")],
    )
    result = paucal.learn(asia(), "posterior", knowledge=known, rounds=100)
    forbidden = known.forbidden_matrix(asia().names)
    shares = result.evidence.shares
    assert not shares["->"][forbidden].any()
    assert result.evidence.of_edge("asia", "->", "lung") == 1
    assert ("asia", "lung") in result.graph.arcs()
    assert not result.graph.has_edge("smoke", "bronc")
    # across tiers nothing is undirected
    assert result.evidence.of_edge("either", "--", "xray") == 0
    assert result.evidence.of_edge("either", "->", "xray") > 0.5


def test_constant_columns_stay_alone():
    with pytest.warns(paucal.errors.ConstantColumnWarning):
        data = Dataset.of({"a": [0, 1] * 30, "b": [0, 1] * 30, "always": [1] * 60})
    with pytest.warns(paucal.errors.CopiedColumnWarning, match="'a' and 'b'"):
        result = paucal.learn(data, "posterior")
    assert result.details["copies"] == [["a", "b"]]
    paucal.learn(data, "posterior")  # warned once for a data set
    assert result.evidence.joined[2].max() == 0
    assert result.graph.edges() == paucal.Graph.parse("a -- b; always", kind="cpdag").edges()
    with pytest.warns(paucal.errors.ConstantColumnWarning):
        nothing = Dataset.of({"a": [0] * 9, "b": [1] * 9})
    assert paucal.learn(nothing, "posterior").graph.n_edges == 0


def test_chains_that_disagree_go_on_and_then_warn():
    with pytest.warns(ConvergenceWarning, match="not settled") as caught:
        result = paucal.learn(asia(), "posterior", rounds=10, max_rounds=25, tolerance=1e-9)
    assert result.details["rounds"] == 25
    unsettled = result.details["unsettled"]
    apart = [pair["high"] - pair["low"] for pair in unsettled]
    assert len(unsettled) > 5 and apart == sorted(apart, reverse=True)
    assert apart[0] == pytest.approx(result.details["difference"])
    said = str(caught[0].message)
    for pair in unsettled[:5]:
        assert f"{pair['a']!r} and {pair['b']!r}, {pair['low']:.2f} to {pair['high']:.2f}" in said
    assert f"and {len(unsettled) - 5} more pairs" in said
    for pair in unsettled:
        joined = result.evidence.joined[asia().index(pair["a"]), asia().index(pair["b"])]
        assert pair["low"] - 1e-9 <= joined <= pair["high"] + 1e-9
    assert paucal.SearchResult.from_json(result.to_json()).details["unsettled"] == unsettled
    assert learned().details["unsettled"] == []
    assert result.evidence.n_graphs == 2 * 2 * 25
    alone = paucal.learn(asia(), "posterior", chains=1, rounds=10)
    assert alone.details["difference"] is None
    assert alone.details["rounds"] == 10


def test_standard_errors_say_what_is_not_settled():
    class Counted:
        """Two chains that agree: on one pair all their parts do, on the other their parts are far apart."""

        def by_part(self):
            parts = np.zeros((16, 3, 3))
            parts[:, 0, 1] = parts[:, 1, 0] = 0.5
            parts[:, 0, 2] = parts[:, 2, 0] = np.tile([0.2, 0.8], 8)
            return parts

        def by_chain(self):
            return self.by_part().reshape(2, 8, 3, 3).mean(axis=1)

    columns = np.random.default_rng(0).integers(0, 2, (3, 50))
    data = Dataset.of(dict(zip("abc", columns.tolist(), strict=True)))
    problem = Problem(data, None, ess=1.0, knowledge=None, edge_penalty=None)
    difference, far, unsettled = _disagreement(problem, Counted(), 0.2, 200)
    error = 0.3 * math.sqrt(16 / 15) / 4
    assert difference == 0 and far  # four standard errors are 0.31
    assert [{one.a, one.b} for one in unsettled] == [{problem.names[0], problem.names[2]}]
    assert (unsettled[0].low, unsettled[0].high) == pytest.approx((0.5 - 3.5 * error, 0.5 + 3.5 * error))
    assert _disagreement(problem, Counted(), 0.6, 200) == (0.0, False, [])
    assert _disagreement(problem, Counted(), 0.2, 199) == (0.0, False, [])  # too short to tell


def test_progress():
    told = []
    paucal.learn(asia(), "posterior", starts=2, rounds=30, burn_in=25, tolerance=1, progress=lambda *w: told.append(w))
    told = list(dict.fromkeys(told))  # in long work it is told again where it is
    assert told[:3] == [("order search", i, 3) for i in range(3)]  # two climbs, and on from the better one
    assert told[3:6] == [("tables of possible parents", 0, None), ("burn-in", 0, 25), ("burn-in", 20, 25)]
    at = [done for _, done, _ in told[6:]]
    assert at == sorted(set(at)) and at[0] == 0 and {(what, of) for what, _, of in told[6:]} == {("sampling", 30)}


def test_json_and_text():
    result = learned()
    back = paucal.SearchResult.from_json(result.to_json())
    assert back == result
    for pair in result.probabilities():
        assert back.evidence.of_pair(pair["a"], pair["b"]) == pytest.approx(
            {kind: pair[kind] for kind in ("absent", "->", "--", "<-")}, abs=1e-8
        )
    assert "600 DAGs drawn from the posterior" in str(back)
    assert "joined" in str(back)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_come_back_as_they_came(kind):
    frame = asia().to_frame(kind)
    result = paucal.learn(frame, "posterior", rounds=20, tolerance=1)
    for answer in (result.probabilities(), result.edges(), result.blanket_probabilities("either")):
        assert type(answer).__module__.startswith(kind)


def test_other_searches_tell_no_probabilities():
    result = paucal.learn(asia(), "pc-stable")
    with pytest.raises(QuestionError, match="bootstrap"):
        result.probabilities()


@pytest.mark.filterwarnings("ignore::paucal.errors.PaucalWarning")
@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [0], "b": [1]}, "One row"),
        ({"a": [0, 1, 1]}, "one column"),
        ({f"x{i}": [0, 1, 1] for i in range(5000)}, "5,000 columns"),
    ],
)
def test_data_that_cannot_do(data, message):
    with pytest.raises(DataError, match=message):
        paucal.learn(data, "posterior")


@pytest.mark.parametrize(
    "options",
    [
        {"temper": 0},
        {"temper": math.inf},
        {"candidates": 17},
        {"candidates": 0},
        {"max_parents": 0},
        {"chains": 0},
        {"rounds": 0},
        {"burn_in": -1},
        {"rounds": 10, "max_rounds": 5},
        {"tolerance": 0},
        {"heats": ()},
        {"heats": (0.5,)},
        {"heats": (1, 0.5, 0.8)},
        {"heats": 1},
        {"threads": 0},
        {"seed": 1.5},
        {"test": "chi2"},
    ],
)
def test_arguments_that_make_no_sense(options):
    with pytest.raises(ParameterError):
        paucal.learn({"v0": [0, 1, 0, 1], "v1": [0, 1, 1, 1]}, "posterior", **options)


def test_contradictory_knowledge_is_refused():
    with pytest.raises(KnowledgeError):
        paucal.learn(asia(), "posterior", knowledge=Knowledge(required=[("asia", "tub")], forbidden=[("asia", "tub")]))


def test_few_columns_without_relation_stay_apart():
    rng = np.random.default_rng(8)
    joined = 0
    for _ in range(20):
        data = {name: rng.integers(0, 2, 500) for name in "abc"}
        joined += paucal.learn(data, "posterior", rounds=100, starts=2).graph.n_edges
    assert joined <= 4  # of 60 pairs
