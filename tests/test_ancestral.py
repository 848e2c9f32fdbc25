"""MAGs and PAGs against the enumerated class of Markov equivalent MAGs, and against FCI with a perfect oracle."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

from paucal.errors import GraphError
from paucal.graphs import (
    Graph,
    Separation,
    d_separated,
    dag_to_cpdag,
    dag_to_mag,
    dag_to_pag,
    m_separated,
    mag_to_pag,
    pag_to_mag,
)
from paucal.graphs.equivalence import unshielded_colliders
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL
from paucal.graphs.rules.ancestral import orient_pag
from random_graphs import all_mags, network_dag, questions, random_dag, random_dags


def independences(graph):
    ask = Separation(graph)
    return tuple(ask(x, y, given) for x, y, given in questions(graph.nodes))


def common_marks(mags):
    """The PAG by definition: the marks that all these MAGs share, circles elsewhere."""
    marks = np.array([m.marks for m in mags])
    first = marks[0]
    return np.where((marks == first).all(axis=0), first, np.where(first != NONE, CIRCLE, NONE))


@pytest.mark.parametrize(
    ("n", "symbols", "classes"),
    [(2, ("->", "<-", "<->"), 2), (3, ("->", "<-", "<->", "--"), 11), (4, ("->", "<-", "<->"), 248)],
)
def test_pag_equals_the_common_marks_of_every_class_of_small_mags(n, symbols, classes):
    groups = defaultdict(list)
    for mag in all_mags(n, symbols):
        groups[independences(mag)].append(mag)
    assert len(groups) == classes
    for mags in groups.values():
        wanted = common_marks(mags)
        for mag in mags:
            assert np.array_equal(mag_to_pag(mag).marks, wanted)
        pag = mag_to_pag(mags[0])
        assert pag.problems() == []
        assert pag_to_mag(pag) in mags


def equivalent_mags(mag):
    """All MAGs with the adjacencies and the independences of a MAG, by trying all marks."""
    wanted = independences(mag)
    pairs = np.argwhere(np.triu(mag.marks)).tolist()
    for choice in itertools.product(((ARROW, TAIL), (TAIL, ARROW), (ARROW, ARROW)), repeat=len(pairs)):
        marks = np.zeros((mag.n, mag.n), dtype=np.int8)
        for (i, j), (at_j, at_i) in zip(pairs, choice, strict=True):
            marks[i, j], marks[j, i] = at_j, at_i
        other = Graph(mag.nodes, marks, "mag", check=False)
        if other.cycle() is None and independences(other) == wanted and not other.problems():
            yield other


def test_pag_of_five_nodes_equals_the_common_marks():
    rng = np.random.default_rng(1)
    done = 0
    while done < 12:
        dag = random_dag(rng, 7, rng.uniform(0.2, 0.5))
        mag = dag_to_mag(dag, latent=dag.nodes[:2])
        if 4 <= mag.n_edges <= 6:
            assert np.array_equal(mag_to_pag(mag).marks, common_marks(list(equivalent_mags(mag))))
            done += 1


def fci_with_oracle(graph, observed):
    """FCI with perfect answers and no economy: all separating sets are looked for, then R0 and the rules."""
    n = len(observed)
    marks = np.full((n, n), CIRCLE, dtype=np.int8)
    np.fill_diagonal(marks, NONE)
    separators = {}
    for x, y, given in questions(observed):
        i, j = observed.index(x), observed.index(y)
        if (i, j) not in separators and d_separated(graph, x, y, given):
            separators[i, j] = separators[j, i] = {observed.index(z) for z in given}
            marks[i, j] = marks[j, i] = NONE
    colliders = [
        (i, k, j)
        for i, k, j in itertools.permutations(range(n), 3)
        if marks[i, k] and marks[j, k] and not marks[i, j] and k not in separators[i, j]
    ]
    return orient_pag(marks, colliders, lambda path: path[-2] in separators[path[0], path[-1]])


def test_true_pag_equals_fci_with_a_perfect_oracle():
    for rng, dag in random_dags(150, (5, 8), seed=2):
        hidden = rng.choice(dag.nodes, dag.n - 5, replace=False).tolist()
        pag = dag_to_pag(dag, latent=hidden)
        assert np.array_equal(pag.marks, fci_with_oracle(dag, pag.nodes))


def test_mag_has_the_independences_of_the_dag_over_the_observed():
    for rng, dag in random_dags(200, (3, 8), seed=3):
        hidden = rng.choice(dag.nodes, dag.n // 3, replace=False).tolist()
        mag = dag_to_mag(dag, latent=hidden)
        assert mag.as_kind("mag").problems() == []
        for x, y, given in questions(mag.nodes):
            assert m_separated(mag, x, y, given) == d_separated(dag, x, y, given)
        for x, y in itertools.permutations(mag.nodes, 2):
            assert (x in mag.ancestors(y)) == (x in dag.ancestors(y))


def test_without_hidden_variables_mag_is_the_dag_and_pag_refines_the_cpdag():
    for _, dag in random_dags(300, (2, 8), seed=4):
        assert dag_to_mag(dag) == dag
        pag, cpdag = dag_to_pag(dag), dag_to_cpdag(dag)
        assert pag.skeleton() == cpdag.skeleton()
        heads = pag.marks == ARROW
        assert not (heads & (cpdag.marks != ARROW)).any()  # a PAG knows no more arrowheads than the CPDAG


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("child", (24, 13, 13)),
        ("insurance", (38, 34, 32)),
        ("alarm", (26, 42, 24)),
        ("hailfinder", (53, 49, 30)),
    ],
)
def test_marks_of_the_true_pags_of_known_networks(name, counts):
    pag = dag_to_pag(network_dag(name))
    assert tuple(int((pag.marks == mark).sum()) for mark in (CIRCLE, ARROW, TAIL)) == counts
    assert pag.problems() == []


# ------------------------------------------------------------------------------------------------ the rules


def oriented(text, *, colliders=(), collider=None, **options):
    g = Graph.parse(text, kind="pag")
    triples = [tuple(map(g.index, triple)) for triple in colliders]
    marks = orient_pag(g.marks, triples, lambda _: None if collider is None else not collider, **options)
    return Graph(g.nodes, marks, "pag")


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        ("R1", "a o-> b o-o c", "a o-> b -> c", {}),
        ("R2", "a -> b o-> c; a o-o c", "a -> b o-> c; a o-> c", {"tail_rules": False}),
        ("R2", "a o-> b -> c; a o-o c", "a o-> b -> c; a o-> c", {"tail_rules": False}),
        ("R3", "a o-> b <-o c; a o-o d o-o c; d o-o b", "a o-> b <-o c; a o-o d o-o c; d o-> b", {}),
        ("R4", "d o-> a <-> b; a -> c; b o-> c", "d o-> a <-> b; a -> c; b -> c", {"collider": False}),
        ("R4", "d o-> a <-> b; a -> c; b o-> c", "d o-> a <-> b; a -> c; b <-> c", {"collider": True}),
        ("R4", "d o-> a <-> b; a -> c; b o-> c", "d o-> a <-> b; a -> c; b o-> c", {}),
        ("R5", "a o-o c o-o d o-o b o-o a", "a -- c -- d -- b -- a", {"selection": True}),
        ("R5", "a o-o c o-o d o-o b o-o a", "a o-o c o-o d o-o b o-o a", {}),
        ("R6", "a -- b o-o c; a o-o c", "a -- b --o c; a --o c", {"selection": True, "tail_rules": False}),
        ("R7", "a --o b o-o c", "a --o b --o c", {"selection": True}),
        ("R8", "a -> b -> c; a o-> c", "a -> b -> c; a -> c", {}),
        ("R8", "a --o b -> c; a o-> c", "a --o b -> c; a -> c", {}),
        ("R8", "a -> b -> c; a o-> c", "a -> b -> c; a o-> c", {"tail_rules": False}),
        ("R9", "a o-> c; a o-o b o-o d o-> c", "a -> c; a o-o b o-o d -> c", {}),
        ("R10", "a o-> c; b -> c <- d; a o-o b; a o-o d", "a -> c; b -> c <- d; a o-o b; a o-o d", {}),
    ],
)
def test_each_rule_fires_where_it_should(rule, before, after, options):
    assert oriented(before, **options) == Graph.parse(after, kind="pag"), rule


@pytest.mark.parametrize(
    ("text", "told", "options"),
    [
        ("a o-o b o-o c", ("a", "b", "pag-0", "c"), {"colliders": ["abc"]}),
        ("a o-> b o-o c", ("c", "b", "pag-1", "a"), {}),
        ("a o-> b -> c; a o-o c", ("a", "c", "pag-2", "b"), {}),
        ("a o-> b <-o c; a o-o d o-o c; d o-o b", ("d", "b", "pag-3", "ac"), {}),
        ("d o-> a <-> b; a -> c; b o-> c", ("c", "b", "pag-4", "dabc"), {"collider": False}),
        ("a o-o c o-o d o-o b o-o a", ("a", "c", "pag-5", "abdc"), {"selection": True}),
        ("a -- b o-o c; a o-o c", ("c", "b", "pag-6", "a"), {"selection": True}),
        ("a --o b o-o c", ("c", "b", "pag-7", "a"), {"selection": True}),
        ("a -> b -> c; a o-> c", ("c", "a", "pag-8", "b"), {}),
        ("a o-> c; a o-o b o-o d o-> c", ("c", "a", "pag-9", "bd"), {}),
        ("a o-> c; b -> c <- d; a o-o b; a o-o d", ("c", "a", "pag-10", "bd"), {}),
    ],
)
def test_each_rule_tells_its_witnesses(text, told, options):
    names = Graph.parse(text, kind="pag").nodes
    notes = []

    def note(i, j, rule, witnesses):
        notes.append((names[i], names[j], rule, "".join(names[v] for v in witnesses)))

    oriented(text, note=note, **options)
    assert told in notes


def justifies(rule, mark, i, j, via):
    """Say whether a rule, as Zhang words it, lets these witnesses decide the mark at the j end of i *-* j."""

    def parent(u, v):
        return mark[u, v] == ARROW and mark[v, u] == TAIL

    def leads(path):
        steps = itertools.pairwise(path)
        return all(mark[u, v] in (CIRCLE, ARROW) and mark[v, u] in (CIRCLE, TAIL) for u, v in steps) and all(
            mark[u, w] == NONE for u, w in zip(path[:-2], path[2:], strict=True)
        )

    if rule == "pag-0":
        return mark[via[0], i] == NONE != mark[via[0], j]
    if rule == "pag-1":  # the edge is the one from b to c
        return any(mark[via[0], b] == ARROW and mark[via[0], c] == NONE for b, c in ((i, j), (j, i)))
    if rule == "pag-2":
        (b,) = via
        return mark[i, b] == ARROW == mark[b, j] and TAIL in (mark[b, i], mark[j, b])
    if rule == "pag-3":
        a, c = via
        return mark[a, c] == NONE and all(mark[v, j] == ARROW and mark[v, i] == CIRCLE for v in via)
    if rule == "pag-4":
        *inner, b, c = via
        between = zip(inner[:-1], inner[1:], [*inner[2:], b], strict=True)
        return (
            {i, j} <= {inner[-1], b, c}
            and mark[inner[0], c] == NONE
            and all(parent(v, c) and mark[u, v] == ARROW == mark[w, v] for u, v, w in between)
        )
    if rule == "pag-8":
        return mark[via[0], j] == TAIL and mark[j, via[0]] != TAIL and parent(via[0], i)
    if rule == "pag-9":
        return mark[via[0], i] == NONE and leads((j, *via, i))
    assert rule == "pag-10"
    return via[0] != via[1] and all(parent(v, i) for v in via) and mark[j, i] == ARROW


def test_every_mark_of_a_pag_is_told_once_with_witnesses_that_call_for_it():
    met = set()
    for rng, dag in random_dags(300, (6, 10), seed=11):
        mag = dag_to_mag(dag, rng.choice(dag.nodes, rng.integers(0, 4), replace=False).tolist())
        marks, notes = mag.marks, []
        after = orient_pag(
            np.where(marks != NONE, CIRCLE, NONE),
            unshielded_colliders(marks == ARROW, marks != NONE),
            lambda path, marks=marks: marks[path[-1], path[-2]] == TAIL,
            note=lambda *told, notes=notes: notes.append(told),
        )
        now = np.where(marks != NONE, CIRCLE, NONE)
        for i, j, rule, via in notes:
            assert justifies(rule, now, i, j, via), (rule, i, j, via)
            assert now[i, j] == CIRCLE
            now[i, j] = after[i, j]
            met.add(rule)
        assert np.array_equal(now, after)
    assert met >= {f"pag-{k}" for k in (0, 1, 2, 3, 4, 8, 9)}


def test_ambiguous_triples_are_not_used():
    nobody = {"usable": lambda *_: False}
    assert oriented("a o-> b o-o c", **nobody) == Graph.parse("a o-> b o-o c")
    text = "a o-> b <-o c; a o-o d o-o c; d o-o b"
    assert oriented(text, **nobody) == Graph.parse(text)


def test_rules_are_asked_about_discriminating_paths_only():
    asked = []
    g = Graph.parse("d o-> e <-> a <-> b; e -> c; a -> c; b o-> c")
    orient_pag(g.marks, [], lambda path: asked.append([g.nodes[i] for i in path]))
    assert ["d", "e", "a", "b", "c"] in asked
    for d, *inner, b, c in asked:
        assert not g.has_edge(d, c)
        assert all(v in g.parents(c) for v in inner)
        assert g.edge(b, c).mark_a == CIRCLE


def test_rules_never_touch_decided_marks():
    rng = np.random.default_rng(5)
    for _ in range(300):
        n = 5
        marks = np.zeros((n, n), dtype=np.int8)
        for i, j in itertools.combinations(range(n), 2):
            if rng.random() < 0.6:
                marks[i, j], marks[j, i] = rng.choice((CIRCLE, ARROW, TAIL), 2, p=(0.6, 0.3, 0.1))
        after = orient_pag(marks, [], lambda path: sum(path) % 2 == 0, selection=True)
        decided = marks != CIRCLE
        assert np.array_equal(after[decided], marks[decided])
        again = orient_pag(after, [], lambda path: sum(path) % 2 == 0, selection=True)
        assert np.array_equal(again, after)


def test_selection_leaves_an_undirected_ring():
    ring = Graph.mag("ABCD", [("A", "--", "B"), ("B", "--", "C"), ("C", "--", "D"), ("D", "--", "A")])
    assert mag_to_pag(ring) == ring
    assert mag_to_pag(ring).problems() == []


# ------------------------------------------------------------------------------------------------- PAG, MAG


def test_problems_of_a_pag_are_told():
    assert Graph.parse("A o-o B o-o C o-o D o-o A").problems() == [
        "No MAG has this PAG: its o-o edges form a cycle without chord"
    ]
    assert Graph.parse("A -> B; C").as_kind("pag").problems() == ["A -> B where the PAG has A o-o B"]
    assert Graph.parse("A -> B -> C -> A; C o-o D", kind="pag").problems() == ["the cycle A -> B -> C -> A"]
    assert "A is an ancestor of C" in Graph.parse("A -> B -> C; A <-> C", kind="pag").problems()[0]
    assert Graph.parse("A o-> B; C o-> B").problems() == []


def test_pag_without_mag_is_an_error():
    with pytest.raises(GraphError, match="cycle without chord"):
        pag_to_mag(Graph.parse("A o-o B o-o C o-o D o-o A"))


def test_every_mag_of_a_pag_has_that_pag():
    for rng, dag in random_dags(200, (4, 9), seed=6):
        hidden = rng.choice(dag.nodes, dag.n // 3, replace=False).tolist()
        pag = dag_to_pag(dag, latent=hidden)
        assert mag_to_pag(pag_to_mag(pag)) == pag


def test_only_dags_are_projected():
    with pytest.raises(GraphError, match="not a DAG"):
        dag_to_mag(Graph.parse("A -- B"))
    assert dag_to_pag(Graph.parse("A -> B", kind="pdag")) == Graph.parse("A o-o B")
