"""The report page as text: it parses, holds what the result knows, refers to nothing outside, and trusts no name."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from importlib import import_module
from itertools import combinations, pairwise

import html5lib
import numpy as np
import pytest

import paucal
from paucal import Graph
from paucal.errors import FileError, ParameterError
from paucal.report import evidence, page, write_report
from paucal.report.page import _recipe as written_recipe
from paucal.report.text import number, share
from paucal.search.evidence.graphs import NOT_UNLIKELY, Graphs
from paucal.search.recipe import Recipe

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(html: str):
    """The document, read by the rules of HTML; anything a browser would have to repair is an error."""
    return html5lib.HTMLParser(strict=True).parse(html)


def content_of(document) -> dict:
    (script,) = [s for s in document.iter(f"{HTML}script") if s.get("type") == "application/json"]
    return json.loads(script.text)


def words(element) -> str:
    return " ".join("".join(element.itertext()).split())


def percent(*parts: float) -> str:
    """A share as `words` reads it."""
    return " ".join(share(*parts).split())


def section(document, heading: str):
    for part in document.iter(f"{HTML}section"):
        if words(next(part.iter(f"{HTML}h2"))).startswith(heading):
            return part
    raise AssertionError(heading)


def facts(document) -> list[tuple[str, str]]:
    """What was run, each with its first word."""
    part = section(document, "What was run")
    heads, told = ([words(one) for one in part.iter(f"{HTML}{tag}")] for tag in ("dt", "dd"))
    return [(head, line.split(" ")[0]) for head, line in zip(heads, told, strict=True)]


def body_rows(table) -> list[list[str]]:
    return [[words(cell) for cell in row] for row in next(table.iter(f"{HTML}tbody")).iter(f"{HTML}tr")]


@pytest.fixture(scope="module")
def alarm():
    data = paucal.load_network("alarm").sample(300, seed=3)
    return data, paucal.learn(data, "pc-stable", test="g")


# ------------------------------------------------------------------------------------------------ what it says


def test_the_page_parses_strictly_and_names_come_back(alarm):
    data, result = alarm
    document = parsed(page(result, data=data))
    content = content_of(document)
    assert content["nodes"] == list(result.graph.nodes)
    edges = [[content["nodes"][i], symbol, content["nodes"][j]] for i, j, symbol in content["edges"]]
    assert edges == [[e.a, e.symbol, e.b] for e in result.graph.edges()]


def test_pairs_tell_what_why_tells(alarm):
    _, result = alarm
    content = content_of(parsed(page(result)))
    names = content["nodes"]
    assert len(content["pairs"]) == len(names) * (len(names) - 1) // 2
    for pair, told in content["pairs"].items():
        x, y = (names[int(i)] for i in pair.split(","))
        why = result.why(x, y)
        assert ("set" in told) == (why.separating_set is not None)
        if why.separating_set is not None:
            assert [names[i] for i in told["set"]] == list(why.separating_set)
        assert told.get("why", []) == [reason.sentence(a, b) for (a, b), reason in why.reasons.items()] + list(
            why.known
        )
        for written, test in zip(told["tests"], why.tests, strict=True):
            given, decision, p, _, _, _, per_cell, doubts = written
            assert [names[i] for i in given] == list(test.given)
            assert decision == test.decision
            assert p == pytest.approx(test.p_value, rel=1e-5)
            assert per_cell == pytest.approx(test.samples_per_cell, rel=1e-5)
            assert bool(doubts) == (not test.reliable)


def test_the_table_has_every_edge_and_its_nearest_test(alarm):
    _, result = alarm
    rows = body_rows(section(parsed(page(result)), "Edges"))
    assert len(rows) == result.graph.n_edges
    for row, edge in zip(rows, result.graph.edges(), strict=True):
        nearest = result.nearest(edge.a, edge.b)
        assert row[0].startswith(edge.a) and row[0].endswith(edge.b)
        assert row[2] == (", ".join(nearest.given) or "nothing")
        assert row[3] == number(nearest.p_value)
        assert ("not reliable" in row[6]) == (not nearest.reliable)


def test_absences_that_rest_on_unreliable_tests(alarm):
    _, result = alarm
    absent = [t for t in result.doubtful() if result.graph.edge(t.x, t.y) is None]
    assert absent
    rows = body_rows(section(parsed(page(result)), "Absences to doubt"))
    assert [row[:2] for row in rows] == [[f"{t.x} and {t.y}", "; ".join(t.reasons)] for t in absent]
    oracle = paucal.learn(paucal.Oracle(Graph.dag("AB")))
    assert "Absences to doubt" not in page(oracle)


def test_what_the_data_can_decide(alarm):
    data, result = alarm
    part = section(parsed(page(result)), "What the data can decide")
    made, possible = (body_rows(table) for table in part.iter(f"{HTML}table"))
    for row, (order, tally) in zip(made, result.ledger.by_order.items(), strict=True):
        assert row[:2] == [str(order), f"{tally.fresh:,}"]
        assert row[2:] == [percent(tally.unreliable, tally.fresh), percent(tally.undecidable, tally.fresh)]
    for row, known in zip(possible, paucal.inspect(data, max_order=len(possible) - 1).sufficiency, strict=True):
        assert row[1:4] == [number(known.median), number(known.worst), percent(known.enough)]
    ten_times = [row[6] for row in possible]
    more = data.take([*range(data.n_rows)] * 10)
    assert ten_times == [percent(s.enough) for s in paucal.inspect(more, max_order=len(possible) - 1).sufficiency]


def test_what_could_be_detected(alarm):
    data, result = alarm
    part = section(parsed(page(result, data=data)), "What the data can decide")
    _, detectable, _ = (body_rows(table) for table in part.iter(f"{HTML}table"))
    power = paucal.power(data, test="g", questions=result)
    assert [row[0:2] for row in detectable] == [[str(o.order), f"{o.questions:,}"] for o in power.orders]
    assert [row[3] for row in detectable] == [number(o.effect, 2) for o in power.orders]


def test_columns_and_their_levels(alarm):
    data, result = alarm
    rows = body_rows(section(parsed(page(result, data=data)), "Columns"))
    summary = paucal.inspect(data, max_order=0).columns
    assert [(row[0], row[1]) for row in rows] == [(c.name, str(c.mode)) for c in summary]
    with pytest.raises(AssertionError):
        section(parsed(page(result)), "Columns")


def test_the_citation_keeps_its_lines(alarm):
    (cited,) = section(parsed(page(alarm[1])), "How to cite").iter(f"{HTML}pre")
    lines = "".join(cited.itertext()).splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("@inproceedings{cui2022empirical,", "}", 6)


def test_open_questions_are_sentences_in_print():
    result = paucal.learn(paucal.load_network("asia").sample(300, seed=4), "posterior")
    nodes = result.graph.nodes
    nearly = [{"further": 0.1, "differs": [[nodes[0], "->", nodes[1]]]}]
    unsettled = [{"a": nodes[0], "b": nodes[1], "low": 0.25, "high": 0.5}]
    document = parsed(page(replace(result, details={"nearly": nearly, "unsettled": unsettled})))
    told = [words(item) for item in section(document, "Open questions").iter(f"{HTML}li")]
    assert f"A graph with {nodes[0]} → {nodes[1]} agrees nearly as well with the sampled ones." in told
    raw = ["".join(item.itertext()) for item in section(document, "Open questions").iter(f"{HTML}li")]
    assert any(line.endswith("25\xa0% to 50\xa0%.") for line in raw)
    settled = words(section(document, "What the data can decide"))
    assert "the direction drawn here, or none if none is drawn, in 95 % of the graphs or more." in settled


def test_what_was_run_and_the_versions(alarm):
    _, result = alarm
    told = words(section(parsed(page(result)), "What was run"))
    for part in (
        "pc-stable",
        "colliders = majority",
        "alpha = 0.05",
        "300",
        paucal.__version__,
        "NumPy",
        "Python",
    ):
        assert part in told
    assert "none needed" in told
    assert "seed=7" in words(
        section(parsed(page(replace(result, recipe=replace(result.recipe, seed=7)))), "What was run")
    )


@pytest.mark.parametrize("method", paucal.search_names())
def test_the_call_on_the_page_gives_the_result_again(method):
    data = paucal.load_network("cancer").sample(200, seed=5)
    result = paucal.learn(data, method)
    again = eval(repr(result.recipe), {"paucal": paucal, "data": data})  # noqa: S307 - our own text
    assert again.graph == result.graph and again.recipe == result.recipe


def test_the_call_with_knowledge_and_other_settings():
    data = paucal.load_network("cancer").sample(200, seed=5)
    known = paucal.Knowledge(tiers=[["Smoker"], ["Cancer"]], required=[("Cancer", "Xray")])
    result = paucal.learn(data, test="chi2", alpha=0.1, test_options={"df": "full"}, knowledge=known, max_order=1)
    again = eval(repr(result.recipe), {"paucal": paucal, "data": data})  # noqa: S307 - our own text
    assert again.graph == result.graph
    assert again.recipe == result.recipe


def test_searches_by_score_have_a_page_without_tests():
    data = paucal.load_network("cancer").sample(300, seed=5)
    result = paucal.learn(data, "hill-climbing")
    document = parsed(page(result, data=data))
    assert ("Score", "bdeu") in facts(document)
    assert "No independence was tested" in words(section(document, "What the data can decide"))
    heads = [words(th) for th in section(document, "Edges").iter(f"{HTML}th")]
    assert not result.graph.n_directed
    assert heads == ["Edge"]  # a column with nothing in it is not shown


@pytest.fixture(scope="module")
def sampled():
    """Results that tell probabilities: of the posterior, and of bootstraps of two searches."""
    data = paucal.load_network("asia").sample(300, seed=5)
    results = {
        "posterior": paucal.learn(data, seed=1),
        "bootstrap": paucal.bootstrap(data, "pc-stable", replicates=20, seed=1),
        "pag": paucal.bootstrap(data, "fci", replicates=20, seed=1),
    }
    return data, results


SAMPLED = ["posterior", "bootstrap", "pag"]


@pytest.mark.parametrize("which", SAMPLED)
def test_probabilities_of_edges(sampled, which):
    data, results = sampled
    result = results[which]
    document = parsed(page(result, data=data))
    rows = body_rows(section(document, "Edges"))
    records = {(r["a"], r["b"]): r for r in result.edges()}
    assert len(rows) == result.graph.n_edges > 0
    surest = sorted(records.values(), key=lambda r: (-r["probability"], -r["probability_of_marks"]))
    for row, record in zip(rows, surest, strict=True):
        assert row[1:3] == [percent(record["probability"]), percent(record["probability_of_marks"])]
    heads = [words(th) for th in section(document, "Edges").iter(f"{HTML}th")]
    directed = any("->" in str(edge) for edge in result.graph.edges())
    assert heads == ["Edge", "Joined", "As drawn", *(["Direction from"] if directed else [])]


@pytest.mark.parametrize("which", SAMPLED)
def test_pairs_tell_their_probabilities(sampled, which):
    result = sampled[1][which]
    content = content_of(parsed(page(result)))
    names = content["nodes"]
    for pair, told in content["pairs"].items():
        x, y = (names[int(i)] for i in pair.split(","))
        known = result.evidence.of_pair(x, y)
        assert sum(told["likely"].values()) == pytest.approx(1 - known["absent"], abs=1e-4)
        assert told["likely"] == pytest.approx({k: v for k, v in known.items() if k != "absent" and v > 0}, abs=1e-5)
        assert list(told["likely"].values()) == sorted(told["likely"].values(), reverse=True)


@pytest.mark.parametrize("which", SAMPLED)
def test_pairs_that_nearly_made_it(sampled, which):
    result = sampled[1][which]
    listed = body_rows(section(parsed(page(result)), "Left out of the graph, but not unlikely"))
    near = [
        (f"{r['a']} and {r['b']}", percent(1 - r["absent"]))
        for r in result.probabilities(least=NOT_UNLIKELY)
        if not result.graph.has_edge(r["a"], r["b"])
    ]
    assert near and [(row[0], row[1]) for row in listed] == near
    sure = replace(result, evidence=replace_shares(result, 0.0))
    assert "not unlikely" not in page(sure)


def replace_shares(result, value):
    """The probabilities of a result with all shares the same."""
    sure = result.evidence
    shares = {symbol: np.full_like(matrix, value) for symbol, matrix in sure.shares.items()}
    return replace(sure, shares=shares)


def test_pairs_that_are_settled_and_open(sampled):
    _, results = sampled
    absent = np.array([results["posterior"].evidence.of_pair(*p)["absent"] for p in PAIRS])
    part = section(parsed(page(results["posterior"])), "What the data can decide")
    counts = [int(row[1]) for row in body_rows(next(part.iter(f"{HTML}table")))]
    assert counts[:2] == [(1 - absent >= 0.95).sum(), (absent >= 0.95).sum()] and sum(counts) == 28
    assert "No independence was tested" in words(part)
    told = words(section(parsed(page(results["bootstrap"])), "What the data can decide"))
    assert "each of 20 samples of the rows" in told and "No independence" not in told


PAIRS = list(combinations(paucal.load_network("asia").graph.nodes, 2))


def test_the_choice_is_told_with_its_reason(sampled):
    document = parsed(page(sampled[1]["posterior"]))
    reason = sampled[1]["posterior"].recipe.reason
    assert f"No search was named; chosen: posterior, because {reason}" in words(section(document, "What was run"))
    headings = [words(part) for part in document.iter(f"{HTML}h2")]
    assert headings.index("What was found") < headings.index("Graph") < headings.index("What was run")
    assert "No search was named" not in page(sampled[1]["bootstrap"])


def test_what_an_edge_is_worth_to_the_score(sampled):
    data, results = sampled
    result = results["posterior"]
    content = content_of(parsed(page(result, data=data)))
    for pair, told in content["pairs"].items():
        x, y = (content["nodes"][int(i)] for i in pair.split(","))
        gain = result.why(x, y, data=data).gain
        assert told["gain"] == gain.sentence(sampled=isinstance(result.evidence, Graphs))
    assert "gain" not in content_of(parsed(page(result)))["pairs"]["0,1"]


@pytest.mark.parametrize("which", ["bootstrap", "pag"])
def test_the_call_of_a_bootstrap(sampled, which):
    data, results = sampled
    again = eval(repr(results[which].recipe), {"paucal": paucal, "data": data})  # noqa: S307 - our own text
    assert again.graph == results[which].graph and again.recipe == results[which].recipe
    assert again.evidence.to_plain() == results[which].evidence.to_plain()


def test_the_call_of_a_blanket():
    data = paucal.load_network("asia").sample(400, seed=5)
    result = paucal.blanket(data, "either", max_order=None)
    call = repr(result.result.recipe)
    assert call in unescape(page(result))
    again = eval(call, {"paucal": paucal, "data": data})  # noqa: S307 - our own text
    assert (again.mb, again.result.recipe) == (result.mb, result.result.recipe)


def test_no_call_for_a_test_without_a_name():
    oracle = paucal.Oracle(Graph.parse("A -> B"))
    assert repr(paucal.learn(oracle).recipe) == "paucal.learn(test, search='pc-stable')"


def test_blankets(alarm):
    data, _ = alarm
    result = paucal.blanket(data, "HR")
    document = parsed(page(result))
    rows = body_rows(section(document, "The blanket of HR"))
    roles = {"parent": result.parents, "child": result.children, "open": result.undetermined}
    roles["spouse"] = result.spouses
    assert [(row[0], row[1]) for row in rows] == [(n, role) for role, names in roles.items() for n in names]
    content = content_of(document)
    assert content["nodes"][content["target"]] == "HR"
    assert {content["nodes"][i] for i in content["members"]} == set(result.members)
    assert set(content["nodes"]) < set(data.names)


def test_marks_of_a_pag_are_explained():
    pag = Graph.parse("A o-> B; B <-> C; C -> D; D o-o E; F --o E", kind="pag")
    result = replace(paucal.learn(paucal.Oracle(Graph.dag("ABCDEF"))), graph=pag)
    document = parsed(page(result))
    told = words(section(document, "How to read the graph"))
    for sign in ("o→", "↔", "→", "o–o", "—o"):
        assert f"A {sign} B" in told
    assert "may be missing" in told
    assert len(list(document.iter(f"{SVG}circle"))) == 4


# -------------------------------------------------------------------------------------------- what it cannot do


def test_nothing_is_fetched(alarm):
    data, result = alarm
    html = page(result, data=data)
    document = parsed(html)
    for element in document.iter():
        for attribute in ("src", "href", "action", "data", "srcset", "{http://www.w3.org/1999/xlink}href"):
            assert element.get(attribute) in (None, "data:,"), element.tag
        assert not [name for name in element.attrib if name.startswith("on")]
    style = next(document.iter(f"{HTML}style")).text
    assert "url(" not in style and "@import" not in style
    named = set(re.findall(r"https?://[^\s\"'<`]+", html))  # of a library in the script, where to complain
    assert named <= {"http://www.w3.org/2000/svg", "https://github.com/erikbrinkman/d3-dag/issues"}


def test_the_policy_allows_this_style_and_this_script_only(alarm):
    document = parsed(page(alarm[1]))
    (policy,) = [m.get("content") for m in document.iter(f"{HTML}meta") if m.get("http-equiv")]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    style = next(document.iter(f"{HTML}style")).text
    (script,) = [s.text for s in document.iter(f"{HTML}script") if s.get("type") is None]
    for rule, part in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert not [e.tag for e in document.iter() if e.get("style") is not None]


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><!--",
    "a\"b'c",
    "&lt;",
    "]]>",
    "\u2028",
    "\u202edlrow",
    "{a}",
    "x\x00\n",
]


def test_names_are_text_and_nothing_else():
    graph = Graph.dag(HOSTILE, pairwise(HOSTILE))
    result = paucal.learn(paucal.Oracle(graph))
    document = parsed(page(result, title="<img src=x>"))
    assert content_of(document)["nodes"] == HOSTILE
    assert len(list(document.iter(f"{HTML}script"))) == 2
    assert not list(document.iter(f"{HTML}img"))
    assert words(next(document.iter(f"{HTML}h1"))) == "<img src=x>"


def test_hostile_levels_are_text():
    levels = [*HOSTILE, "plain"]
    data = {"a": levels * 4, "b": [*"xy" * 20]}
    document = parsed(
        page(paucal.learn(data, as_is=True), data={"a": ["<script>x</script>"] * 30 + levels, "b": [*"xy" * 20]})
    )
    assert "<script>x</script>" in words(section(document, "Columns"))
    assert len(list(document.iter(f"{HTML}script"))) == 2


# ----------------------------------------------------------------------------------------------------- edges


@pytest.mark.parametrize("n", [1, 2, 5])
def test_graphs_without_edges(n):
    result = paucal.learn(paucal.Oracle(Graph.dag([f"v{i}" for i in range(n)])))
    document = parsed(page(result))
    assert "There are none" in words(section(document, "Edges"))


def test_wide_results_tell_of_edges_only(monkeypatch):
    monkeypatch.setattr(evidence, "PAIRS_AT_MOST", 5)
    monkeypatch.setattr(import_module("paucal.report.page"), "DRAWN_AT_MOST", 4)
    result = paucal.learn(paucal.Oracle(paucal.load_network("asia").graph))
    document = parsed(page(result))
    content = content_of(document)
    assert not content["complete"]
    assert len(content["pairs"]) == result.graph.n_edges
    assert not [s for s in document.iter(f"{SVG}svg") if s.get("class") != "bar"]
    assert "too many to draw" in words(section(document, "Graph"))


def test_the_page_depends_on_the_result_only(alarm):
    data, result = alarm
    again = paucal.SearchResult.from_json(result.to_json())
    assert page(result, data=data) == page(again, data=data)


def test_the_page_is_the_same_in_every_process(tmp_path, sampled):
    results = sampled[1]
    (tmp_path / "result.json").write_text(results["posterior"].to_json(), encoding="utf-8")
    code = (
        "import sys, pathlib, hashlib, paucal; from paucal.report import page; "
        "data = paucal.load_network('asia').sample(300, seed=5); "
        "result = paucal.SearchResult.from_json(pathlib.Path(sys.argv[1]).read_text(encoding='utf-8')); "
        "print(hashlib.sha256(page(result, data=data).encode()).hexdigest())"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "result.json")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1


def test_files_are_written_whole(tmp_path, alarm):
    _, result = alarm
    path = tmp_path / "page.html"
    assert result.report(path) == path
    assert path.read_text(encoding="utf-8") == page(result)
    assert write_report(result, str(path), title="Survey") == path
    assert "<title>Survey</title>" in path.read_text(encoding="utf-8")
    with pytest.raises(FileError, match="cannot be written"):
        result.report(tmp_path / "nowhere" / "page.html")
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_blanket_results_report(tmp_path):
    oracle = paucal.Oracle(paucal.load_network("asia").graph)
    written = paucal.blanket(oracle, "either").report(tmp_path / "b.html")
    assert "Markov blanket of either" in written.read_text(encoding="utf-8")


def test_what_is_no_result_is_refused():
    with pytest.raises(ParameterError, match="not about Graph"):
        page(Graph.parse("A -> B"))


def test_the_page_says_what_was_set_and_what_to_ask():
    example = paucal.load_example("sachs-interventions")
    words = {"interventions": example.interventions, "targets": example.targets}
    result = paucal.learn(example.data, "posterior", **words)
    shown = page(result, data=example.data)
    assert "Set from outside: Akt in 40, Mek in 40" in shown
    assert "<code>told by = drug</code>" in shown
    assert '<section id="ask">' in page(paucal.learn(paucal.load_network("asia").sample(300, seed=1), "posterior"))


def test_numbers_stand_in_the_same_steps_in_the_table_and_in_the_effect(tmp_path):
    rng = np.random.default_rng(3)
    dose = rng.exponential(10, 300)
    harm = np.where(dose > 25, rng.random(300) < 0.95, rng.random(300) < 0.03).astype(int)
    data = paucal.Dataset.of({"dose": dose.tolist(), "harm": harm.tolist()})
    result = paucal.learn(data, outcome=["harm"])
    assert result.cuts  # the score reads the dose in steps of its own, not in thirds
    assert "percentage points" in result.report(tmp_path / "page.html", data=data).read_text(encoding="utf-8")


def test_the_page_gives_named_waves_on_one_line_so_that_more_can_be_said():
    data = paucal.load_network("cancer").sample(200, seed=1)
    result = paucal.learn(data, "pc-stable", time={"visit 1": ["Smoker"], "visit 2": ["Cancer"]})
    told = written_recipe(result)
    more = f'{told["toml"]}\n{told["knowledge"]}\nrequired = [["Cancer", "Xray"]]\n'
    known = Recipe.from_toml(more).knowledge
    assert known.to_dict() == result.knowledge.to_dict() | {"required": [["Cancer", "Xray"]]}
