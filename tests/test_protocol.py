"""The interface between tests and searches: questions, memory, ledger, functions of the user's own."""

from __future__ import annotations

import numpy as np
import pytest

import paucal
from coded_data import make_coded
from paucal.errors import ParameterError, QuestionError, UnknownNameError
from paucal.independence.custom import CallableTest
from paucal.independence.registry import make_test
from paucal.tables import counts_of


@pytest.fixture
def data():
    coded = make_coded(2, 400, [2, 3, 2, 4, 2], 1.0)
    return paucal.Dataset.from_codes(coded.columns, "ABCDE", coded.levels)


@pytest.mark.parametrize(
    ("x", "y", "given", "error", "message"),
    [
        ("A", "A", [], QuestionError, "against itself"),
        ("A", "B", ["A"], QuestionError, "also in given"),
        ("A", "B", ["C", "D", "C"], QuestionError, "'C' occurs twice"),
        ("A", "B", "C", ParameterError, r"Write given=\['C'\]"),
        ("A", "F", [], UnknownNameError, "There is no column 'F'"),
        ("A", "B", ["Q"], UnknownNameError, "There is no column 'Q'"),
    ],
)
def test_questions_that_cannot_be_asked(data, x, y, given, error, message):
    with pytest.raises(error, match=message):
        paucal.ci_test(data, x, y, given)
    with pytest.raises(error, match=message):
        make_test(data, lambda *_: 0.5)(x, y, given)


@pytest.mark.parametrize("wrong", [2**32, -1, 2**63 - 1])
def test_numbers_of_columns_that_do_not_fit_are_not_taken_for_others(data, wrong):
    x, y, nobody = np.array([wrong]), np.array([1]), np.zeros((1, 0), dtype=np.int64)
    with pytest.raises(ParameterError, match="a column number for each question"):
        make_test(data, "g").ask_many(x, y, nobody)


def test_near_names_are_suggested():
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        paucal.ci_test({"smoke": [0, 1, 1], "cancer": [0, 1, 0]}, "smoek", "cancer")


@pytest.mark.parametrize("make", [lambda d: make_test(d, "g"), lambda d: make_test(d, lambda *_: 0.5)])
def test_repeated_questions_are_answered_from_the_ledger(data, make):
    test = make(data)
    first = test("A", "B", ["C", "D"])
    again = test("B", "A", ["D", "C"])
    assert (first.statistic, first.p_value) == pytest.approx((again.statistic, again.p_value), nan_ok=True)
    test("A", "B")
    assert (test.ledger.n_tests, test.ledger.n_calls) == (2, 3)
    assert {order: tally.calls for order, tally in test.ledger.by_order.items()} == {0: 1, 2: 2}


@pytest.mark.parametrize("either_end", [False, True])
def test_plain_and_native_search_agree(data, either_end):
    native = make_test(data, "g", df="adjusted")
    plain = CallableTest(lambda x, y, z: paucal.ci_test(data, x, y, z, test="g", df="adjusted").p_value, data.names)
    adjacency = ~np.eye(5, dtype=bool)
    adjacency[0, 3] = adjacency[3, 0] = adjacency[1, 4] = adjacency[4, 1] = False
    x, y = np.triu_indices(5, 1)
    for order in range(3):
        a, b = (t.search(x, y, None if either_end else y, adjacency, order) for t in (native, plain))
        np.testing.assert_array_equal(a.found, b.found)
        np.testing.assert_array_equal(a.asked, b.asked)
        np.testing.assert_array_equal(a.given[a.found], b.given[b.found])
        np.testing.assert_allclose(a.answers.p_value, b.answers.p_value)
        one = native.first_separator(0, 1, [2, 3, 4], order)
        other = plain.first_separator(0, 1, [2, 3, 4], order)
        assert (one.found, one.given) == (other.found, other.given)
    assert native.ledger.by_order == plain.ledger.by_order
    many = native.ask_many(x, y, np.zeros((len(x), 0), dtype=int))
    np.testing.assert_allclose(many.p_value, plain.ask_many(x, y, np.zeros((len(x), 0), dtype=int)).p_value)


def test_without_owners_the_neighbours_of_both_ends_are_tried():
    # Y -> Z -> X: only Z separates, and it is a neighbour of one end in these matrices
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    z = np.where(rng.random(2000) < 0.9, y, 1 - y)
    x = np.where(rng.random(2000) < 0.9, z, 1 - z)
    data = {"X": x, "Y": y, "Z": z, "noise": rng.integers(0, 2, 2000)}
    pair = np.array([0]), np.array([1])
    for end, other in ((0, 1), (1, 0)):
        adjacency = np.zeros((4, 4), dtype=bool)
        adjacency[end, 2] = adjacency[other, 3] = True
        test = make_test(data, "g")
        result = test.search(*pair, None, adjacency, 1)
        assert (result.found[0], result.given[0].tolist()) == (True, [2])
        assert test.ledger.n_tests == (1 if end == 0 else 2)


def test_a_set_that_is_too_large_is_not_asked(data):
    test = make_test(data, "g")
    result = test.search(np.array([0]), np.array([1]), np.array([1]), np.ones((5, 5), dtype=bool), 4)
    assert not result.asked[0]
    assert not result.found[0]
    assert test.first_separator(0, 1, [2], 2).given is None
    assert test.ledger.n_tests == 0


def test_the_ledger_tells_what_was_asked_about_a_pair(data):
    test = make_test(data, "g")
    adjacency = ~np.eye(5, dtype=bool)
    test.search(np.array([0]), np.array([1]), np.array([1]), adjacency, 1)
    test.first_separator(1, 0, [2, 3, 4], 2)
    test("A", "B")
    kept = list(test.ledger.records())
    assert sorted(len(record.given) for record in kept) == [0, 1, 2]
    assert all({record.x, record.y} == {0, 1} for record in kept)


def test_functions_may_return_decisions_or_p_values(data):
    assert paucal.ci_test(data, "A", "B", test=lambda *_: True).independent
    assert not paucal.ci_test(data, "A", "B", test=lambda *_: np.False_).independent
    assert not paucal.ci_test(data, "A", "B", test=lambda *_: 0.04).independent
    assert paucal.ci_test(data, "A", "B", test=lambda *_: 0.04, alpha=0.01).independent
    asked = []
    paucal.ci_test(data, "B", "A", ["E", "C"], test=lambda *q: asked.append(q) or True)
    assert asked == [("A", "B", ("C", "E"))]


@pytest.mark.parametrize("value", [float("nan"), 1.5, -0.1, None, "yes"])
def test_functions_that_return_nonsense_are_refused(data, value):
    with pytest.raises(ParameterError, match="It must return a p-value between 0 and 1"):
        paucal.ci_test(data, "A", "B", test=lambda *_: value)


def test_finished_tests_pass_through(data):
    test = make_test(data, "chi2", df="full")
    assert make_test(data, test) is test
    with pytest.raises(ParameterError, match="takes no parameters"):
        make_test(data, test, df="full")
    with pytest.raises(UnknownNameError, match="There is no test 'chi'"):
        make_test(data, "chi")


def test_the_oracle_reads_the_graph():
    graph = paucal.Graph.dag("ABCDE", [("A", "C"), ("B", "C"), ("C", "D"), ("E", "A"), ("E", "B")])
    oracle = paucal.Oracle(graph)
    assert not oracle("A", "B").independent
    assert oracle("A", "B", ["E"]).independent
    assert not oracle("A", "B", ["E", "D"]).independent
    hidden = paucal.Oracle(graph, latent=["E"])
    assert hidden.names == ("A", "B", "C", "D")
    assert not hidden("A", "B").independent
    with pytest.raises(UnknownNameError, match="There is no column 'E'"):
        hidden("A", "E")
    with pytest.raises(UnknownNameError, match="There is no node 'F'"):
        paucal.Oracle(graph, latent=["F"])
    assert hidden.ledger.n_tests == 1
    assert hidden.n_samples is None


def test_constant_columns_are_independent_with_a_reason(data):
    with pytest.warns(paucal.errors.ConstantColumnWarning):
        frame = paucal.Dataset.of({"a": [1] * 30, "b": [0, 1, 2] * 10})
    result = paucal.ci_test(frame, "a", "b")
    assert result.independent
    assert not result.reliable
    assert result.reasons == ("a or b has one observed level only",)


@pytest.mark.parametrize("name", ["g", "auto"])
def test_single_questions_are_answered_alike_and_leave_no_books_behind(data, name):
    own = make_test(data, name)
    questions = [(x, y, given) for x, y in ("AB", "BA", "DE") for given in ([], ["C"])]
    wanted = [own(*question) for question in questions]
    assert [paucal.ci_test(data, *question, test=name) for question in questions] == wanted
    assert own.ledger.n_calls == len(questions)
    [(kept, _)] = counts_of(data).kept_tests.values()
    assert kept.__self__.ledger.n_calls == 0  # they would grow as long as the data live, and nobody could read them
    assert not list(kept.__self__.ledger.records())


def test_results_print_and_serialise(data):
    result = paucal.ci_test(data, "A", "B", ["C"])
    assert str(result).startswith("A and B | C: ")
    plain = result.to_dict()
    assert plain["given"] == ["C"]
    assert plain["samples_per_cell"] == pytest.approx(400 / 12)


def test_given_columns_may_be_anything_that_can_be_listed():
    table = {"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10, "c": [0, 1, 1, 0] * 10}
    wanted = paucal.ci_test(table, "a", "b", given=["c"])
    for given in (iter(["c"]), {"c"}, {"c": 1}, np.array(["c"])):
        assert paucal.ci_test(table, "a", "b", given=given) == wanted
    with pytest.raises(ParameterError, match="stands for data"):
        paucal.ci_test(table=[[3, 4], [5, 6]], given=np.array(["a", "b"]))


def test_an_oracle_needs_a_graph():
    with pytest.raises(ParameterError, match=r"network\.graph"):
        paucal.Oracle(paucal.load_network("asia"))


def test_more_tests_than_can_be_counted():
    with pytest.raises(ParameterError, match="max_tests"):
        paucal.learn({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10}, "pc-stable", max_tests=2**70)
