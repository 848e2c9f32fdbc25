"""What `learn` does if no search is named, and that it says so."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import paucal
from paucal import Dataset
from paucal.search.choice import AFFORDABLE, choose, expected_seconds, fallback
from paucal.search.recipe import Recipe


@pytest.fixture(scope="module")
def asia() -> Dataset:
    return paucal.load_network("asia").sample(200, seed=4)


def shaped(columns: int, rows: int) -> Dataset:
    codes = np.random.default_rng(0).integers(0, 2, (columns, rows))
    return Dataset.from_codes(list(codes), [f"v{i}" for i in range(columns)], [[0, 1]] * columns)


def test_small_problems_get_their_posterior(asia):
    result = paucal.learn(asia)
    assert result.graph == paucal.learn(asia, "posterior").graph
    assert result.search == "posterior"
    assert result.search == "posterior"
    assert "8 columns and 200 rows" in result.recipe.reason
    assert f"chosen: posterior, because {result.recipe.reason}" in result.summary()
    assert paucal.SearchResult.from_json(result.to_json()).recipe.reason == result.recipe.reason


def test_a_named_search_is_not_chosen(asia):
    assert paucal.learn(asia, "posterior", rounds=20, tolerance=1.0).recipe.reason is None


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"test": "chi2"}, "test"),
        ({"alpha": 0.01}, "settings"),
        ({"test_options": {"guard": True}}, "settings"),
        ({"max_order": 1}, "max_order"),
        ({"colliders": "standard"}, "colliders"),
    ],
)
def test_what_only_pc_stable_takes_decides(asia, arguments, why):
    result = paucal.learn(asia, **arguments)
    assert result.search == "pc-stable"
    assert result.graph == paucal.learn(asia, "pc-stable", **arguments).graph
    assert why in result.recipe.reason


def test_options_of_the_posterior_and_knowledge_leave_it_in_place(asia):
    known = paucal.Knowledge(tiers=[["smoke"], ["bronc"]])
    result = paucal.learn(asia, knowledge=known, seed=3, threads=2, rounds=30, tolerance=1.0)
    assert (result.search, result.recipe.seed, result.recipe.options["rounds"]) == ("posterior", 3, 30)


def test_a_finished_test_is_asked(asia):
    oracle = paucal.Oracle(paucal.load_network("asia").graph)
    assert paucal.learn(oracle).search == "pc-stable"


@pytest.mark.parametrize(("columns", "rows", "why"), [(1, 5, "1 column and 5 rows"), (3, 1, "3 columns and 1 row ")])
@pytest.mark.filterwarnings("ignore::paucal.errors.PaucalWarning")
def test_no_posterior_of_next_to_nothing(columns, rows, why):
    result = paucal.learn(shaped(columns, rows))
    assert (result.search, result.graph.n_edges) == ("pc-stable", 0)
    assert why in result.recipe.reason


def test_wide_data_get_tests_at_lower_levels():
    wide = shaped(1001, 20)
    choice = choose(wide, Recipe())
    assert (choice.search, choice.test) == ("pc-stable", fallback(1001))
    assert "too many" in choice.reason
    result = paucal.learn(wide, threads=1)
    assert result.recipe.reason == choice.reason


def test_what_would_take_long_is_told_with_its_time():
    choice = choose(shaped(900, 20), Recipe())
    assert choice.search == "pc-stable"
    assert "would take about" in choice.reason
    assert expected_seconds(900, 20) > AFFORDABLE > expected_seconds(100, 1000)


@pytest.mark.parametrize("columns", [1, 200, 201, 1000, 5000])
def test_levels_of_the_fallback(columns):
    alpha = fallback(columns).alpha
    if columns <= 200:
        assert alpha == "by-order"
        return
    assert alpha[0] * columns == pytest.approx(2, rel=0.05)
    assert alpha[-1] == 0.2
    assert all(a < b <= 3.2 * a for a, b in pairwise(alpha))


def test_a_bootstrap_says_what_it_repeats(asia):
    result = paucal.bootstrap(asia, replicates=3)
    assert result.test == "chi2-perm"
    assert result.search == "pc-stable" and result.recipe.reason
    assert paucal.bootstrap(asia, "pc-stable", replicates=3).recipe.reason is None
