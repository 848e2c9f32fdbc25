"""`paucal blanket` as a user meets it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli


def run(*arguments: str, text: str | None = None):
    return CliRunner().invoke(cli, ["blanket", *arguments], input=text, prog_name="paucal")


@pytest.fixture
def asia(tmp_path):
    path = tmp_path / "asia.csv"
    names = paucal.load_network("asia").names
    frame = paucal.load_network("asia").sample(400, seed=3).to_frame("dict")
    rows = [",".join(map(str, row)) for row in zip(*(frame[name] for name in names), strict=True)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return str(path)


def test_a_table_for_people(asia):
    shown = run(asia, "--target", "either", "bronc").stdout
    assert all(word in shown for word in ("target", "parents", "children", "undetermined", "spouses", "tests"))
    rows = [line.split()[0] for line in shown.splitlines() if line.strip()]
    assert rows[-2:] == ["either", "bronc"]


def test_json_says_what_the_library_says(asia):
    found = json.loads(run(asia, "--target", "either", "--json").output)
    expected = paucal.blanket(paucal.read(asia), "either")
    assert len(found) == 1
    for part in ("parents", "children", "undetermined", "spouses"):
        assert found[0][part] == list(getattr(expected, part))
    assert found[0]["n_tests"] == expected.ledger.n_tests
    assert found[0]["search"] == "cmb"


def test_all_targets_are_the_same_for_any_number_of_jobs(asia):
    one, two = (run(asia, "--all", "--jobs", jobs, "--json").output for jobs in ("1", "2"))
    assert one == two
    assert [entry["target"] for entry in json.loads(one)] == list(paucal.load_network("asia").names)


def test_options_reach_the_search_and_the_test(asia):
    plain = json.loads(run(asia, "--target", "either", "--search", "hiton", "--json").output)[0]
    assert plain["parents"] == plain["children"] == []
    options = ("--option", "neighbours=stmb", "--max-order", "1", "--test", "chi2")
    found = run(asia, "--target", "either", *options, "--test-option", "df=full", "--json")
    assert found.exit_code == 0
    assert json.loads(found.output)[0]["test"] == "chi2"


def test_the_whole_story_goes_to_a_file(asia, tmp_path):
    out = tmp_path / "blankets.json"
    assert run(asia, "--target", "either", "tub", "--out", str(out)).exit_code == 0
    stories = [paucal.BlanketResult.from_dict(entry) for entry in json.loads(out.read_text())]
    assert [story.target for story in stories] == ["either", "tub"]
    assert str(stories[0].why("tub"))


def test_a_page_about_one_column(asia, tmp_path):
    page = tmp_path / "page.html"
    outcome = run(asia, "--target", "either", "--report", str(page))
    assert outcome.exit_code == 0
    written = page.read_text(encoding="utf-8")
    assert "The Markov blanket of either" in written and "<h2>Columns</h2>" in written
    for targets in (["--target", "either", "bronc"], ["--all"]):
        refused = run(asia, *targets, "--report", str(tmp_path / "none.html"))
        assert refused.exit_code == 2 and "about one column" in refused.stderr
    assert not (tmp_path / "none.html").exists()


def test_standard_input(asia):
    with open(asia, encoding="utf-8") as file:  # noqa: PTH123
        shown = run("-", "--target", "lung", text=file.read())
    assert shown.exit_code == 0
    assert "lung" in shown.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "lungs"], "There is no column 'lungs'. Did you mean 'lung'"),
        ([], "No target was named"),
        (["--all", "--target", "lung"], "Both --all and --target"),
        (["--all", "--search", "cbm"], "There is no search for blankets 'cbm'"),
        (["--all", "--option", "stile=x"], "no option 'stile'"),
        (["--all", "--option", "style"], "was given 'style'"),
        (["--all", "--test", "none"], "There is no test 'none'"),
        (["--all", "--jobs", "0"], "--jobs 0 is not a number of processes"),
        (["--all", "--alpha", "2"], "--alpha 2.0 is not between 0 and 1"),
    ],
)
def test_bad_input_is_one_clear_error(asia, arguments, message):
    result = run(asia, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert message in line


def test_constant_columns(tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("a,b,c\n1,1,1\n1,1,2\n1,1,1\n")
    result = run(str(path), "--all", "--json")
    assert "'a', 'b'" in result.stderr
    assert all(entry["parents"] == entry["spouses"] == [] for entry in json.loads(result.stdout))


def test_what_is_known_in_words(asia):
    words = ["--target", "either", "--outcome", "xray", "dysp", "--exogenous", "smoke", "--json"]
    found = json.loads(run(asia, *words).output)[0]
    expected = paucal.blanket(paucal.read(asia), "either", outcome=["xray", "dysp"], exogenous=["smoke"])
    assert found["children"] == list(expected.children)
    assert not {"xray", "dysp"} & set(found["parents"])
    assert "There is no node 'smok'" in run(asia, "--target", "either", "--outcome", "smok").output


def test_a_lost_member_is_noted(tmp_path):
    rng = np.random.default_rng(0)
    p, q = rng.integers(0, 2, (2, 500))
    t = np.where(rng.random(500) < 0.8, p | q, rng.integers(0, 2, 500))
    path = tmp_path / "table.csv"
    lines = [f"{a},{b},{2 * a + b},{c}" for a, b, c in zip(p, q, t, strict=True)]
    path.write_text("\n".join(["p,q,both,t", *lines]), "utf-8")
    plain = CliRunner().invoke(cli, ["blanket", str(path), "--target", "t"])
    assert "paucal: note: both is not in the blanket of t, but depends on it given the blanket" in plain.stderr
    (told,) = json.loads(CliRunner().invoke(cli, ["blanket", str(path), "--target", "t", "--json"]).stdout)
    assert [one["column"] for one in told["lost"]] == ["both"]
