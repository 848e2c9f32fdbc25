"""Fitted networks: the prior of the score, what is seen and done, predictions, and the way to other programs."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import paucal
from paucal import BayesNet, Dataset, Graph, _kernel
from paucal.adapters.networks import to_pgmpy, to_pyagrum
from paucal.dirichlet import size_weights, sizes_to
from paucal.errors import NetworkError, ParameterError, UnknownNameError
from paucal.networks import with_safe_names
from paucal.networks.fitting import FamilyPosterior
from random_networks import networks
from twin.inference import eliminate

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = np.array([[6.0, 2.0], [1.0, 5.0]])


def whole(net: BayesNet) -> np.ndarray:
    return net.joint(net.names)


def test_weights_of_the_sizes():
    expected = [0.012716, 0.033708, 0.069429, 0.105874, 0.121274, 0.113655, 0.098125]
    expected += [0.085372, 0.077443, 0.073061, 0.070763, 0.069587, 0.068993]
    assert size_weights(COUNTS, sizes_to(2048)) == pytest.approx(expected, abs=5e-7)


def test_estimate_by_the_prior_of_the_score():
    expected = [[0.598645, 0.401355], [0.381103, 0.618897]]
    assert FamilyPosterior(COUNTS, sizes_to(2048)).mean() == pytest.approx(np.array(expected), abs=5e-7)


def test_drawn_tables_have_the_estimate_as_their_mean():
    rng = np.random.default_rng(1)
    family = FamilyPosterior(COUNTS, sizes_to(16))
    draws = family.drawn(rng, 20_000)
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - family.mean()) < 5 * error).all()
    assert np.allclose(draws.sum(axis=-1), 1)


def test_drawn_rows_are_distributions_when_every_parameter_is_tiny():
    rng = np.random.default_rng(1)
    table = FamilyPosterior(np.zeros((4000, 2)), [0.5]).drawn(rng)[0]
    assert np.isfinite(table).all()
    assert np.allclose(table.sum(axis=-1), 1)


@given(net=networks(), choice=st.data())
@settings(max_examples=40, deadline=None)
def test_elimination_follows_its_twin(net: BayesNet, choice: st.DataObject):
    query = choice.draw(st.permutations(range(len(net.names))))[: choice.draw(st.integers(1, len(net.names)))]
    levels = [len(net.levels[node]) for node in net.names]
    scopes = [[net.names.index(v) for v in (*net.parents(node), node)] for node in net.names]
    tables = [net.cpts[node] for node in net.names]
    found = _kernel.eliminate(levels, scopes, tables, query, most_cells=10**6)
    assert found == pytest.approx(eliminate(levels, scopes, tables, query), abs=1e-12)


def test_elimination_refuses_what_makes_no_sense():
    one = np.array([0.5, 0.5])
    with pytest.raises(ValueError, match="asked for twice"):
        _kernel.eliminate([2], [[0]], [one], [0, 0], most_cells=10)
    with pytest.raises(ValueError, match="there are 1"):
        _kernel.eliminate([2], [[1]], [one], [0], most_cells=10)
    with pytest.raises(ValueError, match="2 numbers, its nodes have 3 cells"):
        _kernel.eliminate([3], [[0]], [one], [0], most_cells=10)
    with pytest.raises(ValueError, match="no table is about node 1"):
        _kernel.eliminate([2, 2], [[0]], [one], [1], most_cells=10)
    assert _kernel.eliminate([2, 2], [[0], [1]], [one, one], [0, 1], most_cells=3) == (4, 2)


def test_fit_takes_its_grid_from_all_columns():
    data = Dataset.from_columns({"x": [0, 1] * 12, "y": [0, 0, 1, 1] * 6, "z": list(range(5)) * 4 + [0] * 4})
    net = BayesNet.fit(Graph.dag("xyz", [("x", "y")]), data)
    assert net.cpts["y"] == pytest.approx(FamilyPosterior(np.full((2, 2), 6.0), sizes_to(64)).mean())


# ---- seen and done


@pytest.mark.parametrize(
    ("node", "do", "done", "seen"),
    [
        ("dysp", {"smoke": "yes"}, 0.552808, 0.552808),
        ("dysp", {"smoke": "no"}, 0.319133, 0.319133),
        ("smoke", {"lung": "yes"}, 0.5, 0.909091),
        ("dysp", {"lung": "yes"}, 0.79, 0.814545),
        ("dysp", {"bronc": "yes"}, 0.806483, 0.807967),
        ("either", {"xray": "yes"}, 0.064828, 0.576040),
    ],
)
def test_asia_done_and_seen(node: str, do: dict[str, str], done: float, seen: float):
    asia = paucal.load_network("asia")
    assert asia.do(do).marginal(node)[0] == pytest.approx(done, abs=5e-7)
    assert asia.joint([node], given=do)[0] == pytest.approx(seen, abs=5e-7)


@given(net=networks(), choice=st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_seen_selects_from_the_joint_distribution(net: BayesNet, choice: st.DataObject):
    names = choice.draw(st.permutations(net.names))
    k = choice.draw(st.integers(0, len(names) - 1))
    seen = {node: choice.draw(st.sampled_from(net.levels[node])) for node in names[:k]}
    query = names[k:]
    part = net.joint([*seen, *query])[tuple(net.levels[node].index(level) for node, level in seen.items())]
    if part.sum() == 0:
        with pytest.raises(NetworkError, match="never happens"):
            net.joint(query, given=seen)
        return
    assert net.joint(query, given=seen) == pytest.approx(part / part.sum(), abs=1e-9)


@given(net=networks(), choice=st.data())
@settings(max_examples=30, deadline=None)
def test_predictions_are_conditional_distributions(net: BayesNet, choice: st.DataObject):
    target = choice.draw(st.sampled_from(net.names))
    kept = choice.draw(st.sets(st.sampled_from(net.names), min_size=1))
    data = net.sample(12, seed=3)
    part = data.select([name for name in net.names if name in kept])
    predicted = net.predict(part, target)
    known = [name for name in part.names if name != target]
    for i, row in enumerate(predicted):
        seen = {name: data.levels[data.index(name)][data.columns[data.index(name)][i]] for name in known}
        assert row == pytest.approx(net.joint([target], given=seen), abs=1e-9)


def test_predictions_need_only_the_markov_blanket():
    alarm = paucal.load_network("alarm")
    data = alarm.sample(300, seed=2)
    assert alarm.predict(data, "CVP").shape == (300, len(alarm.levels["CVP"]))


def test_do_forgets_the_causes():
    asia = paucal.load_network("asia").do({"either": "yes"})
    assert asia.parents("either") == ()
    assert asia.marginal("either") == pytest.approx([1, 0])


def test_refusals():
    asia = paucal.load_network("asia")
    with pytest.raises(UnknownNameError, match="level of 'smoke'"):
        asia.do({"smoke": "often"})
    with pytest.raises(UnknownNameError, match="Did you mean 'smoke'"):
        asia.do({"smok": "yes"})
    with pytest.raises(ParameterError, match="given"):
        asia.joint(["smoke"], given="lung")
    with pytest.raises(ParameterError, match="twice"):
        asia.joint(["smoke"], given={"smoke": "yes"})
    with pytest.raises(NetworkError, match="never happens: either = no, lung = yes"):
        asia.joint(["smoke"], given={"either": "no", "lung": "yes"})
    with pytest.raises(ParameterError, match="prior"):
        BayesNet.fit(asia.graph, asia.sample(50, seed=1), prior="bdeu")


# ---- the way out


@given(net=networks())
@settings(max_examples=15, deadline=None)
def test_pgmpy_says_the_same(net: BayesNet):
    inference = pytest.importorskip("pgmpy.inference")
    model = to_pgmpy(net)
    ask = inference.VariableElimination(model)
    for node in net.names:
        answer = ask.query([node], show_progress=False)
        assert list(answer.state_names[node]) == list(net.levels[node])
        assert answer.values == pytest.approx(net.marginal(node), abs=1e-9)


@given(net=networks())
@settings(max_examples=15, deadline=None)
def test_pyagrum_says_the_same(net: BayesNet):
    gum = pytest.importorskip("pyagrum")
    assume("\0" not in "".join(label for labels in net.levels.values() for label in labels))  # ends a text in C++
    ask = gum.LazyPropagation(to_pyagrum(net))
    ask.makeInference()
    for node in net.names:
        answer = ask.posterior(node)  # beside constants pyAgrum answers with further axes, of one level
        assert list(answer.variable(node).labels()) == list(net.levels[node])
        assert answer.toarray().ravel() == pytest.approx(net.marginal(node), abs=1e-9)


def test_all_pairs_of_asia_in_other_programs():
    gum = pytest.importorskip("pyagrum")
    asia = paucal.load_network("asia")
    for x, y in itertools.combinations(asia.names, 2):
        ask = gum.LazyPropagation(to_pyagrum(asia))
        ask.addJointTarget({x, y})
        joint = ask.jointPosterior({x, y})
        own = asia.joint([x, y])
        values = np.array([[joint[{x: a, y: b}] for b in asia.levels[y]] for a in asia.levels[x]])
        assert values == pytest.approx(own, abs=1e-9)


# ---- files that other programs read


@given(net=networks())
@settings(max_examples=25, deadline=None)
def test_safe_names_are_safe_and_stand_for_the_old_ones(net: BayesNet):
    safe = with_safe_names(net)
    assert [safe.names[name] for name in safe.net.names] == list(net.names)
    for name in safe.net.names:
        assert re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name)
        own = safe.names[name]
        assert tuple(safe.levels[name][level] for level in safe.net.levels[name]) == net.levels[own]
        assert all(re.fullmatch("[A-Za-z0-9_]+", level) for level in safe.net.levels[name])
        assert (safe.net.cpts[name] == net.cpts[own]).all()
        assert [safe.names[parent] for parent in safe.net.parents(name)] == list(net.parents(own))
    again = json.loads(safe.to_json())
    assert again["names"] == dict(safe.names)


def awkward() -> BayesNet:
    sample = paucal.load_network("asia").sample(300, seed=1)
    net = BayesNet.fit(paucal.load_network("asia").graph, sample)
    names = {"smoke": "smokes (now)", "bronc": "age < 40", "dysp": "größe"}
    named = {name: names.get(name, name) for name in net.names}
    return BayesNet(
        {named[name]: ["< 5", ">= 5"] if name == "smoke" else list(net.levels[name]) for name in net.names},
        {named[name]: [named[parent] for parent in net.parents(name)] for name in net.names},
        {named[name]: net.cpts[name] for name in net.names},
        name="of a clinic",
    )


def test_pgmpy_reads_a_file_with_safe_names(tmp_path: Path):
    reader = pytest.importorskip("pgmpy.readwrite")
    inference = pytest.importorskip("pgmpy.inference")
    safe = with_safe_names(awkward())
    paucal.write_bif(safe.net, tmp_path / "net.bif")
    model = reader.BIFReader(str(tmp_path / "net.bif")).get_model()
    ask = inference.VariableElimination(model)
    for name in safe.net.names:
        answer = ask.query([name], show_progress=False)
        found = dict(zip(answer.state_names[name], answer.values, strict=True))
        own = safe.net.marginal(name)
        assert [found[level] for level in safe.net.levels[name]] == pytest.approx(own.tolist(), abs=1e-6)


def test_pyagrum_reads_a_file_with_safe_names(tmp_path: Path):
    gum = pytest.importorskip("pyagrum")
    safe = with_safe_names(awkward())
    paucal.write_bif(safe.net, tmp_path / "net.bif")
    ask = gum.LazyPropagation(gum.loadBN(str(tmp_path / "net.bif")))
    ask.makeInference()
    for name in safe.net.names:
        assert list(ask.posterior(name).variable(0).labels()) == list(safe.net.levels[name])
        assert ask.posterior(name).toarray() == pytest.approx(safe.net.marginal(name), abs=1e-6)


# what bnlearn has read: levels, parents and table of every node, the node itself varying fastest
READ_BY_BNLEARN = """
suppressPackageStartupMessages(library(bnlearn))
paths <- commandArgs(TRUE)
net <- read.bif(paths[1])
write.bif(paths[2], net)
q <- function(words) paste0("[", paste0('"', words, '"', recycle0 = TRUE, collapse = ","), "]")
told <- sapply(nodes(net), function(v) paste0('"', v, '":{"levels":', q(dimnames(net[[v]]$prob)[[1]]),
    ',"parents":', q(net[[v]]$parents), ',"table":[', paste(format(net[[v]]$prob, digits = 17), collapse = ","), "]}"))
cat("{", paste(told, collapse = ","), "}")
"""


@pytest.fixture(scope="module")
def rscript() -> str:
    """R with the package bnlearn."""
    path = shutil.which("Rscript")
    if path is None:
        pytest.skip("R is not installed")
    asked = subprocess.run([path, "-e", "library(bnlearn)"], capture_output=True, check=False)
    if asked.returncode:
        pytest.skip("R has no package bnlearn")
    return path


def test_bnlearn_reads_a_file_with_safe_names(tmp_path: Path, rscript: str):
    for net in (with_safe_names(awkward()).net, paucal.load_network("insurance")):
        paucal.write_bif(net, tmp_path / "net.bif")
        script, again = tmp_path / "read.R", tmp_path / "again.bif"
        script.write_text(READ_BY_BNLEARN)
        command = [rscript, str(script), str(tmp_path / "net.bif"), str(again)]
        told = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        assert set(told) == set(net.names)
        levels = {name: told[name]["levels"] for name in net.names}
        tables = {}
        for name in net.names:
            shape = [len(levels[one]) for one in (name, *told[name]["parents"])]
            tables[name] = np.moveaxis(np.reshape(told[name]["table"], shape, order="F"), 0, -1)
        read = BayesNet(levels, {name: told[name]["parents"] for name in net.names}, tables)
        for name in net.names:
            assert read.levels[name] == net.levels[name]
            assert set(read.parents(name)) == set(net.parents(name))
            assert read.marginal(name) == pytest.approx(net.marginal(name), abs=1e-9)
        back = paucal.read_bif(again)
        for name in net.names:
            assert back.marginal(name) == pytest.approx(net.marginal(name), abs=1e-6)


def test_bnlearn_does_not_read_quoted_names(tmp_path: Path, rscript: str):
    """The reason why there are safe ones; if this fails, the documents are to say so."""
    paucal.write_bif(awkward(), tmp_path / "net.bif")
    (tmp_path / "read.R").write_text(READ_BY_BNLEARN)
    command = [rscript, str(tmp_path / "read.R"), str(tmp_path / "net.bif"), str(tmp_path / "again.bif")]
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0
