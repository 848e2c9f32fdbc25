"""The grid of equivalent sample sizes behind "eb": its end, its values, and what it makes of two columns."""

from __future__ import annotations

import math

import numpy as np
import pytest

import paucal
from paucal import Dataset
from paucal.dirichlet import largest_size, sizes_to
from paucal.search.by_scores.interventions import Experiment
from paucal.search.by_scores.scores import Scorer

# Natural logarithms, computed with 50 digits: the score of a set is the log of the mean, over the sizes 0.5, 1, 2 ...
# up to the first that is not below 8 times the most levels, of the Dirichlet-multinomial likelihood of its counts.
# The table, f of both columns, of the rows' column and of the columns' column.
COPY, EVEN = (3 * np.eye(9, dtype=int)).tolist(), np.full((5, 5), 40).tolist()
TABLES = [
    ([[10, 2], [3, 9]], -32.651817627583, -17.743997622568, -17.677351321320, 2.7695313163051),
    ([[5, 1, 0], [2, 4, 3], [0, 2, 6]], -50.376721293489, -26.655228734196, -26.742278780271, 3.0207862209778),
    ([[25, 25], [25, 25]], -143.03845054465, -71.041224918607, -71.041224918607, -0.95600070743297),
    ([[250, 250], [250, 250]], -1394.0056136693, -695.99093077244, -695.99093077244, -2.0237521244272),
    ([[20, 1, 0], [3, 0, 1], [1, 2, 2]], -47.338003967791, -28.088134756260, -23.232639875487, 3.9827706639564),
    ([[3, 0, 1, 0], [0, 2, 0, 1]], -14.645162652379, -5.3904702252065, -10.673556865941, 1.4188644387683),
    (COPY, -94.549152839736, -61.754024865964, -61.754024865964, 28.958896892192),
    (EVEN, -3255.4456496933, -1616.8777997596, -1616.8777997596, -21.690050174053),
]
JOINED = [  # two columns alone: w / (1 + w) with w = 2 exp(0.7 (f(XY) - f(X) - f(Y) - ln 12))
    ([[25, 25], [25, 25]], 0.15245325501447),
    ([[250, 250], [250, 250]], 0.078499290436941),
    ([[10, 2], [3, 9]], 0.70938199354504),
    ([[5, 1, 0], [2, 4, 3], [0, 2, 6]], 0.7442664233705),
    (EVEN, 8.947355898917e-8),
]


def rows_of_table(table) -> Dataset:
    """Give data with these counts, a column per axis."""
    counts = np.array(table)
    rows = np.repeat(np.argwhere(counts >= 0), counts.reshape(-1), axis=0)
    return Dataset.from_codes(list(rows.T), [f"x{i}" for i in range(counts.ndim)], [range(k) for k in counts.shape])


def sets(data: Dataset, *members: tuple[int, ...]) -> list[float]:
    kernel = Scorer(data, "eb").kernel
    return [kernel.set(list(one)) for one in members]


def near(value: float):
    """Allow for the last of the fourteen digits that are written above."""
    return pytest.approx(value, rel=1e-13, abs=1e-11)


@pytest.mark.parametrize(("table", "both", "rows", "columns", "gain"), TABLES)
def test_reference_values(table, both, rows, columns, gain):
    found = sets(rows_of_table(table), (0, 1), (0,), (1,))
    assert found == [near(both), near(rows), near(columns)]
    assert found[0] - found[1] - found[2] == pytest.approx(gain, abs=5e-10)


def test_a_third_column_with_more_levels_moves_the_grid_for_all():
    data = rows_of_table([[10, 2], [3, 9]])
    wider = Dataset.from_codes([*data.columns, np.arange(24) % 5], ["x", "y", "z"], [range(2), range(2), range(5)])
    assert sets(wider, (0, 1), (0,), (1,)) == [near(v) for v in (-32.584299985233, -17.438023337528, -17.387928796421)]


def test_reference_values_of_two_parents():
    data = rows_of_table([[[4, 1, 0], [1, 2, 3]], [[0, 2, 5], [3, 1, 2]]])
    found = sets(data, (0, 1, 2), (0, 1), (0, 2), (0,), (2,))
    wanted = (-61.267212919604, -35.299402211976, -45.082498896583, -17.517359260722, -27.654161545781)
    assert found == [near(value) for value in wanted]
    scorer = Scorer(data, "eb")
    families = {(0, 1): -30.937624007204, (0,): -30.050046285648, (): -27.654161545781}
    for parents, value in families.items():
        assert scorer.local(2, parents) - math.log(12) * len(parents) == near(value)


@pytest.mark.parametrize(("table", "joined"), JOINED)
def test_two_columns_alone(table, joined):
    data = rows_of_table(table)
    both, rows, columns = sets(data, (0, 1), (0,), (1,))
    odds = 2 * math.exp(0.7 * (both - rows - columns - math.log(12)))
    assert odds / (1 + odds) == pytest.approx(joined, rel=1e-9)
    drawn = paucal.learn(data, "posterior").evidence.joined[0, 1]
    assert drawn == pytest.approx(joined, abs=0.015)


@pytest.mark.parametrize(
    ("levels", "largest", "sizes"), [(2, 16, 6), (3, 32, 7), (8, 64, 8), (9, 128, 9), (100, 1024, 12)]
)
def test_where_the_grid_ends(levels, largest, sizes):
    assert largest_size([1, 2, levels]) == largest
    assert len(sizes_to(largest)) == sizes
    assert sizes_to(largest)[0] == 0.5 and sizes_to(largest)[-1] == largest


def test_levels_that_nobody_has_do_not_count():
    data = Dataset.from_codes([[0, 1, 1, 0], [0, 4, 4, 0]], ["a", "b"], [range(2), range(5)])
    assert Scorer(data, "eb").settings.largest_ess == 16
    assert Scorer(data, "bdeu").settings.largest_ess is None


def test_the_grid_is_told_and_explanations_use_it():
    data = paucal.load_network("asia").sample(200, seed=1)
    columns = {name: data.columns[i].tolist() for i, name in enumerate(data.names)}
    wider = Dataset.of(columns | {"ward": [i % 9 for i in range(200)]})
    result = paucal.learn(wider, "order", starts=2)
    assert result.evidence.means.all == {"largest_ess": 128.0}
    back = paucal.SearchResult.from_json(result.to_json())
    assert back.evidence.means == result.evidence.means
    whole, part = (
        result.evidence.gains(result.graph.subgraph(data.names), Experiment.of(d, None, None), None)
        for d in (wider, wider.select(data.names))
    )
    assert whole.of("smoke", "bronc") == part.of("smoke", "bronc")
