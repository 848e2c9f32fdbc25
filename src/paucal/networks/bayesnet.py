"""A discrete Bayesian network: a graph, named levels, and a table of probabilities per node."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paucal import checks
from paucal.data import Dataset
from paucal.data.gaps import refuse_gaps
from paucal.data.steps import in_told_steps
from paucal.errors import Argument, DataError, GraphError, NetworkError, ParameterError, not_allowed, unknown_name
from paucal.graphs.equivalence import dag_to_cpdag
from paucal.graphs.graph import Graph
from paucal.networks.fitting import FamilyPosterior, family_counts, sizes_of
from paucal.networks.inference import joint
from paucal.networks.sampling import Seed, ancestral_sample, generator
from paucal.networks.tables import MAX_DRAWN, MAX_ROWS, FloatArray, checked_tables, proportions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from paucal.graphs.drawing.svg import Drawing


class BayesNet:
    """A Bayesian network over discrete variables; it never changes once made.

    Parameters
    ----------
    levels
        The nodes in order, each with the labels of its levels.
    parents
        The parents of each node; nodes that it leaves out have none.
    cpts
        For each node P(node | parents): an array with one axis per parent, in the order given, and the node
        last. Rows that miss one by at most 1e-6 are scaled to one; all others are an error.
    name
        What to call the network.

    Notes
    -----
    Two networks are equal if nodes, levels, parents and tables are, in the same orders; the name does not count.

    Examples
    --------
    >>> net = BayesNet(
    ...     {"rain": ["yes", "no"], "grass": ["wet", "dry"]},
    ...     {"grass": ["rain"]},
    ...     {"rain": [0.2, 0.8], "grass": [[0.9, 0.1], [0.25, 0.75]]},
    ...     name="weather",
    ... )
    >>> net
    BayesNet('weather', 2 nodes, 1 arc, 3 parameters)
    >>> net.marginal("grass")
    array([0.38, 0.62])
    """

    __slots__ = ("_cpts", "_graph", "_levels", "_name", "_parents")

    def __init__(
        self,
        levels: Mapping[str, Sequence[str]],
        parents: Mapping[str, Sequence[str]],
        cpts: Mapping[str, ArrayLike],
        *,
        name: str = "unknown",
    ) -> None:
        self._name = checks.text("name", name)
        for part, said in (("levels", levels), ("parents", parents), ("cpts", cpts)):
            if not isinstance(said, Mapping):
                raise not_allowed(part, said, "a dict by node")
        self._levels = {
            node: tuple(map(str, checks.items("levels", labels, "a list of levels by node")))
            for node, labels in levels.items()
        }
        self._parents = {node: _listed_parents(parents.get(node, ())) for node in levels}
        self._cpts = checked_tables(self._levels, self._parents, parents, cpts)
        arcs = [(parent, node) for node in levels for parent in self._parents[node]]
        try:
            self._graph = Graph.dag(levels, arcs)
        except GraphError as error:
            raise NetworkError(error.message, hint=error.hint) from error

    # ---- what it is made of

    @property
    def name(self) -> str:
        """What the network is called."""
        return self._name

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes, in the order of the file."""
        return tuple(self._levels)

    @property
    def graph(self) -> Graph:
        """The directed acyclic graph."""
        return self._graph

    @property
    def levels(self) -> Mapping[str, tuple[str, ...]]:
        """The labels of every node's levels."""
        return MappingProxyType(self._levels)

    @property
    def cpts(self) -> Mapping[str, FloatArray]:
        """The tables P(node | parents): an axis per parent, in the order of `parents`, and the node last."""
        return MappingProxyType(self._cpts)

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: one less than its levels for every row of every table."""
        return sum(table.size - table.size // table.shape[-1] for table in self._cpts.values())

    def parents(self, node: str) -> tuple[str, ...]:
        """Give the parents of a node in the order of the axes of its table, which need not be the graph's."""
        return self._parents[self._known(node)]

    def cpdag(self) -> Graph:
        """Give the graph of the Markov equivalence class: the best that independences can tell."""
        return dag_to_cpdag(self._graph)

    # ---- probabilities

    def marginal(self, node: str) -> FloatArray:
        """Compute the exact distribution of one node."""
        return self.joint([node])

    def joint(self, nodes: Sequence[str], *, given: Mapping[str, object] | None = None) -> FloatArray:
        """Compute the exact joint distribution of some nodes, one axis per node, by variable elimination.

        `given` names nodes that are seen, each with its level; what is seen is not what is done: see `do`.

        >>> import paucal
        >>> asia = paucal.load_network("asia")
        >>> asia.joint(["smoke"], given={"lung": "yes"}).round(4)
        array([0.9091, 0.0909])
        """
        query = [self._known(node) for node in checks.names("nodes", nodes)]
        seen = {} if given is None else self._places("given", given)
        if len({*query, *seen}) < len(query) + len(seen):
            raise ParameterError(f"A node is named twice in {[*query, *seen]}.", hint="Name every node once.")
        table = joint(query, self._parents, self._cpts, seen)
        if not seen:
            return table
        chance = table.sum()
        if chance == 0:
            said = ", ".join(f"{node} = {self._levels[node][place]}" for node, place in seen.items())
            hint = "Fit it with a prior, or ask about something else."
            raise NetworkError(f"The network says that this never happens: {said}.", hint=hint)
        return np.asarray(table / chance)

    def do(self, values: Mapping[str, object]) -> BayesNet:
        """Give the network in which some nodes are set from outside: their causes no longer matter to them.

        >>> import paucal
        >>> asia = paucal.load_network("asia")
        >>> asia.do({"lung": "yes"}).marginal("smoke")
        array([0.5, 0.5])
        """
        places = self._places("values", values)
        points = {node: np.eye(len(self._levels[node]))[place] for node, place in places.items()}
        parents = {node: () if node in places else others for node, others in self._parents.items()}
        return BayesNet(self._levels, parents, {**self._cpts, **points}, name=self._name)

    def predict(self, data: Dataset, node: str) -> FloatArray:
        """Give for every row the exact distribution of a node, knowing all other columns of the row.

        Columns are found by name and levels by label; nodes that the data do not have, and gaps, are summed out. A row
        that the network excludes is an error.

        Returns
        -------
        array
            A row per row of the data, a column per level of the node.

        Examples
        --------
        >>> import paucal
        >>> asia = paucal.load_network("asia")
        >>> asia.predict(asia.sample(2, seed=1).select(["asia", "smoke"]), "lung").round(3)
        array([[0.1 , 0.9 ],
               [0.01, 0.99]])
        """
        data, node = Dataset.of(data), self._known(node)
        known = [other for other in self.names if other != node and other in data.names]
        codes = {other: self._codes(data, other) for other in known}
        blanket = self._blanket(node)
        if blanket <= codes.keys() and all((codes[other] >= 0).all() for other in blanket):
            known = [other for other in known if other in blanket]  # the rest says nothing more
        if not known:
            return np.tile(self.marginal(node), (data.n_rows, 1))
        patterns, where = np.unique(np.column_stack([codes[other] for other in known]), axis=0, return_inverse=True)
        rows = []
        for pattern in patterns.tolist():
            seen = {other: self._levels[other][c] for other, c in zip(known, pattern, strict=True) if c >= 0}
            rows.append(self.joint([node], given=seen))
        return np.array(rows)[where.ravel()]

    def sample(self, n: int, seed: Seed, *, observed: Iterable[str] | None = None) -> Dataset:
        """Draw independent rows; the data have every level that the network declares, drawn or not.

        Parameters
        ----------
        n
            The number of rows.
        seed
            A whole number from 0 on, or a NumPy SeedSequence or Generator (which moves on). The same seed
            gives the same rows everywhere, and the first rows of a longer sample.
        observed
            The columns to keep; the others are latent: drawn, used and left out. By default all, in the order
            of the network, which the kept columns always have.

        Examples
        --------
        >>> import paucal
        >>> net = paucal.load_network("cancer")
        >>> data = net.sample(500, seed=1)
        >>> data.n_rows, data.names
        (500, ('Pollution', 'Smoker', 'Cancer', 'Xray', 'Dyspnoea'))
        >>> net.sample(500, seed=1, observed=["Xray", "Smoker"]).names
        ('Smoker', 'Xray')
        """
        n = checks.whole_number("n", n, 1, MAX_ROWS)
        if n * len(self.names) > MAX_DRAWN:
            raise ParameterError(
                f"{n:,} rows of {len(self.names)} nodes are {n * len(self.names):,} values, {MAX_DRAWN:,} is the most.",
                hint="Draw fewer rows, or several samples with different seeds.",
                parameter="n",
                value=n,
            )
        observed = self.names if observed is None else checks.names("observed", observed)
        wanted = {self._known(node) for node in observed}
        names = tuple(node for node in self.names if node in wanted)
        if not names:
            hint = ("Name at least one in ", Argument("observed"), ".")
            raise ParameterError("No column is observed.", hint=hint)
        order = self._graph.topological_order()
        columns = ancestral_sample(order, self._parents, self._cpts, n, rng=generator(seed), observed=names)
        return Dataset.from_codes(columns, names, tuple(self._levels[node] for node in names))

    def log_likelihood(self, data: Dataset) -> float:
        """Compute the natural logarithm of the probability of complete data, all rows together.

        Columns are found by name and levels by label; columns that the network does not have are not looked
        at. Rows that the network excludes make it minus infinity.

        >>> import paucal
        >>> net = paucal.load_network("cancer")
        >>> round(net.log_likelihood(net.sample(1000, seed=1)), 1)
        -2099.0
        """
        data = Dataset.of(data)
        refuse_gaps(data.select(self.names), "A likelihood")
        codes = {node: self._codes(data, node) for node in self.names}
        total = 0.0
        for node, table in self._cpts.items():
            with np.errstate(divide="ignore"):
                logs = np.log(table).ravel()
            cells = np.ravel_multi_index([codes[v] for v in (*self._parents[node], node)], table.shape)
            total += float(logs[cells].sum())
        return total

    @classmethod
    def fit(
        cls,
        graph: Graph,
        data: Dataset,
        *,
        prior: float | Literal["eb"] = "eb",
        spread: Literal["cell", "table"] = "cell",
        name: str = "unknown",
    ) -> BayesNet:
        """Estimate the tables of a graph from data: their posterior mean under a symmetric Dirichlet prior.

        Parameters
        ----------
        graph
            A DAG; each of its nodes is a column of the data.
        data
            The data; all declared levels count. Numbers are cut into three steps of equal shares; a warning says so.
        prior
            `"eb"`: the data say how far the tables follow them, as in the score of that name. A number is a
            pseudo-count; with 0 the estimate is maximum likelihood, and a configuration of the parents that no row
            has gets the uniform distribution.
        spread
            Of a pseudo-count. `"cell"`: it is added to every cell (1: Laplace; 0.5: Jeffreys). `"table"`: it is the
            equivalent sample size, divided evenly among the cells of each table (BDeu).
        name
            What to call the network.

        Examples
        --------
        >>> import paucal
        >>> net = paucal.load_network("cancer")
        >>> BayesNet.fit(net.graph, net.sample(10_000, seed=1)).cpts["Smoker"].round(2)
        array([0.3, 0.7])
        """
        if not isinstance(prior, str) or prior != "eb":
            pseudo = 'It is a pseudo-count: 1 adds one sample to every cell; "eb" lets the data decide.'
            prior = checks.number_from_0("prior", prior, hint=pseudo)
        checks.choice("spread", spread, ("cell", "table"))
        data = Dataset.of(data)
        if checks.instance("graph", graph, Graph, "a graph").kind != "dag":
            problem = f"Only a DAG has tables; this is a {graph.kind.upper()}."
            raise GraphError(problem, hint="Extend it to a DAG first.")
        data = in_told_steps(data, graph.nodes)
        columns = {node: _column(data, node) for node in graph.nodes}
        refuse_gaps(data.select(graph.nodes), "A network with tables")
        codes = {node: column for node, (column, _) in columns.items()}
        levels = {node: tuple(map(str, labels)) for node, (_, labels) in columns.items()}
        parents = {node: graph.parents(node) for node in graph.nodes}
        cpts, sizes = {}, sizes_of(data)
        for node in graph.nodes:
            counts = family_counts(node, parents[node], codes, levels)
            if prior == "eb":
                cpts[node] = FamilyPosterior(counts, sizes).mean()
            else:
                cpts[node] = proportions(counts + (prior if spread == "cell" else prior / counts.size))
        return cls(levels, parents, cpts, name=name)

    # ---- the Python object

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesNet):
            return NotImplemented
        return (
            list(self._levels.items()) == list(other._levels.items())
            and self._parents == other._parents
            and all(np.array_equal(table, other.cpts[node]) for node, table in self._cpts.items())
        )

    def __hash__(self) -> int:
        return hash((self.names, tuple(self._parents.values())))

    def plot(self) -> Drawing:
        """Draw its graph: a notebook shows the drawing, `.save("graph.svg")` writes it."""
        return self._graph.plot()

    def _repr_html_(self) -> str:
        from html import escape

        return f"<div><p>{escape(repr(self))}</p>{self._graph._repr_svg_() or ''}</div>"

    def __repr__(self) -> str:
        counts = [(len(self.names), "node"), (self._graph.n_edges, "arc"), (self.n_parameters, "parameter")]
        sizes = ", ".join(f"{count} {thing}{'' if count == 1 else 's'}" for count, thing in counts)
        return f"BayesNet({self._name!r}, {sizes})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(BayesNet, name=self._name), (self._levels, self._parents, self._cpts)

    # ---- small steps

    def _known(self, node: str) -> str:
        return checks.known("node", node, self.names)

    def _blanket(self, node: str) -> set[str]:
        """Give parents, children and the children's other parents."""
        families = [(v, *above) for v, above in self._parents.items() if v == node or node in above]
        return {v for family in families for v in family} - {node}

    def _places(self, parameter: str, values: Mapping[str, object]) -> dict[str, int]:
        """Find the levels that nodes are said to have."""
        if not isinstance(values, Mapping):
            raise not_allowed(parameter, values, "a dict from names to levels")
        places = {self._known(node): _place(label, self._levels[node]) for node, label in values.items()}
        for node, place in places.items():
            if place < 0:
                raise unknown_name(f"level of {node!r} called", values[node], self._levels[node])
        return places

    def _codes(self, data: Dataset, node: str) -> NDArray[np.intp]:
        """Read a column in the network's own codes; what is missing is -1."""
        column, labels = _column(data, node)
        translate = np.array([*(_place(label, self._levels[node]) for label in labels), -1], dtype=np.intp)
        codes: NDArray[np.intp] = translate[column]
        strange = np.flatnonzero((codes < 0) & (column < len(labels)))
        if strange.size:
            label = labels[int(column[strange[0]])]
            problem = f"The column {node!r} has the level {label!r}, the network does not."
            raise DataError(problem, hint=unknown_name("level", label, self._levels[node]).hint)
        return codes


def _listed_parents(said: Sequence[str]) -> tuple[str, ...]:
    found = checks.items("parents", said, "a list of nodes by node")
    if not all(isinstance(node, str) for node in found):
        raise not_allowed("parents", said, "a list of nodes by node")
    return tuple(found)


def _column(data: Dataset, node: str) -> tuple[NDArray[np.integer[Any]], tuple[Any, ...]]:
    """Give the codes of a column and the labels of its levels."""
    i = data.index(node)
    return data.columns[i], data.levels[i]


def _place(label: object, levels: tuple[str, ...]) -> int:
    """Find a label of the data among the levels of a node, or give -1.

    Data may have numbers and truth values where a network has text: 1 and True stand for `1.0` and `TRUE`.
    """
    if label is not None and str(label) in levels:  # None is a missing value, not the level `None`
        return levels.index(str(label))
    if isinstance(label, bool):
        same = [level.lower() == str(label).lower() for level in levels]
    elif isinstance(label, int | float):
        same = [_number(level) == label for level in levels]
    else:
        return -1
    return same.index(True) if sum(same) == 1 else -1


def _number(level: str) -> float:
    try:
        return float(level)
    except ValueError:
        return math.nan
