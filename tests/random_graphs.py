"""Random graphs for the tests, and slow, obvious twins of the fast graph functions."""

from __future__ import annotations

import gzip
import itertools
import re
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from paucal.graphs import Graph
from paucal.graphs.marks import ARROW, CIRCLE, NONE, TAIL
from twin import graphs

if TYPE_CHECKING:
    from collections.abc import Iterator

AWKWARD_NAMES = [
    'say "hi"',
    "back\\slash",
    "two\nlines",
    "a<b>&c",
    "naïve Ω",
    " spaced ",
    "",
    "o-o",
    "->",
    "1;2",
    "{x}",
]


def random_dag(rng: np.random.Generator, n: int, density: float) -> Graph:
    order = rng.permutation(n)
    arcs = np.triu(rng.random((n, n)) < density, 1)[np.ix_(order, order)]
    return Graph.from_pdag_matrix([f"x{i}" for i in range(n)], arcs, "dag")


def random_dags(count: int, sizes: tuple[int, int], seed: int) -> Iterator[tuple[np.random.Generator, Graph]]:
    """Yield random DAGs of all densities, each with a generator for further choices."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield rng, random_dag(rng, int(rng.integers(sizes[0], sizes[1] + 1)), float(rng.uniform(0.1, 0.9)))


@st.composite
def dags(draw: st.DrawFn, max_nodes: int = 7) -> Graph:
    n = draw(st.integers(0, max_nodes))
    order = draw(st.permutations(range(n)))
    pairs = list(itertools.combinations(range(n), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.dag([f"x{i}" for i in range(n)], [(f"x{order[i]}", f"x{order[j]}") for i, j in chosen])


@st.composite
def marked_graphs(draw: st.DrawFn, max_nodes: int = 6, *, circles: bool = True) -> Graph:
    """Draw a graph with any marks: a PAG that need not be that of any MAG, or a PDAG that may have cycles."""
    names = st.sampled_from(AWKWARD_NAMES) | st.text(max_size=4)
    nodes = draw(st.lists(names, unique=True, max_size=max_nodes))
    kinds = [(NONE, NONE), (TAIL, ARROW), (ARROW, TAIL), (TAIL, TAIL)]
    if circles:
        kinds += [
            (ARROW, ARROW),
            (CIRCLE, ARROW),
            (ARROW, CIRCLE),
            (CIRCLE, CIRCLE),
            (CIRCLE, TAIL),
            (TAIL, CIRCLE),
        ]
    marks = np.zeros((len(nodes), len(nodes)), dtype=np.int8)
    for i, j in itertools.combinations(range(len(nodes)), 2):
        marks[i, j], marks[j, i] = draw(st.sampled_from(kinds))
    return Graph(nodes, marks, "pag" if circles else "pdag")


def all_dags(n: int) -> Iterator[Graph]:
    names = [f"x{i}" for i in range(n)]
    return (Graph.from_pdag_matrix(names, dag, "dag") for dag in graphs.all_dags(n))


def all_mags(n: int, symbols: tuple[str, ...] = ("->", "<-", "<->")) -> Iterator[Graph]:
    names = [f"x{i}" for i in range(n)]
    pairs = list(itertools.combinations(names, 2))
    for choice in itertools.product((None, *symbols), repeat=len(pairs)):
        edges = [(a, symbol, b) for (a, b), symbol in zip(pairs, choice, strict=True) if symbol]
        candidate = Graph(names, Graph.pag(names, edges).marks, "mag", check=False)
        if not candidate.problems():
            yield candidate


def separated_by_paths(graph: Graph, x: str, y: str, given: tuple[str, ...]) -> bool:
    """Decide m-separation by its definition: every path has a blocked node."""
    opens = set(given).union(*(graph.ancestors(z) for z in given))
    for path in graph.paths(x, y):
        blocked = False
        for a, b, c in zip(path, path[1:], path[2:], strict=False):
            collider = graph.edge(a, b).mark_b == ARROW == graph.edge(c, b).mark_b
            blocked = b not in opens if collider else b in given
            if blocked:
                break
        if not blocked:
            return False
    return True


def questions(nodes: tuple[str, ...]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield every pair with every subset of the other nodes."""
    for x, y in itertools.combinations(nodes, 2):
        others = [z for z in nodes if z not in (x, y)]
        for size in range(len(others) + 1):
            for given in itertools.combinations(others, size):
                yield x, y, given


def network_dag(name: str) -> Graph:
    """Read nodes and arcs of a bundled BIF file with two regular expressions."""
    packed = files("paucal.networks").joinpath("data", f"{name}.bif.gz").read_bytes()
    text = gzip.decompress(packed).decode()
    nodes = re.findall(r"^variable\s+(\S+)", text, re.MULTILINE)
    arcs = []
    for child, parents in re.findall(r"^probability\s*\(\s*(\S+)\s*\|\s*([^)]*)\)", text, re.MULTILINE):
        arcs += [(parent.strip(), child) for parent in parents.split(",")]
    return Graph.dag(nodes, arcs)
