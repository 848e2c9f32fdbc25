"""Every public object crosses to another process unchanged, or refuses with an error of ours; threads meet nowhere."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, permutations

import pytest

import paucal
from fuzz import calls
from paucal.errors import ParameterError

MADE = {
    "data": calls.data,
    "counted rows": lambda: calls.data().counted(),
    "graph": calls.dag,
    "network": calls.net,
    "result by tests": calls.by_tests,
    "result by scores": calls.by_scores,
    "sampled result": calls.sampled,
    "blanket": calls.around,
    "knowledge": lambda: calls.KNOWN,
    "recipe": lambda: calls.by_tests().recipe,
    "preparation": lambda: calls.data().preparation,
    "oracle": lambda: paucal.Oracle(calls.dag()),
    "separation": lambda: paucal.Separation(calls.dag()),
    "answer": lambda: paucal.ci_test(calls.data(), "a", "b"),
    "explanation": lambda: calls.sampled().why("a", "b", data=calls.data()),
    "evidence of tests": lambda: calls.by_tests().evidence,
    "evidence of graphs": lambda: calls.sampled().evidence,
    "estimator": lambda: paucal.PC(test="g").fit(calls.data()),
    "effect": lambda: calls.sampled().effect("a", "b", data=calls.data()),
    "effects": lambda: calls.sampled().effects_in(calls.data()),
    "inspection": lambda: paucal.inspect(calls.columns()),
    "power": lambda: paucal.power(calls.data(), questions=calls.by_tests()),
    "example": lambda: paucal.load_example("sachs-interventions"),
    "books": lambda: calls.by_tests().ledger,
    "interrupted": lambda: paucal.Interrupted(calls.by_tests()),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MADE)
def test_it_crosses_unchanged(name):
    one = MADE[name]()
    for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):  # noqa: S301 - our own
        assert type(other) is type(one)
        if type(one).__repr__ is not object.__repr__ and " at 0x" not in repr(one):
            assert repr(other) == repr(one)
        if type(one).__eq__ is not object.__eq__ and name != "explanation":  # which holds arrays
            assert other == one


@pytest.mark.parametrize("test", ["g", "auto", "chi2-perm", "bf", "permutation"])
def test_a_finished_test_is_not_sent_but_copied(test):
    asked = paucal.make_test(calls.data(), test)
    with pytest.raises(ParameterError, match="cannot be stored or sent"):
        pickle.dumps(asked)
    before = asked("a", "b")
    other = copy.deepcopy(asked)
    assert other.ledger.by_order == asked.ledger.by_order
    assert other("a", "b") == before == copy.copy(asked)("a", "b")
    other("a", "c")
    assert asked.ledger.n_tests == 1


def test_books_are_told_apart_without_an_error():
    assert calls.by_tests().ledger != paucal.learn(calls.data(), "pc-stable").ledger


@pytest.mark.parametrize("test", ["g", "auto", "chi2-perm", "permutation", "mi-sh"])
def test_eight_threads_on_one_data_set_and_one_test_give_the_same_bits(test):
    data = paucal.load_network("asia").sample(300, seed=5)
    questions = [
        (x, y, list(given))
        for x, y in permutations(data.names, 2)
        for given in combinations([name for name in data.names if name not in (x, y)], 1)
    ]
    alone = paucal.make_test(data, test)
    expected = [repr(alone(*question)) for question in questions]
    shared, fresh = paucal.make_test(data, test), paucal.load_network("asia").sample(300, seed=5)

    def ask(k):
        mine = questions[k * 20 :] + questions[: k * 20]  # everybody begins elsewhere
        by_test = {str(question): repr(shared(*question)) for question in mine}
        by_call = {str(question): repr(paucal.ci_test(fresh, *question, test=test)) for question in mine[::5]}
        return by_test, by_call

    with ThreadPoolExecutor(8) as pool:
        for by_test, by_call in pool.map(ask, range(8)):
            assert [by_test[str(question)] for question in questions] == expected
            assert all(by_test[question] == answer for question, answer in by_call.items())
    assert shared.ledger.n_tests == alone.ledger.n_tests
    assert shared.ledger.n_calls == 8 * len(questions)
