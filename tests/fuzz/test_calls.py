"""Bad arguments for every public name: a few values for each parameter; `make attack` has more of them."""

import inspect
import warnings
from importlib import import_module

import pytest

import paucal
from fuzz.attack import prepare_folder
from fuzz.calls import called, good_calls
from paucal.errors import ParameterError

CALLS = good_calls()
ATTACKED = {good.name.split()[0] for good in CALLS}
SUBMODULES = ("data", "graphs", "inspection", "report")
ADAPTERS = ("causal_learn", "networks", "pgmpy")

# a warning or an error that a user never makes, a record, and an enumeration, which answers as all of them do
NOT_CALLED = {
    "Interrupted",
    "CITest",
    "Edge",
    "Mark",
    "Inspection",
    "Oracle.decide",
}  # `ask` has checked what it passes on
# pages as text: write_report and write_comparison, which are attacked, take the same
SAME_AS_WRITTEN = {"page", "comparison"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("calls")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        prepare_folder()
    return made


@pytest.mark.parametrize("good", CALLS, ids=lambda good: good.name)
def test_a_bad_argument_gets_an_answer_or_an_error_of_ours(good, folder, monkeypatch):
    monkeypatch.chdir(folder)
    called(good.function, good.arguments)
    for _, _, arguments in good.bad(few=True):
        assert called(good.function, arguments) in ("answered", "refused")


def public():
    """Every public name that can be called, and of every public class each method that takes an argument."""
    found = {name: getattr(paucal, name) for name in paucal.__all__}
    for module in SUBMODULES:
        part = import_module(f"paucal.{module}")
        found |= {name: getattr(part, name) for name in part.__all__}
    for module in ADAPTERS:
        part = import_module(f"paucal.adapters.{module}")
        own = {name: one for name, one in vars(part).items() if getattr(one, "__module__", "") == part.__name__}
        found |= {
            f"adapters.{module}.{name}": one for name, one in own.items() if inspect.isfunction(one) and name[0] != "_"
        }
    for name, one in found.items():
        if inspect.isclass(one):
            yield name, one, None
            for method, function in inspect.getmembers(one, inspect.isroutine):
                if not method.startswith("_") and _takes_something(function):
                    yield f"{name}.{method}", one, method
        elif callable(one) and _takes_something(one):
            yield name, one, None


def _takes_something(function):
    if inspect.isbuiltin(function) or inspect.ismethoddescriptor(function):
        return False  # what exceptions and tuples bring along
    return any(name != "self" for name in inspect.signature(function).parameters)


def test_every_public_name_is_attacked():
    classes = [one for _, one, method in public() if inspect.isclass(one) and method is None]
    lacking = []
    for name, one, method in public():
        if method is None:
            names = {name}
        else:  # of a class, or of one that has the same method: both are one test as the other
            same = [other for other in classes if _function(other, method) is _function(one, method)]
            names = {f"{other.__name__}.{method}" for other in [*same, *one.__mro__]}
        if not names & (ATTACKED | NOT_CALLED | SAME_AS_WRITTEN):
            lacking.append(name)
    assert not lacking


def _function(kind, method):
    found = getattr(kind, method, method)
    return getattr(found, "__func__", found)


def test_what_is_no_graph_is_named_with_the_parameter():
    with pytest.raises(ParameterError, match="truth=None is not a graph") as caught:
        paucal.shd(paucal.Graph.parse("A -> B"), None)
    assert caught.value.parameter == "truth"


def test_a_mistake_in_the_function_of_a_user_is_his_own():
    def wrong(x, y, given):
        raise KeyError(x)

    with pytest.raises(KeyError), warnings.catch_warnings():
        paucal.ci_test({"a": [0, 1] * 9, "b": [0, 1, 1] * 6}, "a", "b", test=wrong)
