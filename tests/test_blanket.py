"""Markov blankets: exact with a perfect test, the result object, several targets, bad input."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Dataset
from paucal.errors import ConstantColumnWarning, GraphError, ParameterError, QuestionError, UnknownNameError
from paucal.graphs import Graph
from paucal.search.catalogue import blanket_searches
from paucal.search.local.hiton import hiton_pc
from paucal.search.run import SearchRun
from random_graphs import network_dag, random_dags
from search_data import datasets

METHODS = ["cmb", "hiton", "mmmb", "iamb", "inter-iamb", "fast-iamb", "stmb"]
NETWORKS = ["asia", "cancer", "earthquake", "sachs", "survey", "child", "insurance", "alarm", "hailfinder"]


def truth(dag, target):
    """The neighbours of a node, and the parents of its children that are no neighbours."""
    neighbours = set(dag.adjacent(target))
    others = {p for child in dag.children(target) for p in dag.parents(child)}
    return neighbours, others - neighbours - {target}


def assert_exact(dag, method, targets=None, **options):
    oracle = paucal.Oracle(dag)  # it remembers: the targets share their answers
    for target in dag.nodes if targets is None else targets:
        found = paucal.blanket(oracle, target, search=method, **options)
        assert (set(found.pc), set(found.spouses)) == truth(dag, target), target


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("network", NETWORKS[:5])
def test_exact_on_small_networks(method, network):
    assert_exact(network_dag(network), method)


@pytest.mark.parametrize("method", [method for method in METHODS if method != "mmmb"])
@pytest.mark.parametrize("network", NETWORKS[5:])
def test_exact_on_some_targets_of_larger_networks(method, network):
    dag = network_dag(network)
    targets = np.random.default_rng(len(method)).choice(dag.nodes, 2, replace=False).tolist()
    assert_exact(dag, method, targets)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("network", NETWORKS[5:])
def test_exact_on_larger_networks(method, network):
    assert_exact(network_dag(network), method)


@pytest.mark.parametrize("method", METHODS)
def test_exact_on_random_dags(method):
    for _, dag in random_dags(20, (2, 8), seed=1):
        assert_exact(dag, method, max_order=None)


def test_every_method_is_tested():
    assert set(blanket_searches()) == {*METHODS, "mmpc"}
    oracle = paucal.Oracle(network_dag("asia"))
    assert paucal.blanket(oracle, "dysp", search="mmpc").mb == paucal.blanket(oracle, "dysp", search="mmmb").mb


@pytest.mark.parametrize("method", ["cmb", "hiton", "mmmb"])
def test_cost_grows_with_the_neighbourhood_and_not_with_far_columns(method):
    text = "A -> T; B -> T; T -> C; D -> C; C -> E"
    near = paucal.blanket(paucal.Oracle(Graph.parse(text)), "T", search=method)
    more = "; ".join(f"x{i} -> y{i}" for i in range(20))
    far = paucal.blanket(paucal.Oracle(Graph.parse(f"{text}; {more}")), "T", search=method)
    assert far.mb == near.mb

    def beyond_order_zero(found):
        return {order: tally for order, tally in found.ledger.by_order.items() if order > 0}

    assert beyond_order_zero(far) == beyond_order_zero(near)


# ------------------------------------------------------------------------------------------------- one algorithm


def naive_hiton(test, target, max_order):
    """HITON-PC in plain loops: after each entry every member is tried given every set of the others."""
    others = [v for v in range(len(test.names)) if v != target]
    alone = {v: test.ask(target, v) for v in others}
    ranked = [v for v in others if not alone[v].independent]
    ranked.sort(key=lambda v: (alone[v].nearness, -alone[v].statistic, v))
    kept = []
    for newcomer in ranked:
        kept.append(newcomer)
        for member in kept[::-1]:
            rest = [v for v in kept if v != member]
            sizes = range(min(len(rest), max_order) + 1)
            if any(test.ask(target, member, s).independent for k in sizes for s in combinations(rest, k)):
                kept.remove(member)
            if newcomer not in kept:
                break
    return sorted(kept)


@given(datasets(), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_hiton_equals_a_naive_twin(data, max_order):
    for target in range(len(data.names)):
        with SearchRun("hiton", paucal.make_test(data, "g")) as run:
            found = hiton_pc(run, target, max_order)
        assert list(found.kept) == naive_hiton(paucal.make_test(data, "g"), target, max_order)
        assert sorted([*found.kept, *found.separators]) == [v for v in range(len(data.names)) if v != target]
        test = paucal.make_test(data, "g")
        assert all(test.ask(target, v, given_set).independent for v, given_set in found.separators.items())


# ------------------------------------------------------------------------------------------------------ on data


@given(datasets(), st.sampled_from(METHODS))
@settings(max_examples=60, deadline=None)
def test_on_data_everything_fits_and_can_be_told(data, method):
    target = data.names[0]
    found = paucal.blanket(data, target, search=method)
    parts = [*found.parents, *found.children, *found.undetermined, *found.spouses]
    assert len(parts) == len(set(parts))
    assert target not in parts
    assert found.mb == tuple(name for name in data.names if name in parts)
    assert set(found.mb) == set(found.pc) | set(found.spouses)
    for name in data.names[1:]:
        assert str(found.why(name)).count("joined") >= 1
        assert (found.why(name).edge is not None) == (name in found.pc)
    assert [row["node"] for row in found.frame()] == parts
    assert paucal.BlanketResult.from_json(found.to_json()) == found
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301
    if method != "cmb":
        assert found.parents == found.children == ()


@given(datasets(most_columns=6), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_names_of_levels_and_order_of_rows_do_not_matter(data, seed):
    rng = np.random.default_rng(seed)
    columns = []
    for codes, levels in zip(data.columns, data.levels, strict=True):
        columns.append(rng.permutation(len(levels))[codes])
    other = paucal.Dataset.from_codes(columns, data.names, data.levels).take(rng.permutation(data.n_rows))
    for method in METHODS:
        first = paucal.blanket(data, data.names[-1], search=method)
        second = paucal.blanket(other, data.names[-1], search=method)
        assert first.members == second.members
        assert first.ledger.by_order == second.ledger.by_order


def test_a_noisy_cause_is_found_from_few_samples():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    t = (a | b) ^ (rng.random(400) < 0.05)
    c = t ^ (rng.random(400) < 0.1)
    found = paucal.blanket({"a": a, "b": b, "t": t.astype(int), "c": c.astype(int)}, "t")
    assert (found.parents, found.children) == (("a", "b"), ("c",))


# --------------------------------------------------------------------------------------------------- the result


def example():
    return paucal.blanket(paucal.Oracle(Graph.parse("A -> T -> B <- C; D -> T; E")), "T")


def test_the_result_tells_its_story():
    found = example()
    assert (found.parents, found.children, found.spouses) == (("A", "D"), ("B",), ("C",))
    assert found.pc == ("A", "B", "D")
    assert found.mb == ("A", "B", "C", "D")
    assert repr(found).startswith("BlanketResult(T; parents A, D; children B; spouses C; cmb, oracle, ")
    assert "spouses: C" in str(found)
    assert "<pre>" in found._repr_html_()
    assert found.seconds >= 0
    assert found.ledger.n_tests == found.result.ledger.n_tests
    assert "both are joined to B" in str(found.why("C"))
    assert "because they are independent" in str(found.why("E"))
    assert "A -> T <- D" in str(found.why("A"))
    with pytest.raises(QuestionError, match="is the target itself"):
        found.why("T")
    with pytest.raises(UnknownNameError, match="'F'"):
        found.why("F")


def test_the_frame_comes_in_the_library_of_the_data():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    data = paucal.load_network("asia").sample(1000, seed=0)
    for library in ("pandas", "polars"):
        frame = paucal.blanket(data.to_frame(library), "dysp").frame()
        assert isinstance(frame, pandas.DataFrame if library == "pandas" else polars.DataFrame)
        assert next(iter(frame["node"])) == "bronc"
    rows = paucal.blanket(data, "dysp").frame()
    assert rows[0]["p_value"] < 0.05
    spouse = example().frame()[-1]
    assert (spouse["node"], spouse["role"], spouse["via"], spouse["rule"]) == ("C", "spouse", "B", "spouse")


def test_damaged_json_is_refused():
    found = example()
    for text, message in (
        ("{", "not JSON"),
        ("[]", "not a blanket"),
        ('{"format": "paucal-blanket", "version": 2}', "version 2"),
        ('{"format": "paucal-blanket", "version": 1}', "no 'target'"),
    ):
        with pytest.raises(GraphError, match=message):
            paucal.BlanketResult.from_json(text)
    assert found != "something else"
    assert hash(found) == hash(paucal.BlanketResult.from_json(found.to_json()))


# ------------------------------------------------------------------------------------------------ several targets


def without_clock(results):
    return {t: {**r.to_dict(), "result": {**r.result.to_dict(), "seconds": 0}} for t, r in results.items()}


def test_any_number_of_jobs_gives_the_same():
    data = paucal.load_network("asia").sample(300, seed=0)
    one, two = (paucal.blankets(data, jobs=jobs) for jobs in (1, 2))
    assert list(one) == list(data.names)
    assert without_clock(one) == without_clock(two)
    assert without_clock({"lung": paucal.blanket(data, "lung")}) == without_clock({"lung": one["lung"]})


def test_some_targets_in_their_order_with_progress():
    told = []
    data = paucal.load_network("asia").sample(100, seed=0)
    found = paucal.blankets(data, ["xray", "tub", "xray"], search="iamb", progress=lambda *p: told.append(p))
    assert list(found) == ["xray", "tub"]
    assert told == [("targets", 1, 2), ("targets", 2, 2)]


# ------------------------------------------------------------------------------------------------------ bad input


def test_bad_input_is_named():
    data = paucal.load_network("asia").sample(50, seed=0)
    for error, message, call in (
        (UnknownNameError, "no column 'lungs'. Did you mean 'lung'", lambda: paucal.blanket(data, "lungs")),
        (UnknownNameError, "no column 'lungs'", lambda: paucal.blankets(data, ["tub", "lungs"])),
        (UnknownNameError, "blankets 'cbm'", lambda: paucal.blanket(data, "lung", search="cbm")),
        (ParameterError, "no option 'style'", lambda: paucal.blanket(data, "lung", search="iamb", style="x")),
        (
            ParameterError,
            "no option 'growth'",
            lambda: paucal.blanket(data, "lung", search="iamb", growth="x"),
        ),
        (UnknownNameError, "neighbours 'pc'", lambda: paucal.blanket(data, "lung", neighbours="pc")),
        (ParameterError, "max_order=-1", lambda: paucal.blanket(data, "lung", max_order=-1)),
        (ParameterError, "targets='lung'", lambda: paucal.blankets(data, "lung")),
        (ParameterError, "jobs=0", lambda: paucal.blankets(data, jobs=0)),
        (ParameterError, "finished test", lambda: paucal.blankets(paucal.make_test(data, "g"), jobs=2)),
        (
            ParameterError,
            "test='chi2'",
            lambda: paucal.blanket(paucal.make_test(data, "g"), "lung", test="chi2"),
        ),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("method", METHODS)
def test_constant_columns_are_warned_about_and_stay_outside(method):
    with pytest.warns(ConstantColumnWarning):
        data = Dataset.of({"a": [0, 1] * 30, "b": [0, 1] * 30, "c": [1] * 60})
    found = paucal.blanket(data, "c", search=method)
    assert found.mb == ()
    assert "empty" in repr(found)
    assert paucal.blanket(data, "a", search=method).mb == ("b",)
    with pytest.warns(ConstantColumnWarning):
        data = Dataset.of({"a": [0, 1] * 30, "b": [0] * 60, "c": [1] * 60})
    found = paucal.blankets(data, search=method)
    assert all(result.mb == () for result in found.values())


@pytest.mark.parametrize("method", METHODS)
def test_one_column(method):
    assert paucal.blanket({"a": [0, 1, 0]}, "a", search=method).mb == ()


def test_tests_that_turn_in_circles_do_not_keep_iamb_from_ending():
    def answers(x, y, given):
        return len(given) == 1 if "t" in (x, y) else False  # whoever enters first is independent afterwards

    columns = {name: [0, 1] for name in "tabc"}
    for method in ("inter-iamb", "fast-iamb", "iamb"):
        assert "t" not in paucal.blanket(paucal.make_test(columns, answers), "t", search=method).mb


# ---- what a blanket lost


def with_near_copies(seed: int, how: str) -> Dataset:
    """A target with two causes and an effect; one cause, or both, also in other words."""
    rng = np.random.default_rng(seed)
    p, q = rng.integers(0, 2, (2, 500))
    t = np.where(rng.random(500) < 0.8, p | q, rng.integers(0, 2, 500))
    more = {"copy": p, "both": 2 * p + q}[how]
    return Dataset.of({"p": p, "q": q, "t": t, "c": np.where(rng.random(500) < 0.85, t, 1 - t), how: more})


@pytest.mark.filterwarnings("ignore::paucal.errors.CopiedColumnWarning")
@pytest.mark.parametrize("search", ["cmb", "hiton", "mmmb"])
@pytest.mark.parametrize("how", ["copy", "both"])
def test_a_member_that_others_decide_is_named(search, how, tmp_path):
    data = with_near_copies(0, how)
    found = paucal.blanket(data, "t", search=search)
    assert "p" not in found.mb
    assert how not in found.mb
    (one,) = found.lost
    assert one.column in ("p", how)
    assert one.decided
    assert one.p_value < 1e-9
    assert str(one) in str(found)
    assert f"{one.column} is not in the blanket of t, but depends on it given the blanket (p = " in str(one)
    assert paucal.BlanketResult.from_json(found.to_json()).lost == found.lost
    page = found.report(tmp_path / "page.html", data=data).read_text("utf-8")
    assert "by which it is nearly decided" in page
    turned = data.select(data.names[::-1])
    if how == "both":  # copies cannot be told apart
        (again,) = paucal.blanket(turned, "t", search=search).lost
        assert (again.column, again.p_value, set(again.given)) == (one.column, one.p_value, set(one.given))


def test_asking_for_what_was_lost_counts_as_no_test_of_the_search():
    data = with_near_copies(1, "both")
    found = paucal.blanket(data, "t")
    plain = paucal.blanket(paucal.make_test(data.by_content), "t")
    assert found.lost
    assert not plain.lost  # a finished test is not asked more than the search asks
    assert found.ledger.n_tests == plain.ledger.n_tests


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_lost_where_nothing_depends(seed):
    rng = np.random.default_rng(seed)
    data = Dataset.of({f"v{i}": rng.integers(0, 3, 200) for i in range(8)})
    assert not any(one.lost for one in paucal.blankets(data).values())
