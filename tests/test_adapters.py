"""Our tests inside other libraries' searches. Each peer's tests are skipped where it is not installed."""

import importlib
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import paucal
from coded_data import rows_of
from paucal.adapters import causal_learn, pgmpy
from paucal.adapters.answers import as_p_value
from paucal.errors import MissingDependencyError, ParameterError
from paucal.independence.registry import make_test
from paucal.independence.registry import test_names as names_of_tests


def peer(name):
    """Import another library, whose own deprecation warnings are its own affair; skip if it is not there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            pytest.skip(f"{name.partition('.')[0]} is not installed")


@pytest.fixture(scope="module")
def alarm():
    return paucal.load_network("alarm")


def test_p_values_and_what_stands_in_for_them():
    data = rows_of([[[3, 1], [1, 3]]])  # two samples per cell
    for method, sparse, expected in (
        ("g", "test", None),
        ("g", "independent", 1.0),
        ("g", "undecidable", 0.0),
        ("bf", "test", 0.0),
        ("mi", "independent", 1.0),
        ("mi", "undecidable", 0.0),
    ):
        test = make_test(data, method, sparse=sparse)
        answer = test.ask(1, 2)
        assert as_p_value(test, answer) == (answer.p_value if expected is None else expected)


def test_pgmpys_way_of_asking(alarm):
    data = alarm.sample(300, seed=1)
    test, ours = pgmpy.ci_test(data, "bf-chi2"), make_test(data, "bf-chi2")
    x, y, z = data.names[:3]
    assert test(x, y, [z], significance_level=0.05) == (test.p_value_ > 0.05)
    result = ours(x, y, [z])
    assert (test.statistic_, test.p_value_) == (result.statistic, result.p_value)
    assert test.run_test(x, y, (z,)) == (result.statistic, result.p_value)
    assert test.is_independent(x, y, [z], significance_level=1e-300)
    information = pgmpy.ci_test(data, "mi-eb")
    assert information(x, y) == make_test(data, "mi-eb")(x, y).independent
    assert information.effect_size_ == information.statistic_


def test_pgmpys_pc_on_alarm(alarm):
    discovery = peer("pgmpy.causal_discovery")
    data = alarm.sample(500, seed=1)
    search = discovery.PC(
        ci_test=pgmpy.ci_test(data, "bf-chi2"),
        variant="stable",
        significance_level=0.05,
        max_cond_vars=3,
        show_progress=False,
        n_jobs=1,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(data.to_frame("pandas"))
    skeleton = {frozenset(edge) for edge in search.skeleton_.edges()}
    assert set(search.causal_graph_.nodes()) == set(data.names)
    mostly_true(skeleton, alarm)
    # The stable skeleton is a matter of the answers alone: ours has the same edges.
    own = paucal.learn(data, search="pc-stable", test="bf-chi2", max_order=3)
    assert skeleton == skeleton_of(own.graph)


def test_causal_learns_pc_on_alarm(alarm):
    search = peer("causallearn.search.ConstraintBased.PC")
    names = causal_learn.register()
    assert names == tuple(f"paucal-{name}" for name in names_of_tests())
    data = alarm.sample(500, seed=1)
    codes, node_names = causal_learn.matrix(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = search.pc(codes, 0.05, "paucal-bf-chi2", node_names=node_names, dataset=data, show_progress=False)
    graph = causal_learn.to_graph(found)
    assert graph.nodes == data.names
    skeleton = skeleton_of(graph)
    mostly_true(skeleton, alarm)
    own = paucal.learn(data, search="pc-stable", test="bf-chi2")
    assert skeleton == skeleton_of(own.graph)


def test_every_test_answers_causal_learn(alarm):
    cit = peer("causallearn.utils.cit")
    causal_learn.register()
    data = alarm.sample(200, seed=4).select(alarm.graph.nodes[:4])
    codes, _ = causal_learn.matrix(data)
    for name in names_of_tests():
        if name in ("trend", "chi2-trend"):  # these need an order of the levels
            data = paucal.Dataset.from_codes(data.columns, data.names, data.levels, kinds=["ordered"] * 4)
        foreign = cit.CIT(codes, f"paucal-{name}", dataset=data)
        own = make_test(data, name)
        for given in ((), (2,), (3, 2)):
            answer = own.ask(0, 1, tuple(sorted(given)))
            assert foreign(0, 1, given) == as_p_value(own, answer)
            assert foreign(np.int64(1), 0, list(given)) == as_p_value(own, answer)
    with pytest.raises(ParameterError, match="200 x 4"):
        cit.CIT(codes[:10], "paucal-g", dataset=data)
    with pytest.raises(ParameterError, match="prior=-1"):
        cit.CIT(codes, "paucal-bf", prior=-1)


def test_a_missing_peer_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "causallearn.utils.cit", None)
    with pytest.raises(MissingDependencyError, match="pip install 'causal-learn"):
        causal_learn.register()


def skeleton_of(graph):
    return {frozenset((a, b)) for a in graph.nodes for b in graph.adjacent(a)}


def mostly_true(skeleton, network):
    """Most of what was found is true, and a good part of the truth was found."""
    truth = skeleton_of(network.graph)
    assert len(skeleton & truth) > 0.8 * len(skeleton)
    assert len(skeleton & truth) > 0.5 * len(truth)


@pytest.mark.parametrize("library", ["causallearn", "pgmpy"])
def test_the_page_runs(library, capsys):
    peer(library)
    page = (Path(__file__).resolve().parents[1] / "docs" / "adapters.md").read_text(encoding="utf-8")
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if f"from {library}" in b]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(block, {})  # noqa: S102 - our own page
    assert capsys.readouterr().out
