"""Power and sample size: what is promised is found when data are really drawn that way."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli
from paucal.detectable import Population, closest_coupling, smallest_effect
from paucal.errors import ParameterError, UnknownNameError
from paucal.planning import OrderPower
from paucal.tables import Table, counts_of


def independent_data(rows: int, seed: int, *, levels=(2, 3, 2, 3, 4)) -> paucal.Dataset:
    rng = np.random.default_rng(seed)
    columns = [rng.choice(k, size=rows, p=rng.dirichlet(np.full(k, 3))) for k in levels]
    return paucal.Dataset.from_codes(columns, "abcdefgh"[: len(levels)], [range(k) for k in levels])


def draw_rows(population: Population, share: float, rng: np.random.Generator) -> paucal.Dataset:
    """One sample of the population, row by row."""
    columns: list[list[int]] = [[], [], []]
    shape = population.independent.shape[1:]
    for s, n in enumerate(population.samples):
        cells = (1 - share) * population.independent[s] + share * population.coupled[s]
        x, y = np.unravel_index(rng.choice(cells.size, size=n, p=cells.ravel() / cells.sum()), shape)
        for column, values in zip(columns, (np.full(n, s), x, y), strict=True):
            column.extend(values.tolist())
    sizes = (len(population.samples), *shape)
    return paucal.Dataset.from_codes([np.array(c) for c in columns], "zxy", [range(k) for k in sizes])


@pytest.mark.parametrize(("n", "question"), [(60, (0, 1, ())), (120, (1, 3, (0,))), (200, (1, 4, (0, 3)))])
@pytest.mark.parametrize("method", ["chi2-perm", "g"])
def test_the_effect_is_found_with_the_promised_power(n, question, method):
    data = independent_data(n, seed=n)
    test = paucal.make_test(data, method)
    population = Population.of(counts_of(data).table(*question))
    order = len(question[2])
    # several estimates, so that their own noise is small beside that of the check
    estimates = [smallest_effect(test, population, order, 0.8, np.random.default_rng(seed)) for seed in range(5)]
    share = float(np.mean(estimates)) / population.largest
    assert 0 < share < 1
    assert np.std(estimates) < 0.1 * np.mean(estimates)
    rng = np.random.default_rng(99)
    found = 0
    repeats = 500
    for _ in range(repeats):
        sample = draw_rows(population, share, rng)
        given = ["z"] if len(population.samples) > 1 else []
        found += paucal.ci_test(sample, "x", "y", given, test=method).decision == "dependent"
    assert found / repeats == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / repeats))


def test_the_effect_is_cramers_v():
    table = Table.from_dense([[[10, 20], [30, 40]], [[0, 0], [25, 25]], [[30, 0], [0, 30]]])
    population = Population.of(table)
    assert population.samples.tolist() == [100, 60]  # the second stratum has one level of x
    # first stratum: rows .3 .7, columns .4 .6; the frequent go together: [[.3, 0], [.1, .6]]
    phi2 = 0.18**2 / (0.3 * 0.7 * 0.4 * 0.6)
    assert population.coupled[0] == pytest.approx(np.array([[0.3, 0], [0.1, 0.6]]))
    assert population.largest == pytest.approx(math.sqrt((100 * phi2 + 60 * 1) / 160))


@pytest.mark.parametrize("seed", range(5))
def test_couplings_have_their_margins(seed):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3))
    p[2] = 0
    p /= p.sum()
    joint = closest_coupling(p, q)
    assert joint.sum(1) == pytest.approx(p)
    assert joint.sum(0) == pytest.approx(q)
    assert (joint >= 0).all()
    assert np.count_nonzero(joint > 1e-12) <= 6


def test_classical_theory_in_a_large_sample():
    # one degree of freedom: noncentrality 7.849 gives power .8 at level .05
    data = independent_data(20_000, seed=1, levels=(2, 2, 2))
    report = paucal.power(data, max_order=0)
    assert report.orders[0].effect == pytest.approx(math.sqrt(7.849 / 20_000), rel=0.1)
    assert report.orders[0].undecidable == 0
    assert report.orders[0].rows_needed == 20_000


def test_effects_shrink_with_rows_and_grow_with_conditioners():
    few, many = (paucal.power(independent_data(n, seed=3), max_order=2, sample=15) for n in (60, 600))
    for a, b in zip(few.orders, many.orders, strict=True):
        assert a.effect > 2 * b.effect
    assert [one.order for one in many.orders] == [0, 1, 2]
    effects = [one.effect for one in many.orders]
    assert effects == sorted(effects)
    strict = paucal.power(independent_data(600, seed=3), max_order=2, sample=15, alpha=0.001)
    assert all(a.effect < b.effect for a, b in zip(many.orders, strict.orders, strict=True))


def test_undecidable_questions_and_the_rows_that_would_decide_them():
    rng = np.random.default_rng(0)
    levels = (2, 2, 2, 3, 3)
    shares = [rng.dirichlet(np.full(k, 4)) for k in levels]

    def drawn(rows: int, seed: int) -> paucal.Dataset:
        rng = np.random.default_rng(seed)
        columns = [rng.choice(k, size=rows, p=p) for k, p in zip(levels, shares, strict=True)]
        return paucal.Dataset.from_codes(columns, "abcde", [range(k) for k in levels])

    data = drawn(14, seed=1)
    report = paucal.power(data, max_order=3)
    test = paucal.make_test(data, "chi2-perm")
    every = [
        test.ask(x, y, tuple(z for z in range(5) if z not in (x, y, left)))
        for x in range(5)
        for y in range(x)
        for left in set(range(5)) - {x, y}
    ]
    deep = report.orders[2]
    assert (deep.questions, deep.looked_at) == (30, 30)
    assert deep.undecidable == pytest.approx(np.mean([bool(a.flags & 16) for a in every]))
    assert 0.3 < deep.undecidable <= deep.undetectable
    assert 14 < deep.rows_needed < 500
    # with so many rows from where the data came from, few questions are left
    left = [
        paucal.power(drawn(deep.rows_needed, seed), max_order=2, sample=1).orders[2].undecidable for seed in range(5)
    ]
    assert np.mean(left) < 0.15
    assert np.mean(left) < deep.undecidable / 3


def test_constant_columns_are_undecidable_and_ask_for_no_rows():
    data = paucal.Dataset.from_codes([[0] * 100, [0, 1] * 50, [0, 0, 1, 1] * 25], "abc", [(0, 1), (0, 1), (0, 1)])
    report = paucal.power(data)
    assert report.orders[0].undecidable == pytest.approx(2 / 3)
    assert report.orders[0].rows_needed == 100
    assert report.orders[0].effect is None


def test_questions_of_a_search():
    data = paucal.load_network("survey").sample(300, seed=2)
    result = paucal.learn(data, search="pc-stable", test="chi2-perm", alpha="by-order")
    by_result, by_ledger = (paucal.power(data, questions=q, sample=5) for q in (result, result.ledger))
    assert by_result == by_ledger
    asked = {len(record.given) for record in result.ledger.records()}
    assert {one.order for one in by_result.orders} == asked
    assert by_result.orders[0].questions == 15
    with pytest.raises(UnknownNameError, match="There is no column"):
        paucal.power(data.select(["A", "S"]), questions=result)
    with pytest.raises(ParameterError, match="'posterior' has no tests"):
        paucal.power(data, questions=paucal.learn(data, "posterior"))


def test_the_same_seed_gives_the_same_numbers():
    data = independent_data(80, seed=9)
    first, second = (paucal.power(data, max_order=1, sample=4, seed=3) for _ in range(2))
    assert first == second
    assert first != paucal.power(data, max_order=1, sample=4, seed=4)


def test_wide_tables_are_left_out_and_counted():
    rng = np.random.default_rng(1)
    levels = (400, 500, 3)
    data = paucal.Dataset.from_codes([rng.integers(k, size=3000) for k in levels], "abc", [range(k) for k in levels])
    report = paucal.power(data)
    assert report.orders[0].looked_at == 3
    assert report.orders[0].simulated == 2


def test_one_row_and_one_column():
    assert paucal.power(paucal.Dataset.from_codes([[0, 1]], "a", [(0, 1)])).orders == ()
    report = paucal.power(paucal.Dataset.from_codes([[0], [1]], "ab", [(0, 1), (0, 1)]))
    assert report.orders[0].undecidable == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"power": 1}, "power=1 is not between 0 and 1"),
        ({"alpha": 3}, "alpha=3 is not between"),
        ({"max_order": -1}, "max_order=-1 is not a whole number from 0"),
        ({"sample": 0}, "sample=0 is not a whole number from 1"),
        ({"test": lambda *_: 0.5}, "has no tables to draw"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        paucal.power(independent_data(20, seed=1), **parameters)


def test_report_and_command_line(tmp_path):
    path = tmp_path / "survey.csv"
    run = CliRunner().invoke
    assert run(cli, ["sample", "survey", "-n", "100", "--seed", "1", "-o", str(path)]).exit_code == 0
    plain = run(cli, ["inspect", str(path), "--power", "--max-order", "1", "--json"])
    content = json.loads(plain.output)["power"]
    report = paucal.power(paucal.read(str(path)), max_order=1)
    assert content == json.loads(json.dumps(report.to_dict()))
    assert set(content["orders"][0]) == set(OrderPower.__dataclass_fields__)
    shown = run(cli, ["inspect", str(path), "--power", "--alpha", "by-order", "--max-order", "1"]).output
    assert "What 100 rows can detect (chi2-perm at level by-order, power 0.8)" in shown
    assert "100 rows, chi2-perm at level 0.05, power 0.8" in str(report)
    assert "power" not in json.loads(run(cli, ["inspect", str(path), "--json"]).output)
    other = run(cli, ["inspect", str(path), "--power", "--test", "nothing"])
    assert other.exit_code == 2
