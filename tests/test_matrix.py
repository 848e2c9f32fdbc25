"""Every test and every search, with every way to look at what they gave: nothing works for some of them only."""

from __future__ import annotations

import json
import pickle
from itertools import combinations

import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli
from paucal.independence.registry import test_names as names_of_tests
from paucal.independence.registry import test_parameters as parameters_of_test
from paucal.report.page import page
from paucal.search.catalogue import blanket_searches, search_names, sort_of
from paucal.search.recipe import Recipe

TESTS = names_of_tests()
QUICK = {"permutation": {"permutations": 99}}  # the others are quick as they are
# settings that lead another way than the defaults
OTHER_WAYS = [
    ("g", {"convention": "pcalg"}),
    ("mi-eb", {"threshold": "spec"}),
    ("mi-adaptive", {"threshold": 0.02}),
    ("bf", {"eta": 3.0}),
    ("chi2-perm", {"undecidable": "act"}),
]
SEARCH_OPTIONS = {"posterior": {"rounds": 30, "tolerance": 1.0}, "order": {"starts": 2}}


@pytest.fixture(scope="module")
def data():
    return paucal.load_network("asia").sample(150, seed=3).select(["tub", "lung", "either", "xray", "bronc"])


def shell(*words):
    return CliRunner().invoke(cli, words)


def look_at_everything(result, data):
    """Print, explain, write and read back a result of any kind."""
    assert str(result).startswith(result.search)
    assert result.search in repr(result)
    assert "<pre>" in result._repr_html_()
    assert len(result.edges()) == result.graph.n_edges
    for x, y in combinations(data.names, 2):
        told = result.why(x, y, data=data)
        assert x in str(told) and y in str(told)
        json.dumps(told.to_dict())
    back = paucal.SearchResult.from_json(result.to_json())
    assert back == result
    assert str(back).splitlines()[1:] == str(result).splitlines()[1:]
    assert [str(back.why(x, y)) for x, y in combinations(data.names, 2)] == [
        str(result.why(x, y)) for x, y in combinations(data.names, 2)
    ]
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own bytes
    assert Recipe.from_toml(result.recipe.to_toml()) == result.recipe
    for table in (data, None):
        assert result.evidence.means.name in page(result, data=table)


UNDER = {"auto": "chi2-perm"}  # the name that a test answers under in a table without order


def run_again(result, data):
    """Run what the recipe prints, and the recipe itself."""
    again = eval(repr(result.recipe), {"paucal": paucal, "data": data})  # noqa: S307 - our own text
    assert again.graph == result.graph
    assert Recipe.from_toml(result.recipe.to_toml()).run(data).graph == result.graph


@pytest.mark.parametrize(
    ("test", "options"),
    [*((name, QUICK.get(name, {})) for name in TESTS), *OTHER_WAYS],
    ids=lambda one: one if isinstance(one, str) else "-".join(one) or "plain",
)
def test_every_test_has_every_face(test, options, data, tmp_path):
    result = paucal.learn(data, "pc-stable", test=test, test_options=options, seed=1)
    test = UNDER.get(test, test)
    assert (result.test, result.score) == (test, None)
    look_at_everything(result, data)
    run_again(result, data)

    blanket = paucal.blanket(data, "either", test=test, test_options=options, seed=1)
    assert paucal.BlanketResult.from_json(blanket.to_json()) == blanket
    assert test in page(blanket, data=data)
    assert "blanket of either" in str(blanket)
    assert "BlanketResult(either" in repr(blanket)

    again = paucal.bootstrap(data, "pc-stable", test=test, test_options=options, replicates=2)
    assert again.test == test
    look_at_everything(again, data)

    told = paucal.ci_test(data, "tub", "either", ["lung"], test=test, **options)
    assert told.test == test
    assert f"({test}: " in str(told) and "<table>" in told._repr_html_()


@pytest.mark.parametrize("search", search_names())
def test_every_search_has_every_face(search, data):
    options = SEARCH_OPTIONS.get(search, {})
    result = paucal.learn(data, search, seed=None, **options)
    assert (result.score is None) == (sort_of(search) == "tests")
    look_at_everything(result, data)
    run_again(result, data)
    if search != "posterior":
        again = paucal.bootstrap(data, search, replicates=2, **options)
        look_at_everything(again, data)
        run_again(again, data)


@pytest.mark.parametrize("search", blanket_searches())
def test_every_blanket_search_has_every_face(search, data):
    result = paucal.blanket(data, "either", search=search)
    assert result.search == search
    assert paucal.BlanketResult.from_json(result.to_json()) == result
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own bytes
    assert len(result.frame()) == len(result.members)
    again = eval(repr(result.result.recipe), {"paucal": paucal, "data": data})  # noqa: S307 - our own text
    assert again.mb == result.mb
    for table in (data, None):
        assert "either" in page(result, data=table)


@pytest.mark.parametrize("test", TESTS)
def test_every_test_from_the_shell(test, data, tmp_path):
    table = tmp_path / "t.csv"
    data.to_frame("pandas").to_csv(table, index=False)
    quick = [f"{k}={v}" for k, v in QUICK.get(test, {}).items()]
    options = ["--test-option", *quick] if quick else []
    files = {name: tmp_path / f"{name}.out" for name in ("report", "out", "svg", "dot", "save-recipe")}
    written = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    assert shell("learn", str(table), "--search", "pc-stable", "--test", test, *options, *written).exit_code == 0
    assert all(path.read_text() for path in files.values())
    assert paucal.SearchResult.from_json(files["out"].read_text()).test == UNDER.get(test, test)
    for rest in (["--json"], ["--explain", "tub", "either"]):
        assert shell("learn", str(table), "--recipe", str(files["save-recipe"]), *rest).exit_code == 0
    page_of_blanket = tmp_path / "blanket.html"
    around = ["--target", "either", "--test", test, *options, "--report", str(page_of_blanket)]
    assert shell("blanket", str(table), *around).exit_code == 0
    assert UNDER.get(test, test) in page_of_blanket.read_text()
    assert (
        UNDER.get(test, test)
        in shell("test", str(table), "tub", "either", "--given", "lung", "--test", test, *options).stdout
    )


@pytest.mark.parametrize("test", TESTS)
def test_every_test_inside_pgmpy(test, data):
    adapter = pytest.importorskip("paucal.adapters.pgmpy")
    answer = adapter.ci_test(data, test, **QUICK.get(test, {}))("tub", "either", ["lung"])
    assert answer == paucal.make_test(data, test, **QUICK.get(test, {}))("tub", "either", ["lung"]).independent


@pytest.mark.parametrize("test", TESTS)
def test_every_test_inside_causal_learn(test, data):
    pytest.importorskip("causallearn")
    import numpy as np
    from causallearn.utils.cit import CIT

    from paucal.adapters import causal_learn

    causal_learn.register()
    codes = np.column_stack(data.columns)
    asked = CIT(codes, f"paucal-{test}", dataset=data, **QUICK.get(test, {}))
    own = paucal.make_test(data, test, **QUICK.get(test, {}))("tub", "either", ["lung"])
    assert (asked(0, 2, [1]) > 0.05) == own.independent


def test_the_matrix_is_complete():
    """A parameter that decides how a test decides is in the matrix, or a default of it."""
    assert {name for name, _ in OTHER_WAYS} <= set(TESTS)
    for name, options in OTHER_WAYS:
        assert set(options) <= set(parameters_of_test(name))
