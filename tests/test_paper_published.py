"""The transcribed numbers: internal consistency, and equality with the text where it is at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paucal.paper import published

TEXT = Path(__file__).resolve().parents[1].parent / "shared" / "paper.tex"
BY_LABEL = {
    "tb:accSTMB": published.LOCAL,
    "tb:accglobal": published.GLOBAL,
    "tb:accglobal_fci": published.LATENT,
    "tb:CItestsAcc": published.ACCURACY,
    "tab:cputime": published.TIME,
    "tb:optimalRAIBF": published.TUNED,
    "tb:pc": published.PC,
    "tb:mmhc": published.MMHC,
    "tb:CItestsEfficiency": published.EFFICIENCY,
}


def rows_in_text(label):
    """Yield the numbers of each row of a table of the text, in order."""
    text = TEXT.read_text(encoding="utf-8")
    bodies = re.findall(r"\\begin\{table\*?\}(.*?)\\end\{table\*?\}", text, re.DOTALL)
    body = next(body for body in bodies if f"label{{{label}}}" in body)
    for line in body.splitlines():
        if "&" not in line or "$cI" in line or "$pcI" in line or "multicolumn" in line:
            continue
        plain = line.split(r"\\")[0].replace(r"\textbf", " ").replace(r"\pm", " ")
        cells = [re.findall(r"(?<!\w)\d+(?:\.\d+)?", cell) for cell in plain.split("&")]
        numbers = [tuple(map(float, cell)) for cell in cells[1:] if cell]
        if numbers:
            yield numbers


@pytest.mark.skipif(not TEXT.exists(), reason="the text of the paper is not at hand")
@pytest.mark.parametrize("label", BY_LABEL)
def test_numbers_are_those_of_the_text(label):
    table = BY_LABEL[label]
    expected = []
    for line_of in dict.fromkeys((network, size) for m in table.measures.values() for network, size, _ in m):
        network, size = line_of
        row = [] if size == "mean" else [(float(size),)]
        for values in table.measures.values():
            for method in table.methods:
                printed = values[network, size, method]
                row.append((printed.mean,) if printed.sd is None else (printed.mean, printed.sd))
        expected.append(row)
    assert list(rows_in_text(label)) == expected


@pytest.mark.skipif(not TEXT.exists(), reason="the text of the paper is not at hand")
def test_data_sets_and_classification_are_those_of_the_text():
    text = TEXT.read_text(encoding="utf-8").replace(r"\textbf", "").replace("{", "").replace("}", "")
    for name, sizes in published.NETWORK_SIZES.items():
        row = re.search(rf"{name.upper()}\s*& *(\d+) *& *(\d+) *& *(\d+)", text)
        assert row is not None
        assert tuple(map(int, row.groups())) == sizes
    for name, (samples, attributes, most, least) in published.UCI_SIZES.items():
        assert re.search(rf"{name} & {samples} & {attributes} & {most}/{least}", text, re.IGNORECASE)
    for name, methods in published.CLASSIFICATION.items():
        row = next(
            r for r in re.findall(rf"^ *{name} *&(.*)$", text, re.IGNORECASE | re.MULTILINE) if "." in r
        )
        pairs = [tuple(map(float, pair)) for pair in re.findall(r"(\d\.\d+)/(\d\.\d+)", row)]
        assert pairs == [methods[method] for method in published.CLASSIFIERS]


def test_every_row_is_there():
    for table in (published.LOCAL, published.GLOBAL):
        for values in table.measures.values():
            keys = {
                (n, s, m)
                for n in published.NETWORKS
                for s in (*published.SIZES[n], "mean")
                for m in table.methods
            }
            assert set(values) == keys
    for table in BY_LABEL.values():
        for values in table.measures.values():
            assert {(n, "mean", m) for n in published.NETWORKS for m in table.methods} <= set(values)


def test_means_are_reused_by_the_later_tables():
    for network in published.NETWORKS:
        for method in ("rI^eB", "rBF_chi2", "RAI-BF"):
            shd = published.GLOBAL.value("shd", network, "mean", method)
            tests = published.GLOBAL.value("tests", network, "mean", method)
            assert published.ACCURACY.value("shd", network, "mean", method) == shd
            assert published.EFFICIENCY.value("tests", network, "mean", method) == tests


def test_slips_are_the_known_ones():
    found = {(s.table, s.measure, s.network, s.method): round(s.recomputed, 1) for s in published.slips()}
    assert found == {
        (1, "tests", "hailfinder", "CMB"): 157623.3,
        (1, "tests", "child5", "CMB"): 35224.7,
        (2, "shd", "child5", "RAI-BF"): 130.9,
        (2, "tests", "child5", "RAI-BF"): 10183.0,
    }


def test_what_the_paper_does_not_have_is_none():
    assert published.GLOBAL.value("shd", "asia", 100, "rI^eB") is None
    assert published.GLOBAL.value("seconds", "child", 100, "rI^eB") is None
    assert published.GLOBAL.value("shd", "child", 200, "rI^eB") is None
