from __future__ import annotations

import numpy as np
import pytest

import paucal
from paucal.errors import ParameterError
from paucal.search.by_tests.rai import _new_questions, _sets_before, rai
from twin.searches import NaiveRai

OPTIONS = [
    {},
    {"orientation": "intended"},
    {"candidates": "parents"},
    {"rule3": "as-coded"},
    {"orientation": "intended", "candidates": "parents", "rule3": "as-coded"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("network", ["asia", "child", "insurance"])
def test_equals_a_literal_twin(network, options):
    net = paucal.load_network(network)
    for seed, n in enumerate((40, 200, 1000)):
        data = net.sample(n, seed=seed)
        shuffled = np.random.default_rng(seed).permutation(len(data.names))
        data = data.select([data.names[i] for i in shuffled]).drop_unobserved()
        naive = NaiveRai(paucal.make_test(data, "g"), **options)
        pdag = naive.run()
        result = rai(paucal.make_test(data, "g"), style="fixrai", **options)
        assert np.array_equal(result.graph.to_pdag_matrix(), pdag)
        assert result.details["paper_tests"] == sum(naive.count.values())
        assert result.details["paper_tests_by_order"] == {str(k): v for k, v in sorted(naive.count.items())}
        names = data.names
        assert dict(result.sepsets) == {
            (names[x], names[y]): tuple(names[z] for z in given)
            for (x, y), given in naive.sep.items()
            if x < y
        }


def test_order_zero_costs_one_test_a_pair():
    data = paucal.load_network("child").sample(300, seed=1)
    result = rai(paucal.make_test(data, "g"))
    assert result.details["paper_tests_by_order"]["0"] == 190


def test_counting_of_subsets():
    # of the 2-subsets of {1, 2, 3, 4}, in order: 12 13 14 23 24 34
    assert _sets_before((2, 3), 0b11110) == 3
    assert _sets_before((2, 3), 0b01010) == 1  # of {1, 3}: 13
    assert _new_questions(0b11110, 0, None, 2) == 6
    assert _new_questions(0b11110, 0b01110, None, 2) == 3  # 12, 13 and 23 are not new
    assert _new_questions(0b11110, 0b00110, (2, 4), 2) == 4  # 12 is not new, of 12 13 14 23 24


def test_valid_where_the_raw_graph_is_not():
    """The raw graph of this sample has a cycle or fits no DAG; the valid one never."""
    net = paucal.load_network("insurance")
    odd = 0
    for seed in range(6):
        data = net.sample(400, seed=seed)
        raw = rai(paucal.make_test(data, "g"), style="fixrai").graph
        try:
            raw.as_kind("cpdag")
        except paucal.errors.GraphError:
            odd += 1
        assert rai(paucal.make_test(data, "g")).graph.problems() == []
    assert odd > 0


def test_appending_a_constant_column_changes_nothing():
    data = paucal.load_network("asia").sample(500, seed=3)
    columns = dict(zip(data.names, data.columns, strict=True))
    with pytest.warns(paucal.errors.ConstantColumnWarning):
        more = paucal.Dataset.from_columns({**columns, "constant": [0] * 500})
    before = paucal.learn(data, "rai").graph
    after = paucal.learn(more, "rai").graph
    assert after.adjacent("constant") == ()
    assert after.subgraph(data.names).edges() == before.edges()


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"style": "raw"}, "style='raw' is not known. Choose from 'valid', 'fixrai'."),
        ({"orientation": "last"}, "orientation='last'"),
        ({"style": "fixrai", "colliders": "majority"}, "no meaning for style='fixrai'"),
        ({"max_order": -1}, "max_order=-1"),
        ({"colliders": "most"}, "colliders='most' is not known"),
    ],
)
def test_refuses_options_that_make_no_sense(options, part):
    with pytest.raises(ParameterError, match=part):
        rai(paucal.Oracle(paucal.Graph.parse("A -> B")), **options)
