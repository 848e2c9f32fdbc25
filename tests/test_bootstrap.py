"""Bootstrap of any search, its outputs, and the command line that asks for it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

import paucal
from paucal import Dataset, Graph, Knowledge
from paucal.cli import cli
from paucal.errors import ParameterError, UnknownNameError
from paucal.independence.settings import CISettings
from paucal.search.evidence.graphs import Graphs


@cache
def asia() -> Dataset:
    return paucal.load_network("asia").sample(300, seed=2)


@cache
def learned(jobs: int = 1, method: str = "pc-stable", seed: int = 0, fraction: float | None = 0.632):
    return paucal.bootstrap(asia(), method, replicates=30, seed=seed, jobs=jobs, fraction=fraction)


def drawn(rng: np.random.Generator, fraction: float | None) -> Dataset:
    size = 300 if fraction is None else round(300 * fraction)
    return asia().take(rng.choice(300, size, replace=fraction is None))


def numbers(result) -> dict:
    return {k: v for k, v in result.to_dict().items() if k != "seconds"}


def test_jobs_change_nothing_and_seeds_do():
    assert numbers(learned(1)) == numbers(learned(2))
    assert learned(seed=1).probabilities() != learned().probabilities()


@pytest.mark.parametrize("fraction", [0.632, None])
def test_shares_are_those_of_graphs_learned_by_hand(fraction):
    data, seeds = asia(), np.random.SeedSequence(0).spawn(30)
    samples = [drawn(np.random.default_rng(seed), fraction) for seed in seeds]
    graphs = [paucal.learn(sample, "pc-stable").graph for sample in samples]
    shares = learned(fraction=fraction).evidence
    for a in data.names:
        for b in data.names:
            if a == b:
                continue
            told = shares.of_pair(a, b)
            edges = [g.edge(a, b) for g in graphs]
            for symbol in ("->", "--", "<-"):
                counted = sum(e is not None and e.symbol == symbol for e in edges) / 30
                assert told[symbol] == pytest.approx(counted)
            assert told["absent"] == pytest.approx(sum(e is None for e in edges) / 30)
            members = [paucal.markov_blanket(g, a).members for g in graphs]
            share = shares.blanket[data.index(a), data.index(b)]
            assert share == pytest.approx(sum(b in m for m in members) / 30)


@pytest.mark.parametrize("method", [m for m in paucal.search_names() if m != "posterior"])
def test_every_search_can_be_repeated(method):
    result = paucal.bootstrap(asia(), method, replicates=4)
    assert result.search == method
    assert result.recipe.replicates == 4
    assert result.graph.problems() == []
    assert paucal.SearchResult.from_json(result.to_json()) == result
    kinds = {"cpdag", "pdag"} if method not in ("fci", "cfci") else {"pag"}
    assert result.graph.kind in kinds
    for pair in result.probabilities(least=0):
        assert sum(v for k, v in pair.items() if k not in ("a", "b")) == pytest.approx(1)


def test_the_consensus_agrees_better_than_any_learned_graph():
    result = learned()
    shares = result.evidence
    best = max(
        shares.agreement(paucal.learn(drawn(rng, 0.632), "pc-stable").graph.marks)
        for rng in map(np.random.default_rng, np.random.SeedSequence(0).spawn(30))
    )
    assert shares.agreement(result.graph.marks) >= best - 1e-9


def test_agreement_counts_pairs():
    names = ("a", "b", "c")
    graphs = [Graph.parse(t, names) for t in ("a -> b; c", "b -> a; c", "a -> b; b -- c", "a -> b -> c")]
    shares = Graphs.of_marks([g.marks for g in graphs], names=names, means=CISettings("g"))
    # pairs in column order: a-b, a-c, b-c
    assert shares.agreement(Graph.parse("a -> b; c", names).marks) == pytest.approx(0.75 + 1 + 0.5)
    assert shares.agreement(Graph.parse("b -> a; b -- c", names).marks) == pytest.approx(0.25 + 1 + 0.25)


def test_knowledge_holds():
    known = Knowledge(tiers=[["asia", "smoke"], ["bronc", "either", "lung", "tub", "dysp", "xray"]])
    result = paucal.bootstrap(asia(), "pc-stable", replicates=10, knowledge=known)
    for a, b in result.graph.arcs():
        assert not known.forbids(a, b)
    assert not result.evidence.shares["->"][known.forbidden_matrix(asia().names)].any()


@pytest.mark.parametrize("replicates", [0, 1, -5, 2.5, "many", True])
def test_too_few_replicates(replicates):
    with pytest.raises(ParameterError, match="from 2 on"):
        paucal.bootstrap(asia(), replicates=replicates)


def test_rows_drawn_once_are_no_evidence_for_edges():
    rng = np.random.default_rng(5)
    noise = {f"v{i}": rng.integers(0, 3, 200) for i in range(12)}
    edges = {
        fraction: paucal.bootstrap(noise, test="g", replicates=10, fraction=fraction).evidence.joined.sum()
        for fraction in (0.632, None)
    }
    assert edges[0.632] < edges[None] / 2


@pytest.mark.parametrize("fraction", [0, 1.5, -0.5, "half"])
def test_shares_of_rows_that_make_no_sense(fraction):
    with pytest.raises(ParameterError, match="fraction"):
        paucal.bootstrap(asia(), replicates=2, fraction=fraction)


@pytest.mark.parametrize("jobs", [0, 1.5, "all", True])
def test_processes_that_make_no_sense(jobs):
    with pytest.raises(ParameterError, match="number of processes"):
        paucal.bootstrap(asia(), replicates=2, jobs=jobs)


def test_what_cannot_be_repeated():
    with pytest.raises(ParameterError, match="rows"):
        paucal.bootstrap(paucal.Oracle(Graph.parse("A -> B")))
    with pytest.raises(ParameterError, match="samples graphs itself"):
        paucal.bootstrap(asia(), "posterior")
    with pytest.raises(UnknownNameError):
        paucal.bootstrap(asia(), "nonsense")
    with pytest.raises(ParameterError, match="colour"):
        paucal.bootstrap(asia(), colour="red")


# -- the command line --------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "asia.csv"
    asia().to_frame("pandas").to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(cli, [str(a) for a in arguments])


@pytest.mark.parametrize("how", [("--bootstrap", 8), ("--search", "posterior", "--option", "rounds=40", "tolerance=1")])
def test_probabilities_in_every_output(table, tmp_path, how):
    dot, graphml, out = (tmp_path / f"g.{end}" for end in ("dot", "graphml", "json"))
    done = run("learn", table, *how, "--dot", dot, "--graphml", graphml, "--out", out)
    assert done.exit_code == 0, done.output
    assert ("shares of 8 bootstrap samples" if "--bootstrap" in how else "probabilities from") in done.output
    assert "joined" in done.output
    result = paucal.SearchResult.from_json(out.read_text(encoding="utf-8"))
    edges = {(e["a"], e["b"]): e for e in result.edges()}
    assert dot.read_text(encoding="utf-8").count("probability=") == len(edges)
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ET.fromstring(graphml.read_text(encoding="utf-8"))  # noqa: S314 - our own text
    names = {n.get("id"): n.find(f"{space}data").text for n in root.iter(f"{space}node")}
    found = 0
    for edge in root.iter(f"{space}edge"):
        told = {d.get("key"): d.text for d in edge.iter(f"{space}data")}
        ends = names[edge.get("source")], names[edge.get("target")]
        assert float(told["probability"]) == pytest.approx(edges[ends]["probability"], abs=1e-5)
        found += 1
    assert found == len(edges)
    assert json.loads(out.read_text(encoding="utf-8"))["evidence"]["kind"] == "graphs"


@pytest.mark.parametrize("replicates", [0, 1, -3])
def test_a_bootstrap_of_nothing_is_one_clear_line(table, replicates):
    done = run("learn", table, "--bootstrap", replicates)
    assert done.exit_code == 2
    assert f"--bootstrap {replicates} is not a whole number from 2 to 1000000." in done.output
    assert len(done.output.strip().splitlines()) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_limit_holds_for_every_sample_and_the_result_says_where_it_was_met(jobs):
    data = paucal.load_network("asia").sample(300, seed=1)
    cut = paucal.bootstrap(data, "pc-stable", replicates=4, max_tests=3, jobs=jobs)
    assert cut.evidence.tests_each <= 3
    assert cut.unfinished == (
        "with all rows, stopped after 3 tests, with a limit of 3, in the stage 'order 0'; "
        "the search met its limit of 3 tests in 4 of 4 samples, where pairs that it had not tested count as joined"
    )
    assert cut.unfinished in cut.summary()
    assert paucal.bootstrap(data, "pc-stable", replicates=4, max_tests=10_000, jobs=jobs).unfinished is None
