"""Tables that DuckDB counts: patterns of Parquet files, large ones, and relations."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli
from paucal.data import columnar, counted_rows
from paucal.errors import DataError, FileError, ParameterError, UnknownNameError

duckdb = pytest.importorskip("duckdb")


def mixed_frame(n=3000):
    """Give a table with many types of columns, gaps and awkward words."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(7)
    smoke = rng.choice(["yes", "no", 'it\'s {0} "so"', "ß"], n)
    frame = pd.DataFrame(
        {
            "Smoke": smoke,
            "smoke": rng.integers(0, 3, n),
            "cough": (smoke == "yes") ^ (rng.random(n) < 0.2),
            "day": pd.to_datetime("2024-05-01") + pd.to_timedelta(rng.integers(0, 3, n), "D"),
            "half": rng.integers(0, 4, n) / 2,
        }
    )
    frame.loc[rng.random(n) < 0.1, "Smoke"] = None
    return frame


@pytest.fixture
def files(tmp_path):
    """Write a table as three files, and give the pattern that names them, and the table."""
    frame = mixed_frame()
    for i, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
        frame.iloc[part].to_parquet(tmp_path / f"part-{i}.parquet", index=False)
    return tmp_path / "part-*.parquet", frame


def same(found, expected):
    assert (found.names, found.levels, found.kinds, found.n_rows, found.missing) == (
        expected.names,
        expected.levels,
        expected.kinds,
        expected.n_rows,
        expected.missing,
    )
    rows = [sorted(zip(*map(np.ndarray.tolist, data.columns), strict=True)) for data in (found, expected)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("many", [10, 10**6])
def test_a_pattern_is_one_table(files, many, monkeypatch):
    monkeypatch.setattr(columnar, "_MANY_ROWS", many)
    pattern, frame = files
    found = paucal.read(pattern, missing="keep")
    assert (found.weights is not None) == (many == 10)
    same(found, paucal.Dataset.of(frame, missing="keep"))
    assert paucal.read(str(pattern), missing="drop", columns=["cough", "Smoke"]).names == ("cough", "Smoke")


def test_one_large_file_is_counted_too(tmp_path, monkeypatch):
    frame = mixed_frame()
    frame.to_parquet(tmp_path / "all.parquet", index=False)
    plain = paucal.read(tmp_path / "all.parquet", missing="level")
    monkeypatch.setattr(columnar, "_MANY_ROWS", 10)
    counted = paucal.read(tmp_path / "all.parquet", missing="level")
    assert plain.weights is None
    assert len(counted.weights) < 500
    same(counted, plain)
    one, other = (paucal.learn(data, search="pc-stable") for data in (counted, plain))
    assert one.graph == other.graph
    assert one.ledger.n_tests == other.ledger.n_tests


def test_a_relation_is_counted_where_it_is():
    frame = mixed_frame().rename(columns={"smoke": 'a "b"'})  # DuckDB does not tell capital letters from small ones
    relation = duckdb.sql("SELECT * FROM frame")
    same(paucal.connect(relation, missing="keep"), paucal.Dataset.of(frame, missing="keep"))
    chosen = paucal.connect(relation, missing="drop", columns=["cough", "Smoke"])
    assert chosen.names == ("cough", "Smoke")
    assert paucal.connect(relation, missing="drop", leave_out=["day"]).n_columns == 4
    assert set(paucal.connect(relation, missing="drop", discretize={"half": [1.0]}).levels[4]) == {"< 1", ">= 1"}


def test_rows_that_hardly_repeat(tmp_path, monkeypatch):
    path = tmp_path / "measured.parquet"
    duckdb.sql("SELECT i AS a, i % 3 AS b FROM range(5000) AS t(i)").write_parquet(str(path))
    expected = paucal.read(path, kinds={"a": "number"})
    monkeypatch.setattr(columnar, "_MANY_ROWS", 10)
    found = paucal.read(path, kinds={"a": "number"})
    assert found.weights is None
    assert found == expected
    monkeypatch.setattr(columnar, "_MOST_CELLS", 1000)
    with pytest.raises(FileError, match="5,000 rows that hardly repeat; to hold them all takes about"):
        paucal.read(path)
    monkeypatch.setattr(counted_rows, "_MOST_CELLS", 1000)
    with pytest.raises(DataError, match="More than 500 rows of the relation differ"):
        paucal.connect(duckdb.read_parquet(str(path)))


def test_memory_that_does_not_suffice(tmp_path, monkeypatch):
    path = tmp_path / "measured.parquet"
    duckdb.sql("SELECT i AS a, i % 3 AS b FROM range(5000) AS t(i)").write_parquet(str(path))
    monkeypatch.setattr(columnar, "_MANY_ROWS", 10)

    def too_much(*_):
        raise duckdb.OutOfMemoryException("no more")

    monkeypatch.setattr(columnar, "count_rows", too_much)
    assert paucal.read(path, kinds={"a": "number"}).n_rows == 5000


def test_refusals(tmp_path):
    with pytest.raises(FileError, match="No file matches"):
        paucal.read(tmp_path / "*.parquet")
    (tmp_path / "a.csv").write_text("x\n1\n", encoding="utf-8")
    with pytest.raises(FileError, match="is not a Parquet file"):
        paucal.read(tmp_path / "*.csv")
    odd = tmp_path / "a[1].csv"  # the name of a file, although it looks like a pattern
    odd.write_text("x\n1\n2\n", encoding="utf-8")
    assert paucal.read(odd).n_rows == 2
    with pytest.raises(ParameterError, match=r"relation=.*is not a relation of DuckDB"):
        paucal.connect({"a": [1]})
    relation = duckdb.sql("SELECT 1 AS a, 2 AS n")
    with pytest.raises(ParameterError, match=r"relation\.df"):
        paucal.connect(relation, weights="n")
    with pytest.raises(UnknownNameError, match="'b'"):
        paucal.connect(relation, columns=["b"])
    with pytest.raises(DataError, match="no rows"):
        paucal.connect(duckdb.sql("SELECT 1 AS a WHERE false"))
    with pytest.raises(DataError, match=r"holds values of type .*\[\]"):
        paucal.connect(duckdb.sql("SELECT [1, 2] AS a"))


def test_the_command_line_takes_a_pattern(files):
    pattern, _ = files
    result = CliRunner().invoke(cli, ["inspect", str(pattern)])
    assert result.exit_code == 0, result.output
    assert "3,000 rows, 5 columns" in result.stdout
