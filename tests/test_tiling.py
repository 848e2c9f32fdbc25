"""Tiling: copies, links, and what the links leave as it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal.errors import NetworkError, ParameterError, UnknownNameError
from paucal.networks.tiling import fit_rows
from random_networks import networks


def test_copies_without_links_are_the_tile_again_and_again():
    cancer = paucal.load_network("cancer")
    tiled = paucal.tile(cancer, 3)
    assert tiled.name == "cancer3"
    assert tiled.names[:6] == ("Pollution_1", "Smoker_1", "Cancer_1", "Xray_1", "Dyspnoea_1", "Pollution_2")
    assert tiled.graph.n_edges == 3 * cancer.graph.n_edges
    for i in (1, 2, 3):
        for node in cancer.names:
            assert tiled.levels[f"{node}_{i}"] == cancer.levels[node]
            assert tiled.parents(f"{node}_{i}") == tuple(f"{parent}_{i}" for parent in cancer.parents(node))
            assert np.array_equal(tiled.cpts[f"{node}_{i}"], cancer.cpts[node])


def test_one_copy_is_the_tile_renamed():
    assert paucal.tile(paucal.load_network("asia"), 1, name="one").names[0] == "asia_1"
    assert paucal.tile(paucal.load_network("asia"), 1, name="one").name == "one"


def test_a_head_with_dependent_tails_keeps_the_distribution_of_its_whole_copy():
    asia = paucal.load_network("asia")
    # xray and either are nearly a function of each other: far from independent tails
    links = [("xray_1", "smoke_2"), ("either_1", "smoke_2"), ("bronc_1", "smoke_2")]
    tiled = paucal.tile(asia, 2, links=links, seed=1)
    assert tiled.parents("smoke_2") == ("xray_1", "either_1", "bronc_1")
    assert tiled.cpts["smoke_2"].shape == (2, 2, 2, 2)
    second = tiled.joint([f"{node}_2" for node in asia.names])
    assert second == pytest.approx(asia.joint(asia.names), abs=1e-11)
    # the link is real: the copies depend on each other
    together = tiled.joint(["either_1", "smoke_2"])
    assert np.abs(together - np.outer(together.sum(1), together.sum(0))).max() > 1e-4


def test_a_head_with_parents_of_its_own_keeps_its_table_on_average():
    survey = paucal.load_network("survey")
    tiled = paucal.tile(survey, 3, links=[("T_1", "E_2"), ("R_1", "E_2"), ("E_2", "T_3")], seed=2)
    assert tiled.parents("E_2") == ("A_2", "S_2", "T_1", "R_1")
    for i in (2, 3):
        copy = tiled.joint([f"{node}_{i}" for node in survey.names])
        assert copy == pytest.approx(survey.joint(survey.names), abs=1e-11)


def test_several_heads_keep_their_tables_given_their_parents():
    survey = paucal.load_network("survey")
    links = [("T_1", "A_2"), ("T_1", "S_2"), ("O_1", "E_2")]  # the roots A_2 and S_2 become dependent
    tiled = paucal.tile(survey, 2, links=links, seed=3)
    assert tiled.marginal("A_2") == pytest.approx(survey.marginal("A"), abs=1e-11)
    assert tiled.marginal("S_2") == pytest.approx(survey.marginal("S"), abs=1e-11)
    family = tiled.joint(["A_2", "S_2", "E_2"])
    given_parents = family / family.sum(axis=-1, keepdims=True)
    assert given_parents == pytest.approx(survey.cpts["E"], abs=1e-10)


@settings(deadline=None, max_examples=25)
@given(networks(st.text("abc", min_size=1, max_size=2), max_nodes=4), st.integers(1, 3), st.integers(0, 99))
def test_random_links_keep_every_marginal(net, per_tile, seed):
    per_tile = min(per_tile, len(net.names))
    tiled = paucal.tile(net, 3, links_per_tile=per_tile, seed=seed)
    assert tiled.graph.n_edges == 3 * net.graph.n_edges + 2 * per_tile
    assert tiled == paucal.tile(net, 3, links_per_tile=per_tile, seed=seed)
    for name in tiled.names:
        assert tiled.marginal(name) == pytest.approx(net.marginal(name.rsplit("_", 1)[0]), abs=1e-10)
    crossing = [(a, b) for a, b in tiled.graph.arcs() if a.rsplit("_", 1)[1] != b.rsplit("_", 1)[1]]
    assert len(crossing) == 2 * per_tile
    for tail, head in crossing:
        assert int(tail.rsplit("_", 1)[1]) < int(head.rsplit("_", 1)[1])
        assert net.parents(head.rsplit("_", 1)[0]) == ()


def test_other_seeds_draw_other_tables_and_links():
    cancer = paucal.load_network("cancer")
    links = [("Cancer_1", "Smoker_2")]
    one, two = (paucal.tile(cancer, 2, links=links, seed=seed) for seed in (1, 2))
    assert one.graph == two.graph
    assert one != two
    graphs = {paucal.tile(cancer, 2, links_per_tile=1, seed=seed).graph for seed in range(10)}
    assert len(graphs) > 3


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32))
def test_fitted_rows_are_distributions_with_the_target_as_their_mean(n_rows, n_levels, seed):
    rng = np.random.default_rng(seed)
    table = 0.01 + 0.99 * rng.random((n_rows, n_levels))
    weights = rng.random(n_rows) * (rng.random(n_rows) < 0.7)
    weights[0] += 0.1
    weights /= weights.sum()
    target = rng.random(n_levels) ** 8 * (rng.random(n_levels) < 0.7)
    target[0] += 0.001
    target /= target.sum()
    rows = fit_rows(table, weights, target)
    assert rows.sum(axis=1) == pytest.approx(np.ones(n_rows))
    assert weights @ rows == pytest.approx(target, abs=1e-11)
    assert (rows >= 0.0).all()
    # fitting keeps the odds ratios of the table wherever the target leaves room
    possible = np.flatnonzero(target)
    ratios = np.log(rows[:, possible] / table[:, possible])
    assert ratios - ratios[:, :1] == pytest.approx((ratios - ratios[:, :1])[[0]].repeat(n_rows, 0), abs=1e-9)


def test_tilings_that_cannot_be_made():
    asia = paucal.load_network("asia")
    for copies in (0, -1, 1.5, True):
        with pytest.raises(ParameterError, match="copies"):
            paucal.tile(asia, copies)
    with pytest.raises(ParameterError, match="links_per_tile=-1"):
        paucal.tile(asia, 2, links_per_tile=-1, seed=1)
    with pytest.raises(ParameterError, match="both"):
        paucal.tile(asia, 2, links=[("asia_1", "asia_2")], links_per_tile=1, seed=1)
    with pytest.raises(ParameterError, match="Give a seed"):
        paucal.tile(asia, 2, links_per_tile=1)
    with pytest.raises(ParameterError, match="The first tile has 8 nodes"):
        paucal.tile(asia, 2, links_per_tile=9, seed=1)
    with pytest.raises(UnknownNameError, match="'asia_3'"):
        paucal.tile(asia, 2, links=[("asia_1", "asia_3")], seed=1)
    for link in (("asia_2", "asia_1"), ("asia_1", "smoke_1"), ("asia_1", "asia_1")):
        with pytest.raises(ParameterError, match="does not lead to a later tile"):
            paucal.tile(asia, 2, links=[link], seed=1)
    with pytest.raises(ParameterError, match="listed twice"):
        paucal.tile(asia, 2, links=[("asia_1", "asia_2")] * 2, seed=1)
    hail = paucal.load_network("hailfinder")
    crowd = [(f"{node}_1", "Date_2") for node in hail.names[:20]]
    with pytest.raises(NetworkError, match="Give it fewer links"):
        paucal.tile(hail, 2, links=crowd, seed=1)
