"""Tables with numbers and ordered columns on the command line."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from paucal.cli import cli


def run(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="paucal")


@pytest.fixture
def measured(tmp_path):
    """Ages, doses said in words, and whether somebody is ill."""
    rng = np.random.default_rng(3)
    age, dose = rng.normal(50, 12, 200).round(1), rng.integers(0, 3, 200)
    ill = rng.random(200) < 0.1 + 0.3 * dose + 0.01 * (age - 50)
    words = [("little", "more", "a heap")[i] for i in dose]
    lines = zip(age, words, ill, strict=True)
    path = tmp_path / "measured.csv"
    path.write_text("age,dose,ill\n" + "".join(f"{a},{d},{int(i)}\n" for a, d, i in lines))
    return path


def test_an_order_is_said(measured):
    order = "dose=little<more<a heap"
    shown = run("learn", measured, "--ordered", order, "--json").stdout
    assert "dose" in json.loads(shown)["details"]["forms"]
    run("learn", measured, "--ordered", order, "--save-recipe", measured.with_suffix(".toml"))
    written = measured.with_suffix(".toml").read_text()
    assert 'dose = ["little", "more", "a heap"]' in written and 'dose = "ordered"' in written
    assert "dose" in run("learn", measured, "--recipe", measured.with_suffix(".toml")).stdout


def test_inspect_says_what_columns_are_taken_for_and_why(measured):
    text = run("inspect", measured).stdout
    assert "levels: 3 different values in 200 rows" in text
    assert re.search(r"number: \d+ different fractional numbers in 200 rows", text)
    found = {one["name"]: one for one in json.loads(run("inspect", measured, "--json").stdout)["columns"]}
    assert (found["age"]["taken"], found["dose"]["taken"]) == ("number", "levels")
    assert found["dose"]["why"] == "3 different values in 200 rows"


def test_inspect_words_what_stands_in_the_way_in_options(tmp_path):
    (tmp_path / "ids.csv").write_text("id\n" + "".join(f"p{i}\n" for i in range(40)))
    for how in ([], ["--json"]):
        text = run("inspect", tmp_path / "ids.csv", *how).stdout
        assert "say what it is: --levels id." in text
        assert "kinds=" not in text


def test_fit_and_effect_say_how_numbers_are_cut(measured, tmp_path):
    told = run("fit", measured, "-o", tmp_path / "net.bif").stderr
    assert re.search(r"Numbers are cut into steps: age into < [\d.]+, .* \(3 steps of equal shares\)", told)
    assert "cut them yourself: --discretize age=quantile:5" in told
    assert "age in 3 steps of equal shares" in run("effect", measured, "age", "ill").stdout
    assert "age in 3 steps of equal shares" in run("effect", measured, "age", "--do", "dose=more").stdout
    assert "numbers are taken in steps" in run("effect", measured, "ill").stdout


def test_infinite_and_constant_numbers_and_more_numbers_than_rows(tmp_path):
    rng = np.random.default_rng(1)
    table = rng.normal(size=(15, 70)).round(3).astype(object)
    table[0, 0], table[:, 1] = "inf", "2.5"
    names = ",".join(f"x{i}" for i in range(70))
    (tmp_path / "wide.csv").write_text(names + "\n" + "\n".join(",".join(map(str, row)) for row in table) + "\n")
    shown = json.loads(
        run("learn", tmp_path / "wide.csv", "--search", "order", "--option", "starts=1", "--json").stdout
    )
    assert len(shown["graph"]["nodes"]) == 70
    assert "x1" not in str(shown["graph"]["edges"]).split("'")


def test_a_network_fitted_to_a_result_has_its_steps(tmp_path):
    """As when it is learned and fitted in one command: the steps of the score are in the result."""
    rng = np.random.default_rng(4)
    dose = rng.normal(size=400).round(2)
    ill = np.where(rng.random(400) < np.where(np.abs(dose) > 1, 0.9, 0.1), "yes", "no")
    table = tmp_path / "table.csv"
    rows = [f"{d},{i}" for d, i in zip(dose.tolist(), ill.tolist(), strict=True)]
    table.write_text("\n".join(["dose,ill", *rows]) + "\n")
    files = {name: str(tmp_path / name) for name in ("graph.json", "one.bif", "two.bif")}
    for words in (
        ["learn", str(table), "--out", files["graph.json"]],
        ["fit", str(table), "-o", files["one.bif"]],
        ["fit", str(table), "--graph", files["graph.json"], "-o", files["two.bif"]],
    ):
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, done.output
    assert "the steps in which the graphs were learned" in done.stderr
    assert (tmp_path / "one.bif").read_text() == (tmp_path / "two.bif").read_text()


def test_a_question_given_a_number_says_how_it_was_asked(tmp_path):
    rng = np.random.default_rng(5)
    z = rng.normal(size=200)
    table = tmp_path / "table.csv"
    columns = np.column_stack([z + rng.normal(size=200), -z + rng.normal(size=200), z])
    np.savetxt(table, columns, "%.4f", delimiter=",", header="x,y,z", comments="")
    done = CliRunner().invoke(cli, ["test", str(table), "x", "y"])
    assert "direction" in done.stdout
    assert "falling" in done.stdout
    assert "given z (in steps)" in CliRunner().invoke(cli, ["test", str(table), "x", "y", "--given", "z"]).stdout
