"""BayesNet: construction, exact probabilities, sampling, likelihood, fitting."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc

import paucal
from paucal import BayesNet, Dataset, Graph
from paucal.errors import DataError, GraphError, NetworkError, ParameterError, UnknownNameError
from random_networks import networks

BUNDLED = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "alarm", "hailfinder"]
LEVELS = {"rain": ("yes", "no"), "grass": ("wet", "damp", "dry")}
PARENTS = {"grass": ("rain",)}
CPTS = {"rain": [0.2, 0.8], "grass": [[0.9, 0.075, 0.025], [0.25, 0.25, 0.5]]}


def weather() -> BayesNet:
    return BayesNet(LEVELS, PARENTS, CPTS, name="weather")


def codes(data: Dataset) -> np.ndarray:
    return np.column_stack([column.astype(int) for column in data.columns])


def probability(net: BayesNet, row: tuple[int, ...]) -> float:
    value = dict(zip(net.names, row, strict=True))
    return math.prod(float(net.cpts[node][tuple(value[v] for v in (*net.parents(node), node))]) for node in net.names)


def naive_joint(net: BayesNet, query: list[str]) -> np.ndarray:
    """Sum the product of all tables over every configuration of all nodes."""
    result = np.zeros([len(net.levels[node]) for node in query])
    where = [net.names.index(node) for node in query]
    for row in itertools.product(*(range(len(net.levels[node])) for node in net.names)):
        result[tuple(row[i] for i in where)] += probability(net, row)
    return result


# ---- construction


def test_what_it_is_made_of():
    net = weather()
    assert net.names == ("rain", "grass")
    assert dict(net.levels) == LEVELS
    assert net.parents("grass") == ("rain",)
    assert net.parents("rain") == ()
    assert net.graph == Graph.dag(["rain", "grass"], [("rain", "grass")])
    assert net.n_parameters == 5
    assert repr(net) == "BayesNet('weather', 2 nodes, 1 arc, 5 parameters)"
    with pytest.raises(UnknownNameError, match="Did you mean 'grass'"):
        net.parents("gras")


def test_it_cannot_be_changed():
    net = weather()
    with pytest.raises(ValueError, match="read-only"):
        net.cpts["rain"][0] = 1.0
    with pytest.raises(TypeError):
        net.cpts["rain"] = np.array([0.5, 0.5])
    with pytest.raises(AttributeError):
        net.name = "other"
    source = np.array([0.2, 0.8])
    copied = BayesNet({"rain": LEVELS["rain"]}, {}, {"rain": source})
    source[0] = 0.7
    assert copied.cpts["rain"][0] == 0.2


@pytest.mark.parametrize(
    ("levels", "parents", "cpts", "problem"),
    [
        ({}, {}, {}, "it has no nodes"),
        ({" ": ["a"]}, {}, {" ": [1.0]}, "' ' is not a name"),
        ({"x": []}, {}, {"x": []}, "'x' has no levels"),
        ({"x": ["a", "a"]}, {}, {"x": [0.5, 0.5]}, "'x' has the same level twice"),
        (LEVELS, {"grass": ["snow"]}, CPTS, r"parents of 'grass' are not nodes: \['snow'\]"),
        (LEVELS, {"grass": ["rain", "rain"]}, CPTS, "'grass' has a parent twice"),
        (LEVELS, {"grass": ["grass"]}, CPTS, "is its own parent"),
        (LEVELS, {"grass": ["rain"], "snow": []}, CPTS, "'snow' has parents and is not a node"),
        (LEVELS, PARENTS, {"rain": [0.2, 0.8]}, "'grass' has no table"),
        (LEVELS, PARENTS, {**CPTS, "snow": [1.0]}, "'snow' has a table and is not a node"),
        (LEVELS, {}, CPTS, r"the table of 'grass' has the shape \(2, 3\), its levels ask for \(3,\)"),
        (
            LEVELS,
            PARENTS,
            {**CPTS, "rain": [0.2, 0.7]},
            "in the table of 'rain' the probabilities add up to 0.9",
        ),
        (LEVELS, PARENTS, {**CPTS, "rain": [-0.1, 1.1]}, "in the table of 'rain' -0.1 is not a probability"),
        (LEVELS, PARENTS, {**CPTS, "grass": [[0.5, 0.5], [1.0]]}, "'grass' is not an array of numbers"),
        (LEVELS, PARENTS, {**CPTS, "rain": ["a", "b"]}, "'rain' is not an array of numbers"),
        (LEVELS, PARENTS, {**CPTS, "rain": [math.nan, 1.0]}, "nan is not a probability"),
        (LEVELS, PARENTS, {**CPTS, "rain": [math.inf, 0.0]}, "inf is not a probability"),
    ],
)
def test_what_is_not_a_network(levels, parents, cpts, problem):
    with pytest.raises(NetworkError, match=problem):
        BayesNet(levels, parents, cpts)


def test_a_cycle_is_refused():
    parents = {"a": ["b"], "b": ["a"]}
    table = [[0.5, 0.5], [0.5, 0.5]]
    with pytest.raises(NetworkError, match="cycle"):
        BayesNet({"a": "01", "b": "01"}, parents, {"a": table, "b": table})


def test_rows_within_the_tolerance_are_scaled_and_others_left_alone():
    net = BayesNet({"x": "abc"}, {}, {"x": [0.3333333, 0.3333333, 0.3333333]})
    assert net.cpts["x"] == pytest.approx(np.full(3, 1 / 3), abs=1e-15)
    good = [0.1, 0.2, 0.7]  # adds up to 0.9999999999999999
    assert BayesNet({"x": "abc"}, {}, {"x": good}).cpts["x"].tolist() == good


def test_equality_looks_at_everything_but_the_name():
    net = weather()
    assert net == BayesNet(LEVELS, PARENTS, CPTS, name="other")
    assert hash(net) == hash(BayesNet(LEVELS, PARENTS, CPTS))
    assert net != BayesNet(LEVELS, PARENTS, {**CPTS, "rain": [0.21, 0.79]})
    assert net != BayesNet({**LEVELS, "rain": ("no", "yes")}, PARENTS, CPTS)
    assert net != BayesNet(dict(reversed(LEVELS.items())), PARENTS, CPTS)
    assert net != BayesNet(LEVELS, {}, {"rain": CPTS["rain"], "grass": CPTS["grass"][0]})
    assert net != "weather"


@settings(deadline=None, max_examples=50)
@given(networks())
def test_pickles_are_exact(net):
    again = pickle.loads(pickle.dumps(net))  # noqa: S301 - our own bytes
    assert again == net
    assert again.name == net.name
    assert all(again.cpts[node].tobytes() == net.cpts[node].tobytes() for node in net.names)


@pytest.mark.parametrize(("name", "compelled"), [("child", 13), ("insurance", 34), ("alarm", 42), ("hailfinder", 49)])
def test_the_equivalence_class_has_the_known_number_of_arrows(name, compelled):
    net = paucal.load_network(name)
    cpdag = net.cpdag()
    assert cpdag.kind == "cpdag"
    assert cpdag.n_directed == compelled
    assert cpdag.skeleton() == net.graph.skeleton()


# ---- exact probabilities


@settings(deadline=None, max_examples=60)
@given(networks(), st.data())
def test_elimination_equals_summing_over_everything(net, data):
    query = data.draw(st.lists(st.sampled_from(net.names), unique=True))
    assert net.joint(query) == pytest.approx(naive_joint(net, query), abs=1e-12)
    node = data.draw(st.sampled_from(net.names))
    assert net.marginal(node) == pytest.approx(naive_joint(net, [node]), abs=1e-12)


def test_asia_by_hand():
    net = paucal.load_network("asia")
    tub, lung = 0.01 * 0.05 + 0.99 * 0.01, 0.5 * 0.1 + 0.5 * 0.01
    either = tub + lung - tub * lung
    assert net.marginal("either")[0] == pytest.approx(either, abs=1e-15)
    assert net.marginal("xray")[0] == pytest.approx(0.98 * either + 0.05 * (1 - either), abs=1e-15)
    assert net.joint(["tub", "lung"])[0, 0] == pytest.approx(tub * lung, abs=1e-15)


def test_questions_that_make_no_sense():
    net = paucal.load_network("asia")
    with pytest.raises(ParameterError, match="twice"):
        net.joint(["tub", "tub"])
    with pytest.raises(UnknownNameError, match="'lung'"):
        net.marginal("lungs")
    with pytest.raises(NetworkError, match="estimate from a sample"):
        paucal.load_network("alarm").joint(paucal.load_network("alarm").names)


# ---- sampling


def chi2_p_value(counts: np.ndarray, expected: np.ndarray) -> float:
    possible = expected > 0.0
    assert not counts[~possible].any()
    counts, expected = counts[possible], expected[possible]
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(chdtrc(len(counts) - 1, statistic)) if len(counts) > 1 else 1.0


@pytest.mark.parametrize("name", [*BUNDLED, "child3", "child5-unlinked"])
def test_frequencies_match_the_exact_marginals(name):
    net = paucal.load_network(name)
    n = 100_000
    data = net.sample(n, seed=7)
    p_values = [
        chi2_p_value(np.bincount(column, minlength=len(net.levels[node])), n * net.marginal(node))
        for node, column in zip(net.names, data.columns, strict=True)
    ]
    assert min(p_values) > 1e-3 / len(net.names)


@pytest.mark.parametrize("name", ["sachs", "child", "insurance", "alarm"])
def test_frequencies_match_the_exact_distribution_of_families(name):
    net = paucal.load_network(name)
    n = 100_000
    column = dict(zip(net.names, net.sample(n, seed=8).columns, strict=True))
    p_values = []
    for node in net.names:
        family = [*net.parents(node), node]
        exact = net.joint(family)
        cells = np.ravel_multi_index([column[v] for v in family], exact.shape)
        counts = np.bincount(cells, minlength=exact.size)
        likely = n * exact.ravel() > 5  # the chi-square approximation needs some expected counts
        rest = (counts[~likely].sum(), n * exact.ravel()[~likely].sum())
        counts, expected = (
            np.append(counts[likely], rest[0]),
            np.append(n * exact.ravel()[likely], rest[1]),
        )
        p_values.append(chi2_p_value(counts, expected))
    assert min(p_values) > 1e-3 / len(net.names)


def test_a_seed_means_these_rows():
    rows = codes(paucal.load_network("cancer").sample(6, seed=1))
    uniforms = np.random.Generator(np.random.PCG64(1)).random((6, 5))
    expected = np.zeros((6, 5), dtype=int)
    for i, (pollution, smoker, cancer, xray, dyspnoea) in enumerate(uniforms):
        expected[i, 0] = pollution >= 0.9
        expected[i, 1] = smoker >= 0.3
        risk = [[0.03, 0.001], [0.05, 0.02]][expected[i, 0]][expected[i, 1]]
        expected[i, 2] = cancer >= risk
        expected[i, 3] = xray >= [0.9, 0.2][expected[i, 2]]
        expected[i, 4] = dyspnoea >= [0.65, 0.3][expected[i, 2]]
    assert rows.tolist() == expected.tolist()


@settings(deadline=None, max_examples=60)
@given(networks(), st.integers(0, 2**64 - 1), st.integers(1, 60))
def test_one_uniform_number_per_node_decides_the_level(net, seed, n):
    uniforms = np.random.Generator(np.random.PCG64(seed)).random((n, len(net.names)))
    rows = codes(net.sample(n, seed=seed))
    for row, draws in zip(rows, uniforms, strict=True):
        value = dict(zip(net.names, row.tolist(), strict=True))
        for node, u in zip(net.names, draws, strict=True):
            probabilities = net.cpts[node][tuple(value[v] for v in net.parents(node))]
            cumulated = np.cumsum(probabilities)
            level = min(int(np.searchsorted(cumulated, u, side="right")), np.flatnonzero(probabilities)[-1])
            assert value[node] == level


def test_short_samples_begin_long_ones_and_hidden_columns_change_nothing(monkeypatch):
    net = paucal.load_network("child")
    whole = net.sample(3000, seed=5)
    assert np.array_equal(codes(net.sample(100, seed=5)), codes(whole)[:100])
    monkeypatch.setattr("paucal.networks.sampling._BLOCK_CELLS", 1000)
    monkeypatch.setattr("paucal.networks.sampling._BLOCK_ROWS", 7)
    assert np.array_equal(codes(net.sample(3000, seed=5)), codes(whole))
    seen = net.sample(3000, seed=5, observed=["Sick", "Disease"])
    assert seen.names == ("Disease", "Sick")
    where = [net.names.index(node) for node in seen.names]
    assert np.array_equal(codes(seen), codes(whole)[:, where])


def test_seeds_of_every_kind():
    net = paucal.load_network("asia")
    expected = codes(net.sample(50, seed=3))
    assert np.array_equal(codes(net.sample(50, np.int64(3))), expected)
    assert np.array_equal(codes(net.sample(50, np.random.SeedSequence(3))), expected)
    rng = np.random.Generator(np.random.PCG64(3))
    first, second = codes(net.sample(20, rng)), codes(net.sample(30, rng))
    assert np.array_equal(np.vstack([first, second]), expected)
    assert not np.array_equal(codes(net.sample(50, seed=4)), expected)


def test_samples_that_cannot_be_drawn():
    net = paucal.load_network("asia")
    for seed in (-1, 1.5, "1", True, None):
        with pytest.raises(ParameterError, match="seed="):
            net.sample(5, seed)
    for n in (0, -1, 2.5, True):
        with pytest.raises(ParameterError, match=r"n=.* is not a whole number from 1 to"):
            net.sample(n, seed=1)
    with pytest.raises(UnknownNameError, match="Did you mean 'lung'"):
        net.sample(5, seed=1, observed=["lungs"])
    with pytest.raises(ParameterError, match=r"Write observed=\['lung'\]"):
        net.sample(5, seed=1, observed="lung")
    with pytest.raises(ParameterError, match="No column is observed"):
        net.sample(5, seed=1, observed=[])


def test_every_declared_level_is_kept_and_impossible_ones_never_drawn():
    # nine tenths of ten levels add up to less than one in floating point: the last must stay impossible
    net = BayesNet({"x": [*"abcdefghijk", "never"]}, {}, {"x": [1 / 11] * 11 + [0.0]})
    data = net.sample(20_000, seed=1)
    assert list(map(str, data.levels[0])) == [*"abcdefghijk", "never"]
    assert set(data.columns[0].tolist()) == set(range(11))


@pytest.mark.parametrize(("levels", "dtype"), [(2, np.uint8), (256, np.uint8), (257, np.uint16), (70_000, np.uint32)])
def test_many_levels(levels, dtype):
    labels = [str(i) for i in range(levels)]
    weights = np.zeros(levels)
    weights[[0, levels - 1]] = 0.5
    data = BayesNet({"x": labels}, {}, {"x": weights}).sample(200, seed=1)
    assert data.columns[0].dtype == dtype
    assert set(data.columns[0].tolist()) == {0, levels - 1}


# ---- likelihood


@settings(deadline=None, max_examples=40)
@given(networks(), st.integers(0, 100))
def test_the_likelihood_equals_the_product_over_rows(net, seed):
    data = net.sample(25, seed=seed)
    expected = math.fsum(math.log(probability(net, tuple(row))) for row in codes(data).tolist())
    assert net.log_likelihood(data) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_likelihood_finds_columns_by_name_and_levels_by_label():
    net = weather()
    data = Dataset.from_codes(
        (
            np.array([0, 1, 1], dtype=np.uint8),
            np.array([1, 1, 0], dtype=np.uint8),
            np.array([0, 0, 0], dtype=np.uint8),
        ),
        ("grass", "rain", "other"),
        (("dry", "wet", "unused"), ("no", "yes"), ("1",)),
    )
    assert net.log_likelihood(data) == pytest.approx(math.log(0.2 * 0.025 * 0.2 * 0.9 * 0.8 * 0.25))


def test_the_likelihood_knows_numbers_and_truth_values_by_their_text():
    levels = {"x": ["TRUE", "FALSE"], "y": ["none", "1.0", "2"]}
    net = BayesNet(levels, {}, {"x": [0.25, 0.75], "y": [0.0, 0.125, 0.875]})
    column = np.array([0, 0, 1], dtype=np.uint8)
    data = Dataset.from_codes((column, column), ("x", "y"), ((False, True), (1, 2)))
    assert net.log_likelihood(data) == pytest.approx(math.log(0.75**2 * 0.25 * 0.125**2 * 0.875))


def test_a_missing_value_is_not_the_level_none():
    net = BayesNet({"x": ["None", "Mild"]}, {}, {"x": [0.5, 0.5]})
    data = Dataset.from_columns({"x": ["None", "Mild", None]}, missing="level")
    with pytest.raises(DataError, match="has the level None, the network does not"):
        net.log_likelihood(data)


def test_likelihood_of_impossible_rows_and_strange_data():
    net = BayesNet({"x": ["a", "b"]}, {}, {"x": [1.0, 0.0]})
    column = (np.array([0, 1], dtype=np.uint8),)
    assert net.log_likelihood(Dataset.from_codes(column, ("x",), (("a", "b"),))) == -math.inf
    with pytest.raises(DataError, match="The column 'x' has the level 'c', the network does not"):
        net.log_likelihood(Dataset.from_codes(column, ("x",), (("a", "c"),)))
    with pytest.raises(UnknownNameError, match="no column 'x'"):
        net.log_likelihood(Dataset.from_codes(column, ("y",), (("a", "b"),)))


# ---- fitting


def small_data() -> Dataset:
    return Dataset.from_codes(
        (np.array([0, 0, 0, 1], dtype=np.uint8), np.array([0, 1, 1, 0], dtype=np.uint8)),
        ("x", "y"),
        (("a", "b", "c"), ("0", "1")),
    )


@pytest.mark.parametrize(
    ("prior", "spread", "x", "y"),
    [
        (0.0, "cell", [3 / 4, 1 / 4, 0], [[1 / 3, 2 / 3], [1, 0], [1 / 2, 1 / 2]]),
        (1.0, "cell", [4 / 7, 2 / 7, 1 / 7], [[2 / 5, 3 / 5], [2 / 3, 1 / 3], [1 / 2, 1 / 2]]),
        (3.0, "table", [4 / 7, 2 / 7, 1 / 7], [[1.5 / 4, 2.5 / 4], [1.5 / 2, 0.5 / 2], [1 / 2, 1 / 2]]),
    ],
)
def test_the_posterior_mean(prior, spread, x, y):
    net = BayesNet.fit(Graph.dag("xy", [("x", "y")]), small_data(), prior=prior, spread=spread, name="small")
    assert net.name == "small"
    assert net.levels["x"] == ("a", "b", "c")
    assert net.cpts["x"] == pytest.approx(np.array(x))
    assert net.cpts["y"] == pytest.approx(np.array(y))


@pytest.mark.parametrize("name", ["asia", "sachs", "child"])
def test_fitting_a_large_sample_recovers_the_tables(name):
    net = paucal.load_network(name)
    n = 200_000
    fitted = BayesNet.fit(net.graph, net.sample(n, seed=11), prior=0.5)
    for node in net.names:
        # the fitted tables have their axes in the order of the graph
        axes = [net.parents(node).index(parent) for parent in fitted.parents(node)]
        truth = net.cpts[node].transpose([*axes, len(axes)])
        seen = n * net.joint(fitted.parents(node))[..., None]
        # six standard errors of a proportion, and what the prior adds
        limit = 6 * np.sqrt(truth * (1 - truth) / seen.clip(1)) + truth.shape[-1] / seen.clip(1)
        often = np.broadcast_to(seen > 100, truth.shape)
        assert often.any()
        assert (np.abs(fitted.cpts[node] - truth)[often] < limit[often]).all()


def test_the_likelihood_is_largest_at_its_maximum():
    net = paucal.load_network("cancer")
    data = net.sample(500, seed=2)
    best = BayesNet.fit(net.graph, data, prior=0.0).log_likelihood(data)
    assert best > net.log_likelihood(data)
    assert best > BayesNet.fit(net.graph, data, prior=1.0).log_likelihood(data)


def test_fits_that_cannot_be_made():
    data = small_data()
    graph = Graph.dag("xy", [("x", "y")])
    for prior in (-1.0, math.nan, math.inf):
        with pytest.raises(ParameterError, match="pseudo-count"):
            BayesNet.fit(graph, data, prior=prior)
    with pytest.raises(ParameterError, match="'cell', 'table'"):
        BayesNet.fit(graph, data, spread="row")
    with pytest.raises(UnknownNameError, match="no column 'z'"):
        BayesNet.fit(Graph.dag("xz"), data)
    with pytest.raises(GraphError, match="Only a DAG has tables"):
        BayesNet.fit(Graph.pdag("xy", undirected=[("x", "y")]), data)
    wide = [f"v{i}" for i in range(30)]
    column = np.array([0, 1], dtype=np.uint8)
    crowd = Dataset.from_codes((column,) * 30, tuple(wide), (("a", "b"),) * 30)
    with pytest.raises(NetworkError, match="would have 1073741824 cells"):
        BayesNet.fit(Graph.dag(wide, [(v, "v0") for v in wide[1:]]), crowd)
