"""Rows in which columns were set: scores leave them out where they must, classes keep the directions they tell."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import paucal
from paucal import Dataset, Graph, Knowledge
from paucal.cli import cli
from paucal.errors import (
    EmptyRowsWarning,
    InterventionWarning,
    KnowledgeError,
    MissingValuesError,
    ParameterError,
    UnknownNameError,
)
from paucal.graphs import interventional_class
from paucal.graphs.equivalence import dag_to_cpdag_matrix
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.scores import SCORES, Scorer
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.orient import completed
from paucal.search.recipe import Recipe
from random_graphs import dags
from twin.graphs import all_dags

SEARCHES = ["posterior", "order", "hill-climbing"]


def experiment(rows=60, each=60, seed=1):
    """A chain a -> b -> c in which a and c are set in some rows, with a column that tells."""
    levels = {name: ["0", "1"] for name in "abc"}
    tables = {"a": [0.4, 0.6], "b": [[0.85, 0.15], [0.2, 0.8]], "c": [[0.8, 0.2], [0.15, 0.85]]}
    net = paucal.BayesNet(levels, {"b": ["a"], "c": ["b"]}, tables)
    parts = [net.sample(rows, seed=seed).to_frame("dict") | {"did": [None] * rows}]
    for node, value in itertools.product("bc", ["0", "1"]):
        part = net.do({node: value}).sample(each // 2, seed=[*range(seed, seed + 9)].pop())
        parts.append(part.to_frame("dict") | {"did": [node] * (each // 2)})
    return {name: [label for part in parts for label in part[name]] for name in ("did", "a", "b", "c")}


def test_a_family_of_a_column_that_was_set_is_scored_on_the_other_rows():
    data = experiment()
    made = Experiment.of(data, "did")
    free = {name: np.flatnonzero([said != name for said in data["did"]]) for name in "abc"}
    for score in SCORES:
        scorer = Scorer(made, score)
        for name, parents in (("a", "bc"), ("b", "ac"), ("c", "ab")):
            alone = Scorer(made.data.take(free[name]), score)
            node, others = "abc".index(name), ["abc".index(p) for p in parents]
            for some in ([], others[:1], others):
                assert scorer.local(node, some) == alone.local(node, some)


@pytest.mark.parametrize("search", SEARCHES)
def test_what_was_set_tells_the_directions(search):
    data = experiment(rows=100, each=100)
    blind = {name: column for name, column in data.items() if name != "did"}
    told = paucal.learn(data, search, interventions="did")
    assert told.graph == Graph.pdag("abc", directed=[("a", "b"), ("b", "c")])
    assert {reason.rule for reason in told.reasons.values()} == {"intervention"}
    assert "rows in which one of the two was set" in str(told.why("a", "b", data=data))
    assert told.details["interventions"] == [
        {"column": "b", "set": 100, "not_set": 200},
        {"column": "c", "set": 100, "not_set": 200},
    ]
    assert "set from outside: b in 100, c in 100 of 300 rows" in told.summary()
    assert paucal.learn(blind, search).graph != told.graph
    assert paucal.SearchResult.from_json(told.to_json()) == told


@pytest.mark.parametrize("search", SEARCHES)
def test_without_targets_everything_is_as_before(search):
    data = paucal.load_network("asia").sample(200, seed=1).to_frame("dict")
    plain = paucal.learn(data, search)
    same = paucal.learn(
        data | {"did": ["no", "none"] * 100}, search, interventions="did", targets={"no": [], "none": []}
    )
    assert same.graph == plain.graph
    if search == "posterior":
        for symbol, share in plain.evidence.shares.items():
            assert np.array_equal(share, same.evidence.shares[symbol])


def i_essential(dag, targets):
    """The class of a DAG under interventions, by indicators: do(t) -> t, with nothing pointing at an indicator."""
    arcs = [*dag.arcs(), *((f"do {i}", v) for i, together in enumerate(targets) for v in sorted(together))]
    indicators = [f"do {i}" for i in range(len(targets))]
    whole = Graph.dag([*dag.nodes, *indicators], arcs)
    known = Knowledge(exogenous=indicators)
    pdag = dag_to_cpdag_matrix(whole.to_pdag_matrix(), forbidden=known.forbidden_matrix(whole.nodes))
    return pdag[: dag.n, : dag.n]


@st.composite
def dags_with_targets(draw, max_nodes=6):
    dag = draw(dags(max_nodes))
    sets = st.sets(st.sampled_from(dag.nodes), max_size=3) if dag.n else st.just(set())
    return dag, draw(st.lists(sets, max_size=3)) if dag.n else []


def limits_of(dag, targets, knowledge=None):
    """What an experiment with these targets, and rows in which nothing was set, leaves to know."""
    sets = tuple((frozenset(one), np.zeros(1, dtype=bool)) for one in [set(), *targets])
    data = Dataset.from_codes([[0]] * dag.n, dag.nodes, [["x"]] * dag.n)
    made = Experiment(data, "did", sets)
    return Limits.of_experiment(knowledge, made)


@given(case=dags_with_targets())
@settings(max_examples=150, deadline=None)
def test_the_class_is_that_of_the_graph_with_indicators(case):
    dag, targets = case
    if dag.n == 0:
        return
    graph = completed(dag.to_pdag_matrix(), limits_of(dag, targets))
    assert np.array_equal(graph.to_pdag_matrix(), interventional_class(dag, targets).to_pdag_matrix())
    assert np.array_equal(graph.to_pdag_matrix(), i_essential(dag, targets))


@pytest.mark.parametrize("targets", [[{0}], [{0, 1}], [{0}, {2, 3}], [{1, 2, 3}], []], ids=str)
def test_the_class_is_what_all_dags_that_look_alike_agree_on(targets):
    """Two DAGs look alike if they are equivalent, and stay so whatever was set is cut from its causes."""
    n = 4
    every = all_dags(n)

    def looks(dag):
        parts = []
        for together in [set(), *targets]:
            cut = dag.copy()
            cut[:, list(together)] = 0
            parts.append(dag_to_cpdag_matrix(cut).tobytes())
        return tuple(parts)

    groups = {}
    for dag in every:
        groups.setdefault(looks(dag), []).append(dag)
    names = [str(i) for i in range(n)]
    limits = limits_of(Graph.dag(names), [{names[i] for i in one} for one in targets])
    for group in groups.values():
        agreed = np.max(group, axis=0)
        for dag in group:
            assert np.array_equal(completed(dag, limits).to_pdag_matrix(), agreed)


@given(case=dags_with_targets())
@settings(max_examples=50, deadline=None)
def test_targets_of_no_column_change_nothing(case):
    dag, _ = case
    if dag.n:
        assert np.array_equal(
            completed(dag.to_pdag_matrix(), limits_of(dag, [])).to_pdag_matrix(),
            dag_to_cpdag_matrix(dag.to_pdag_matrix()),
        )


def test_it_works_together_with_knowledge():
    data = experiment()
    known = {"outcome": ["a"], "required": [("c", "b")]}
    graph = paucal.learn(data, "order", interventions="did", **known).graph
    assert ("c", "b") in graph.arcs()
    assert not any(a == "a" for a, _ in graph.arcs())


def test_labels_by_name_and_several_columns_at_once():
    data = experiment()
    data["did"] = [{None: "control", "b": "u0126", "c": "both"}[said] for said in data["did"]]
    targets = {"control": [], "u0126": "b", "both": ["b", "c"]}
    made = Experiment.of(data, "did", targets)
    assert made.targets == ("b", "c")
    assert (made.set_in("b").sum(), made.set_in("c").sum()) == (120, 60)
    assert made.tells("a", "b") and made.tells("b", "c") and made.tells("a", "c")
    result = paucal.learn(data, "order", interventions="did", targets=targets)
    assert "targets={'control': [], 'u0126': ['b'], 'both': ['b', 'c']}" in str(result.recipe)
    for again in (Recipe.from_toml(result.recipe.to_toml()), Recipe.from_dict(result.recipe.to_dict())):
        assert again == result.recipe
    assert Recipe.from_toml(result.recipe.to_toml()).run(data).graph == result.graph
    graph = paucal.bootstrap(data, "hill-climbing", replicates=3, interventions="did", targets=targets).graph
    assert graph.nodes == ("a", "b", "c")


def test_the_order_of_rows_columns_and_labels_plays_no_part():
    data = experiment()
    rng = np.random.default_rng(3)
    rows = rng.permutation(len(data["a"]))
    shuffled = {name: [data[name][i] for i in rows] for name in ("c", "did", "a", "b")}
    first, second = (paucal.learn(one, "posterior", interventions="did") for one in (data, shuffled))
    assert first.graph == second.graph.reorder(first.graph.nodes)
    for a, b in itertools.permutations("abc", 2):
        assert first.evidence.of_pair(a, b) == second.evidence.of_pair(a, b)


def test_a_column_that_was_set_in_every_row():
    data = experiment()
    targets = {"b": ["b"], "c": ["b", "c"], "none": ["b"]}
    data["did"] = [said or "none" for said in data["did"]]
    result = paucal.learn(data, "order", interventions="did", targets=targets)
    assert not any(b == "b" for _, b in result.graph.arcs())
    assert "set in every row, so that nothing shows its causes: b" in result.summary()
    with pytest.raises(KnowledgeError, match="a -> b is required, but b was set in every row"):
        paucal.learn(data, "order", interventions="did", targets=targets, required=[("a", "b")])


@pytest.mark.parametrize("search", SEARCHES)
def test_few_rows_in_which_a_column_was_not_set_are_warned_about(search):
    data = experiment()
    few = {name: column[:5] + column[60:120] for name, column in data.items()}
    with pytest.warns(InterventionWarning, match="'b' was set in all but 5 rows"):
        paucal.learn(few, search, interventions="did")


def without_gaps():
    data = experiment()
    return data | {"did": [said or "b" for said in data["did"]]}


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"interventions": "dud"}, UnknownNameError, "There is no column 'dud'. Did you mean 'did'"),
        ({"interventions": "did", "targets": {"b": ["bb"], "c": []}}, UnknownNameError, "Did you mean 'b'"),
        ({"interventions": "did", "targets": {"b": ["did"], "c": []}}, ParameterError, "cannot be set itself"),
        ({"interventions": "did", "targets": {"b": []}}, ParameterError, "say nothing about 'c'"),
        ({"interventions": "did", "targets": {"b": [], "c": [], "d": []}}, UnknownNameError, "no value of 'did', 'd'"),
        ({"interventions": "did", "targets": ["b"]}, ParameterError, "not columns by value"),
        ({"interventions": "did", "targets": {"b": 3, "c": []}}, ParameterError, "not columns by value"),
        ({"interventions": 3}, ParameterError, "not the name of a column"),
        ({"targets": {"b": []}}, ParameterError, "no column was named"),
        ({"interventions": "did", "search": "pc-stable"}, ParameterError, "search='posterior', order or hill-climb"),
        ({"interventions": "did", "search": "mmhc"}, ParameterError, "cannot make use of rows"),
        ({"interventions": "did", "test": "g"}, ParameterError, "A search by tests cannot make use"),
    ],
)
def test_bad_input_is_refused(words, error, message):
    with pytest.raises(error, match=message):
        paucal.learn(without_gaps(), **words)


def test_a_value_that_is_no_column_says_how_to_mean_nothing():
    data = experiment()
    data["did"] = [said or "control" for said in data["did"]]
    message = "'did' says that 'control' was set: There is no column 'control'.*empty list among the targets"
    with pytest.raises(UnknownNameError, match=message):
        paucal.learn(data, interventions="did")


def gappy_experiment():
    """The experiment without some of its values, those that were set among them; at most one in a row."""
    rng = np.random.default_rng(3)
    data = experiment(rows=100, each=100)
    for i in range(len(data["a"])):
        if rng.random() < 0.4:
            data["abc"[rng.integers(3)]][i] = None
    return data


@pytest.mark.filterwarnings("ignore::paucal.errors.PreparationWarning")
def test_where_values_are_missing_the_posterior_tells_the_directions_too():
    data = gappy_experiment()
    result = paucal.learn(data, interventions="did")
    assert {str(edge) for edge in result.graph.edges()} == {"a -> b", "b -> c"}
    assert result.details["missing"]["cells"] == sum(data[name].count(None) for name in "abc")
    assert [one["set"] for one in result.details["interventions"]] == [100, 100]
    assert "filled in" in result.summary()
    assert "set from outside: b in 100, c in 100 of 300 rows" in result.summary()
    again = result.recipe.run(data)
    assert again.graph == result.graph
    assert result.effect("a", "c", data=data).probability > 0.9
    known = paucal.learn(data, "posterior", interventions="did", outcome=["b"], fillings=2, tolerance=1.0)
    assert not any(a == "b" for a, _ in known.graph.arcs())


@pytest.mark.filterwarnings("ignore::paucal.errors.PreparationWarning")
def test_other_searches_name_what_takes_gaps():
    with pytest.raises(MissingValuesError, match=r"needs complete data.*The search 'posterior'"):
        paucal.learn(gappy_experiment(), "order", interventions="did")
    filled = paucal.impute(gappy_experiment(), 2, interventions="did")
    assert filled[0].names == ("did", "a", "b", "c")
    graph = paucal.learn(filled[0], "order", interventions="did").graph
    assert {("a", "b"), ("b", "c")} <= set(graph.arcs())


@pytest.mark.filterwarnings("ignore::paucal.errors.PreparationWarning")
def test_gaps_and_interventions_have_no_order_of_rows():
    data = gappy_experiment()
    turned = {name: column[::-1] for name, column in data.items()}
    said = {"search": "posterior", "interventions": "did", "fillings": 2, "tolerance": 1.0}
    one, other = paucal.learn(data, **said), paucal.learn(turned, **said)
    assert one.probabilities() == other.probabilities()


def test_blankets_take_no_interventions():
    with pytest.raises(ParameterError, match="cannot make use of rows"):
        paucal.blanket(without_gaps(), "a", interventions="did")


def test_where_the_posterior_cannot_be_the_order_search_is_chosen(monkeypatch):
    monkeypatch.setattr("paucal.search.choice.AFFORDABLE", 0.0)
    assert paucal.learn(experiment(), interventions="did").search == "order"


def test_the_command_line(tmp_path):
    data = experiment()
    path, drugs = tmp_path / "cells.csv", tmp_path / "drugs.toml"
    rows = zip(*([{None: ""}.get(v, v) for v in column] for column in data.values()), strict=True)
    path.write_text("\n".join(",".join(row) for row in [tuple(data), *rows]))
    words = ["learn", str(path), "--search", "order", "--interventions", "did", "--json"]
    told = json.loads(CliRunner().invoke(cli, words).stdout)
    assert told["graph"]["edges"] == [["a", "->", "b"], ["b", "->", "c"]]
    drugs.write_text('[targets]\nb = ["b"]\nc = ["c"]\n')
    again = json.loads(CliRunner().invoke(cli, [*words, "--targets", str(drugs)]).stdout)
    assert again["graph"] == told["graph"]
    drugs.write_text("[targets")
    refused = CliRunner().invoke(cli, [*words, "--targets", str(drugs)])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "is not TOML" in refused.stderr


def test_what_the_kernel_refuses():
    one, two = (Scorer(experiment_part(n)).kernel for n in (2, 3))
    with pytest.raises(ValueError, match="columns"):
        one.ask_instead(0, two)
    with pytest.raises(ValueError, match="itself"):
        one.ask_instead(0, one)
    with pytest.raises(IndexError, match="no column 9"):
        one.ask_instead(9, Scorer(experiment_part(2)).kernel)
    other, third = (Scorer(experiment_part(2)).kernel for _ in range(2))
    one.ask_instead(0, other)
    with pytest.raises(ValueError, match="asked by another"):
        other.ask_instead(0, third)
    with pytest.raises(ValueError, match="asks others itself"):
        third.ask_instead(0, one)
    assert math.isfinite(one.local(0, [1]))


def experiment_part(columns):
    return {name: [0, 1, 0, 1, 1] for name in "abc"[:columns]}


def test_tables_of_a_column_that_was_set_count_the_other_rows():
    data = experiment(rows=400, each=400)
    result = paucal.learn(data, "posterior", interventions="did")
    fitted = result.network(data)
    # b is set evenly in a third of the rows; where it is not, a = 0 gives b = 1 in 15 % of them
    assert fitted.cpts["b"][0, 1] == pytest.approx(0.15, abs=0.05)
    effect = result.effect("a", "b", data=data)
    assert effect.draws[:, 0, 1].mean() == pytest.approx(0.15, abs=0.05)
    untold = paucal.learn({name: data[name] for name in "abc"}, "posterior", required=[("a", "b"), ("b", "c")])
    assert untold.network({name: data[name] for name in "abc"}).cpts["b"][0, 1] > 0.2


def rarely_set(share_missing=0.1):
    """An experiment in which one column was set in a sixth of the rows, so that the teller mostly has no value."""
    data = experiment(rows=200, each=40)
    rows = [i for i, said in enumerate(data["did"]) if said != "c"]
    holes = np.random.default_rng(5).random((3, len(rows))) < share_missing
    told = [data["did"][i] for i in rows]
    return {"did": told} | {
        name: [None if gone else data[name][i] for i, gone in zip(rows, holes[k], strict=True)]
        for k, name in enumerate("abc")
    }


@pytest.mark.filterwarnings("ignore::paucal.errors.PreparationWarning")
@pytest.mark.parametrize("missing", [None, "keep", "drop", "level"])
def test_gaps_of_the_teller_say_that_nothing_was_set_whatever_is_done_about_other_gaps(missing, recwarn):
    data = rarely_set()
    result = paucal.learn(data, interventions="did", **({} if missing is None else {"missing": missing}))
    assert not [w for w in recwarn if "'did'" in str(w.message)]  # neither constant nor mostly missing nor left out
    complete = [all(data[name][i] is not None for name in "abc") for i in range(len(data["did"]))]
    used = [missing != "drop" or here for here in complete]
    set_there = sum(use and said == "b" for use, said in zip(used, data["did"], strict=True))
    assert result.details["interventions"] == [{"column": "b", "set": set_there, "not_set": sum(used) - set_there}]
    printed = eval(repr(result.recipe), {"paucal": paucal, "data": data})  # noqa: S307
    for again in (result.recipe.run(data), printed):
        assert again.graph == result.graph
        assert again.details["interventions"] == result.details["interventions"]
    assert "was set" in str(result.why("a", "b", data=data))


def test_a_column_that_the_teller_decides_stays_in_the_table():
    rng = np.random.default_rng(1)
    arm = rng.choice(["high", "low"], 200).tolist()
    cured = ["yes" if rng.random() < (0.8 if one == "high" else 0.3) else "no" for one in arm]
    data = {"drug": arm, "dose": arm, "cured": cured}
    result = paucal.learn(data, interventions="drug", targets={"high": ["dose"], "low": ["dose"]})
    assert result.graph.arcs() == [("dose", "cured")]
    chosen = paucal.learn(
        data, columns=["dose", "cured"], interventions="drug", targets={"high": "dose", "low": "dose"}
    )
    assert chosen.graph == result.graph


@pytest.mark.filterwarnings("ignore::paucal.errors.PreparationWarning")
def test_a_row_with_nothing_but_a_teller_is_left_out():
    data = rarely_set()
    for name in "abc":
        data[name][0] = None
    with pytest.warns(EmptyRowsWarning, match="1 of 240 rows"):
        result = paucal.learn(data, interventions="did")
    assert result.details["interventions"] == [{"column": "b", "set": 40, "not_set": 199}]


def test_the_command_line_takes_gaps_of_the_teller_for_nothing_set(tmp_path):
    data, file = rarely_set(), tmp_path / "rare.csv"
    rows = zip(*data.values(), strict=True)
    file.write_text("\n".join([",".join(data), *(",".join(v or "" for v in row) for row in rows)]))
    for missing in ([], ["--missing", "keep"], ["--missing", "level"]):
        found = CliRunner().invoke(cli, ["learn", str(file), "--interventions", "did", *missing])
        assert found.exit_code == 0, found.output
        assert "set from outside: b in 40 of 240 rows" in found.output
        assert "'did'" not in found.output
    dropped = CliRunner().invoke(cli, ["learn", str(file), "--interventions", "did", "--missing", "drop", "--json"])
    (told,) = json.loads(dropped.stdout)["details"]["interventions"]
    assert told["set"] > 20
    assert told["not_set"] > 100
