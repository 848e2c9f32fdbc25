"""The posterior where values are missing: equal to the sum over all completions, and to nothing but the data."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import paucal
from gappy_data import with_gaps
from paucal import Dataset, Knowledge, _kernel
from paucal.errors import ConvergenceWarning, MissingValuesError, ParameterError
from paucal.search.by_scores.canonical_table import CanonicalTable
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.missing import Filler
from twin.missing import posterior_of_gaps

ROWS = ["000", "001", "011", "010", "111", "110", "111", "101", "0?0", "1?1", "?11", "00?", "111", "000"]
GAPS = [(1, 8), (1, 9), (0, 10), (2, 11)]
CHAINS = 8
EXACT = {"score": "bdeu", "ess": 1.0, "temper": 1.0, "edge_penalty": 0.0, "knowledge": None, "max_parents": 4}
EXACT |= {"candidates": 12, "chains": CHAINS, "heats": (1.0, 0.6)}


def coded(rows: list[str]) -> Dataset:
    columns = [[2 if row[v] == "?" else int(row[v]) for row in rows] for v in range(len(rows[0]))]
    return Dataset.from_codes(columns, list("ABC"), [[0, 1]] * 3, missing="keep")


def experiment(data: Dataset, set_in: dict) -> Experiment:
    """Say which columns were set in which rows, by column number."""
    together = [frozenset(data.names[v] for v, rows in set_in.items() if rows[i]) for i in range(data.n_rows)]
    sets = {columns: np.array([one == columns for one in together]) for columns in together}
    return Experiment(data, "told" if set_in else None, tuple(sets.items()) if set_in else ())


def compare(data: Dataset, fillings: int, seed: int = 0, set_in: dict | None = None) -> None:
    exact = posterior_of_gaps(data, ess=1.0, set_in=set_in)
    filler = Filler(experiment(data, set_in or {}), EXACT, seed=seed)
    filler.run(20, "", record=False)
    met = {gap: np.zeros((CHAINS, data.cardinalities[gap[0]])) for gap in exact.gaps}
    for _ in range(fillings):
        filler.run(1, "", record=True)
        for chain in range(CHAINS):
            filled = filler.completed(chain)
            for (v, row), shares in met.items():
                shares[chain, filled.columns[v][row]] += 1 / fillings
    tallies = [filler.sampler.tallies(chain) for chain in range(CHAINS)]
    order = np.ix_(*(2 * [[data.index(name) for name in filler.problem.names]]))
    drawn = {
        "arrow": ([a / total for a, _, _, total in tallies], exact.arrow[order]),
        "line": ([b / total for _, b, _, total in tallies], exact.line[order]),
        **{f"gap {gap}": (list(shares), exact.gaps[gap]) for gap, shares in met.items()},
    }
    for name, (shares, wanted) in drawn.items():
        error = np.std(shares, axis=0, ddof=1) / math.sqrt(CHAINS)
        difference = np.abs(np.mean(shares, axis=0) - wanted)
        assert (difference <= 5 * error + 0.004).all(), (name, difference.max(), error.max())
        assert error.max() < 0.02, (name, error.max())


def test_the_enumerated_reference():
    exact = posterior_of_gaps(coded(ROWS), ess=1.0)
    assert exact.arrow == pytest.approx(
        np.array([[0, 0.005260, 0.007605], [0.019912, 0, 0.007605], [0.019912, 0.005260, 0]]), abs=1e-6
    )
    assert exact.line[np.triu_indices(3, 1)] == pytest.approx([0.513835, 0.589317, 0.245772], abs=1e-6)
    ones = [exact.gaps[gap][1] for gap in GAPS]
    assert ones == pytest.approx([0.433871, 0.710463, 0.679787, 0.429768], abs=1e-6)


def test_sampled_shares_equal_the_sum_over_all_dags_and_completions():
    compare(coded(ROWS), 400)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_for_other_tables_with_three_levels(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, 20)
    b = np.where(rng.random(20) < 0.7, a, rng.integers(0, 3, 20))
    c = np.where(rng.random(20) < 0.6, b, rng.integers(0, 3, 20))
    columns = [a, b, c]
    for v, k in enumerate((2, 3, 3)):
        columns[v][:k] = range(k)
        columns[v][rng.choice(np.arange(k, 20), 2, replace=False)] = k
    compare(Dataset.from_codes(columns, list("ABC"), [range(2), range(3), range(3)], missing="keep"), 600, seed)


def test_the_same_where_columns_were_set():
    """One value that was set is missing, and values of its causes and effects where it was set and where not."""
    rows = ["000", "011", "111", "110", "100", "001", "11?", "0?0", "?01", "010", "1?1", "011", "110", "100"]
    set_b, set_c = np.zeros(14, bool), np.zeros(14, bool)
    set_b[8:], set_c[[3, 6, 9]] = True, True
    compare(coded(rows), 400, set_in={1: set_b, 2: set_c})
    always = np.ones(14, bool)
    filler = Filler(experiment(coded(rows), {1: always}), EXACT, seed=0)
    filler.run(3, "", record=True)
    into = [filler.problem.names.index(name) for name in "ABC"]
    arrow, line, _, _ = filler.sampler.tallies(0)
    assert not arrow[into, into[1]].any()
    assert not line[into, into[1]].any()


def test_weights_of_sizes():
    wanted = [0.012716, 0.033708, 0.069429, 0.105874, 0.121274, 0.113655, 0.098125, 0.085372, 0.077443, 0.073061]
    wanted += [0.070763, 0.069587, 0.068993]
    found = _kernel.size_weights([0.5 * 2**k for k in range(13)], [6, 2, 1, 5], 2, 2.0, 2.0)
    assert found == pytest.approx(wanted, abs=1e-6)


@cache
def gappy() -> Dataset:
    return with_gaps(paucal.load_network("asia").sample(200, seed=2), 0.15)


@cache
def learned(threads: int = 1, seed: int = 0):
    return paucal.learn(gappy(), "posterior", threads=threads, seed=seed, fillings=5, tolerance=1.0)


def shares(result) -> dict[tuple[str, str], dict[str, float]]:
    names = gappy().names
    return {(a, b): result.evidence.of_pair(a, b) for a in names for b in names if a != b}


def test_threads_change_nothing_and_seeds_do():
    assert shares(learned(3)) == shares(learned(1))
    assert shares(learned(seed=1)) != shares(learned())


def test_neither_columns_nor_rows_nor_levels_have_an_order_or_names():
    rng = np.random.default_rng(1)
    data = gappy()
    other = data.select([data.names[i] for i in rng.permutation(8)]).take(rng.permutation(data.n_rows))
    turned = Dataset.from_codes(
        [np.where(gap, 2, 1 - codes.astype(np.int64)) for codes, gap in zip(other.columns, other.gaps, strict=True)],
        other.names,
        [["up", "down"]] * 8,
        missing="keep",
    )
    again = paucal.learn(turned, "posterior", fillings=5, tolerance=1.0)
    assert shares(again) == shares(learned())
    assert again.graph == learned().graph


def test_canonical_tables_are_the_same_however_they_came():
    rng = np.random.default_rng(3)
    data = gappy()
    first, second = CanonicalTable.of(data), CanonicalTable.of(data.take(rng.permutation(data.n_rows)))
    assert all(map(np.array_equal, first.codes, second.codes))
    filled = [np.where(codes == n, 0, codes) for codes, n in zip(first.codes, first.observed, strict=True)]
    for codes, old, gap in zip(first.restored(np.array(filled), data), data.columns, data.gaps, strict=True):
        assert np.array_equal(codes[~gap], old[~gap])
        assert codes.max() < 2


def test_a_result_tells_what_was_missing():
    result, data = learned(), gappy()
    told = result.details["missing"]
    assert told["cells"] == sum(data.gap_counts)
    assert told["share"] == pytest.approx(sum(data.gap_counts) / (8 * 200))
    assert (told["complete_rows"], told["fillings"]) == (data.n_complete, 15)
    assert told["columns"] == {name: n for name, n in zip(data.names, data.gap_counts, strict=True) if n}
    assert f"{told['cells']} of 1,600 values were missing" in str(result)
    assert result.evidence.n_graphs == 3 * 5 * 40
    again = type(result).from_json(result.to_json())
    assert again.details["missing"]["cells"] == told["cells"]
    assert "were missing" in str(again)


def test_knowledge_holds():
    known = Knowledge(required=[("asia", "tub")], forbidden=[("smoke", "bronc"), ("bronc", "smoke")])
    result = paucal.learn(gappy(), "posterior", knowledge=known, fillings=3, tolerance=1.0)
    assert result.evidence.of_pair("asia", "tub")["->"] == 1
    assert result.evidence.of_pair("smoke", "bronc")["absent"] == 1


def test_gaps_of_a_column_that_is_joined_to_nothing_are_noise_only():
    rng = np.random.default_rng(0)
    base = paucal.load_network("cancer").sample(400, seed=3)
    alone = np.where(rng.random(400) < 0.4, 2, rng.integers(0, 2, 400))
    data = Dataset.from_codes([*base.columns, alone], [*base.names, "alone"], [*base.levels, [0, 1]], missing="keep")
    whole = paucal.learn(base.select(base.names), "posterior", edge_penalty=3.0).evidence
    found = paucal.learn(data, "posterior", edge_penalty=3.0, fillings=30).evidence
    for i, a in enumerate(base.names):
        for b in base.names[:i]:
            assert found.of_pair(a, b)["absent"] == pytest.approx(whole.of_pair(a, b)["absent"], abs=0.1)
        assert found.of_pair(a, "alone")["absent"] > 0.7


def test_chains_that_disagree_are_told():
    with pytest.warns(ConvergenceWarning, match="fillings of the gaps the chains still differ"):
        paucal.learn(gappy(), "posterior", fillings=1, tolerance=1e-6)


@pytest.mark.parametrize("score", ["bic", "k2", "bds", "qnml"])
def test_scores_without_a_prior_are_refused(score):
    with pytest.raises(ParameterError, match="'eb' or 'bdeu'"):
        paucal.learn(gappy(), "posterior", score=score)


def test_completed_data_sets_differ_in_gaps_only():
    data = gappy()
    filled = paucal.impute(data, 7, seed=3)
    assert len(filled) == 7
    for one in filled:
        assert not one.has_gaps
        assert (one.names, one.levels, one.n_rows) == (data.names, data.levels, data.n_rows)
        for codes, old, gap in zip(one.columns, data.columns, data.gaps, strict=True):
            assert np.array_equal(codes[~gap], old[~gap])
    assert any(filled[0] != one for one in filled[1:])
    assert paucal.impute(data, 7, seed=3) == filled == paucal.impute(data, 7, seed=3, threads=3)
    assert paucal.impute(data, 7, seed=4) != filled
    whole = paucal.load_network("asia").sample(50, seed=1)
    assert paucal.impute(whole, 2) == [whole, whole]


def test_what_is_filled_in_is_likely():
    # of two equal columns one tells the other
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 300)
    y = np.where(rng.random(300) < 0.3, 3, x)
    data = Dataset.from_codes([x, y], ["x", "y"], [range(3)] * 2, missing="keep")
    filled = paucal.impute(data, 5)
    gap = data.gaps[1]
    right = np.mean([(one.columns[1][gap] == x[gap]).mean() for one in filled])
    assert right > 0.97


# -- numbers and ordered columns ------------------------------------------------------------------------------------


def measured(seed: int = 0, share: float = 0.15, rows: int = 400) -> Dataset:
    """Dose, its effects, and an answer on a scale; gaps everywhere."""
    rng = np.random.default_rng(seed)
    dose = rng.normal(size=rows)
    weight = dose + rng.normal(size=rows)
    columns = {
        "dose": np.round(dose, 2),
        "weight": np.round(weight, 2),
        "ill": (weight + rng.normal(size=rows) > 0).astype(int),
        "answer": np.digitize(dose + rng.normal(size=rows), [-1, 0, 1]),
        "alone": np.round(rng.normal(size=rows), 1),
    }
    coded = [np.unique(values, return_inverse=True) for values in columns.values()]
    gone = [np.where(rng.random(rows) < share, len(levels), codes) for levels, codes in coded]
    kinds = ["number", "number", "levels", "ordered", "number"]
    levels = [levels.tolist() for levels, _ in coded]
    return Dataset.from_codes(gone, list(columns), levels, missing="keep", kinds=kinds)


def test_gaps_in_numbers_are_filled_and_no_cut_decides():
    data = measured()
    result = paucal.learn(data)
    assert (result.score, result.recipe.search) == ("mixed", "posterior")
    assert "it uses the score mixed because dose is a number" in result.recipe.reason
    assert result.details["forms"]["dose"] == result.details["forms"]["weight"] == "line"
    assert result.details["missing"]["cells"] == sum(data.gap_counts) > 200
    assert {frozenset((e.a, e.b)) for e in result.graph.edges()} == {
        frozenset(pair) for pair in (("dose", "weight"), ("weight", "ill"), ("dose", "answer"))
    }
    assert any("dose: as a straight line" in line for line in result.why("dose", "weight").forms)
    again = paucal.learn(data, threads=3)
    assert again.evidence.to_plain() == result.evidence.to_plain()
    assert result.effect("dose", "weight", data=data).probability > 0


def test_numbers_with_gaps_by_other_names_and_orders():
    data = measured(3, rows=200)
    rng = np.random.default_rng(1)
    places, rows = rng.permutation(data.n_columns), rng.permutation(data.n_rows)
    other = data.select([data.names[v] for v in places]).take(rows)
    one, two = (paucal.learn(table, "posterior", fillings=3, tolerance=1.0) for table in (data, other))
    for i, a in enumerate(data.names):
        for b in data.names[:i]:
            assert one.evidence.of_pair(a, b) == two.evidence.of_pair(a, b)
    assert one.details["forms"] == two.details["forms"]


def test_a_gap_in_a_number_is_filled_by_an_observed_value():
    data = measured(1, 0.3)
    for one in paucal.impute(data, 4):
        assert (one.kinds, one.has_gaps) == (data.kinds, False)
        for codes, old, gap in zip(one.columns, data.columns, data.gaps, strict=True):
            assert np.array_equal(codes[~gap], old[~gap])
            assert set(codes[gap].tolist()) <= set(old[~gap].tolist())
    # what is filled in hangs on the rest of the row: by steps of equal shares
    gap = data.gaps[1] & ~data.gaps[0]
    filled = [np.corrcoef(one.columns[0][gap], one.columns[1][gap])[0, 1] for one in paucal.impute(data, 8)]
    assert 0.4 < np.mean(filled) < 0.75  # 0.71 in the population


def test_scores_that_count_levels_refuse_numbers_with_gaps():
    with pytest.raises(paucal.errors.DataError, match=r"The score 'eb' counts levels, .*'dose'"):
        paucal.learn(measured(), "posterior", score="eb")
    with pytest.raises(ParameterError, match="'mixed' or 'bdeu'"):
        paucal.learn(measured(), "posterior", score="bic")


def test_numbers_with_few_values_and_many_gaps():
    rng = np.random.default_rng(0)
    lone = [5.5, *[None] * 39]
    two = [1.5, 2.5, *[None] * 38]
    table = {"lone": lone, "two": two, "x": rng.normal(size=40).tolist(), "b": rng.integers(0, 2, 40).tolist()}
    with pytest.warns(paucal.errors.PaucalWarning):
        data = Dataset.of(table, missing="keep")
    result = paucal.learn(data, "posterior", fillings=2, tolerance=1.0)
    assert not result.graph.adjacent("lone")
    assert not any(one.has_gaps for one in paucal.impute(data, 2))


@pytest.mark.parametrize("m", [0, -1, 1.5, None, True])
def test_a_number_of_data_sets_is_a_whole_number_from_1(m):
    with pytest.raises(ParameterError, match="m="):
        paucal.impute(gappy(), m)


@pytest.mark.parametrize("search", ["order", "hill-climbing", "mmhc"])
def test_searches_that_need_complete_data_name_those_that_do_not(search):
    with pytest.raises(MissingValuesError, match=r"needs complete data.*'posterior'.*paucal\.impute\(data, 20\)"):
        paucal.learn(gappy(), search)


def test_scores_networks_and_matrices_refuse_gaps():
    from paucal.adapters import causal_learn

    net, data = paucal.load_network("asia"), gappy()
    for call in (
        lambda: paucal.score(net.graph, data),
        lambda: paucal.BayesNet.fit(net.graph, data),
        lambda: net.log_likelihood(data),
        lambda: causal_learn.matrix(data),
    ):
        with pytest.raises(MissingValuesError, match=r"values are missing: .*'posterior'"):
            call()


def test_the_kernel_checks_what_it_is_told():
    codes = np.array([0, 1, 2, 0], np.uint8)
    columns = _kernel.Columns([codes, codes], [2, 2], 4, gaps=True)
    allowed, required = np.array([[0, 1], [1, 0]], np.uint8), np.zeros((2, 2), np.uint8)
    said = {"forbidden": None, "penalty": 0.0, "sizes": [1.0], "searched_parents": 5, "most_grown": 64}
    said |= {"search_every": 5, "most_candidates": 6, "most_parents": 4, "heats": [1.0], "settling": 1, "rounds": 2}
    said |= {"sweeps": 1, "kept": 3, "chains": 2, "seed": 0}
    sampler = _kernel.GapSampler(columns, [2.0, 2.0], allowed, required, **said)
    sampler.run(2, record=True, threads=2)
    assert sampler.tallies(1)[3] == 8
    with pytest.raises(IndexError, match="no chain 2"):
        sampler.tallies(2)
    with pytest.raises(ValueError, match="no donors without readings"):
        sampler.donors(0)
    cells, line = np.array([0, 1, 0, 2], np.uint32), np.array([0.5, -1.0, 0.0, 2.0])
    none = np.zeros(0), np.zeros(0, np.uint32)
    right: dict = {"codes": [cells, none[1]], "states": [3, 0], "lines": [none[0], line], "nuggets": [0.0, 0.1]}
    for wrong in (
        {"states": [3]},
        {"states": [2, 0]},
        {"states": [0, 0]},
        {"nuggets": [0.0, 0.0]},
        {"nuggets": [0.0]},
        {"lines": [none[0], line[:3].copy()]},
        {"lines": [none[0], np.array([0.5, np.nan, 0.0, 2.0])]},
        {"codes": [cells[:2].copy(), none[1]]},
    ):
        with pytest.raises(ValueError, match=r"."):
            sampler.read_as(**right | wrong)
    sampler.read_as(**right)
    sampler.run(2, record=True, threads=2)
    assert sampler.donors(0)[:, [0, 1, 3]].tolist() == [[0, 1, 3]] * 2
    assert sampler.donors(0)[1, 2] in (0, 1, 3)
    sampler.read_as([cells, none[1]], [3, 0], [none[0], np.ones(4)], [0.0, 0.1])  # a line that does not vary
    with pytest.raises(ValueError, match="a value of a line"):
        sampler.run(1, record=True, threads=2)
    for wrong in (
        {"sizes": []},
        {"sizes": [0.0]},
        {"chains": 0},
        {"rounds": 0},
        {"sweeps": 0},
        {"kept": 0},
        {"heats": []},
        {"most_candidates": 16},
        {"search_every": 0},
        {"forbidden": np.zeros((3, 3), np.uint8)},
        {"penalty": math.inf},
    ):
        with pytest.raises(ValueError, match=r"."):
            _kernel.GapSampler(columns, [2.0, 2.0], allowed, required, **said | wrong)
    with pytest.raises(ValueError, match="1 levels, of which 2 are observed"):
        _kernel.GapSampler(columns, [1.0, 2.0], allowed, required, **said)
    unobserved = _kernel.Columns([np.array([1, 1, 2, 1], np.uint8), codes], [2, 2], 4, gaps=True)
    with pytest.raises(ValueError, match="observed levels first"):
        _kernel.GapSampler(unobserved, [2.0, 2.0], allowed, required, **said)
    for rows, problem in (((2, 3), "set has 6 entries"), ((2, 4), "0 or 1")):
        with pytest.raises(ValueError, match=problem):
            _kernel.GapSampler(columns, [2.0, 2.0], allowed, required, **said, set=np.full(rows, 2, np.uint8))
    with pytest.raises(ValueError, match="fillings"):
        sampler.run(-1, record=True, threads=1)
    with pytest.raises(ValueError, match="threads"):
        sampler.run(1, record=True, threads=0)


def test_causes_and_effects_are_averaged_over_fillings():
    result = learned()
    assert len(result.graphs) == 100
    assert result.causes(least=0.5)
    effect = result.effect("bronc", "dysp", data=gappy())
    assert 0 <= effect.probability <= 1
    assert sum(effect.rows) == gappy().n_rows - gappy().gap_counts[gappy().index("bronc")]
