"""The commands as a user meets them: good input, bad input, pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import COMMANDS, cli


def run(*arguments: str, text: str | bytes | None = None):
    return CliRunner().invoke(cli, list(arguments), input=text, prog_name="paucal")


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    assert run("sample", "survey", "-n", "200", "--seed", "3", "-o", str(path)).exit_code == 0
    return str(path)


def test_help_lists_every_command():
    shown = run("--help").output
    for name, text in COMMANDS.items():
        assert name in shown
        assert text in shown
        assert "Example" in run(name, "--help").output or name == "networks"
    assert paucal.__version__ in run("--version").output


def test_inspect(survey):
    shown = run("inspect", survey).output
    assert "200 rows, 6 columns" in shown
    for name in paucal.load_network("survey").names:
        assert name in shown
    found = json.loads(run("inspect", survey, "--json").output)
    assert found["n_rows"] == 200
    assert [s["order"] for s in found["samples_per_cell"]] == [0, 1, 2, 3]
    assert found["samples_per_cell"][0]["worst"] == pytest.approx(200 / 9)


def test_inspect_shows_missing_values(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("a,b\nx,1\n,2\ny,1\nx,\n")
    result = run("inspect", str(path), "--json")
    assert result.exit_code == 0
    columns = json.loads(result.stdout)["columns"]
    assert [c["missing"] for c in columns] == [1, 1]


def test_test_prints_one_row_per_method(survey):
    shown = run("test", survey, "A", "S", "--given", "E", "R", "--test", "g", "chi2").output
    assert "A and S given E, R: 200 samples" in shown
    rows = [line.split()[0] for line in shown.splitlines() if line.strip()]
    assert rows.count("g") == rows.count("chi2") == 1


def test_test_json_equals_python(survey):
    output = run("test", survey, "A", "S", "--given", "E", "--test", "g", "--test-option", "df=full", "--json").output
    (got,) = json.loads(output)
    assert got == paucal.ci_test(paucal.read(survey), "A", "S", ["E"], test="g", df="full").to_dict()


def test_standard_input(survey):
    result = run("test", "-", "A", "S", "--json", text=Path(survey).read_bytes())
    assert json.loads(result.output)[0]["n"] == 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["A", "Q"], "There is no column 'Q'"),
        (["A", "A"], "cannot be tested against itself"),
        (["A", "S", "--given", "A"], "also in given"),
        (["A", "S", "--test", "gg"], "There is no test 'gg'"),
        (["A", "S", "--alpha", "7"], "--alpha 7.0 is not between 0 and 1"),
        (["A", "S", "--test-option", "df"], "Write name=value"),
        (["A", "S", "--test", "g", "--test-option", "df=half"], "df=half is not known"),
        (["A", "S", "--test-option", "colour=red"], "has a parameter 'colour'"),
        (["A", "S", "--discretize", "age="], "is not a list of column=rule"),
        (["A", "S", "--discretize", "age=young"], "Cut points are numbers"),
    ],
)
def test_bad_questions_give_one_line(survey, arguments, message):
    result = run("test", survey, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("paucal: error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"a,b\n", "at least one row"),
        (b"a,a\n1,2\n", "'a'"),
        (b"a,b\n1\n", "line 2"),
        (b"a,b\n\x9d,1\n", "utf-8"),
    ],
)
def test_bad_files_give_one_line(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    result = run("inspect", str(path))
    assert result.exit_code == 2
    assert result.stderr.startswith("paucal: error: ")
    assert message in result.stderr.lower()
    assert result.stderr.count("\n") == 1


def test_a_missing_file_and_a_folder(tmp_path):
    for path in (tmp_path / "nowhere.csv", tmp_path):
        result = run("inspect", str(path))
        assert result.exit_code == 2
        assert str(path) in result.stderr


def test_warnings_are_one_line_on_standard_error(tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("a,b\n" + "1,x\n2,x\n" * 20)
    result = run("test", str(path), "a", "b", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0]["decision"] == "independent"
    assert result.stderr.startswith("paucal: warning: ")
    assert result.stderr.count("\n") == 1


def test_warnings_name_the_options_that_mend_them(tmp_path):
    path = tmp_path / "survey.csv"
    rows = [f"{i},{20 + i % 30},{i % 2},same\n" for i in range(90)]
    path.write_text("id,age,smoke,site\n" + "".join(rows))
    result = run("learn", str(path), "--as-is")
    assert "leave it out (--leave-out)" in result.stderr
    assert "say so: --levels id." in result.stderr
    assert "=" not in result.stderr
    mended = run("inspect", str(path), "--leave-out", "id", "site", "--discretize", "quantile:3", "--json")
    assert (mended.exit_code, mended.stderr) == (0, "")
    assert [column["levels"] for column in json.loads(mended.stdout)["columns"]] == [30, 2]
    assert run("learn", str(path), "--leave-out", "id", "site", "--discretize", "quantile:3").exit_code == 0
    wrong = run("inspect", str(path), "--leave-out", "idd")
    assert wrong.exit_code == 2
    assert wrong.stderr == "paucal: error: There is no column 'idd'. Did you mean 'id'?\n"
    path.write_text("a,b\n1,\n,2\n")
    dropped = run("learn", str(path), "--missing", "drop", "--as-is")
    assert "so that --missing drop leaves none. Use --missing keep" in dropped.stderr


@pytest.mark.parametrize("rest", [[], ["--json"], ["--"]])
def test_an_option_without_its_words_is_not_ignored(survey, rest):
    result = run("inspect", str(survey), "--leave-out", *rest)
    assert result.exit_code == 2
    assert "Option '--leave-out' requires an argument" in result.stderr


def test_networks():
    assert "hailfinder" in run("networks").output
    listed = {entry["name"]: entry for entry in json.loads(run("networks", "--json").output)}
    assert (listed["alarm"]["nodes"], listed["alarm"]["arcs"]) == (37, 46)


def test_samples_are_the_same_everywhere(tmp_path, survey):
    printed = run("sample", "survey", "-n", "200", "--seed", "3")
    assert printed.stdout == Path(survey).read_text()
    for ending in ("tsv", "csv.gz", "parquet", "feather"):
        path = tmp_path / f"again.{ending}"
        assert run("sample", "survey", "-n", "200", "--seed", "3", "-o", str(path)).exit_code == 0
        again, first = paucal.read(path), paucal.read(survey)
        for a, b in zip(again.to_frame("dict").values(), first.to_frame("dict").values(), strict=True):
            assert [str(v) for v in a] == [str(v) for v in b]


def test_sample_hides_nodes(tmp_path):
    path = tmp_path / "hidden.csv"
    run("sample", "asia", "-n", "20", "--seed", "1", "--hide", "smoke", "tub", "-o", str(path))
    assert path.read_text().splitlines()[0] == "asia,lung,bronc,either,xray,dysp"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["alram", "-n", "5", "--seed", "1"], "Did you mean 'alarm'"),
        (["nowhere.bif", "-n", "5", "--seed", "1"], "nowhere.bif"),
        (["asia", "-n", "0", "--seed", "1"], "0 is not in the range"),
        (["asia", "-n", "5", "--seed", "1", "--hide", "smoking"], "There is no node 'smoking'"),
        (["asia", "-n", "5", "--seed", "1", "-o", "data.xlsx"], "End the name in .csv"),
        (["asia", "-n", "5", "--seed", "1", "-o", "no/such/folder/x.csv"], "cannot be written"),
    ],
)
def test_bad_samples(arguments, message):
    result = run("sample", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_show_and_compare(tmp_path):
    shown = run("show", "cancer").output
    assert "DAG: 5 nodes, 4 edges" in shown
    assert "Smoker -> Cancer" in shown
    path = tmp_path / "cancer.json"
    assert run("show", "cancer", "--cpdag", "--as", "json", "-o", str(path)).exit_code == 0
    assert "SHD 0:" in run("compare", str(path), "cancer").output
    other = paucal.load_network("cancer").graph
    fewer = paucal.Graph.dag(other.nodes, other.arcs()[1:])
    path.write_text(fewer.to_json())
    result = json.loads(run("compare", str(path), "cancer", "--json").output)
    assert (result["shd"], result["missing"], result["extra"]) == (1, 1, 0)
    assert result["differences"][0]["kind"] == "missing"
    for form in ("dot", "mermaid", "graphml", "tetrad", "svg"):
        assert "Smoker" in run("show", "cancer", "--as", form).output


@pytest.mark.parametrize(
    ("text", "message"), [("{", "is not JSON"), ("[1]", "holds no graph"), ('{"nodes": 3}', "paucal: error")]
)
def test_show_refuses_what_is_no_graph(tmp_path, text, message):
    path = tmp_path / "graph.json"
    path.write_text(text)
    result = run("show", str(path))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert run("compare", "asia", "cancer").exit_code == 2
    assert run("show", str(tmp_path / "no.json")).exit_code == 2


def test_the_installed_command_ends_with_one_line():
    code = "import sys; sys.argv = ['paucal', 'inspect', 'nowhere.csv']; import paucal.cli; paucal.cli.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("paucal: error: ")
    assert "Traceback" not in done.stderr


def test_levels_by_order(survey):
    for alpha, level in (("by-order", 0.03), ("0.01,0.07", 0.07), ("0.2", 0.2)):
        asked = ("A", "S", "--given", "E", "--test", "chi2-perm", "--alpha", alpha, "--json")
        assert json.loads(run("test", survey, *asked).output)[0]["threshold"] == level
    learned = run("learn", survey, "--test", "chi2-perm", "--alpha", "by-order")
    assert learned.exit_code == 0
    assert "alpha='by-order'" in learned.output
    refused = run("test", survey, "A", "S", "--alpha", "small")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("paucal: error: --alpha small is not a level.")


def test_rows_of_a_network_in_which_something_was_set():
    drawn = CliRunner().invoke(cli, ["sample", "asia", "-n", "5", "--seed", "1", "--do", "lung=yes", "smoke=no"])
    head, *rows = (line.split(",") for line in drawn.stdout.splitlines())
    assert {(row[head.index("lung")], row[head.index("smoke")], row[head.index("either")]) for row in rows} == {
        ("yes", "no", "yes")
    }
    wrong = {"lung": "names no level", "lung=maybe": "no level of 'lung' called 'maybe'", "ling=yes": "'lung'"}
    for words, message in wrong.items():
        refused = CliRunner().invoke(cli, ["sample", "asia", "-n", "5", "--seed", "1", "--do", words])
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert message in refused.stderr


def test_the_command_line_is_a_module_too():
    told = subprocess.run([sys.executable, "-m", "paucal", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.strip().endswith(paucal.__version__)
