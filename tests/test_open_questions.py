"""What a result leaves open: rivals, drawings against the odds, tests that disagree, doubts; in words and in JSON."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import paucal
from paucal.search.evidence.questions import (
    AgainstOdds,
    AgainstTest,
    Doubtful,
    Rivals,
    Unsettled,
    open_questions,
    printed,
)
from paucal.search.evidence.rivals import find_rivals


def of_graphs(drawn: dict[tuple[int, int], list[int]], n: int, total: int):
    """Shares and a function that tells which graphs join a pair, from lists of graphs."""
    table = np.zeros((total, n, n), dtype=bool)
    for (a, b), graphs in drawn.items():
        table[graphs, a, b] = table[graphs, b, a] = True
    return table.mean(axis=0), lambda a, b: table[:, a, b]


def test_rivals_are_joined_in_turn():
    drawn = {(0, 3): list(range(45)), (1, 3): list(range(45, 88)), (2, 3): list(range(0, 100, 2)), (0, 1): range(100)}
    found = find_rivals(*of_graphs(drawn, 4, 100))
    assert [one.target for one in found] == [3]
    assert found[0].rivals == ((0, 0.45), (1, 0.43))
    assert (found[0].some, found[0].several) == (0.88, 0.0)


def test_a_rival_has_the_probability_of_its_pair():
    drawn = {(0, 2): range(45), (1, 2): range(45, 88)}
    shares, joined = of_graphs({k: list(v) for k, v in drawn.items()}, 4, 100)
    shares[0, 2] = shares[2, 0] = 0.47  # over more graphs than those that are looked through
    assert find_rivals(shares, joined)[0].rivals == ((0, 0.47), (1, 0.43))


def test_three_may_be_rivals_and_friends_are_not():
    drawn = {(0, 3): range(33), (1, 3): range(33, 66), (2, 3): range(66, 99)}
    (found,) = find_rivals(*of_graphs({k: list(v) for k, v in drawn.items()}, 4, 100))
    assert len(found.rivals) == 3 and found.some == 0.99
    together = {(0, 3): list(range(50)), (1, 3): list(range(50)), (0, 2): list(range(50))}
    assert find_rivals(*of_graphs(together, 4, 100)) == []
    assert find_rivals(np.zeros((3, 3)), lambda a, _: np.zeros((1, len(a)), dtype=bool)) == []


def test_sentences():
    rivals = Rivals("weight", (("quit", 0.45), ("age 71", 0.42)), 0.88, 0.001)
    said = (
        'weight is joined to at least one of these (88 %): quit (45 %) or "age 71" (42 %); to more than one: under 1 %'
    )
    assert str(rivals) == said
    assert rivals.to_dict()["text"] == said and rivals.to_dict()["kind"] == "rivals"
    assert str(AgainstOdds("a", "b", drawn=False, probability=0.62)).startswith(
        "no edge is drawn between a and b, although they are 62 % likely to be joined"
    )
    assert "although they are only 43 % likely to be joined" in str(AgainstOdds("a", "b", drawn=True, probability=0.43))
    test = AgainstTest("a", "b", drawn=True, probability=0.9, test="chi2-perm", given=("c",), p_value=0.4)
    assert (
        str(test) == "a and b are 90 % likely to be joined, but the test chi2-perm sees no connection given c (p = 0.4)"
    )
    other = dataclasses.replace(test, drawn=False, given=(), p_value=1e-5)
    assert "not joined in the graph, but the test chi2-perm sees a connection given nothing (p = 1e-05)" in str(other)
    assert "10 % to 70 %" in str(Unsettled("a", "b", 0.1, 0.7))


@pytest.fixture(scope="module")
def either():
    """A column that hangs on one of two that are nearly copies: which one, nobody can tell."""
    counts = {(0, 0, 0): 72, (0, 0, 1): 24, (1, 1, 1): 72, (1, 1, 0): 24}
    counts |= {(0, 1, 0): 4, (0, 1, 1): 4, (1, 0, 0): 4, (1, 0, 1): 4}
    rows = np.array([cell for cell, n in counts.items() for _ in range(n)])
    return paucal.Dataset.of(dict(zip(("first", "second", "third"), rows.T, strict=True)))


def test_a_posterior_tells_of_rivals(either):
    result = paucal.learn(either, "posterior")
    rivals = [one for one in result.open_questions() if isinstance(one, Rivals)]
    assert any(one.target == "third" and {name for name, _ in one.rivals} == {"first", "second"} for one in rivals)
    for one in rivals:
        assert one.some >= max(share for _, share in one.rivals) - 1e-6
        assert one.some + one.several <= sum(share for _, share in one.rivals) + 1e-4
    assert "open questions:" in str(result) and str(rivals[0]) in str(result)
    content = json.loads(result.to_json())
    assert [one["text"] for one in content["open_questions"]] == [str(one) for one in result.open_questions()]
    assert paucal.SearchResult.from_json(result.to_json()).open_questions() == result.open_questions()


def test_pairs_against_their_own_odds(either):
    result = paucal.learn(either, "posterior", rounds=50)
    a, b = "first", "second"
    shares = {symbol: matrix.copy() for symbol, matrix in result.evidence.shares.items()}
    i, j = result.graph.index(a), result.graph.index(b)
    assert result.graph.has_edge(a, b)
    for matrix in shares.values():
        matrix[i, j] = matrix[j, i] = 0
    shares["--"][i, j] = shares["--"][j, i] = 0.3
    changed = dataclasses.replace(result, evidence=dataclasses.replace(result.evidence, shares=shares))
    found = [one for one in changed.open_questions() if isinstance(one, AgainstOdds)]
    assert AgainstOdds(a, b, drawn=True, probability=0.3) in found
    why = str(changed.why(a, b))
    assert "drawn nevertheless" in why
    empty = dataclasses.replace(result, graph=paucal.Graph.cpdag(result.graph.nodes, [], []))
    assert any(not one.drawn for one in empty.open_questions() if isinstance(one, AgainstOdds))
    lines = str(empty.why(a, b)).splitlines()
    assert lines[0].endswith("not joined") and lines[1].strip().startswith("not joined 0.")
    assert "left out nevertheless" in lines[2]


def test_tests_tell_what_they_rest_on():
    result = paucal.learn(paucal.load_network("insurance").sample(150, seed=1), "pc-stable", test="g")
    doubted = {frozenset((test.x, test.y)) for test in result.doubtful() if result.graph.has_edge(test.x, test.y)}
    asked = {frozenset((one.a, one.b)) for one in result.open_questions() if isinstance(one, Doubtful)}
    assert doubted == asked
    assert asked, "the example has to have some"
    assert paucal.learn(paucal.Oracle(paucal.Graph.parse("A -> B"))).open_questions() == []


def test_what_the_chains_leave_unsettled_is_told():
    result = paucal.learn(paucal.load_network("asia").sample(100, seed=1), "order", starts=1)
    details = {"unsettled": [{"a": "x", "b": "y", "low": 0.1, "high": 0.6}]}
    assert open_questions(result.graph, result.evidence, details) == [Unsettled("x", "y", 0.1, 0.6)]


def test_only_the_first_few_are_printed():
    many = [Unsettled("a", f"b{i}", 0.1, 0.6) for i in range(9)]
    lines = printed(many)
    assert lines[0] == "open questions:" and len(lines) == 8
    assert lines[-1] == "... and 3 more, in result.open_questions() and the JSON"
    assert printed([]) == []
