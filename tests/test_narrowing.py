"""The graph around some columns of a wide table."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import paucal
from paucal.cli import cli
from paucal.errors import ParameterError, UnknownNameError
from paucal.search.choice import fallback


def wide(tiles=4, rows=1000):
    network = paucal.tile(paucal.load_network("asia"), tiles, seed=1)
    return network, network.sample(rows, seed=1)


def test_the_graph_is_that_of_the_blankets():
    _, data = wide()
    targets = [data.names[5], data.names[26]]
    result = paucal.learn(data, around=targets)
    test = fallback(data.n_columns)
    found = paucal.blankets(data, targets, search="hiton", test=test.name, alpha=test.alpha)
    members = {*targets, *(name for one in found.values() for name in one.mb)}
    kept = tuple(name for name in data.names if name in members)
    assert result.graph.nodes == kept
    assert len(kept) < data.n_columns / 2
    assert result.graph == paucal.learn(data.select(kept)).graph
    assert result.details["around"] == targets
    assert result.narrowed is not None and result.narrowed in str(result)
    assert result.details["chosen_of"] == data.n_columns
    assert result.recipe.preparation.columns == kept
    assert paucal.learn(data.to_frame("pandas"), **result.recipe.preparation.said).graph == result.graph
    json.dumps(result.to_dict())


def test_what_is_known_is_kept():
    _, data = wide()
    first, last = data.names[0], data.names[-1]
    result = paucal.learn(data, around=[data.names[5]], exogenous=[first], outcome=[last], search="pc-stable")
    assert {first, last, data.names[5]} <= set(result.graph.nodes)


@pytest.mark.parametrize("target", ["Disease", "HypoxiaInO2", "Grunting"])
def test_edges_of_a_target_are_those_of_the_network(target):
    network = paucal.load_network("child")
    graph = paucal.learn(network.sample(5000, seed=1), around=[target]).graph
    own = {*graph.parents(target), *graph.children(target), *graph.neighbours(target)}
    assert own == {*network.graph.parents(target), *network.graph.children(target)}
    assert graph.n < 12


def test_refusals():
    _, data = wide(2, 200)
    name = data.names[0]
    with pytest.raises(UnknownNameError, match="'nobody'"):
        paucal.learn(data, around=["nobody"])
    with pytest.raises(ParameterError, match="names no column"):
        paucal.learn(data, around=[])
    with pytest.raises(ParameterError, match="around"):
        paucal.learn(data, around=name)
    with pytest.raises(ParameterError, match="Name the test"):
        paucal.learn(data, around=[name], test=paucal.make_test(data, "g"))
    with pytest.raises(ParameterError, match="finished test"):
        paucal.learn(paucal.make_test(data, "g"), around=[name])
    with pytest.raises(ParameterError, match="different experiments"):
        paucal.learn(data, around=[data.names[3]], interventions=name, targets={"yes": [], "no": []})


def test_the_command_line(tmp_path):
    _, data = wide(3, 500)
    file = tmp_path / "wide.csv"
    data.to_frame("pandas").to_csv(file, index=False)
    target = data.names[5]
    result = CliRunner().invoke(cli, ["learn", str(file), "--around", target, "--jobs", "1", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["details"]["around"] == [target]
    assert told["details"]["chosen_of"] == data.n_columns
    assert tuple(told["graph"]["nodes"]) == paucal.learn(str(file), around=[target]).graph.nodes
    refused = CliRunner().invoke(cli, ["learn", str(file), "--around", "nobody"])
    assert (refused.exit_code, refused.stdout) == (2, "")
