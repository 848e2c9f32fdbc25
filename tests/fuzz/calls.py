"""Good calls of every public name, and bad values for each of their parameters, one at a time.

Whatever comes of a bad value must be an answer or an error of ours: nothing foreign, no crash, no call without an end.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import paucal
from paucal import graphs, schemas
from paucal.adapters import causal_learn, pgmpy
from paucal.adapters import networks as adapted
from paucal.data.preparation import Preparation
from paucal.errors import Interrupted, PaucalError
from paucal.graphs.drawing.svg import Drawing
from paucal.inspection import sufficiency

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BAD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-1": lambda: -1,
    "2**70": lambda: 2**70,
    "1.5": lambda: 1.5,
    "complex": lambda: 1j,
    "empty": lambda: "",
    "wrong": lambda: "wrong",
    "surrogate": lambda: "\ud800",
    "NUL": lambda: "a\0b",
    "long": lambda: "a" * 100_000,
    "bytes": lambda: b"\xffa",
    "list": list,
    "set": lambda: {"a"},
    "dict": dict,
    "dict of None": lambda: {None: None},
    "dict of odd": lambda: {"a": object()},
    "list of None": lambda: [None],
    "list of odd": lambda: [object(), "a"],
    "deep list": lambda: [[["a"]]],
    "unhashable": lambda: [["a"], {}],
    "twice": lambda: ["a", "a"],
    "generator": lambda: (x for x in ("a", 1)),
    "object": object,
    "function": lambda: lambda: None,
    "type": lambda: int,
    "0-d": lambda: np.array(3),
    "3-d": lambda: np.zeros((2, 2, 2)),
    "odd array": lambda: np.array([object(), "a"], dtype=object),
    "nan array": lambda: np.full((4, 4), np.nan),
    "no rows": lambda: np.zeros((0, 3)),
    "timestamp": lambda: pd.Timestamp("2020-01-01"),
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
    "series": lambda: pd.Series([1, 2]),
    "frame": lambda: pd.DataFrame({"a": [1, 2], "b": [object(), None]}),
    "empty frame": pd.DataFrame,
    "graph": lambda: net().graph,
    "data": lambda: data().drop_unobserved(),
}
FEW = ("None", "nan", "-1", "2**70", "surrogate", "NUL", "dict of None", "unhashable", "object", "3-d", "NA", "graph")


@dataclass(frozen=True)
class Good:
    """A call that works: the name it is told by, and its arguments."""

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]

    def bad(self, few: bool = False) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Give every bad version of the call: parameter, kind of value, arguments."""
        kinds = FEW if few else tuple(BAD)
        for parameter, value in self.arguments.items():
            for kind in kinds:
                yield parameter, kind, {**self.arguments, parameter: BAD[kind]()}
                if isinstance(value, dict) and value:
                    first = next(iter(value))
                    yield parameter, f"inside: {kind}", {**self.arguments, parameter: {**value, first: BAD[kind]()}}
                elif isinstance(value, list | tuple) and value:
                    yield parameter, f"inside: {kind}", {**self.arguments, parameter: [BAD[kind](), *value[1:]]}


def called(function: Callable[..., Any], arguments: Mapping[str, Any]) -> str:
    """Give "answered" or "refused"; anything but our own errors comes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(**arguments)
            if isinstance(found, Iterator):
                for _ in zip(found, range(100), strict=False):
                    pass
        except PaucalError as error:
            if not str(error) or (error.parameter is None and error.hint is None and len(str(error)) < 10):
                raise AssertionError(f"an error without words: {error!r}") from error
            return "refused"
        except Interrupted:
            return "answered"
    return "answered"


@cache
def data() -> paucal.Dataset:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 60)
    b = np.where(rng.random(60) < 0.8, a, 1 - a)
    c = np.where(rng.random(60) < 0.7, b, 1 - b)
    return paucal.Dataset.of(columns(a, b, c))


def columns(a: Any = (0, 1) * 20, b: Any = (0, 0, 1, 1) * 10, c: Any = (0, 0, 0, 1) * 10) -> dict[str, list[str]]:
    return {name: [f"l{x}" for x in values] for name, values in (("a", a), ("b", b), ("c", c))}


@cache
def dag() -> paucal.Graph:
    return paucal.Graph.dag(["a", "b", "c"], [("a", "b"), ("b", "c")])


@cache
def pag() -> paucal.Graph:
    return paucal.dag_to_pag(dag())


@cache
def mag() -> paucal.Graph:
    return paucal.dag_to_mag(dag())


@cache
def net() -> paucal.BayesNet:
    return paucal.BayesNet.fit(dag(), data())


@cache
def by_tests() -> paucal.SearchResult:
    return paucal.learn(data(), "pc-stable")


@cache
def by_scores() -> paucal.SearchResult:
    return paucal.learn(data(), "order", starts=1)


@cache
def sampled() -> paucal.SearchResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return paucal.learn(data(), "posterior", rounds=20, burn_in=5, chains=2)


@cache
def around() -> paucal.BlanketResult:
    return paucal.blanket(data(), "b")


def relation() -> Any:
    duckdb = pytest.importorskip("duckdb")
    frame = pd.DataFrame(columns())
    return duckdb.from_df(frame) if hasattr(duckdb, "from_df") else duckdb.sql("select * from frame")


PREPARING = {
    "missing": "error",
    "discretize": None,
    "drop_unobserved": False,
    "columns": ["a", "b"],
    "leave_out": ["c"],
    "kinds": {"a": "levels"},
    "no_answer": {"a": ["l9"]},
    "merge": {"a": {"both": ["l0", "l1"]}},
    "order": {"b": ["l0", "l1"]},
    "weights": None,
    "repeats": None,
}
TESTING = {"test": "g", "alpha": 0.05, "test_options": {"df": "full"}, "seed": None, "threads": 1}
LIMITS = {"max_seconds": 5.0, "max_tests": 1000, "progress": None, "as_is": False}
KNOWN = paucal.Knowledge(exogenous=["a"])
SCORING = {"score": "bdeu", "ess": 1.0, "knowledge": KNOWN, "interventions": None, "targets": None}
SAMPLING = {
    "temper": 0.7,
    "edge_penalty": None,
    "max_parents": 3,
    "candidates": 5,
    "starts": 2,
    "chains": 2,
    "rounds": 10,
    "burn_in": 5,
    "max_rounds": 20,
    "tolerance": 0.2,
    "heats": None,
    "fillings": 2,
    "latent": False,
}


def good_calls() -> list[Good]:
    """Give a good call of every public name, with all parameters that have a choice."""
    return [
        *_graphs(),
        *_metrics(),
        *_data(),
        *_tests(),
        *_networks(),
        *_searches(),
        *_results(),
        *_effects(),
        *_adapters(),
    ]


def _graphs() -> Iterator[Good]:
    nodes, arcs = ["a", "b", "c"], [("a", "b"), ("b", "c")]
    triples = [("a", "-->", "b"), ("b", "-->", "c")]
    graph = paucal.Graph
    matrix = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    yield Good("Graph", graph, {"nodes": nodes, "marks_matrix": dag().marks, "kind": "pdag", "check": True})
    yield Good("Graph.dag", graph.dag, {"nodes": nodes, "arcs": arcs})
    yield Good("Graph.pdag", graph.pdag, {"nodes": nodes, "directed": arcs[:1], "undirected": arcs[1:]})
    yield Good("Graph.cpdag", graph.cpdag, {"nodes": nodes, "directed": (), "undirected": arcs})
    yield Good("Graph.mag", graph.mag, {"nodes": nodes, "edges": triples})
    yield Good("Graph.pag", graph.pag, {"nodes": nodes, "edges": [("a", "o-o", "b")]})
    yield Good("Graph.empty", graph.empty, {"nodes": nodes, "kind": "dag"})
    yield Good("Graph.complete", graph.complete, {"nodes": nodes, "kind": "cpdag"})
    yield Good("Graph.from_dict", graph.from_dict, {"content": dag().to_dict()})
    yield Good("Graph.from_json", graph.from_json, {"text": dag().to_json()})
    yield Good(
        "Graph.from_pdag_matrix",
        graph.from_pdag_matrix,
        {"nodes": nodes, "matrix": matrix, "kind": "pdag", "check": True},
    )
    yield Good("Graph.from_triples", graph.from_triples, {"nodes": nodes, "edges": triples, "kind": "dag"})
    yield Good("Graph.parse", graph.parse, {"text": "a -> b", "nodes": ["a", "b"], "kind": "dag"})
    for name in ["adjacent", "ancestors", "children", "descendants", "neighbours", "parents", "siblings", "spouses"]:
        yield Good(f"Graph.{name}", getattr(dag(), name), {"x": "a"})
    yield Good("Graph.index", dag().index, {"name": "a"})
    yield Good("Graph.as_kind", dag().as_kind, {"kind": "pdag"})
    yield Good("Graph.edge", dag().edge, {"x": "a", "y": "b"})
    yield Good("Graph.has_edge", dag().has_edge, {"x": "a", "y": "b"})
    yield Good("Graph.paths", dag().paths, {"x": "a", "y": "c", "directed": True})
    yield Good("Graph.rename", dag().rename, {"mapping": {"a": "z"}})
    yield Good("Graph.reorder", dag().reorder, {"nodes": ["c", "b", "a"]})
    yield Good("Graph.subgraph", dag().subgraph, {"nodes": ["a", "b"]})
    yield Good("Graph.__contains__", lambda x: x in dag(), {"x": "a"})
    yield Good("Graph.__eq__", lambda x: dag() == x, {"x": dag()})
    for name in [
        "cycle",
        "problems",
        "topological_order",
        "to_tetrad",
        "to_latex",
        "to_svg",
        "to_networkx",
        "to_graphml",
    ]:
        yield Good(f"Graph.{name}", getattr(dag(), name), {})
    for name in ["d_separated", "m_separated"]:
        yield Good(name, getattr(paucal, name), {"graph": dag(), "x": "a", "y": "c", "given": ["b"]})
        yield Good(name, getattr(paucal, name), {"graph": dag(), "x": ["a"], "y": ["c"], "given": ["b"]})
    for name in ["dag_to_cpdag", "dag_to_mag", "dag_to_pag", "pdag_to_dag"]:
        more = {} if name in ("dag_to_cpdag", "pdag_to_dag") else {"latent": ["b"]}
        yield Good(name, getattr(paucal, name), {"graph": dag(), **more})
    yield Good("mag_to_pag", paucal.mag_to_pag, {"graph": mag()})
    yield Good("pag_to_mag", paucal.pag_to_mag, {"graph": pag()})
    yield Good("markov_blanket", paucal.markov_blanket, {"graph": dag(), "target": "a"})
    yield Good("Separation", paucal.Separation, {"graph": dag()})
    yield Good("Separation.__call__", paucal.Separation(dag()), {"x": "a", "y": "c", "given": ["b"]})
    yield Good("Separation.separated_index", paucal.Separation(dag()).separated_index, {"x": 0, "y": 2, "given": [1]})
    yield Good(
        "Blanket", paucal.Blanket, {"target": "a", "parents": ("b",), "children": (), "spouses": (), "undetermined": ()}
    )
    yield Good("Drawing.of", Drawing.of, {"graph": dag()})
    yield Good("Drawing.save", dag().plot().save, {"path": "drawing.svg"})
    yield from _exports()
    yield from _knowledge(nodes)


def _exports() -> Iterator[Good]:
    for name in [
        "meek_closure",
        "to_dagitty",
        "to_edge_csv",
        "to_edge_list",
        "to_matrix_csv",
        "to_mermaid",
        "to_networkx",
        "to_tetrad",
        "v_structures",
    ]:
        yield Good(name, getattr(graphs, name), {"graph": dag()})
    numbers = {("a", "b"): {"probability": 0.5}}
    for name in ["to_dot", "to_gml", "to_graphml"]:
        yield Good(name, getattr(graphs, name), {"graph": dag(), "numbers": numbers})
    faint = [("a", "c", 0.4)]
    yield Good("to_html", graphs.to_html, {"graph": dag(), "numbers": numbers, "faint": faint})
    yield Good("to_latex", graphs.to_latex, {"graph": dag(), "engine": None})
    drawn = {"engine": None, "numbers": numbers, "faint": faint, "lanes": (["one", "two"], [0, 0, 1])}
    yield Good("to_svg", graphs.to_svg, {"graph": dag(), **drawn})
    yield Good("from_tetrad", graphs.from_tetrad, {"text": dag().to_tetrad(), "kind": "dag"})
    yield Good("from_networkx", graphs.from_networkx, {"other": dag().to_networkx(), "kind": "dag"})
    yield Good("read_exact", graphs.read_exact, {"text": "a"})
    yield Good("interventional_class", graphs.interventional_class, {"dag": dag(), "targets": [["a"]]})
    yield Good("markov_equivalent", graphs.markov_equivalent, {"a": dag(), "b": dag()})
    pdag = {"pdag": dag().to_pdag_matrix(), "nodes": ["a", "b", "c"], "knowledge": KNOWN, "strict": True}
    yield Good("orient_by_knowledge", graphs.orient_by_knowledge, pdag)
    yield Good("schema", schemas.schema, {"name": "graph"})
    yield Good("schemas.check", schemas.check, {"name": "graph", "document": dag().to_dict()})


def _knowledge(nodes: list[str]) -> Iterator[Good]:
    every = {
        "outcome": ["c"],
        "exogenous": ["a"],
        "randomised": ["a"],
        "same": [["x", "y"]],
        "tiers": [["a"], ["b"]],
        "forbid_within": [0],
        "required": [("a", "b")],
        "forbidden": [("c", "b")],
        "background": ["a"],
    }
    for name, value in every.items():
        more = {"tiers": [["a"], ["b"]]} if name == "forbid_within" else {}
        yield Good("Knowledge", paucal.Knowledge, {**more, name: value})
    yield Good("Knowledge", paucal.Knowledge, {"time": [["a"], ["b"]]})
    yield Good("Knowledge", paucal.Knowledge, {"time": {"early": ["a"], "late": ["b"]}})
    for name in ["about", "check"]:
        yield Good(f"Knowledge.{name}", getattr(KNOWN, name), {"nodes": nodes})
    for name in ["apart", "forbidden", "required", "same"]:
        yield Good(f"Knowledge.{name}_matrix", getattr(KNOWN, f"{name}_matrix"), {"nodes": nodes})
    yield Good("Knowledge.randomised_nodes", KNOWN.randomised_nodes, {"nodes": nodes})
    for name in ["forbids", "forbids_adjacency", "keeps_apart", "requires", "why_forbidden", "why_later"]:
        yield Good(f"Knowledge.{name}", getattr(KNOWN, name), {"a": "a", "b": "b"})
    yield Good("Knowledge.from_text", paucal.Knowledge.from_text, {"text": 'outcome = ["a"]', "form": "toml"})
    yield Good("Knowledge.read", paucal.Knowledge.read, {"path": "known.toml", "form": "toml"})
    yield Good("Knowledge.to_text", KNOWN.to_text, {"form": "toml", "nodes": nodes})
    yield Good("Knowledge.__or__", lambda other: KNOWN | other, {"other": KNOWN})


def _metrics() -> Iterator[Good]:
    both = {"learned": dag(), "truth": dag()}
    for name in ["arrowhead_scores", "differences", "edge_counts", "skeleton_scores"]:
        yield Good(name, getattr(paucal, name), both)
    yield Good("shd", paucal.shd, {**both, "variant": "pairs"})
    yield Good("pag_shd", paucal.pag_shd, {"learned": pag(), "truth": pag(), "version": "endpoints"})
    blanket = {"learned": {"parents": ["a"], "children": ["c"]}, "truth": dag()}
    yield Good("blanket_shd", paucal.blanket_shd, {**blanket, "target": "b", "against": "dag", "spouses": False})


def _data() -> Iterator[Good]:
    dataset = paucal.Dataset
    codes = {"columns": [[0, 1, 1], [1, 0, 1]], "names": ["a", "b"], "levels": [["x", "y"], ["u", "v"]]}
    yield Good(
        "Dataset.from_codes",
        dataset.from_codes,
        {**codes, "kinds": ["levels", "levels"], "missing": "error", "weights": [1, 2, 1]},
    )
    yield Good("Dataset.of", dataset.of, {"data": columns(), **PREPARING})
    yield Good("Dataset.from_columns", dataset.from_columns, {"data": columns(), **PREPARING})
    yield Good("Dataset.from_frame", dataset.from_frame, {"frame": pd.DataFrame(columns()), **PREPARING})
    numbers = {name: value for name, value in PREPARING.items() if name not in ("no_answer", "merge", "order")}
    yield Good(
        "Dataset.from_numpy",
        dataset.from_numpy,
        {"array": np.array([[0, 1, 1], [1, 0, 0]] * 9), "names": ["a", "b", "c"], **numbers},
    )
    yield Good("Dataset", dataset, {"names": data().names, "levels": data().levels, "columns": data().columns})
    yield Good("Dataset.of cuts", dataset.of, {"data": {"a": [0.5, 1.5, 2.5] * 9}, "discretize": {"a": [1, 2]}})
    yield Good("Dataset.index", data().index, {"name": "a"})
    yield Good("Dataset.sample", data().sample, {"n": 5, "seed": 0})
    yield Good("Dataset.select", data().select, {"names": ["a", "b"]})
    yield Good("Dataset.take", data().take, {"rows": [0, 1]})
    yield Good("Dataset.times", data().times, {"counts": [1] * 60})
    yield Good("Dataset.to_frame", data().to_frame, {"kind": "dict"})
    yield Good("Dataset.with_kinds", data().with_kinds, {"kinds": {"a": "ordered"}})
    yield Good("Dataset.__eq__", lambda x: data() == x, {"x": data()})
    for name in ["counted", "drop_unobserved"]:
        yield Good(f"Dataset.{name}", getattr(data(), name), {})
    reading = {
        "na_values": ["NA"],
        "delimiter": ",",
        "encoding": "utf-8",
        "header": True,
        "decimal": ".",
        "dates": None,
        "sheet": None,
    }
    yield Good("read", paucal.read, {"path": "table.csv", **PREPARING, **reading})
    yield Good("connect", paucal.connect, {"relation": relation(), **PREPARING})
    yield Good("inspect", paucal.inspect, {"data": columns(), "max_order": 1, "as_is": False, **PREPARING})
    yield Good("prepare", paucal.prepare, {"data": columns(), **PREPARING})
    yield Good("Preparation", Preparation, {**PREPARING, "why": {"table": "because"}})
    yield Good("Preparation.check", Preparation(columns=("a",)).check, {"names": ["a", "b"]})
    table = paucal.Table.from_dense([[3, 4], [5, 6]])
    made = lambda **parts: paucal.ci_test(table=paucal.Table(**parts), test="g")  # noqa: E731 - said in a line
    yield Good("Table", made, {one.name: getattr(table, one.name) for one in fields(paucal.Table)})
    yield Good("sufficiency", sufficiency, {"n_rows": 60, "cardinalities": (2, 2, 2), "order": 1})
    yield Good("Table.from_dense", paucal.Table.from_dense, {"counts": [[3, 4], [5, 6]]})
    yield Good(
        "Table.dataset", paucal.Table.from_dense([[3, 4], [5, 6]]).dataset, {"x": "x", "y": "y", "ordered": False}
    )
    yield Good(
        "impute",
        paucal.impute,
        {
            "data": columns(),
            "m": 1,
            "seed": 0,
            "threads": 1,
            "knowledge": KNOWN,
            "interventions": None,
            "targets": None,
        },
    )
    yield Good("load_example", paucal.load_example, {"name": "sachs-interventions"})
    yield Good(
        "power",
        paucal.power,
        {
            "data": data(),
            "test": "g",
            "alpha": 0.05,
            "power": 0.8,
            "max_order": 1,
            "questions": by_tests(),
            "sample": 5,
            "seed": 0,
            "test_options": {"df": "full"},
        },
    )


def _tests() -> Iterator[Good]:
    question = {"x": "a", "y": "c", "given": ["b"], "alpha": 0.05, "as_is": False}
    yield Good("ci_test", paucal.ci_test, {"data": data(), **question, "test": "auto"})
    yield Good("ci_test of columns", paucal.ci_test, {"data": columns(), **question, "test": "g", "df": "full"})
    yield Good("ci_test of a table", paucal.ci_test, {"table": [[3, 4], [5, 6]], "test": "g", "alpha": 0.05})
    from paucal.independence.registry import test_names

    for name in test_names():
        yield Good(
            f"ci_test {name}", paucal.ci_test, {"data": data(), "x": "a", "y": "c", "given": ["b"], "test": name}
        )
    yield Good(
        "make_test", paucal.make_test, {"data": data(), "test": "g", "alpha": 0.05, "as_is": False, "df": "full"}
    )
    for name, test in (("g", paucal.make_test(data(), "g")), ("Oracle", paucal.Oracle(dag()))):
        yield Good(f"CITest.__call__ of {name}", test, {"x": "a", "y": "c", "given": ["b"]})
        yield Good(f"CITest.ask of {name}", test.ask, {"x": 0, "y": 2, "given": (1,)})
        pairs = {"x": np.array([0]), "y": np.array([2])}
        yield Good(f"CITest.ask_many of {name}", test.ask_many, {**pairs, "given": np.array([[1]])})
        yield Good(
            f"CITest.first_separator of {name}", test.first_separator, {"x": 0, "y": 2, "candidates": [1], "order": 1}
        )
        yield Good(f"CITest.index of {name}", test.index, {"name": "a"})
        joined = {**pairs, "adjacency": np.ones((3, 3), bool)}
        for owner in (None, np.array([0])):
            yield Good(f"CITest.search of {name}", test.search, {**joined, "owner": owner, "order": 1})
        yield Good(f"CITest.thin of {name}", test.thin, {**joined, "order": 1})
        yield Good(f"CITest.rounds of {name}", test.rounds, {**joined, "last": 1})
        yield Good(f"CITest.grow of {name}", test.grow, {"around": [(0, [2], [1], ())], "sizes": range(1, 2)})
        answer = test.ask(0, 2, (1,))
        yield Good(f"CITest.describe of {name}", test.describe, {"x": 0, "y": 2, "given": (1,), "answer": answer})
        yield Good(f"CITest.limited of {name}", test.limited, {"max_seconds": 1.0, "max_tests": 10})
    yield Good("Oracle", paucal.Oracle, {"graph": dag(), "latent": ["b"]})
    by_kernel = paucal.make_test(data(), "g")
    yield Good("make_test: smallest_p_value", by_kernel.smallest_p_value, {"x": "a", "y": "c", "given": ["b"]})
    yield Good("make_test: read", by_kernel.read, {"tables": np.ones((1, 1, 2, 2), int), "order": 0})


def _networks() -> Iterator[Good]:
    levels = {"a": ["n", "y"], "b": ["n", "y"]}
    cpts = {"a": [0.25, 0.75], "b": [[0.5, 0.5], [0.25, 0.75]]}
    yield Good(
        "BayesNet", paucal.BayesNet, {"levels": levels, "parents": {"b": ["a"], "a": []}, "cpts": cpts, "name": "net"}
    )
    yield Good("BayesNet", paucal.BayesNet, {"levels": levels, "parents": {"a": [], "b": ["a"]}, "cpts": cpts})
    yield Good(
        "BayesNet.fit",
        paucal.BayesNet.fit,
        {"graph": dag(), "data": data(), "prior": "eb", "spread": "cell", "name": "n"},
    )
    yield Good("BayesNet.do", net().do, {"values": {"a": "l0"}})
    yield Good("BayesNet.joint", net().joint, {"nodes": ["a", "b"], "given": {"c": "l0"}})
    yield Good("BayesNet.log_likelihood", net().log_likelihood, {"data": data()})
    yield Good("BayesNet.marginal", net().marginal, {"node": "a"})
    yield Good("BayesNet.parents", net().parents, {"node": "a"})
    yield Good("BayesNet.predict", net().predict, {"data": data(), "node": "a"})
    yield Good("BayesNet.sample", net().sample, {"n": 5, "seed": 1, "observed": ["a"]})
    yield Good("BayesNet.__eq__", lambda x: net() == x, {"x": net()})
    yield Good("load_network", paucal.load_network, {"name": "asia"})
    yield Good("read_bif", paucal.read_bif, {"source": "net.bif", "encoding": "utf-8"})
    yield Good("write_bif", paucal.write_bif, {"net": net(), "target": "written.bif"})
    links = {"links": [("c_1", "a_2")], "links_per_tile": 0, "seed": 1, "name": "tiled"}
    yield Good("tile", paucal.tile, {"net": net(), "copies": 2, **links})
    yield Good("tile at random", paucal.tile, {"net": net(), "copies": 2, "links_per_tile": 1, "seed": 1})


def _searches() -> Iterator[Good]:
    learning = {"data": columns(), **TESTING, "knowledge": KNOWN, "interventions": None, "targets": None, **LIMITS}
    yield Good("learn", paucal.learn, {**learning, "search": "pc-stable", "max_order": 1, "around": ["a"], "jobs": 1})
    by_test = {"max_order": 1, "colliders": "standard"}
    hidden = {
        "possible_d_sep": True,
        "tail_rules": True,
        "selection": False,
        "max_path_length": 3,
        "strict_conservative": False,
    }
    ordered = {"edge_penalty": None, "max_parents": 3, "starts": 2, "seed": 0}
    climbing = {"max_parents": 3, "tabu": 0, "patience": 15}
    kinds = {
        "pc": by_test,
        "rai": by_test,
        "sc-pc": {**by_test, "consistency": "skeleton", "max_rounds": 5},
        "mmpc": by_test,
        "fci": {**by_test, **hidden},
        "cfci": {"max_order": 1, **hidden},
        "mmhc": {"max_order": 1, "score": "bdeu", "ess": 10, **climbing},
        "hill-climbing": {
            **SCORING,
            **climbing,
            "allowed": [("a", "b"), ("b", "c")],
            "start": dag(),
            "max_seconds": 5.0,
        },
        "order": {**SCORING, **ordered, "score": "eb", "max_seconds": 5.0},
        "posterior": {**SCORING, **SAMPLING, "score": "eb", "seed": 0, "threads": 1, "max_seconds": 5.0},
    }
    for search, options in kinds.items():
        yield Good(f"learn {search}", lambda search=search, **more: paucal.learn(data(), search, **more), options)
        estimator = getattr(paucal, _CLASSES[search])
        yield Good(_CLASSES[search], lambda kind=estimator, **more: kind(**more).fit(data()), options)
    yield Good(
        "PCStable", lambda **more: paucal.PCStable(**more).fit(data()), {**TESTING, "knowledge": KNOWN, **by_test}
    )
    yield Good("PCStable.fit", paucal.PCStable(test="g").fit, {"X": columns(), "y": None})
    bootstrap = paucal.Bootstrap(estimator=paucal.PC(test="g"), replicates=2, jobs=1)
    yield Good("Bootstrap.fit", bootstrap.fit, {"X": columns(), "y": None})
    yield Good("CMB.fit", paucal.CMB(target="a").fit, {"X": columns(), "y": None})
    yield Good("PCStable.get_params", paucal.PCStable().get_params, {"deep": True})
    yield Good("PCStable.set_params", lambda **more: paucal.PCStable().set_params(**more).fit(data()), {"alpha": 0.05})
    around = {**TESTING, "target": "a", "knowledge": KNOWN, "max_order": 1, "neighbours": "hiton"}
    yield Good("CMB", lambda **more: paucal.CMB(**more).fit(data()), around)
    again = {"replicates": 2, "fraction": 0.632, "seed": 0, "jobs": 1}
    yield Good(
        "Bootstrap", lambda **more: paucal.Bootstrap(**more).fit(data()), {"estimator": paucal.PC(test="g"), **again}
    )
    yield Good(
        "bootstrap",
        paucal.bootstrap,
        {
            "data": data(),
            "search": "pc",
            "test": "g",
            "alpha": 0.05,
            "test_options": {"df": "full"},
            **again,
            "progress": None,
            "as_is": False,
            "max_order": 1,
        },
    )
    yield Good("hill_climb", paucal.hill_climb, {"data": data(), **kinds["hill-climbing"], "progress": None})
    yield Good("score", paucal.score, {"graph": dag(), "data": data(), "score": "bdeu", "ess": 10})
    local = {"search": "cmb", **TESTING, "knowledge": KNOWN, **LIMITS, "max_order": 1, "neighbours": "hiton"}
    yield Good("blanket", paucal.blanket, {"data": data(), "target": "a", **local})
    several = {name: local[name] for name in local if name not in ("threads", "max_seconds", "max_tests")}
    yield Good("blankets", paucal.blankets, {"data": data(), "targets": ["a"], **several, "jobs": 1})
    yield Good("Interrupted", paucal.Interrupted, {"result": by_tests()})
    yield from _recipes()


def _recipes() -> Iterator[Good]:
    recipe = paucal.Recipe.of("pc-stable", test="g")
    shared = {
        "search": "pc-stable",
        "knowledge": KNOWN,
        "interventions": None,
        "targets": None,
        "seed": 1,
        "threads": 1,
        "max_seconds": 5.0,
        "max_tests": 1000,
        "target": None,
        "replicates": None,
        "fraction": 0.632,
    }
    yield Good(
        "Recipe",
        paucal.Recipe,
        {**shared, "test": recipe.test, "options": {"max_order": 1}, "preparation": Preparation(), "reason": "why"},
    )
    yield Good(
        "Recipe.of",
        paucal.Recipe.of,
        {**shared, "test": "g", "alpha": 0.05, "test_options": {"df": "full"}, "max_order": 1},
    )
    yield Good("Recipe.from_dict", paucal.Recipe.from_dict, {"content": recipe.to_dict()})
    for key, value in recipe.to_dict().items():
        yield Good(
            f"Recipe.from_dict {key}",
            lambda **more: paucal.Recipe.from_dict({**recipe.to_dict(), **more}),
            {key: value},
        )
    yield Good("Recipe.from_toml", paucal.Recipe.from_toml, {"text": recipe.to_toml()})
    yield Good("Recipe.run", recipe.run, {"data": data(), "progress": None})
    yield Good("Recipe.with_checked", recipe.with_checked, {"seed": 1, "threads": 1, "options": {"max_order": 1}})


def _results() -> Iterator[Good]:
    for kind, result in (("tests", by_tests()), ("scores", by_scores()), ("graphs", sampled())):
        yield Good(f"SearchResult.why of {kind}", result.why, {"x": "a", "y": "b", "data": data()})
        yield Good(f"SearchResult.whys of {kind}", result.whys, {"pairs": [("a", "b")], "data": data()})
        yield Good(f"SearchResult.ask of {kind}", result.ask, {"data": data(), "most": 2})
        yield Good(f"SearchResult.own_data of {kind}", result.own_data, {"data": data()})
        yield Good(f"SearchResult.network of {kind}", result.network, {"data": data()})
        yield Good(f"SearchResult.reordered of {kind}", result.reordered, {"names": ("c", "b", "a")})
        yield Good(
            f"SearchResult.report of {kind}", result.report, {"path": "page.html", "data": data(), "title": "page"}
        )
        yield Good(f"SearchResult.to_dict of {kind}", result.to_dict, {"all_tests": True})
        yield Good(f"SearchResult.to_json of {kind}", result.to_json, {"all_tests": True})
        yield Good(f"SearchResult.nearest of {kind}", result.nearest, {"x": "a", "y": "b"})
        content = result.to_dict()
        yield Good(f"SearchResult.from_dict of {kind}", paucal.SearchResult.from_dict, {"content": content})
        for key, value in content.items():
            yield Good(
                f"SearchResult.from_dict of {kind} {key}",
                lambda content=content, **more: paucal.SearchResult.from_dict({**content, **more}),
                {key: value},
            )
        yield Good(f"SearchResult.from_json of {kind}", paucal.SearchResult.from_json, {"text": result.to_json()})
    result = sampled()
    for name in ["probabilities", "causes", "claims"]:
        yield Good(f"SearchResult.{name}", getattr(result, name), {"least": 0.1})
    yield Good("SearchResult.dag", result.dag, {"draw": 0})
    yield Good("SearchResult.blanket_probabilities", result.blanket_probabilities, {"target": "a"})
    yield Good("SearchResult.with_details", result.with_details, {"around": ["a"], "chosen_of": 3})
    yield Good("SearchResult.framed", result.framed, {"records": [{"a": 1}], "columns": ("a",)})
    yield Good("SearchResult.with_recipe", result.with_recipe, {"recipe": result.recipe, "frame_kind": "dict"})
    yield Good(
        "SearchResult",
        paucal.SearchResult,
        {
            "graph": result.graph,
            "evidence": result.evidence,
            "recipe": result.recipe,
            "details": {},
            "reasons": {},
            "seconds": 0.0,
        },
    )
    yield Good("BlanketResult.with_details", around().with_details, {"around": ["a"]})
    yield Good("BlanketResult.why", around().why, {"x": "a"})
    yield Good("BlanketResult.report", around().report, {"path": "page.html", "data": data(), "title": "page"})
    yield Good("BlanketResult.to_dict", around().to_dict, {"all_tests": True})
    yield Good("BlanketResult.to_json", around().to_json, {"all_tests": True})
    yield Good("BlanketResult.from_json", paucal.BlanketResult.from_json, {"text": around().to_json()})
    content = around().to_dict()
    yield Good("BlanketResult.from_dict", paucal.BlanketResult.from_dict, {"content": content})
    for key, value in content.items():
        yield Good(
            f"BlanketResult.from_dict {key}",
            lambda **more: paucal.BlanketResult.from_dict({**content, **more}),
            {key: value},
        )
    yield Good("BlanketResult", paucal.BlanketResult, {"target": "a", "parents": ("b",), "result": by_tests()})
    yield Good(
        "write_report",
        paucal.write_report,
        {"result": by_tests(), "path": "page.html", "data": data(), "title": "page"},
    )
    both = {"first": by_tests(), "second": dag(), "path": "both.html", "labels": ("one", "two"), "title": "both"}
    yield Good("write_comparison", paucal.write_comparison, both)
    asked = paucal.ci_test(data(), "a", "b")
    yield Good(
        "CIResult",
        paucal.CIResult,
        {name: getattr(asked, name) for name in inspect.signature(paucal.CIResult).parameters},
    )


def _effects() -> Iterator[Good]:
    result = sampled()
    more = {"data": data(), "level": 0.9, "seed": 0}
    yield Good("SearchResult.effect", result.effect, {"x": "a", "y": "b", **more})
    yield Good("SearchResult.effects", result.effects, {"y": "b", **more})
    yield Good("SearchResult.what_if", result.what_if, {"y": "c", "do": {"a": "l0"}, "given": {"b": "l0"}, **more})
    yield Good("SearchResult.effects_in", result.effects_in, {"data": data(), "seed": 0})
    yield Good("SearchResult.experiment", result.experiment, {"data": data()})
    effect = result.effect("a", "b", data=data())
    level = effect.levels[0]
    yield Good("Effect.do", effect.do, {"level": "l0", "outcome": "l0"})
    yield Good("Effect.difference", effect.difference, {"to": "l0", "instead_of": "l1", "outcome": "l0"})
    dose = paucal.Dataset.of({**columns(), "d": [float(i % 7) / 2 for i in range(40)]}, kinds={"d": "number"})
    number = paucal.learn(dose, rounds=20, burn_in=5, chains=2).effect("a", "d", data=dose)
    yield Good("Effect.mean", number.mean, {"level": level})
    yield Good("Effect.mean_difference", number.mean_difference, {"to": "l0", "instead_of": "l1"})
    both = result.effects_in(data())
    yield Good("Effects.effect", both.effect, {"x": "a", "y": "b", "level": 0.9})
    yield Good("Effects.effects", both.effects, {"y": "b", "level": 0.9})
    yield Good("Effects.what_if", both.what_if, {"y": "c", "do": {"a": "l0"}, "given": {"b": "l0"}, "level": 0.9})


def _adapters() -> Iterator[Good]:
    """Give calls of what needs other libraries: without them, each is refused with a word on how to install them."""
    yield Good("adapters.causal_learn.matrix", causal_learn.matrix, {"data": data()})
    yield Good("adapters.causal_learn.to_graph", causal_learn.to_graph, {"result": dag()})
    yield Good("adapters.networks.to_pgmpy", adapted.to_pgmpy, {"net": net()})
    yield Good("adapters.networks.to_pyagrum", adapted.to_pyagrum, {"net": net()})
    yield Good("adapters.pgmpy.ci_test", pgmpy.ci_test, {"data": data(), "test": "g", "alpha": 0.05})


_CLASSES = {
    "pc": "PC",
    "rai": "RAI",
    "sc-pc": "SCPC",
    "mmpc": "MMPC",
    "fci": "FCI",
    "cfci": "CFCI",
    "mmhc": "MMHC",
    "hill-climbing": "HillClimbing",
    "order": "Order",
    "posterior": "Posterior",
}
