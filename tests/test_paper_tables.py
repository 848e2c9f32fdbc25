"""Tables as values and in every format; means, paired differences and findings."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from paucal.errors import FileError
from paucal.paper import published, render
from paucal.paper.cells.graphs import GraphCell
from paucal.paper.comparison import SHD, TESTS, Comparison
from paucal.paper.design import Search
from paucal.paper.notes import notes_for, remarks_on, texts
from paucal.paper.page import page, read_reports
from paucal.paper.report import Figure, Report, files_of, write_report
from paucal.paper.summary import Entries, correlation, deviation
from paucal.paper.tables import Column, Stat, Table, text_of

TABLE = Table(
    "t-shd",
    "A <title> & more",
    (Column("method", "method", left=True), Column("shd", "SHD"), Column("gap", "gap", signed=True)),
    (("rBF_chi2", Stat(24.25, 2.3), -0.04), ("a|b & <c>", Stat(1234.5), 3), ("none", None, float("nan"))),
    frozenset({0}),
)
REPORT = Report(
    "t",
    "Table <T>",
    about=("what was run",),
    findings=("one & two",),
    tables=(TABLE,),
    figures=(Figure("t-figure", "a figure"),),
    notes=("a note",),
    run={"command": "paucal reproduce t"},
)


def entries(shift=0.0, sizes=(100, 300, 500)):
    """Five runs of two methods on samples of CHILD; the second is always `shift` above the first."""
    rng = np.random.default_rng(0)
    rows = []
    for size in sizes:
        for run in range(5):
            shd = float(rng.integers(15, 25))
            for label, value in (("rI^eB", shd), ("rBF_chi2", shd + shift)):
                cell = GraphCell("child", size, run, Search.of(label, "rai", "g"), seed=0)
                numbers = {"shd": value, "tests": 10 * value, "empty": 25, "distinct": 1, "seconds": 0.1}
                rows.append((cell, label, numbers | {"extra": 1, "missing": 2, "misdirected": value - 3}))
    return Entries(rows)


def beside(printed, ours):
    return Comparison(printed, ours, ["rI^eB", "rBF_chi2"])


def test_csv_has_the_plain_numbers():
    rows = list(csv.reader(io.StringIO(render.csv_table(TABLE))))
    assert rows == [
        ["method", "shd", "shd_sd", "gap"],
        ["rBF_chi2", "24.25", "2.3", "-0.04"],
        ["a|b & <c>", "1234.5", "", "3"],
        ["none", "", "", ""],
    ]


def test_markdown_rows_have_as_many_cells_as_the_heading():
    lines = render.markdown_table(TABLE).splitlines()
    assert len(lines) == 5
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {4}
    assert "24.2 ± 2.3" in lines[2]
    assert "| 0.0 |" in lines[2]  # not -0.0


class Checker(HTMLParser):
    """Remembers the tags that are open and the text of the cells."""

    def __init__(self):
        super().__init__()
        self.open, self.cells = [], []

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)


def test_html_is_well_formed_escaped_and_needs_nothing():
    text = render.html_page(REPORT)
    checker = Checker()
    checker.feed(text)
    assert not checker.open
    assert "a|b & <c>" in checker.cells
    assert "<c>" not in text
    assert "http" not in text


def test_latex_is_balanced_and_escaped():
    text = render.latex(REPORT)
    assert text.count(r"\begin{") == text.count(r"\end{")
    assert text.count("{") == text.count("}")
    assert r"$rBF_{chi2}$ & 24.2 $\pm$ 2.3" in text
    assert r"a|b \& <c>" in text
    assert text.count(r"\midrule") == 2
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in rows} == {2}


def test_text_of_numbers():
    column = Column("x", "x", 2)
    assert text_of(math.nan, column) == ""
    assert text_of(Stat(math.nan, 1.0), column) == ""
    assert text_of(-0.001, column) == "0.00"
    assert text_of(-1234.567, column) == "-1,234.57"


def test_reports_come_back_from_json():
    content = json.loads(json.dumps(REPORT.to_dict(), allow_nan=False))
    again = Report.from_dict(content)
    assert again.to_dict() == REPORT.to_dict()
    assert render.markdown(again) == render.markdown(REPORT)


def test_all_files_are_written_and_the_page_links_to_them(tmp_path):
    names = write_report(REPORT, tmp_path)
    assert names == sorted(files_of(REPORT))
    assert {name.partition(".")[2] for name in names} == {"json", "md", "html", "tex", "csv"}
    text = page(read_reports(tmp_path, ["t", "u"]), tmp_path, tmp_path.parent / "page.md")
    for target in re.findall(r"\]\(([^)]+\.md)\)", text):
        assert (tmp_path.parent / target).exists()
    assert "paucal reproduce t" in text


def test_a_damaged_report_is_told(tmp_path):
    (tmp_path / "t.json").write_text('{"name": "t"')
    with pytest.raises(FileError, match="damaged"):
        read_reports(tmp_path, ["t"])


def test_means_and_paired_differences():
    ours = entries(shift=2.0)
    first = ours.values("shd", "child", 100, "rI^eB")
    assert ours.stat("shd", "child", 100, "rI^eB") == Stat(first.mean(), first.std(ddof=1))
    for size in (100, 300, 500, "mean"):
        gap = ours.difference("shd", "child", size, "rBF_chi2", "rI^eB")
        assert gap.mean == pytest.approx(2.0)
        assert gap.spread == pytest.approx(0.0)  # the spread of the data is not that of the difference
    both = ours.over_sizes("shd", "child", "rI^eB")
    by_size = [ours.stat("shd", "child", s, "rI^eB") for s in (100, 300, 500)]
    assert both.mean == pytest.approx(np.mean([stat.mean for stat in by_size]))
    assert both.spread == pytest.approx(math.hypot(*(stat.spread / math.sqrt(5) for stat in by_size)) / 3)


def test_the_paper_stands_beside_ours():
    ours = entries()
    table = beside(published.GLOBAL, ours).overview(SHD)
    assert table.name == "-shd"
    assert [c.heading for c in table.columns[2:]] == ["rI^eB", "paper", "rBF_chi2", "paper"]
    by_size = {row[1]: row for row in table.rows}
    assert list(by_size) == ["100", "300", "500", "mean"]
    assert by_size["100"][3] == Stat(21.6, 2.1)
    assert by_size["300"][5] == Stat(17.7, 1.8)
    assert by_size["mean"][3] == Stat(19.7, None)
    fewer = beside(published.GLOBAL, entries(sizes=(100,))).overview(SHD)
    assert fewer.rows[-1][3] is None  # the paper's mean is over other sizes
    means_only = beside(published.ACCURACY, ours).overview(SHD)
    assert [row[1] for row in means_only.rows] == ["mean"]


def test_details_have_the_empty_graph_and_pair_with_the_reference():
    table = beside(published.GLOBAL, entries(shift=-1.0)).details("rI^eB")
    rows = [dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows]
    empty = [row for row in rows if row["method"] == "empty graph"]
    assert [row["shd"].mean for row in empty] == [25.0] * 4
    assert [row["paired"].mean for row in rows if row["method"] == "rBF_chi2"] == [-1.0] * 4
    assert all(row["paired"] is None for row in rows if row["method"] == "rI^eB")


def test_findings_are_numbers():
    lines = beside(published.GLOBAL, entries(shift=1.0)).findings((SHD, TESTS), 5)
    assert len(lines) == 5
    assert lines[0].startswith("SHD, rI^eB: ours minus the paper's is")
    assert "times the paper's (geometric mean of 3 entries" in lines[2]
    assert lines[-1] == ("Lowest mean SHD by network: CHILD rI^eB (paper rBF_chi2); the same method on 0 of 1.")


def test_what_has_no_spread_has_no_deviation():
    assert deviation(Stat(1.0), 10, Stat(1.0, 1.0), 10) is None
    assert deviation(Stat(1.0, 1.0), 10, Stat(1.0), 10) is None
    assert deviation(Stat(1.0, 0.0), 10, Stat(1.0, 0.0), 10) is None
    assert correlation([1, 2], [1, 2]) is None
    assert correlation([1, 1, 1], [1, 2, 3]) is None


def test_notes_name_experiments_that_exist():
    from paucal.paper.catalogue import EXPERIMENTS

    names = {e.name for e in EXPERIMENTS} | {"supplement"}  # notes on whose samples they are
    for kind in ("note", "remark"):
        assert all(set(on) <= names for _, on in texts(kind))
    assert all("\n" not in text and "  " not in text for text, _ in texts("note"))
    assert remarks_on("table5") == ()
    assert any("26322" in note for note in notes_for("table1"))
    assert any("130.9" in note for note in notes_for("table2"))
    assert any("reused" in note for note in notes_for("table4"))
