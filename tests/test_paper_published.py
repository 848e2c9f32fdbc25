"""The transcribed numbers: internal consistency, and equality with what a program read out of the paper."""

from __future__ import annotations

import pytest

from paucal.paper import published
from reference_data import published_numbers

PRINTED = published_numbers()
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


@pytest.mark.parametrize("label", BY_LABEL)
def test_numbers_are_those_of_the_paper(label):
    table = BY_LABEL[label]
    expected = []
    for line_of in dict.fromkeys((network, size) for m in table.measures.values() for network, size, _ in m):
        network, size = line_of
        row = [] if size == "mean" else [[size]]
        for values in table.measures.values():
            for method in table.methods:
                printed = values[network, size, method]
                row.append([printed.mean] if printed.spread is None else [printed.mean, printed.spread])
        expected.append(row)
    assert expected == PRINTED["tables"][label]


def test_data_sets_and_classification_are_those_of_the_paper():
    assert {name: list(sizes) for name, sizes in published.NETWORK_SIZES.items()} == PRINTED["networks"]
    assert {name: list(sizes) for name, sizes in published.UCI_SIZES.items()} == PRINTED["uci"]
    for name, printed in PRINTED["classification"].items():
        methods = published.CLASSIFICATION[name]
        assert [list(methods[method]) for method in published.CLASSIFIERS] == printed


def test_every_row_is_there():
    for table in (published.LOCAL, published.GLOBAL):
        for values in table.measures.values():
            keys = {(n, s, m) for n in published.NETWORKS for s in (*published.SIZES[n], "mean") for m in table.methods}
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
