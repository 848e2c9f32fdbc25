"""The recipe: checked once, printed as a call, written and read, and the same for every front end."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import paucal
from paucal.cli import cli
from paucal.data.preparation import Preparation
from paucal.errors import DataError, ParameterError, PaucalError, UnknownNameError
from paucal.search.recipe import Recipe
from paucal.toml_text import toml_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def shell(*words):
    return CliRunner().invoke(cli, words)


@pytest.fixture(scope="module")
def data():
    return paucal.load_network("cancer").sample(3000, seed=1)


def test_a_recipe_cannot_be_changed():
    recipe = Recipe.of("pc", colliders="majority")
    with pytest.raises(FrozenInstanceError):
        recipe.search = "rai"
    with pytest.raises(TypeError):
        recipe.options["colliders"] = "standard"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"search": "pcc"}, "There is no search 'pcc'"),
        ({"search": "cmb"}, "There is no search 'cmb'"),
        ({"search": "pc", "target": "x"}, "There is no search for blankets 'pc'"),
        ({"test": "gg"}, "There is no test 'gg'"),
        ({"alpha": 2}, "alpha=2"),
        ({"test": "bf", "alpha": 0.1}, "has no level"),
        ({"test": "g", "test_options": {"dff": 1}}, "has no parameter 'dff'"),
        ({"search": "pc", "collider": 1}, "has no option 'collider'"),
        ({"search": "order", "max_order": 1}, "takes no max_order"),
        ({"search": "order", "test": "g"}, "uses no test"),
        ({"search": "pc", "test": "g", "df": "full"}, "has no option 'df'"),
        ({"seed": -1}, "seed=-1"),
        ({"threads": 0}, "threads=0"),
        ({"replicates": 1}, "replicates=1"),
        ({"replicates": 5, "fraction": 0}, "fraction=0"),
        ({"replicates": 5, "search": "posterior"}, "samples graphs itself"),
        ({"search": "pc", "missing": "drop"}, "how the data are made"),
        ({"knowledge": {"tiers": []}}, "background knowledge"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_when_the_recipe_is_made(arguments, message):
    with pytest.raises((ParameterError, UnknownNameError)) as caught:
        Recipe.of(**arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda data: paucal.learn(data, target="Cancer"), "blanket"),
        (lambda data: paucal.learn(data, replicates=5), "bootstrap"),
        (lambda data: paucal.blanket(data, "Cancer", fraction=0.5), "bootstrap"),
        (lambda data: paucal.bootstrap(data, target="Cancer"), "blanket"),
    ],
)
def test_what_another_call_takes_is_sent_there(call, where, data):
    with pytest.raises(ParameterError, match=f"belongs to paucal.{where}"):
        call(data)


def test_a_parameter_of_the_test_is_sent_there():
    with pytest.raises(ParameterError, match="give it as a test option"):
        Recipe.of("pc", test="g", test_options={"df": "full"}, df="full")


RECIPES = [
    Recipe(),
    Recipe.of("rai", test="mi-eb", alpha=[0.01, 0.05], test_options={"threshold": "spec"}, seed=4, threads=2),
    Recipe.of("pc", knowledge=paucal.Knowledge(tiers=[["a b"], ['"c"', "\n"]], required=[("a b", "\n")])),
    Recipe.of("order", score="bic", edge_penalty=0.0),
    Recipe.of("pc-stable", replicates=7, fraction=None),
    Recipe.of("hiton", target='say "x"', max_order=None),
    replace(Recipe.of(), preparation=Preparation(missing="drop", discretize={"age": [1.5, 2]}, leave_out=("id",))),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_there_and_back(recipe):
    assert Recipe.from_toml(recipe.to_toml()) == recipe
    assert Recipe.from_dict(recipe.to_dict()) == recipe
    assert repr(Recipe.from_toml(recipe.to_toml())) == repr(recipe)
    assert pickle.loads(pickle.dumps(recipe)) == recipe  # noqa: S301 - our own bytes
    assert hash(Recipe.from_toml(recipe.to_toml())) == hash(recipe)


def test_no_limit_is_not_the_usual_limit():
    unlimited = Recipe.of("hiton", target="x", max_order=None)
    assert Recipe.from_toml(unlimited.to_toml()).options["max_order"] is None
    assert unlimited != Recipe.of("hiton", target="x")
    assert "max_order=None" in repr(unlimited)


@given(
    st.dictionaries(
        TEXT,
        st.one_of(
            TEXT,
            st.booleans(),
            st.integers(),
            st.floats(allow_nan=False, allow_infinity=False),
            st.lists(TEXT),
        ),
        max_size=4,
    )
)
def test_any_text_survives_toml(content):
    import tomllib

    assert tomllib.loads(toml_of({"table": content}))["table"] == content


@pytest.mark.parametrize(
    "text",
    ["search = ", "serach = 'pc'", "search = 'pc'\n[test]\nalpha = 1", "search = 3", "[knowledge]\nfoo = 1"],
)
def test_a_damaged_recipe_says_what_is_wrong(text):
    with pytest.raises((ParameterError, UnknownNameError)):
        Recipe.from_toml(text)


def test_every_front_end_makes_the_same_recipe(data, tmp_path):
    table, stored = tmp_path / "d.csv", tmp_path / "r.toml"
    data.to_frame("pandas").to_csv(table, index=False)
    call = paucal.learn(paucal.read(table), "rai", test="chi2", alpha=0.01, max_order=2).recipe
    fitted = paucal.RAI(test="chi2", alpha=0.01, max_order=2).fit(paucal.read(table)).result_.recipe
    words = ["--search", "rai", "--test", "chi2", "--alpha", "0.01", "--max-order", "2"]
    assert shell("learn", str(table), *words, "--save-recipe", str(stored)).exit_code == 0
    assert call == fitted == Recipe.from_toml(stored.read_text())
    assert call.run(data).graph == paucal.learn(data, "rai", test="chi2", alpha=0.01, max_order=2).graph


def test_how_data_were_prepared_is_kept_and_done_again(tmp_path):
    table, stored = tmp_path / "d.csv", tmp_path / "r.toml"
    rows = [f"{i},{i % 2},{'' if i == 3 else i % 3},{i / 7}" for i in range(40)]
    table.write_text("id,a,b,c\n" + "\n".join(rows) + "\n")
    words = ["--leave-out", "id", "--missing", "drop", "--discretize", "quantile:2", "--search", "pc", "--as-is"]
    first = shell("learn", str(table), *words, "--save-recipe", str(stored))
    assert first.exit_code == 0
    recipe = Recipe.from_toml(stored.read_text())
    assert recipe.preparation.said == {"missing": "drop", "discretize": "quantile:2", "leave_out": ["id"]}
    assert "paucal.Dataset.of(data, missing='drop', discretize='quantile:2', leave_out=['id'])" in repr(recipe)
    again = shell("learn", str(table), "--recipe", str(stored))
    assert again.stdout.splitlines()[1:] == first.stdout.splitlines()[1:]


def test_options_go_before_a_recipe(tmp_path, data):
    table, stored = tmp_path / "d.csv", tmp_path / "r.toml"
    data.to_frame("pandas").to_csv(table, index=False)
    stored.write_text(Recipe.of("pc", test="g", colliders="majority").to_toml())
    one = shell("learn", str(table), "--recipe", str(stored), "--test", "chi2")
    assert one.stdout.startswith("pc with chi2(")
    other = shell("learn", str(table), "--recipe", str(stored), "--search", "rai")
    assert other.stdout.startswith("rai with g(")


def test_a_recipe_that_is_missing_or_no_recipe_is_one_line(tmp_path, data):
    table, broken = tmp_path / "d.csv", tmp_path / "r.toml"
    data.to_frame("pandas").to_csv(table, index=False)
    broken.write_bytes(b"\xff\xfe")
    for path in (tmp_path / "none.toml", broken, tmp_path):
        told = shell("learn", str(table), "--recipe", str(path))
        assert told.exit_code == 2
        assert len(told.stderr.strip().splitlines()) == 1


def test_a_recipe_of_somebody_elses_test_needs_that_test(data):
    recipe = paucal.learn(paucal.Oracle(paucal.load_network("cancer").graph)).recipe
    with pytest.raises(ParameterError, match="not one of ours"):
        recipe.run(data)
    assert recipe.run(paucal.Oracle(paucal.load_network("cancer").graph)).graph.n_edges == 4


# ------------------------------------------------------------------------------------------ what attackers tried


def test_options_change_the_test_of_a_recipe_and_do_not_replace_it(tmp_path, data):
    table, stored = tmp_path / "d.csv", tmp_path / "r.toml"
    data.to_frame("pandas").to_csv(table, index=False)
    stored.write_text(Recipe.of("pc", test="g", test_options={"df": "full"}).to_toml())
    told = shell("learn", str(table), "--recipe", str(stored), "--alpha", "0.01").stdout
    assert told.startswith("pc with g(alpha=0.01, df='full'")
    told = shell("learn", str(table), "--recipe", str(stored), "--test-option", "sparse=independent").stdout
    assert told.startswith("pc with g(alpha=0.05, df='full', sparse='independent'")
    assert shell("learn", str(table), "--recipe", str(stored), "--search", "auto").exit_code == 0


def test_a_recipe_prepares_raw_data(tmp_path):
    table = tmp_path / "d.csv"
    rows = [f"{i},{i % 2},{'' if i == 3 else i % 3}" for i in range(40)]
    table.write_text("id,a,b\n" + "\n".join(rows) + "\n")
    first = paucal.learn(paucal.read(table, leave_out=["id"], missing="drop"), "pc-stable")
    again = first.recipe.run(table)
    assert again.graph == first.graph and again.recipe == first.recipe
    frame = {
        "id": list(range(40)),
        "a": [i % 2 for i in range(40)],
        "b": [None if i == 3 else i % 3 for i in range(40)],
    }
    assert first.recipe.run(frame).graph == first.graph


def test_a_function_is_not_taken_for_the_test_of_its_name(data):
    def g(_x, _y, _given):
        return 0.02

    strict, lenient = (paucal.learn(data, "pc-stable", test=g, alpha=alpha) for alpha in (0.01, 0.05))
    assert strict.recipe != lenient.recipe != paucal.learn(data, "pc-stable", test="g").recipe
    assert repr(strict.recipe).startswith("paucal.learn(test, ")
    with pytest.raises(ParameterError, match="not one of ours"):
        strict.recipe.run(data)


def test_the_seed_of_a_test_is_kept_beside_that_of_the_recipe(data):
    options = {"seed": 0, "permutations": 39, "exceedances": 39}
    recipe = paucal.learn(data, "pc", test="permutation", test_options=options, seed=6).recipe
    assert "'seed': 0" in repr(recipe)


@pytest.mark.parametrize(
    "arguments",
    [
        {"alpha": np.float32(0.01)},
        {"alpha": np.array([0.01, 0.05])},
        {"alpha": np.array(0.05)},
        {"max_order": np.int64(2)},
        {"test": "g", "test_options": {"min_samples": np.int64(3)}},
        {"test": "chi2-perm", "test_options": {"guard": np.bool_(True)}},
        {"seed": np.int64(3)},
    ],
    ids=str,
)
def test_numbers_of_numpy_are_numbers(arguments, data):
    result = paucal.learn(data, "pc", **arguments)
    assert paucal.SearchResult.from_json(result.to_json()) == result
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own bytes
    assert Recipe.from_toml(result.recipe.to_toml()).run(data).graph == result.graph
    assert eval(repr(result.recipe), {"paucal": paucal, "data": data}).graph == result.graph  # noqa: S307


def test_a_graph_to_start_from_is_kept(data):
    start = paucal.Graph.dag(data.names, [("Smoker", "Cancer")])
    result = paucal.learn(data, "hill-climbing", start=start)
    assert Recipe.from_toml(result.recipe.to_toml()).run(data).graph == result.graph
    assert eval(repr(result.recipe), {"paucal": paucal, "data": data}).graph == result.graph  # noqa: S307


def test_defaults_that_depend_on_the_table_are_not_carried_to_another(data):
    options = paucal.learn(data, "posterior", tolerance=1.0).recipe.options
    assert (options["edge_penalty"], options["rounds"], options["max_rounds"]) == (None, None, None)


@pytest.mark.parametrize(
    "text",
    [
        "search = 'rai'\n[knowledge]\nrequired = [['asia']]",
        "search = 'rai'\n[knowledge]\ntiers = ['ab', 'cd']",
        "[preparation]\nmissing = 'zz'",
        "[preparation]\nleave_out = 'ab'",
        "[preparation]\ndrop_unobserved = 'x'",
        "search = 'cmb'\ntarget = 'lung'\nreplicates = 3",
        "fraction = 7.0",
        "[test]\nalpha = 0.1",
    ],
)
def test_recipes_that_make_no_sense(text):
    with pytest.raises(PaucalError):
        Recipe.from_toml(text)


def test_a_test_may_be_written_as_its_name():
    assert Recipe.from_toml("search = 'rai'\ntest = 'g'").test.name == "g"


def test_a_recipe_of_a_blanket_is_for_blankets(tmp_path, data):
    table, stored = tmp_path / "d.csv", tmp_path / "r.toml"
    data.to_frame("pandas").to_csv(table, index=False)
    saving = ["--save-recipe", str(stored)]
    assert shell("blanket", str(table), "--all", *saving).exit_code == 2
    first = shell("blanket", str(table), "--target", "Cancer", *saving)
    assert shell("blanket", str(table), "--recipe", str(stored)).stdout == first.stdout
    told = shell("learn", str(table), "--recipe", str(stored))
    assert told.exit_code == 2 and "paucal blanket" in told.stderr


def test_other_data_do_not_explain_a_result(data):
    result = paucal.learn(data, "order")
    with pytest.raises(DataError, match=r"about 3,000 rows, the data have 50"):
        result.why("Smoker", "Cancer", data=data.take(range(50)))
