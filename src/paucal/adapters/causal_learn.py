"""paucal's tests inside causal-learn's searches.

`register` gives causal-learn a test "paucal-<name>" for every test of paucal; `matrix` gives it the data. Names go in
as `node_names`, and levels that nobody observed go in with the dataset itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paucal.adapters.answers import as_p_value
from paucal.data import Dataset
from paucal.data.gaps import refuse_gaps
from paucal.errors import MissingDependencyError, ParameterError, not_allowed
from paucal.graphs import Graph
from paucal.independence.registry import make_test, test_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paucal.independence.native import KernelTest

PREFIX = "paucal-"


def register() -> tuple[str, ...]:
    """Register every test of paucal with causal-learn, and give the names under which it knows them.

    Afterwards `indep_test="paucal-bf-chi2"` works in `pc`, `fci` and the others. Further arguments of the search are
    the test's parameters, such as `prior=1`; `dataset=` hands over a `Dataset` with names and declared levels. The
    level is causal-learn's own `alpha`: tests without a p-value answer 1 or 0 and keep their own threshold.
    """
    try:
        from causallearn.utils.cit import CIT_Base, register_ci_test
    except ImportError as error:
        raise MissingDependencyError(
            "causal-learn is not installed, or too old to take tests of others.",
            hint="Install it: pip install 'causal-learn>=0.1.4.3'.",
        ) from error

    def make(name: str) -> type:
        class PaucalTest(CIT_Base):  # type: ignore[misc]
            def __init__(self, data: NDArray[Any], dataset: Any = None, **parameters: Any) -> None:
                # causal-learn's own cache knows data by an abbreviated print of them; ours is not shared.
                super().__init__(data)
                self.method = PREFIX + name
                self.test = _test_on(name, data, dataset, parameters)

            def __call__(self, X: Any, Y: Any, condition_set: Sequence[int] | None = None) -> float:  # noqa: N803
                given = tuple(int(v) for v in (condition_set if condition_set is not None else ()))
                return as_p_value(self.test, self.test.ask(int(X), int(Y), given))

            def __deepcopy__(self, memo: dict[int, Any]) -> PaucalTest:
                return self  # searches copy their graph with everything in it; the data need not come along

        return PaucalTest

    for name in test_names():
        register_ci_test(PREFIX + name, make(name))
    return tuple(PREFIX + name for name in test_names())


def matrix(data: Any) -> tuple[NDArray[np.int64], list[str]]:
    """Give codes and names of a dataset, as causal-learn's searches want them.

    Examples
    --------
    >>> codes, names = matrix({"smoke": ["no", "yes", "no"], "cough": [0, 1, 1]})
    >>> codes.tolist(), names
    ([[0, 0], [1, 1], [0, 1]], ['smoke', 'cough'])
    """
    dataset = Dataset.of(data)
    refuse_gaps(dataset, "A matrix for causal-learn")
    return np.column_stack(dataset.columns).astype(np.int64), list(dataset.names)


def to_graph(result: Any) -> Graph:
    """Turn the result of causal-learn's `pc` into a `Graph`.

    Its matrix holds -1 at the tail of an edge and 1 at the arrowhead; 1 and 1 is a bidirected edge, which a search that
    met contradictions leaves behind.
    """
    if not all(hasattr(getattr(result, "G", None), part) for part in ("graph", "get_nodes")):
        raise not_allowed("result", result, "a result of causal-learn's pc")
    ends = np.asarray(result.G.graph)
    names = [node.get_name() for node in result.G.get_nodes()]
    symbols = {(-1, 1): "-->", (-1, -1): "---", (1, 1): "<->"}
    edges = []
    for i, j in zip(*np.nonzero(ends), strict=True):
        symbol = symbols.get((int(ends[i, j]), int(ends[j, i])))
        if symbol is not None and (symbol == "-->" or i < j):
            edges.append((names[i], symbol, names[j]))
    return Graph.from_triples(names, edges)


def _test_on(name: str, data: NDArray[Any], dataset: Any, parameters: dict[str, Any]) -> KernelTest:
    own = Dataset.of(data if dataset is None else dataset)
    if dataset is not None and (own.n_rows, own.n_columns) != data.shape:
        raise ParameterError(
            f"The dataset is {own.n_rows} x {own.n_columns}, the matrix {data.shape[0]} x {data.shape[1]}.",
            hint="Make the matrix of the dataset: codes, names = paucal.adapters.causal_learn.matrix(dataset).",
        )
    return cast("KernelTest", make_test(own, name, **parameters))  # as every test with a name is
