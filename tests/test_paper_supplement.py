"""The supplement's samples: zips in a folder, two truths, tables beside the paper's, and damage of every kind."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from paucal.cli import cli
from paucal.errors import DataError, FileError, ParameterError, UnknownNameError
from paucal.networks import load_network
from paucal.paper import methods
from paucal.paper.catalogue import find
from paucal.paper.cells.graphs import GraphCell
from paucal.paper.cells.supplement import FILES, ROWS, SAMPLES, drawn_from, find_archive
from paucal.paper.design import Scope
from paucal.paper.version import key_of, version_of

HAILFINDER_ORDER = np.random.default_rng(5).permutation(56)  # node i of our graph file is column ORDER[i]


def text_of(table):
    return "".join("  ".join(map(str, row)) + "\n" for row in np.asarray(table).tolist())


def matrix_of(graph, nodes):
    place = {name: i for i, name in enumerate(nodes)}
    matrix = np.zeros((len(nodes), len(nodes)), dtype=int)
    for node in nodes:
        for child in graph.children(node):
            matrix[place[node], place[child]] = 1
    return matrix


def members_of(network, rows=120):
    """Give the members of a zip: two samples of some rows, one long one, and stand-ins for the others."""
    net, stem = load_network(network), FILES[network][1]
    nodes = [net.names[i] for i in HAILFINDER_ORDER] if network == "hailfinder" else list(net.names)
    members = {f"{stem}_graph.txt": text_of(matrix_of(net.graph, nodes))}
    for size in ROWS:
        for run in range(SAMPLES):
            n = 5000 if (size, run) == (5000, 0) else rows
            codes = np.column_stack(net.sample(n, seed=run if run < 2 else 1).columns)
            members[f"{stem}_s{size}_v{run + 1}.txt"] = text_of(codes)
    return members


def write_zip(folder, network, members):
    path = folder / FILES[network][0]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


@pytest.fixture(scope="module")
def whole():
    """The members of two networks, made once."""
    return {network: members_of(network) for network in ("child", "hailfinder")}


@pytest.fixture(scope="module")
def folder(whole, tmp_path_factory):
    """A folder with the zips of two networks."""
    made = tmp_path_factory.mktemp("supplement")
    for network, members in whole.items():
        write_zip(made, network, members)
    return made


def run(*words):
    return CliRunner().invoke(cli, ["reproduce", *map(str, words)])


# ---------------------------------------------------------------------------------------------------------- reading


def test_a_sample_is_the_first_rows_of_the_smallest_file_that_has_them(folder):
    archive = find_archive("child", folder)
    net = load_network("child")
    data = archive.sample(100, run=1)
    expected = net.sample(120, seed=1).take(range(100))
    assert (data.n_rows, data.n_columns) == (100, 20)
    for ours, theirs in zip(data.columns, expected.columns, strict=True):
        _, places = np.unique(theirs, return_inverse=True)
        assert ours.tolist() == places.tolist()
    assert [drawn_from(n) for n in (1, 500, 501, 800, 1000, 1001, 5000)] == [500, 500, 1000, 1000, 1000, 5000, 5000]
    with pytest.raises(ParameterError, match="no sample of 5,001 rows"):
        drawn_from(5001)


def test_the_graph_file_as_it_lies_and_in_the_right_order(folder):
    child = find_archive("child", folder)
    assert child.graph() == child.graph_as_it_lies()
    hailfinder = find_archive("hailfinder", folder)
    right, lies = hailfinder.graph(), hailfinder.graph_as_it_lies()
    net = load_network("hailfinder")
    ours = matrix_of(net.graph, net.names)
    assert (matrix_of(right, right.nodes) == ours).all()
    assert (matrix_of(lies, lies.nodes) == ours[np.ix_(HAILFINDER_ORDER, HAILFINDER_ORDER)]).all()
    assert right.n_edges == lies.n_edges == 66


def test_a_cell_is_known_by_what_its_archive_holds_and_not_by_where_it_lies(folder, whole, tmp_path):
    (search,) = methods.called("PC-stable")
    archive = find_archive("child", folder)
    cell = GraphCell("child", 60, 0, search, seed=1, archive=archive)
    drawn = replace(cell, archive=None)
    assert key_of(cell) != key_of(drawn)
    assert version_of(cell) != version_of(drawn)
    write_zip(tmp_path, "child", whole["child"] | {"Child_s500_v1.txt": whole["child"]["Child_s500_v2.txt"]})
    assert key_of(replace(cell, archive=find_archive("child", tmp_path))) != key_of(cell)
    assert key_of(replace(cell, archive=replace(archive, path=tmp_path / "elsewhere.zip"))) == key_of(cell)


def test_a_zip_that_was_replaced_is_read_again(whole, tmp_path):
    path = write_zip(tmp_path, "child", whole["child"])
    before = find_archive("child", tmp_path).digest
    path.unlink()
    write_zip(tmp_path, "child", whole["child"] | {"Child_s500_v1.txt": whole["child"]["Child_s500_v2.txt"] + "\n"})
    assert find_archive("child", tmp_path).digest != before


# -------------------------------------------------------------------------------------------------- the whole command


def rows_of(report, name):
    table = next(t for t in report["tables"] if t["name"] == name)
    names = [column["name"] for column in table["columns"]]
    plain = [[v["mean"] if isinstance(v, dict) else v for v in row] for row in table["rows"]]
    return [dict(zip(names, row, strict=True)) for row in plain]


def test_table_2_shows_paper_both_orders_and_drawn_samples(folder, tmp_path):
    words = ["table2", "--samples", "supplement", "--data", folder, "--networks", "child", "hailfinder"]
    words += ["--sizes", "100", "--runs", "2", "--out", tmp_path]
    result = run(*words)
    assert result.exit_code == 0, result.output
    for heading in ("SHD, paper", "as published", "right order", "drawn samples", "correlation"):
        assert heading in result.output
    report = json.loads((tmp_path / "table2-supplement.json").read_text())
    assert not (tmp_path / "table2.json").exists()
    details = rows_of(report, "table2-supplement-details")
    child = {row["method"]: row for row in details if row["network"] == "CHILD"}
    assert child["rBF_chi2"]["shd_paper"] == 24.2
    for row in child.values():
        assert row["shd_as_it_lies"] == row["shd_right"]
    hailfinder = [row for row in details if row["network"] == "HAILFINDER"]
    assert all(row["shd_as_it_lies"] > row["shd_right"] + 5 for row in hailfinder)
    assert all(40 < row["shd_drawn"] < 120 for row in hailfinder)
    agreement = rows_of(report, "table2-supplement-agreement")  # the paper has CHILD 100 and no HAILFINDER 100
    assert {row["entries"] for row in agreement if row["method"] == "all methods"} == {4}
    page = (tmp_path / "reproduction.md").read_text()
    assert "## HAILFINDER: mean SHD, with the graph file as published and in the right order" in page
    assert len([line for line in page.splitlines() if line.startswith("| table2 | rBF_chi2 |")]) == 1
    assert len([line for line in page.splitlines() if line.startswith("| table2 | all networks | 4 |")]) == 1
    own = [row for row in details if row["shd_paper"] is not None]
    gap = np.mean([abs(row["shd_right"] - row["shd_paper"]) for row in own])
    assert agreement[-1]["right_absolute"] == pytest.approx(gap)


def test_drawn_numbers_are_those_of_the_ordinary_table(folder, tmp_path):
    words = ["--networks", "child", "--sizes", "60", "--runs", "2", "--out", tmp_path]
    assert run("table9", "--samples", "supplement", "--data", folder, *words).exit_code == 0
    assert run("table9", *words).exit_code == 0
    both = json.loads((tmp_path / "table9-supplement.json").read_text())
    alone = json.loads((tmp_path / "table9.json").read_text())
    drawn = {row["method"]: row["shd_drawn"] for row in rows_of(both, "table9-supplement-details")}
    assert drawn == {r["method"]: r["shd"] for r in rows_of(alone, "table9-details") if r["method"] in drawn}


@pytest.mark.parametrize("name", ["table1", "table2-strata", "table3-hidden", "table6", "table7-strata", "sanity"])
def test_every_table_with_networks_can_be_had(folder, tmp_path, name):
    words = ["--samples", "supplement", "--data", folder, "--quick", "--runs", "1", "--out", tmp_path, "--no-figures"]
    if name == "sanity":  # its network is ALARM, which the folder has not
        result = run(name, *words)
        assert result.exit_code == 2
        assert "has no alarm_data.zip" in result.stderr
        return
    result = run(name, *words)
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / f"{name}-supplement.json").read_text())
    assert any("supplement" in line for line in report["about"])
    for table in report["tables"]:
        assert table["rows"]


def test_table_5_tells_which_edges_join_dependent_columns(folder, tmp_path):
    words = ["--samples", "supplement", "--data", folder, "--networks", "hailfinder", "--out", tmp_path]
    assert run("table5", *words).exit_code == 0
    (row,) = rows_of(json.loads((tmp_path / "table5-supplement.json").read_text()), "table5-supplement")
    assert (row["variables"], row["edges"], row["edges_paper"]) == (56, 66, 66)
    assert row["dependent_as_it_lies"] < 40
    assert row["dependent_right"] > 60


def test_a_hidden_column_is_not_in_the_data(folder):
    (search,) = methods.called("fci-BF_chi2")
    cell = GraphCell("child", 100, 0, search, seed=1, archive=find_archive("child", folder))
    assert "V003" not in cell.sample(("V003",)).names
    assert sorted(replace(cell, shuffle=True).sample().names) == sorted(cell.sample().names)
    assert replace(cell, shuffle=True).sample().names != cell.sample().names


# ---------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["table2", "--samples", "supplement"], "--data DIR"),
        (["table2", "--data", "."], "--samples supplement"),
        (["table2", "--samples", "supplement", "--data", "nowhere"], "nowhere has no child_data.zip"),
        (["table2", "--samples", "supplement", "--data", ".", "--runs", "11"], "10 samples of each size, not 11"),
        (["figure7", "--samples", "supplement", "--data", "."], "figure7 uses no samples of networks"),
        (["table12", "--samples", "supplement", "--data", "."], "table12 uses no samples of networks"),
        (
            ["table2", "--samples", "supplement", "--data", ".", "--networks", "asia"],
            "no network of the supplement 'asia'",
        ),
    ],
)
def test_bad_words_are_told_and_nothing_is_written(tmp_path, words, message):
    result = run(*words, "--out", tmp_path / "new")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.rglob("*.md"))


def test_a_size_that_the_supplement_has_not_is_told_before_anything_is_written(folder, tmp_path):
    words = ["--samples", "supplement", "--data", folder, "--networks", "child", "--sizes", "6000"]
    result = run("table2", *words, "--out", tmp_path / "new")
    assert result.exit_code == 2
    assert "no sample of 6,000 rows" in result.stderr
    assert not (tmp_path / "new").exists()


def test_a_missing_zip_is_told(folder, tmp_path):
    with pytest.raises(FileError, match=r"has no ins_data\.zip, the supplement's samples of INSURANCE"):
        find_archive("insurance", folder)
    with pytest.raises(UnknownNameError):
        find_archive("asia", folder)
    with pytest.raises(ParameterError, match=r"child_data\.zip"):
        find_archive("child", None)
    (tmp_path / "child_data.zip").mkdir()
    with pytest.raises(FileError, match="not a readable zip file"):
        find_archive("child", tmp_path)


def test_a_zip_of_another_network_is_told(whole, tmp_path):
    write_zip(tmp_path, "child", whole["hailfinder"])
    with pytest.raises(DataError, match=r"has no Child_graph\.txt; it holds HailFinder_graph\.txt"):
        find_archive("child", tmp_path)


@pytest.mark.parametrize("network", ["hailfinder", "alarm"])
def test_a_graph_of_another_network_is_told(whole, tmp_path, network):
    """The names of the members are right, and what they hold is not."""
    net = load_network(network)
    write_zip(tmp_path, "child", whole["child"] | {"Child_graph.txt": text_of(matrix_of(net.graph, net.names))})
    with pytest.raises(DataError, match=r"Child_graph\.txt .* columns"):
        find_archive("child", tmp_path)


def test_a_graph_of_the_same_size_and_other_edges_is_told(whole, tmp_path):
    matrix = np.triu(np.ones((20, 20), dtype=int), 1)
    write_zip(tmp_path, "child", whole["child"] | {"Child_graph.txt": text_of(matrix)})
    with pytest.raises(DataError, match="is not the graph of CHILD"):
        find_archive("child", tmp_path)


def test_a_damaged_zip_is_told(whole, tmp_path):
    path = write_zip(tmp_path, "child", whole["child"])
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(FileError, match="not a readable zip file"):
        find_archive("child", tmp_path)
    path.write_bytes(content[:300] + bytes([content[300] ^ 255]) + content[301:])
    with pytest.raises((DataError, FileError), match=r"cannot be unpacked|can be read"):
        find_archive("child", tmp_path)
    path.write_bytes(b"")
    with pytest.raises(FileError, match="not a readable zip file"):
        find_archive("child", tmp_path)


def test_a_zip_that_unpacks_to_too_much_is_not_unpacked(whole, tmp_path):
    write_zip(tmp_path, "child", whole["child"] | {"more.txt": "0" * 60_000_000})
    with pytest.raises(DataError, match="too large"):
        find_archive("child", tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1\n0 x\n", "is not a table of whole numbers from 0: line 2 has 'x'"),
        ("0 1\n\n0\n", "is not a table of whole numbers from 0: line 3 has 1 numbers, the first 2"),
        ("", "is empty"),
        ("0 -1\n0 1\n", "is not a table of whole numbers from 0: line 1 has '-1'"),
        ("0 99999999999999999999\n", "is not a table of whole numbers from 0: line 1 has '9999"),
        ("0 1\n0 1\n", "has 2 rows and 2 columns"),
        ("é\n", "is not a table of whole numbers"),
    ],
)
def test_a_damaged_sample_is_told(whole, tmp_path, text, message):
    write_zip(tmp_path, "child", whole["child"] | {"Child_s500_v1.txt": text})
    archive = find_archive("child", tmp_path)
    with pytest.raises(DataError, match=rf"Child_s500_v1\.txt in .*child_data\.zip {message}"):
        archive.sample(60, run=0)
    words = ["--networks", "child", "--sizes", "60", "--runs", "1", "--out", tmp_path / "out"]
    result = run("table2", "--samples", "supplement", "--data", tmp_path, *words)
    assert result.exit_code == 2
    assert "Child_s500_v1.txt" in result.stderr
    assert "Traceback" not in result.output


def test_a_graph_that_has_a_cycle_is_told(whole, tmp_path):
    net = load_network("child")
    matrix = matrix_of(net.graph, net.names)
    write_zip(tmp_path, "child", whole["child"] | {"Child_graph.txt": text_of(matrix | matrix.T)})
    with pytest.raises(DataError, match=r"Child_graph\.txt in child_data\.zip is not such a graph: .*cycl"):
        find_archive("child", tmp_path)


def test_scope_checks_its_samples():
    with pytest.raises(ParameterError, match="samples"):
        Scope(samples="other")
    assert find("table2").named(Scope(samples="supplement")) == "table2-supplement"
