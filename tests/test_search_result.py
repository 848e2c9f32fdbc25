from __future__ import annotations

import dataclasses
import json
import pickle

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings

import paucal
from paucal import Knowledge, SearchResult
from paucal.errors import GraphError, ParameterError, QuestionError, UnknownNameError
from paucal.search.evidence.sepsets import Sepsets
from search_data import datasets


@pytest.fixture(scope="module")
def result():
    return paucal.learn(paucal.load_network("asia").sample(2000, seed=1), test="g", colliders="standard")


@pytest.mark.parametrize("method", ["pc", "pc-stable", "rai", "sc-pc", "mmhc"])
@settings(max_examples=8, deadline=None)
@given(data=datasets())
def test_json_brings_everything_back(method, data):
    known = Knowledge(forbidden=[(data.names[0], data.names[1])])
    first = paucal.learn(data, method, knowledge=known)
    second = SearchResult.from_json(first.to_json())
    assert second == first
    assert second.to_json() == first.to_json()
    assert second.ledger.by_order == first.ledger.by_order
    assert second.summary() == first.summary()
    for x in data.names:
        for y in data.names:
            if x != y:
                assert str(second.why(x, y)) == str(first.why(x, y))
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301


def test_an_oracle_is_written_too():
    first = paucal.learn(paucal.Oracle(paucal.Graph.parse("A -> B <- C")), "rai")
    assert SearchResult.from_json(first.to_json()) == first


def test_results_differ_where_they_do(result):
    other = dataclasses.replace(result, seconds=result.seconds + 1)
    assert other != result
    assert result != "something else"
    assert len({result, other, SearchResult.from_json(result.to_json())}) == 2


def test_results_cannot_be_changed(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.seconds = 0
    for mapping in (result.recipe.options, result.details, result.reasons, result.evidence.means.options):
        with pytest.raises(TypeError):
            mapping["new"] = 1
    with pytest.raises(TypeError):
        result.sepsets["asia", "smoke"] = ()


def test_later_questions_do_not_reach_a_result():
    test = paucal.make_test(paucal.load_network("asia").sample(500, seed=1), "g")
    result = paucal.learn(test)
    asked = result.ledger.n_calls
    test("asia", "smoke")
    assert result.ledger.n_calls == asked
    assert test.ledger.n_calls == asked + 1


def test_an_error_leaves_the_test_with_its_ledger():
    def fails(x, y, given):
        if given:
            raise RuntimeError
        return False

    test = paucal.independence.custom.CallableTest(fails, "abc")
    ledger = test.ledger
    with pytest.raises(RuntimeError):
        paucal.learn(test)
    assert test.ledger is ledger
    assert ledger.n_calls == 3


@pytest.mark.parametrize(
    ("damage", "part"),
    [
        (lambda _: "no json", "not JSON"),
        (lambda _: "[]", "not a result"),
        (lambda c: json.dumps({**c, "format": "paucal-graph"}), "not a result"),
        (lambda c: json.dumps({**c, "version": 99}), "version 99"),
        (lambda c: json.dumps({k: v for k, v in c.items() if k != "recipe"}), "damaged"),
        (lambda c: json.dumps({**c, "evidence": [[1]]}), "damaged"),
        (
            lambda c: json.dumps({**c, "evidence": {**c["evidence"], "sepsets": [["asia", "nobody", []]]}}),
            "damaged",
        ),
        (lambda c: json.dumps({**c, "graph": {}}), "graph has no 'format'"),
    ],
)
def test_damaged_files_are_refused(result, damage, part):
    with pytest.raises(GraphError, match=part):
        SearchResult.from_json(damage(result.to_dict()))


# ----------------------------------------------------------------------------------------------------------- sepsets


def test_sepsets_by_either_order(result):
    (x, y), given_set = next(iter(result.sepsets.items()))
    assert result.sepsets[y, x] == given_set == result.sepsets[x, y]
    assert (y, x) in result.sepsets
    edge = result.graph.edges()[0]
    assert (edge.a, edge.b) not in result.sepsets
    assert result.sepsets.get((edge.a, edge.b)) is None
    assert len(result.sepsets) == 28 - result.graph.n_edges
    assert "pairs" in repr(result.sepsets)


def test_sepsets_compare_without_order():
    first = Sepsets(("a", "b", "c", "d"), {(0, 1): (2, 3)})
    second = Sepsets(("d", "c", "b", "a"), {(3, 2): (0, 1)})
    assert first == second
    assert hash(first) == hash(second)
    assert first != Sepsets(("a", "b", "c", "d"), {(0, 1): (2,)})


# ------------------------------------------------------------------------------------------------------ explanations


def test_why_an_edge_is_there(result):
    why = result.why("smoke", "bronc")
    assert str(why.edge) in ("smoke -- bronc", "smoke -> bronc", "smoke <- bronc")
    orders = [len(test.given) for test in why.tests]
    assert orders == sorted(set(orders))
    assert all(not test.independent for test in why.tests)
    assert "order 0: dependent given nothing (g, p = " in str(why)
    assert "n = 2000" in str(why)
    assert repr(why).startswith("<Explanation: smoke ")
    assert "<li>" in why._repr_html_()


def test_why_an_edge_is_not_there(result):
    for (x, y), given_set in result.sepsets.items():
        why = result.why(y, x)
        assert why.edge is None
        assert why.separating_set == given_set
        assert len(why.tests) == 1
        assert why.tests[0].independent
        assert set(why.tests[0].given) == set(given_set)
        assert "not joined, because they are independent" in str(why)


def test_reasons_of_arrows_follow_one_another():
    """Every arrow of a CPDAG has a reason, and the arrows it builds on are there."""
    for name in ("asia", "child", "insurance", "alarm"):
        net = paucal.load_network(name)
        result = paucal.learn(paucal.Oracle(net.graph), "pc-stable", colliders="standard", max_order=4)
        for a, b in result.graph.arcs():
            reason = result.why(a, b).reasons[a, b]
            arcs = set(result.graph.arcs())
            if reason.rule == "collider":
                assert {(a, b), (reason.via[0], b)} <= arcs
                assert not result.graph.has_edge(a, reason.via[0])
            elif reason.rule == "meek-1":
                assert (reason.via[0], a) in arcs
                assert not result.graph.has_edge(reason.via[0], b)
            elif reason.rule == "meek-2":
                assert {(a, reason.via[0]), (reason.via[0], b)} <= arcs
            else:
                assert reason.rule == "meek-3"
                assert {(reason.via[0], b), (reason.via[1], b)} <= arcs


def test_questions_that_cannot_be_asked(result):
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        result.why("smok", "asia")
    with pytest.raises(QuestionError, match="itself"):
        result.why("asia", "asia")


# ---------------------------------------------------------------------------------------------------- edges, printing


@pytest.mark.parametrize(("kind", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_edges_as_a_frame_of_the_users_kind(kind, frame):
    data = paucal.load_network("asia").sample(500, seed=1)
    edges = paucal.learn(data.to_frame(kind), "pc-stable").edges()
    assert isinstance(edges, frame)
    plain = paucal.learn(data, "pc-stable").edges()
    assert isinstance(plain, list)
    assert list(edges["a"]) == [edge["a"] for edge in plain]
    assert list(edges["p_value"]) == [edge["p_value"] for edge in plain]


def test_a_frame_without_edges():
    edges = paucal.learn(pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}), "pc-stable").edges()
    assert isinstance(edges, pd.DataFrame)
    assert list(edges.columns)[:3] == ["a", "edge", "b"]
    assert len(edges) == 0


def test_summary_tells_numbers(result):
    text = result.summary()
    assert text.startswith("pc-stable with g(alpha=0.05, df='adjusted'")
    assert "2000 samples" in text
    assert f"{result.graph.n_directed} directed, {result.graph.n_undirected} undirected" in text
    assert f"{result.ledger.n_tests} tests" in text
    for order, tally in result.ledger.by_order.items():
        assert any(line.split()[:2] == [str(order), str(tally.fresh)] for line in text.splitlines())
    assert str(result).startswith(text)
    assert all(str(edge) in str(result) for edge in result.graph.edges())
    assert repr(result).startswith("SearchResult(pc-stable, g: cpdag with 8 nodes")
    assert "<svg" in result._repr_html_()


# ------------------------------------------------------------------------------------------------------------- learn


def test_learn_takes_anything_tabular():
    data = paucal.load_network("asia").sample(300, seed=1)
    expected = paucal.learn(data, "pc-stable").graph
    for kind in ("pandas", "polars", "pyarrow", "dict"):
        assert paucal.learn(data.to_frame(kind), "pc-stable").graph == expected
    assert paucal.learn(data, test=paucal.make_test(data, "g")).graph == expected
    assert paucal.learn(paucal.make_test(data, "g")).graph == expected


def test_learn_takes_a_function_as_a_test():
    graph = paucal.learn({"a": [0, 1, 1], "b": [0, 1, 0]}, test=lambda *_: 0.001).graph
    assert graph == paucal.Graph.parse("a -- b")


@pytest.mark.parametrize(
    ("arguments", "error", "part"),
    [
        ({"search": "pcstable"}, UnknownNameError, "Did you mean 'pc-stable'"),
        ({"test": "gg"}, UnknownNameError, "test 'gg'"),
        ({"colider": "standard"}, ParameterError, "has no option 'colider'. Did you mean 'colliders'"),
        ({"df": "full"}, ParameterError, "It is a parameter of the test 'bf-chi2' or 'chi2' or 'g'"),
        ({"test_options": {"dff": "full"}}, ParameterError, "has no parameter 'dff'"),
        ({"threads": 0}, ParameterError, "threads=0"),
        ({"alpha": 2}, ParameterError, "alpha=2"),
        ({"max_order": -3}, ParameterError, "max_order=-3"),
        ({"data": 3}, TypeError, "data"),
    ],
    ids=str,
)
def test_learn_refuses_what_it_does_not_know(arguments, error, part):
    with pytest.raises(error, match=part):
        paucal.learn({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0]}, **arguments)


@pytest.mark.parametrize(
    "arguments", [{"test": "chi2"}, {"alpha": 0.1}, {"test_options": {"df": "full"}}, {"threads": 2}]
)
def test_a_finished_test_takes_no_parameters(arguments):
    oracle = paucal.Oracle(paucal.Graph.parse("A -> B"))
    with pytest.raises(ParameterError, match="A finished test was given"):
        paucal.learn(oracle, **arguments)


def test_a_test_on_other_columns_is_refused():
    oracle = paucal.Oracle(paucal.Graph.parse("A -> B"))
    with pytest.raises(ParameterError, match="about the columns"):
        paucal.learn({"x": [0, 1]}, test=oracle)
