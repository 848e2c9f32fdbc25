"""`paucal reproduce`: from the command to the files, bad input, and a run that is killed again and again."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from paucal.cli import cli
from paucal.paper.catalogue import EXPERIMENTS
from paucal.paper.store import NAME, Store

SMALL = ["--networks", "asia", "--sizes", "60", "--runs", "2"]


def run(*words):
    return CliRunner().invoke(cli, ["reproduce", *map(str, words)])


def cells_in(folder):
    """Give key -> numbers that must not depend on when and where a cell ran."""
    found = {}
    for line in (folder / NAME).read_text().splitlines()[1:]:
        record = json.loads(line)
        if "key" in record:
            assert record["key"] not in found, "a cell was written twice"
            found[record["key"]] = {k: v for k, v in record["result"].items() if k != "seconds"}
    return found


# ------------------------------------------------------------------------------------------------ the whole command


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Everything, quickly."""
    out = tmp_path_factory.mktemp("quick")
    result = run("all", "--quick", "--out", out)
    assert result.exit_code == 0, result.output
    return out, result


def test_everything_is_written(quick):
    out, result = quick
    page = (out / "reproduction.md").read_text()
    for experiment in EXPERIMENTS:
        for ending in ("json", "md", "html", "tex"):
            assert (out / f"{experiment.name}.{ending}").stat().st_size > 0
        assert experiment.title in result.output
        assert f"## {experiment.title}" in page
        if experiment.name.startswith("figure"):
            assert (out / f"{experiment.name}.png").read_bytes().startswith(b"\x89PNG")
            assert "<svg" in (out / f"{experiment.name}.svg").read_text()
    for target in re.findall(r"\]\(([^)]+)\)", page):
        assert (out / target).exists()


def values(out, experiment, table):
    """Give rows of a table of a report as dictionaries of plain means."""
    report = json.loads((out / f"{experiment}.json").read_text())
    content = next(t for t in report["tables"] if t["name"] == table)
    names = [column["name"] for column in content["columns"]]
    rows = []
    for row in content["rows"]:
        plain = [value["mean"] if isinstance(value, dict) else value for value in row]
        rows.append(dict(zip(names, plain, strict=True)))
    return rows


def test_table_2_has_the_papers_numbers_and_sensible_ones_of_ours(quick):
    rows = values(quick[0], "table2", "table2-details")
    by_method = {row["method"]: row for row in rows if row["size"] == "100"}
    assert by_method["rBF_chi2"]["shd_paper"] == 24.2
    assert by_method["PC-stable"]["tests_paper"] == 559
    assert by_method["empty graph"]["shd"] == 25
    for method in ("rI^eB", "rBF_chi2", "RAI-BF", "PC-stable"):
        row = by_method[method]
        assert 10 < row["shd"] < 35
        assert row["shd"] == pytest.approx(row["extra"] + row["missing"] + row["misdirected"])
        assert 190 <= row["tests"] < 2000  # at least one test for each pair
    assert by_method["RAI-BF"]["paired"] is not None


def test_tables_share_their_cells(quick):
    accuracy = values(quick[0], "table4", "table4-details")
    table2 = {row["method"]: row["shd"] for row in values(quick[0], "table2", "table2-details")}
    for row in accuracy:
        if row["method"] in table2:
            assert row["shd"] == table2[row["method"]]


def test_the_empirical_bayes_estimate_beats_the_plug_in(quick):
    few, many = values(quick[0], "figure7", "figure7")
    assert few["I^eB"] < 0.8 * few["MLE"]  # 10 rows for 9 cells
    assert many["I^eB"] < 1.3 * many["MLE"]


def test_tests_hold_their_level_about(quick):
    few, many = values(quick[0], "figure8", "figure8")
    for row in (few, many):
        assert row["BF_chi2_type1"] <= 0.12
    assert few["BF_chi2_power"] < many["BF_chi2_power"]
    assert many["BF_chi2_power"] > 0.9


def test_modified_parameters_come_nearer_than_modified_counts(quick):
    rows = values(quick[0], "figure1", "figure1")
    better = [r["modified parameters_median"] < r["modified counts (Minka)_median"] for r in rows]
    assert sum(better) > len(better) / 2


def test_classifiers_beat_the_larger_class(quick):
    rows = values(quick[0], "table12", "table12")
    breast = {row["method"]: row for row in rows if row["dataset"] == "breast-w"}
    assert breast["majority class"]["auc"] == 0.5
    assert breast["rBF_chi2"]["auc"] > 0.9
    assert breast["naive Bayes"]["f1"] > 0.9


def test_figures_are_the_same_again(quick, tmp_path):
    out, _ = quick
    result = run("figure8", "--quick", "--out", tmp_path)
    assert result.exit_code == 0
    assert (tmp_path / "figure8.svg").read_bytes() == (out / "figure8.svg").read_bytes()


def test_json_is_what_the_files_have(quick):
    out, _ = quick
    result = run("table2", "--quick", "--out", out, "--json")
    printed = json.loads(result.stdout)[0]
    assert printed["tables"] == json.loads((out / "table2.json").read_text())["tables"]


# -------------------------------------------------------------------------------------------------------- bad input


def test_list_names_everything():
    result = run("--list")
    assert result.exit_code == 0
    assert all(e.name in result.output and e.title in result.output for e in EXPERIMENTS)
    assert [e["name"] for e in json.loads(run("--list", "--json").output)] == [e.name for e in EXPERIMENTS]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tabel2"], "There is no table or figure 'tabel2'. Did you mean 'table2'"),
        (["table2", "--networks", "alram"], "There is no network 'alram'. Did you mean 'alarm'"),
        (["table2", "--sizes", "1"], "A sample of 1 rows decides nothing"),
        (["table2", "--jobs", "0", *SMALL], "--jobs 0"),
        (["table12", "--data", "nowhere"], "--samples supplement"),
        ([], "Name a table or figure"),
    ],
)
def test_bad_input_is_one_clear_line_and_writes_nothing(tmp_path, words, message):
    result = run(*words, "--out", tmp_path / "new")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.rglob("*.md"))


def test_out_that_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    result = run("table5", *SMALL, "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("content", ["a,b\n1,2\n", '{"format": "something else"}\n{}\n'])
def test_foreign_results_are_left_alone(tmp_path, content):
    (tmp_path / NAME).write_text(content)
    result = run("table5", *SMALL, "--out", tmp_path)
    assert result.exit_code == 2
    assert "not a results file" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == [NAME]
    assert (tmp_path / NAME).read_text() == content


def test_foreign_reports_are_left_alone(tmp_path):
    (tmp_path / "table5.md").write_text("mine")
    result = run("table5", *SMALL, "--out", tmp_path)
    assert result.exit_code == 2
    assert "holds no results" in result.stderr
    assert (tmp_path / "table5.md").read_text() == "mine"


def test_without_matplotlib_figures_are_refused_and_numbers_are_not(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = ["figure8", "--quick", "--repetitions", "20", "--out", tmp_path]
    result = run(*words)
    assert result.exit_code == 2
    assert "paucal[plot]" in result.stderr
    assert run(*words, "--no-figures").exit_code == 0
    assert (tmp_path / "figure8.csv").exists()
    assert not (tmp_path / "figure8.svg").exists()


# ----------------------------------------------------------------------------------------------------------- killing


def wait_for_lines(path, number, process):
    """Wait until the file has so many lines; say whether the process is still at work."""
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.read_bytes().count(b"\n") >= number:
            return True
        time.sleep(0.001)
    return False


def test_a_run_killed_ten_times_ends_as_one_that_was_not(tmp_path):
    words = ["table2", "--networks", "child", "--sizes", "60", "90", "120", "--runs", "12", "--no-figures"]
    command = [sys.executable, "-c", "from paucal.cli import main; main()", "reproduce", *words, "--out"]
    rng = random.Random(7)
    killed, path = tmp_path / "killed", tmp_path / "killed" / NAME
    kills = 0
    for _ in range(10):
        lines = path.read_bytes().count(b"\n") if path.exists() else 0
        process = subprocess.Popen([*command, str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if wait_for_lines(path, lines + rng.randint(1, 10), process):
            time.sleep(rng.uniform(0, 0.01))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
    assert kills == 10
    before = path.read_bytes()
    finished = subprocess.run([*command, str(killed), "--jobs", "2"], check=True, capture_output=True)
    assert finished.returncode == 0
    assert path.read_bytes().startswith(before[: before.rfind(b"\n") + 1])  # nothing was lost or changed
    subprocess.run([*command, str(tmp_path / "whole")], check=True, capture_output=True)
    assert cells_in(killed) == cells_in(tmp_path / "whole")
    assert len(cells_in(killed)) == 3 * 12 * 4
    with Store(killed) as store:
        assert len(store.runs) >= 2
