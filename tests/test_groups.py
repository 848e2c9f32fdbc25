"""The groups of a randomised column: intervals that hold their level, words, rows used, and where it is told."""

from __future__ import annotations

import datetime as dt
import json
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import paucal
from paucal import Dataset
from paucal.cli import cli
from paucal.effects.groups import compare, newcombe, t_quantile, welch
from paucal.errors import GraphError
from paucal.report.effects import compared as told_on_the_page
from paucal.search.result import SearchResult

if TYPE_CHECKING:
    from pathlib import Path


def trial(n: int = 240, seed: int = 3) -> dict[str, Any]:
    """A drug that takes the risk from 33 to 18 of 120: too little for a posterior, enough for a comparison."""
    rng = np.random.default_rng(seed)
    return {
        "arm": ["placebo", "drug"] * (n // 2),
        "died": (["yes", "yes"] * 18 + ["yes", "no"] * 15 + ["no", "no"] * n)[:n],
        "sex": rng.choice(["f", "m"], n).tolist(),
        "site": rng.choice(["a", "b", "c"], n).tolist(),
    }


# ---- intervals


@pytest.mark.parametrize("n", [(10, 10), (15, 40), (60, 60)])
def test_newcombe_holds_its_level(n: tuple[int, int]):
    """Exactly, by the law of both counts, over a grid of true shares."""
    first, second = n
    ends = np.array([[newcombe(i, first, j, second, 0.9) for j in range(second + 1)] for i in range(first + 1)])
    held = []
    for p in np.linspace(0.02, 0.98, 17):
        for q in np.linspace(0.02, 0.98, 17):
            law = np.outer(stats.binom.pmf(range(first + 1), first, p), stats.binom.pmf(range(second + 1), second, q))
            held.append(float(law[(ends[..., 0] <= p - q) & (p - q <= ends[..., 1])].sum()))
    assert np.mean(held) > 0.895
    assert min(held) > 0.83  # shares near 0 or 1 in ten rows


def test_newcombe_as_published():
    """Newcombe (1998), table II, method 10: 56/70 - 48/80 and 9/10 - 3/10, at 95 %."""
    assert newcombe(56, 70, 48, 80, 0.95) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert newcombe(9, 10, 3, 10, 0.95) == pytest.approx((0.1705, 0.8090), abs=5e-5)
    assert newcombe(10, 10, 0, 10, 0.95) == pytest.approx((0.6075, 1.0), abs=5e-5)


@pytest.mark.parametrize("freedom", [1, 1.5, 3, 7.3, 30, 400, 9_000, 11_000, 1e6])
@pytest.mark.parametrize("p", [0.9, 0.95, 0.975, 0.995])
def test_quantiles_of_students_law(p: float, freedom: float):
    assert t_quantile(p, freedom) == pytest.approx(stats.t.ppf(p, freedom), rel=2e-5)


def test_welch_is_scipys():
    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 2, 17), rng.normal(0, 1, 40)
    low, high = welch([a.mean(), b.mean()], [a.var(ddof=1), b.var(ddof=1)], [17, 40], 0.9)
    ours = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.9)
    assert (low, high) == pytest.approx((ours.low, ours.high), rel=1e-5)


def test_welch_holds_its_level():
    """Groups of different sizes that vary differently, 4,000 times: the standard error of the share is .005."""
    rng, held, times = np.random.default_rng(1), 0, 4_000
    a, b = rng.normal(1, 3, (times, 12)), rng.normal(0, 1, (times, 40))
    for one, other in zip(a, b, strict=True):
        variances = [one.var(ddof=1), other.var(ddof=1)]
        low, high = welch([one.mean(), other.mean()], variances, [12, 40], 0.9)
        assert low is not None
        held += low <= 1 <= high
    assert 0.885 < held / times < 0.915


# ---- what is compared


def test_shares_and_rows_used():
    arm = ["drug"] * 50 + ["placebo"] * 50
    died = ["yes"] * 10 + ["no"] * 38 + [None] * 2 + ["yes"] * 20 + ["no"] * 30
    data = Dataset.of({"arm": arm, "died": died}, missing="keep")
    found = compare(data, "arm", "died", level=0.9)
    (one,) = found.compared
    assert (one.to, one.instead_of, one.outcome) == ("drug", "placebo", "yes")
    assert (one.rows, found.used, found.rows) == ((48, 50), 98, 100)
    assert one.difference == pytest.approx(10 / 48 - 0.4)
    assert (one.low, one.high) == newcombe(10, 48, 20, 50, 0.9)
    assert "98 of 100 rows used; the others lack arm or died" in "\n".join(found.lines())


def test_means_of_numbers_and_of_scores():
    rng = np.random.default_rng(5)
    arm = ["a", "b"] * 60
    weight, score = rng.normal(70, 9, 120), rng.integers(1, 6, 120)
    data = Dataset.of({"arm": arm, "weight": weight, "score": score}, kinds={"weight": "number", "score": "levels"})
    a, b = weight[::2], weight[1::2]
    (one,) = compare(data, "arm", "weight", level=0.95).compared
    ours = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert (one.low, one.high) == pytest.approx((ours.low, ours.high), rel=1e-4)
    of_score = compare(data, "arm", "score", level=0.9).compared
    assert [one.of for one in of_score] == ["mean", *["share"] * 5]
    assert of_score[0].difference == pytest.approx(score[1::2].mean() - score[::2].mean())


def test_every_arm_is_compared_with_the_control():
    data = Dataset.of({"arm": ["high", "low", "placebo"] * 20, "y": [0, 1, 1, 0, 1, 0] * 10})
    found = compare(data, "arm", "y", level=0.9)
    assert [(one.to, one.instead_of) for one in found.compared] == [("high", "placebo"), ("low", "placebo")]
    assert "each for itself" in "\n".join(found.lines())


@pytest.mark.parametrize(
    "control", ["Cont", "ctrl", "Placebo (n = 20)", "Control group", "no treatment", "standard of care", "Sham"]
)
def test_names_of_control_groups(control: str):
    data = Dataset.of({"arm": ["CBT", control, "Weight control"] * 20, "y": [0, 1, 1, 0, 1, 0] * 10})
    assert {one.instead_of for one in compare(data, "arm", "y", level=0.9).compared} == {control}


def test_weighted_rows_count_as_often_as_they_stand_for():
    table = trial()
    data = Dataset.of(table)
    assert compare(data.counted(), "arm", "died", level=0.9) == compare(data, "arm", "died", level=0.9)


def test_nothing_that_varies_has_no_interval():
    data = Dataset.of({"arm": ["a", "b"] * 9, "y": [1.5, 2.5] * 9}, kinds={"y": "number"})
    (one,) = compare(data, "arm", "y", level=0.9).compared
    assert (one.difference, one.low, one.high) == (1.0, None, None)
    assert "nothing shows how much the groups vary" in one.change()


@pytest.mark.parametrize("few", [1, 2, 3, 4])
def test_few_rows_give_no_interval(few: int):
    arm = ["drug"] * few + ["placebo"] * 20
    y, died = [3.5, 1.25, 2.5, 9.0][:few] + [0.5 * i for i in range(20)], ["yes", "no"] * 12
    data = Dataset.of({"arm": arm, "y": y, "died": died[: few + 20]}, kinds={"y": "number"})
    for outcome in ("y", "died"):
        found = compare(data, "arm", outcome, level=0.9)
        (one,) = found.compared
        assert one.rows == (few, 20)
        assert one.has_interval == (few == 4)
        said = "without an interval, as a group has fewer than 4 rows"
        assert (said in str(found)) == (few < 4)
        assert "confidence interval" in str(found) or few < 4
        assert " 1 rows" not in str(found)


@pytest.mark.parametrize("y", [[np.inf, 1.5, 2.5, 3.5] * 5, [dt.date(2024, 1, 1 + i) for i in range(20)]])
def test_what_has_no_mean_is_not_compared(y: list[Any], tmp_path: Path):
    data = Dataset.of({"arm": ["a", "b"] * 10, "y": y}, kinds={"y": "number"})
    groups = compare(data, "arm", "y", level=0.9)
    (line,) = groups.lines()
    assert line.startswith(
        "arm was randomised, but nothing is compared: that takes two groups with rows, and an outcome"
    )
    result = paucal.learn(data, search="posterior", randomised=["arm"], outcome=["y"])
    assert "nan" not in str(result.effect("arm", "y", data=data))
    result.report(tmp_path / "x.html", data=data)
    assert "its groups are compared directly" not in (tmp_path / "x.html").read_text()


# ---- where it is told


def test_a_randomised_treatment_is_answered_by_its_groups_first():
    table = trial()
    result = paucal.learn(table, randomised=["arm"], outcome=["died"])
    effect = result.effect("arm", "died", data=table)
    assert effect.probability < 0.5  # the graphs overlook it
    assert effect.groups is not None
    (one,) = effect.groups.compared
    assert one.high is not None
    assert one.high < 0  # the groups do not
    lines = str(effect).splitlines()
    assert lines[0] == "arm was randomised, so its groups are compared directly:"
    assert "if rows do not depend on each other; 240 of 240 rows used" in lines[2]
    assert lines.index(effect.headline()) > 2
    assert effect.to_dict()["groups"]["compared"][0]["low"] == one.low
    assert str(result).splitlines()[0] == lines[0]
    assert result.to_dict()["details"]["groups"][0]["compared"][0]["high"] == one.high
    assert result.effects("died", data=table)[0].groups is not None
    assert "comparing its groups gives died = yes" in str(result.effects("died", data=table))
    assert result.effect("sex", "died", data=table).groups is None


def test_a_result_keeps_its_groups():
    result = paucal.learn(trial(), randomised=["arm"], outcome=["died"])
    again = SearchResult.from_json(result.to_json())
    assert again == result
    assert again.groups == result.groups
    content = result.to_dict()
    content["details"]["groups"][0]["compared"][0]["values"] = [0.1]
    with pytest.raises(GraphError, match="damaged"):
        SearchResult.from_dict(content)


def test_the_page_begins_with_the_groups(tmp_path: Path):
    table = trial()
    table["<b>arm"] = table.pop("arm")
    result = paucal.learn(table, randomised=["<b>arm"], outcome=["died"])
    page = result.report(tmp_path / "page.html", data=table).read_text(encoding="utf-8")
    first = page.split('<ul class="findings">')[1].split("</li>")[0]
    assert "a difference of" in first
    assert "percentage points" in first
    assert "<b>arm" not in page
    assert page.count("They hold if rows do not depend on each other.") == 1  # not again beside the effects
    assert page.count("a difference of") == 1
    told = re.sub("<[^>]+>", "", page.split('<ul class="findings">')[1]).replace("\xa0", " ")
    number = r"−?\d+\.\d"
    group = rf"{number} % of 1\d\d rows with &lt;b&gt;arm = \w+"
    difference = rf"{number} percentage points \({number} to {number}\)"
    assert re.search(rf"died is \w+ in {group} and in {group}: a difference of {difference}", told)
    assert "90 % confidence intervals" in told
    # the graphs overlook the effect that the groups show: an average over them would contradict the comparison
    assert "&lt;b&gt;arm causes died" not in told


def test_several_comparisons_of_groups_are_one_sentence_and_one_table(tmp_path: Path):
    rng = np.random.default_rng(1)
    arm = rng.integers(0, 3, 300)
    table = {
        "arm": np.array(["a", "b", "c"])[arm],
        "pain": rng.integers(0, 3, 300) + arm,
        "sex": rng.integers(0, 2, 300),
    }
    table = {name: column.tolist() for name, column in table.items()}
    result = paucal.learn(table, randomised=["arm"], outcome=["pain"])
    (groups,) = result.groups
    assert len(groups.compared) > 4
    page = result.report(tmp_path / "page.html", data=table).read_text(encoding="utf-8")
    assert page.count("a difference of") == 1
    assert f"{len(groups.compared) - 1} more comparisons follow below the edges." in page
    (trial,) = re.findall(r'<section class="trial">.*?</section>', page, flags=re.DOTALL)
    assert trial.count("<tr>") == 1 + len(groups.compared)


def test_a_trial_without_an_outcome_compares_its_groups_in_the_effects_of_the_graph(tmp_path: Path):
    rng = np.random.default_rng(1)
    arm = rng.integers(0, 2, 400)
    table = {"arm": arm.tolist(), "ill": np.where(rng.random(400) < 0.9, arm, 1 - arm).tolist()}
    result = paucal.learn(table, randomised=["arm"])
    assert not result.groups
    page = result.report(tmp_path / "page.html", data=table).read_text(encoding="utf-8")
    (trial,) = re.findall(r'<section class="trial">.*?</section>', page, flags=re.DOTALL)
    assert trial.count("<tr>") == 2


def test_on_the_command_line(tmp_path: Path):
    table = trial()
    file = tmp_path / "trial.csv"
    names = list(table)
    rows = zip(*table.values(), strict=True)
    file.write_text("\n".join(",".join(row) for row in [names, *rows]), encoding="utf-8")
    told = ["--randomised", "arm", "--outcome", "died"]
    answer = CliRunner().invoke(cli, ["effect", str(file), "arm", "died", *told])
    assert answer.exit_code == 0
    assert answer.stdout.startswith("arm was randomised, so its groups are compared directly:")
    content = json.loads(CliRunner().invoke(cli, ["effect", str(file), "arm", "died", *told, "--json"]).stdout)
    assert content["groups"]["rows_used"] == 240
    learned = CliRunner().invoke(cli, ["learn", str(file), *told])
    assert learned.stdout.startswith("arm was randomised, so its groups are compared directly:")


def test_repeated_measurements_make_intervals_wider(tmp_path: Path):
    rng = np.random.default_rng(2)
    arm = np.repeat(rng.permutation(["drug", "placebo"] * 30), 4)
    table = {
        "person": np.repeat(range(1, 61), 4).tolist(),
        "arm": arm.tolist(),
        "better": np.where(rng.random(240) < np.where(arm == "drug", 0.6, 0.4), "yes", "no").tolist(),
        "sex": np.repeat(rng.choice(["f", "m"], 60), 4).tolist(),
    }
    with pytest.warns(paucal.errors.PreparationWarning, match="occurs in 4 rows"):
        result = paucal.learn(table, randomised=["arm"], outcome=["better"])
    told = str(result)
    assert "allowing for dependence between rows with the same person" in told
    assert "if rows do not depend" not in told
    data = result.own_data(table)
    effect = result.effect("arm", "better", data=data)
    assert effect.dependent == "each value of person occurs in 4 rows"
    assert effect.groups is not None
    assert (effect.groups.together, effect.groups.dependent) == ("person", None)
    page = result.report(tmp_path / "page.html", data=data).read_text(encoding="utf-8")
    assert "They allow for dependence between rows with the same" in page
    # of counted rows nobody knows any more which ones belong together
    blind = compare(data.counted(), "arm", "better", level=0.9, dependent=effect.dependent)
    assert "too narrow, as rows of one person or place are not independent" in "".join(blind.lines())


# ---- rows that belong together


def visits(rng: np.random.Generator, people: int, rows: int | None = None) -> dict[str, Any]:
    """People with some rows each, which are alike; the arm was drawn for the person."""
    times = np.full(people, rows) if rows else rng.integers(2, 6, people)
    person = np.repeat(np.arange(people), times)
    own = rng.normal(size=people)
    return {
        "person": person,
        "arm": np.repeat(np.arange(people) % 2, times),
        "y": own[person] + rng.normal(size=len(person)),
        "ill": np.where(own[person] + rng.normal(size=len(person)) > 0.5, "yes", "no"),
    }


def together(table: dict[str, Any], **said: Any) -> Dataset:
    return Dataset.of(table, kinds={"y": "number"}, repeats="person", **said)


def test_equal_numbers_of_rows_a_person_give_the_interval_of_their_means():
    table = visits(np.random.default_rng(1), 40, rows=3)
    one = compare(together(table), "arm", "y", level=0.9).compared[0]
    means = table["y"].reshape(40, 3).mean(axis=1)
    want = stats.ttest_ind(means[1::2], means[::2], equal_var=False).confidence_interval(0.9)
    assert (one.low, one.high) == pytest.approx((want.low, want.high), rel=1e-6)


def test_people_with_both_treatments_are_their_own_controls():
    rng = np.random.default_rng(2)
    own, person = rng.normal(size=25), np.repeat(np.arange(25), 2)
    table = {"person": person, "arm": [0, 1] * 25, "y": own[person] + 0.3 * rng.normal(size=50)}
    one = compare(together(table), "arm", "y", level=0.95).compared[0]
    want = stats.ttest_rel(table["y"][1::2], table["y"][::2]).confidence_interval(0.95)
    assert (one.low, one.high) == pytest.approx((want.low, want.high), rel=1e-6)


@pytest.mark.parametrize("outcome", ["y", "ill"])
def test_intervals_hold_the_truth_with_several_rows_a_person(outcome):
    rng = np.random.default_rng(3)
    held, plain = [], []
    for _ in range(300):
        table = visits(rng, 50)
        apart = {name: column for name, column in table.items() if name != "person"}
        for data, found in ((together(table), held), (Dataset.of(apart, kinds={"y": "number"}), plain)):
            one = compare(data, "arm", outcome, level=0.95).compared[0]
            assert one.low is not None
            assert one.high is not None
            found.append(one.low <= 0 <= one.high)
    assert np.mean(held) > 0.92
    assert np.mean(plain) < 0.88


def test_one_row_a_person_changes_nothing():
    table = visits(np.random.default_rng(4), 60, rows=1)
    plain = Dataset.of({name: table[name] for name in ("arm", "y", "ill")}, kinds={"y": "number"})
    for outcome in ("y", "ill"):
        assert compare(together(table), "arm", outcome, level=0.9) == compare(plain, "arm", outcome, level=0.9)


def test_one_person_a_group_gives_no_interval():
    table = {"person": [1] * 10 + [2] * 10, "arm": [0] * 10 + [1] * 10, "y": np.arange(20.0)}
    groups = compare(together(table), "arm", "y", level=0.9)
    assert (groups.compared[0].low, groups.compared[0].high) == (None, None)
    assert "without an interval" in str(groups)
    for told in (str(groups), groups.first(), str(told_on_the_page(groups))):
        assert "confidence interval" not in told
    assert groups.lines()[-1] == "  20 of 20 rows used"


def test_rows_that_belong_together_keep_to_their_people():
    table = visits(np.random.default_rng(5), 30)
    table["y"] = table["y"].tolist()
    table["y"][3] = None
    data = together(table, missing="drop")
    assert data.names == ("arm", "y", "ill")
    assert data.units is not None
    assert data.units.tolist() == np.delete(table["person"], 3).tolist()
    assert data.take([5, 0]).units.tolist() == data.units[[5, 0]].tolist()
    assert data.counted().units is None
    alone = Dataset.of({"id": ["a", "a", None, None], "y": [0, 1, 0, 1]}, repeats="id")
    assert alone.units is not None
    assert len(set(alone.units.tolist())) == 3


def test_people_that_were_named_make_graphs_and_tests_too_sure_too(tmp_path):
    table = {name: np.asarray(column).tolist() for name, column in visits(np.random.default_rng(7), 40, rows=4).items()}
    only = "each value of person occurs in 4 rows; only comparisons of randomised groups allow for that"
    for ask in (paucal.learn, paucal.prepare):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = ask(table, repeats="person")
        assert only in (str(told[0].message) if told else str(found).replace("Each", "each"))
    path = tmp_path / "visits.csv"
    rows = zip(*table.values(), strict=True)
    path.write_text("\n".join([",".join(table), *(",".join(map(str, row)) for row in rows)]), "utf-8")
    for line in (["learn", str(path)], ["test", str(path), "arm", "y"], ["blanket", str(path), "--target", "y"]):
        assert only in CliRunner().invoke(cli, [*line, "--repeats", "person"]).stderr
    # a question about two columns is about rows of all people, too, if the table shows that there are such
    shown = "ach value of person occurs in 4 rows; if these are repeated measurements of one person, keep one of them"
    assert shown in CliRunner().invoke(cli, ["test", str(path), "arm", "y"]).stderr
    assert CliRunner().invoke(cli, ["test", str(path), "arm", "person"]).stderr.count("occurs in") == 0
    with pytest.warns(paucal.errors.PreparationWarning, match=shown):
        paucal.ci_test(table, "arm", "ill")
    alone = {"id": list(range(60)), "x": [0, 1] * 30, "y": [0, 0, 1] * 20}
    with pytest.warns(paucal.errors.PreparationWarning, match="no value of id occurs in more than one row"):
        paucal.learn(alone, repeats="id")


def test_recognised_people_are_allowed_for_everywhere(tmp_path):
    table = visits(np.random.default_rng(6), 60)
    table |= {"person": 1000 + 7 * table["person"], "sex": np.repeat(["f", "m"], 30)[table["person"]].tolist()}
    with pytest.warns(paucal.errors.PreparationWarning, match="each value of person occurs in 2 to 5 rows"):
        result = paucal.learn(table, randomised=["arm"], outcome=["y"])
    assert result.recipe.preparation.repeats == "person"
    said = "90% confidence interval (Welch), allowing for dependence between rows with the same person"
    assert said in str(result.effect("arm", "y", data=table))
    assert "intervals over graphs are too narrow" in str(result.effect("sex", "y", data=table))
    again = SearchResult.from_json(result.to_json())
    assert again.groups == result.groups
    assert again.groups[0].together == "person"
    page = result.report(tmp_path / "page.html", data=table).read_text("utf-8")
    assert "They allow for dependence between rows with the same" in page
    path = tmp_path / "trial.csv"
    rows = zip(*(table[name] for name in table), strict=True)
    path.write_text("\n".join([",".join(table), *(",".join(map(str, row)) for row in rows)]), "utf-8")
    plain = CliRunner().invoke(cli, ["effect", str(path), "arm", "y", "--randomised", "arm", "--json"])
    assert json.loads(plain.stdout)["groups"]["together"] == "person"


def test_who_belongs_together_is_said_where_data_are_made():
    data = Dataset.of({"a": [0, 1], "b": [1, 0]})
    with pytest.raises(paucal.errors.ParameterError, match="cannot be grouped any more"):
        Dataset.of(data, repeats="a")
    with pytest.raises(paucal.errors.ParameterError, match="both be counted"):
        Dataset.of({"a": [0, 1], "n": [1, 2], "b": [1, 0]}, repeats="a", weights="n")
    with pytest.raises(paucal.errors.UnknownNameError):
        Dataset.of({"a": [0, 1], "b": [1, 0]}, repeats="c")
