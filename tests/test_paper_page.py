"""The page about the paper: its numbers, in tables and sentences, are those of the results that it links to."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from statistics import correlation, geometric_mean

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "reproduction.md").read_text(encoding="utf-8")


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| ---")]


def test_rows_of_numbers_are_those_of_the_results():
    known = {row for page in (DOCS / "results").glob("*.md") for row in rows_of(page.read_text(encoding="utf-8"))}
    numbers = [row for row in rows_of(PAGE) if len(re.findall(r"\| [+-]?[\d,.]+[ |]", row)) > 2]
    assert len(numbers) > 20
    for row in numbers:
        assert row in known


def test_the_page_is_read_in_ten_minutes():
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    words = [word for line in prose.splitlines() if line not in rows_of(PAGE) for word in line.split()]
    assert len(words) < 2000
    assert len(PAGE.splitlines()) < 250


def test_every_experiment_has_its_page():
    from paucal.paper.catalogue import EXPERIMENTS

    for experiment in EXPERIMENTS:
        assert (DOCS / "results" / f"{experiment.name}.md").exists()
        if experiment.name.startswith("figure"):
            assert (DOCS / "results" / f"{experiment.name}.svg").exists()


# ------------------------------------------------------------------------------------------------- what the page claims

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


def csv_of(name):
    with (DOCS / "results" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def drawn(table, measure="shd"):
    """Give the means over the sizes: network -> method -> ours."""
    means = {}
    for row in csv_of(f"{table}-details"):
        if row["size"] == "mean" and row[measure]:  # the empty graph asked no tests
            means.setdefault(row["network"], {})[row["method"]] = float(row[measure])
    return means


def on_supplement(table, measure="shd_right"):
    means = {}
    for row in csv_of(f"{table}-supplement-shd"):
        means.setdefault(row["network"], {})[row["method"]] = float(row[measure])
    return means


def ahead(means, one, other):
    """Count, in words, the networks where one method is nearer to the truth than another."""
    return NUMBERS[sum(of[one] < of[other] for of in means.values())]


def between(values, digits=1):
    values = list(values)
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def test_what_is_said_of_table_1():
    rows = csv_of("table1-details")
    nearer = sum(round(of["CMB"], 1) <= round(of["cmb-BF_chi2"], 1) for of in drawn("table1").values())
    assert f"CMB is as near as BF_chi2 or nearer on {NUMBERS[nearer]} of six networks" in PAGE
    printed = [float(row["shd_paper"]) for row in rows if row["method"] == "CMB" and row["size"] == "mean"]
    assert f"The paper's CMB (SHD {between(printed)})" in PAGE
    assert f"**CMB's baseline** (Table 1): {between(printed)} in the paper." in PAGE


def test_what_is_said_of_table_2():
    ours, theirs = drawn("table2"), on_supplement("table2")
    assert ahead(ours, "rBF_chi2", "RAI-BF") == ahead(theirs, "rBF_chi2", "RAI-BF") == "six"
    assert "Against the Bayes factor on all six networks, with either samples." in PAGE
    drawn_ahead, supplement_ahead = ahead(ours, "rBF_chi2", "PC-stable"), ahead(theirs, "rBF_chi2", "PC-stable")
    assert f"on {drawn_ahead} of six networks (drawn) and on {supplement_ahead} (supplement)" in PAGE
    best = ahead(drawn("table2-variants"), "PC-stable, adjusted df, majority", "rBF_chi2")
    assert f"majority colliders is ahead of BF_chi2 on {best} networks (drawn)" in PAGE
    tests = drawn("table2", "tests")
    assert ahead(tests, "rI^eB", "rBF_chi2") == ahead(tests, "rI^eB", "PC-stable") == "six"
    assert f"on {ahead(tests, 'rI^eB', 'RAI-BF')} of six networks if strata are multiplied" in PAGE
    each = drawn("table2-strata", "tests")
    assert all(tests[network]["rI^eB"] < of["RAI-BF, every stratum"] for network, of in each.items())
    own = [row for row in csv_of("table2-details") if row["method"] == "rI^eB" and row["size"] != "mean"]
    ratio = geometric_mean(float(row["tests"]) / float(row["tests_paper"]) for row in own)
    assert f"{ratio:.2f} of them over {len(own)} numbers" in PAGE


def test_what_is_said_of_tables_3_7_8_and_9():
    latent = drawn("table3")
    assert ahead(latent, "fci-BF_chi2", "cFCI") == "six"
    ahead_of = ahead(latent, "cFCI, thin = tested", "fci-BF_chi2")
    assert f"Without that rule the same G test is ahead on {ahead_of} networks" in PAGE
    tuned = sum(float(row["RAI-BF"]) > float(row["rBF_chi2"]) for row in csv_of("table7-shd"))
    assert f"**Holds**: behind on {NUMBERS[tuned]} of six networks" in PAGE
    for means in (drawn("table8"), on_supplement("table8")):
        assert ahead(means, "pcBF_chi2", "pcI^eB") == "six"
    pc = on_supplement("table8")
    full, adjusted = ahead(pc, "pcBF_chi2", "PC, full df"), ahead(pc, "pcBF_chi2", "PC")
    assert f"full degrees of freedom on {full} (supplement), against G with those of the data on {adjusted}" in PAGE
    mmhc = drawn("table9"), on_supplement("table9")
    assert [ahead(means, "mBF_chi2", "MMHC, full df") for means in mmhc] == ["six", "six"]
    drawn_ahead, supplement_ahead = (ahead(means, "MMHC", "mBF_chi2") for means in mmhc)
    assert f"ahead on {drawn_ahead} (drawn) and {supplement_ahead} (supplement)" in PAGE


def test_what_is_said_of_the_bayes_factor_of_every_stratum():
    rows = [row for row in csv_of("table2-strata-supplement-details") if row["network"] != "HAILFINDER"]
    for method, fragment in (("RAI-BF", "rises from {:.2f} to "), ("RAI-BF, every stratum", " to {:.2f} times")):
        ratios = [float(r["tests_supplement"]) / float(r["tests_paper"]) for r in rows if r["method"] == method]
        assert fragment.format(geometric_mean(ratios)) in PAGE
    assert f"({min(ratios):.2f} to {max(ratios):.2f} on single sizes)" in PAGE
    both = {r["method"]: float(r["as_it_lies_absolute"]) for r in csv_of("table2-strata-supplement-agreement")[::2]}
    assert f"falls from {both['RAI-BF']:.1f} to {both['RAI-BF, every stratum']:.1f} " in PAGE
    tuned = [r for r in csv_of("table7-strata-supplement-shd") if "0.2" in r["method"] and r["network"] != "HAILFINDER"]
    for column in ("shd_right", "shd_paper"):
        *most, last = (f"{float(row[column]):.1f}" for row in tuned)
        assert f"{', '.join(most)} and {last}" in PAGE.replace("\n", " ")
    best = {row["network"]: float(row["threshold"]) for row in csv_of("table7-shd")}
    assert best["CHILD3"] == best["CHILD5"] == 2
    hailfinder = [r for r in csv_of("table2-strata-supplement-details") if r["network"] == "HAILFINDER"]
    each = [float(row["tests_supplement"]) for row in hailfinder if row["method"] == "RAI-BF, every stratum"]
    assert f"{min(each):,.0f} to {max(each):,.0f} with a" in PAGE


def test_what_is_not_explained_is_as_far_as_the_page_says():
    difference = {
        row["method"]: (-float(row["right_difference"]), float(row["right_absolute"]))
        for table in ("table8", "table9")
        for row in csv_of(f"{table}-supplement-agreement")
        if row["networks"] == "without HAILFINDER"
    }
    found = [difference["MMHC"][0], difference["PC"][0]]
    assert f"ours are lower by {between(found, 0)} on average without HAILFINDER" in PAGE
    assert f"MMHC with I^eB (mean difference {difference['mI^eB'][1]:.1f} without HAILFINDER)" in PAGE
    without = {network: of for network, of in on_supplement("table1").items() if network != "HAILFINDER"}
    for method, words in (
        ("CMB", "gives {} without HAILFINDER"),
        ("CMB, thin = dependent", "thin tables as dependent {},"),
    ):
        assert words.format(between(of[method] for of in without.values())) in PAGE.replace("\n ", "")
    ours, supplement = drawn("table2")["CHILD3"]["PC-stable"], on_supplement("table2")["CHILD3"]["PC-stable"]
    assert f"(drawn {ours:.1f}, supplement {supplement:.1f}, paper 80.8)" in PAGE
    higher = [float(r["shd_right"]) - float(r["shd_paper"]) for r in csv_of("table2-strata-supplement-shd")[-1:]]
    assert f"CHILD5 without tuning, where ours is {higher[0]:.0f} higher" in PAGE


def test_what_is_said_of_numbers_of_tests():
    rows = [row for row in csv_of("table10-supplement-tests") if row["method"] != "RAI-BF"]
    theirs = [float(row["tests_paper"]) for row in rows]
    for column, fragment in (
        ("tests_supplement", "{:.2f} times the paper's (supplement, correlation {:.2f})"),
        ("tests_drawn", "{:.2f} times (drawn, correlation {:.2f})"),
    ):
        ours = [float(row[column]) for row in rows]
        ratio = geometric_mean(a / b for a, b in zip(ours, theirs, strict=True))
        assert fragment.format(ratio, correlation(ours, theirs)) in PAGE.replace("\n", " ")


def test_runs_are_those_of_the_results():
    runs = {}
    for page in sorted((DOCS / "results").glob("*.md")):
        if found := re.search(r"Runs: (\d+)\.", page.read_text(encoding="utf-8")):
            runs[page.stem] = int(found[1])
    assert len(runs) > 25
    fewer = {name: n for name, n in runs.items() if n != 10}
    assert fewer == {"table3-supplement": 5, "table2-variants-supplement": 2, "table1-supplement": 1}
    words = "in Table 3 (five), the other readings of Table 2 (two) and Table 1 (one)"
    assert words in PAGE.replace("\n", " ")


def test_what_is_said_of_the_figures_and_of_table_12():
    points = csv_of("figure7")
    assert sum(float(row["I^eB"]) < float(row["I^eBFix"]) for row in points) == len(points) == 15
    seconds = {row["estimator"]: float(row["seconds"]) for row in csv_of("figure7-seconds")}
    assert f"Full Bayes takes {1e6 * seconds['I^fB']:.0f} microseconds here" in PAGE
    levels = [float(row["BF_chi2_type1"]) for row in csv_of("figure8")]
    assert f"at most {max(levels):.3f} at a nominal 0.05. It falls to {min(levels):.3f} in wide tables" in PAGE
    gaps = csv_of("figure1")
    nearer = sum(float(r["modified parameters_gap"]) < float(r["modified counts (Minka)_gap"]) for r in gaps)
    assert f"at {nearer} of {len(gaps)} points" in PAGE
    plain = {}
    for row in csv_of("table12"):
        if row["split"] == "plain":
            plain.setdefault(row["dataset"], {})[row["method"]] = round(float(row["f1"]), 2)
    better = sum(of["rBF_chi2"] > of["PC-stable"] for of in plain.values())
    equal = sum(of["rBF_chi2"] == of["PC-stable"] for of in plain.values())
    assert (better, equal) == (3, 1)
    assert "on three of four data sets, equal on the fourth" in PAGE
