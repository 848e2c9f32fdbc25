"""The catalogue: every bundled network is what its source says."""

from __future__ import annotations

import doctest
import gzip
import hashlib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import paucal
from paucal.errors import UnknownNameError
from paucal.networks import catalogue
from reference_data import tiled_graph

# SHA-256 of the files in the Bayesian network repository of bnlearn.com, as pgmpy 1.1.2 ships them, unpacked
ORIGINALS = {
    "alarm": "701e6c561f71b55669070c29614f0724b761289aa2c4a35bcc97b638ee881fa2",
    "asia": "9f770c96940dc4d860b581602120790ac538983b30b28d38631b8184dc7b5f89",
    "cancer": "05d4ea00a758450eed6fe68ea6de4da05ce0e3e919bd3e8ff7f0bc80a1db4b48",
    "child": "432c22e661cd0e8235c8d95599ac22ccc261002459f5c4e6e7235b057908fe6e",
    "earthquake": "74dd131e2c6437a39de17f2963d2d16fadd91e70450d1fc20501df05e8dc4f2e",
    "hailfinder": "cf09960af33dd643771c61e23a89c7815448047f335ffa9ba7d57359bc755548",
    "insurance": "39f9e706e9208e720a55a98b6811188b33a7292335a53373a9343a0c7065dab4",
    "sachs": "b7bd3931192f9e529f0f88bba15fca6cc61ba3c805d5c8ae57eba57ed3b332ec",
    "survey": "3698ccc0f1f74b9f935617d91989e4cdb39edb5360b558216af64047fc88b3b0",
}

# name: nodes, arcs, parameters, most levels
SIZES = {
    "asia": (8, 8, 18, 2),
    "cancer": (5, 4, 10, 2),
    "earthquake": (5, 4, 10, 2),
    "survey": (6, 6, 21, 3),
    "sachs": (11, 17, 178, 3),
    "child": (20, 25, 230, 6),
    "insurance": (27, 52, 1008, 5),
    "alarm": (37, 46, 509, 4),
    "hailfinder": (56, 66, 2656, 11),
    "child3": (60, 79, 715, 6),
    "child5": (100, 126, 1152, 6),
    "child3-unlinked": (60, 75, 690, 6),
    "child5-unlinked": (100, 125, 1150, 6),
}


def test_the_catalogue_lists_every_network_with_its_size():
    entries = catalogue()
    assert {e.name: (e.nodes, e.arcs, e.parameters, e.max_levels) for e in entries} == SIZES
    assert all(entry.source and entry.note for entry in entries)


@pytest.mark.parametrize("name", SIZES)
def test_networks_are_complete(name):
    net = paucal.load_network(name)
    nodes, arcs, parameters, _ = SIZES[name]
    assert net.name == name
    assert (len(net.names), net.graph.n_edges, net.n_parameters) == (nodes, arcs, parameters)
    assert net.graph.kind == "dag"
    assert net.graph.nodes == net.names
    for node in net.names:
        table = net.cpts[node]
        assert table.shape == tuple(len(net.levels[v]) for v in (*net.parents(node), node))
        assert np.abs(table.sum(axis=-1) - 1.0).max() < 1e-14
        assert sorted(net.parents(node)) == sorted(net.graph.parents(node))


def test_a_few_numbers_of_the_files():
    child = paucal.load_network("child")
    assert child.names[:2] == ("BirthAsphyxia", "HypDistrib")
    assert child.levels["LowerBodyO2"] == ("<5", "5-12", "12+")
    assert child.cpts["BirthAsphyxia"].tolist() == [0.1, 0.9]
    asia = paucal.load_network("asia")
    assert asia.parents("dysp") == ("bronc", "either")
    assert asia.cpts["dysp"].tolist() == [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.1, 0.9]]]


def test_names_in_any_case_and_suggestions():
    assert paucal.load_network("ALARM") is paucal.load_network("alarm")
    with pytest.raises(UnknownNameError, match=r"no network 'alrm'\. Did you mean 'alarm'"):
        paucal.load_network("alrm")
    with pytest.raises(UnknownNameError, match="'asia', 'cancer'"):
        paucal.load_network("zzz")


@pytest.mark.parametrize(("name", "arcs"), [("Child3", 79), ("Child5", 126)])
def test_tiled_networks_have_the_published_arcs(name, arcs):
    columns, published = tiled_graph(name)
    net = paucal.load_network(name)
    assert len(published) == arcs
    assert set(net.graph.arcs()) == published
    assert list(net.names) == columns


@pytest.mark.parametrize(
    ("name", "heads"),
    [("child3", {"BirthAsphyxia_2", "BirthAsphyxia_3"}), ("child5", {"BirthAsphyxia_4"})],
)
def test_only_linked_nodes_have_other_tables_than_child(name, heads):
    child, tiled = paucal.load_network("child"), paucal.load_network(name)
    for node in tiled.names:
        original = node.rsplit("_", 1)[0]
        assert (node in heads) == (tiled.cpts[node].shape != child.cpts[original].shape)
        if node not in heads:
            assert np.array_equal(tiled.cpts[node], child.cpts[original])
        assert tiled.marginal(node) == pytest.approx(child.marginal(original), abs=1e-10)


@pytest.mark.parametrize("name", ORIGINALS)
def test_bundled_files_are_the_originals(name):
    packed = files("paucal.networks").joinpath("data", f"{name}.bif.gz").read_bytes()
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == ORIGINALS[name]


def test_the_page_about_networks_runs():
    page = Path(__file__).resolve().parents[1] / "docs" / "networks.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 20
    assert failed == 0
