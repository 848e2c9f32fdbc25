"""From a raw table to an answer: what is proposed, that it is told, and that noise stays noise."""

from __future__ import annotations

import datetime as dt
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import paucal
from paucal import Dataset, Recipe
from paucal.cli import cli
from paucal.errors import ConstantColumnWarning, DataError, PaucalWarning, PreparationWarning

N = 240
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(scope="module")
def messy():
    """A survey as people have it."""
    rng = np.random.default_rng(11)
    smoke = rng.choice(["yes", "no"], N, p=[0.4, 0.6])
    age = rng.integers(20, 80, N)
    cough = np.where(rng.random(N) < np.where(smoke == "yes", 0.8, 0.2), "often", "never")
    return pd.DataFrame(
        {
            "row": np.arange(1, N + 1),
            "name": [f"n{i}" for i in rng.permutation(N)],
            "visit": [(dt.date(2021, 1, 1) + dt.timedelta(days=int(d))).isoformat() for d in rng.integers(0, 300, N)],
            "age": age,
            "old": (age >= 60).astype(int),
            "smoke": smoke,
            "smoker": np.where(smoke == "yes", 1, 0),
            "cough": cough,
            "income": rng.choice([1, 2, 3, 4, 9], N, p=[0.3, 0.3, 0.2, 0.17, 0.03]),
            "notes": [f"seen again in week {i} by the same nurse" for i in range(N)],
        }
    )


def quietly(call, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PaucalWarning)
        return call(*args, **options)


def test_the_proposal(messy):
    how = paucal.prepare(messy)
    assert set(how.leave_out) == {"row", "name", "old", "smoker", "notes"}
    assert how.no_answer == {"income": (9,)}
    assert how.discretize is None  # numbers stay whole
    assert (how.kinds["visit"], how.kinds["age"]) == ("number", "number")
    lost = int((messy["income"] == 9).sum())
    assert how.missing == "keep"
    assert f"{lost} of {5 * N:,} values are missing, in {lost} of {N} rows, most in income" in str(how)
    assert str(how).startswith(f"{N} rows and 10 columns read, {N} rows and 5 columns used.")


def test_learning_does_what_is_proposed_and_says_so(messy):
    with pytest.warns(PreparationWarning, match=r"5 columns used; left out: row, name, .*as_is=True") as caught:
        result = paucal.learn(messy, seed=1)
    assert sum(w.category is PreparationWarning for w in caught) == 1
    assert result.graph.nodes == ("visit", "age", "smoke", "cough", "income")
    assert result.graph.has_edge("smoke", "cough")
    assert result.recipe.preparation == paucal.prepare(messy)
    # the recipe is all of it: the printed call, the stored recipe, and the proposal by hand give the same
    again = quietly(Recipe.from_toml(result.recipe.to_toml()).run, messy)
    assert again.graph == result.graph and again.recipe == result.recipe
    by_hand = quietly(Dataset.of, messy, **paucal.prepare(messy).said)
    assert quietly(paucal.learn, by_hand, seed=1).probabilities().equals(result.probabilities())


def test_what_is_said_comes_before_what_is_proposed(messy):
    result = quietly(
        paucal.learn,
        messy,
        "pc-stable",
        kinds={"row": "levels"},
        discretize={"age": [40]},
        missing="level",
        leave_out=["vis*"],
    )
    how = result.recipe.preparation
    assert "row" in result.graph.nodes and "visit" not in result.graph.nodes
    assert how.discretize == {"age": (40,)} and how.missing == "level"
    assert how.leave_out["visit"] == "as you said"
    few = quietly(paucal.learn, messy, "pc-stable", columns=["smoke", "smoker", "age"], discretize="width:4")
    assert few.graph.nodes == ("smoke", "age") and len(few.recipe.preparation.discretize["age"]) == 3


def test_as_it_is_means_as_it_is(messy):
    with pytest.raises(DataError, match="Values are missing"):
        paucal.learn({"a": [0, 1, None] * 9, "b": [0, 1, 1] * 9}, as_is=True)
    plain = messy[["smoke", "smoker", "cough"]]
    assert paucal.learn(plain, as_is=True).graph.nodes == ("smoke", "smoker", "cough")


def test_a_question_prepares_its_own_columns_alone(messy):
    assert paucal.ci_test(messy, "age", "cough").n == N  # the gaps of income cost nothing
    assert paucal.ci_test(messy, "smoke", "smoker").decision == "dependent"  # whoever is named is not left out
    assert quietly(paucal.ci_test, messy, "name", "cough", test="chi2").n == N
    assert quietly(paucal.blanket, messy, "cough").mb == ("smoke",)


@pytest.mark.parametrize("name", ["asia", "cancer", "survey", "sachs", "child", "insurance", "alarm"])
def test_clean_tables_pass_untouched(name):
    data = paucal.load_network(name).sample(500, seed=3)
    table = data.to_frame("dict")
    assert set(paucal.prepare(table).said) <= {"order"}
    if name in ("asia", "survey"):
        raw, made = quietly(paucal.learn, table), quietly(paucal.learn, Dataset.of(table))
        assert raw.graph == made.graph and raw.probabilities() == made.probabilities()
        assert made.graph == quietly(paucal.learn, data).graph


def test_gaps():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 200)).tolist()
    some = paucal.prepare({"a": [None] * 40 + a[40:], "b": b})
    assert some.missing == "keep" and "40 of 400 values are missing, in 40 of 200 rows, most in a" in str(some)
    mostly = paucal.prepare({"a": [None] * 140 + a[140:], "b": b, "c": a})
    assert mostly.leave_out == {"a": "70% of the values are missing"} and mostly.missing == "error"


def test_rare_levels_of_many_are_put_together():
    rng = np.random.default_rng(0)
    towns = [f"town {i}" for i in rng.integers(0, 20, 400)] + [f"hamlet {i // 3}" for i in range(30)]
    how = paucal.prepare({"town": towns, "b": rng.integers(0, 2, 430).tolist()})
    assert how.merge == {"town": {"other": tuple(f"hamlet {i}" for i in range(10))}}
    few = [f"town {i}" for i in rng.integers(0, 10, 400)] + ["hamlet"]
    assert not paucal.prepare({"town": few, "b": rng.integers(0, 2, 401).tolist()}).merge


def test_identifiers_alone_leave_nothing():
    with pytest.raises(DataError, match=r"No column is left to learn from: 'id' .*kinds=\{'id': 'levels'\}"):
        paucal.learn({"id": [f"p{i}" for i in range(50)]})
    with pytest.raises(DataError, match="no rows"):
        paucal.learn({"a": [], "b": []})


def dressed(table, rng):
    n = len(next(iter(table.values())))
    return table | {
        "row": list(range(n)),
        "id": [f"P{i:06d}" for i in rng.permutation(10**6)[:n]],
        "visit": [f"{d}.{m}.2021" for d, m in zip(rng.integers(1, 29, n), rng.integers(1, 13, n), strict=True)],
        "zip": [f"{i:05d}" for i in rng.integers(1000, 99999, n)],
        "comment": [" ".join(rng.choice(["no", "pain", "since", "monday", "again"], 6)) for _ in range(n)],
        "price": [f"{x:.2f}".replace(".", ",") for x in rng.lognormal(3, 1, n)],
    }


def test_noise_stays_noise(messy):
    ordinary = messy[["age", "smoke", "cough", "income"]]
    plain = with_names = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        shuffled = {name: rng.permutation(ordinary[name].to_numpy()).tolist() for name in ordinary}
        result = quietly(paucal.learn, dressed(shuffled, rng), seed=seed)
        assert not {"row", "id", "zip", "comment"} & set(result.graph.nodes)
        assert {"visit", "price"} <= set(result.graph.nodes)
        with_names += result.graph.n_edges
        plain += quietly(paucal.learn, shuffled, seed=seed).graph.n_edges
    assert with_names <= plain + 1
    whole = {name: ordinary[name].tolist() for name in ordinary}
    kept = quietly(paucal.learn, dressed(whole, rng))
    assert kept.graph.has_edge("smoke", "cough")  # what there is, is found


@pytest.mark.parametrize(
    ("name", "named"),
    [("penguins.csv", {"Individual ID", "Comments"}), ("nhefs.csv", {"seqn"})],
)
def test_nothing_is_learned_from_real_tables_whose_columns_are_shuffled(name, named):
    table = pd.read_csv(EXAMPLES / name).head(344)
    ordinary = [one for one in table if one not in named and table[one].nunique() > 2]
    assert named <= set(paucal.prepare(EXAMPLES / name).leave_out)
    rng = np.random.default_rng(5)
    chosen = [*sorted(named), *ordinary[:8]]
    shuffled = {one: rng.permutation(table[one].to_numpy()).tolist() for one in chosen}
    result = quietly(paucal.learn, shuffled, seed=5)
    assert not named & set(result.graph.nodes)
    assert result.graph.n_edges <= 1


def test_a_constant_stays_isolated_and_is_warned_of(messy):
    with pytest.warns(ConstantColumnWarning, match="'site'"):
        assert "site" in paucal.learn(messy[["smoke", "cough"]].assign(site="clinic")).graph.nodes


# ---------------------------------------------------------------------------------------------- the command line


def shell(*words):
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="paucal")


@pytest.fixture
def file(messy, tmp_path):
    path = tmp_path / "survey.csv"
    messy.to_csv(path, index=False)
    return path


def test_two_commands_from_file_to_answer(file, messy, tmp_path):
    recipe = tmp_path / "recipe.toml"
    told = shell("prepare", file, "-o", recipe)
    assert told.exit_code == 0, told.stderr
    assert told.stdout == str(paucal.prepare(file)) + "\n"
    text = recipe.read_text(encoding="utf-8")
    assert 'name = "names the rows' in text and "# " in text
    plain, by_recipe = shell("learn", file), shell("learn", file, "--recipe", recipe)
    assert plain.exit_code == by_recipe.exit_code == 0
    assert plain.stdout.splitlines()[1:] == by_recipe.stdout.splitlines()[1:]
    assert "left out: row, name" in plain.stderr and "--as-is" in plain.stderr
    assert "5 of 10 columns are used, as the recipe says" in by_recipe.stderr
    for words in (["blanket", file, "--target", "cough"], ["test", file, "smoke", "cough"], ["inspect", file]):
        assert shell(*words, "--recipe", recipe).exit_code == 0
    assert shell("test", file, "name", "cough", "--test", "chi2").exit_code == 0


def test_an_edited_recipe_is_done(file, tmp_path):
    recipe = tmp_path / "recipe.toml"
    shell("prepare", file, "-o", recipe)
    lines = [line for line in recipe.read_text().splitlines() if not line.startswith("smoker =")]
    recipe.write_text("\n".join(lines) + "\n")
    kept = tmp_path / "kept.toml"
    told = shell("learn", file, "--recipe", recipe, "--leave-out", "visit", "--save-recipe", kept, "--json")
    assert told.exit_code == 0, told.stderr
    nodes = json.loads(told.stdout)["graph"]["nodes"]
    assert "smoker" in nodes and "visit" not in nodes
    assert json.loads(shell("learn", file, "--recipe", kept, "--json").stdout)["graph"]["nodes"] == nodes


def test_kinds_on_the_command_line(file):
    told = shell("prepare", file, "--name", "age,visit", "--levels", "row", "--ordered", "income", "--json")
    assert told.exit_code == 0, told.stderr
    kinds = json.loads(told.stdout)["preparation"]["kinds"]
    assert {name: kinds[name] for name in ("age", "visit", "row", "income")} == {
        "age": "name",
        "visit": "name",
        "row": "levels",
        "income": "ordered",
    }


def test_describing_a_file(file):
    told = shell("inspect", file)
    assert told.exit_code == 0, told.stderr
    for part in ("identifier", "free text", "date/time", "old is age cut", "Prepared: 240"):
        assert part in told.stdout
    plain = json.loads(shell("inspect", file, "--json").stdout)
    assert {c["name"]: c["kind"] for c in plain["columns"]}["notes"] == "free text"
    assert plain["findings"][0].keys() == {"kind", "columns", "what", "effect", "advice"}
