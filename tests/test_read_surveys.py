"""Files of other programs, written by other libraries and read back: values, labels, codes for no answer, titles."""

from __future__ import annotations

import datetime as dt
import gzip
import random
import zipfile
from typing import TYPE_CHECKING, Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest
import rdata
import xlwt
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paucal.cli import cli
from paucal.data import read
from paucal.data.files import read_table
from paucal.data.labelled import About, encode_labelled
from paucal.errors import DataError, FileError, MissingDependencyError, ParameterError, PaucalError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paucal.data.raw import RawTable

DAYS = [dt.date(2020, 1, 1), dt.date(2021, 1, 2), None, dt.date(2020, 1, 3)]
FRAME = pd.DataFrame(
    {
        "q": [1.0, 2.0, 9.0, None],
        "town": ["Köln", "Bonn", "", "Bonn"],
        "day": DAYS,
        "weight": [70.5, 81.25, None, 66.0],
        "age": [30.0, 41.0, 99.0, 30.0],
    }
)
LABELS = {"q": {1: "yes", 2: "no", 3: "both", 9: "refused"}, "age": {99: "not told"}}


def labels(table: RawTable) -> dict[str, list[Any]]:
    """Give the label of each row, None where it is missing."""
    columns = zip(table.names, table.columns, strict=True)
    return {name: [(*one.levels, None)[code] for code in one.codes.tolist()] for name, one in columns}


def by_name(table: RawTable) -> dict[str, Any]:
    return dict(zip(table.names, table.columns, strict=True))


# ------------------------------------------------------------------ SPSS


@pytest.mark.parametrize("ending", ["sav", "zsav", "sav.gz"])
def test_spss(tmp_path: Path, ending: str) -> None:
    plain = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        FRAME,
        plain,
        column_labels={"q": "Do you smoke?"},
        variable_value_labels=LABELS,
        missing_ranges={"q": [9], "age": [{"lo": 90, "hi": 99}], "town": ["Bonn"]},
        variable_measure={"q": "ordinal", "weight": "scale", "age": "scale"},
        compress=ending == "zsav",
    )
    path = tmp_path / f"x.{ending}"
    path.write_bytes(gzip.compress(plain.read_bytes()) if ending.endswith("gz") else plain.read_bytes())
    table = read_table(path)
    assert table.source.kind == "an SPSS file"
    assert labels(table) == {
        "q": ["yes", "no", "refused", None],
        "town": ["Köln", "Bonn", None, "Bonn"],
        "day": DAYS,
        "weight": [70.5, 81.25, None, 66.0],
        "age": [30, 41, "not told", 30],
    }
    columns = by_name(table)
    q, age = columns["q"], columns["age"]
    assert (q.levels, q.declared, q.ordered, q.no_answer) == (
        ("yes", "no", "both", "refused"),
        True,
        True,
        ("refused",),
    )
    assert q.title == "Do you smoke?"
    assert (age.levels, age.declared, age.number, age.no_answer) == ((30, 41, "not told"), False, True, ("not told",))
    assert columns["town"].no_answer == ("Bonn",)
    assert columns["weight"].number
    assert columns["weight"].floating
    assert read_table(path, columns=["weight", "q"]).names == ("weight", "q")


def test_spss_portable(tmp_path: Path) -> None:
    pyreadstat.write_por(
        FRAME.assign(town="u").rename(columns=str.upper), tmp_path / "x.por", column_labels={"Q": "Do you smoke?"}
    )
    table = read_table(tmp_path / "x.por")
    assert labels(table)["Q"] == [1, 2, 9, None]
    assert labels(table)["DAY"] == DAYS
    assert by_name(table)["Q"].title == "Do you smoke?"


# ------------------------------------------------------------------ Stata, SAS


@pytest.mark.parametrize("version", [8, 10, 12, 13, 15])
def test_stata(tmp_path: Path, version: int) -> None:
    frame = FRAME.assign(q=pd.Series([1, 2, "a", None], dtype=object), town=["Bonn", "Ulm", "", "Bonn"])
    pyreadstat.write_dta(
        frame,
        tmp_path / "x.dta",
        version=version,
        column_labels={"q": "Do you smoke?"},
        variable_value_labels={"q": {1: "yes", 2: "no", "a": "refused", "b": "not asked"}},
        missing_user_values={"q": ["a", "b"]},
    )
    table = read_table(tmp_path / "x.dta")
    assert labels(table) == {
        "q": ["yes", "no", "refused", None],
        "town": ["Bonn", "Ulm", None, "Bonn"],
        "day": DAYS,
        "weight": [70.5, 81.25, None, 66.0],
        "age": [30, 41, 99, 30],
    }
    q = by_name(table)["q"]
    assert q.levels == ("yes", "no", "refused", "not asked")
    assert q.no_answer == ("refused", "not asked")
    assert q.title == "Do you smoke?"


def test_stata_by_pandas(tmp_path: Path) -> None:
    frame = pd.DataFrame({"dose": pd.Categorical(["low", "high", "low"], ["low", "mid", "high"]), "x": [1, 2, 3]})
    frame.to_stata(tmp_path / "x.dta", write_index=False)
    table = read_table(tmp_path / "x.dta")
    assert labels(table) == {"dose": ["low", "high", "low"], "x": [1, 2, 3]}
    assert table.columns[0].levels == ("low", "mid", "high")


@pytest.mark.parametrize("version", [5, 8])
def test_sas_transport(tmp_path: Path, version: int) -> None:
    frame = FRAME.assign(town=["Bonn", "Ulm", "", "Bonn"])
    pyreadstat.write_xport(frame, tmp_path / "x.xpt", file_format_version=version, column_labels={"q": "Smoking"})
    table = read_table(tmp_path / "x.xpt")
    assert labels(table)["q"] == [1, 2, 9, None]
    assert labels(table)["day"] == DAYS
    assert labels(table)["town"] == ["Bonn", "Ulm", None, "Bonn"]
    assert by_name(table)["q"].title == "Smoking"


def test_survey_files_need_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyreadstat.write_sav(FRAME, tmp_path / "x.sav")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match=r"x.sav is an SPSS file: .*pip install 'paucal\[survey\]'"):
        read(tmp_path / "x.sav")


# ------------------------------------------------------------------ labels


def test_labels_that_several_codes_have() -> None:
    column, _ = encode_labelled("q", [1, 8, 9], About(labels={1: "yes", 8: "none", 9: "none"}))
    assert column.levels == ("yes", "none (8)", "none (9)")


def test_codes_without_labels_stand_for_themselves() -> None:
    column, said = encode_labelled("q", [3.0, 1.0, 2.0, None], About(labels={1.0: "low", 3.0: "high"}))
    assert column.levels == ("low", 2, "high")
    assert column.codes.tolist() == [2, 0, 1, 3]
    assert said == ""


def test_numbers_of_which_a_few_have_names() -> None:
    values = [float(i) for i in range(20)]
    column, said = encode_labelled("age", values, About(labels={0.0: "newborn", 19.0: "19 or more"}))
    assert column.levels == tuple(range(20))
    assert not column.declared
    assert said == "In column age, most values have no label: the 2 that do stay numbers."


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(st.none() | st.integers(0, 9).map(float) | st.just(2.5), min_size=1),
    named=st.dictionaries(st.integers(0, 9).map(float), st.sampled_from(["a", "b", "c", ""]), max_size=5),
    silent=st.sets(st.integers(0, 9)),
)
def test_every_row_keeps_its_code(values: list[Any], named: dict[float, str], silent: set[int]) -> None:
    column, _ = encode_labelled("q", values, About(labels=named, is_no_answer=lambda code: code in silent))
    assert len(set(column.levels)) == len(column.levels)
    seen: dict[Any, Any] = {}
    for value, code in zip(values, column.codes.tolist(), strict=True):
        level = (*column.levels, None)[code]
        assert (level is None) == (value is None)
        assert seen.setdefault(value, level) == level
        assert value is None or (level in column.no_answer) == (value in silent)
    assert len(set(seen.values())) == len(seen)


# ------------------------------------------------------------------ R


def r_frame() -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "dose": pd.Categorical(["low", "high", "low"], pd.Index(["low", "mid", "high"], dtype=object)),
            "x": [1.5, float("nan"), 3],
            "n": [1, 2, 3],
            "town": pd.Series(["Köln", "Bonn", "Ulm"], dtype=object),
            "yes": [True, False, True],
        }
    )
    frame.columns = pd.Index(list(frame.columns), dtype=object)
    return frame


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz"])
def test_r_data_frames(tmp_path: Path, compression: Any) -> None:
    rdata.write_rds(tmp_path / "x.rds", r_frame(), compression=compression)
    rdata.write_rda(tmp_path / "x.rda", {"survey": r_frame(), "n": [1, 2]}, compression=compression)
    for path in (tmp_path / "x.rds", tmp_path / "x.rda"):
        table = read_table(path)
        assert labels(table) == {
            "dose": ["low", "high", "low"],
            "x": [1.5, None, 3.0],
            "n": [1, 2, 3],
            "town": ["Köln", "Bonn", "Ulm"],
            "yes": [True, False, True],
        }
        assert table.columns[0].levels == ("low", "mid", "high")
    assert table.source.notes == ("Read the data frame 'survey'; there are also n.",)


def test_r_workspaces_of_several_data_frames(tmp_path: Path) -> None:
    other = r_frame()[["n"]]
    rdata.write_rda(tmp_path / "x.RData", {"one": r_frame(), "two": other})
    with pytest.raises(DataError, match=r"There are 2 data frames: one, two\. Choose one by name: sheet='one'"):
        read_table(tmp_path / "x.RData")
    assert read_table(tmp_path / "x.RData", sheet="two").names == ("n",)
    with pytest.raises(UnknownNameError, match=r"no data frame 'tow'. Did you mean 'two'"):
        read_table(tmp_path / "x.RData", sheet="tow")
    rdata.write_rds(tmp_path / "x.rds", [1, 2])
    with pytest.raises(DataError, match="There is no data frame"):
        read_table(tmp_path / "x.rds")


@pytest.mark.parametrize("version", ["xdr__version_2", "xdr__version_3", "ascii__version_3", "binary__version_2"])
def test_files_that_r_itself_wrote(version: str) -> None:
    path = rdata.TESTDATA_PATH / "generated" / f"test_dataframe_rownames__{version}.rds"
    table = read_table(str(path))
    assert labels(table) == {"class": ["a", "b", "b"], "value": [1, 2, 3]}
    assert table.source.notes == ("The names of the rows are not read.",)


def test_r_needs_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rdata.write_rds(tmp_path / "x.rds", r_frame())
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match=r"x.rds is an R object: .*pip install 'paucal\[r\]'"):
        read(tmp_path / "x.rds")


# ------------------------------------------------------------------ workbooks


def write_xlsx(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


ROWS: list[list[Any]] = [
    ["id", "age", "weight", "sex", "day", "mixed"],
    [1, 30, 70.5, "m", dt.date(2020, 1, 1), 5],
    [2, 41, None, "f", dt.date(2021, 1, 2), "n/a"],
    [3, 30, 66, "", dt.date(2020, 1, 3), 7],
]
CELLS = {
    "id": [1, 2, 3],
    "age": [30, 41, 30],
    "weight": [70.5, None, 66.0],
    "sex": ["m", "f", None],
    "day": [dt.date(2020, 1, 1), dt.date(2021, 1, 2), dt.date(2020, 1, 3)],
    "mixed": [5, None, 7],
}


def test_workbooks(tmp_path: Path) -> None:
    write_xlsx(tmp_path / "x.xlsx", {"Data": ROWS})
    pd.DataFrame(ROWS[1:], columns=ROWS[0]).to_excel(tmp_path / "x.ods", index=False, engine="odf")
    book = xlwt.Workbook()
    sheet = book.add_sheet("Data")
    style = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for i, row in enumerate(ROWS):
        for j, cell in enumerate(row):
            sheet.write(i, j, cell, style) if isinstance(cell, dt.date) else sheet.write(i, j, cell)
    book.save(str(tmp_path / "x.xls"))
    for ending in ("xlsx", "ods", "xls"):
        table = read_table(tmp_path / f"x.{ending}")
        assert labels(table) == CELLS, ending
        assert table.source.notes == ()
        assert not by_name(table)["age"].floating


def test_sheets_by_name(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "x.xlsx", {"Notes": [], "Data": ROWS, "More": [["a"], [1], [2]]})
    found = read_table(path)
    assert found.names == tuple(ROWS[0])
    assert found.source.notes == ("Read the sheet 'Data'; there are also 'Notes', 'More'.",)
    assert read_table(path, sheet="More").names == ("a",)
    with pytest.raises(UnknownNameError, match=r"x.xlsx: There is no sheet 'Moer'. Did you mean 'More'"):
        read_table(path, sheet="Moer")
    with pytest.raises(DataError, match="The sheet 'Notes' is empty"):
        read_table(path, sheet="Notes")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ParameterError, match="is a text file: it has no sheets"):
        read_table(tmp_path / "x.csv", sheet="Data")


def test_what_stands_around_a_table(tmp_path: Path) -> None:
    rows = [["Table 1: visits"], [], ["a", "b", None], [1, 2.5, None], [None, None, None], [2, 3.5, "stray"]]
    found = read_table(write_xlsx(tmp_path / "x.xlsx", {"Data": rows}))
    assert labels(found) == {"a": [1, 2], "b": [2.5, 3.5], "column3": [None, "stray"]}
    above, unnamed = found.source.notes
    assert above.startswith(
        "1 line above the table is passed over: 'Table 1: visits'. If the first line holds the names"
    )
    assert unnamed == "Column 3 has no name and is called column3."
    found = read_table(write_xlsx(tmp_path / "y.xlsx", {"Data": [[1.5, 2], [3, 4]]}))
    assert found.names == ("column1", "column2")
    assert "holds numbers only" in found.source.notes[0]


def test_lines_above_a_table(tmp_path: Path) -> None:
    rows = [
        ["id", "age", "weight", "age at end", "weight at end"],
        *([f"p{i}", 30 + i, 70.5, 31 + i, 71] for i in range(5)),
    ]
    groups = [None, "Baseline", None, "Follow-up", None]  # as merged cells are stored
    found = read_table(write_xlsx(tmp_path / "x.xlsx", {"Data": [["Table 2: The cohort"], [], groups, *rows]}))
    assert found.names == tuple(rows[0])
    assert found.n_rows == 5
    assert (
        "2 lines above the table are passed over: 'Table 2: The cohort', 'Baseline Follow-up'." in found.source.notes[0]
    )
    two = [["Table 3: Results of the trial", None], ["arm", "age"], ["a", 30], ["b", 41]]
    assert read_table(write_xlsx(tmp_path / "y.xlsx", {"Data": two})).names == ("arm", "age")
    found = read_table(tmp_path / "y.xlsx", header=True)
    assert found.names == ("Table 3: Results of the trial", "column2")
    again = [["id", "age", "age"], *([f"p{i}", 30 + i, 31 + i] for i in range(5))]
    with pytest.raises(DataError, match="age"):  # the groups of columns tell them apart, and the names do not
        read_table(write_xlsx(tmp_path / "z.xlsx", {"Data": [[None, "Baseline", None], *again]}))


def test_a_stray_cell_far_away_is_refused(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "a"
    book.active["XFD1048576"] = 1
    book.save(tmp_path / "x.xlsx")
    with pytest.raises(FileError, match=r"x.xlsx reaches to row 1,048,576 and column 16,384\. Is there a stray value"):
        read_table(tmp_path / "x.xlsx")


@pytest.mark.parametrize("rows", [[], [["a", "b"]]])
def test_empty_workbooks(tmp_path: Path, rows: list[list[Any]]) -> None:
    with pytest.raises(DataError, match=r"None of the 1 sheets has values|nothing below it"):
        read(write_xlsx(tmp_path / "x.xlsx", {"Data": rows}))


def test_other_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.csv", "a,b\n1,2\n")
    with pytest.raises(FileError, match=r"x.zip is a zip archive of 1 file\. Unpack it first"):
        read(tmp_path / "x.zip")


# ------------------------------------------------------------------ damaged files

WRITERS: dict[str, Callable[[Path], Any]] = {
    "x.sav": lambda path: pyreadstat.write_sav(FRAME, path, variable_value_labels=LABELS),
    "x.zsav": lambda path: pyreadstat.write_sav(FRAME, path, compress=True),
    "x.dta": lambda path: pyreadstat.write_dta(FRAME.assign(town="u"), path),
    "x.xpt": lambda path: pyreadstat.write_xport(FRAME.assign(town="u"), path),
    "x.por": lambda path: pyreadstat.write_por(FRAME.assign(town="u").rename(columns=str.upper), path),
    "x.rds": lambda path: rdata.write_rds(path, r_frame()),
    "x.xlsx": lambda path: write_xlsx(path, {"Data": ROWS}),
    "x.ods": lambda path: pd.DataFrame(ROWS[1:], columns=ROWS[0]).to_excel(path, index=False, engine="odf"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_give_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    good = path.read_bytes()
    assert read_table(path).n_rows > 0
    rng = random.Random(11)
    refused = 0
    for _ in range(6):
        bad = bytearray(good)
        if rng.random() < 0.4:
            del bad[rng.randrange(1, len(bad)) :]
        else:
            for _ in range(4):
                bad[rng.randrange(len(bad))] = rng.choice([0, 255, 128])
        path.write_bytes(bytes(bad))
        try:
            read_table(path)
        except PaucalError as error:
            refused += 1
            assert "\n" not in str(error)  # noqa: PT017
            assert error.hint  # noqa: PT017
    assert refused


def test_a_transport_file_that_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "x.xpt"
    WRITERS["x.xpt"](path)
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(FileError, match=r"x.xpt is not complete: its last record is cut off\. Copy it again"):
        read_table(path)


@pytest.mark.parametrize(
    ("name", "content", "words", "line"),
    [
        ("x.bin", bytes(range(256)), (), "neither UTF-8 nor Windows-1252"),
        ("x.xlsx", b"PK\x03\x04 no archive", (), "begins like a workbook or a zip archive and is damaged"),
        ("x.sav", b"$FL2" + bytes(300), (), "x.sav cannot be read"),
        ("x.dta", b"<stata_dta><header>", (), "x.dta cannot be read"),
        ("x.sas7bdat", b"a,b\n1,2\n", (), "says that it is a SAS file, but its bytes are those of a text file"),
        ("x.rds", b"X\n\0\0\0\3" + bytes(30), (), "x.rds cannot be read"),
        ("x.csv", b"", (), "x.csv is empty"),
        ("x.csv", b"a,b\n", (), "nothing below it"),
        ("x.csv", b"a,b\n1,2\n", ("--sheet", "Data"), "it has no sheets"),
    ],
)
def test_the_command_line_says_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, words: tuple[str, ...], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    result = CliRunner().invoke(cli, ["inspect", name, *words])
    assert result.exit_code == 2
    assert line in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10**6), byte=st.integers(0, 255), cut=st.booleans())
def test_damaged_r_files(tmp_path: Path, place: int, byte: int, cut: bool) -> None:
    rdata.write_rds(tmp_path / "x.rds", r_frame())
    good = gzip.decompress((tmp_path / "x.rds").read_bytes())
    place %= len(good)
    (tmp_path / "y").write_bytes(good[:place] if cut else good[:place] + bytes([byte]) + good[place + 1 :])
    try:
        read_table(tmp_path / "y")
    except PaucalError as error:
        assert error.hint  # noqa: PT017
