"""The answer at the top of a page, what stands behind an edge, lanes and groups, and two results on one page."""

from __future__ import annotations

import json
from dataclasses import replace

import html5lib
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

import paucal
from made_results import made
from paucal import Graph, Knowledge
from paucal.cli import cli
from paucal.errors import GraphError, ParameterError
from paucal.report import comparison, page, write_comparison
from paucal.report.behind import Behind, Crossed
from paucal.report.lanes import groups, lanes, ranks
from paucal.report.text import Name, environment, said, share

HTML = "{http://www.w3.org/1999/xhtml}"


def parsed(html: str):
    return html5lib.HTMLParser(strict=True).parse(html)


def words(element) -> str:
    return " ".join("".join(element.itertext()).split())


def by_id(document, name: str):
    return next(element for element in document.iter() if element.get("id") == name)


def sentences(document, part: str) -> list[str]:
    found = by_id(document, "answer")
    holder = next(e for e in found.iter() if part in (e.get("class") or "").split())
    return [words(item) for item in holder.iter(f"{HTML}li")]


# ------------------------------------------------------------------------------------------------------ the answer


def test_effects_that_move_hardly_any_row_are_counted_not_shown():
    data = paucal.load_network("child").sample(300, seed=1)
    result = paucal.learn(data, "posterior", outcome=["Grunting"])
    effects = list(result.effects("Grunting", data=data))
    told = [one for one in effects if one.probability >= 0.05 and one.contrast is not None]
    tiny = [one for one in told if one.strength < 0.01]
    assert tiny
    part = by_id(parsed(page(result, data=data)), "effects")
    causes = [words(item).split(" causes ")[0] for item in part.iter(f"{HTML}li")]
    assert causes == [one.cause for one in told if one.strength >= 0.01][:12]
    assert words(part).endswith(f"{len(tiny)} more would, on average, move less than 1 % of the rows to another level.")


def test_a_bootstrap_speaks_of_samples():
    data = paucal.load_network("asia").sample(150, seed=5)
    result = paucal.bootstrap(data, "pc-stable", replicates=20, seed=1)
    document = parsed(page(result, data=data))
    told = words(by_id(document, "answer"))
    assert "in less than 80 % of the bootstrap samples" in told
    assert "likely or more" not in told and "80 % likely" not in told and "Very likely" not in told
    assert "its share says how often" in words(by_id(document, "reading"))
    assert "In how many of the bootstrap samples" in words(by_id(document, "edges"))


def test_a_bootstrap_without_doubts_does_not_claim_that_anything_has_settled():
    noisy = np.random.default_rng(1)
    a = noisy.integers(0, 2, 400)
    table = {"a": a.tolist(), "b": np.where(noisy.random(400) < 0.9, a, 1 - a).tolist()}
    result = paucal.bootstrap(paucal.Dataset.of(table), "pc-stable", replicates=20, seed=1)
    told = words(by_id(parsed(page(result)), "answer"))
    assert "Every edge is in 80 % of the bootstrap samples or more." in told
    sampled = words(by_id(parsed(page(paucal.learn(table))), "answer"))
    assert "Every edge is 80 % likely or more; the computation has settled." in sampled  # there is no arrow


def test_without_an_edge_what_nearly_made_it_is_still_a_doubt():
    data, result = made(4, 0, seed=1)
    assert result.near_misses()
    document = parsed(page(result, data=data))
    assert any(line.startswith("Left out of the graph, but perhaps joined: ") for line in sentences(document, "doubts"))
    assert "of the 0 edges" not in words(by_id(document, "data"))


def test_an_answer_to_a_trial_has_seven_sentences_at_most_and_says_what_the_graph_misses():
    rng = np.random.default_rng(1)
    arm, first = rng.integers(0, 2, 240), rng.integers(0, 2, 240)
    follows = [np.where(rng.random(240) < 0.9, first, 1 - first) for _ in range(4)]
    table = {"arm": arm, "died": rng.random(240) < 0.3 + 0.15 * arm, "first": first}
    table |= {f"f{k}": column for k, column in enumerate(follows)} | {"copy": first, "alone": rng.integers(0, 2, 240)}
    with pytest.warns(paucal.errors.PreparationWarning, match="left out: copy"):
        result = paucal.learn(
            {name: column.tolist() for name, column in table.items()}, randomised=["arm"], outcome=["died"]
        )
    assert result.graph.n_edges and not result.graph.adjacent("arm")
    document = parsed(page(result))
    told = sentences(document, "findings")
    assert 3 <= len(told) <= 7
    assert sum("joined to nothing" in line for line in told) == 1
    missed = "The graph misses an effect: the groups of arm differ in died, but no path of arrows leads"
    assert any(line.startswith(missed) for line in sentences(document, "doubts"))
    joined = replace(result, graph=Graph.parse("arm -> first -> died", result.graph.nodes, "pdag"))
    assert "misses an effect" not in words(by_id(parsed(page(joined)), "answer"))


def test_what_an_unfinished_search_did_not_test_is_no_finding():
    data = paucal.load_network("asia").sample(400, seed=1)
    result = paucal.learn(data, "pc-stable", test="g", max_tests=3)
    assert result.unfinished is not None
    told = next(line for line in sentences(parsed(page(result)), "findings") if "direction is open" in line)
    tested = [e for e in result.graph.edges() if result.nearest(e.a, e.b) is not None]
    assert 0 < len(tested) < 4
    assert " more" not in told and all(f"{e.a} and {e.b}" in told for e in tested)


def test_a_column_made_from_another_is_a_doubt_and_no_finding():
    rng = np.random.default_rng(1)
    score = rng.integers(0, 6, 300)
    table = {"score": [f"s{k}" for k in score], "better": (score > 2).tolist(), "sex": rng.integers(0, 2, 300).tolist()}
    result = paucal.learn(table, outcome=["better"])
    document = parsed(page(result, data=table))
    assert any(line.startswith("better is determined by score in every row") for line in sentences(document, "doubts"))
    assert not any(line.startswith("score → better") for line in sentences(document, "findings"))
    doubts = sentences(
        parsed(page(paucal.learn(asia := paucal.load_network("asia").sample(500, seed=1)), data=asia)), "doubts"
    )
    assert sum("lung is determined by tub and either" in line for line in doubts) == 1  # though two arrows are about it


def test_columns_left_out_on_demand_are_no_news_and_rows_that_belong_together_are_a_doubt():
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(60), 3)
    first = rng.integers(0, 2, 180)
    table = {
        "id": person,
        "a": first,
        "b": np.where(rng.random(180) < 0.9, first, 1 - first),
        "c": rng.integers(0, 2, 180),
    }
    with pytest.warns(paucal.errors.PreparationWarning):
        result = paucal.learn({name: column.tolist() for name, column in table.items()}, leave_out=["c"])
    document = parsed(page(result))
    assert not any(
        "c" in line.split(" left out")[0].split() for line in sentences(document, "findings") if "left" in line
    )
    assert any(line.startswith("Each value of id occurs in 3 rows;") for line in sentences(document, "doubts"))


def test_what_is_shown_as_80_percent_is_not_called_less():
    data, result = made(4, 3, seed=1)
    evidence = result.evidence
    for e in result.graph.edges():
        i, j = (evidence.names.index(name) for name in (e.a, e.b))
        for kind, part in (("->", 0.0), ("--", 0.0)):
            evidence.shares[kind][i, j] = evidence.shares[kind][j, i] = part
        evidence.shares["->"][(i, j) if e.symbol == "->" else (j, i)] = 0.797
        if e.symbol == "--":
            evidence.shares["->"][j, i], evidence.shares["--"][i, j], evidence.shares["--"][j, i] = 0, 0.797, 0.797
    again = replace(result, evidence=replace(evidence))
    document = parsed(page(again, data=data))
    assert "each is 80 % likely or more." in " ".join(sentences(document, "findings"))
    assert "80 %" in words(by_id(document, "edges"))
    assert "not sure" not in words(by_id(document, "answer")) and "unsure" not in words(by_id(document, "answer"))
    drawn = [e for e in by_id(document, "drawing").iter() if e.get("class") == "edge"]
    heads = {part.get("class") for e in drawn for part in e.iter() if (part.get("class") or "").startswith("arrow ")}
    assert heads <= {"arrow back", "arrow sure"}


@pytest.fixture(scope="module")
def asia():
    data = paucal.load_network("asia").sample(400, seed=2)
    return data, paucal.learn(data, "posterior", outcome=["dysp"])


def test_arrows_into_background_are_the_first_doubt():
    rng = np.random.default_rng(4)
    drug, job = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    table = {"drug": drug, "job": job, "female": np.where(rng.random(400) < 0.9, drug & job, 1 - (drug & job))}
    result = paucal.learn(table)
    assert set(result.graph.parents("female")) == {"drug", "job"}
    assert sentences(parsed(page(result)), "doubts")[0] == (
        "Arrows lead into what looks like background: drug → female, job → female. If nothing in the table can cause "
        "female, name it as exogenous and learn again: other directions will change too."
    )
    assert not any(
        line.startswith(("drug → female", "job → female")) for line in sentences(parsed(page(result)), "findings")
    )
    told = parsed(page(paucal.learn(table, exogenous=["female"])))
    assert "background" not in words(by_id(told, "answer"))


def test_pairs_that_were_left_out_but_are_not_unlikely_are_doubts(asia):
    _, result = asia
    a, b, joined = result.near_misses()[0]
    begins = f"Left out of the graph, but perhaps joined: {a} and {b} ({share(joined)})"
    told = sentences(parsed(page(result)), "doubts")
    assert any(line.startswith(" ".join(begins.split())) for line in told), told


def test_a_level_that_is_an_interval_needs_no_equals_sign():
    rows = {"age": [20, 30, 50] * 40, "old": ["no", "no", "yes"] * 40}
    crossed = Crossed.of(paucal.Dataset.of(rows, discretize={"age": [25, 40]}), "age", "old")
    assert crossed.words().endswith("old is yes in 100% of the rows with age >= 40, and in 0% of those with age < 25")
    assert [crossed.relation(k) for k in range(3)] == ["", "in ", ""]
    plain = Crossed.of(paucal.Dataset.of({"a": ["< 1", "b"] * 20, "c": ["x", "y"] * 20}), "a", "c")
    assert [plain.relation(k) for k in range(2)] == ["= ", "= "]


def test_the_answer_comes_first_and_begins_with_the_outcome(asia):
    data, result = asia
    document = parsed(page(result, data=data))
    first = next(part for part in document.iter(f"{HTML}section"))
    assert first.get("id") == "answer"
    told = sentences(document, "findings")
    assert told[0].startswith("dysp, the outcome, is joined to ")
    assert 3 <= len(told) <= 7
    for edge in result.graph.edges():
        if "dysp" in (edge.a, edge.b):
            assert (edge.a if edge.b == "dysp" else edge.b) in told[0]


def test_the_surest_arrow_is_told_with_its_numbers_and_its_size(asia):
    data, result = asia
    numbers = result.edge_numbers()
    arrows = [e for e in result.graph.edges() if e.symbol == "->"]
    best = max(arrows, key=lambda e: numbers[e.a, e.b]["probability_of_marks"])
    (told,) = [
        s for s in sentences(parsed(page(result, data=data)), "findings") if s.startswith(f"{best.a} → {best.b}:")
    ]
    both = (numbers[best.a, best.b][key] for key in ("probability", "probability_of_marks"))
    joined, way = (" ".join(share(value).split()) for value in both)
    said = f"{way} likely" if joined == way else f"{joined} likely to be joined, {way} in this direction"
    assert f": {said}." in told
    x, y = (np.array(data.columns[data.index(name)]) for name in (best.a, best.b))
    level, outcome = told.split(" = ")[1].split(",")[0], told.split(f"{best.b} is ")[1].split(" in ")[0]
    rows = x == data.levels[data.index(best.a)].index(level)
    part = (y[rows] == data.levels[data.index(best.b)].index(outcome)).mean()
    assert f"in {part:.0%}".replace("%", " %") in told


def test_a_run_that_has_not_settled_is_the_first_doubt(asia):
    _, result = asia
    unsettled = [{"a": "asia", "b": "tub", "low": 0.1, "high": 0.7}]
    told = sentences(parsed(page(replace(result, details={**result.details, "unsettled": unsettled}))), "doubts")
    assert told[0].startswith("The computation has not settled")
    assert "asia and tub (10 % to 70 %)" in told[0]


def test_an_arrow_with_two_heads_from_few_rows_is_doubted():
    data = paucal.load_network("asia").sample(300, seed=1)
    result = replace(paucal.learn(data, "fci", test="g"), graph=Graph.parse("asia <-> tub", data.names, "pag"))
    assert any("nine of ten such edges were wrong" in line for line in sentences(parsed(page(result)), "doubts"))


@pytest.mark.parametrize("search", ["pc-stable", "hill-climbing", "fci", "rai", "order"])
def test_every_search_has_an_answer(search):
    data = paucal.load_network("cancer").sample(300, seed=4)
    document = parsed(page(paucal.learn(data, search), data=data))
    told = sentences(document, "findings")
    assert told and all(line.endswith(".") for line in told)


def test_a_blanket_begins_with_its_members():
    data = paucal.load_network("asia").sample(500, seed=1)
    result = paucal.blanket(data, "either")
    told, *rest = sentences(parsed(page(result)), "findings")
    assert told.startswith("Enough to predict either: ") and all(member in told for member in result.members)
    assert not any("direction is open" in line and "either" in line for line in rest)  # those have just been named


# ------------------------------------------------------------------------------------------------------- templates


def test_templates_escape_everything_and_know_every_name():
    written = environment().from_string("{{ value }} {{ value|name }}").render(value="<b>\n")
    assert written == '&lt;b&gt;␊ <bdi class="name" title="&lt;b&gt;␊">&lt;b&gt;␊</bdi>'
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nobody }}").render()
    assert str(said(("a & ", Name("<i>")))) == 'a &amp; <bdi class="name" title="&lt;i&gt;">&lt;i&gt;</bdi>'


# -------------------------------------------------------------------------------------------- what stands behind


tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=4, max_size=60)


@given(tables)
def test_size_and_sign_are_those_of_the_pairs_one_by_one(rows):
    a, b = (list(column) for column in zip(*rows, strict=True))
    data = paucal.Dataset.from_codes([a, b], ["a", "b"], [range(4), range(3)], kinds=("ordered", "ordered"))
    crossed = Crossed.of(data, "a", "b")
    assert crossed.used == len(rows)
    signs = [np.sign((a[i] - a[j]) * (b[i] - b[j])) for i in range(len(rows)) for j in range(i)]
    untied = [sum(v[i] != v[j] for i in range(len(rows)) for j in range(i)) for v in (a, b)]
    if min(untied) == 0:
        assert crossed.sign() is None
    else:
        assert crossed.sign() == pytest.approx(sum(signs) / np.sqrt(untied[0] * untied[1]))
    if len(set(a)) > 1 and len(set(b)) > 1:
        expected = sum(
            (sum(r == (i, j) for r in rows) - a.count(i) * b.count(j) / len(rows)) ** 2 / (a.count(i) * b.count(j))
            for i in set(a)
            for j in set(b)
        )
        assert crossed.size() == pytest.approx(np.sqrt(expected / (min(len(set(a)), len(set(b))) - 1)))


@given(tables)
def test_the_contrast_is_the_largest_difference(rows):
    a, b = (list(column) for column in zip(*(rows * 3), strict=True))
    data = paucal.Dataset.from_codes([a, b], ["a", "b"], [range(4), ["x", "y", "z"]])
    found = Crossed.of(data, "a", "b").contrast()
    counts = np.array([[sum(r == (i, j) for r in rows * 3) for j in range(3)] for i in range(4)])
    usable = [i for i in range(4) if counts[i].sum() >= 10]
    shares = {i: counts[i] / counts[i].sum() for i in usable}
    largest = max((float((shares[i] - shares[j]).max()) for i in usable for j in usable), default=0.0)
    if found is None:
        # levels that do not occur are left out, and of two that do, one speaks for both
        assert largest == pytest.approx(0) or len(set(b)) == 2
    elif len(set(b)) > 2:
        assert found.here - found.there == pytest.approx(largest)


def test_rows_with_a_gap_are_not_used():
    data = paucal.Dataset.of({"a": [0, 1, None, 1] * 5, "b": [0, 1, 1, None] * 5}, missing="keep")
    crossed = Crossed.of(data, "a", "b")
    assert crossed.used == 10 and crossed.n_rows == 20


def test_many_levels_are_taken_together():
    data = paucal.Dataset.of({"a": [f"l{i % 20}" for i in range(400)], "b": ["x", "y"] * 200})
    crossed = Crossed.of(data, "a", "b")
    assert len(crossed.levels) == 8 and crossed.levels[-1] == "others" and crossed.counts.sum() == 400


def test_rivals_and_second_opinions_stand_beside_the_edge():
    data = paucal.load_network("asia").sample(300, seed=4)
    result = paucal.learn(data)
    rivals = [one for one in result.open_questions() if one.kind == "rivals"]
    assert rivals
    behind = Behind(result, result.graph, result.own_data(data))
    one = rivals[0]
    for name, _ in one.rivals:
        assert any(line.startswith(str(one)) for line in behind.of(one.target, name)["open"])
    said_above = " ".join(sentences(parsed(page(result, data=data)), "doubts"))
    for one in rivals[:2]:
        assert str(one) in said_above  # the same words and numbers, here and there
    against = {(q.a, q.b) for q in result.open_questions() if q.kind == "against-test"}
    for edge in result.graph.edges():
        second = behind.of(edge.a, edge.b)["second"]
        contradicted = (edge.a, edge.b) in against or (edge.b, edge.a) in against
        assert (second["agrees"] is False) == contradicted


def test_what_was_done_to_the_table_is_told_in_words():
    rng = np.random.default_rng(1)
    smoke = rng.integers(0, 2, 200)
    table = {
        "id": [f"P{i:03}" for i in range(200)],
        "smoke": [("Yes", "yes", "YES")[i % 3] if one else "No" for i, one in enumerate(smoke)],
        "crp": ["<0.1" if i < 5 else f"{4 * one + rng.exponential():.2f}" for i, one in enumerate(smoke)],
        "<b>": rng.choice(["x", "y"], 200).tolist(),
    }
    with pytest.warns(paucal.errors.PreparationWarning):
        result = paucal.learn(table)
    document = parsed(page(result))
    told = words(by_id(document, "prepared"))
    assert told.startswith("What was done to the table 200 rows and 4 columns read, 200 rows and 3 columns used.")
    assert "Left out id names the rows" in told
    assert "Made missing crp '<0.1' (5 rows)" in told
    assert "Levels put together smoke 'YES' from 'YES', 'Yes', 'yes'" in told
    assert "id was left out; why is told under “What was done to the table”." in sentences(document, "findings")


# ------------------------------------------------------------------------------------------------ lanes and groups


def test_lanes_follow_what_was_said():
    graph = Graph.parse("age -> smoke -> cough -> death; free -> cough; smoke -> late")
    known = Knowledge(exogenous=["age"], time=[["smoke"], ["cough", "late"]], outcome=["death"])
    found = lanes(graph, known, ranks(graph))
    place = dict(zip(graph.nodes, found["of"], strict=True))
    assert found["labels"] == ["background", "wave 1", "wave 2", "outcome"]
    assert place == {"age": 0, "smoke": 1, "cough": 2, "late": 2, "death": 3, "free": 1}
    named = Knowledge(exogenous=["age"], time={"1990": ["smoke"], "2000": ["cough", "late"]}, outcome=["death"])
    treated = Knowledge(randomised=["age"], time=[["smoke"], ["cough", "late"]], outcome=["death"])
    assert lanes(graph, treated, ranks(graph))["labels"][0] == "randomised"
    assert lanes(graph, named, ranks(graph)) == found | {"labels": ["background", "1990", "2000", "outcome"]}
    assert lanes(graph, None, ranks(graph)) is None
    assert lanes(graph, Knowledge(forbidden=[("age", "death")]), ranks(graph)) is None


def test_groups_are_lanes_names_that_begin_alike_and_parts():
    graph = Graph.dag(["q_1", "q_2", "q_3", "x", "y", "z"], [("q_1", "q_2"), ("x", "y")])
    told = dict(groups(graph, Knowledge(same=[["y", "z"]]), None))
    assert told == {
        "the same as y": [4, 5],
        "connected part 1": [0, 1],
        "connected part 2": [3, 4],
    }
    longer = graph.rename({f"q_{i}": f"sleep_{i}" for i in (1, 2, 3)})
    assert ["sleep…", [0, 1, 2]] in groups(longer, None, None)


# ------------------------------------------------------------------------------------------------------- comparing


def test_columns_that_nobody_sorts_make_no_lane():
    graph = Graph.parse("A -> B")
    assert lanes(graph, Knowledge(outcome=["A", "B"]), ranks(graph)) is None


def test_a_comparison_lists_what_differs():
    one, other = made(12, 14, seed=1)[1], made(12, 14, seed=2)[1]
    document = parsed(comparison(one, other, labels=("with seed 1", "with seed 2")))
    pairs = {frozenset((e.a, e.b)) for e in (*one.graph.edges(), *other.graph.edges())}
    same = [p for p in pairs if one.graph.edge(*sorted(p)) == other.graph.edge(*sorted(p))]
    rows = list(next(by_id(document, "edges").iter(f"{HTML}tbody")).iter(f"{HTML}tr"))
    assert len(rows) == len(pairs) - len(same)
    told = sentences(document, "findings")
    assert told[0].startswith(f"{len(same)} of {len(pairs)} edges are the same in both")


def test_a_result_compared_with_itself_and_with_its_graph():
    result = made(9, 10, seed=1)[1]
    assert "All 10 edges are the same in both" in comparison(result, result)
    assert "All 10 edges are the same in both" in comparison(result, result.graph)


def test_columns_that_only_one_has_are_left_out_and_named():
    one, other = Graph.parse("A -> B -> C"), Graph.parse("A -> B; D")
    document = parsed(comparison(one, other, labels=("x", "y")))
    told = words(by_id(document, "answer"))
    assert "Only x has C" in told and "Only y has D" in told and "The only edge is the same" in told
    with pytest.raises(GraphError, match="no column in common"):
        comparison(one, Graph.parse("E -> F"))
    with pytest.raises(ParameterError, match="not about dict"):
        comparison(one, {})


def test_a_dag_beside_a_cpdag_stands_for_its_class():
    turned = comparison(Graph.parse("A -> B <- C"), Graph.parse("A -> B -> C"))
    assert "1 edge is in both, but not with the same direction: " in turned
    assert "The only edge is the same in both" in comparison(
        Graph.parse("A -> B"), Graph.cpdag("AB", undirected=[("A", "B")])
    )


def test_comparisons_are_written_by_the_command(tmp_path):
    for k in (1, 2):
        (tmp_path / f"seed{k}.json").write_text(made(9, 10, seed=k)[1].to_json(), encoding="utf-8")
    out = tmp_path / "page.html"
    files = [str(tmp_path / f"seed{k}.json") for k in (1, 2)]
    outcome = CliRunner().invoke(cli, ["compare", *files, "--report", str(out)])
    assert outcome.exit_code == 0 and "SHD" in outcome.output
    content = out.read_text(encoding="utf-8")
    assert "seed1 and seed2, compared" in content
    document = parsed(content)
    data = json.loads(by_id(document, "content").text)
    assert any(side["joined"] is not None for sides in data["compare"]["pairs"].values() for side in sides)
    assert write_comparison(Graph.parse("A -> B"), Graph.parse("A; B"), tmp_path / "g.html").name == "g.html"
