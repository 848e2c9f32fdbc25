"""The posterior where common causes may be hidden, claims, what `<->` is worth, and how many conditioners data bear."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Dataset, Graph, Knowledge
from paucal.errors import GraphError, ParameterError, QuestionError
from paucal.graphs import dag_to_pag
from paucal.graphs.acyclic import ancestor_matrix
from paucal.search.by_scores.latent import pag_of
from paucal.search.by_tests.depth import bearable_order
from paucal.search.by_tests.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def asia() -> Dataset:
    return paucal.load_network("asia").sample(1000, seed=3)


@pytest.fixture(scope="module")
def result(asia: Dataset) -> paucal.SearchResult:
    return paucal.learn(asia, latent=True, rounds=300)


@st.composite
def dags(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(2, 6))
    order = draw(st.permutations("ABCDEF"[:n]))
    pairs = [(a, b) for i, b in enumerate(order) for a in order[:i]]
    return Graph.dag(sorted(order), [pair for pair in pairs if draw(st.booleans())])


@given(dag=dags())
@settings(max_examples=60, deadline=None)
def test_without_knowledge_it_is_the_pag_of_the_dag(dag: Graph):
    matrix = np.array([[(a, b) in dag.arcs() for b in dag.nodes] for a in dag.nodes])
    marks = pag_of(matrix, Limits.of(None, dag.nodes))
    assert (marks == dag_to_pag(dag).marks).all()


@given(dag=dags(), choice=st.data())
@settings(max_examples=60, deadline=None)
def test_knowledge_that_is_true_adds_marks_that_are_true(dag: Graph, choice: st.DataObject):
    arcs = dag.arcs()
    known = choice.draw(st.lists(st.sampled_from(arcs), unique=True)) if arcs else []
    limits = Limits.of(Knowledge(forbidden=[(b, a) for a, b in known]), dag.nodes)
    matrix = np.array([[(a, b) in dag.arcs() for b in dag.nodes] for a in dag.nodes])
    graph = Graph(dag.nodes, pag_of(matrix, limits), "pag", check=False)
    above = ancestor_matrix(matrix)
    for edge in graph.edges():
        i, j = dag.index(edge.a), dag.index(edge.b)
        for mark, here, there in ((edge.mark_a, i, j), (edge.mark_b, j, i)):
            assert mark != paucal.graphs.Mark.ARROW or not above[here, there]  # a head: no cause of the other end
            assert mark != paucal.graphs.Mark.TAIL or above[here, there]
    for a, b in known:
        edge = graph.edge(a, b)
        assert edge is not None
        assert edge.mark_b == paucal.graphs.Mark.ARROW


def test_the_result_is_a_pag_with_shares(result: paucal.SearchResult):
    assert result.graph.kind == "pag"
    assert result.evidence.n_graphs == 200
    assert {"->", "o->", "o-o"} & set(result.evidence.shares)
    assert "<->" not in {edge.symbol for edge in result.graph.edges()}
    for pair in result.probabilities():
        assert sum(value for key, value in pair.items() if key not in "ab") == pytest.approx(1)
    assert paucal.SearchResult.from_json(result.to_json()) == result
    assert "latent=True" in repr(result.recipe)
    assert "mark at dysp" in str(result.why("bronc", "dysp"))


def test_claims_follow_from_the_shares(result: paucal.SearchResult):
    claims = result.claims(least=0.2)
    assert [one["probability"] for one in claims] == sorted((one["probability"] for one in claims), reverse=True)
    assert {one["claim"] for one in claims} == {"causes", "does not cause"}
    for one in claims:
        pair = result.evidence.of_pair(one["a"], one["b"])
        heads = [s for s in pair if s.startswith("<")]  # a head at a: it does not cause b
        expected = pair["->"] if one["claim"] == "causes" else sum(pair[s] for s in heads)
        assert one["probability"] == pytest.approx(expected, abs=1e-6)
    assert len(result.claims(least=0.9)) < len(claims)


def test_claims_are_mostly_true():
    net = paucal.load_network("alarm")
    below = {a: set(net.graph.descendants(a)) - {a} for a in net.names}
    found = paucal.learn(net.sample(500, seed=2), latent=True, rounds=100).claims(least=0.8)
    right = [(one["b"] in below[one["a"]]) == (one["claim"] == "causes") for one in found]
    assert len(right) > 20
    assert np.mean(right) > 0.8


def test_knowledge_gaps_and_frames(asia: Dataset):
    known = paucal.learn(asia, latent=True, rounds=60, exogenous=["smoke"])
    edge = known.graph.edge("smoke", "bronc")
    assert edge is not None
    assert edge.mark_b == paucal.graphs.Mark.ARROW
    columns = {name: list(map(str, values)) for name, values in asia.take(range(300)).to_frame("dict").items()}
    columns["smoke"][:30] = [None] * 30
    gappy = Dataset.of(columns, missing="keep")
    assert paucal.learn(gappy, latent=True, fillings=3, tolerance=1.0).graph.kind == "pag"
    frame = paucal.learn(asia.to_frame("pandas"), latent=True, rounds=60).claims()
    assert list(frame.columns) == ["a", "claim", "b", "probability"]


def test_it_is_explained_and_reported(result: paucal.SearchResult, asia: Dataset, tmp_path: Path):
    assert "dysp given bronc" in str(result.why("bronc", "dysp", data=asia))
    page = result.report(tmp_path / "page.html", data=asia).read_text(encoding="utf-8")
    assert "a PAG" in page
    assert 'id="effects"' not in page


def test_what_hidden_causes_do_not_allow(result: paucal.SearchResult, asia: Dataset):
    with pytest.raises(GraphError, match="hidden"):
        result.effect("smoke", "dysp", data=asia)
    with pytest.raises(GraphError, match="hidden"):
        result.causes()
    with pytest.raises(GraphError, match="PAG"):
        result.network(asia)
    with pytest.raises(QuestionError, match="this is not one"):
        paucal.learn(asia, "posterior", rounds=60).claims()
    with pytest.raises(QuestionError, match="no probabilities"):
        paucal.learn(asia, "fci").claims()
    with pytest.raises(ParameterError, match="latent"):
        paucal.learn(asia, "posterior", latent="yes")
    with pytest.raises(ParameterError, match="least"):
        result.claims(least=2)


# ---- <->


def test_a_hidden_cause_from_few_rows_is_doubted():
    truth = Graph.parse("A -> B <- H -> C <- D")
    net = paucal.BayesNet(
        {v: ["0", "1"] for v in "ABCDH"},
        {"B": ["A", "H"], "C": ["H", "D"]},
        {v: [0.5, 0.5] for v in "ADH"} | {v: [[[0.95, 0.05], [0.4, 0.6]], [[0.6, 0.4], [0.05, 0.95]]] for v in "BC"},
    )
    assert net.graph.n_edges == truth.n_edges
    few = paucal.learn(net.sample(2000, seed=1, observed=[*"ABCD"]), "fci")
    assert few.graph.edge("B", "C").symbol == "<->"
    assert "nine of ten such edges were wrong" in str(few)
    assert "nine of ten such edges were wrong" in str(few.why("B", "C"))
    assert "nine of ten" not in str(few.why("A", "B"))
    many = paucal.learn(net.sample(6000, seed=1, observed=[*"ABCD"]), "fci")
    assert many.graph.edge("B", "C").symbol == "<->"
    assert "nine of ten" not in str(many)
    oracle = paucal.learn(paucal.Oracle(truth, latent=["H"]), "fci")
    assert "nine of ten" not in str(oracle)


# ---- conditioners


def test_conditioners_follow_the_data():
    data = Dataset.from_columns({name: [0, 1] * 160 for name in "ABCDEFGH"})
    assert bearable_order(paucal.make_test(data, "g")) == 6  # 320 rows, 256 cells with 6 conditioners
    assert bearable_order(paucal.make_test(data.take(range(31)), "g")) == 2
    assert bearable_order(paucal.Oracle(Graph.parse("A -> B -> C"))) is None


def test_the_limit_is_kept_and_said():
    data = paucal.load_network("insurance").sample(300, seed=1)
    result = paucal.learn(data, "cfci")
    limit = result.details["bearable_order"]
    assert max(result.ledger.by_order) <= limit
    assert f"at most {limit} conditioning column" in str(result)
    assert result.recipe.options["max_order"] is None
    assert "bearable_order" not in paucal.learn(data, "cfci", max_order=1).details
