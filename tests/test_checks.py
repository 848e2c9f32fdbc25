"""Every argument is checked: nonsense is refused by name, NumPy's numbers are numbers, and no call crashes."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paucal
from paucal import checks
from paucal.errors import ParameterError, PaucalError, UnknownNameError
from paucal.independence import registry
from paucal.search.catalogue import blanket_searches, options_of, search_names

NUMBERS = [
    lambda value: checks.whole_number("x", value, -(10**40)),
    lambda value: checks.number("x", value),
    lambda value: checks.number_from_0("x", value),
    lambda value: checks.positive_number("x", value),
    lambda value: checks.share("x", value),
    lambda value: checks.limit("x", value, 0),
]
NO_NUMBERS = [True, False, np.True_, "1", b"1", [], {}, (), object(), math.nan, math.inf, -math.inf, 1j]


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_number(check, value):
    with pytest.raises(ParameterError) as caught:
        check(value)
    assert caught.value.parameter == "x"
    assert caught.value.value is value


@given(st.integers(-(2**62), 2**62))
def test_whole_numbers_of_numpy_and_python_are_the_same(value):
    for kind in (int, np.int64):
        found = checks.whole_number("x", kind(value), -(2**62))
        assert type(found) is int
        assert found == value


@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(0.5), 0.5, Fraction(1, 2)])
def test_all_kinds_of_fractions_are_numbers(value):
    for check in (checks.number, checks.number_from_0, checks.positive_number, checks.share):
        found = check("x", value)
        assert type(found) is float
        assert found == 0.5


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 5))
def test_limits_are_kept(value, least, width):
    if least <= value <= least + width:
        assert checks.whole_number("x", value, least, least + width) == value
    else:
        with pytest.raises(ParameterError, match=f"x={value} is not a whole number from {least} to"):
            checks.whole_number("x", value, least, least + width)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: checks.whole_number("x", 2.0, 0), "x=2.0 is not a whole number from 0 on."),
        (lambda: checks.limit("x", -1, 0), "x=-1 is not a whole number from 0 on. For no limit: x=None."),
        (lambda: checks.number("x", 10**400), "is not a number."),
        (lambda: checks.number_from_0("x", -0.1), "x=-0.1 is not a number from 0 on."),
        (lambda: checks.positive_number("x", 0), "x=0 is not a positive number."),
        (lambda: checks.positive_number("x", 2, 1), "x=2 is not a number above 0 and at most 1."),
        (lambda: checks.share("x", 1), "x=1 is not between 0 and 1."),
        (lambda: checks.level(0), "alpha=0 is not between 0 and 1. The usual level is 0.05."),
        (lambda: checks.choice("x", 1, (True, "1")), "x=1 is not known. Choose from True, '1'."),
        (lambda: checks.choice("x", np.array([1, 2]), ("a",)), "x=array([1, 2]) is not known."),
        (lambda: checks.names("x", "ab"), "x='ab' is one string. Write x=['ab']."),
        (lambda: checks.names("x", 3), "x=3 is not a list of names."),
        (lambda: checks.pairs("x", [("a", "b"), "ab"]), "is not a list of pairs of names."),
        (lambda: checks.settings("x", [1]), "x=[1] is not a dict of values by name."),
        (lambda: checks.flag("x", 1), "x=1 is not True or False."),
        (lambda: checks.seed(2**64), "seed=18446744073709551616 is not a whole number from 0 to"),
        (lambda: checks.threads(0), "threads=0 is not a whole number from 1 to 1024."),
        (lambda: checks.jobs(0), "jobs=0 is not a number of processes. Give 1 to 10000, or -1 for all cores."),
        (lambda: checks.jobs(10**8), "jobs=100000000 is not a number of processes. Give 1 to 10000, or -1 for"),
    ],
)
def test_refusals_say_what_is_allowed(check, message):
    with pytest.raises(ParameterError) as caught:
        check()
    assert message in str(caught.value)
    assert caught.value.allowed


def test_what_is_allowed_comes_back():
    assert checks.limit("x", None, 0) is None
    assert checks.jobs(None) is None
    assert checks.jobs(np.int64(-1)) == -1
    assert checks.names("x", ("a", "b")) == ["a", "b"]
    assert checks.pairs("x", [["a", "b"]]) == [("a", "b")]
    assert checks.settings("x", None) == {}
    assert checks.flag("x", np.True_) is True
    assert checks.known("column", "a", ["a"]) == "a"
    for name in ("b", ["a"], None):
        with pytest.raises(UnknownNameError):
            checks.known("column", name, ["a"])


# ------------------------------------------------------------------------------------------- every public parameter

NONSENSE = [
    True,
    -1,
    0,
    1.5,
    math.nan,
    math.inf,
    "x",
    "",
    [],
    {},
    (),
    object(),
    b"x",
    [None],
    [["a"]],
    {1, 2},
]
SMALL = {
    "n": 5,
    "copies": 2,
    "replicates": 2,
    "sample": 1,
}  # the usual value where the parameter must be given
NET = paucal.load_network("cancer")
DATA = NET.sample(40, seed=1)


def calls():
    """Give the public calls, each with the parameters to try."""
    shared = ("test", "alpha", "test_options", "knowledge", "max_order", "seed", "threads", "search")
    learn = {"search": "pc-stable"}
    yield "learn", shared, lambda **given: paucal.learn(DATA, **learn | given)
    for search in search_names():
        options = [name for name in options_of(search) if name not in ("data", "progress")]
        yield search, options, lambda search=search, **given: paucal.learn(DATA, search, **given)
    for name in registry.test_names():
        yield (
            name,
            registry.test_parameters(name),
            lambda name=name, **given: paucal.ci_test(DATA, "Smoker", "Cancer", test=name, **given),
        )
    for name in blanket_searches():
        yield (
            f"blanket by {name}",
            ("max_order", "style", "neighbours"),
            lambda name=name, **given: paucal.blanket(DATA, "Smoker", search=name, **given),
        )
    around = ("target", "search", "test", "alpha", "test_options", "seed", "threads")
    yield "blanket", around, lambda **given: paucal.blanket(DATA, **{"target": "Smoker"} | given)
    yield "blankets", ("targets", "search"), lambda **given: paucal.blankets(DATA, **given)
    again = {"search": "pc-stable", "replicates": 2}
    yield (
        "bootstrap",
        ("replicates", "fraction", "seed", "search"),
        lambda **given: paucal.bootstrap(DATA, **again | given),
    )
    question = {"x": "Smoker", "y": "Cancer"}
    yield "ci_test", ("x", "y", "given"), lambda **given: paucal.ci_test(DATA, **question | given)
    yield (
        "sample",
        ("n", "seed", "observed"),
        lambda **given: NET.sample(**{"n": 5, "seed": 1} | given),
    )
    fit = {"graph": NET.graph, "data": DATA}
    yield "fit", ("graph", "data", "prior", "spread"), lambda **given: paucal.BayesNet.fit(**fit | given)
    tile = {"copies": 2, "seed": 1}
    yield (
        "tile",
        ("copies", "links", "links_per_tile", "seed"),
        lambda **given: paucal.tile(NET, **tile | given),
    )
    power = {"max_order": 0, "sample": 1}
    of_power = ("test", "alpha", "power", "max_order", "questions", "sample", "seed", "test_options")
    yield "power", of_power, lambda **given: paucal.power(DATA, **power | given)
    yield "inspect", ("max_order",), lambda **given: paucal.inspect(DATA, **given)
    yield (
        "Dataset.of",
        ("missing", "discretize"),
        lambda **given: paucal.Dataset.of({"a": [1, 2, 1], "b": [0, 1, 1]}, **given),
    )
    yield "select", ("names",), DATA.select
    yield "take", ("rows",), DATA.take
    yield "to_frame", ("kind",), DATA.to_frame
    yield "score", ("score", "ess"), lambda **given: paucal.score(NET.graph, DATA, **given)
    yield "shd", ("variant",), lambda **given: paucal.shd(NET.graph, NET.graph, **given)
    yield "Oracle", ("latent",), lambda **given: paucal.Oracle(NET.graph, **given)


@pytest.mark.parametrize(("parameters", "call"), [pytest.param(names, call, id=name) for name, names, call in calls()])
def test_nonsense_is_taken_or_refused_and_never_crashes(parameters, call):
    for parameter in parameters:
        for value in NONSENSE:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    call(**{parameter: value})
                except PaucalError as error:
                    assert str(error)  # noqa: PT017 - values that are taken are fine too


@pytest.mark.parametrize("parameter", ["missing", "discretize", "columns", "leave_out", "delimiter", "encoding"])
def test_nonsense_about_a_file(parameter, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n2,1\n")
    for value in NONSENSE:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                paucal.read(path, **{parameter: value})
            except PaucalError as error:
                assert str(error)  # noqa: PT017 - values that are taken are fine too
    with pytest.raises(PaucalError, match=parameter):
        paucal.read(path, **{parameter: object()})


def test_numbers_of_numpy_are_taken_everywhere():
    one, half = np.int64(1), np.float32(0.5)
    paucal.learn(DATA, "order", starts=one, max_parents=one, seed=one, ess=half, edge_penalty=half)
    paucal.learn(DATA, "posterior", chains=one, rounds=one, burn_in=one, seed=one, starts=one, threads=one)
    paucal.learn(DATA, "hill-climbing", tabu=one, patience=one, max_parents=one)
    paucal.learn(DATA, "sc-pc", max_rounds=one, max_order=one, alpha=half, threads=one)
    paucal.learn(DATA, "fci", max_path_length=one)
    paucal.bootstrap(DATA, "pc-stable", replicates=np.int32(2), fraction=half, seed=one)
    paucal.blankets(DATA, ["Smoker"], jobs=one, max_order=one)
    paucal.power(DATA, power=half, max_order=one, sample=one, seed=one)
    paucal.BayesNet.fit(NET.graph, DATA, prior=half)
    paucal.tile(NET, one, links_per_tile=one, seed=one)
    assert NET.sample(np.int64(3), seed=np.int64(1)).n_rows == 3
