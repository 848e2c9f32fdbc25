"""CPDAGs, extensions and Meek's rules against the enumerated equivalence class."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal.errors import GraphError
from paucal.graphs import (
    Graph,
    d_separated,
    dag_to_cpdag,
    markov_blanket,
    markov_equivalent,
    meek_closure,
    pdag_to_dag,
    v_structures,
)
from paucal.graphs.acyclic import find_cycle, topological_order
from paucal.graphs.equivalence import dag_to_cpdag_matrix, pdag_to_dag_matrix
from paucal.graphs.rules.meek import close
from random_graphs import marked_graphs, network_dag, random_dag, random_dags


def arrows(matrix):
    return (matrix != 0) & (matrix.T == 0)


def colliders(pdag):
    """The v-structures of a DAG or PDAG matrix, by looking at every triple."""
    joined, arrow = (pdag | pdag.T) != 0, arrows(pdag)
    return {
        (a, c, b)
        for a, c, b in itertools.permutations(range(len(pdag)), 3)
        if a < b and arrow[a, c] and arrow[b, c] and not joined[a, b]
    }


def orientations(skeleton):
    """All DAG matrices with a given skeleton."""
    pairs = np.argwhere(np.triu(skeleton)).tolist()
    for turned in itertools.product((False, True), repeat=len(pairs)):
        dag = np.zeros_like(skeleton)
        for (i, j), turn in zip(pairs, turned, strict=True):
            dag[(j, i) if turn else (i, j)] = 1
        if topological_order(dag) is not None:
            yield dag


def united(dags):
    """The CPDAG by definition: an arrow where all DAGs have it, otherwise an undirected edge."""
    return np.any(dags, axis=0).astype(np.int8)


@pytest.mark.parametrize(("n", "classes"), [(1, 1), (2, 2), (3, 11), (4, 185), (5, 8782)])
def test_cpdag_equals_the_united_class_for_every_small_dag(n, classes):
    groups = defaultdict(list)
    pairs = list(itertools.combinations(range(n), 2))
    for kinds in itertools.product((0, 1, 2), repeat=len(pairs)):
        dag = np.zeros((n, n), dtype=np.int8)
        for (i, j), kind in zip(pairs, kinds, strict=True):
            if kind:
                dag[(i, j) if kind == 1 else (j, i)] = 1
        if topological_order(dag) is not None:
            key = ((dag | dag.T).tobytes(), frozenset(colliders(dag)) if n < 5 else _collider_bytes(dag))
            groups[key].append(dag)
    assert len(groups) == classes  # Gillispie and Perlman 2002
    for members in groups.values():
        wanted = united(members)
        for dag in members if n < 5 else members[:1]:
            assert np.array_equal(dag_to_cpdag_matrix(dag), wanted)


def _collider_bytes(dag):
    apart = (dag | dag.T | np.eye(len(dag), dtype=np.int8)) == 0
    return (dag[:, None, :] & dag[None, :, :] & apart[:, :, None]).tobytes()


def test_cpdag_equals_the_united_class_for_random_dags_of_six_nodes():
    rng = np.random.default_rng(6)
    for _ in range(40):
        dag = random_dag(rng, 6, 0.45).to_pdag_matrix()
        if dag.sum() > 9:
            continue
        same = [d for d in orientations(dag | dag.T) if colliders(d) == colliders(dag)]
        assert np.array_equal(dag_to_cpdag_matrix(dag), united(same))


def test_every_extension_of_a_cpdag_is_equivalent_to_it():
    for rng, g in random_dags(2000, (2, 9), seed=7):
        cpdag = dag_to_cpdag(g)
        shuffled = cpdag.reorder(rng.permutation(cpdag.nodes).tolist())  # the order decides which one it is
        extension = pdag_to_dag(shuffled)
        assert extension.kind == "dag" and extension.problems() == []
        assert markov_equivalent(extension, g)
        assert cpdag.as_kind("cpdag").problems() == []


def test_extension_exists_exactly_if_some_orientation_fits():
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(400):
        n = int(rng.integers(3, 6))
        skeleton = np.triu(rng.random((n, n)) < 0.6, 1)
        pdag = (skeleton | skeleton.T).astype(np.int8)
        for i, j in np.argwhere(skeleton).tolist():
            if rng.random() < 0.4:
                pdag[(i, j) if rng.random() < 0.5 else (j, i)] = 0
        fixed = arrows(pdag)
        fits = [d for d in orientations(pdag | pdag.T) if d[fixed].all() and colliders(d) == colliders(pdag)]
        extension = pdag_to_dag_matrix(pdag)
        assert (extension is not None) == bool(fits)
        if extension is not None:
            found += 1
            assert any(np.array_equal(extension, d) for d in fits)
    assert 50 < found < 350


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A -> B -> C -> A", "it has the cycle A -> B -> C -> A"),
        ("A -- B -- C -- D -- A", "every orientation of the edges among A, B, C, D"),
        ("A -> B -- C <- D", "imply a new v-structure"),
        ("A -> B -- C -> D -> A", "its arrows imply the cycle A -> B -> C -> D -> A"),
    ],
)
def test_why_there_is_no_extension(text, reason):
    with pytest.raises(GraphError, match=f"No DAG extends this graph: .*{reason}"):
        pdag_to_dag(Graph.parse(text))


def test_equivalence_is_skeleton_and_v_structures():
    for rng, g in random_dags(500, (3, 5), seed=9):
        other = random_dag(rng, g.n, 0.5)
        same = g.skeleton() == other.skeleton() and set(v_structures(g)) == set(v_structures(other))
        assert markov_equivalent(g, other) == same
        assert markov_equivalent(g, g)


# --------------------------------------------------------------------------------------------- Meek's rules


def naive_closure(pdag):
    """Meek's four rules as they are written, tried on all nodes until nothing changes."""
    p = pdag.copy()
    n = len(p)

    def arrow(i, j):
        return p[i, j] and not p[j, i]

    def line(i, j):
        return p[i, j] and p[j, i]

    def joined(i, j):
        return p[i, j] or p[j, i]

    def applies(a, b):
        others = [v for v in range(n) if v not in (a, b)]
        pairs = list(itertools.permutations(others, 2))
        return (
            any(arrow(c, a) and not joined(c, b) for c in others)
            or any(arrow(a, c) and arrow(c, b) for c in others)
            or any(line(a, c) and arrow(c, b) and line(a, d) and arrow(d, b) and not joined(c, d) for c, d in pairs)
            or any(line(a, d) and arrow(d, c) and arrow(c, b) and joined(a, c) and not joined(d, b) for c, d in pairs)
        )

    again = True
    while again:
        again = False
        for a, b in itertools.permutations(range(n), 2):
            if line(a, b) and applies(a, b):
                p[b, a] = 0
                again = True
    return p


def partly_known(rng, g):
    """The CPDAG of a DAG with some more of the DAG's own arrows."""
    pdag = dag_to_cpdag_matrix(g.to_pdag_matrix())
    dag = g.to_pdag_matrix()
    for i, j in np.argwhere((pdag != 0) & (dag != 0)).tolist():
        if rng.random() < 0.3:
            pdag[j, i] = 0
    return pdag


def test_meek_closure_equals_the_rules_as_written_and_is_idempotent():
    for rng, g in random_dags(1000, (3, 7), seed=10):
        pdag = partly_known(rng, g)
        closed = close(pdag)
        assert np.array_equal(closed, naive_closure(pdag))
        assert np.array_equal(close(closed), closed)
        assert not (arrows(pdag) & ~arrows(closed)).any()


def test_meek_closure_with_knowledge_finds_all_that_follows():
    rng = np.random.default_rng(11)
    fired = 0
    for _ in range(150):
        g = random_dag(rng, 5, 0.7)
        dag = g.to_pdag_matrix()
        if dag.sum() > 8:
            continue
        pdag = partly_known(rng, g)
        known = arrows(pdag)
        fits = [d for d in orientations(dag | dag.T) if colliders(d) == colliders(dag) and d[known].all()]
        assert np.array_equal(close(pdag), united(fits))
        fired += int((close(pdag) != pdag).any())
    assert fired > 20


@pytest.mark.parametrize(
    ("directed", "undirected", "told"),
    [
        (["ca"], ["ab"], ("a", "b", "meek-1", "c")),
        (["ac", "cb"], ["ab"], ("a", "b", "meek-2", "c")),
        (["cb", "db"], ["ab", "ac", "ad"], ("a", "b", "meek-3", "cd")),
        (["dc", "cb"], ["ab", "ad", "ac"], ("a", "b", "meek-4", "dc")),
    ],
)
def test_each_rule_of_meek_tells_its_witnesses(directed, undirected, told):
    notes = []
    matrix = Graph.pdag("abcd", directed=directed, undirected=undirected).to_pdag_matrix()
    close(matrix, note=lambda *note: notes.append(note))
    assert [("abcd"[a], "abcd"[b], rule, "".join("abcd"[v] for v in via)) for a, b, rule, via in notes] == [told]


def justified(p, a, b, rule, via):
    """Say whether a rule, as Meek words it, lets these witnesses turn a -- b into a -> b."""

    def joined(*pair):
        return p[pair] or p[pair[::-1]]

    def arrow(i, j):
        return p[i, j] and not p[j, i]

    if rule == "meek-1":
        return arrow(via[0], a) and not joined(via[0], b)
    if rule == "meek-2":
        return arrow(a, via[0]) and arrow(via[0], b)
    c, d = via
    if rule == "meek-3":
        return all(joined(a, v) and arrow(v, b) for v in via) and not joined(c, d)
    return joined(a, c) and not joined(c, b) and arrow(c, d) and arrow(d, b) and joined(a, d)


def test_every_arrow_is_told_once_with_witnesses_that_call_for_it():
    met = Counter()
    for rng, g in random_dags(1000, (4, 8), seed=21):
        dag = g.to_pdag_matrix()
        pdag = dag | dag.T
        for a, c, _ in colliders_both_ways(dag):
            pdag[c, a] = 0
        pdag[(dag.T != 0) & (rng.random(dag.shape) < 0.15)] = 0
        notes = []
        closed = close(pdag, note=lambda *note, notes=notes: notes.append(note))
        now = np.array(pdag)
        for a, b, rule, via in notes:
            assert now[a, b] and now[b, a]
            assert justified(now, a, b, rule, via), (rule, a, b, via)
            now[b, a] = 0
            met[rule] += 1
        assert np.array_equal(now, closed)
    assert min(met[f"meek-{k}"] for k in (1, 2, 3, 4)) > 0


def test_rules_turn_only_the_edges_they_may():
    chain = Graph.pdag("abcd", directed=["ab"], undirected=["bc", "cd"]).to_pdag_matrix()
    among = np.zeros((4, 4), dtype=bool)
    among[1, 2] = True
    assert close(chain, among=among).tolist() == [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0]]


def closed_by_the_rules(dag, forbidden):
    """Complete a DAG in Python: v-structures, what knowledge decides, Meek's rules."""
    pdag = np.array(dag | dag.T, dtype=np.int8)
    for a, c, _ in colliders_both_ways(dag):
        pdag[c, a] = 0
    pdag[(pdag.T != 0) & forbidden] = 0
    return close(pdag)


def colliders_both_ways(dag):
    return [triple for a, c, b in colliders(dag) for triple in ((a, c, b), (b, c, a))]


@pytest.mark.parametrize("n", [1, 5, 9, 63, 64, 65, 130])
def test_the_kernel_completes_as_the_rules_do(n):
    rng = np.random.default_rng(n)
    for _ in range(20 if n < 60 else 3):
        dag = random_dag(rng, n, min(0.5, 4 / n)).to_pdag_matrix()
        for share in (0, 0.2):
            forbidden = (rng.random((n, n)) < share) & (dag == 0)
            assert np.array_equal(dag_to_cpdag_matrix(dag, forbidden=forbidden), closed_by_the_rules(dag, forbidden))


def test_rule_four_fires_only_with_knowledge():
    g = Graph.pdag("abcd", directed=[("d", "c"), ("c", "b")], undirected=[("a", "b"), ("a", "d"), ("a", "c")])
    assert meek_closure(g).edge("a", "b").symbol == "->"


def test_impossible_arrows_raise_stay_or_pass_as_asked():
    # R1 turns B -- C to B -> C because A is not adjacent to C, and that closes the ring
    pdag = Graph.parse("A -> B; B -- C; C -> D; D -> A", nodes="ABCD").to_pdag_matrix()
    with pytest.raises(GraphError, match="imply the cycle A -> B -> C -> D -> A"):
        close(pdag, names=tuple("ABCD"))
    with pytest.raises(GraphError, match="imply the cycle 0 -> 1 -> 2 -> 3 -> 0"):
        close(pdag)
    assert np.array_equal(close(pdag, on_cycle="skip"), pdag)
    assert find_cycle(arrows(close(pdag, on_cycle="allow"))) == [0, 1, 2, 3]


@settings(max_examples=200, deadline=None)
@given(marked_graphs(circles=False))
def test_closing_any_pdag_keeps_edges_and_arrows(g):
    pdag = g.to_pdag_matrix()
    for mode in ("skip", "allow"):
        closed = close(pdag, on_cycle=mode)
        assert np.array_equal(closed | closed.T, pdag | pdag.T)
        assert not (arrows(pdag) & ~arrows(closed)).any()
        assert np.array_equal(close(closed, on_cycle=mode), closed)
    if find_cycle(arrows(pdag)) is None:
        assert find_cycle(arrows(close(pdag, on_cycle="skip"))) is None


@settings(deadline=None)
@given(st.integers(2, 300))
def test_rules_run_down_a_chain_of_any_length(n):
    pdag = np.zeros((n + 1, n + 1), dtype=np.int8)
    for i in range(n):
        pdag[i, i + 1] = pdag[i + 1, i] = 1
    pdag[n - 1, n] = 0  # the last edge points at the start of the chain
    assert np.array_equal(close(pdag), np.eye(n + 1, k=-1, dtype=np.int8))


def test_large_graphs():
    rng = np.random.default_rng(12)
    order = rng.permutation(1000)
    dag = np.zeros((1000, 1000), dtype=np.int8)
    rows, columns = np.triu_indices(1000, 1)
    chosen = rng.choice(len(rows), 4000, replace=False)
    dag[order[rows[chosen]], order[columns[chosen]]] = 1
    cpdag = dag_to_cpdag_matrix(dag)
    assert np.array_equal(dag_to_cpdag_matrix(pdag_to_dag_matrix(cpdag)), cpdag)


# -------------------------------------------------------------------------------------------------- blanket


def test_blanket_separates_its_target_from_all_else():
    for rng, g in random_dags(300, (2, 8), seed=13):
        target = str(rng.choice(g.nodes))
        blanket = markov_blanket(g, target)
        rest = [v for v in g.nodes if v != target and v not in blanket.members]
        assert not rest or d_separated(g, target, rest, blanket.members)
        for member in blanket.members:  # and none of its members can be left out
            others = [v for v in blanket.members if v != member]
            assert not d_separated(g, target, member, others)
        of_class = markov_blanket(dag_to_cpdag(g), target)
        assert set(of_class.members) == set(blanket.members)
        assert of_class.spouses == blanket.spouses


def test_blanket_of_a_network_node():
    alarm = network_dag("alarm")
    blanket = markov_blanket(alarm, "HR")
    assert blanket.parents == ("CATECHOL",)
    assert set(blanket.children) == {"CO", "HRBP", "HREKG", "HRSAT"}
    assert set(blanket.spouses) == {"STROKEVOLUME", "ERRLOWOUTPUT", "ERRCAUTER"}


def test_blanket_of_a_pag_is_refused():
    with pytest.raises(GraphError, match="this is a PAG"):
        markov_blanket(Graph.parse("A o-> B"), "A")
