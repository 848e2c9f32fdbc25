"""Text files as they come out of other programs: what is found out, what is said, and that both readers agree."""

# ruff: noqa: DTZ001 - times without a zone are part of what is tested

from __future__ import annotations

import csv
import datetime as dt
import io
import random
import time
import warnings
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paucal.data import Dataset, decoding, delimited, read
from paucal.data import cells as cells_at_once
from paucal.data.files import read_table
from paucal.data.text import Customs, table_labels
from paucal.errors import FileError, FileWarning, ParameterError, PaucalError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def write(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


# ------------------------------------------------------------------ encodings

TOWNS = "town,x\nSüdstadt,1\nKöln,2\nMünchen,1\nÅrhus,2\n"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("cp1252", "Read as Windows-1252: Südstadt, Köln, München. If"),
        ("utf-16", "Read as UTF-16."),
        ("utf-16-le", "Read as UTF-16, without a mark"),
        ("utf-16-be", "Read as UTF-16, without a mark"),
        ("utf-32", "Read as UTF-32."),
    ],
)
def test_encodings_are_recognised_and_said(file: Any, encoding: str, said: str) -> None:
    found = read_table(file(TOWNS.encode(encoding)))
    assert found.columns[0].levels == tuple(sorted(["Südstadt", "Köln", "München", "Århus"]))
    assert len(found.source.notes) == bool(said)
    assert "".join(found.source.notes).startswith(said)


def test_an_encoding_that_is_told_is_not_said(file: Any) -> None:
    path = file(TOWNS.encode("cp1252"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(path, encoding="cp1252").levels[0][0] == "Köln"
    with pytest.warns(FileWarning, match=r"data.csv: Read as Windows-1252: Südstadt"):
        read(path)
    with pytest.raises(FileError, match="is not utf-8: line 2 has the byte 0xFC"):
        read(path, encoding="utf-8")


# ------------------------------------------------------------------ numbers


@pytest.mark.parametrize(
    ("columns", "delimiter", "labels", "said"),
    [
        ([["1,5", "2"]], "", [[1.5, 2.0]], "commas are decimal commas"),
        ([["1.234,5", "2"]], "", [[1234.5, 2.0]], "points separate thousands, and a comma is the decimal mark"),
        ([["1,234.5", "2"]], "", [[1234.5, 2.0]], "commas separate thousands"),
        ([["1,234,567", "2"]], "", [[1234567, 2]], "commas separate thousands"),
        ([["1.234.567", "2"]], "", [[1234567, 2]], "points separate thousands"),
        ([["1 234", "2"]], "", [[1234, 2]], "blanks or apostrophes separate thousands"),
        ([["1\u202f234,5", "2"]], "", [[1234.5, 2.0]], "blanks or apostrophes separate thousands, and a comma"),
        ([["1'234.5", "2"]], "", [[1234.5, 2.0]], "blanks or apostrophes separate thousands"),
        # what one column leaves open, the separator or another column tells; else it is asked
        ([["1,234", "2"]], "", [["1,234", "2"]], "'1,234' may have decimal commas or separate thousands"),
        ([["1,234", "2"]], ";", [[1.234, 2.0]], "commas are decimal commas"),
        ([["1,234", "2"]], ",", [[1234, 2]], "commas separate thousands"),
        ([["1,234", "2"], ["0,5"]], "\t", [[1.234, 2.0], [0.5]], "commas are decimal commas"),
        ([["1,234", "2"], ["0.5"]], "\t", [[1234, 2], [0.5]], "commas separate thousands"),
        ([["1.234", "2"], ["0,5"]], ";", [[1234, 2], [0.5]], "points separate thousands"),
        ([["1.234", "2"], ["0.5"]], ";", [[1.234, 2.0], [0.5]], ""),
        ([["1.234", "2"]], ";", [[1.234, 2.0]], ""),
        # not all of a column: text
        ([["1,5", "2.5"]], "", [["1,5", "2.5"]], ""),
        ([["1,23,456", "2"]], "", [["1,23,456", "2"]], ""),
        ([["1,5", "x"]], "", [["1,5", "x"]], ""),
        ([["01,5", "2"]], "", [["01,5", "2"]], ""),
        ([["1234,567", "1 234"]], "", [["1234,567", "1 234"]], ""),
    ],
)
def test_how_numbers_are_written(columns: Any, delimiter: str, labels: Any, said: str) -> None:
    names = [f"c{i}" for i in range(len(columns))]
    found, notes = table_labels(names, columns, Customs(), delimiter)
    assert found == labels
    assert [[type(label) for label in one] for one in found] == [[type(label) for label in one] for one in labels]
    assert said in "".join(notes)
    assert bool(notes) == bool(said)


def test_the_decimal_mark_can_be_told(file: Any) -> None:
    path = file("a\tb\n1,234\tx\n2,345\ty\n")
    with pytest.warns(FileWarning, match="until you say which \\(--decimal, decimal=\\)"):
        assert read(path).levels[0] == ("1,234", "2,345")
    with pytest.warns(FileWarning):
        assert read(path, decimal=",").levels[0] == (1.234, 2.345)
    with pytest.warns(FileWarning):
        assert read(path, decimal=".").levels[0] == (1234, 2345)
    with pytest.raises(ParameterError, match=r"Choose from '\.', ','"):
        read(path, decimal=";")  # type: ignore[arg-type]


def test_numbers_that_a_float_confuses_stay_apart(file: Any) -> None:
    near = ["0.12345678901234567890", "0.12345678901234567891"]
    assert float(near[0]) == float(near[1])
    found = read_table(file("x,y\n" + "".join(f"{word},1\n" for word in [*near, "0.5", "0.50"])))
    assert found.columns[0].levels == (*map(Decimal, near), Decimal("0.5"))
    assert read_table(file("x\n0.5\n0.50\n5e-1\n")).columns[0].levels == (0.5,)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False, places=2, max_value=10**7, min_value=-(10**7)), min_size=1
    )
)
def test_numbers_mean_the_same_in_every_country(values: list[Decimal]) -> None:
    plain = [f"{value:.2f}" for value in values]
    europe = [f"{value:,.2f}".translate({ord(","): ".", ord("."): ","}) for value in values]
    words = {"point": plain, "comma": [w.replace(".", ",") for w in plain], "europe": europe}
    read_as = {}
    for name, written in words.items():
        (labels,), _ = table_labels(
            ["x"], [[w.lstrip("-") if w.strip("-0.,") == "" else w for w in written]], Customs(), ";"
        )
        read_as[name] = labels
    assert read_as["point"] == read_as["comma"] == read_as["europe"]


# ------------------------------------------------------------------ dates


@pytest.mark.parametrize(
    ("words", "labels", "said"),
    [
        (["31.5.2024", "01.06.2024"], [dt.date(2024, 5, 31), dt.date(2024, 6, 1)], ""),
        (["3/4/2024", "13/5/2024"], [dt.date(2024, 4, 3), dt.date(2024, 5, 13)], "the day comes first"),
        (["3/4/2024", "5/13/2024"], [dt.date(2024, 3, 4), dt.date(2024, 5, 13)], "the month comes first"),
        (["3-4-2024", "31-12-2024"], [dt.date(2024, 4, 3), dt.date(2024, 12, 31)], "the day comes first"),
        (["3/4/2024", "5/6/2024"], ["3/4/2024", "5/6/2024"], "may have the day or the month first"),
        (["5/5/2024"], [dt.date(2024, 5, 5)], ""),
        (["13/5/2024", "5/13/2024"], ["13/5/2024", "5/13/2024"], ""),
        (["2024/5/31"], [dt.date(2024, 5, 31)], ""),
        (
            ["31-May-2024", "1 June 2024", "02FEB2020"],
            [dt.date(2024, 5, 31), dt.date(2024, 6, 1), dt.date(2020, 2, 2)],
            "",
        ),
        (["1 market 2024"], ["1 market 2024"], ""),
        (
            ["5/31/2024 2:30 PM", "5/1/2024 12:05 am"],
            [dt.datetime(2024, 5, 31, 14, 30), dt.datetime(2024, 5, 1, 0, 5)],
            "the month",
        ),
        (["31.5.2024 14:30"], [dt.datetime(2024, 5, 31, 14, 30)], ""),
        (["2024-05-31T12:00:00Z", "2024-05-31T14:00:00+02:00"], [dt.datetime(2024, 5, 31, 12, tzinfo=dt.UTC)] * 2, ""),
        (["14:30", "9:05:30"], [dt.time(14, 30), dt.time(9, 5, 30)], ""),
        (["24:30", "9:05"], ["24:30", "9:05"], ""),
        (["31.2.2024"], ["31.2.2024"], ""),
        (["1.2.24"], ["1.2.24"], ""),
    ],
)
def test_dates_and_times(words: list[str], labels: list[Any], said: str) -> None:
    (found,), notes = table_labels(["visit"], [words], Customs())
    assert found == labels
    assert said in "".join(notes)
    assert bool(notes) == bool(said)


def test_the_order_of_dates_can_be_told(file: Any) -> None:
    path = file("visit,x\n3/4/2024,a\n5/6/2024,b\n")
    with pytest.warns(FileWarning, match="the month comes first"):
        assert read(path, dates="month-first").levels[0] == (dt.date(2024, 3, 4), dt.date(2024, 5, 6))
    with pytest.raises(ParameterError, match="'day-first', 'month-first'"):
        read(path, dates="dmy")  # type: ignore[arg-type]


# ------------------------------------------------------------------ names


def test_a_line_of_names_that_is_missing(file: Any) -> None:
    found = read_table(file("1,2.5\n3,4.5\n"))
    assert found.names == ("column1", "column2")
    assert found.n_rows == 2
    assert found.source.notes == (
        "The first line holds numbers only, so it is read as values; the columns are called column1, column2.",
    )
    assert read_table(file("yes,no,yes\nno,yes,yes\nyes,no,no\n")).n_rows == 3
    assert read_table(file("a,b\n1,2\n"), header=False).columns[0].levels == ("1", "a")
    assert read_table(file("1,2\n3,4\n"), header=True).names == ("1", "2")
    assert read_table(file("2019,2020,2021\n3,4,5\n")).names == ("2019", "2020", "2021")
    with pytest.raises(ParameterError, match="header='no' is not True or False"):
        read(file("a\n1\n"), header="no")  # type: ignore[arg-type]


TRIAL = "arm,age,died\n" + "".join(f"{'AB'[i % 2]},{30 + i},{('no', 'yes')[i % 3 == 0]}\n" for i in range(20))


@pytest.mark.parametrize(
    "above",
    [
        ["Table 3: Results of the trial"],
        ["Table 3: Results of the trial", ""],
        ["trial", ""],
        ['"Table 3: Results, by arm",,', ",,"],
        ["# exported 2024-01-01", "# site: 3"],
        ["trial,,"],
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_lines_above_the_names(file: Any, above: list[str], delimiter: str) -> None:
    quoted = "Results, by arm"
    text = "\n".join([*above, TRIAL]).replace(quoted, "%").replace(",", delimiter).replace("%", quoted)
    found = read_table(file(text))
    assert found.names == ("arm", "age", "died")
    assert found.n_rows == 20
    assert " above the table " in found.source.notes[0]
    assert "passed over: '" in found.source.notes[0]


def test_years_among_the_names_below_a_title(file: Any) -> None:
    above = '"Source","Indicators",\n\n"Updated","2023-12-18",\n\n'
    rows = "".join(f'"Town {i}",{i}.5,{i + 1}.5,,\n' for i in range(5))
    found = read_table(file(above + '"Name","2019","2020","2021",\n' + rows))
    assert found.names == ("Name", "2019", "2020", "2021")
    assert (
        "2 lines above the table are passed over: 'Source Indicators', 'Updated 2023-12-18'." in found.source.notes[0]
    )


@pytest.mark.parametrize(
    ("first", "row", "hint"),
    [
        ('"x","y"', '"1",{i},"a"', "If the first column has no name, give it one"),
        ('"x","y"', '"Mazda {i}",{i},"a"', "If the first column has no name, give it one"),
        ("Results, by age", "{i},1,2,3", "If a title stands above the names, delete it"),
    ],
)
def test_a_short_first_line_is_no_title_for_certain(file: Any, first: str, row: str, hint: str) -> None:
    with pytest.raises(FileError, match=hint):
        read_table(file("\n".join([first, *(row.format(i=i) for i in range(20))])))


@pytest.mark.parametrize("first", ["id,,,", "id,,sex,"])
def test_columns_without_names_are_no_title(file: Any, first: str) -> None:
    found = read_table(file(first + "\n" + "".join(f"p{i},yes,{'mf'[i % 2]},low\n" for i in range(20))))
    assert found.n_rows == 20
    assert found.names[0] == "id"


def test_a_second_line_of_names_is_pointed_out(file: Any) -> None:
    said = (
        "The line below the names ('In which arm?', 'How old?' and 1 more) looks like names too, and is read as values."
    )
    names, *rows = TRIAL.splitlines()
    found = read_table(file("\n".join([names, "In which arm?,How old?,Died?", *rows])))
    assert found.n_rows == 21
    assert said in found.source.notes[0]
    assert not read_table(file(TRIAL)).source.notes
    some = ["C,30,maybe", *rows]  # a number, so no names
    assert not read_table(file("\n".join([names, *some]))).source.notes


def test_what_is_left_open_names_the_option(file: Any) -> None:
    (said,) = read_table(file("d,x\n01.10.24,a\n12.03.23,b\n")).source.notes
    assert said.startswith("In column d, '01.10.24' may be a date, but two digits tell no century: it is left as text")
    (said,) = read_table(file("d,x\n3/4/2024,a\n5/6/2024,b\n")).source.notes
    assert said.endswith("it is left as text until you say which (--dates, dates=).")
    thousands = "x;y\n1.219;a\n9.589;b\n"
    (said,) = read_table(file(thousands)).source.notes
    assert said == (
        "In column x, '1.219' is read with a decimal point; if points separate thousands: --decimal , (decimal=',')."
    )
    assert read_table(file(thousands), decimal=",").columns[0].levels == (1219, 9589)
    assert not read_table(file(thousands.replace("1.219", "1.21"))).source.notes
    assert not read_table(file(thousands.replace(";", ","))).source.notes


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("<!DOCTYPE html>\n<html><body><table></table></body></html>", "a web page"),
        ("<table border=1>\n<tr><td>1</td></tr></table>", "a web page"),
        ('[{"a": 1, "b": 2}, {"a": 2, "b": 3}]', "JSON"),
        ('{"a": [1, 2]}', "JSON"),
    ],
)
def test_pages_and_json_are_no_tables(file: Any, content: str, what: str) -> None:
    with pytest.raises(FileError, match=f"is {what}. Save it as CSV"):
        read_table(file(content))


def test_names_that_stand_again_below_are_names(file: Any) -> None:
    found = read_table(file(TRIAL + TRIAL))  # two files that were joined
    assert found.names == ("arm", "age", "died")
    assert found.n_rows == 41
    assert not any("read as values" in note for note in found.source.notes)
    assert read_table(file("a,x\na,y\na,x\n")).names == ("column1", "column2")


def test_blanks_that_may_separate_are_pointed_out(file: Any) -> None:
    text = TRIAL.replace(",", " ")
    (said,) = read_table(file(text)).source.notes
    assert said == "Every line has equally many words. If blanks separate the values: --delimiter ' ' (delimiter=' ')."
    assert read_table(file(text), delimiter=" ").names == ("arm", "age", "died")
    assert not read_table(file("name\nAnn Lee\nBo\nCy Fox\n")).source.notes


def test_columns_without_a_name(file: Any) -> None:
    found = read_table(file(",a\n1,2\n2,1\n"))
    assert found.names == ("column1", "a")
    assert found.source.notes == ("Column 1 has no name and is called column1.",)
    found = read_table(file("a,b,\n1,2,\n2,1,\n"))
    assert found.names == ("a", "b")
    assert found.source.notes == ("Column 3 has neither a name nor values and is left out.",)


def test_empty_values_behind_the_last_column(file: Any) -> None:
    found = read_table(file("a,b\n1,2,\n2,1,,\n2,2\n"))
    assert found.n_rows == 3
    assert found.source.notes == ("3 empty values after the last column are ignored.",)
    with pytest.raises(FileError, match=r"Line 3 of .* has more than 2 values"):
        read_table(file("a,b\n1,2,\n2,1,,x\n"))


def test_semicolons_with_decimal_commas_and_no_names(file: Any) -> None:
    assert read_table(file("1,5;2,5\n3,5;4,5\n")).columns[1].levels == (2.5, 4.5)


# ------------------------------------------------------------------ small and large files


def both(path: Path, monkeypatch: pytest.MonkeyPatch, **told: Any) -> list[Any]:
    """Read a file by the csv module and by the kernel, in small pieces; an error counts by its words."""
    outcomes: list[Any] = []
    monkeypatch.setattr(decoding, "_CHUNK", 7)
    for by_kernel in (False, True):
        monkeypatch.setattr(delimited, "number_cells", cells_at_once.number_cells if by_kernel else lambda *_: None)
        try:
            found = read_table(path, **told)
            outcomes.append(
                (found.names, [(c.levels, c.codes.tolist(), c.floating) for c in found.columns], found.source)
            )
        except PaucalError as error:
            outcomes.append(str(error))
    return outcomes


cells = st.sampled_from(
    [
        "a",
        "b",
        "",
        " ",
        "1",
        "2.5",
        "1,5",
        '"',
        '"x"',
        '"x" ',
        ' "x"',
        '"x,y"',
        '"x\ny"',
        '""',
        "NA",
        "é",
        '"say ""hi"""',
        '"x"y',
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(cells, min_size=1, max_size=3), min_size=1, max_size=6),
    delimiter=st.sampled_from([",", ";"]),
    end=st.sampled_from(["\n", "\r\n", ""]),
)
def test_both_readers_agree(file: Any, rows: Any, delimiter: str, end: str) -> None:
    text = "\n".join(delimiter.join(row) for row in [["u", "v"], *rows]) + end
    with pytest.MonkeyPatch.context() as patch:
        small, large = both(file(text), patch)
    assert small == large, text


def test_both_readers_agree_on_malformed_files(file: Any) -> None:
    rng = random.Random(3)
    pieces = ['"', ",", "\n", " ", '""', '",', '\n"', ",\n", "\r", "x", ";", "é"]
    for _ in range(60):
        text = list('a,b\n1,"x, y"\n"2\n3",z\n4,"say ""hi"""\n')
        for _ in range(rng.randint(1, 3)):
            text.insert(rng.randrange(len(text)), rng.choice(pieces))
        with pytest.MonkeyPatch.context() as patch:
            small, large = both(file("".join(text)), patch)
        assert small == large, "".join(text)


words = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["", "a", "b", "é", "12345678", "123456789", "x" * 70, "x" * 69 + "y", " a", '"', '""', "a,b"]
)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(words, min_size=n, max_size=n), min_size=1)),
    size=st.integers(1, 40),
)
def test_the_kernel_reads_what_the_csv_module_writes(rows: list[list[str]], size: int) -> None:
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    text, n = written.getvalue(), len(rows[0])
    found = cells_at_once.number_cells([text[i : i + size] for i in range(0, len(text), size)], ",", n, range(n))
    assert found is not None
    kept = [row for row in rows if n == 1 or any(row)]
    assert (found.n_rows, found.n_empty) == (len(kept), len(rows) - len(kept))
    for (codes, known), column in zip(found.columns, zip(*kept, strict=True) if kept else [()] * n, strict=True):
        assert [known[code] for code in codes.tolist()] == list(column)
        assert len(set(known)) == len(known)


def test_codes_grow_with_the_words() -> None:
    for n, kind in ((256, np.uint8), (257, np.uint16), (65_536, np.uint16), (65_537, np.uint32)):
        found = cells_at_once.number_cells([f"{i},x\n" for i in range(n)], ",", 2, [0])
        assert found is not None
        ((codes, known),) = found.columns
        assert codes.dtype == kind and codes.tolist() == list(range(n)) and known == list(map(str, range(n)))


@pytest.mark.parametrize("text", ["a,b\nc\n", "a\nb,c,d\n", "a,b\nc,d,e\nf\n", 'a,"b\n', 'a,"b"c\n'])
def test_lines_that_do_not_fit_are_left_to_the_csv_module(text: str) -> None:
    assert cells_at_once.number_cells([text], ",", 2, [0, 1]) is None


def test_a_record_without_end_is_not_looked_through_again_and_again() -> None:
    start = time.process_time()
    assert cells_at_once.number_cells(['a,"', *["x" * 1000] * 20_000], ",", 2, [0, 1]) is None
    assert time.process_time() - start < 5  # seconds; looking again at every piece would take 200 gigabytes of reading


def test_lines_of_separators_alone_are_no_rows(file: Any) -> None:
    found = read_table(file("a;b\n1;2\n;\n  \n;\n3;4\n"))
    assert found.n_rows == 2
    assert found.source.notes == ("2 lines have separators but no values, and are skipped.",)
    assert read_table(file("a\n1\n\n2\n")).columns[0].n_missing == 1  # of one column, they are


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(6)))
def test_the_order_of_rows_changes_nothing(file: Any, order: list[int]) -> None:
    rows = ["1,5;3/4/2024;1.234", "2;5/6/2024;2.345", "3,25;3/4/2024;3", "NA;;1.234", "2;1/1/2024;9", "1,5;3/4/2024;"]
    base = read_table(file("\n".join(["a;b;c", *rows])))
    other = read_table(file("\n".join(["a;b;c", *(rows[i] for i in order)])))
    assert base.source == other.source
    for one, two in zip(base.columns, other.columns, strict=True):
        assert one.levels == two.levels
        assert one.codes[order].tolist() == two.codes.tolist()


def test_words_are_read_as_written(file: Any) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([["a", "b"], ["x, y", "1"], ['"q"', "2"]])
    assert read(file(text.getvalue())) == Dataset.from_columns({"a": ["x, y", '"q"'], "b": [1, 2]})


def test_a_first_line_of_excel_names_the_separator(file: Any) -> None:
    found = read_table(file("sep=;\na;b\n1;2,5\n2;3,5\n"))
    assert found.names == ("a", "b") and found.columns[1].levels == (2.5, 3.5)
    assert read_table(file("sep=;\n1;2\n2;3\n"), header=False).n_rows == 2
    with pytest.raises(FileError, match=r"Line 4 of .* has fewer than 2 values"):
        read_table(file("sep=;\na;b\n1;2\n2\n"))


@pytest.mark.parametrize(
    ("words", "levels", "said"),
    [
        (["$1,200.00", "$950.50"], (950.5, 1200.0), "commas separate thousands, and the sign $ is left out"),
        (["5%", "12.5 %"], (5.0, 12.5), "the sign % is left out"),
        (
            ["1.200,50 €", "3,25 €"],
            (3.25, 1200.5),
            "points separate thousands, and a comma is the decimal mark, and the",
        ),
        (["$5", "6"], ("$5", "6"), ""),
        (["$", "$5"], ("$", "$5"), ""),
    ],
)
def test_signs_of_money_and_percent(words: list[str], levels: tuple[Any, ...], said: str) -> None:
    labels, notes = table_labels(["x"], [words], Customs())
    assert tuple(sorted(labels[0])) == levels
    assert said in "".join(notes) if said else not notes
