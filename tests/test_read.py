"""Files: what is read, and what is said about those that cannot be."""

# ruff: noqa: DTZ001 - times without a zone are part of what is tested

from __future__ import annotations

import csv
import datetime as dt
import gzip
import importlib.util
import io
import os
import sys
import warnings
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather
from pyarrow import parquet as pq

from paucal.data import Dataset, engine, read
from paucal.errors import (
    DataError,
    FileError,
    FileWarning,
    MissingDependencyError,
    MissingValuesError,
    ParameterError,
    UnknownNameError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SURVEY = "smoke,age,sex\nyes,30,m\nno,9,f\nno,30,f\n"
EXPECTED = Dataset.from_columns({"smoke": ["yes", "no", "no"], "age": [30, 9, 30], "sex": ["m", "f", "f"]})


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def write(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def without(*absent: str) -> Callable[[str], Any]:
    """Act as if some libraries were not installed."""
    find = importlib.util.find_spec
    return lambda name: None if name in absent else find(name)


# ------------------------------------------------------------------ text


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_dialects(file: Any, delimiter: str, line_end: str, mark: bytes) -> None:
    content = SURVEY.replace(",", delimiter).replace("\n", line_end).encode()
    assert read(file(mark + content)) == EXPECTED
    assert read(file(mark + content.rstrip())) == EXPECTED  # no line end at the end
    assert read(file(gzip.compress(mark + content), "data.csv.gz")) == EXPECTED
    assert read(file(gzip.compress(mark + content), "data")) == EXPECTED


def test_a_name_may_be_anything(file: Any) -> None:
    for name in ("it's.csv", "a*b?[c]{d}.csv", "ä ö.CSV", "no ending", "-x.txt", "a.b.tsv"):
        content = SURVEY.replace(",", "\t") if name.endswith("tsv") else SURVEY
        assert read(file(content, name)) == EXPECTED
        assert Dataset.of(file(content, name)) == EXPECTED
        assert Dataset.of(str(file(content, name))).frame_kind == "file"


def test_separator_of_tsv_is_a_tab_and_can_be_told(file: Any) -> None:
    assert read(file("a,b\tc\n1\t2\n2\t1\n", "x.tsv")).names == ("a,b", "c")
    with pytest.warns(FileWarning, match="In column a, commas are decimal commas"):
        assert read(file("a;b\n1,5;2\n2,5;1\n")).levels == ((1.5, 2.5), (1, 2))
    assert read(file("a b\n1 2\n2 1\n"), delimiter=" ").names == ("a", "b")
    assert read(file("a§b\n1§2\n2§1\n"), delimiter="§").names == ("a", "b")
    for wrong in ("", ",,", '"', "\n", "\ud800"):
        with pytest.raises(ParameterError, match="can separate values"):
            read(file(SURVEY), delimiter=wrong)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (SURVEY.encode(), gzip.compress(SURVEY.encode())):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read("-") == EXPECTED
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1\n")))
    with pytest.raises(FileError, match="Line 2 of standard input has fewer than 2 values"):
        read("-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FileError, match="no standard input"):
        read("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    if (child := os.fork()) == 0:
        pipe.write_text(SURVEY)
        os._exit(0)
    assert read(pipe) == EXPECTED
    os.waitpid(child, 0)


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (["10", "2", "-3"], (-3, 2, 10)),
        (["01", "2", "10"], ("01", "10", "2")),
        (["007", "7", "8"], ("007", "7", "8")),
        (["1", "2.5", "2.50"], (1.0, 2.5)),
        (["1.0", "2.0", "1"], (1, 2)),
        (["1e3", ".5", "5."], (0.5, 5.0, 1000.0)),
        (["inf", "1.5", "-Infinity"], (float("-inf"), 1.5, float("inf"))),
        (["1", "x", "10"], ("1", "10", "x")),
        (["True", "FALSE", "true"], (False, True)),
        (["yes", "no", "Yes"], ("Yes", "no", "yes")),
        (
            ["2020-01-10", "2019-12-31", "2020-01-09"],
            (dt.date(2019, 12, 31), dt.date(2020, 1, 9), dt.date(2020, 1, 10)),
        ),
        (["2020-02-30", "2020-02-28", "x"], ("2020-02-28", "2020-02-30", "x")),
        (
            ["2020-01-01 10:00", "2020-01-01T09:00:30"],
            (dt.datetime(2020, 1, 1, 9, 0, 30), dt.datetime(2020, 1, 1, 10)),
        ),
        (["12345678901234567890", "1"], ("1", "12345678901234567890")),
        (["1_000", "2"], ("1_000", "2")),
        (["٣", "1"], ("1", "٣")),
        (["None", "none"], ("None", "none")),
        ([" a", "a ", "b"], ("a", "b")),
        (["+5", "5", "6"], (5, 6)),
        (["9" * 5000, "1"], ("1", "9" * 5000)),
    ],
)
def test_what_words_mean(file: Any, words: list[str], labels: tuple[Any, ...]) -> None:
    content = "x,y\n" + "".join(f"{word},{i}\n" for i, word in enumerate(words))
    found = read(file(content)).levels[0]
    assert found == labels
    assert [type(label) for label in found] == [type(label) for label in labels]


def test_words_for_missing_values(file: Any) -> None:
    path = file('a,b\n1,x\n,NA\n 3 ,"?"\nNaN,None\n')
    with pytest.raises(MissingValuesError, match=r"data.csv: .* 'a' \(2\), 'b' \(2\)"):
        read(path)
    data = read(path, missing="level")
    assert data.levels == ((1, 3, None), ("None", "x", None))
    assert data.missing == (2, 2)
    other = read(path, missing="level", na_values=["x", "None"])
    assert other.levels == (("", "1", "3", "NaN"), ("?", "NA", None))
    assert read(path, missing="level", na_values="NaN").levels[0] == ("", "1", "3", None)


def test_blank_lines(file: Any) -> None:
    assert read(file("\n\n" + SURVEY.replace("\n", "\n\n") + "\n\n")) == EXPECTED
    data = read(file("a\n\n1\n\n2\n"), missing="level")  # one column: a blank line is a missing value
    assert data.to_frame("dict") == {"a": [None, 1, None, 2]}


def test_quotes(file: Any) -> None:
    data = read(file('"a","b,c"\n"x\ny","say ""hi"""\n"1,5",2" pipe\n"",z\n'), na_values=[])
    assert data.names == ("a", "b,c")
    assert data.to_frame("dict") == {"a": ["x\ny", "1,5", ""], "b,c": ['say "hi"', '2" pipe', "z"]}


def test_names_stay_as_they_are(file: Any) -> None:
    names = ["a", "A", "SELECT", "x.y", "ü", "1", "it's", 'q"q', "a b", "c0"]
    content = io.StringIO()
    csv.writer(content).writerows([names, range(10), range(1, 11)])
    assert read(file(content.getvalue())).names == tuple(names)


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6) | st.sampled_from(
    ['"', '""', "a\nb", "\r\n", "a,b", " ", "é", "\U0001f600", "#", "\\", "'", "\u2028"]
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=12))
def test_the_rows_are_those_of_the_standard_library(file: Any, rows: list[list[str]]) -> None:
    """Well-formed CSV, whatever is in its cells, is read as Python's own csv module reads it."""
    rows = [[f"t{cell}" for cell in row] for row in rows]  # all text
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = read(file(text.getvalue()))
    expected = [[cell.replace("\r\n", "\n").replace("\r", "\n").strip() for cell in row] for row in rows]
    assert list(map(list, zip(*data.to_frame("dict").values(), strict=True))) == expected


def test_large_files_take_another_path_to_the_same_result(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "a": rng.choice(["x", "y'", 'z"', "u,v"], 3000),
            "b": rng.integers(0, 5, 3000),
            "many": [f"w{i % 1500}" for i in range(3000)],
            "gaps": [None if i % 5 == 0 else "uv"[i % 2] for i in range(3000)],
            "holes": [None if i % 7 == 0 else i % 3 for i in range(3000)],
        }
    )
    path = file(frame.write_csv())
    small = read(path, missing="level")
    assert small == Dataset.of(frame, missing="level")
    monkeypatch.setattr(engine, "_MANY_ROWS", 10)
    assert read(path, missing="level") == small
    frame.write_parquet(parquet := path.with_suffix(".parquet"))
    assert read(parquet, missing="level") == small
    monkeypatch.setattr(engine, "_CELLS_AT_ONCE", 3000)
    monkeypatch.setattr(engine, "_MANY_ROWS", 10**9)
    assert read(path, missing="level") == small


def test_pieces_of_a_long_text_may_end_anywhere(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    content = "name,note\r\n" + 'é,"two\r\nlines"\r\n€,x\r\n' * 20
    whole = read(file(content))
    for size in (37, 64, 101):
        monkeypatch.setattr("paucal.data.decoding._CHUNK", size)
        assert read(file(content)) == whole


def test_ten_thousand_columns(file: Any) -> None:
    array = np.random.default_rng(2).integers(0, 3, (12, 10_000))
    lines = [",".join(f"v{i}" for i in range(10_000)), *(",".join(map(str, row)) for row in array)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = read(file("\n".join(lines)))
    assert data.n_columns == 10_000
    assert [data.levels[9_999][code] for code in data.columns[9_999]] == array[:, 9_999].tolist()


def test_huge_cells(file: Any) -> None:
    huge = "x" * 5_000_000
    for cell in (huge, f'"{huge}\n{huge}"'):
        data = read(file(f"a,b\n{cell},1\ny,2\n"))
        assert len(data.levels[0][0]) >= len(huge)
        assert len(repr(data)) < 200


def test_choice_of_columns(file: Any) -> None:
    path = file("id,a,a,,b\n1,x,y,z,0.5\n2,y,x,z,1.5\n")
    assert read(path, columns=["b", "id"]) == Dataset.from_columns({"b": [0.5, 1.5], "id": [1, 2]})
    with pytest.raises(DataError, match=r"data.csv: 2 columns are named 'a'"):
        read(path)
    with pytest.raises(DataError, match="2 columns are named 'a'"):
        read(path, columns=["a"])
    with pytest.raises(UnknownNameError, match="no column 'c'"):
        read(path, columns=["c"])
    with pytest.raises(ParameterError, match=r"columns=\['id'\]"):
        read(path, columns="id")
    with pytest.raises(DataError, match="no columns"):
        read(path, columns=[])


def test_columns_left_out(file: Any) -> None:
    # what is left out may be anything: repeated, unnamed, continuous, or without a value
    path = file("id,a,a,,b,c\n1,x,y,z,0.5,\n2,y,x,z,1.5,\n")
    wanted = Dataset.from_columns({"id": [1, 2], "b": [0.5, 1.5]})
    assert read(path, leave_out=["a", "column4", "c"]) == wanted
    assert read(path, columns=["id", "b"], leave_out=["a"]) == wanted
    with pytest.raises(UnknownNameError, match="no column 'd'"):
        read(path, leave_out=["d"])
    with pytest.raises(ParameterError, match="'b' is both chosen and left out"):
        read(path, columns=["id", "b"], leave_out=["b"])
    with pytest.raises(ParameterError, match=r"leave_out=\['id'\]"):
        read(path, leave_out="id")
    with pytest.raises(DataError, match="no columns"):
        read(path, leave_out=["id", "a", "column4", "b", "c"])


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_columns_left_out_of_files_with_types(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": range(4), "x": ["a", "b", "a", "b"], "y": [0, 0, 1, 1]})
    path = tmp_path / f"data.{kind}"
    getattr(frame, f"to_{kind}")(path)
    assert read(path, leave_out=["id"]) == read(path, columns=["x", "y"])


def test_options_reach_the_data(file: Any) -> None:
    path = file("x,y\n" + "".join(f"{i / 3},{i % 2}\n" for i in range(30)))
    assert read(path).kinds == ("number", "levels")
    assert read(path, discretize="quantile:3").cardinalities == (3, 2)


# ------------------------------------------------------------------ text that is wrong


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "data.csv is empty"),
        ("\n \n\n", "is empty"),
        ("a,b\n", "data.csv: There is a line of names and nothing below it"),
        ("a,b", "nothing below it"),
        ("a,b\n1,2\n3\n", "Line 3 of data.csv has fewer than 2 values, separated by ',': '3'"),
        ("a,b\n1,2\n\n\n3\n", "Line 5 of data.csv has fewer"),
        ('a,b\n"1\n\n2",3\n3,4,5\n', "Line 5 of data.csv has more than 2 values.*'3,4,5'.*in quotes"),
        ('"a\nb",c\n1,2\n3\n', "Line 4 of data.csv has fewer"),
        ("a\r\n1\r\n2,3\r\n", "Line 3 of data.csv has more than 1 values"),
        ('a,b\n1,"2\n3,4\n', "Line 2 of data.csv has a quotation mark that is not closed"),
        ('a,b\n1,"2"x\n', "Line 2 of data.csv has a quotation mark"),
        ('a,b\n1,2\n3,"', "Line 3 of data.csv has a quotation mark"),
        ('a,"b\n1,2\n', "column names in line 1 of data.csv cannot be read"),
        ("a,a\n1,2\n", "data.csv: 2 columns are named 'a'"),
        ("a, a\n1,2\n", "2 columns are named 'a'"),
        ("a,b\n1,\n2,\n", r"No row has a value in 1 of 2 columns: 'b'"),
        (b"a,b\n1,2\n3,\x004\n", "NUL character in line 3"),
        (b"a,b\n1,\x9d\n", "data.csv is neither UTF-8 nor Windows-1252: line 2 has the byte 0x9D"),
        (b"PK\x03\x04rest", "begins like a workbook or a zip archive and is damaged"),
        (b"\xd0\xcf\x11\xe0rest", "says that it is a text file, but its bytes are those of a workbook"),
        (b"$FL2@(#) SPSS", "says that it is a text file, but its bytes are those of an SPSS file"),
        (b"%PDF-1.7", "is a PDF file. Save it as CSV"),
        (b"SQLite format 3\x00", "is an SQLite data base"),
    ],
)
def test_text_that_cannot_be_read(file: Any, monkeypatch: pytest.MonkeyPatch, content: Any, message: str) -> None:
    path = file(content)
    monkeypatch.chdir(path.parent)
    with pytest.raises((FileError, DataError), match=message):
        read("data.csv")


def test_encodings(file: Any) -> None:
    for encoding in ("latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "UTF8"):
        data = read(file("näme,x\nä,1\nß,2\n".encode(encoding)), encoding=encoding)
        assert data.names == ("näme", "x")
        assert data.levels[0] == ("ß", "ä")
    for wrong in ("klingon", "hex", "", "utf-8\0", "rot13"):
        with pytest.raises(ParameterError, match="encoding="):
            read(file(SURVEY), encoding=wrong)
    with pytest.raises(FileError, match="is not ascii: line 2"):
        read(file("a,b\nä,1\n"), encoding="ascii")


def test_a_bad_line_far_down(file: Any) -> None:
    with pytest.raises(FileError, match="Line 300,002 of"):
        read(file("a,b\n" + "1,2\n" * 300_000 + "x\n" + "1,2\n" * 300_000 + "y\n"))


# ------------------------------------------------------------------ files that are wrong


def test_no_such_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match=r"There is no file .*nothing.csv\. Looked in"):
        read(tmp_path / "nothing.csv")
    with pytest.raises(FileError, match=r"is a folder\. Give the path of one file"):
        read(tmp_path)
    with pytest.raises(FileError, match="local files"):
        read("https://example.org/data.csv")
    for wrong in ("a\0b.csv", "~nobody-of-this-name/x.csv"):
        with pytest.raises(FileError, match="is not a path"):
            read(wrong)
    with pytest.raises(FileError, match="cannot be read"):
        read("x" * 5000)
    with pytest.raises(ParameterError, match="is not a path"):
        read(3)  # type: ignore[arg-type]
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "d.csv").write_text(SURVEY)
    assert read("~/d.csv") == EXPECTED


def test_no_permission(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file(SURVEY)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)  # root may read everything
    with pytest.raises(FileError, match="no permission to read"):
        read(path)


def test_damaged_gzip(file: Any) -> None:
    good = gzip.compress(SURVEY.encode() * 100)
    damaged = {
        "cut": good[: len(good) // 2],
        "flipped": good[:40] + bytes([good[40] ^ 255]) + good[41:],
        "wrong sum": good[:-8] + b"\0" * 8,
        "no more than a beginning": good[:5],
        "garbage behind": good + b"garbage",
    }
    for content in damaged.values():
        with pytest.raises(FileError, match="damaged gzip file"):
            read(file(content, "data.csv.gz"))
    with pytest.raises(FileError, match="not compressed by gzip, as its name says"):
        read(file(SURVEY, "data.csv.gz"))


def test_names_that_promise_something_else(file: Any) -> None:
    table = pa.table({"a": [1, 2]})
    pq.write_table(table, parquet := io.BytesIO())
    feather.write_feather(table, arrow := io.BytesIO())
    for content, name, kinds in [
        (SURVEY.encode(), "x.parquet", "is a Parquet file, but its bytes are those of a text file"),
        (SURVEY.encode(), "x.feather", "is a Feather or Arrow file, but its bytes are those of a text file"),
        (parquet.getvalue(), "x.csv", "is a text file, but its bytes are those of a Parquet file"),
        (arrow.getvalue(), "x.csv", "is a text file, but its bytes are those of a Feather or Arrow file"),
        (parquet.getvalue()[:-10], "x.parquet", "but its bytes are those of a text file"),
    ]:
        with pytest.raises(FileError, match=kinds):
            read(file(content, name))
    for content in (parquet.getvalue(), arrow.getvalue(), gzip.compress(parquet.getvalue())):
        assert read(file(content, "x")).to_frame("dict") == {"a": [1, 2]}
    assert read(file("PAR1,b\n1,2\n2,1\n", "x")).names == ("PAR1", "b")


# ------------------------------------------------------------------ Parquet and Feather

TYPED = {
    "text": ["b", None, "a"],
    "whole": [10, 2, None],
    "half": [0.5, None, float("nan")],
    "yes": [True, None, False],
    "day": [dt.date(2020, 1, 1), None, dt.date(1999, 1, 1)],
    "time": [dt.datetime(2020, 1, 1, 10), None, dt.datetime(1999, 1, 1)],
    "zone": [
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
        None,
        dt.datetime(1999, 1, 1, tzinfo=dt.UTC),
    ],
    "price": [Decimal("10.50"), None, Decimal("9.00")],
    "clock": [dt.time(10, 0, 0, 500_000), None, dt.time(9, 30)],
    "WHOLE": [1, 2, 2],
}


@pytest.mark.parametrize("ending", ["parquet", "feather", "parquet.gz"])
def test_typed_files_are_as_frames(tmp_path: Path, ending: str) -> None:
    table = pa.table(TYPED)
    path = tmp_path / f"x.{ending}"
    if ending == "feather":
        feather.write_feather(table, path)
    else:
        pq.write_table(table, buffer := io.BytesIO())
        path.write_bytes(gzip.compress(buffer.getvalue()) if ending.endswith("gz") else buffer.getvalue())
    data = read(path, missing="level")
    assert data == Dataset.of(table, missing="level")
    assert data.missing == (1, 1, 2, 1, 1, 1, 1, 1, 1, 0)
    assert read(path, missing="level", columns=["day", "text"]) == data.select(["day", "text"])
    with pytest.raises(UnknownNameError, match="'DAY'"):
        read(path, columns=["DAY"])


DECLARED = {
    "pandas": lambda path: pd.DataFrame({"d": pd.Categorical(["c", "a", "c"], ["c", "b", "a"])}).to_parquet(path),
    "polars": lambda path: pl.DataFrame(
        {"d": pl.Series(["c", "a", "c"], dtype=pl.Enum(["c", "b", "a"]))}
    ).write_parquet(path),
    "pyarrow": lambda path: pq.write_table(
        pa.table({"d": pa.DictionaryArray.from_arrays([0, 2, 0], ["c", "b", "a"])}), path
    ),
}


@pytest.mark.parametrize("library", DECLARED)
def test_parquet_keeps_declared_levels(tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.parquet"
    DECLARED[library](path)
    assert read(path) == Dataset.from_codes([[0, 2, 0]], ["d"], [["c", "b", "a"]])
    monkeypatch.setattr("importlib.util.find_spec", without("pyarrow"))
    if library != "pyarrow":  # which leaves no plain words about it in the file
        with pytest.raises(MissingDependencyError, match=r"(?s)declared levels .*paucal\[arrow\]"):
            read(path)


def test_polars_categoricals_declare_nothing(tmp_path: Path) -> None:
    frame = pl.DataFrame({"d": pl.Series(["c", "a", "c"], dtype=pl.Categorical)})
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_ipc(tmp_path / "x.arrow")
    assert read(tmp_path / "x.parquet").levels == read(tmp_path / "x.arrow").levels == (("a", "c"),)


def test_parquet_with_odd_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([[1, 2], [3, 4], [5, 6]], names=["a", "a", "A"]), path)
    with pytest.raises(DataError, match="2 columns are named 'a'"):
        read(path)
    assert read(path, columns=["A"]).levels == ((5, 6),)
    pq.write_table(pa.table({"list": [[1], [2]], "struct": [{"u": 1, "v": 2}] * 2, "b": [1, 2]}), path)
    with pytest.raises(DataError, match=r"'list' holds values of type .*BIGINT\[\].*columns="):
        read(path)
    assert read(path, columns=["b"]).names == ("b",)
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), path)
    with pytest.raises(DataError, match="no rows"):
        read(path)
    pq.write_table(pa.table({"blob": [b"x\xff", b"y"]}), path)
    assert read(path).levels == (("x\\xFF", "y"),)


def test_damaged_parquet_and_feather(file: Any) -> None:
    table = pa.table({"a": ["u", "v"] * 500})
    pq.write_table(table, parquet := io.BytesIO())
    feather.write_feather(table, arrow := io.BytesIO(), compression="uncompressed")
    rng = np.random.default_rng(4)
    for content, name in ((parquet.getvalue(), "x.parquet"), (arrow.getvalue(), "x.feather")):
        with pytest.raises(FileError, match="cannot be read"):
            read(file(content[:8] + b"\xff" * (len(content) - 20) + content[-12:], name))
        for _ in range(20):
            broken = bytearray(content)
            for i in rng.integers(8, len(content) - 8, 3):
                broken[i] ^= 255
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    read(file(bytes(broken), name), missing="level")
                except (FileError, DataError):
                    continue


def test_feather_needs_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    feather.write_feather(pa.table({"a": [1, 2]}), tmp_path / "x.feather")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'paucal\[arrow\]'"):
        read(tmp_path / "x.feather")
    data = Dataset.from_columns({"a": [1, 2]})
    with pytest.raises(MissingDependencyError, match="needs polars"):
        data.to_frame("polars")
    with pytest.raises(MissingDependencyError, match="No data frame library"):
        data.to_frame("file")


# ------------------------------------------------------------------ the engine behind it


def test_engine_sees_one_file_and_no_network(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "secret.csv").write_text("x\n1\n")
    with engine.engine([str(tmp_path / "a.csv")], "a.csv") as connection:
        assert connection.execute(f"FROM read_csv('{tmp_path}/a.csv')").fetchall() == [(1,)]
        for query in (
            f"FROM read_csv('{tmp_path}/secret.csv')",
            f"COPY (SELECT 1) TO '{tmp_path}/out.csv'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(query)


def test_nothing_is_left_behind(file: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file(SURVEY)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.chdir(scratch)
    read(path)
    with pytest.raises(FileError):
        read(file("a,b\n1\n", "bad.csv"))
    assert list(scratch.iterdir()) == []
