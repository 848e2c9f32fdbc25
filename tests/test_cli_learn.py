from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli
from paucal.cli.progress import TerminalProgress
from paucal.data.write import write
from paucal.graphs.formats.names import render


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    path = tmp_path_factory.mktemp("learn") / "asia.csv"
    write(paucal.load_network("asia").sample(1000, seed=1), path)
    return path


def run(*args, code=0, **more):
    outcome = CliRunner().invoke(cli, ["learn", *map(str, args)], **more)
    assert outcome.exit_code == code, outcome.output
    return outcome


def refused(*args, **more):
    """Run what must fail: exit code 2, nothing on standard output, one line on standard error."""
    outcome = run(*args, code=2, **more)
    assert outcome.stdout == ""
    assert outcome.stderr.count("\n") == 1
    return outcome.stderr


@pytest.mark.parametrize("method", ["pc", "pc-stable", "rai", "sc-pc", "mmhc"])
def test_prints_a_summary_and_the_edges(survey, method):
    printed = run(survey, "--search", method, "--test", "chi2", "--alpha", "0.01").stdout.splitlines()
    result = paucal.learn(survey, method, test="chi2", alpha=0.01)
    assert printed[0].startswith(f"{method} with chi2(alpha=0.01")
    assert printed[1:] == str(result).splitlines()[1:]


def test_options_reach_search_and_test(survey):
    printed = json.loads(
        run(
            survey,
            "--search",
            "rai",
            "--option",
            "colliders=majority",
            "--test",
            "g",
            "--test-option",
            "df=full",
            "min_samples=3",
            "--max-order",
            "1",
            "--json",
        ).stdout
    )
    assert printed["recipe"]["options"]["colliders"] == "majority"
    assert printed["recipe"]["options"]["max_order"] == 1
    assert printed["recipe"]["test"]["df"] == "full"
    assert printed["recipe"]["test"]["min_samples"] == 3
    assert printed["graph"]["kind"] == "cpdag"


def test_writes_files(survey, tmp_path):
    forms = ("dot", "mermaid", "graphml", "svg")
    words = [word for form in forms for word in (f"--{form}", tmp_path / form)]
    run(survey, "--out", tmp_path / "result.json", *words)
    result = paucal.SearchResult.from_json((tmp_path / "result.json").read_text())
    assert result.graph == paucal.learn(survey).graph
    for form in forms:
        assert (tmp_path / form).read_text() == render(result.graph, form, result.edge_numbers(), result.near_misses())
    assert {path.name for path in tmp_path.iterdir()} == {*forms, "result.json"}


def test_tiers(survey, tmp_path):
    tiers = tmp_path / "tiers.toml"
    tiers.write_text('tiers = [["asia", "smoke"], ["tub", "lung", "bronc"], ["either", "xray", "dysp"]]')
    printed = json.loads(run(survey, "--knowledge", tiers, "--json").stdout)
    known = paucal.Knowledge.read(tiers)
    assert all(not known.forbids(a, b) for a, symbol, b in printed["graph"]["edges"] if symbol == "->")
    assert printed["recipe"]["knowledge"]["tiers"][0] == ["asia", "smoke"]


def test_standard_input(survey):
    from_pipe = json.loads(run("-", "--json", input=survey.read_text()).stdout)
    from_file = json.loads(run(survey, "--json").stdout)
    assert from_pipe["graph"] == from_file["graph"]


def test_missing_values_and_numbers(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c\n" + "".join(f"{i % 2},{'' if i == 7 else i % 3},{i / 7}\n" for i in range(60)))
    assert "missing" in refused(path, "--as-is")
    proposed = run(path)
    assert "60 rows and 3 columns used; 1 of 180 values is missing, in 1 of 60 rows, most in b" in proposed.stderr
    assert "1 of 180 values were missing, and filled in" in proposed.stdout
    told = run(path, "--missing", "drop", "--discretize", "quantile:3", "--as-is")
    assert told.stderr == "paucal: note: 59 of 60 rows and 3 of 3 columns are used.\n"
    printed = json.loads(run(path, "--missing", "level", "--discretize", "quantile:3", "--json").stdout)
    assert printed["evidence"]["n_samples"] == 60


def test_one_column_two_columns_and_a_constant():
    assert "1 node, 0 edges" in run("-", input="a\n0\n1\n0\n1\n").stdout
    twice = "a,b\n" + "0,0\n1,1\n" * 20
    assert "a -- b" in run("-", "--as-is", input=twice).stdout
    assert "left out: b" in run("-", input=twice).stderr
    outcome = run("-", "--as-is", input="a,b,c\n" + "0,5,0\n1,5,1\n" * 20)
    assert "a -- c" in outcome.stdout
    assert "constant" in outcome.stderr


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["--search", "pc_stable"], "Did you mean 'pc-stable'"),
        (["--test", "chi"], "There is no test 'chi'. Did you mean 'chi2'"),
        (["--alpha", "1.5"], "--alpha 1.5 is not between 0 and 1"),
        (["--option", "collider=majority"], "Did you mean 'colliders'"),
        (["--option", "colliders"], "Write name=value"),
        (["--option", "alpha=0.1"], "has an option of its own"),
        (["--test", "g", "--test-option", "df=some"], "df=some"),
        (["--knowledge", "nowhere.toml"], "nowhere.toml"),
        (["--out", "no/such/folder/graph.json"], "cannot be written"),
        (["--svg", "no/such/folder/graph.svg"], "cannot be written"),
    ],
    ids=str,
)
def test_bad_input_is_one_line_and_code_two(survey, args, part):
    assert part in refused(survey, *args)


def test_bad_files(survey, tmp_path):
    assert "There is no file" in refused(tmp_path / "nothing.csv")
    wrong = tmp_path / "tiers.toml"
    wrong.write_text('tiers = [["asia"], ["smok"]]')
    assert "Did you mean 'smoke'" in refused(survey, "--knowledge", wrong)
    wrong.write_text("tiers = [")
    assert "not TOML" in refused(survey, "--knowledge", wrong)
    wrong.write_text('required = ["asia -> tub"]\nforbidden = ["asia -> tub"]')
    assert "is required, but" in refused(survey, "--knowledge", wrong)


@pytest.mark.parametrize("words", [["--max-order", "-1"], ["--threads", "0"], ["--seed", "x"]])
def test_numbers_that_make_no_sense(survey, words):
    assert words[0] in run(survey, *words, code=2).stderr


# -------------------------------------------------------------------------------------------------------- progress bar


def test_no_bar_where_nobody_looks(capsys, monkeypatch):
    monkeypatch.setattr("paucal.cli.progress._PATIENCE", 0.0)
    with TerminalProgress() as progress:
        progress("order 0", 1, 2)
    assert capsys.readouterr().err == ""


def test_a_bar_on_a_terminal_but_not_for_short_work(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with TerminalProgress() as progress:
        progress("order 0", 1, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("paucal.cli.progress._PATIENCE", 0.0)
    with TerminalProgress() as progress:
        progress("order 1", 1, 2)
        progress("around x", 3, None)
        progress._bar.refresh()
    assert "around x" in capsys.readouterr().err


def test_what_is_known_in_words(survey, tmp_path):
    saved = tmp_path / "recipe.toml"
    words = ["--outcome", "dysp", "xray", "--exogenous", "asia", "--background", "smoke"]
    words += ["--time", "tub", "lung", ",", "either", "--same", "tub", "lung", "--same", "xray", "dysp"]
    search = ["--search", "pc-stable", "--json"]
    told = json.loads(run(survey, *words, *search, "--save-recipe", saved).stdout)
    assert told["recipe"]["knowledge"] == {
        "outcome": ["dysp", "xray"],
        "exogenous": ["asia", "smoke"],
        "time": [["tub", "lung"], ["either"]],
        "same": [["tub", "lung"], ["xray", "dysp"]],
    }
    named = ["--time", "first:", "tub", "lung", ",", "then:", "either"]
    said = json.loads(run(survey, *named, *search).stdout)["recipe"]["knowledge"]
    assert said == {"time": {"first": ["tub", "lung"], "then": ["either"]}}
    # a recipe is added to
    more = json.loads(run(survey, "--recipe", saved, "--randomised", "bronc", "--json").stdout)
    assert more["recipe"]["knowledge"] == told["recipe"]["knowledge"] | {"randomised": ["bronc"]}


def test_lists_and_files_of_knowledge_are_put_together(survey, tmp_path):
    white, black, file = (tmp_path / name for name in ("white.csv", "black.csv", "known.txt"))
    white.write_text("from,to\nsmoke,dysp\n")
    black.write_text("from,to\nsmoke,lung\nlung,smoke\n")
    file.write_text("/knowledge\naddtemporal\n1 asia\n2 tub\n")
    words = ["--whitelist", white, "--blacklist", black, "--knowledge", file, "--search", "pc-stable", "--json"]
    known = json.loads(run(survey, *words).stdout)["recipe"]["knowledge"]
    assert known == {
        "tiers": [["asia"], ["tub"]],
        "required": [["smoke", "dysp"]],
        "forbidden": [["smoke", "lung"], ["lung", "smoke"]],
    }


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["--outcome", "dyspn"], "There is no node 'dyspn'. Did you mean 'dysp'"),
        (
            ["--outcome", "dysp", "--exogenous", "dysp"],
            "dysp is an outcome, which causes nothing, but dysp is exogenous",
        ),
        (["--time", "asia", ",", ",", "tub"], "a wave without columns"),
        (["--time", "asia", ",", "tub", "asia"], "'asia' is in the waves 1 and 2"),
        (["--time", "first:", "asia", ",", "tub"], "names 1 of 2 waves"),
        (["--time", "first:", "asia", ",", "first:", "tub"], "gives one name to two waves"),
        (["--time", "first:", ",", "then:", "tub"], "a wave without columns"),
        (["--time", "first:", "asia", ",", "then:", "asia"], "'asia' is in the waves 'first' and 'then'"),
        (["--same", "asia", "asia"], "not a pair of columns. Name two columns."),
        (["--option", "outcome=dysp"], "has an option of its own"),
        (["--interventions", "dispn"], "There is no column 'dispn'"),
        (["--interventions", "dysp"], "'dysp' says that 'no' was set"),
        (["--interventions", "dysp", "--search", "rai"], "cannot make use of rows in which columns were set"),
        (["--targets", "nowhere.toml"], "nowhere.toml"),
    ],
    ids=str,
)
def test_what_cannot_be_known_is_refused(survey, args, part):
    assert part in refused(survey, *args)


def test_what_to_ask_is_told_beside_the_graph(survey):
    asked = run(survey, "--search", "posterior").stderr
    assert "paucal: ask: Does " in asked
